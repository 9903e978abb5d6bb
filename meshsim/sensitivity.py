"""What a run's finish depends on: how often each cost of the machine lies on the critical path, and how far that holds.

The finish is a sum over the critical path, so that it grows with each cost as often as the path pays it. As a function
of one cost it is convex and made of straight pieces: a path stays critical as long as the finish stays on its line, and
where two lines meet, a tick more and a tick less have different effects.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from meshsim.counted import Kernel
from meshsim.critical_path import CriticalPath
from meshsim.discipline import COSTS, ROUTE_COSTS
from meshsim.machine import LARGEST, Machine
from meshsim.machine import PARAMETERS as PARAMETERS
from meshsim.machine import parameter_of as parameter_of
from meshsim.machine import with_parameters as with_parameters
from meshsim.recording import Recording
from meshsim.retiming import retime
from meshsim.trace import Message

FARTHEST = 2**22
"""The farthest that the end of a cost's range is searched, in ticks."""


def path_counts(path: CriticalPath, machine: Machine) -> Mapping[str, int]:
    """How often the path pays each cost; kernels with a price of their own are named `kernels.NAME`.

    The sum of the counts, each times its cost, is the finish, unless programs share processors or wires, or links have
    costs of their own.
    """
    counts: Counter[str] = Counter()
    costs = {**COSTS, **ROUTE_COSTS}
    for step in path.walked:
        what = step.what
        if isinstance(what, Kernel):
            if what.name in machine.kernels:
                counts[f"kernels.{what.name}"] += 1
            else:
                counts["kernel_overhead"] += 1
                counts.update(what.cost)
        elif isinstance(what, Message) and step.kind in costs:
            counts.update(costs[step.kind].paid(what.words))
    order = {name: place for place, name in enumerate(PARAMETERS)}
    return dict(sorted(counts.items(), key=lambda item: (order.get(item[0], len(order)), item[0])))


@dataclass(frozen=True)
class Slope:
    """The sensitivity of the finish to one cost: ticks more for a tick more of it, and ticks less for a tick less.

    `up` holds until the cost is `high` (None: no end was found), `down` until it is `low`. Where both are the same, one
    critical path holds from `low` to `high`; else another one becomes critical just here. A cost of nothing has no
    `down`.
    """

    up: int
    down: int | None
    low: int
    high: int | None


def slopes(recording: Recording, machine: Machine) -> Mapping[str, Slope]:
    """What each cost does to the finish, for those that do anything.

    All costs are searched at once, down and up, each between an offset that is known to hold and one that is not.
    """
    costs = {name: parameter_of(machine, name) for name in PARAMETERS}
    sides = [(name, way) for name, cost in costs.items() for way in (-1, 1) if 0 <= cost + way <= LARGEST]
    table = [machine, *(with_parameters(machine, **{name: costs[name] + way}) for name, way in sides)]
    finish, *moved = retime(recording, table).ticks.tolist()
    slope = {side: (ticks - finish) * side[1] for side, ticks in zip(sides, moved, strict=True)}
    good = {side: 1 for side in sides if slope[side]}
    end = {(name, way): min(FARTHEST, LARGEST - costs[name]) if way > 0 else costs[name] for name, way in good}
    bad = {side: end[side] + 1 for side in good}
    while searched := [side for side in good if bad[side] - good[side] > 1]:
        tried = [(*side, offset) for side in searched for offset in _between(good[side], bad[side])]
        table = [with_parameters(machine, **{name: costs[name] + way * offset}) for name, way, offset in tried]
        for (name, way, offset), ticks in zip(tried, retime(recording, table).ticks.tolist(), strict=True):
            if ticks == finish + slope[name, way] * way * offset:
                good[name, way] = max(good[name, way], offset)
            else:
                bad[name, way] = min(bad[name, way], offset)
    found = {}
    for name, cost in costs.items():
        up, down = slope.get((name, 1), 0), slope.get((name, -1))
        if up or down:
            far = good.get((name, 1), 0)
            high = None if far and far == end[name, 1] else cost + far
            found[name] = Slope(up, down, cost - good.get((name, -1), 0), high)
    return found


def _between(good: int, bad: int) -> list[int]:
    """A few offsets between two, evenly spaced."""
    return sorted({good + max(1, (bad - good) * part // 17) for part in range(1, 17)} - {bad})
