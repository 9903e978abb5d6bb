"""Numbers shown as computed come from the run.

Every command runs with a dense reference that gives wrong numbers: what it tells as a difference from that reference
changes, and nothing else does, neither in what is printed nor in what is written. Then the arithmetic of the simulated
processors is made wrong instead, and every number that is told as computed changes.
"""

import shutil
import sys
import zlib
from decimal import Decimal

import numpy as np
import pytest
from tools.command import run_json

from meshsim.algorithms.reference import composite_body, dense, exact, loops, newton_euler
from meshsim.algorithms.reference.dense import Dynamics
from meshsim.algorithms.solvers.catalogue import dense_solution
from meshsim.counted import KERNELS
from meshsim.experiments.cli.main import VERBS

REFERENCES = (
    dense.forward_dynamics,
    loops.constrained_dynamics,
    loops.actuated_torques,
    loops.reactions,
    newton_euler.inverse_dynamics,
    newton_euler.free_torques,
    newton_euler.joint_wrenches,
    newton_euler.bias_force,
    composite_body.inertia_matrix,
    exact.exact_accelerations,
    dense_solution,
)
OFF = 1.37

OUTSIDE = {
    "example": "copies files",
    "list": "shows what there is",
    "bench": "measures this computer",
    "compile": "it makes the engine quicker and simulates nothing",
    "closed": "another name of run and simulate",
    "reproduce": "its exhibits are held against published numbers; see test_exhibits.py",
}
"""Commands that show no number of a simulated processor, or are walked elsewhere."""
SLOW = pytest.mark.slow
LONG = {"realtime"}
"""It looks for the longest chain that a machine keeps up with."""
STAR = ("--machine", "t800", "--option", "layout=star")
MOTION = ("--step", "0.01", "--duration", "0.03", "--out", "OUT")
COMMANDS = {
    "run": ("run", "wong-mesh", "--robot", "puma600", "--machine", "t800"),
    "run, reduced": ("run", "wong-mesh", "--robot", "puma600", "--lock", "joint4=0.5", "--machine", "t800"),
    "run, single": ("run", "wong-mesh", "--robot", "puma600", "--machine", "t800", "--precision", "single"),
    "run, springs": ("run", "penalty", "--robot", "3rrr", *STAR),
    "run, projection": ("run", "projection", "--robot", "3rrr", *STAR),
    "run, denoc": ("run", "denoc", "--robot", "3rrr", *STAR),
    "run, multipliers": ("run", "multipliers", "--robot", "3rrr", "--machine", "t800"),
    "run, elimination": ("run", "elimination", "--robot", "3rrr", "--machine", "t800"),
    "run, mesh with loops": ("run", "wong-mesh-loops", "--robot", "3rrr", "--machine", "t800"),
    "run, placed": ("run", "wong-mesh", "--robot", "puma600", "--machine", "t800", "--network", "ring:5"),
    "simulate": ("simulate", "wong-mesh", "--robot", "chain:3:1", "--profile", "1,2,3", "--machine", "t800", *MOTION),
    "simulate, adaptive": ("simulate", "one-wong", "--robot", "chain:2:1", "--machine", "t800", *MOTION[2:]),
    "simulate, loops": ("simulate", "projection", "--robot", "3rrr", "--profile", "1,2,3", *STAR, *MOTION),
    "simulate, denoc": ("simulate", "denoc", "--robot", "3rrr", "--profile", "1,2,3", *STAR, *MOTION),
    "simulate, placed": ("simulate", "projection", "--robot", "3rrr", *STAR, *MOTION, "--processors", "2"),
    "inverse": ("inverse", "noc", "--robot", "3prr", *STAR, "--samples", "3", "--out", "OUT"),
    "inverse, reactions": (
        *("inverse", "subsystems", "--robot", "scraper", "--machine", "t800", "--reactions"),
        *("--samples", "3", "--out", "OUT"),
    ),
    "inverse, subsystems": (
        *("inverse", "subsystems", "--robot", "scraper", "--machine", "t800", "--option", "layout=complete"),
        *("--samples", "3", "--out", "OUT"),
    ),
    "inverse, open": (
        *("inverse", "wong-mesh", "--robot", "stanford", "--machine", "t800", "--profile", "own", "--samples", "3"),
        *("--out", "OUT"),
    ),
    "compare": ("compare", "--n", "2", "--machine", "ideal", "--try", "default", "--jobs", "1", "--out", "OUT"),
    "compare, networks": (
        *("compare", "--n", "2", "--machine", "t800", "--try", "default", "--jobs", "1", "--out", "OUT"),
        *("--networks", "ring:3", "--placement", "blocks"),
    ),
    "compare, formats": (
        *("compare", "--n", "2", "--machine", "t800", "--try", "default", "--jobs", "1", "--out", "OUT"),
        *("--precision", "single,half"),
    ),
    "best": (
        *("best", "--robot", "chain:2:1", "--machine", "t800", "--schemes", "lee-chang,one-bae", "--rate", "1kHz"),
        *("--seconds", "inf", "--jobs", "1", "--out", "OUT"),
    ),
    "sweep": ("sweep", "SPEC", "--jobs", "1", "--out", "OUT"),
    "explain": ("explain", "wong-mesh", "lee-chang", "--robot", "chain:3:1", "--machine", "t800"),
    "place": ("place", "wong-mesh", "--robot", "chain:3:1", "--machine", "t800", "--network", "ring:3"),
    "stream": (
        *("stream", "wong-mesh", "--robot", "chain:2:1", "--machine", "t800", "--network", "own,ring:2"),
        *("--evaluations", "8", "--jobs", "1", "--out", "OUT"),
    ),
    "realtime": ("realtime", "wong-mesh", "--robot", "chain:3:1", "--machine", "t800", "--step", "0.01"),
    "solve": ("solve", "faddeev", "--system", "random:4:1", "--machine", "t800"),
    "watch": ("watch", "solve", "faddeev", "--system", "random:2:1", "--machine", "t800"),
    "solvers": ("solvers", "--n", "4"),
    "accuracy": (
        *("accuracy", "--n", "4", "--systems", "coil:N", "--schemes", "one-bae,lee-chang", "--jobs", "1"),
        *("--out", "OUT"),
    ),
}
HELD = ("run", "inverse", "compare", "best", "solve", "accuracy")
HELD_AGAINST_IT = {name for name in COMMANDS if name.startswith(HELD)}
"""Commands that tell differences from the reference."""
TOLD_OF_IT = {"error", "errors", "digits", "digits_M", "digits_h", "digits_qdd", "remarks"}
"""Where they stand."""
COMPUTED = {
    **dict.fromkeys(("run", "run, reduced", "run, placed"), ("M", "h", "qdd")),
    **dict.fromkeys(("run, springs", "run, projection", "run, denoc"), ("qdd",)),
    **dict.fromkeys(("run, multipliers", "run, mesh with loops"), ("qdd",)),
    **dict.fromkeys(("simulate, adaptive", "simulate", "simulate, loops", "simulate, denoc"), ("q", "qd", "qdd")),
    "simulate, placed": ("q", "qd", "qdd"),
    **dict.fromkeys(("inverse", "inverse, subsystems", "inverse, open"), ("torques", "tau")),
    "solve": ("x",),
    "watch": ("value",),
}
"""What each command tells as computed by the simulated processors; the others tell times alone."""
TOLD = {}
"""What was found of each command."""
SPEC = """schemes = ["wong-mesh", "one-wong"]
n = [3]
machine = "t800"
[grid]
add = [1, 2]
"""


