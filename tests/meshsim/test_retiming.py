"""Recordings: re-timed and replayed, they are the engine's runs, to the tick."""

import json
import random
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from tools.engine import do, lives, machine, network, par, phase, plan, recv, send
from tools.schemes import CHAINS
from tools.strategies import cases, machines

from meshsim import schedule
from meshsim.algorithms.robots.catalogue import chain, puma600
from meshsim.algorithms.robots.state import default_state
from meshsim.algorithms.schemes.catalogue import SCHEMES
from meshsim.algorithms.solvers.catalogue import SOLVERS, load_system
from meshsim.counted import KERNELS, Kernel
from meshsim.deadlock import DeadlockError
from meshsim.errors import MeshSimError
from meshsim.machine import DISCIPLINES, LARGEST, OPERATIONS, SETUPS, LinkCosts, Machine
from meshsim.presets import PRESETS
from meshsim.program import ProgramError
from meshsim.recording import load_recording, record
from meshsim.replay import replay
from meshsim.retiming import NotKahnError, retime

SIZES = [1, 2, 3, 5, 8, *(pytest.param(n, marks=pytest.mark.slow) for n in (4, 6, 7, 9, 10, 11, 12, 13))]


pytestmark = pytest.mark.usefixtures("both_ways")


def random_machine(draw, discipline):
    """Costs that are often small or nought, so that ties are common; some kernels with a price of their own."""

    def cost():
        return draw.choice([0, 1, 2, draw.randint(0, 40), draw.randint(0, 4000)])

    ends = {"receive": draw.choice([0, cost()]), "setups": draw.choice(SETUPS)}
    links = LinkCosts(discipline, cost(), cost(), cost(), draw.randint(1, 4), **ends)
    own = {name: cost() for name in ("rotate_twist", "axpy", "add_inertias") if draw.random() < 0.5}
    return Machine("drawn", 1, {name: cost() for name in OPERATIONS}, links, cost(), own)


def check_timing(plan, recording, table):
    """Every processor's finish and busy time, and every phase, on every machine of a table."""
    timing = retime(recording, table)
    for column, each in enumerate(table):
        run = plan.run(each, trace=False)
        assert timing.finish[:, column].tolist() == list(run.finish.values())
        assert timing.busy[:, column].tolist() == list(run.busy.values())
        assert {name: int(ticks[column]) for name, ticks in timing.phases.items()} == dict(run.phases)
        assert timing.ticks[column] == run.ticks


def check_replay(run, again):
    """Every span, message, phase and count, and the critical path."""
    assert [list(cpu.core.spans) for cpu in again.cpus] == [
        [(start, end, again_what(again, run, what)) for start, end, what in cpu.core.spans] for cpu in run.cpus
    ]
    assert lives(again) == lives(run)
    assert list(again.trace.rows()) == list(run.trace.rows())
    for name in ("finish", "phases", "operations", "operations_by_phase", "busy", "traffic", "messages", "words"):
        assert getattr(again, name) == getattr(run, name), name
    assert [step[:3] for step in again.critical_path.walked] == [step[:3] for step in run.critical_path.walked]


def again_what(again, run, what):
    """The same kernel, or the same ends in the other run."""
    if not isinstance(what, tuple):
        return what
    number = {end: (i, end.verb) for i, c in enumerate(run.channels) for end in (c.sender, c.receiver)}
    ends = {(i, e.verb): e for i, c in enumerate(again.channels) for e in (c.sender, c.receiver)}
    return tuple(ends[number[end]] for end in what)


# Random programs


@pytest.mark.parametrize("discipline", DISCIPLINES)
def test_random_programs(discipline):
    @settings(deadline=None, max_examples=40)  # in both ways
    @given(cases(), machines([discipline]), machines([discipline]))
    def agrees(case, one, other):
        made = plan(case.programs, network(case.programs, case.links))
        try:
            recording, value = record(made)
        except DeadlockError:
            event("deadlock whatever the discipline")
            with pytest.raises(DeadlockError):
                made.run(one)
            return
        try:
            runs = [made.run(each) for each in (one, other)]
        except DeadlockError:
            event("deadlock")
            with pytest.raises(DeadlockError, match=r"^\d+ of \d+ programs wait for one another under "):
                retime(recording, [one, other])
            return
        event("answer")
        check_timing(made, recording, [one, other])
        for each, run in zip((one, other), runs, strict=True):
            assert value == run.value
            check_replay(run, replay(recording, each, value))

    agrees()


