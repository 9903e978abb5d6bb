"""The bench measures the same work done several ways, and tells medians with their spreads."""

import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from contextlib import suppress
from itertools import count, islice

import networkx as nx
import pytest
from tools.paths import ROOT

import meshsim as ms
from meshsim import lanes, native
from meshsim.algorithms.kernels.core import axpy
from meshsim.algorithms.robots.catalogue import chain
from meshsim.algorithms.robots.state import default_state
from meshsim.algorithms.schemes.catalogue import SCHEMES
from meshsim.errors import MeshSimError, MeshSimWarning
from meshsim.experiments.cli import entry
from meshsim.experiments.cli.main import main
from meshsim.experiments.front import bench as front
from meshsim.experiments.studies.bench import apart, compiled_arithmetic, growth, measuring, mesh, retiming, systolic
from meshsim.experiments.studies.bench.arithmetic import written
from meshsim.experiments.studies.bench.measuring import Bench, Figure, measure
from meshsim.experiments.studies.bench.peers import running as peers
from meshsim.experiments.studies.bench.plain import Plain
from meshsim.presets import PRESETS

# Both sides do the same


def test_both_ways_compute_the_same(monkeypatch):
    monkeypatch.setattr(systolic, "STEPS", 7)
    ours = systolic.systolic_plan(4).run(systolic.SYSTOLIC, trace=False)
    assert ours.value == systolic.run_plain(4)
    assert ours.messages == systolic.messages_of(4) == 2 * 4 * 3 * 7
    assert systolic.SYSTOLIC.price(axpy) == systolic.COMPUTE
    assert systolic.SYSTOLIC.links.wire(1) == systolic.WIRE


def test_plain_simpy_computes_the_same():
    robot = chain(4, 4)
    for name in ("wong-mesh", "hwang"):
        plan = SCHEMES[name].plan(robot, default_state(robot))
        plain = plan.answer(Plain(PRESETS["t800"]))
        assert (plain.qdd == plan.run(PRESETS["t800"], trace=False).value.qdd).all()


def test_re_timing_is_compiled_where_it_is_told_to_be(monkeypatch):
    monkeypatch.setattr(lanes, "available", lambda: True)
    before = lanes.WORTH
    for sums, pays in ((retiming.ALWAYS, True), (retiming.NEVER, False)):
        with retiming.compiled_from(sums):
            assert lanes.pays(0) is pays
    assert before == lanes.WORTH


# Repeats


def test_medians_and_spreads_are_of_the_repeats(monkeypatch):
    monkeypatch.setattr(measuring, "SECONDS", 0.0)
    ended = []

    def measurement():
        try:
            for value in (3.0, 100.0, 1.0, 2.0, 5.0, 7.0):
                yield {"a.b": value, "a.same": 4.0}
        finally:
            ended.append(True)

    five = {"a.b": Figure(3.0, 3.0), "a.same": Figure(4.0, 0.0)}
    assert measure("a", measurement).figures == five
    assert ended == [True]
    assert measure("short", lambda: (each for each in islice(measurement(), 3))).figures["a.b"] == Figure(3.0, 49.5)
    assert measure("nothing", lambda: (each for each in ())).figures == {}


def test_what_is_quick_is_repeated_more_often(monkeypatch):
    clock = count()
    monkeypatch.setattr(measuring, "_own", lambda: 0.01 * next(clock))
    turns = []

    def measurement():
        for turn in count():
            turns.append(turn)
            yield {}

    measure("quick", measurement)
    assert len(turns) >= 2.0 / 0.01 / 2


def test_figures_differ_when_they_are_further_apart_than_their_spreads():
    assert Figure(10.0, 1.0).differs(Figure(12.5, 1.0))
    assert not Figure(10.0, 1.0).differs(Figure(12.5, 2.0))
    assert Figure(8.0, 0.0).differs(Figure(9.0, 0.0))