def test_every_command_is_walked():
    assert set(VERBS) == {words[0] for words in COMMANDS.values()} | set(OUTSIDE)


@pytest.fixture
def wrong_reference(monkeypatch):
    """The dense reference gives other numbers, to all who ask for a comparison's sake."""

    def begin():
        for module in [each for name, each in sys.modules.items() if name.startswith("meshsim.") and each]:
            if ".reference" in module.__name__ or ".motion." in module.__name__:
                continue
            for name, thing in list(vars(module).items()):
                for reference in REFERENCES:
                    if thing is reference:
                        monkeypatch.setattr(module, name, other_numbers(reference))

    return begin


def other_numbers(function):
    """A function that is off."""
    return lambda *args, **settings: off(function(*args, **settings))


def off(value):
    """The same, with other numbers."""
    if isinstance(value, Dynamics):
        return Dynamics(*(None if each is None else off(each) for each in (value.M, value.h, value.qdd)))
    if isinstance(value, tuple):
        return tuple(map(off, value))
    if isinstance(value, list):
        return [Decimal(OFF) * each for each in value]
    return OFF * value if isinstance(value, float | np.ndarray) else value


@pytest.fixture
def wrong_arithmetic(monkeypatch):
    """Kernels give other numbers."""

    def begin():
        for kernel in KERNELS.values():
            monkeypatch.setattr(kernel, "function", slightly(kernel.function))

    return begin


