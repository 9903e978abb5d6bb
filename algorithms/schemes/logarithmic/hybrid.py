"""Few processors for many bodies: articulated bodies within, divide and conquer between (Anderson and Duan 2000).

Each of p processors makes one piece of a stretch of bodies (`stretch.py`); a tree joins the p pieces (`dividing.py`).
With one processor it is articulated bodies alone, the program of `one-featherstone`; with one a body it is `dca`.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.schemes.base.evaluation import Evaluation
from meshsim.algorithms.schemes.base.scheme import LINEAR, Scheme
from meshsim.algorithms.schemes.logarithmic.dca import TREES, roots_of
from meshsim.algorithms.schemes.logarithmic.evaluations import laid_out
from meshsim.algorithms.schemes.logarithmic.robot_units import GROUND, Unit, units_of
from meshsim.algorithms.schemes.logarithmic.stretch import stretched
from meshsim.algorithms.schemes.logarithmic.trees import on_leaves
from meshsim.algorithms.schemes.one.one_featherstone import ONE_FEATHERSTONE
from meshsim.errors import MeshSimError

NAME = "hybrid"
BODIES_EACH = 4
"""How many bodies a processor has, about, where it is not told how many pieces there are."""
SHORT = 16
"""Joints of a chain below which one piece is about the quickest (docs/findings.md)."""


class Counts(tuple[str, ...]):
    """Numbers of pieces that are worth trying; any other may be told."""

    __slots__ = ()

    def __contains__(self, text: object) -> bool:
        return super().__contains__(text) or (
            isinstance(text, str) and re.fullmatch("[1-9][0-9]{0,8}", text) is not None
        )


def runs_of(units: Sequence[Unit]) -> list[list[int]]:
    """Units in rows, each of which carries the next alone; one that carries several is a row of its own."""
    runs: list[list[int]] = []
    place: dict[int, list[int]] = {}
    for i, unit in enumerate(units):
        alone = unit.carrier == GROUND or len(units[unit.carrier].reaches) > 1 or len(unit.reaches) > 1
        place[i] = [] if alone else place[unit.carrier]
        if not place[i]:
            runs.append(place[i])
        place[i].append(i)
    return runs


def stretches(units: Sequence[Unit], pieces: int, robot: str) -> list[list[int]]:
    """Rows of units, cut until there are so many pieces; the longest pieces are the shortest that can be."""
    runs = runs_of(units)
    if not len(runs) <= pieces <= len(units):
        least, most = len(runs), len(units)
        some = f"{least} to {most}" if least < most else f"{most}"
        allowed = some if least == 1 else f"1, or {some}"
        raise MeshSimError(f"option pieces of {NAME} must be {allowed} for {robot}, not {pieces}")
    parts = [1] * len(runs)
    for _ in range(pieces - len(runs)):
        longest = max(range(len(runs)), key=lambda k: len(runs[k]) / parts[k] if parts[k] < len(runs[k]) else 0.0)
        parts[longest] += 1
    return sorted(part for run, count in zip(runs, parts, strict=True) for part in _cut(units, run, count))


def _cut(units: Sequence[Unit], run: Sequence[int], count: int) -> list[list[int]]:
    """A row of units in so many parts. Where columns pass it a body costs about twice: so a free end is longer."""
    shares = count if units[run[-1]].reaches else min(count + 1, len(run))
    ends = [len(run) * k // shares for k in range(count)] + [len(run)]
    return [list(run[a:b]) for a, b in pairwise(ends)]


def fits(mechanism: Mechanism, options: Mapping[str, str]) -> bool:
    """Whether there are no more pieces than joints."""
    return options["pieces"] == "auto" or int(options["pieces"]) <= mechanism.n


def make(mechanism: Mechanism, options: Mapping[str, str]) -> Evaluation:
    """One forward-dynamics step."""
    auto = options["pieces"] == "auto"
    if options["pieces"] == "1" or (auto and mechanism.is_chain and mechanism.n < SHORT):
        return ONE_FEATHERSTONE.evaluation(mechanism)
    units = units_of(mechanism, NAME)
    pieces = max(len(runs_of(units)), len(units) // BODIES_EACH) if auto else int(options["pieces"])
    leaves = stretches(units, pieces, mechanism.name)
    return laid_out(mechanism, units, on_leaves(roots_of(mechanism, units, leaves)), options["form"], stretched)


HYBRID = Scheme(
    name=NAME,
    summary="articulated bodies on each of p processors, whose pieces are joined by divide and conquer",
    make=make,
    options={"pieces": Counts(("auto", "1", "2", "4", "8", "16", "32", "64", "128", "256")), "form": ("five", "six")},
    takes=TREES,
    tried={"pieces": ("auto", "1", "2", "4", "8", "16", "32", "64", "128", "256")},
    slower={"form": ("six",)},
    fits=fits,
    largest=LINEAR,
)
