"""Data flows one way: nothing upstream imports anything downstream, and no module imports itself in a circle."""

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import chamfer

ROOT = Path(chamfer.__file__).parent
BASE = "units _types progress memory tuning _core"
# What each may import beside itself.
MAY_IMPORT = {
    "units": "_core",
    "_types": "units",
    "progress": "",
    "memory": "",
    "tuning": "",
    "_core": "",
    "arrays": "units",
    "sparse": "_types arrays units",
    "inputs": "_types _core arrays sparse",
    "mapped": "units _types memory tuning arrays inputs",
    "edges": "_types _core inputs",
    "constraints": "_types _core inputs edges",
    "methods": "_types",
    "threads": "inputs",
    "distances": f"{BASE} arrays inputs threads",
    "sources": f"{BASE} inputs threads distances",
    "engines": f"{BASE} constraints methods distances sources",
    "trees": f"{BASE} inputs threads distances sources",
    "nearest": f"{BASE} arrays inputs threads sources trees",
    "folding": f"{BASE} constraints distances engines",
    "hac": f"{BASE} inputs mapped edges constraints threads methods distances sources engines nearest folding",
    "many": f"{BASE} inputs threads methods distances engines hac",
    "resampling": f"{BASE} inputs threads sources hac trees",
    "assignment": f"{BASE} arrays inputs distances sources",
    "prediction": "_types _core arrays inputs threads assignment",
    "estimator": f"{BASE} inputs edges methods prediction sources hac trees",
    "features": f"{BASE} inputs estimator",
    "transformer": f"{BASE} inputs threads distances sources nearest",
    "datasets": BASE,
    "projection": "_types inputs",
    "plot": f"{BASE} inputs methods hac trees projection",
    "explorer": f"{BASE} inputs trees projection",
    "compat": f"{BASE} inputs edges hac trees estimator features plot",
}
ON_TOP = {"cli", "__main__", "__init__"}  # may import everything; nobody else imports them


def imports(file):
    """Modules of the package that a file imports, wherever it does so."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names if each.name.startswith("chamfer."))
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "chamfer":
            for each in node.names:
                name = f"{node.module}.{each.name}"
                yield name if path_of(name) else node.module


def path_of(name):
    parts = name.split(".")[1:]
    if parts == ["_core"]:
        return ROOT  # compiled, whatever its file is called
    files = (ROOT.joinpath(*parts).with_suffix(".py"), ROOT.joinpath(*parts, "__init__.py"))
    return next((file for file in files if parts and file.exists()), None)


def modules():
    for file in ROOT.rglob("*.py"):
        yield file, ".".join(("chamfer", *file.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__")


def test_layers():
    wrong = []
    for file, name in modules():
        own = file.relative_to(ROOT).parts[0].removesuffix(".py")
        for found in imports(file):
            other = [*found.split("."), "__init__"][1]
            if own not in ON_TOP and other not in (own, *MAY_IMPORT[own].split()):
                wrong.append(f"{name} imports {found}")
    assert not wrong


def test_no_module_imports_itself_in_a_circle():
    graph = {name: set(imports(file)) - {"chamfer"} for file, name in modules() if name != "chamfer"}
    list(TopologicalSorter(graph).static_order())
    assert len(graph) > 50
