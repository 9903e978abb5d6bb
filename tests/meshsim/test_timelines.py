"""Timelines worked out by hand, on the reference and on the engine."""

import pytest
from tools.placed_engine import engine_times
from tools.tick_reference import Reference
from tools.timelines import TIMELINES

SIMULATORS = {"reference": lambda timeline: Reference(timeline).run(), "engine": engine_times}


def both():
    for name, simulator in SIMULATORS.items():
        for timeline in TIMELINES:
            yield pytest.param(simulator, timeline, id=f"{name}: {timeline.name}")


@pytest.mark.parametrize(("simulator", "timeline"), list(both()))
def test_times_are_those_worked_out_by_hand(simulator, timeline):
    times = simulator(timeline)
    if timeline.expected == "deadlock":
        assert times == "deadlock"
    else:
        assert {what: getattr(times, what) for what in timeline.expected} == timeline.expected
