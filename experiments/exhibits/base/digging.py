"""The questions that exhibits of the excavator's motion ask: did it sag, does it lag, does it ring?"""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from meshsim.algorithms.motion.excavator_control import DURATION, MOVE, NAMES, OPENING, REST, START
from meshsim.algorithms.types.arrays import Array
from meshsim.experiments.exhibits.base.exhibit import Appendix, Computed, Exhibit, Judgement, Line, number
from meshsim.experiments.exhibits.base.motions import Dug, dug

CHOSEN = (
    "The thesis shows the initial angles, the commands and the valve's characteristic in figures only: those here were "
    "chosen (`algorithms/motion/excavator_control.py`). So what the text describes is asked for. "
)
Answers = Sequence[Sequence[float | None]]
"""Of each line, what was found for each column."""
SAG = np.radians(0.1)
RINGING = np.radians(0.2)
"""What is called a sag, in rad, and ringing, in rad/s: a twentieth of the largest rate, which can be seen in print."""


def sags(run: Dug) -> Array:
    """Whether each joint goes down before any command."""
    lowest = run.q[run.window(0.0, REST)].min(axis=0)
    return np.array(lowest < np.array(START) - SAG, dtype=float)


def lags(run: Dug) -> Array:
    """Whether each joint is short of what is wanted at the end."""
    short = run.wanted[-1] - run.q[-1]
    return np.array(short * np.sign(run.wanted[-1] - np.array(START)) > SAG, dtype=float)


def rings(run: Dug, first: float, last: float) -> Array:
    """Whether each joint's rate swings about a smooth curve between two times."""
    rows = run.window(first, last)
    t = run.t[rows] - first
    found = []
    for rates in run.qd[rows].T:
        smooth = np.polyval(np.polyfit(t, rates, 3), t)
        found.append(float(np.ptp(rates - smooth) > RINGING))
    return np.array(found)


def shut(run: Dug) -> Array:
    """How far each spool is open at the end, as a share of the whole opening."""
    return np.array(np.abs(run.spools[-1]) / OPENING)


def figure(
    identifier: str,
    title: str,
    mode: str,
    lines: Sequence[Line],
    ask: Callable[[Dug], Answers],
    curves: Callable[[Dug], Sequence[tuple[str, Array]]],
    units: Sequence[str],
    what: str,
    columns: Sequence[str] = NAMES,
    note: str = "",
) -> Exhibit:
    """An exhibit of one figure: claims by joint, and the curves."""

    def compute() -> Computed:
        return {line.label: values for line, values in zip(lines, ask(dug(mode)), strict=True)}

    def draw(_: Judgement, path: Path) -> None:
        from meshsim.experiments.figures.motion import draw_by_joint

        run = dug(mode)
        draw_by_joint(columns, run.t, curves(run), units, what, title, path)

    return Exhibit(identifier, title, columns, lines, compute, CHOSEN + note, draw, lambda: summary(mode))


def summary(mode: str) -> Appendix:
    """The results of each joint, in numbers."""
    run = dug(mode)
    rows = []
    for i, name in enumerate(NAMES):
        sag = np.degrees(START[i] - run.q[run.window(0.0, REST), i].min())
        lag = np.degrees(run.wanted[-1, i] - run.q[-1, i])
        at_stop = np.degrees(run.wanted - run.q)[run.t.searchsorted(REST + MOVE), i]
        numbers = [round(float(each), 4) for each in (sag, at_stop, lag, run.spools[-1, i])]
        rows.append((name, *map(number, numbers)))
    stop, end = f"behind at {REST + MOVE:g} s (deg)", f"behind at {DURATION:g} s (deg)"
    heads = ("joint", "sag before any command (deg)", stop, end, "spool then (cm)")
    return Appendix("In numbers", heads, rows)
