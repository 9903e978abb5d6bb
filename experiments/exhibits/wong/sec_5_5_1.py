"""The excavator's simulator with the IRIS and the joysticks: how long a cycle takes."""

from meshsim.experiments.exhibits.base.exhibit import Appendix, Computed, Exhibit, Line
from meshsim.experiments.exhibits.wong.table_5_4 import MEASURED as WITHOUT
from meshsim.experiments.studies.display_1991 import READINGS, parts, predict, prediction

MEASURED = {"cycle, ms": 2.1, "of it added, ms": 2.1 - WITHOUT["total, mesh"] / 1e3}
"""The second is the difference of two printed numbers."""
MESH = "predicted blind; the mesh alone is predicted too slow (wong-table-5.4), and so is what is added"
ADDED = (
    "the serial line alone makes 0.83 ms of it if a byte has ten bits, 0.67 ms if eight; print says approximately 2.1 "
    "ms, so that the difference is known to 0.05 ms at best. Either the mesh did not wait for all of a transfer, or a "
    "transfer was shorter than assumed; the text does not say"
)


def compute() -> Computed:
    """The prediction."""
    return {"cycle, ms": [prediction()["cycle"]], "of it added, ms": [prediction()["added"]]}


def _readings() -> Appendix:
    rows = [(line.told, f"{line.us:.0f}", f"{predict(line):.0f}") for line in READINGS]
    without = ", ".join(f"{name} {us:.0f} us" for name, us in parts().items())
    return Appendix(
        f"Readings of the serial line, none fitted, the first predicted; a cycle without it: {without}",
        ("serial line", "waited for it, us", "cycle, us"),
        rows,
    )


EXHIBIT = Exhibit(
    "wong-sec-5.5.1",
    "A cycle of the excavator's simulator with the IRIS and the joysticks, measured and predicted",
    ("value",),
    [
        Line("cycle, ms", [MEASURED["cycle, ms"]], MESH),
        Line("of it added, ms", [MEASURED["of it added, ms"]], ADDED),
    ],
    compute,
    "Times are predicted from `t800-measured` by experiments/studies/display_1991.py, which knows none of the measured "
    "ones. Once a frame of 1/20 s, that is five steps of four evaluations, 16 bytes go each way at 9600 baud. Assumed: "
    "four bytes a number; ten bits a byte, a start and a stop bit among them; both directions at once, as section "
    "5.4.3 says; the mesh waits for the commands; drawing takes none of its time.",
    readings=_readings,
)
