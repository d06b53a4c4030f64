"""SciPy's, scikit-learn's and fastcluster's own tests pass with our functions in the place of theirs.

Nothing of these tests is here: the installed libraries bring them. Those of fastcluster are only in its source
distribution; ``FASTCLUSTER_TESTS=DIR`` names the folder where they are.
"""

import importlib
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent
SCIPY = ["scipy.cluster.tests.test_hierarchy"]
SKLEARN = ["sklearn.cluster.tests.test_hierarchical", "sklearn.cluster.tests.test_feature_agglomeration"]
FASTCLUSTER = ["test_linkage.py", "test_nan.py", "test_vector.py"]


def run(driver, root, path, *tests):
    """How the tests under `root` end: a dictionary from their names to outcome and text."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "peers.plugin", "-p", "no:cacheprovider", "-c", os.devnull]
    variables = {"PEERS_DRIVER": f"peers.{driver}", "PEERS_OUTCOMES": str(path), "PYTHONPATH": str(HERE.parent)}
    ended = subprocess.run(
        [*command, f"--rootdir={root}", f"--confcutdir={root}", "--import-mode=importlib", *tests],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        cwd=root,
        timeout=600,
        check=False,
    )
    assert path.exists(), ended.stdout + ended.stderr
    found = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return {each["test"]: each for each in found}


def check(driver, found, fewest):
    """Every failure has a reason, and every reason a failure."""
    differences = importlib.import_module(f"peers.{driver}").DIFFERENCES
    assert len(found) >= fewest, "most tests were not found"
    wrong = {name: each["text"] for name, each in found.items() if each["outcome"] == "failed"}
    expected = {name for name in found for each in differences if name.startswith(each)}
    assert not wrong.keys() - expected, "\n".join(f"{name}\n{wrong[name]}" for name in wrong.keys() - expected)
    assert not expected - wrong.keys(), f"pass now, take off the list: {expected - wrong.keys()}"
    assert all(any(name.startswith(each) for name in found) for each in differences), "these are no tests any more"


def folder(library):
    """Where a library is, if its tests are."""
    spec = importlib.util.find_spec(library)
    if spec is None:
        pytest.skip(f"{library} is not installed with its tests")
    return Path(spec.origin).parent


@pytest.mark.parametrize(
    ("driver", "modules", "fewest"), [("scipy_driver", SCIPY, 150), ("sklearn_driver", SKLEARN, 60)]
)
def test_tests_of(driver, modules, fewest, tmp_path):
    for module in modules:
        folder(module)
    root = folder(modules[0].partition(".")[0]).parent
    found = run(driver, root, tmp_path / "outcomes", "--pyargs", *modules)
    check(driver, found, fewest)


def test_tests_of_fastcluster(tmp_path):
    root = os.environ.get("FASTCLUSTER_TESTS", "")
    if not all(Path(root, each).is_file() for each in FASTCLUSTER):
        pytest.skip("fastcluster is installed without its tests; FASTCLUSTER_TESTS=DIR names them")
    found = run("fastcluster_driver", root, tmp_path / "outcomes", *FASTCLUSTER)
    check("fastcluster_driver", found, 3)
