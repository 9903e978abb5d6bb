"""Complexity of single-chain forward dynamics on one processor."""

from meshsim.experiments.exhibits.base.exhibit import Computed, Exhibit, Line, Numbers
from meshsim.experiments.exhibits.base.one_processor import CAUSES, counted, total
from meshsim.experiments.exhibits.base.polynomials import BAE, FEATHERSTONE, SIZES, TOTAL, values
from meshsim.experiments.exhibits.base.printed import by_line
from meshsim.experiments.exhibits.wong.table_3_1 import REASONS

ROWS = {
    "Walker": (TOTAL["Walker"], f"{REASONS['Walker, inertia matrix']}; {REASONS['Walker, force vector']}"),
    "Angeles": (TOTAL["Angeles"], REASONS["Angeles, sum"]),
    "Brandl": (TOTAL["Brandl"], CAUSES["Brandl"]),
    "Featherstone, without force": (FEATHERSTONE, CAUSES["Featherstone"]),
    "Bae, without solver": (
        BAE,
        "3n^2 + 190n - 166 mul, (5n^2 + 337n)/2 - 180 add: of body 1 only what its joint feels is computed; the n^2 "
        "terms are the published ones, and the operations behind the others are not listed",
    ),
}


def compute() -> Computed:
    """Counts of runs on random chains."""
    found: dict[str, tuple[Numbers, Numbers]] = {
        "Walker": total("one-walker-orin", SIZES),
        "Angeles": total("one-angeles", SIZES),
        "Brandl": total("one-featherstone", SIZES, bias="inside"),
        "Featherstone, without force": counted("one-featherstone", SIZES, "inertia", "solve", bias="inverse"),
        "Bae, without solver": counted("one-bae", SIZES, "inertia", "force", frame="inertial"),
    }
    return by_line(found)


EXHIBIT = Exhibit(
    "wong-table-2.1",
    "Operations of single-chain forward dynamics on one processor",
    [f"n = {n}" for n in SIZES],
    [
        Line(f"{name}, {op}", values(counts[which], SIZES), reason)
        for name, (counts, reason) in ROWS.items()
        for which, op in enumerate(("mul", "add"))
    ],
    compute,
    "Divisions and square roots count as multiplies, as in print; what is constant is formed off line.",
)