@pytest.fixture
def one_bench(monkeypatch):
    """Instead of all that is measured, something quick."""
    figures = {"mesh.2.seconds": 0.25, "mesh.2.messages": 8}
    measurements = {"mesh 2": lambda: iter_of(figures), "mesh 3": lambda: iter_of({"mesh.3.seconds": 0.5})}
    monkeypatch.setattr(measuring, "SECONDS", 0.0)
    monkeypatch.setattr(front, "BENCHES", {"mesh": Bench("A step.", measurements)})
    monkeypatch.setattr(front, "PAGE", Bench("A page.", {}))
    return measurements


def iter_of(figures):
    while True:
        yield figures


@pytest.mark.usefixtures("one_bench")
def test_others_make_figures_doubtful(monkeypatch):
    busy = count()
    monkeypatch.setattr(measuring, "_all", lambda: 1e6 * next(busy))
    with pytest.warns(MeshSimWarning, match=r"figures of mesh [23] are doubtful: meanwhile others kept \d"):
        assert ms.bench("mesh").others["mesh 2"] > 1.0
    monkeypatch.setattr(measuring, "_all", lambda: None)  # where nobody can tell
    assert ms.bench("mesh").others == {}


# What is told


@pytest.mark.usefixtures("one_bench")
def test_json_is_flat_and_is_read_again(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(measuring, "_all", lambda: 0.0)
    assert main(["bench", "--json"]) == 0
    printed = capsys.readouterr().out
    found = json.loads(printed)
    assert (found["mesh.2.seconds"], found["mesh.2.seconds.spread"], found["others.mesh 2"]) == (0.25, 0.0, 0.0)
    assert found["version.meshsim"] == ms.__version__
    assert found["cpu"]
    assert all(isinstance(value, str | int | float) for value in found.values())
    (tmp_path / "all.json").write_text(printed)
    assert ms.bench(figures=tmp_path / "all.json").to_dict() == found


@pytest.mark.usefixtures("one_bench")
def test_comparing(tmp_path, capsys, monkeypatch):
    old = {"cpu": "another", "version.meshsim": "0.0.1"}
    old |= {"mesh.2.seconds": 0.5, "mesh.2.seconds.spread": 0.2, "mesh.2.messages": 9, "mesh.2.messages.spread": 0}
    old |= {"gone.1": 1234567.0, "gone.1.spread": 0.0}
    (tmp_path / "old.json").write_text(json.dumps(old))
    monkeypatch.setattr(measuring, "_all", lambda: 0.0)
    words = ["bench", "--compare", str(tmp_path / "old.json")]
    assert main(words) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()[1:]]
    assert lines[1:3] == [
        ["mesh.2.seconds", "0.5", "0.25", "0.500", "differs"],
        ["mesh.2.messages", "9", "8", "0.889", "differs"],
    ]
    assert " ".join(lines[3]) == "2 of 2 figures differ by more than their spreads together"
    assert " ".join(lines[4]) == "on one side only: 2 figures"
    assert " ".join(lines[5]).startswith("not the same: cpu, processors, engine, version.meshsim")
    assert main([*words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["mesh.2.seconds.old"], found["mesh.2.seconds.new_over_old"]) == (0.5, 0.5)
    assert found["mesh.2.seconds.differs"] is True
    assert (found["mesh.3.seconds"], "mesh.3.seconds.old" in found) == (0.5, False)


@pytest.mark.usefixtures("one_bench")
@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "cannot read '{path}': No such file or directory"),
        ("{", "'{path}' must be what meshsim bench --json prints: a JSON object, and not something else"),
        ("[1]", "'{path}' must be what meshsim bench --json prints: a JSON object, and not something else"),
        ('{"a": 1}', "prints: figures with their spreads, not an object without any"),
        ('{"a": "1", "a.spread": 0}', "prints: a must be a finite number, not '1'"),
        ('{"a": NaN, "a.spread": 0}', "prints: a must be a finite number, not nan"),
        ('{"a.spread": 0}', "prints: a must be a finite number, not None"),
        ('{"a": 1, "a.spread": -1}', "prints: a.spread must be 0 or more, not -1"),
        (f'{{"a": 1{"0" * 400}, "a.spread": 0}}', f"prints: a must be a finite number, not 1{'0' * 39}"),
    ],
)
def test_files_that_are_no_figures_are_refused(text, message, tmp_path, capsys):
    path = tmp_path / "old.json"
    if text is not None:
        path.write_text(text)
    for option in ("--compare", "--figures"):
        assert main(["bench", option, str(path)]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert err.strip().endswith(message.format(path=path))


@pytest.mark.usefixtures("one_bench")
def test_a_page_of_figures(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(measuring, "_all", lambda: 0.0)
    page = tmp_path / "page.md"
    assert main(["bench", "--page", str(page)]) == 2
    page.write_text("# Mine\n")
    assert main(["bench", "--page", str(page)]) == 2
    assert "must have the lines <!-- figures --> and <!-- end of figures -->" in capsys.readouterr().err
    page.write_text("# Mine\n\n<!-- figures -->\nold\n<!-- end of figures -->\n\nThe end.\n")
    for _ in range(2):  # what is written can be written again
        assert main(["bench", "--page", str(page)]) == 0
        text = page.read_text()
        assert text.startswith("# Mine\n\n<!-- figures -->\n\n| measured on | |\n")
        assert text.endswith("\n<!-- end of figures -->\n\nThe end.\n")
        assert (
            "\n## mesh\n\nA step.\n\n| | seconds | messages |\n|---|---|---|\n| 2 | 0.25 | 8 |\n| 3 | 0.5 |  |\n"
            in text
        )
        assert "old" not in text


def test_the_performance_page_has_every_bench():
    text = (ROOT / "docs/performance.md").read_text()
    found = re.findall(r"^## (\S+)$", text.partition("<!-- figures -->")[2], flags=re.MULTILINE)
    assert set(front.known()) - set(found) <= {*front.CORES, "peers"}  # which are not installed everywhere


def test_an_interrupt_leaves_what_was_finished(one_bench, capsys, monkeypatch):
    def interrupted():
        raise KeyboardInterrupt
        yield

    one_bench["mesh 3"] = interrupted
    monkeypatch.setattr(measuring, "_all", lambda: 0.0)
    monkeypatch.setattr(sys, "argv", ["meshsim", "bench", "--json"])
    assert entry.main() == 130
    out, err = capsys.readouterr()
    assert json.loads(out)["mesh.2.seconds"] == 0.25
    assert err == "meshsim: interrupted; not measured: mesh 3\n"
    one_bench["mesh 2"] = interrupted
    with pytest.raises(KeyboardInterrupt):
        ms.bench("mesh")


def test_what_cannot_be_measured_is_left_out(one_bench, monkeypatch):
    def refused():
        raise MeshSimError("too large")
        yield

    one_bench["mesh 2"] = refused
    monkeypatch.setattr(measuring, "_all", lambda: 0.0)
    with pytest.warns(MeshSimWarning, match="mesh 2 is left out: too large"):
        assert list(ms.bench("mesh").figures) == ["mesh.3.seconds"]
    del one_bench["mesh 3"]
    with pytest.raises(MeshSimError, match="too large"):
        ms.bench("mesh")


# Growth and memory


def test_exponents_are_fitted_over_large_sizes():
    assert growth.exponent({4: 1e6, 8: 0.0, 16: 16.0**3, 32: 32.0**3, 64: 64.0**3}) == pytest.approx(3.0)


def test_something_is_measured_apart():
    found = apart.apart("traced", 16)
    assert found["messages"] == mesh.mesh_plan(16).run(mesh.MACHINE, trace=False).messages
    assert found["seconds"] > 0.0
    assert found["bytes"] > 50 * found["messages"]  # several times and places of each are kept
    with pytest.raises(MeshSimError, match=r"sorting of size 4 cannot be measured: KeyError: 'sorting'"):
        apart.apart("sorting", 4)


# Peers


def test_what_loggopsim_is_given_ends_when_it_should(monkeypatch):
    """The longest path through it: without overheads a message takes what it takes on our wire."""
    monkeypatch.setattr(systolic, "STEPS", 4)
    size = 3
    graph, ends, rank = nx.DiGraph(), {}, None
    for line in "".join(peers.goal(size)).splitlines():
        words = line.split()
        if words[0] == "rank":
            rank = int(words[1])
        elif words[1:2] == ["requires"]:
            graph.add_edge((rank, words[2]), (rank, words[0]), ticks=graph.nodes[rank, words[2]]["ticks"])
        elif words[0].endswith(":"):
            label = (rank, words[0][:-1])
            graph.add_node(label, ticks=int(words[2]) if words[1] == "calc" else 0)
            if words[1] != "calc":
                way = (rank, int(words[4])) if words[1] == "send" else (int(words[4]), rank)
                ends.setdefault((*way, words[6], words[1]), []).append(label)
    for (*way, kind), labels in ends.items():
        if kind == "send":
            for one, other in zip(labels, ends[(*way, "recv")], strict=True):
                graph.add_edge(one, other, ticks=systolic.WIRE)
    last = (size * size - 1, "c3")
    longest = nx.dag_longest_path_length(graph.subgraph({last} | nx.ancestors(graph, last)), "ticks")
    hops = 2 * (size - 1)
    assert longest + systolic.COMPUTE == hops * (systolic.COMPUTE + systolic.WIRE) + 4 * systolic.COMPUTE


def test_what_simgrid_is_given_is_the_array():
    zone = ElementTree.fromstring("".join(peers.platform(3)))[0]
    routes = {(each.get("src"), each.get("dst")): each[0].get("id") for each in zone.iter("route")}
    mesh_of_three = systolic.square_mesh(3, 3)
    assert set(routes) == {(f"{a}-{b}", f"{c}-{d}") for (a, b), (c, d) in map(sorted, mesh_of_three.edges())}
    assert sorted(routes.values()) == sorted(each.get("id") for each in zone.iter("link"))
    assert len(list(zone.iter("host"))) == 9


def test_peers_that_are_installed_are_measured(monkeypatch, capsys):
    """SimGrid's finish and sums are held against ours whenever it is measured."""
    monkeypatch.setattr(systolic, "STEPS", 5)
    figures = {}
    with suppress(MeshSimError):  # none is installed
        figures = next(peers.peers(sizes=(2,)))
    told = capsys.readouterr().err
    for name, words in {"simgrid-cpp": "in C++", "simgrid-python": "in Python", "loggopsim": "LogGOPSim is"}.items():
        assert (f"peers.2.{name}.ratio" in figures) is (words not in told)


def test_peers_of_which_none_is_installed_are_refused(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setattr(peers, "find_spec", lambda _: None)
    with pytest.raises(MeshSimError, match=r"^SimGrid or LogGOPSim must be installed to be measured$"):
        next(peers.peers(sizes=(2,)))


def test_a_peer_on_the_path_is_run(tmp_path, monkeypatch, capsys):
    """Programs that take LogGOPSim's arguments stand in for it: they count what they are given."""
    programs = {
        "txt2bin": "source, target = sys.argv[2], sys.argv[4]\nopen(target, 'w').write(open(source).read())",
        "LogGOPSim": "assert open(sys.argv[-1]).read().count('send') == 20, sys.argv\nsum(range(10**6))",
    }
    for name, text in programs.items():
        (tmp_path / name).write_text(f"#!{sys.executable}\nimport sys\n{text}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setattr(peers, "find_spec", lambda _: None)
    monkeypatch.setattr(systolic, "STEPS", 5)
    figures = next(peers.peers(sizes=(2,)))
    assert list(figures) == [
        "peers.2.meshsim.messages_per_s",
        "peers.2.loggopsim.messages_per_s",
        "peers.2.loggopsim.ratio",
    ]
    assert figures["peers.2.loggopsim.ratio"] > 0.0
    assert capsys.readouterr().err.splitlines() == [
        "peers: SimGrid in C++ is left out: there is no C++ compiler",
        "peers: SimGrid in Python is left out: there is no module simgrid",
    ]
    monkeypatch.setattr(systolic, "STEPS", 4)  # the stand-in then fails
    with pytest.raises(MeshSimError, match=r"LogGOPSim failed: AssertionError: "):
        next(peers.peers(sizes=(2,)))


@pytest.mark.skipif(not native.compiler(), reason="no C compiler is installed")
def test_compiled_arithmetic_is_set_beside_python_and_pinocchio(monkeypatch, tmp_path):
    monkeypatch.setattr(native, "_folder", lambda: tmp_path)
    monkeypatch.setattr(compiled_arithmetic, "SECONDS", 0.01)
    measured = {
        "one-featherstone.compiled_": compiled_arithmetic.call_of_tree("one-featherstone"),
        "multipliers.3rrr.compiled_": compiled_arithmetic.call_of_loops("3rrr"),
        "wong-mesh.step_": compiled_arithmetic.whole_step(),
    }
    for name, measurement in measured.items():
        figures = next(measurement)
        assert list(figures) == [f"written.{name}{kind}" for kind in ("us", "ratio")]
        assert figures[f"written.{name}ratio"] > 1.0
    assert next(compiled_arithmetic.articulated_bodies())["written.pinocchio.us"] > 0.0


def test_arithmetic_that_cannot_be_compiled_is_told(monkeypatch):
    monkeypatch.setattr(compiled_arithmetic, "compiled", lambda _: None)
    with pytest.raises(MeshSimError, match="a C compiler must be there"):
        next(compiled_arithmetic.whole_step())


# What takes long


@pytest.mark.slow
def test_figures_have_the_promised_names(monkeypatch, capsys):
    monkeypatch.setattr(systolic, "STEPS", 3)
    figures = next(systolic.systolic(2))
    assert figures["systolic.2.ratio"] > 0
    assert figures["systolic.2.traced_ratio"] > 0
    assert set(next(mesh.mesh(2))) == {
        "mesh.2.messages",
        "mesh.2.seconds",
        "mesh.2.messages_per_s",
        "mesh.2.traced_slowdown",
    }
    placed = next(mesh.placed(2))
    assert placed["placed.own.ratio"] == 1.0
    assert placed["placed.square-mesh(1,1).auto.links_a_message"] == 0.0
    assert placed["placed.omega(16).blocks.links_a_message"] > 1.0
    assert set(next(retiming.retiming(n=3, machines=6))) == {
        "retime.machines",
        "retime.seconds_per_machine",
        "retime.ratio",
        "retime.plain_ratio",
        "retime.numpy_plain_ratio",
    }
    assert set(next(retiming.large_retiming(n=4, machines=3))) == {
        "retime.4.record_ratio",
        "retime.4.seconds_per_machine",
    }
    assert set(next(written("one-bae", times=1))) == {
        "written.one-bae.seconds",
        "written.one-bae.ratio",
        "written.one-bae.simulated_ratio",
    }
    grown = next(growth.growth((16, 18)))
    assert {f"growth.seconds.{row}.{stage}" for row in (16, 18, "exponent") for stage in growth.GROWING} <= set(grown)
    assert list(next(growth.memory("small", "systolic", 2))) == [
        "memory.small.messages",
        "memory.small.seconds",
        "memory.small.bytes_a_message",
    ]
    told = ("run_s", "kept_s", "page_s", "ratio", "kept_ratio", "bytes")
    assert list(next(front.page(2))) == [f"page.2.{name}" for name in told]
    assert capsys.readouterr().out == ""


@pytest.mark.slow
def test_ten_thousand_machines_stay_below_a_gigabyte():
    source = (
        "import resource; from meshsim.experiments.studies.bench.mesh import mesh_plan;"
        "from meshsim.experiments.studies.bench.retiming import random_machines;"
        "from meshsim.recording import record; from meshsim.retiming import retime;"
        "retime(record(mesh_plan(32))[0], random_machines(10_000));"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    out = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True).stdout
    assert int(out) < 1_000_000  # kilobytes
