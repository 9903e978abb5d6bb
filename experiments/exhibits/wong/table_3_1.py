"""Complexity of forward dynamics on one processor, part by part."""

from fractions import Fraction

from meshsim.experiments.exhibits.base.exhibit import Computed, Exhibit, Line, Numbers
from meshsim.experiments.exhibits.base.one_processor import CAUSES, SCHEMES_OF, counted, listed, total
from meshsim.experiments.exhibits.base.polynomials import (
    FORCE,
    FORCE_LIST,
    INERTIA,
    SIZES,
    SOLVER,
    SUMS,
    TOTAL,
    TOTAL_LIST,
    Counts,
    values,
)
from meshsim.experiments.exhibits.base.printed import by_line

OPERATIONS = ("mul", "add")
WITH_SUMS = "inertia matrix with the sums over the bodies"
REASONS = {
    "Angeles, force vector": CAUSES["Angeles, force"],
    "Angeles, solver": CAUSES["Angeles, solver"],
    "Angeles, sum": f"{CAUSES['sums']}; {CAUSES['Angeles, force']}; {CAUSES['Angeles, solver']}",
    "Proposed, sum": CAUSES["sums"],
    f"Angeles, {WITH_SUMS}": CAUSES["sums"],
    f"Proposed, {WITH_SUMS}": CAUSES["sums"],
    "Walker, force vector": CAUSES["Walker, force"],
    "Walker, inertia matrix": CAUSES["Walker, inertia"],
    "Walker, sum": "see its force vector and inertia matrix",
    "Brandl, sum": CAUSES["Brandl"],
    "Fijany, inertia matrix": CAUSES["not listed"],
    "Lilly I, inertia matrix": CAUSES["not listed"],
    "Lilly III, inertia matrix": CAUSES["Lilly III"],
    "He, force vector": CAUSES["not listed"],
}
LISTED = "the items of section 3.3.1"
CORRECTED = {"Proposed, force vector": FORCE_LIST, "Proposed, sum": TOTAL_LIST}
DIVISIONS = (Fraction(-1, 2), Fraction(-3, 2), 0)
COUNTED = {
    "Angeles, solver": DIVISIONS,
    "Proposed, sum": SUMS,
    f"Angeles, {WITH_SUMS}": SUMS,
    f"Proposed, {WITH_SUMS}": SUMS,
}
"""How many adds we count more than print."""
PARTS = {"force vector": FORCE, "inertia matrix": INERTIA, "solver": SOLVER, "sum": TOTAL}


def _line(label: str, counts: Counts, which: int) -> Line:
    reason = REASONS.get(label, "")
    return Line(
        f"{label}, {OPERATIONS[which]}",
        values(counts[which], SIZES),
        reason,
        values(CORRECTED[label][which], SIZES) if label in CORRECTED else None,
        LISTED,
        counted=values(COUNTED[label], SIZES) if which == 1 and label in COUNTED else None,
        not_comparable=reason if reason == CAUSES["not listed"] else "",
    )


def _lines() -> list[Line]:
    lines = [
        _line(f"{name}, {part}", counts, which)
        for part, table in PARTS.items()
        for name, counts in table.items()
        for which in (0, 1)
    ]
    return lines + [_line(f"{name}, {WITH_SUMS}", INERTIA[name], 1) for name in ("Angeles", "Proposed")]


def compute() -> Computed:
    """Counts of runs on random chains."""
    nothing: tuple[Numbers, Numbers] = ([None] * len(SIZES),) * 2
    found: dict[str, tuple[Numbers, Numbers]] = {
        f"{name}, {part}": nothing for part, table in PARTS.items() for name in table
    }
    for name, scheme in SCHEMES_OF.items():
        found[f"{name}, force vector"] = counted(scheme, SIZES, "force")
        found[f"{name}, inertia matrix"] = counted(scheme, SIZES, "inertia")
        found[f"{name}, solver"] = counted(scheme, SIZES, "solve")
        found[f"{name}, sum"] = total(scheme, SIZES)
    found["Brandl, sum"] = total("one-featherstone", SIZES, bias="inside")
    found["Lilly III, inertia matrix"] = counted("one-bae", SIZES, "inertia", frame="body")
    whole = {name: found[f"{name}, inertia matrix"][1] for name in ("Angeles", "Proposed")}
    for name in whole:
        found[f"{name}, inertia matrix"] = listed(SCHEMES_OF[name], SIZES)
    return dict(by_line(found)) | {f"{name}, {WITH_SUMS}, add": adds for name, adds in whole.items()}


EXHIBIT = Exhibit(
    "wong-table-3.1",
    "Operations of forward dynamics on one processor, part by part",
    [f"n = {n}" for n in SIZES],
    _lines(),
    compute,
    "Divisions and square roots count as multiplies, as in print. What is constant is formed off line, as in print "
    "(docs/notation.md lists it). Inertia matrices of Angeles and of the thesis are counted by section 3.2's list. The "
    "force vector of the thesis does ten additions for L' of body 1, as section 3.3.1 lists: nine are needed, and the "
    "tenth adds a part of J w' that is zero.",
)
