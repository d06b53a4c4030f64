"""What tests of commands share."""

import pytest

from chamfer import cli
from command_line import IRIS


@pytest.fixture
def iris(tmp_path, monkeypatch):
    """A folder with iris.csv, which has a name and a species for each flower; commands run in it."""
    frame = IRIS.data.rename(columns=lambda name: name.removesuffix(" (cm)").replace(" ", "_"))
    frame.insert(0, "name", [f"flower {i}" for i in range(150)])
    frame["species"] = IRIS.target_names[IRIS.target]
    frame.to_csv(tmp_path / "iris.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return frame


@pytest.fixture
def command(capsys):
    """Run a command; gives its exit code, standard output and standard error."""

    def run(line, *more):
        try:
            code = cli.main([*line.split(), *map(str, more)])
        except SystemExit as stop:  # argparse leaves this way
            code = stop.code
        return (code, *capsys.readouterr())

    return run
