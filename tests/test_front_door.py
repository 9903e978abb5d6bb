"""`import meshsim`: every name is there, comes late, and is known to type checkers."""

import ast
import subprocess
import sys

import pytest
from tools.paths import ROOT

import meshsim as ms

DOOR = ROOT / "meshsim" / "__init__.py"
PROMISED = [
    "run", "compare", "sweep", "simulate", "solve", "inverse", "explain", "realtime", "solvers", "reproduce",
    "listing", "bench", "load_robot", "load_machine", "load_scheme", "Plan", "kernel", "Machine", "LinkCosts", "record",
    "retime", "register", "MeshSimError", "__version__",
]  # fmt: skip


def declared():
    """What the block for type checkers hands out, with where it comes from."""
    tree = ast.parse(DOOR.read_text())
    (block,) = [node for node in tree.body if isinstance(node, ast.If) and isinstance(node.test, ast.Name)]
    found = {}
    for node in block.body:
        for alias in node.names:
            assert alias.asname == alias.name  # which is how a name is handed on
            found[alias.name] = node.module
    return found


def test_type_checkers_see_the_same_names():
    assert declared() == ms._MODULES


@pytest.mark.parametrize("name", sorted({*PROMISED, *ms._MODULES}))
def test_every_name_is_there(name):
    assert getattr(ms, name) is getattr(sys.modules[ms._MODULES[name]], name)
    assert name in dir(ms)


def test_what_is_not_there():
    assert not hasattr(ms, "rnu")
    with pytest.raises(AttributeError, match=r"^module 'meshsim' has no attribute 'rnu'$"):
        _ = ms.rnu


def test_the_door_opens_quickly():
    code = "import sys, meshsim; dir(meshsim); meshsim.__version__; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in done.stdout.split()}
    assert not loaded & {"numpy", "simpy", "networkx", "scipy", "matplotlib", "argparse"}
