"""From which number of joints on a scheme is quicker than another, also beyond what was simulated.

The time of a scheme of the O(log n) family is a + b ceil(log2 n) ticks, and that of the mesh, or of articulated bodies
on one processor, c + d n, once n is large. Whether that holds is looked at in the simulated times, tick by tick: the
last three powers of two, none of them small, must lie on one line, exactly, and so must all sizes between them where
the line is over joints. Then what lies beyond follows from the counts; it is evaluated, not simulated, and called so.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from meshsim.algorithms.schemes.catalogue import LOGARITHMIC
from meshsim.experiments.studies.crossover import MESH

FAMILY = tuple(scheme.name for scheme in LOGARITHMIC)
ONE = "one processor"
FARTHEST = 2**14
"""Up to so many joints is looked."""
LAST = 3
"""So many powers of two must lie on one line."""
LEAST = 16
"""The smallest of them: what is small may lie on another line."""
EVALUATED = "(evaluated)"
Times = Mapping[int, int]
"""Ticks by number of joints."""


def levels(n: int) -> int:
    """log2 n, rounded up."""
    return (n - 1).bit_length()


@dataclass(frozen=True)
class Law:
    """Ticks as a straight line over joints, or over the levels of their halving."""

    start: Fraction
    slope: Fraction
    logarithmic: bool

    def __call__(self, n: int) -> Fraction:
        """Ticks for n joints."""
        return self.start + self.slope * (levels(n) if self.logarithmic else n)


def law_of(times: Times, logarithmic: bool) -> Law | None:
    """The line that the last powers of two lie on, exactly; None if there is none."""
    powers = sorted(n for n in times if n & (n - 1) == 0)[-LAST:]
    if len(powers) < LAST or powers[0] < LEAST:
        return None
    xs = [levels(n) if logarithmic else n for n in powers]
    slope = Fraction(times[powers[-1]] - times[powers[0]], xs[-1] - xs[0])
    law = Law(times[powers[0]] - slope * xs[0], slope, logarithmic)
    held = powers if logarithmic else [n for n in times if n >= powers[0]]
    return law if all(law(n) == times[n] for n in held) else None


def passed(times: Times, others: Times) -> int | None:
    """From which simulated number of joints on a scheme takes less; None if it takes longer for the largest."""
    shared = sorted(set(times) & set(others), reverse=True)
    found = None
    for n in shared:
        if times[n] >= others[n]:
            break
        found = n
    return found


def passed_beyond(law: Law, other: Law, after: int) -> int | None:
    """From which number of joints on one law is below the other, looked for after those that were simulated."""
    found = None
    for n in range(FARTHEST, after, -1):
        if law(n) >= other(n):
            break
        found = n
    return found


def _ticks(rows: Sequence[Mapping[str, Any]], machine: str) -> dict[str, dict[int, int]]:
    """Of each scheme the fewest ticks by joints; and of the quickest algorithm on one processor."""
    found: dict[str, dict[int, int]] = {}
    for row in rows:
        if row["machine"] == machine:
            mine = found.setdefault(row["scheme"], {})
            mine[row["n"]] = min(row["ticks"], mine.get(row["n"], row["ticks"]))
            found.setdefault(ONE, {})[row["n"]] = row["baseline_ticks"]
    return found


def crossing(times: Mapping[str, Times], scheme: str, other: str) -> str:
    """When a scheme of the family passes another, in words."""
    mine, theirs = times[scheme], times[other]
    shared = set(mine) & set(theirs)
    if not shared:
        return "not compared"
    if (n := passed(mine, theirs)) is not None:
        before = [each for each in shared if each < n]
        return f"from n = {n} on" + (f" (not at {max(before)})" if before else "")
    laws = law_of(mine, True), law_of(theirs, False)
    if laws[0] is None or laws[1] is None:
        return f"not up to n = {max(shared)}"
    n = passed_beyond(laws[0], laws[1], max(shared))
    if n is None:
        return f"not up to n = {max(shared)}, nor up to {FARTHEST} {EVALUATED}"
    return f"not up to n = {max(shared)}, but from n = {n} on {EVALUATED}"


def crossings(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """What `meshsim compare` prints of the O(log n) family."""
    lines: list[str] = []
    for machine in dict.fromkeys(row["machine"] for row in rows):
        times = _ticks(rows, machine)
        others = [name for name in (MESH, "triangle", ONE) if name in times]
        for scheme in (name for name in FAMILY if name in times):
            said = "; ".join(f"{other} {crossing(times, scheme, other)}" for other in others)
            lines.append(f"    {f'{scheme} on {machine}':<26}{said}")
    if not lines:
        return []
    if any(EVALUATED in line for line in lines):
        lines.append(
            "    (evaluated: not simulated, but computed from the counts, on whose line three powers of two lie)"
        )
    return ["the O(log n) family passes, the whole step:", *lines]


def curves(
    rows: Sequence[Mapping[str, Any]], machine: str
) -> dict[str, tuple[Times, Callable[[int], Fraction] | None]]:
    """Of each scheme and of one processor: ticks that were simulated, and the law beyond them, where there is one."""
    return {name: (times, law_of(times, name in FAMILY)) for name, times in _ticks(rows, machine).items()}
