"""The 1991 machine: one evaluation of the excavator's dynamics, measured and predicted."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from textwrap import wrap

from meshsim.algorithms.schemes.one.one_wong import FORCE_ITEMS, INERTIA_ITEMS
from meshsim.experiments.exhibits.base.exhibit import Appendix, Computed, Exhibit, Judgement, Line
from meshsim.experiments.exhibits.base.polynomials import FORCE_LIST, value
from meshsim.experiments.studies.excavator_1991 import (
    LINES,
    ONE_LINES,
    path_of_mesh,
    prediction,
    readings,
    run_mesh,
    run_one,
    unknowns,
)
from meshsim.presets import PRESETS
from meshsim.sensitivity import path_counts

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
COUNTED: dict[str, tuple[int | None, int | None]] = {
    "inertia matrix": (286, 209),
    "force vector": (312, 253),
    "actuator": (44, 24),
    "solver": (32, 22),
    "total, one processor": (674, 508),
    "total, mesh": (143, 115),
    "speed-up": (None, None),
}
CORRECTED: dict[str, tuple[list[float | None], str]] = {
    "force vector": ([3380.0, *(value(each, 4) for each in FORCE_LIST)], "the items of section 3.3.1"),
    "actuator": ([330.0, 44, 24], "the total of the lines, and their shares of it"),
    "total, one processor": (
        [
            7280.0,
            *(old + value(new, 4) - wrong for old, new, wrong in zip((674, 508), FORCE_LIST, (312, 253), strict=True)),
        ],
        "the force vector by the items of section 3.3.1",
    ),
}
MESH_MORE = [None, 145 + 15 - 112 - 20, 121 + 1 + 11 - 93 - 16]
"""On the program's longest path, less what print adds up: the parts that the reason names."""
REASONS = {
    "inertia matrix": "the products of eq. 3.23 are priced by assumption (4.7 times theory and a call); H alone comes "
    "out right (wong-table-5.5)",
    "force vector": "half of its kernels are not in Table 5.5, and its program is not printed",
    "actuator": "its program is not printed: priced as four subroutines a joint; as one it would come out right "
    "(sensitivity)",
    "solver": "print says no more than a proven and readily available LU subroutine, and counts a Cholesky solver. "
    "Priced is one that looks for the largest pivots. One that measures them by their rows, with a call for each "
    "absolute value, would come near (sensitivity); what is left, moving rows and copying a matrix, has no price here",
    "total, one processor": "the force vector and the solver",
    "total, mesh": "predicted blind; what the text leaves open (readings below) does not reach down to it. The mesh's "
    "subroutines may have been quicker than those timed on one processor, as the thesis supposes (smaller arrays, "
    "fewer calls), and a third of the arithmetic is priced by assumption (sensitivity below). Counted: print adds M "
    "with rho x c passed on (112, 93 by eq. 4.11), a solver with a division for each of n pivots (20, 16) and a "
    "quarter of the actuators (11, 6). The program's longest path lies in row 0: an actuator (11, 6), f_v with rho x c "
    "recomputed (145, 121), b (0, 1), and what is left of the solver when b comes (15, 11, with four divisions)",
    "speed-up": "one processor is predicted too fast, the mesh too slow",
}


def _counts(operations: Mapping[str, int]) -> tuple[int, int]:
    return operations["mul"] + operations["div"] + operations["sqrt"], operations["add"]


def _path_operations() -> tuple[int, int]:
    """Multiplies (divisions and roots as such) and adds on the mesh's critical path, words being free."""
    counts = path_counts(run_mesh(PRESETS["ideal"]).critical_path, PRESETS["ideal"])
    return counts["mul"] + counts["div"] + counts.get("sqrt", 0), counts["add"]


def compute() -> Computed:
    """Predicted times, and the operations that ran."""
    by_phase = run_one(PRESETS["ideal"]).operations_by_phase
    parts = {
        line: tuple(sum(_counts(by_phase[name])[which] for name in names) for which in (0, 1))
        for line, names in zip(ONE_LINES, (INERTIA_ITEMS, FORCE_ITEMS, ["actuator"], ["solve"]), strict=True)
    }
    whole = tuple(sum(parts[name][which] for name in ONE_LINES) for which in (0, 1))
    operations = {**parts, "total, one processor": whole, "total, mesh": _path_operations()}
    found: dict[str, list[float | None]] = {line: [prediction()[line], *each] for line, each in operations.items()}
    return found | {"speed-up": [prediction()["speed-up"], None, None]}


