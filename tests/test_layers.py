"""Imports go one way only, from room to room and within the engine; there are no cycles, lazy imports included."""

import ast
from functools import cache
from itertools import pairwise

import networkx as nx
import pytest
from tools.paths import ROOT

LAYERS = ["meshsim", "topologies", "algorithms", "experiments"]
ROOMS = {
    "algorithms": ["types", "kernels", "robots", "reference", "solvers", "collectives", "schemes", "motion"],
    "algorithms/schemes": [
        "base",
        "mesh",
        "rivals",
        "one",
        "branch",
        "logarithmic",
        "loops",
        "catalogue.py",
        "takers.py",
    ],
    "experiments": ["store", "traces", "studies", "figures", "pages", "exhibits", "reports", "front", "cli"],
}
"""Each may import what stands before it."""
DOORS = [ROOT / "meshsim" / name for name in ("__init__.py", "__main__.py")]
"""`import meshsim` and `python -m meshsim`."""


def module_of(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    name = ".".join(parts if parts[0] == "meshsim" else ("meshsim", *parts))
    return name.removesuffix(".__init__")


FILES = {module_of(path): path for layer in LAYERS for path in sorted((ROOT / layer).glob("**/*.py"))}


@cache
def nodes(path):
    return [*ast.walk(ast.parse(path.read_text()))]


@cache
def imports(path):
    """Every module that a file imports, at once, later or by `imported`; names of modules in place of their folders."""
    found = []
    for node in nodes(path):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            found += [name if name in FILES else node.module for name in inner]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found += [module for module, colon, _ in [node.value.partition(":")] if colon and module in FILES]
    return found


def place(path):
    """Which layer and which rooms a file stands in, as numbers to compare; the two doors stand above all."""
    inner = path.relative_to(ROOT)
    if path in DOORS:
        return [len(LAYERS)]
    places = [LAYERS.index(inner.parts[0])]
    for depth in range(1, len(inner.parts)):
        rooms = ROOMS.get("/".join(inner.parts[:depth]))
        if rooms is None or inner.parts[depth] == "__init__.py":
            break
        places.append(rooms.index(inner.parts[depth]))
    return places


@pytest.mark.parametrize("layer", LAYERS)
def test_no_module_imports_one_of_a_room_above(layer):
    files = {name: path for name, path in FILES.items() if path.relative_to(ROOT).parts[0] == layer}
    assert files
    for path in files.values():
        for name in imports(path):
            if name in FILES and name != "meshsim":  # which has a file and a path, and is not asked for more
                own, other = place(path), place(FILES[name])
                depth = min(len(own), len(other))
                assert other[:depth] <= own[:depth], f"{path.relative_to(ROOT)} imports {name}"


def test_no_module_imports_itself_in_the_end():
    graph = nx.DiGraph((name, each) for name, path in FILES.items() for each in imports(path) if each in FILES)
    graph.remove_nodes_from([name for name, path in FILES.items() if path.name == "__init__.py"])
    cycles = [" -> ".join(edge[0] for edge in [*pairwise(cycle)]) for cycle in nx.simple_cycles(graph)]
    assert cycles == []


def test_nothing_of_ours_comes_through_the_front_door():
    for path in FILES.values():
        for node in nodes(path):
            if isinstance(node, ast.ImportFrom) and node.module == "meshsim":
                assert {f"meshsim.{alias.name}" for alias in node.names} <= set(FILES), path
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "meshsim":
                assert node.attr in ("__file__", "__path__") or f"meshsim.{node.attr}" in FILES, path


def test_only_experiments_draw():
    for path in FILES.values():
        if path.relative_to(ROOT).parts[0] != "experiments":
            assert "matplotlib" not in {name.split(".")[0] for name in imports(path)}, path


def test_nothing_is_imported_by_the_names_of_folders():
    for path in [*FILES.values(), *(ROOT / "tests").glob("**/*.py")]:
        assert not {name.split(".")[0] for name in imports(path)} & set(LAYERS[1:]), path
