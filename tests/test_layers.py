"""Imports go one way only: meshsim <- topologies <- algorithms <- experiments."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LAYERS = ["meshsim", "topologies", "algorithms", "experiments"]


def imports(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield node.module.split(".")[0]


@pytest.mark.parametrize("layer", LAYERS)
def test_no_layer_imports_one_above_it(layer):
    files = sorted((ROOT / layer).glob("**/*.py"))
    assert files
    above = set(LAYERS[LAYERS.index(layer) + 1 :])
    for path in files:
        assert not above & set(imports(path)), path


def test_only_experiments_draw():
    for layer in LAYERS[:-1]:
        for path in (ROOT / layer).glob("**/*.py"):
            assert "matplotlib" not in set(imports(path)), path
