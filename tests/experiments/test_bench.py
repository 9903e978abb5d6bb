"""The bench measures the same work done two ways."""

import subprocess
import sys

import pytest

from meshsim import native
from meshsim.algorithms.robots.catalogue import chain
from meshsim.algorithms.robots.state import default_state
from meshsim.algorithms.schemes.catalogue import SCHEMES
from meshsim.experiments.front import bench as front
from meshsim.experiments.studies import bench, written_bench
from meshsim.presets import PRESETS

KINDS = ("us", "ratio")


def test_both_ways_compute_the_same(monkeypatch):
    monkeypatch.setattr(bench, "STEPS", 7)
    ours = bench.systolic_plan(4).run(bench.SYSTOLIC, trace=False)
    assert ours.value == bench.run_plain(4)
    assert ours.messages == 2 * 4 * 3 * 7
    assert bench.SYSTOLIC.price(bench.axpy) == bench.COMPUTE
    assert bench.SYSTOLIC.links.wire(1) == bench.WIRE


@pytest.mark.slow
def test_figures_have_the_promised_names(monkeypatch, capsys):
    monkeypatch.setattr(bench, "STEPS", 3)
    monkeypatch.setattr(bench, "REPEATS", 1)
    monkeypatch.setattr(bench, "SECONDS", 0.0)
    figures = bench.systolic(sizes=(2, 3))
    for size in (2, 3):
        assert figures[f"systolic.{size}.ratio"] > 0
        assert figures[f"systolic.{size}.traced_ratio"] > 0
    assert set(bench.mesh(sizes=(2,))) == {
        "mesh.2.messages",
        "mesh.2.seconds",
        "mesh.2.messages_per_s",
        "mesh.2.traced_slowdown",
    }
    placed = bench.placed(n=2)
    assert placed["placed.own.ratio"] == 1.0
    assert placed["placed.square-mesh(1,1).auto.links_a_message"] == 0.0
    assert placed["placed.omega(16).blocks.links_a_message"] > 1.0
    assert set(bench.retime_bench(n=3, machines=6, large=4)) == {
        "retime.machines",
        "retime.seconds_per_machine",
        "retime.ratio",
        "retime.plain_ratio",
        "retime.4.record_ratio",
        "retime.4.seconds_per_machine",
    }
    assert set(bench.written(schemes=("one-bae",), times=1)) == {
        "written.one-bae.seconds",
        "written.one-bae.ratio",
        "written.one-bae.simulated_ratio",
    }
    told = ("run_s", "kept_s", "page_s", "ratio", "kept_ratio", "bytes")
    assert list(front.page(sizes=(2,))) == [f"page.2.{name}" for name in told]
    assert capsys.readouterr().out == ""


def test_compiled_arithmetic_is_set_beside_python_and_pinocchio(monkeypatch, tmp_path):
    monkeypatch.setattr(native, "_folder", lambda: tmp_path)
    for name, value in {"TREES": ("one-featherstone",), "CLOSED": ("3rrr",), "ROUNDS": 1, "SECONDS": 0.01}.items():
        monkeypatch.setattr(written_bench, name, value)
    figures = written_bench.against_compiled()
    assert figures.pop("written.pinocchio.us", 1.0) > 0.0
    told = [f"written.{name}.compiled_{kind}" for name in ("one-featherstone", "multipliers.3rrr") for kind in KINDS]
    told += [f"written.wong-mesh.step_{kind}" for kind in KINDS]
    assert list(figures) == [name for name in told if native.compiler()]
    assert all(figure > 0.0 for figure in figures.values())


def test_plain_simpy_computes_the_same():
    robot = chain(4, 4)
    for name in ("wong-mesh", "hwang"):
        plan = SCHEMES[name].plan(robot, default_state(robot))
        plain = plan.answer(bench.Plain(PRESETS["t800"]))
        assert (plain.qdd == plan.run(PRESETS["t800"], trace=False).value.qdd).all()


@pytest.mark.slow
def test_ten_thousand_machines_stay_below_a_gigabyte():
    source = (
        "import resource; from meshsim.experiments.studies.bench import _mesh_plan, random_machines;"
        "from meshsim.recording import record; from meshsim.retiming import retime;"
        "retime(record(_mesh_plan(32))[0], random_machines(10_000));"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    out = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True).stdout
    assert int(out) < 1_000_000  # kilobytes
