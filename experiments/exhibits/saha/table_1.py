"""Complexity of inverse dynamics algorithms."""

from meshsim.experiments.exhibits.base.exhibit import Computed, Exhibit, Line, Numbers
from meshsim.experiments.exhibits.base.one_processor import CAUSES, counted, inverse_counts
from meshsim.experiments.exhibits.base.polynomials import FORCE, SIZES, Counts, values
from meshsim.experiments.exhibits.base.printed import by_line

ROWS: dict[str, tuple[Counts, tuple[int, int], str]] = {
    "Hollerbach": (((412, -277), (320, -201)), (2195, 1719), CAUSES["not listed"]),
    "Luh et al.": (((150, -48), (131, 48)), (852, 834), CAUSES["Luh"]),
    "Walker and Orin": (((137, -22), (101, -11)), (800, 595), CAUSES["Walker, inverse"]),
    "Saha (RIDIM)": (((120, -44), (97, -55)), (676, 527), CAUSES["RIDIM"]),
    "Khalil et al.": (((105, -92), (94, -86)), (538, 478), CAUSES["not listed"]),
    "Angeles et al.": (
        ((105, -109), (90, -105)),
        (521, 435),
        CAUSES["Angeles, force"] + "; here joints do not accelerate",
    ),
    "Balafoutis et al.": (((93, -69), (81, -65)), (489, 421), CAUSES["not listed"]),
}
"""Polynomials, the numbers printed for n = 6, and why ours are others."""
MEANT = {"Angeles et al.": FORCE["Angeles"]}
THESIS = "Wong Table 3.1, which has 105n - 99 and 90n - 95 for the same paper"


def _published(counts: Counts, printed: tuple[int, int], which: int) -> list[float]:
    return [printed[which] if n == 6 else number for n, number in zip(SIZES, values(counts[which], SIZES), strict=True)]


def compute() -> Computed:
    """Counts of runs on random chains; Angeles' is the force vector inside a run."""
    nothing: tuple[Numbers, Numbers] = [None] * len(SIZES), [None] * len(SIZES)
    found: dict[str, tuple[Numbers, Numbers]] = dict.fromkeys(ROWS, nothing) | {
        "Luh et al.": inverse_counts("one-luh-walker-paul", SIZES),
        "Walker and Orin": inverse_counts("one-luh-walker-paul", SIZES, without="rotations"),
        "Saha (RIDIM)": inverse_counts("one-saha", SIZES),
        "Angeles et al.": counted("one-angeles", SIZES, "force"),
    }
    return by_line(found)


EXHIBIT = Exhibit(
    "saha-table-1",
    "Operations of recursive inverse dynamics",
    [f"n = {n}" for n in SIZES],
    [
        Line(
            f"{name}, {op}",
            _published(counts, printed, which),
            reason,
            values(MEANT.get(name, counts)[which], SIZES),
            THESIS if name in MEANT else "his polynomial",
            not_comparable=reason if reason == CAUSES["not listed"] else "",
        )
        for name, (counts, printed, reason) in ROWS.items()
        for which, op in enumerate(("mul", "add"))
    ],
    compute,
    "Column n = 6 is printed, the others follow from the polynomials. The table's 421M of Balafoutis is meant as 421A. "
    "Luh's and Walker and Orin's are one program here; forming the rotations is counted in Luh's line only, Angeles' "
    "count leaves it to the inertia matrix, and Saha's program forms none.",
)