@settings(deadline=None, max_examples=30)
@given(st.lists(machines(), min_size=1, max_size=12), cases(shuffled=False))
def test_tables_of_mixed_machines(table, case):
    made = plan(case.programs, network(case.programs, case.links))
    check_timing(made, record(made)[0], table)


# Schemes and solvers


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", CHAINS)
@pytest.mark.parametrize("n", SIZES)
def test_every_scheme(name, n):
    robot = chain(n, 50 + n)
    made = SCHEMES[name].plan(robot, default_state(robot))
    draw = random.Random(f"{name} {n}")
    table = [random_machine(draw, discipline) for discipline in DISCIPLINES]
    recording, value = record(made)
    check_timing(made, recording, table)
    if n in (2, 5):
        for each in table:
            check_replay(made.run(each), replay(recording, each, value))


@pytest.mark.parametrize("name", SOLVERS)
@pytest.mark.parametrize("n", SIZES)
def test_every_solver(name, n):
    made = SOLVERS[name].plan(*load_system(f"symmetric:{n}:{n}"))
    draw = random.Random(f"{name} {n}")
    check_timing(made, record(made)[0], [random_machine(draw, discipline) for discipline in DISCIPLINES])


@pytest.mark.parametrize("solver", SOLVERS)
def test_schemes_with_every_solver_and_streams(solver):
    robot = chain(4, 9)
    draw = random.Random(solver)
    for name in ("wong-mesh", "hwang"):
        made = SCHEMES[name].plan(robot, default_state(robot), solver=solver).repeated(3)
        check_timing(made, record(made)[0], [random_machine(draw, discipline) for discipline in DISCIPLINES])


def test_the_answer_is_recorded_too():
    robot = puma600()
    made = SCHEMES["wong-mesh"].plan(robot, default_state(robot))
    _, value = record(made)
    assert (value.qdd == made.run(PRESETS["t800"], trace=False).value.qdd).all()


# Particular cases


def test_a_step_without_operations_and_a_processor_without_a_program():
    made = plan(
        {"a": [do(2), par(), do(3), phase("done"), send("b")], "b": [recv("a"), do(1)]}, network(["a", "b", "c"])
    )
    recording, value = record(made)
    table = [machine(discipline, startup=2, per_word=1) for discipline in DISCIPLINES]
    check_timing(made, recording, table)
    for each in table:
        check_replay(made.run(each), replay(recording, each, value))


def test_nothing_at_all():
    made = plan({"a": []})
    recording, _ = record(made)
    assert retime(recording, [machine("free")]).ticks.tolist() == [0]
    assert retime(recording, []).finish.shape == (1, 0)


def test_costs_beyond_32_bits():
    made = plan({"a": [do(3), send("b", 2)], "b": [recv("a"), do(1)]})
    recording, _ = record(made)
    dear = [
        Machine("dear", 1, dict.fromkeys(OPERATIONS, LARGEST), LinkCosts(discipline, LARGEST, LARGEST, receive=LARGEST))
        for discipline in DISCIPLINES
    ]
    check_timing(made, recording, dear)


@pytest.mark.parametrize("discipline", DISCIPLINES)
@pytest.mark.parametrize("ticks", [2**28 - 1, 2**28, 2**31 - 1])
def test_sums_beyond_32_bits(discipline, ticks):
    """Every cost fits into 32 bits, and eight of them do not: that must be known beforehand."""
    made = plan({"a": [do(1), send("b")] * 8, "b": [recv("a")] * 8})
    recording, _ = record(made)
    each = machine(discipline, costs={"add": ticks})
    check_timing(made, recording, [each])
    assert retime(recording, [each]).ticks.tolist() == [8 * ticks]


def test_half_duplex_links_are_refused():
    made = plan({"a": [send("b")], "b": [recv("a")]})
    recording, value = record(made)
    half = machine("overlap", startup=1, duplex="half")
    for ask in (lambda: retime(recording, [half]), lambda: replay(recording, half, value)):
        with pytest.raises(NotKahnError, match=r"^test cannot be re-timed: its links are half duplex, and who gets "):
            ask()
    check_timing(made, recording, [machine("free", duplex="half")])


def test_a_deadlock_names_who_waits():
    made = plan({"a": [send("b"), recv("b")], "b": [send("a"), recv("a")]})
    recording, _ = record(made)
    check_timing(made, recording, [machine("overlap")])
    with pytest.raises(DeadlockError, match=r"^2 of 2 programs wait for one another under rendezvous: a, b; simulate "):
        retime(recording, [machine("rendezvous")])


