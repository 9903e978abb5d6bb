"""Timelines worked out by hand, on the reference and on the engine."""

import pytest
from tools.placed_engine import engine_times
from tools.tick_reference import Reference
from tools.timelines import MIXED_PAR, MIXED_PAR_IN_TURN, TIMELINES

SIMULATORS = {"reference": lambda timeline: Reference(timeline).run(), "engine": engine_times}
LINKS_FIRST = "the engine begins what goes over links before the copies of the same par"


def both():
    for name, simulator in SIMULATORS.items():
        for timeline in TIMELINES:
            differs = name == "engine" and timeline in (MIXED_PAR, MIXED_PAR_IN_TURN)
            marks = [pytest.mark.xfail(strict=True, reason=LINKS_FIRST)] if differs else []
            yield pytest.param(simulator, timeline, id=f"{name}: {timeline.name}", marks=marks)


@pytest.mark.parametrize(("simulator", "timeline"), list(both()))
def test_times_are_those_worked_out_by_hand(simulator, timeline):
    times = simulator(timeline)
    if timeline.expected == "deadlock":
        assert times == "deadlock"
    else:
        assert {what: getattr(times, what) for what in timeline.expected} == timeline.expected
