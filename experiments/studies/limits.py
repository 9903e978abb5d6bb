"""What would still meet a deadline: the largest cost of a machine with which a recording ends in time.

On a Kahn network every time is a largest sum of costs, so that the finish never falls when a cost grows. The largest
cost that holds is then found exactly, by re-timing a few values at a time.
"""

from collections.abc import Callable, Sequence

from meshsim.machine import Machine
from meshsim.recording import Recording
from meshsim.retiming import retime
from meshsim.sensitivity import with_parameters

NEVER = -1
"""What is returned where a cost of nothing does not do either."""
FARTHEST = 2**24
"""Larger costs are not tried."""
PARTS = 16
"""How many values are tried at a time."""


def largest(recording: Recording, machine: Machine, name: str, allowed: int) -> int | None:
    """The largest value of a cost, in ticks, with which a recording takes no longer than allowed, all else equal.

    None: there is no end to it, as far as is tried. `NEVER`: even a cost of nothing takes longer.
    """

    def fits(values: Sequence[int]) -> list[bool]:
        table = [with_parameters(machine, **{name: value}) for value in values]
        return [ticks <= allowed for ticks in retime(recording, table).ticks.tolist()]

    return last_that(fits)


def last_that(fits: Callable[[Sequence[int]], Sequence[bool]], parts: int = PARTS) -> int | None:
    """The last of the values from 0 on that fit; they are taken to fit up to one, and not beyond it."""
    first, end = fits([0, FARTHEST])
    if not first:
        return NEVER
    if end:
        return None
    good, bad = 0, FARTHEST
    while bad - good > 1:
        tried = sorted({good + max(1, (bad - good) * part // (parts + 1)) for part in range(1, parts + 1)} - {bad})
        verdicts = list(fits(tried))
        count = verdicts.index(False) if False in verdicts else len(verdicts)
        good, bad = (tried[count - 1] if count else good), (tried[count] if count < len(tried) else bad)
    return good
