"""How much slower than in theory the excavator's programs were, and what speed-up theory has."""

from meshsim.experiments.exhibits.base.exhibit import Computed, Exhibit, Line
from meshsim.experiments.exhibits.wong.table_5_4 import compute as compute_table
from meshsim.experiments.studies.excavator_1991 import prediction

TOTALS = {"one processor": "total, one processor", "mesh": "total, mesh"}
FOLLOWS = "follows from the times and counts of wong-table-5.4, and differs as they do"


def compute() -> Computed:
    """Predicted time over that of the counted operations, a multiply 1 us and an add 0.5 us."""
    table = compute_table()
    theory = {}
    for label, line in TOTALS.items():
        _, mul, add = table[line]
        assert mul is not None
        assert add is not None
        theory[label] = mul + add / 2
    slower = {f"{label}, times": [prediction()[line] / theory[label]] for label, line in TOTALS.items()}
    return slower | {"speed-up in theory": [theory["one processor"] / theory["mesh"]]}


EXHIBIT = Exhibit(
    "wong-sec-5.6",
    "How much slower than in theory the excavator's programs were on T800s, and the speed-up in theory",
    ("value",),
    [
        Line("one processor, times", [7.83], FOLLOWS),
        Line("mesh, times", [6.75], FOLLOWS),
        Line("speed-up in theory", [4.63], FOLLOWS),
    ],
    compute,
    "Sections 5.5.1 and 5.6. Theory has the operations alone; times are predicted as for wong-table-5.4.",
)
