"""What would meet a deadline: the largest costs, against simulation of every candidate at the limit and beyond it."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import meshsim as ms
from meshsim.experiments.studies.baseline import subject
from meshsim.experiments.studies.candidates import plan_of
from meshsim.experiments.studies.limits import NEVER, largest, last_that
from meshsim.machine import LARGEST
from meshsim.presets import load_machine
from meshsim.recording import record
from meshsim.sensitivity import with_parameters

PARALLEL = ("wong-mesh", "lee-chang", "hwang")
"""Whose times grow with what messages cost."""


@given(
    st.one_of(st.integers(-1, 40), st.integers(-1, LARGEST)), st.integers(0, LARGEST), st.sampled_from([1, 2, 3, 16])
)
def test_the_last_value_that_fits(last, near, parts):
    asked = []

    def fits(values):
        asked.extend(values)
        return [value <= last for value in values]

    found = last_that(fits, near, parts=parts)
    assert found == (None if last == LARGEST else last)
    assert all(0 <= value <= LARGEST for value in asked)
    assert len(asked) == len(set(asked))


def test_none_and_never():
    assert last_that(lambda values: [False] * len(values), 5) == NEVER
    assert last_that(lambda values: [True] * len(values), 5) is None
    scheme, machine = ms.load_scheme("one-saha"), load_machine("t800")
    plan = scheme.plan(*subject("chain:2:1"))
    recording, ticks = record(plan)[0], plan.run(machine).ticks
    assert largest(recording, machine, "startup", ticks) is None  # it sends nothing
    assert largest(recording, machine, "startup", ticks - 1) == NEVER


def at_best(report, machine, **changed):
    """The least ticks of all candidates that can be re-timed, by simulation with changed costs."""
    dear = with_parameters(machine, **changed)
    search = report.search
    entries = [entry for entry in search.entries() if entry.here["exact"]]
    assert len(entries) > 10
    return min(plan_of(entry.candidate, search.question, machine)[0].run(dear, trace=False).ticks for entry in entries)


def asked(robot, name, share, schemes):
    """A report with a deadline of a share of the least time, and the ticks that it allows."""
    machine = load_machine(name)
    settings = {"schemes": schemes, "jobs": 1, "seconds": float("inf")}
    ticks = ms.best(robot, machine, **settings).search.best().ticks
    allowed = int(share * ticks)
    report = ms.best(robot, machine, deadline=allowed * machine.tick_ns * 1e-9, **settings)
    return report, machine, report.search.question.allowed(machine)


CASES = [
    ("chain:2:1", "t800", 1.0, PARALLEL),
    ("chain:2:1", "t800", 1.3, PARALLEL),
    ("chain:2:1", "t800-overlap", 0.9, PARALLEL),
    ("four-bar", "t800", 0.999, ("denoc", "projection")),
    *(
        pytest.param("chain:3:1", name, share, PARALLEL, marks=pytest.mark.slow)
        for name in ("t800", "t800-posted", "t800-measured")
        for share in (0.8, 1.5)
    ),
]


@pytest.mark.parametrize(("robot", "name", "share", "schemes"), CASES)
def test_limits_hold_to_the_tick(robot, name, share, schemes):
    """At a limit somebody is in time, and its candidate is; a tick beyond it nobody is."""
    report, machine, allowed = asked(robot, name, share, schemes)
    limits = {limit.name: limit for limit in report.search.limits(machine)}
    assert set(limits) == {"clock", "startup", "per_word"}
    for cost in ("startup", "per_word"):
        limit = limits[cost]
        assert limit.exact
        if limit.value == NEVER:
            assert limit.entry is None
            assert at_best(report, machine, **{cost: 0}) > allowed
        elif limit.value is None:
            assert at_best(report, machine, **{cost: LARGEST}) <= allowed
        else:
            plan, _ = plan_of(limit.entry.candidate, report.search.question, machine)
            assert plan.run(with_parameters(machine, **{cost: limit.value}), trace=False).ticks <= allowed
            assert at_best(report, machine, **{cost: limit.value + 1}) > allowed
            assert (limit.value >= getattr(machine.links, cost)) is report.met


@pytest.mark.parametrize("deadline", [1e-3, 1 / 3000, 7e-4, 1.1e-3 / 3])
def test_the_slowest_clock(deadline):
    """With ticks of the limit the quickest is in time; with ticks longer by one in the last of six digits it is not."""
    machine = load_machine("t800")
    report = ms.best("chain:2:1", machine, deadline=deadline, schemes=("wong-mesh",), jobs=1, seconds=float("inf"))
    (limit,) = (limit for limit in report.search.limits(machine) if limit.name == "clock")
    ticks = limit.entry.ticks
    assert ticks == report.search.best().ticks
    exact = Fraction(repr(deadline))
    for tick_ns in (limit.value, shown_tick(report)):
        assert ticks * Fraction(repr(tick_ns)) <= exact * 10**9
        assert ticks * Fraction(repr(tick_ns * (1 + 1e-5))) > exact * 10**9


def shown_tick(report):
    """What people read."""
    (line,) = (line for line in report.as_text().splitlines() if line.startswith("  tick of at most "))
    return float(line.split()[4])


def test_the_extremes_are_told():
    """A deadline that nothing meets even with free messages, and one that is met whatever they cost."""
    hopeless = ms.best("chain:2:1", "t800", deadline=1e-9, jobs=1, seconds=float("inf"))
    assert not hopeless.met
    text = hopeless.as_text()
    assert "start-up of a message: not even nothing would do" in text
    found = {limit["cost"]: limit for limit in hopeless.to_dict()["machines"][0]["limits"]}
    assert (found["startup"]["value"], found["startup"]["possible"], found["startup"]["by"]) == (None, False, None)
    easy = ms.best("chain:2:1", "t800", deadline=1.0, jobs=1, seconds=float("inf"))
    assert easy.met
    assert "start-up of a message: whatever it costs (by " in easy.as_text()
    found = {limit["cost"]: limit for limit in easy.to_dict()["machines"][0]["limits"]}
    assert (found["per_word"]["value"], found["per_word"]["possible"]) == (None, True)


def test_messages_that_are_free_have_no_limits():
    report = ms.best("chain:2:1", "ideal", deadline=1e-3, schemes=("wong-mesh",), jobs=1, seconds=float("inf"))
    assert [limit.name for limit in report.search.limits(load_machine("ideal"))] == ["clock"]


def test_a_local_limit_of_what_only_the_engine_can_time():
    """A bus is simulated: at the limit it is in time, a tick beyond it is not."""
    machine = load_machine("t800")
    settings = {"schemes": ("hwang",), "jobs": 1, "seconds": float("inf")}
    (bus,) = (
        entry
        for entry in ms.best("chain:2:1", machine, **settings).search.entries()
        if entry.candidate.told == {"network": "bus"}
    )
    assert not bus.here["exact"]
    question = ms.best("chain:2:1", machine, deadline=1.2 * bus.time_us * 1e-6, **settings).search
    limit = question._local_limit(
        next(each for each in question.entries() if each.candidate == bus.candidate), "startup"
    )
    plan, _ = plan_of(bus.candidate, question.question, machine)
    allowed = question.question.allowed(machine)
    assert not limit.exact
    assert plan.run(with_parameters(machine, startup=limit.value), trace=False).ticks <= allowed
    assert plan.run(with_parameters(machine, startup=limit.value + 1), trace=False).ticks > allowed
