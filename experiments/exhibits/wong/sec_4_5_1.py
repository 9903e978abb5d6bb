"""The shift of M to the edge of the mesh, with the links that wrap it to a cone and without."""

from meshsim.algorithms.robots.catalogue import chain
from meshsim.algorithms.robots.state import default_state
from meshsim.algorithms.schemes.mesh.columns import WRAPS
from meshsim.algorithms.schemes.mesh.wong_mesh import WONG_MESH
from meshsim.experiments.exhibits.base.exhibit import Appendix, Computed, Exhibit, Line
from meshsim.experiments.studies.shift_alone import run_shift
from meshsim.presets import PRESETS

SIZES = (2, 4, 6, 8, 12, 16)
SHIFTS = Line("shifts, cone", [n - 1 for n in SIZES])
TWICE = Line("shifts without the wrap, as a multiple", [2] * len(SIZES))
FLOATS = Line(
    "floats one after the other, as a multiple",
    [2] * len(SIZES),
    "each of the n - 1 shifts that turn the column over moves a row of n floats, not one float: (n - 1)(n + 1) floats "
    "follow one another, n + 1 times those of the cone",
    counted=[n + 1 - 2 for n in SIZES],
)
MACHINES = {"t800": "published", "t800-overlap": "early", "t800-posted": "early"}
"""With the order that is quick there."""


def compute() -> Computed:
    """From runs of the shift alone: a tick a message, or a tick a float."""
    messages, floats = (
        {wrap: [run_shift(n, wrap, *costs).ticks for n in SIZES] for wrap in ("yes", "no")}
        for costs in ((1, 0), (0, 1))
    )
    return {
        SHIFTS.label: messages["yes"],
        TWICE.label: [without / cone for cone, without in zip(messages["yes"], messages["no"], strict=True)],
        FLOATS.label: [without / cone for cone, without in zip(floats["yes"], floats["no"], strict=True)],
    }


def appendix() -> Appendix:
    """How long a whole step takes."""
    rows = []
    for machine, order in MACHINES.items():
        for wrap in WRAPS:
            times = []
            for n in SIZES:
                robot = chain(n, 1)
                plan = WONG_MESH.plan(robot, default_state(robot), wrap=wrap, order=order)
                run = plan.run(PRESETS[machine], trace=False)
                times.append(f"{PRESETS[machine].microseconds(run.ticks):.1f}")
            rows.append([machine, order, wrap, *times])
    return Appendix("A whole step, us", ["machine", "order", "wrap", *(f"n = {n}" for n in SIZES)], rows)


EXHIBIT = Exhibit(
    "wong-sec-4.5.1",
    "The data shift before the solver, on the cone and on a mesh that is not wrapped",
    [f"n = {n}" for n in SIZES],
    [SHIFTS, TWICE, FLOATS],
    compute,
    "Without the wrap the rows of M are brought to the last column, and then moved along it: row i to where row "
    "n + 1 - i is, which the text calls twice as long. In the appendix, `wrap=reversed` moves nothing: the solver "
    "takes the joints in the order in which they stand.",
    appendix=appendix,
)
