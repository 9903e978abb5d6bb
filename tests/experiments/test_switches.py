"""Cubes that are switches with stages, and recursive doubling alone."""

import networkx as nx
import pytest

from meshsim.algorithms.collectives.recursive_doubling import CUBE, HYPERCUBE, LINE, PIPELINE
from meshsim.algorithms.robots.catalogue import chain
from meshsim.algorithms.robots.state import default_state
from meshsim.algorithms.schemes.catalogue import load_scheme
from meshsim.errors import MeshSimError
from meshsim.experiments.studies.doubling_alone import (
    COMPOSITE_BODIES,
    EACH_MESSAGE,
    communication,
    doubling,
    message_hops,
    placed_doubling,
    without_arithmetic,
)
from meshsim.experiments.studies.switches import behind_switches, last_first, switched, terminals
from meshsim.machine import OPERATIONS, LinkCosts, Machine
from meshsim.plan import Plan
from meshsim.presets import PRESETS
from meshsim.topologies.ports import add_link

LINKS = Machine("links", 1, dict.fromkeys(OPERATIONS, 0), LinkCosts("rendezvous", startup=5, per_word=1))


def two_that_meet():
    """M1 to M3, and M3 to M4: in a cube of four both leave the first stage by line 2. Nothing in h."""

    def first(cpu):
        yield cpu.send("3", (1.0, 2.0, 3.0))

    def third(cpu):
        got, _ = yield cpu.par(cpu.recv("1"), cpu.send("4", (4.0, 5.0, 6.0)))
        return got

    def fourth(cpu):
        return (yield cpu.recv("3"))

    topology = nx.MultiGraph()
    topology.add_nodes_from([*(("M", i) for i in range(1, 5)), ("h", 1)])
    add_link(topology, ("M", 1), "3", ("M", 3), "1")
    add_link(topology, ("M", 3), "4", ("M", 4), "3")
    return Plan(topology, {("M", 1): first, ("M", 3): third, ("M", 4): fourth}, dict)


@pytest.mark.parametrize(
    ("family", "hop", "finish", "conflicts", "waited"),
    [
        ("crossbar", 0, (8, 8), 0, 0),
        ("crossbar", 2, (10, 10), 0, 0),
        ("multistage-cube", 0, (8, 11), 1, 3),  # both ask for line 2 at 5; M1's has it from 5 to 8
        ("omega", 0, (8, 11), 1, 3),
        ("multistage-cube", 2, (12, 15), 1, 3),  # at 7; two elements to pass
    ],
)
def test_two_messages_that_meet_by_hand(family, hop, finish, conflicts, waited):
    plan = two_that_meet()
    assert plan.run(LINKS).ticks == 8
    run = behind_switches(plan, family, hop).run(LINKS)
    assert (run.finish["M", 1], run.finish["M", 4]) == finish
    assert run.value["M", 3] == (1.0, 2.0, 3.0)
    found = switched(plan, LINKS, family, hop)
    assert (found.ticks, found.conflicts, found.waited) == (max(finish), conflicts, waited)


def test_ties_go_by_node_order():
    run = behind_switches(last_first(two_that_meet()), "multistage-cube").run(LINKS)
    assert (run.finish["M", 1], run.finish["M", 4]) == (11, 8)


def test_terminals():
    assert terminals(6) == [0, 1, 2, 3, 4, 5]
    assert terminals(6, "reverse") == [7, 6, 5, 4, 3, 2]
    assert terminals(6, "bits reversed") == [0, 4, 2, 6, 1, 5]
    assert terminals(1, "bits reversed") == [0]
    shuffled = terminals(6, 1)
    assert shuffled == terminals(6, 1) != terminals(6, 2)
    assert len({*shuffled} & {*range(8)}) == 6
    with pytest.raises(MeshSimError, match=r"^order of terminals must be one of in order, .* or a seed, not 'rows'$"):
        terminals(6, "rows")
    with pytest.raises(MeshSimError, match=r"^switch must be one of multistage-cube, omega, crossbar, not 'ring'$"):
        switched(two_that_meet(), LINKS, "ring")


def step(scheme, n):
    robot = chain(n, 1)
    return load_scheme(scheme).plan(robot, default_state(robot))


@pytest.mark.parametrize("machine", ["t800", "t800-overlap"])
@pytest.mark.parametrize("family", ["crossbar", "multistage-cube", "omega"])
def test_answers_are_the_same_bits(family, machine):
    plan = step("lee-chang", 5)
    own, run = (each.run(PRESETS[machine], trace=False) for each in (plan, behind_switches(plan, family, 3, 1)))
    assert run.value.M.tobytes() == own.value.M.tobytes()
    assert run.value.qdd.tobytes() == own.value.qdd.tobytes()
    assert run.processors == own.processors
    assert run.messages == own.messages


def test_what_the_switch_costs():
    """None where n is a power of two, or where programs are a hypercube's; else it counts who is served first."""
    t800 = PRESETS["t800"]
    for scheme, n in (("lee-chang", 8), ("hwang", 6), ("amin-javaheri", 6)):
        plan = step(scheme, n)
        found = switched(plan, t800, "multistage-cube")
        assert (found.ticks, found.conflicts) == (plan.run(t800, trace=False).ticks, 0)
    plan = step("lee-chang", 6)
    assert plan.run(t800, trace=False).ticks == switched(plan, t800, "crossbar").ticks == 9645
    assert switched(plan, t800, "multistage-cube") == switched(plan, t800, "omega")
    assert switched(plan, t800, "multistage-cube").ticks == 10389
    assert switched(last_first(plan), t800, "multistage-cube").ticks == 9691
    assert switched(plan, t800, "multistage-cube", order="bits reversed").ticks == 9691


# Recursive doubling alone


@pytest.mark.parametrize("way", [CUBE, HYPERCUBE, PIPELINE, LINE])
@pytest.mark.parametrize("n", [1, 2, 5, 8])
def test_doublings(way, n):
    found = doubling(way, n, COMPOSITE_BODIES).run(PRESETS["t800"]).value
    for i in range(1, n + 1):
        rotation, position, first, second = found[i]
        x, y = ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))[i % 4]  # i quarter turns
        assert rotation == ((x, -y, 0.0), (y, x, 0.0), (0.0, 0.0, 1.0))
        assert position == (i,) * 3
        assert first == (n + 1 - i,) * 3
        assert second == (n + 1 - i,) * 6


def test_hops_of_doublings():
    own = doubling(PIPELINE, 8).run(EACH_MESSAGE)
    placed = placed_doubling(doubling(CUBE, 8), "pipeline", "identity").run(EACH_MESSAGE)
    assert own.ticks == placed.ticks == communication(own) == 1 + 2 + 4
    assert message_hops(placed) == 7 * 1 + 6 * 2 + 4 * 4
    assert (
        message_hops(own) == own.messages == 7 + (7 + 6) + (7 + 6 + 5 + 4)
    )  # those at the end pass on what nobody needs


def test_half_as_much_again_and_more():
    """docs/findings.md: 15 hops of 21 words in four messages against 6, on 16 processors."""
    t800 = PRESETS["t800"]
    times = [
        communication(doubling(way, 16, COMPOSITE_BODIES).run(machine))
        for way in (PIPELINE, HYPERCUBE)
        for machine in (without_arithmetic(t800), t800)
    ]
    hop = 4 * 51 + 21 * 23
    assert times == [15 * hop, 15 * hop, 6 * hop, 6 * hop]
