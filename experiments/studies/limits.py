"""What would still meet a deadline: the largest cost of a machine with which a recording ends in time.

On a Kahn network every time is a largest sum of costs, so that the finish never falls when a cost grows. The largest
cost that holds is then found exactly, by re-timing a few values at a time.
"""

from collections.abc import Callable, Sequence

from meshsim.machine import LARGEST, Machine
from meshsim.recording import Recording
from meshsim.retiming import retime
from meshsim.sensitivity import parameter_of, with_parameters

NEVER = -1
"""What is returned where a cost of nothing does not do either."""
PARTS = 16
"""How many values are tried at a time."""


def largest(recording: Recording, machine: Machine, name: str, allowed: int, beyond: int = NEVER) -> int | None:
    """The largest value of a cost, in ticks, with which a recording takes no longer than allowed, all else equal.

    None: there is no end to it. `NEVER`: even a cost of nothing takes longer. Where others have come as far as
    `beyond`, that is returned unless this one comes farther.
    """

    def fits(values: Sequence[int]) -> list[bool]:
        table = [with_parameters(machine, **{name: value}) for value in values]
        return [ticks <= allowed for ticks in retime(recording, table).ticks.tolist()]

    if not fits([beyond + 1])[0]:
        return beyond
    return last_that(fits, parameter_of(machine, name), good=beyond + 1)


def last_that(
    fits: Callable[[Sequence[int]], Sequence[bool]], near: int, good: int = NEVER, parts: int = PARTS
) -> int | None:
    """The last of the values from 0 on that fit, looked for near one; they are taken to fit up to it, not beyond.

    It is known that `good` fits. None: the largest that is tried fits, too.
    """
    bad = LARGEST + 1
    tried = sorted(each for each in {0, near, 2 * near, 16 * near + 1, LARGEST} if good < each <= LARGEST)
    while tried:
        verdicts = list(fits(tried))
        count = verdicts.index(False) if False in verdicts else len(verdicts)
        good, bad = (tried[count - 1] if count else good), (tried[count] if count < len(tried) else bad)
        between = {good + (bad - good) * part // (parts + 1) for part in range(1, parts + 1)}
        tried = sorted(between - {good, bad}) or list(range(good + 1, min(bad, good + 2)))
    return None if good == LARGEST else good
