"""The best order found: never slower than as written, never quicker than the bound, the same bits."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from tools.engine import machine
from tools.every_plan import every_plan, solver_plan, state_of
from tools.orders import drawn_events, every_order, plan_of
from tools.schemes import CHAINS
from tools.strategies import machines

from meshsim.algorithms.robots.catalogue import chain
from meshsim.algorithms.solvers.catalogue import SOLVERS
from meshsim.bounds import Timing
from meshsim.dataflow import dataflow
from meshsim.machine import DISCIPLINES
from meshsim.ordering import SCHEDULED, WRITTEN, best_order, kept_to
from meshsim.presets import PRESETS
from meshsim.scheduling import by_largest, problem_of, schedules
from meshsim.simulation import NOWHERE, Simulation

T800 = PRESETS["t800"]
MACHINES = {
    "free": PRESETS["ideal"],
    "overlap": PRESETS["t800-overlap"],
    "rendezvous": T800,
    "posted": PRESETS["t800-posted"],
    "setup": replace(T800, links=replace(T800.links, discipline="overlap", setup=17, buffers=2)),
    "half duplex": replace(T800, links=replace(T800.links, duplex="half")),
    "half duplex overlap": replace(T800, links=replace(T800.links, discipline="overlap", duplex="half")),
}
SHAPES = {**CHAINS, **SOLVERS}


def shaped(name, n):
    if name in SOLVERS:
        return solver_plan(SOLVERS[name], n, float)
    return CHAINS[name].plan(chain(n, 3), state_of(chain(n, 3), float))


def bits(plan):
    """What the programs return, to the last bit."""
    return repr(dict(Simulation(NOWHERE).run(plan.topology, plan.programs)))


def check(plan, machines):
    """On all machines, with one dataflow."""
    flow = dataflow(plan)
    same = bits(plan)
    for each in machines:
        found = best_order(plan, each, flow=flow)
        run = found.plan.run(each)
        assert found.bound.ticks <= found.ticks <= found.written
        assert run.ticks == found.ticks
        assert bits(found.plan) == same
        assert run.phases.keys() == plan.run(each, trace=False).phases.keys()


def test_disciplines_are_all_tried():
    assert {each.links.discipline for each in MACHINES.values()} == {*DISCIPLINES}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("n", [2, 4])
@pytest.mark.parametrize("name", SHAPES)
def test_every_scheme_and_solver(name, n):
    check(shaped(name, n), [MACHINES[each] for each in ("free", "overlap", "rendezvous", "posted")])


@pytest.mark.parametrize("how", [*MACHINES][4:])
def test_other_links(how):
    check(shaped("wong-mesh", 2), [MACHINES[how]])


@pytest.mark.slow
@pytest.mark.parametrize("n", range(2, 13))
@pytest.mark.parametrize("name", SHAPES)
def test_every_scheme_and_solver_of_every_size(name, n):
    check(shaped(name, n), [*MACHINES.values()][: 4 if n > 6 else None])


ONCE = {
    label: make for label, make in every_plan() if not {"motion", "adaptive motion", "control"} & {*label.split(", ")}
}


@pytest.mark.slow
@pytest.mark.parametrize("label", ONCE)
def test_every_evaluation(label):
    check(ONCE[label](float), MACHINES.values())


# By hand


EVENTS = [("call", "A", 10, [0]), ("call", "A", 2, [0]), ("send", "A", "B", [2]), ("call", "B", 8, [1])]
"""A computes for itself first, and then what B waits for."""


@pytest.mark.parametrize(
    ("discipline", "written", "best"),
    [
        ("free", 20, 12),  # A: 2, 10; B: from 2 to 10
        ("overlap", 23, 13),  # A: 2, 10; B: from 5 to 13
        ("rendezvous", 23, 15),  # A: 2, sends until 5, 10
    ],
)
def test_what_others_wait_for_comes_first(discipline, written, best):
    made = plan_of(EVENTS, "AB")
    found = best_order(made, machine(discipline, startup=3))
    assert (found.written, found.ticks, found.bound.ticks, found.won) == (written, best, best, SCHEDULED)
    marks = found.plan.run(machine(discipline, startup=3)).marks["A"]
    assert marks["event 0"] == marks["event 1"]  # a mark comes after all that came before it


def test_transfers_over_several_links_are_one_par():
    """A sends 5 ticks to B and 5 to C, both at once; so do they."""
    made = plan_of([("send", first, second, [0]) for first, second in ("AB", "BC", "CA", "BA", "CB", "AC")])
    found = best_order(made, machine("rendezvous", startup=5))
    assert (found.written, found.ticks) == (30, 5)


def test_an_order_that_cannot_be_better_stays_as_written():
    made = plan_of(EVENTS[1:2])
    found = best_order(made, T800)
    assert found.won == WRITTEN
    assert found.plan is made


def test_other_orders_are_taken_if_they_are_quicker():
    made = plan_of(EVENTS, "AB")
    better = plan_of([EVENTS[1], ("send", "A", "B", [1]), EVENTS[0], EVENTS[3]], "AB")
    found = best_order(made, machine("free"), {"by hand": better})
    assert (found.won, found.plan, found.ticks) == ("by hand", better, 12)


@settings(max_examples=40, deadline=None)
@given(drawn_events(most=12), machines(DISCIPLINES), machines(DISCIPLINES, duplex="half"))
def test_drawn_programs(events, full, half):
    check(plan_of(events), [full, half])


@settings(max_examples=40, deadline=None)
@given(drawn_events(most=12), machines([name for name in DISCIPLINES if name != "posted"]))
def test_the_engine_is_at_least_as_quick_as_the_schedule(events, machine):
    """Both begin everything as soon as can be; the engine need not wait for others to be idle.

    What a receiver spends on a message, set-ups in turn and those of posted sends the schedule leaves out.
    """
    machine = replace(machine, links=replace(machine.links, receive=0, setups="together"))
    flow = dataflow(plan_of(events))
    times = Timing(flow, machine)
    for schedule in schedules(problem_of(times), [range(len(flow.jobs)), by_largest(times.tails)]):
        assert kept_to(flow, schedule).run(machine, trace=False).ticks <= schedule.ticks


@settings(max_examples=20, deadline=None)
@given(drawn_events(most=5), machines(DISCIPLINES))
def test_all_orders_of_small_programs(events, machine):
    """No order that there is beats the bound; what is found is one of them, and seldom far from the best."""
    made = plan_of(events)
    flow = dataflow(made)
    found = best_order(made, machine, flow=flow)
    best = min(each.run(machine, trace=False).ticks for each in every_order(flow))
    assert found.bound.ticks <= best
