"""Every scheme and solver, placed: on its own network nothing changes, and one processor takes the sum of all work."""

from dataclasses import replace

import pytest
from tools.bits import bits
from tools.placed_samples import DISCIPLINES, EVERY, every

from meshsim.machine import LocalCosts
from meshsim.network import Network
from meshsim.topologies.named import load_network

MACHINES = list(DISCIPLINES.values())
MOVING = [label for label in EVERY if ", motion, " in label or ", control, " in label or "adaptive" in label]
QUICK = [label for label in EVERY if label not in MOVING]
ONE = load_network("pipeline:1")


def on_its_own(plan):
    return plan.placed(Network(plan.topology), {node: node for node in plan.topology})


def check_own_network(label, machine, traced):
    """The same ticks, phases and bits, and with a trace the same spans, rows, accounts and critical path."""
    plan = every(label)
    plain, placed = plan.run(machine, traced), on_its_own(plan).run(machine, traced)
    assert placed.finish == plain.finish
    assert placed.marks == plain.marks
    assert placed.phases == plain.phases
    assert placed.traffic == plain.traffic
    assert placed.buses == plain.buses
    assert bits(placed.value) == bits(plain.value)
    assert placed.switches == placed.copying == 0
    if traced:
        assert told(placed) == told(plain)


def told(run):
    """All that a trace tells, but for programs, which have the names of their processors."""
    rows = [row._replace(program="") for row in run.trace.rows()]
    spans = [[span[:2] for span in core.spans] for core in run.cores]
    path = run.critical_path
    steps = [(step.kind, step.start, step.end, step.node, step.to) for step in path.walked]
    parts = path.compute, path.wire, path.wait, path.switch, path.copy
    return rows, spans, run.trace.accounts(), steps, parts


def some(number, labels, every_so_many=1):
    """Those that a machine takes so that all machines together take all, or every second, third or so."""
    return labels[number % len(MACHINES) :: len(MACHINES)][::every_so_many]


@pytest.mark.parametrize(("number", "machine"), [*enumerate(MACHINES)], ids=DISCIPLINES)
def test_own_network(number, machine):
    """Every third plan on one machine, every machine with many plans; some with all that their traces tell."""
    for place, label in enumerate([*some(number, QUICK, 3), *some(number, MOVING, 3)]):
        check_own_network(label, machine, traced=place % 6 == 0)


def test_own_network_that_is_a_bus():
    for machine in MACHINES:
        check_own_network("hwang, mixed, network=bus, solver=liu-young", machine, traced=True)


@pytest.mark.slow
@pytest.mark.parametrize("machine", MACHINES, ids=DISCIPLINES)
def test_own_network_of_every_plan_traced(machine):
    for label in EVERY:
        check_own_network(label, machine, traced=True)


# On one processor


def with_costs(machine):
    return replace(machine, switch=13, local=LocalCosts(5, 2))


def check_one_processor(label, machine):
    """The time is the sum of kernel times, switches and copies."""
    plan = every(label)
    plain = plan.run(machine, trace=False)
    run = plan.placed(ONE, dict.fromkeys(plan.topology, ONE.processors[0])).run(machine, trace=False)
    assert bits(run.value) == bits(plain.value)
    assert (run.messages, run.words) == (plain.messages, plain.words)
    assert run.copying == run.messages * machine.local.startup + run.words * machine.local.per_word
    assert run.ticks == sum(plain.busy.values()) + run.switches * machine.switch + run.copying
    assert (run.loads, run.conflicts) == ((), 0)
    if len(plan.programs) == 1:
        assert run.switches == 0
    else:
        assert run.switches >= len(plan.programs) - 1


@pytest.mark.parametrize(("number", "machine"), [*enumerate(MACHINES)], ids=DISCIPLINES)
def test_one_processor(number, machine):
    for label in [*some(number - 7, QUICK, 2), *some(number - 7, MOVING, 3)]:
        check_one_processor(label, with_costs(machine))


@pytest.mark.slow
@pytest.mark.parametrize("machine", MACHINES, ids=DISCIPLINES)
def test_one_processor_for_every_plan(machine):
    for label in EVERY:
        check_one_processor(label, machine)
        check_one_processor(label, with_costs(machine))
