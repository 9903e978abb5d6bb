"""Complexity of forward dynamics algorithms, and from which n the recursions are the cheaper ones."""

from collections.abc import Sequence
from fractions import Fraction

from meshsim.experiments.exhibits.base.exhibit import Computed, Exhibit, Line, Numbers
from meshsim.experiments.exhibits.base.one_processor import CAUSES, phases, total
from meshsim.experiments.exhibits.base.polynomials import FEATHERSTONE, SIZES, TOTAL, Counts, values

FAR = tuple(range(2, 31))
ROWS: dict[str, tuple[Counts, tuple[int, int], str]] = {
    "Mohan and Saha": (((173, -128), (150, -133)), (10, 12), CAUSES["Mohan"]),
    "Saha": (((191, -284), (187, -325)), (10, 14), CAUSES["Saha"]),
    "Featherstone": (FEATHERSTONE, (12, 14), CAUSES["Featherstone"]),
    "Valasek": (((226, -343), (206, -345)), (13, 15), CAUSES["not listed"]),
    "Brandl et al.": (TOTAL["Brandl"], (14, 16), CAUSES["Brandl"]),
}
WALKER: Counts = (
    (Fraction(1, 6), Fraction(23, 2), Fraction(115, 3), -47),
    (Fraction(1, 6), 7, Fraction(233, 6), -46),
)
"""As implemented by Featherstone; it, too, seems to leave the force out."""


def first_cheaper(recursive: Sequence[Numbers], cubic: Sequence[Numbers]) -> float | None:
    """The first size of FAR for which every kind of operation is no more."""
    for place, n in enumerate(FAR):
        pairs = [(ours[place], theirs[place]) for ours, theirs in zip(recursive, cubic, strict=True)]
        if all(a is not None and b is not None and a <= b for a, b in pairs):
            return n
    return None


def _crossings(counts: Counts) -> tuple[float | None, float | None]:
    ours = [values(each, FAR) for each in counts]
    theirs = [values(each, FAR) for each in WALKER]
    return first_cheaper(ours[:1], theirs[:1]), first_cheaper(ours, theirs)


def _lines() -> list[Line]:
    lines = []
    for name, (counts, crossings, reason) in ROWS.items():
        derived = _crossings(counts)
        for which, op in enumerate(("mul", "add")):
            numbers = values(counts[which], SIZES)
            lines.append(
                Line(
                    f"{name}, {op}",
                    [*numbers, crossings[which]],
                    reason,
                    [*numbers, derived[which]],
                    "his polynomials",
                    not_comparable=reason if reason == CAUSES["not listed"] else "",
                )
            )
    walker = f"{CAUSES['Walker, inertia']}; here without the force vector, as it seems meant"
    return lines + [
        Line(f"Walker and Orin, {op}", [*values(WALKER[which], SIZES), None], walker)
        for which, op in enumerate(("mul", "add"))
    ]


def _without_force(scheme: str, sizes: Sequence[int], **options: str) -> tuple[list[int], list[int]]:
    runs = [phases(scheme, n, **options) for n in sizes]
    kept = [[count for name, count in run.items() if name not in ("force", "shift")] for run in runs]
    return [sum(mul for mul, _ in each) for each in kept], [sum(add for _, add in each) for each in kept]


def compute() -> Computed:
    """Counts of runs on random chains; what Featherstone, Saha and Walker print is without the force vector."""
    nothing: Sequence[Numbers] = [[None] * len(FAR)] * 2
    walker = _without_force("one-walker-orin", FAR)
    found: dict[str, Sequence[Numbers]] = dict.fromkeys(ROWS, nothing) | {
        "Saha": _without_force("one-saha", FAR),
        "Featherstone": _without_force("one-featherstone", FAR, bias="inverse"),
        "Brandl et al.": total("one-featherstone", FAR, bias="inside"),
    }
    lines: dict[str, Numbers] = {}
    for name, both in found.items():
        crossings = first_cheaper(both[:1], walker[:1]), first_cheaper(both, walker)
        for op, each, crossing in zip(("mul", "add"), both, crossings, strict=True):
            lines[f"{name}, {op}"] = [*each[: len(SIZES)], crossing]
    return lines | {
        f"Walker and Orin, {op}": [*each[: len(SIZES)], None] for op, each in zip(("mul", "add"), walker, strict=True)
    }


EXHIBIT = Exhibit(
    "saha-table-2",
    "Operations of forward dynamics, and from which n the recursions are cheaper",
    [*(f"n = {n}" for n in SIZES), "cheaper from"],
    _lines(),
    compute,
    "The last column is the table's n* beside the multiplies and its n+ beside the adds: from where on the recursion "
    "needs no more multiplies, and no more of both, than Walker and Orin's method. Divisions count as multiplies. The "
    "table compares unlike things: Brandl's count contains the force vector, the others seem not to.",
)
