"""Curves, points and skeletons that move, as the page's scripts take them (`web/chart.js`, `web/skeleton.js`)."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from meshsim.algorithms.motion.motion import Moved
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.schemes.catalogue import SCHEMES
from meshsim.experiments.figures.compare import published_line
from meshsim.experiments.figures.motion import units_of
from meshsim.experiments.figures.skeletons import segments
from meshsim.experiments.figures.styles import Style, interleaved, series, spaced, style_of
from meshsim.experiments.studies.best import Search, front_of
from meshsim.machine import Machine

# Comparisons

TOLD = (
    "Markers are simulated, with the quickest options that were tried; thin lines are published counts, with default "
    "options."
)


def curve(name: str, scheme: str, points: Sequence[Sequence[Any]], **more: Any) -> dict[str, Any]:
    """A curve in the style of its scheme."""
    return {**_styled(name, style_of(scheme), points), **more}


def _styled(name: str, style: Style, points: Sequence[Sequence[Any]]) -> dict[str, Any]:
    dash = [2 * each for each in style.dash]
    return {"name": name, "colour": style.colour, "marker": style.marker, "dash": dash, "points": list(points)}


def time_chart(machine: Machine, rows: Sequence[Mapping[str, Any]], column: str, what: str) -> dict[str, Any] | None:
    """Times of schemes against joints on one machine, with published lines where a machine counts as they do."""
    here = [row for row in rows if row["machine"] == machine.name and row.get(column) is not None]
    curves = []
    for scheme in dict.fromkeys(row["scheme"] for row in here):
        mine = sorted((row["n"], row[column]) for row in here if row["scheme"] == scheme)
        curves.append(curve(scheme, scheme, mine))
        if machine.links.discipline == "free" and scheme in SCHEMES:  # counts are without communication
            sizes, times = published_line(scheme, column.removesuffix("_us"), [n for n, _ in mine], machine)
            if sizes:
                line = list(zip(sizes, times, strict=True))
                curves.append(curve(f"{scheme}, published", scheme, line, thin=True))
    if not curves:
        return None
    every = [y for each in curves for _, y, *_ in each["points"]]
    wide = max(every) > 50 * min(every) > 0  # what takes no time has no place on a logarithmic axis
    return {
        "title": f"{what} on {machine.name}",
        "x": {"label": "joints", "whole": True},
        "y": {"label": "time (us)", "log": wide},
        "curves": curves,
        "remark": TOLD if any("thin" in each for each in curves) else "",
    }


def scaling_chart(machine: Machine, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Times of schemes against numbers of processors that they use, on one machine."""
    here = [row for row in rows if row["machine"] == machine.name and row.get("time_us") is not None]
    groups = dict.fromkeys((row["scheme"], row.get("network") or "its own network") for row in here)
    curves = []
    for scheme, network in groups:
        mine = [row for row in here if (row["scheme"], row.get("network") or "its own network") == (scheme, network)]
        points = sorted((row["processors"], row["time_us"]) for row in mine)
        curves.append(curve(f"{scheme} on {network}", scheme, points))
    if not curves:
        return None
    axis = {"label": "processors", "whole": True}
    return {"title": f"Time on {machine.name}", "x": axis, "y": {"label": "time (us)"}, "curves": curves}


# The best


def best_chart(search: Search, machine: Machine) -> dict[str, Any] | None:
    """Time against processors of every candidate on a machine, and those that nothing beats in both."""
    entries = [entry for entry in search.entries(machine) if entry.ticks]
    if not entries:
        return None
    curves = []
    for scheme in dict.fromkeys(entry.candidate.scheme for entry in entries):
        mine = [entry for entry in entries if entry.candidate.scheme == scheme]
        points = [
            [e.processors, e.time_us, f"{e.candidate.label}: {e.time_us:.6g} us, {e.processors} processors"]
            for e in mine
        ]
        curves.append(curve(scheme, scheme, points, loose=True))
    front = [[entry.processors, entry.time_us] for entry in front_of(entries, "processors")]
    curves.append(
        {
            "name": "Pareto set: nothing beats these in both",
            "colour": "#555555",
            "thin": True,
            "stairs": True,
            "points": front,
        }
    )
    chart: dict[str, Any] = {
        "title": f"Every candidate on {machine.name}",
        "x": {"label": "processors", "log": True},
        "y": {"label": "time (us)", "log": True},
        "curves": curves,
    }
    if search.question.deadline is not None:
        chart["line"] = {"at": float(search.question.deadline * 10**6), "name": "deadline"}
    return chart


# Motions

MOST_FRAMES = 150
"""A page moves a skeleton in so many frames."""
MOST_MARKS = 30
"""Markers of a curve."""


def skeleton_of(mechanism: Mechanism, moved: Moved) -> dict[str, Any]:
    """A motion as segments between points, frame by frame."""
    rows = np.unique(np.linspace(0, len(moved.t) - 1, min(len(moved.t), MOST_FRAMES)).astype(int))
    frames = [segments(mechanism, moved.q[row]) for row in rows]
    return {
        "times": [float(moved.t[row]) for row in rows],
        "frames": [[[round(float(x), 5) for x in point] for pair in frame for point in pair] for frame in frames],
        "bones": [[2 * i, 2 * i + 1] for i in range(len(frames[0]))],
    }


def joint_chart(mechanism: Mechanism, moved: Moved, kind: str) -> dict[str, Any] | None:
    """Positions of the joints that turn, or of those that slide."""
    factors, units, _ = units_of(mechanism)
    rows = np.unique(np.linspace(0, len(moved.t) - 1, min(len(moved.t), MOST_FRAMES)).astype(int))
    mine = [i for i, unit in enumerate(units) if unit == kind]
    if not mine:
        return None
    positions = [moved.q[rows, i] * factors[i] for i in mine]
    together = interleaved(positions)  # dashes of curves that look like one take turns
    curves = []
    for place, (i, curve) in enumerate(zip(mine, positions, strict=True)):
        points = np.column_stack([moved.t[rows], curve]).tolist()
        shown = _styled(mechanism.joints[i], series(i), points)
        if place in together:
            shift, dash = together[place]
            shown |= {"dash": [2 * each for each in dash], "shift": 2 * shift}
        curves.append({**shown, "marks": spaced(place, len(mine), len(rows), MOST_MARKS)})
    axis = {"label": "time (s)"}
    return {"title": f"Positions ({kind})", "x": axis, "y": {"label": f"position ({kind})"}, "curves": curves}


def comparison_charts(rows: Sequence[Mapping[str, Any]], machines: Sequence[Machine]) -> list[dict[str, Any]]:
    """Curves of a comparison over joints, or over processors."""
    if len({row.get("n") for row in rows}) > 1:
        kinds = [("inertia_us", "Forming the inertia matrix"), ("time_us", "A whole step")]
        found = [time_chart(machine, rows, column, what) for machine in machines for column, what in kinds]
    else:
        found = [scaling_chart(machine, rows) for machine in machines]
    return [chart for chart in found if chart is not None]