def _lines() -> list[Line]:
    lines = []
    for name in LINES:
        corrected, source = CORRECTED.get(name, (None, ""))
        counted = MESH_MORE if name == "total, mesh" else None
        lines.append(Line(name, [MEASURED[name], *COUNTED[name]], REASONS[name], corrected, source, counted=counted))
    return lines


@cache
def _moved() -> list[tuple[str, str, float, float, float]]:
    """The totals and the speed-up if each assumption is replaced."""
    found = []
    for unknown in unknowns():
        moved = unknown.predict()
        one, mesh, speed = (moved[name] for name in LINES[4:])
        found.append((unknown.assumed, unknown.instead, one, mesh, speed))
    return found


@cache
def _readings() -> Appendix:
    """The mesh by each reading of the text."""
    rows = [
        (each.communications, each.products, each.prices, f"{each.us:.0f}", f"{each.speed_up:.2f}")
        for each in readings()
    ]
    return Appendix(
        "Readings of the text, none fitted; the first is the prediction",
        ("communications of a cycle", "J w and J w' in", "14 and 34 us of Table 5.5", "mesh, us", "speed-up"),
        rows,
    )


def sensitivity() -> Appendix:
    """How far each assumption moves the prediction."""
    base = prediction()
    rows = [("as predicted", "", *(f"{base[name]:.0f}" for name in LINES[4:6]), f"{base[LINES[6]]:.2f}")]
    for assumed, instead, one, mesh, speed in _moved():
        changes = (f"{new:.0f} ({new - base[name]:+.0f})" for name, new in zip(LINES[4:6], (one, mesh), strict=True))
        rows.append((assumed, instead, *changes, f"{speed:.2f}"))
    path = path_of_mesh(PRESETS["t800-measured"])
    return Appendix(
        "Sensitivity: what is not published, and what another answer would make of the prediction; on the mesh's "
        f"critical path lie {path['arithmetic']:.0f} us of arithmetic, {path['not listed']:.0f} of them in kernels "
        f"that Table 5.5 does not list, and {path['wire']:.0f} us of wire",
        ("assumed", "instead", "one processor, us", "mesh, us", "speed-up"),
        rows,
    )


def draw(_judgement: Judgement, path: Path) -> None:
    """Predicted and measured, and how far each unknown would move the prediction."""
    from matplotlib.figure import Figure

    from meshsim.experiments.figures.lettering import head
    from meshsim.experiments.figures.saving import save_figure

    base = prediction()
    figure = Figure(figsize=(9.5, 8.6), layout="constrained")
    head(figure, "What another answer to each unknown would make of the prediction", 10.0)
    panels = figure.subplots(1, 2, sharey=True)
    labels = ["\n".join(wrap(f"{assumed}; if instead {instead}", 50)) for assumed, instead, *_ in _moved()]
    for panel, name, place in zip(panels, LINES[4:6], (2, 3), strict=True):
        for height, row in enumerate(_moved()):
            panel.barh(
                height, float(row[place]) - base[name], left=base[name], color="#8fc1e3", edgecolor="black", height=0.6
            )
        panel.axvline(base[name], color="black", linewidth=1.2, label=f"predicted, {base[name]:.0f} us")
        panel.axvline(
            MEASURED[name], color="#d55e00", linewidth=1.5, linestyle="--", label=f"measured, {MEASURED[name]:.0f} us"
        )
        if name == LINES[5]:
            found = [float(row[3]) for row in _readings().rows]
            told = f"readings, {min(found):.0f} to {max(found):.0f} us"
            panel.axvspan(min(found), max(found), color="#e8e8e8", zorder=0, label=told)
        panel.margins(x=0.06)
        panel.set_xlabel(f"{name}, us")
        panel.set_yticks(range(len(labels)), labels, fontsize=7, linespacing=0.95)
        panel.legend(fontsize=7, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, frameon=False)
        panel.grid(True, axis="x", linewidth=0.3)
    panels[0].invert_yaxis()
    panels[0].set_ylabel("what is assumed, and what might be instead")
    save_figure(figure, path)


EXHIBIT = Exhibit(
    "wong-table-5.4",
    "One evaluation of the excavator's dynamics on T800s of 1991: measured, and predicted",
    ("us", "mul", "add"),
    _lines(),
    compute,
    "Times are predicted from `t800-measured` by experiments/studies/excavator_1991.py, which knows none of the "
    "measured ones: the mesh in the cycles of Tables 4.4 to 4.7, rho x c recomputed, rendezvous. Operations are "
    "counted on `ideal`, constants off line and without the sums of M's terms over the bodies, as in print; those of "
    "the mesh lie on its critical path. Roots and divisions count as multiplies.",
    draw,
    sensitivity,
    _readings,
)
