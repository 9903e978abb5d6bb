"""Timelines worked out by hand, on the reference."""

import pytest
from tools.tick_reference import Reference
from tools.timelines import TIMELINES


@pytest.mark.parametrize("timeline", TIMELINES, ids=lambda timeline: timeline.name)
def test_reference_has_the_times_worked_out_by_hand(timeline):
    times = Reference(timeline).run()
    if timeline.expected == "deadlock":
        assert times == "deadlock"
    else:
        assert {what: getattr(times, what) for what in timeline.expected} == timeline.expected
