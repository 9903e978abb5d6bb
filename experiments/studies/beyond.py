"""From which number of joints on the O(log n) family is quicker than other schemes, also beyond what was simulated.

Once n is large, the time of a scheme is a + b n + c ceil(log2 n) ticks: of the O(log n) family with b = 0, of a mesh or
articulated bodies on one processor with c = 0, of recursive doubling with a linear solver with both. Whether that holds
is looked at in the simulated times, tick by tick: three powers of two determine the law, and a fourth must lie on it
exactly. Then what lies beyond follows from the counts; it is evaluated, not simulated, and called so.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from meshsim.algorithms.schemes.catalogue import LOGARITHMIC

FAMILY = LOGARITHMIC
ONE = "one processor"
FARTHEST = 2**14
"""Up to so many joints is looked."""
LAST = 4
"""So many powers of two must lie on the law, which three determine."""
LEAST = 16
"""The smallest of them: what is small may follow another law."""
Times = Mapping[int, int]
"""Ticks by number of joints."""


def levels(n: int) -> int:
    """log2 n, rounded up."""
    return (n - 1).bit_length()


@dataclass(frozen=True)
class Law:
    """Ticks for n joints: a start, some for each joint, and some for each level of their halving."""

    start: Fraction
    joint: Fraction
    level: Fraction

    def __call__(self, n: int) -> Fraction:
        """Ticks for n joints."""
        return self.start + self.joint * n + self.level * levels(n)


def law_of(times: Times) -> Law | None:
    """The law that the last four powers of two follow, exactly; None if there is none."""
    powers = sorted(n for n in times if n >= LEAST and n & (n - 1) == 0)[-LAST:]
    if len(powers) < LAST or powers[-1] != powers[0] << LAST - 1:
        return None
    first, second, third, fourth = (times[n] for n in powers)
    joint = Fraction(third - 2 * second + first, powers[0])  # a level is added from each power to the next
    level = second - first - joint * powers[0]
    law = Law(first - joint * powers[0] - level * levels(powers[0]), joint, level)
    return law if law(powers[-1]) == fourth else None


def passed(times: Times, others: Times) -> int | None:
    """From which simulated number of joints on a scheme takes less; None if it takes longer for the largest."""
    shared = sorted(set(times) & set(others), reverse=True)
    found = None
    for n in shared:
        if times[n] >= others[n]:
            break
        found = n
    return found


def passed_by_law(law: Law, other: Law, after: int, last: int = FARTHEST) -> int | None:
    """From which number of joints on, after one and up to another, a law is below the other.

    As long as levels are the same, the difference of two laws is a straight line: from one power of two to the next,
    the ends decide.
    """
    found, high = None, last
    while high > after and law(high) < other(high):
        low = max(after, (1 << levels(high) - 1) if high > 1 else 0) + 1
        if law(low) >= other(low):
            slope = other.joint - law.joint
            return high - math.ceil((other(high) - law(high)) / slope) + 1
        found, high = low, low - 1
    return found


def ticks_of(rows: Sequence[Mapping[str, Any]], machine: str) -> dict[str, dict[int, int]]:
    """Of each scheme the fewest ticks by joints; and of the quickest algorithm on one processor."""
    found: dict[str, dict[int, int]] = {}
    for row in rows:
        if row["machine"] == machine:
            if not row["scheme"].startswith("one-"):
                mine = found.setdefault(row["scheme"], {})
                mine[row["n"]] = min(row["ticks"], mine.get(row["n"], row["ticks"]))
            found.setdefault(ONE, {})[row["n"]] = row["baseline_ticks"]
    return found


def crossing(mine: Times, theirs: Times) -> str:
    """From which number of joints on a scheme takes less than another, in a few letters; * is evaluated."""
    shared = set(mine) & set(theirs)
    if not shared:
        return "-"
    law, other = law_of(mine), law_of(theirs)
    n = passed(mine, theirs)
    if n == min(shared):
        return "always"
    if law is None or other is None:
        return f"not to {max(shared)}" if n is None else f"n >= {n}"
    if n is None:
        n = passed_by_law(law, other, max(shared))
        return f"not to {FARTHEST}*" if n is None else f"n >= {n}*"
    between = passed_by_law(law, other, max(each for each in shared if each < n), n)
    return f"n >= {n}" if between in (None, n) else f"n >= {between}*"


def crossings(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """What `meshsim compare` prints of the O(log n) family: a table a machine."""
    lines: list[str] = []
    for machine in dict.fromkeys(row["machine"] for row in rows):
        times = ticks_of(rows, machine)
        family = [name for name in FAMILY if name in times]
        others = [name for name in times if name not in FAMILY]
        if family:
            lines.append(f"    {'on ' + machine:<18}" + "".join(f"{name:>14}" for name in family))
        for other in others if family else ():
            cells = (crossing(times[name], times[other]) for name in family)
            lines.append(f"      {other:<16}" + "".join(f"{cell:>14}" for cell in cells))
    if not lines:
        return []
    if any("*" in line for line in lines):
        lines.append("    *: evaluated from the counts, not simulated: four powers of two follow a law exactly")
    return ["from which n on the O(log n) family is quicker, the whole step:", *lines]


def curves(rows: Sequence[Mapping[str, Any]], machine: str) -> dict[str, tuple[Times, Law | None]]:
    """Of each scheme and of one processor: ticks that were simulated, and the law beyond them, where there is one."""
    return {name: (times, law_of(times)) for name, times in ticks_of(rows, machine).items()}
