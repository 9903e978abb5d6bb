"""A scheme, a solver, a network, a robot, a machine and a verb of a user's own, by public names alone."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tools.command import call, run_json

import meshsim as ms
from meshsim.catalogue import Catalogue, instances

ROOT = Path(__file__).parents[1]
MINE = '''
from dataclasses import replace

import networkx as nx

import meshsim as ms
from meshsim.algorithms.solvers.base import SolverArray


@ms.kernel(mul=1, add=1)
def my_minus_product(y: float, a: float, x: float) -> float:
    """y - a x."""
    return y - a * x


@ms.kernel(div=1)
def my_quotient(a: float, b: float) -> float:
    """a / b."""
    return a / b


def my_fan(n: int) -> nx.MultiGraph:
    """A host, and n processors around it."""
    fan = nx.MultiGraph()
    fan.add_node("host")
    for i in range(n):
        fan.add_edge("host", i, ports={"host": f"in{i}", i: "out"})
    return fan


def column(cpu, row):
    """out <- a column."""
    yield cpu.send("out", tuple(row))


def host(cpu, n):
    """in0 .. in{n} -> columns of A, and b; Gauss and Jordan's elimination."""
    columns = []
    for i in range(n + 1):
        columns.append(list((yield cpu.recv(f"in{i}"))))
    for k in range(n):
        for j in range(k + 1, n + 1):
            columns[j][k] = cpu.do(my_quotient, columns[j][k], columns[k][k])
            for i in range(n):
                if i != k:
                    columns[j][i] = cpu.do(my_minus_product, columns[j][i], columns[k][i], columns[j][k])
        cpu.phase("first_unknown" if k < n - 1 else "last_unknown")
    if n == 1:
        cpu.phase("first_unknown")
    return columns[n]


def my_array(n: int) -> SolverArray:
    cells = {i: column for i in range(n + 1)} | {"host": lambda cpu: host(cpu, n)}
    return SolverArray(my_fan(n + 1), cells, tuple(range(n + 1)), "host")


MY_SOLVER = ms.Solver("my-gauss", "all on one processor", my_array, lambda A: None)
MY_SCHEME = replace(ms.load_scheme("one-wong"), name="my-scheme", summary="the thesis's, under another name")
MY_MACHINE = ms.Machine(
    "my-machine", 100, {"mul": 3, "add": 2, "div": 9, "sqrt": 9, "sincos": 20}, ms.LinkCosts("rendezvous", 7, 5)
)


def my_arm() -> ms.Mechanism:
    return replace(ms.load_robot("chain:3:7"), name="my-arm")
