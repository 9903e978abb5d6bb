"""Tables that print operation counts as numbers, line by line a pair of multiplies and adds."""

from collections.abc import Mapping, Sequence

from meshsim.experiments.exhibits.base.exhibit import Computed, Line, Numbers
from meshsim.experiments.exhibits.base.one_processor import CAUSES
from meshsim.experiments.exhibits.base.polynomials import Counts, values

Pairs = Sequence[tuple[int, int]]


def printed_lines(
    table: Mapping[str, Pairs],
    formulas: Mapping[str, Counts],
    sizes: Sequence[int],
    reasons: Mapping[str, str],
    sources: Mapping[str, str] | None = None,
    counted: Mapping[str, Numbers] | None = None,
) -> list[Line]:
    """Two lines for each row: its multiplies and its adds, with what the polynomials give.

    `counted` has how many more adds our rule counts; of rows that cannot be computed the reason is why.
    """
    sources, counted = sources or {}, counted or {}
    return [
        Line(
            f"{name}, {op}",
            [pair[which] for pair in pairs],
            reasons.get(name, ""),
            values(formulas[name][which], sizes),
            sources.get(name, "Table 3.1's polynomial"),
            counted=counted.get(name) if op == "add" else None,
            not_comparable=reasons[name] if reasons.get(name) == CAUSES["not listed"] else "",
        )
        for name, pairs in table.items()
        for which, op in enumerate(("mul", "add"))
    ]


def by_line(found: Mapping[str, tuple[Numbers, Numbers]]) -> Computed:
    """The same lines, computed."""
    return {
        f"{name}, {op}": each for name, both in found.items() for op, each in zip(("mul", "add"), both, strict=True)
    }