def test_programs_that_fail_are_told_as_by_the_engine():
    with pytest.raises(DeadlockError, match="deadlock: 1 of 2 programs wait for ever"):
        record(plan({"a": [recv("b")], "b": []}))
    with pytest.raises(ProgramError, match="unread on port"):
        record(plan({"a": [send("b")], "b": []}))


def test_batches_do_not_matter(monkeypatch):
    robot = chain(5, 5)
    recording, _ = record(SCHEMES["hwang"].plan(robot, default_state(robot)))
    draw = random.Random(3)
    table = [random_machine(draw, draw.choice(DISCIPLINES)) for _ in range(40)]
    whole = retime(recording, table)
    monkeypatch.setattr(schedule, "MEMORY", 50_000)
    split = retime(recording, table)
    assert np.array_equal(whole.finish, split.finish)
    assert all(np.array_equal(whole.phases[name], split.phases[name]) for name in whole.phases)


# Files


def test_a_file_says_the_same(tmp_path):
    robot = chain(4, 4)
    made = SCHEMES["lee-chang"].plan(robot, default_state(robot))
    recording, value = record(made, {"scheme": "lee-chang", "n": 4})
    path = tmp_path / "step.npz"
    recording.save(path)
    loaded = load_recording(path)
    assert loaded.identity == {"scheme": "lee-chang", "n": 4}
    assert loaded.nodes == recording.nodes
    check_timing(made, loaded, [PRESETS["t800"], PRESETS["ideal"]])
    check_replay(made.run(PRESETS["t800"]), replay(loaded, PRESETS["t800"], value))


def test_a_file_is_read_without_the_algorithms(tmp_path):
    """Where their modules are not loaded, kernels have names and costs, and no function."""
    recording, _ = record(SCHEMES["one-wong"].plan(chain(2, 1), default_state(chain(2, 1))))
    recording.save(tmp_path / "step.npz")
    source = (
        "import sys, json; from meshsim.recording import load_recording; from meshsim.retiming import retime;"
        "from meshsim.presets import PRESETS;"
        "print(json.dumps(retime(load_recording(sys.argv[1]), [PRESETS['t800']]).ticks.tolist()));"
        "assert 'meshsim.algorithms' not in sys.modules"
    )
    out = subprocess.run(
        [sys.executable, "-c", source, tmp_path / "step.npz"], capture_output=True, text=True, check=True
    ).stdout
    assert json.loads(out) == retime(recording, [PRESETS["t800"]]).ticks.tolist()


def test_a_kernel_of_a_file_keeps_its_own_cost(tmp_path):
    """The file's kernel has the name of a declared one, and costs something else: the file counts."""

    def axpy():
        return 0.0

    known, namesake = KERNELS["axpy"], Kernel(axpy, {"mul": 7})

    def program(cpu):
        cpu.do(known, 1.0, 2.0, 3.0)
        cpu.do(namesake)
        yield cpu.par()

    made = plan({"a": program})
    record(made)[0].save(tmp_path / "step.npz")
    loaded = load_recording(tmp_path / "step.npz")
    same, other = loaded.kernels
    assert same is known
    assert (other.name, dict(other.cost)) == ("axpy", {"mul": 7})
    check_timing(made, loaded, [machine("free", costs={"mul": 5, "add": 3})])
    with pytest.raises(MeshSimError, match=r"^kernel 'axpy' is known from a recording only, and cannot compute$"):
        other.function()


def test_files_that_are_none(tmp_path):
    recording, _ = record(plan({"a": [do(1)]}))
    path = tmp_path / "other.npz"
    np.savez(path, x=np.zeros(3))
    with pytest.raises(MeshSimError, match=r"must be a file that meshsim wrote"):
        load_recording(path)
    path.write_text("nothing of the kind")
    with pytest.raises(MeshSimError, match=r"must be a file that meshsim wrote"):
        load_recording(path)
    with pytest.raises(MeshSimError, match=r"^recording must be a readable file, not "):
        load_recording(tmp_path / "absent.npz")
    strange = replace(recording, nodes=(object(),))
    with pytest.raises(MeshSimError, match=r"^a node of a recording must be made of numbers, strings and tuples"):
        strange.save(tmp_path / "strange.npz")
