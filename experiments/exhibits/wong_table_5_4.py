"""The 1991 machine: one evaluation of the excavator's dynamics, measured and predicted."""

from functools import cache
from pathlib import Path

from matplotlib.figure import Figure

from experiments.excavator_1991 import LINES, ONE_LINES, predict, prediction, run_mesh, run_one, unknowns
from experiments.exhibit import Appendix, Computed, Exhibit, Judgement, Line, Numbers
from experiments.exhibits._one_processor import listed
from experiments.figure import save_figure
from meshsim.kernel import Kernel
from meshsim.presets import PRESETS

MEASURED = {
    "inertia matrix": 3010.0,
    "force vector": 3380.0,
    "actuator": 350.0,
    "solver": 560.0,
    "total, one processor": 7280.0,
    "total, mesh": 1353.0,
    "speed-up": 5.38,
}
"""In us."""
CORRECTED = {"force vector": (310, 256), "total, one processor": (672, 511), "total, mesh": (140, 115)}
"""By section 3.3.1's list; by the sum of the lines; by M, solver and a quarter of the actuators."""
COUNTED = {
    "inertia matrix": (286, 209),
    "force vector": (312, 253),
    "actuator": (44, 24),
    "solver": (32, 22),
    "total, one processor": (674, 508),
    "total, mesh": (143, 115),
}
REASONS = {
    "inertia matrix": "the price of the products of eq. 3.23 is an assumption (4.7 times theory and a call): H, whose "
    "kernels are all measured, comes out right (wong-table-5.5)",
    "force vector": "its loops run over all bodies alike, where ours has exceptions for the first and the last, and "
    "half of its kernels are not in Table 5.5",
    "actuator": "its code is not printed: priced as four subroutines a joint, where one is as likely",
    "solver": "an LU subroutine from a library, with pivots and scaling, for any size; only its products are predicted",
    "total, one processor": "the force vector and the library's solver",
    "total, mesh": "even with words free, Table 5.5's kernels leave next to nothing of the measured time for "
    "communication (sensitivity, below): the mesh's code must have been quicker than the code that was timed on one "
    "processor, as the thesis supposes (smaller arrays, fewer calls). The printed operations are those of eq. 4.11, "
    "rho x c passed on, though the program recomputed it, and have one division where the solver's critical path has "
    "2n - 1",
    "speed-up": "the errors of both times have opposite signs",
}


def _path_operations() -> tuple[int, int]:
    """Multiplies (divisions and roots as such) and adds on the mesh's critical path, words being free."""
    kernels = [step.what for step in run_mesh(PRESETS["ideal"]).critical_path.steps if isinstance(step.what, Kernel)]
    mul = sum(kernel.cost.get(name, 0) for kernel in kernels for name in ("mul", "div", "sqrt"))
    return mul, sum(kernel.cost.get("add", 0) for kernel in kernels)


def compute() -> Computed:
    """Predicted times, and the operations that ran."""
    by_phase = run_one(PRESETS["ideal"]).operations_by_phase
    counts = {name: (ops["mul"] + ops["div"] + ops["sqrt"], ops["add"]) for name, ops in by_phase.items()}
    names = list(counts)
    force = names[names.index("inertia") + 1 : names.index("force") + 1]
    parts = {
        "inertia matrix": tuple(each[0] for each in listed("one-wong", [4])),
        "force vector": tuple(sum(counts[name][which] for name in force) for which in (0, 1)),
        "actuator": counts["actuator"],
        "solver": counts["solve"],
    }
    whole = tuple(sum(parts[name][which] for name in ONE_LINES) for which in (0, 1))
    operations: dict[str, Numbers] = {**parts, "total, one processor": whole, "total, mesh": _path_operations()}
    return {name: [us, *operations.get(name, (None, None))] for name, us in prediction().items()}


def _lines() -> list[Line]:
    lines = []
    for name in LINES:
        counts: Numbers = COUNTED.get(name, (None, None))
        formula = CORRECTED.get(name, counts)
        lines.append(Line(name, [MEASURED[name], *counts], REASONS[name], [MEASURED[name], *formula]))
    return lines


@cache
def _moved() -> list[tuple[str, str, float, float, float]]:
    """What every unknown would make of the totals and the speed-up."""
    found = []
    for unknown in unknowns():
        moved = predict(unknown.machine, unknown.extra)
        one, mesh, speed = (moved[name] for name in LINES[4:])
        found.append((unknown.assumed, unknown.instead, one, mesh, speed))
    return found


def sensitivity() -> Appendix:
    """How far each assumption moves the prediction."""
    base = prediction()
    rows = [("as predicted", "", *(f"{base[name]:.0f}" for name in LINES[4:6]), f"{base[LINES[6]]:.2f}")]
    for assumed, instead, one, mesh, speed in _moved():
        changes = (f"{new:.0f} ({new - base[name]:+.0f})" for name, new in zip(LINES[4:6], (one, mesh), strict=True))
        rows.append((assumed, instead, *changes, f"{speed:.2f}"))
    return Appendix(
        "Sensitivity: what is not published, and what another answer would make of the prediction",
        ("assumed", "instead", "one processor, us", "mesh, us", "speed-up"),
        rows,
    )


def draw(_judgement: Judgement, path: Path) -> None:
    """Predicted and measured, and how far each unknown would move the prediction."""
    base = prediction()
    figure = Figure(figsize=(9.0, 4.6), layout="constrained")
    figure.suptitle("What another answer to each unknown would make of the prediction", fontsize=10)
    panels = figure.subplots(1, 2, sharey=True)
    labels = [f"{assumed};\nif instead {instead}" for assumed, instead, *_ in _moved()]
    for panel, name, place in zip(panels, LINES[4:6], (2, 3), strict=True):
        for height, row in enumerate(_moved()):
            panel.barh(
                height, float(row[place]) - base[name], left=base[name], color="#8fc1e3", edgecolor="black", height=0.6
            )
        panel.axvline(base[name], color="black", linewidth=1.2, label=f"predicted, {base[name]:.0f} us")
        panel.axvline(
            MEASURED[name], color="#d55e00", linewidth=1.5, linestyle="--", label=f"measured, {MEASURED[name]:.0f} us"
        )
        panel.set_xlabel(f"{name}, us")
        panel.set_yticks(range(len(labels)), labels, fontsize=6)
        panel.legend(fontsize=7, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, frameon=False)
        panel.grid(True, axis="x", linewidth=0.3)
    panels[0].invert_yaxis()
    save_figure(figure, path)


EXHIBIT = Exhibit(
    "wong-table-5.4",
    "One evaluation of the excavator's dynamics on T800s of 1991: measured, and predicted",
    ("us", "mul", "add"),
    _lines(),
    compute,
    "Times are predicted from `t800-measured` by experiments/excavator_1991.py, which knows none of the measured ones; "
    "rho x c recomputed, rendezvous. Operations are counted on `ideal`; those of the mesh lie on its critical path. "
    "Roots and divisions count as multiplies.",
    draw,
    sensitivity,
)