def slightly(function):
    """A kernel that is off by some millionths, others by others."""
    factor = 1.0 + 1e-6 * (1 + zlib.crc32(function.__name__.encode()) % 89)

    def moved(value):
        if isinstance(value, tuple):
            return tuple(map(moved, value))
        return value * factor if isinstance(value, float) else value

    return lambda *args: moved(function(*args))


def leaves(thing, path=()):
    """Every number or word of an answer, by where it stands."""
    if isinstance(thing, dict):
        for key, value in thing.items():
            yield from leaves(value, (*path, key))
    elif isinstance(thing, list):
        for i, value in enumerate(thing):
            yield from leaves(value, (*path, i))
    else:
        yield path, thing


def walked(capsys, name, folder):
    """What a command prints, as JSON, and the tables that it writes."""
    shutil.rmtree(folder / "out", ignore_errors=True)
    (folder / "spec.toml").write_text(SPEC)
    named = {"OUT": str(folder / "out"), "SPEC": str(folder / "spec.toml")}
    words = [named.get(word, word) for word in COMMANDS[name]]
    found = {"printed": run_json(capsys, *words, "--quiet")}
    for path in sorted((folder / "out").glob("*.csv")):
        lines = path.read_text().splitlines()
        found[path.name] = [dict(zip(lines[0].split(","), line.split(","), strict=True)) for line in lines[1:]]
    return dict(leaves(found))


def changes(before, after):
    """Where two answers differ."""
    assert set(before) == set(after)
    return {path for path in before if before[path] != after[path]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where every command writes, since some tell it."""
    return tmp_path_factory.mktemp("walked")


@pytest.fixture
def before(capsys, folder, name):
    """What a command tells when nothing is wrong, found once."""
    if name not in TOLD:
        TOLD[name] = walked(capsys, name, folder)
    return TOLD[name]


@pytest.mark.parametrize("name", [pytest.param(each, marks=SLOW) if each in LONG else each for each in COMMANDS])
def test_no_number_is_the_references(capsys, folder, name, before, wrong_reference):
    wrong_reference()
    changed = changes(before, walked(capsys, name, folder))
    assert all(TOLD_OF_IT & set(path) for path in changed), changed
    assert bool(changed) == (name in HELD_AGAINST_IT)


@pytest.mark.parametrize("name", COMPUTED)
def test_every_number_is_the_processors(capsys, folder, name, before, wrong_arithmetic):
    wrong_arithmetic()
    changed = changes(before, walked(capsys, name, folder))
    told = {path for path in before if set(path) & set(COMPUTED[name]) and not set(path) & TOLD_OF_IT}
    same = {path for path in told - changed if before[path] not in (None, "", 0.0, "0.0")}
    first = {
        path for path in same if path[0] == "motion.csv" and not float(before[*path[:2], "t"]) and path[2] != "qdd"
    }
    assert told
    assert not same - first, same - first