'''
NAMES = {"scheme": "my-scheme", "solver": "my-gauss", "machine": "my-machine", "robot": "my-arm", "network": "my-fan"}


pytestmark = pytest.mark.usefixtures("forgotten")


@pytest.fixture
def mine(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(MINE)
    return path


def test_objects_of_a_file_by_the_command_line(mine, capsys):
    run = ("run", f"{mine}:MY_SCHEME", "--robot", f"{mine}:my_arm", "--machine", f"{mine}:MY_MACHINE")
    answer = run_json(capsys, *run, "--option", f"solver={mine}:MY_SOLVER")
    assert (answer["scheme"], answer["robot"], answer["machine"]) == ("my-scheme", "my-arm", "my-machine")
    assert answer["options"]["solver"] == f"{mine}:MY_SOLVER"
    assert max(answer["error"].values()) < 1e-12
    solved = run_json(capsys, "solve", f"{mine}:MY_SOLVER", "--system", "random:4:1", "--machine", f"{mine}:MY_MACHINE")
    assert (solved["method"], solved["processors"]) == ("my-gauss", 6)
    assert solved["error"] < 1e-14
    assert solved["operations"]["mul"] == solved["operations"]["add"] == 3 * (4 + 3 + 2 + 1)


def test_registered_things_go_by_name(mine, capsys):
    things = {}
    exec(compile(MINE, str(mine), "exec"), things)
    for key in ("MY_SCHEME", "MY_SOLVER", "MY_MACHINE", "my_arm", "my_fan"):
        assert ms.register(things[key]) is things[key]
    found = ms.run("my-arm", "my-scheme", "my-machine", solver="my-gauss")
    assert found.title.endswith("solver=my-gauss: my-arm on my-machine, 6 processors")
    mesh = ms.run("my-arm", "wong-mesh", "my-machine", solver="my-gauss")
    assert np.allclose(mesh.value.qdd, found.value.qdd, rtol=1e-12)
    listed = ms.listing().to_dict()
    for kind, name in NAMES.items():
        assert name in listed[f"{kind}s"]
    assert listed["networks"]["my-fan"] == "A host, and n processors around it.; --network my-fan:N"
    assert "unknown scheme 'nobody'; known: wong-mesh, " in (err := call(capsys, *RUN_NOBODY)[2])
    assert "my-scheme" in err


RUN_NOBODY = ("run", "nobody", "--robot", "puma600", "--machine", "ideal")


def test_comparisons_and_sweeps_take_them(mine, tmp_path, capsys):
    words = ("--schemes", f"wong-mesh,{mine}:MY_SCHEME", "--machine", f"ideal,{mine}:MY_MACHINE", "--n", "2,3")
    status, out, _ = call(capsys, "compare", *words, "--out", tmp_path / "compared", "--jobs", "2", "--json")
    assert status == 0
    rows = json.loads(out)["rows"]
    assert len(rows) == 8
    alone = ms.compare(["one-wong"], ["ideal", f"{mine}:MY_MACHINE"], n=[2, 3], out=tmp_path / "alone", jobs=1).rows()
    same = [row for row in rows if row["scheme"] == f"{mine}:MY_SCHEME"]
    assert [row["ticks"] for row in same] == [row["ticks"] for row in alone]
    (tmp_path / "spec.toml").write_text(
        'schemes = ["mine.py:MY_SCHEME", "one-wong"]\nrobots = ["mine.py:my_arm"]\nmachine = "mine.py:MY_MACHINE"\n'
        "[grid]\nmul = [1, 2]\n"
    )
    swept = ms.sweep(tmp_path / "spec.toml", out=tmp_path / "swept", jobs=2).rows()
    assert [row["scheme"] for row in swept] == ["mine.py:MY_SCHEME"] * 2 + ["one-wong"] * 2
    assert [row["ticks"] for row in swept[:2]] == [row["ticks"] for row in swept[2:]]


def test_a_file_that_changed_is_read_again(mine, tmp_path, capsys):
    run = ("run", "one-wong", "--robot", "chain:2:1", "--machine", f"{mine}:MY_MACHINE")
    before = run_json(capsys, *run)["ticks"]
    compare = ("compare", "--schemes", f"{mine}:MY_SCHEME", "--machine", "ideal", "--n", "2", "--jobs", "1")
    assert call(capsys, *compare, "--out", tmp_path / "out")[0] == 0
    mine.write_text(MINE.replace('"mul": 3', '"mul": 30'))
    assert run_json(capsys, *run)["ticks"] > before
    assert "holds other work, or results of another version" in call(capsys, *compare, "--out", tmp_path / "out")[2]


MISTAKES = [
    ("{mine}:NOTHING", "mine.py must define 'NOTHING'; it defines replace, nx, ms, "),
    ("{mine}:MY_SOLVER", "mine.py:MY_SOLVER must be a scheme, not Solver"),
    ("{folder}/none.py:X", "none.py' must be a readable file, not one that fails with: No such file or directory"),
    ("{folder}/broken.py:X", "broken.py cannot be run: ZeroDivisionError: division by zero"),
    ("{folder}/letters.py:X", "letters.py cannot be run: SyntaxError: "),
]


@pytest.mark.parametrize(("text", "message"), MISTAKES)
def test_mistakes_in_files_are_told_in_one_line(mine, tmp_path, capsys, text, message):
    (tmp_path / "broken.py").write_text("X = 1 / 0")
    (tmp_path / "letters.py").write_text("X = (")
    scheme = text.format(mine=mine, folder=tmp_path)
    status, out, err = call(capsys, "run", scheme, "--robot", "puma600", "--machine", "ideal")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert message in err


def test_what_cannot_be_registered():
    def plain(n):
        return n

    with pytest.raises(ms.MeshSimError, match=r"^the name of a scheme must be new, not 'hwang', which is built in$"):
        ms.register(ms.load_scheme("hwang"))
    with pytest.raises(ms.MeshSimError, match=r"^what is registered must be a Scheme, Solver, Machine or Mechanism"):
        ms.register(plain)
    with pytest.raises(ms.MeshSimError, match=r"^kind must be scheme, solver, robot, machine, network, not 'thing'$"):
        ms.register(plain, kind="thing")
    with pytest.raises(ms.MeshSimError, match=r"must be a solver, not function$"):
        ms.register(plain, kind="solver")
    ms.register(lambda: 3, kind="robot", name="no robot")
    with pytest.raises(ms.MeshSimError, match=r"^no robot must make a robot \(a Mechanism\), not int$"):
        ms.load_robot("no robot")
    with pytest.raises(ms.MeshSimError, match=r"^a number must have a name, and 3 has none$"):
        Catalogue("number", {}, instances(int)).add(3)


# Installed packages


@pytest.fixture
def installed(tmp_path):
    """A folder with a package and its entry points, as an installer leaves them."""
    (tmp_path / "my_package.py").write_text(
        MINE + "\n\ndef add(parsers):\n    parser = parsers.add_parser('greet')\n"
        "    parser.add_argument('--quiet', action='store_true')\n"
        "    parser.set_defaults(function=lambda arguments: print('hello'))\n"
    )
    (tmp_path / "my_other.py").write_text(
        "import my_package as mine, meshsim as ms\nms.register(mine.MY_MACHINE, 'other')"
    )
    info = tmp_path / "my_package-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-package\nVersion: 1.0\n")
    things = "".join(
        f"{name.lower()} = my_package:{name}\n" for name in ("MY_SCHEME", "MY_SOLVER", "MY_MACHINE", "my_arm", "my_fan")
    )
    (info / "entry_points.txt").write_text(
        f"[meshsim]\n{things}other = my_other\nlost = my_package:LOST\n\n[meshsim.verbs]\ngreet = my_package:add\n"
    )
    path = os.pathsep.join([str(ROOT), str(tmp_path)])

    def meshsim(*words):
        command = [sys.executable, "-m", "meshsim", *words]
        return subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True)

    return meshsim


def test_installed_packages_are_found_when_needed(installed):
    listed = installed("list", "--json")
    found = json.loads(listed.stdout)
    for kind, name in NAMES.items():
        assert name in found[f"{kind}s"]
    assert "other" in found["machines"]
    assert listed.stderr.startswith("the installed 'lost' (my_package:LOST) cannot be loaded (AttributeError: ")
    assert listed.stderr.count("\n") == 1
    words = (
        "run",
        "my-scheme",
        "--robot",
        "my-arm",
        "--machine",
        "my-machine",
        "--option",
        "solver=my-gauss",
        "--json",
    )
    done = installed(*words)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["scheme"] == "my-scheme"
    assert installed("greet").stdout == "hello\n"
    lost = installed("run", "nobody", "--robot", "puma600", "--machine", "ideal")
    assert lost.returncode == 2
    assert "unknown scheme 'nobody'; known: " in lost.stderr
    assert "the installed 'lost' (my_package:LOST) cannot be loaded" in lost.stderr
