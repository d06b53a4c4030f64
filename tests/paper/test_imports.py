"""The reproduction uses public names of chamfer only."""

import ast
from pathlib import Path

import chamfer

PAPER = Path(__file__).parent.parent.parent / "paper"
PUBLIC = {*chamfer.__all__, "__version__"}


def test_only_public_names_are_used():
    files = sorted(PAPER.glob("*.py"))
    assert len(files) > 10
    for file in files:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("chamfer"):
                assert node.module == "chamfer.datasets", file
                assert {each.name for each in node.names} <= set(dir(chamfer.datasets)), file
            elif isinstance(node, ast.Import):
                assert not any(each.name.startswith("chamfer.") for each in node.names), file
            elif isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "chamfer":
                assert node.attr in PUBLIC, file
