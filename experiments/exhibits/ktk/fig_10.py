"""The four-bar with fixed steps: how far the loop opens."""

import math
from pathlib import Path

import numpy as np

from meshsim.experiments.exhibits.base.exhibit import Appendix, Computed, Exhibit, Judgement, Line
from meshsim.experiments.exhibits.base.loop_figures import Panel, curve, draw_panels
from meshsim.experiments.exhibits.base.loops import (
    SIGMAS,
    STIFFNESSES,
    STUDIED,
    Run,
    short,
    turned_by_fourth_order,
    turned_in_steps,
)
from meshsim.experiments.exhibits.ktk.fig_6 import STEP, projected

TITLE = "Constraint error of the four-bar with fixed steps of 1e-3 s"
ONCE = "projection, one exchange a step: 10^-x m"


def soft(k: float) -> Run:
    """With springs."""
    return turned_in_steps("penalty", k, STEP)


def exchanged_once(sigma: float) -> Run:
    """By projection, with states that are exchanged once a step."""
    return turned_in_steps("projection", sigma, STEP, once=True)


def order(run: Run) -> float | None:
    """X of 10^-x, the order of the largest constraint error; None if the run failed."""
    return None if run.failure else float(-math.floor(math.log10(run.c.max())))


def compute() -> Computed:
    """What the text says of the figure."""
    runs = [soft(k) for k in STIFFNESSES]
    kept = np.array([run.c.max() for run in runs if not run.failure])
    steady = [projected(sigma) for sigma in SIGMAS]
    none = [None] * len(SIGMAS)
    return {
        "springs: falls with k": [float((np.diff(kept) < 0).all()), *none],
        "springs: 10^-x m with k = 1e6, ODE5": [order(runs[-1]), *none],
        "springs: 10^-x m with k = 1e6, RK4": [order(turned_by_fourth_order(1e6, STEP)), *none],
        "projection: 10^-x m": [None, *(order(run) for run in steady)],
        ONCE: [None, *(order(exchanged_once(sigma)) for sigma in SIGMAS)],
    }


def draw(_: Judgement, path: Path) -> None:
    """A panel for each method."""
    springs = [
        curve(f"k = {short(k)}", soft(k).t[1:], soft(k).c[1:], style) for style, k in enumerate(STIFFNESSES[:-1])
    ]
    fourth = turned_by_fourth_order(1e6, STEP)
    springs.append(curve("k = 1e6, RK4", fourth.t[1:], fourth.c[1:], 4))
    steady = []
    for style, sigma in enumerate(SIGMAS):
        run = projected(sigma)
        steady.append(curve(f"sigma = {sigma:g}/s", run.t[1:], run.c[1:], style + 5))
    panels = [
        Panel("springs", "time (s)", "constraint error (m)", springs, "y", (1e-8, 3), [("y", 1e-3)]),
        Panel("projection", "time (s)", "constraint error (m)", steady, "y", (1e-17, 1e-8), [("y", 1e-12)]),
    ]
    draw_panels(TITLE, panels, path, height=2.6)


def appendix() -> Appendix:
    """The largest errors, early and over all."""
    rows = []
    for label, run in (
        *((f"k = {short(k)}", soft(k)) for k in STIFFNESSES),
        ("k = 1e6, RK4", turned_by_fourth_order(1e6, STEP)),
        *((f"sigma = {sigma:g}", projected(sigma)) for sigma in SIGMAS),
        *((f"sigma = {sigma:g}, one exchange a step", exchanged_once(sigma)) for sigma in SIGMAS),
    ):
        early = run.c[run.t <= 2.0].max()
        told = (f"{each:.1e}" for each in (early, run.c.max(), np.median(run.c)))
        rows.append((label, *told, run.failure or "-"))
    heads = ("", "largest, first 2 s", f"largest, {STUDIED:g} s", f"median, {STUDIED:g} s", "failure")
    return Appendix("Constraint error (m)", heads, rows)


EXHIBIT = Exhibit(
    "ktk-fig-10",
    TITLE,
    ("springs", *(f"sigma = {sigma:g}" for sigma in SIGMAS)),
    [
        Line("springs: falls with k", (1, None, None, None, None), yes_no=True),
        Line(
            "springs: 10^-x m with k = 1e6, ODE5",
            (3, None, None, None, None),
            "with the rule that the paper names, the run fails, as its own section 7.1 says it does with steps of "
            "1e-3 s; the figure must have been made by another rule, or with other steps",
        ),
        Line(
            "springs: 10^-x m with k = 1e6, RK4",
            (3, None, None, None, None),
            not_comparable="another rule than the paper names",
        ),
        Line(
            "projection: 10^-x m",
            (None, 12, 12, 12, 12),
            "so it is in the first two seconds, within a factor of ten; the faster the crank turns, the more a step "
            "of 1e-3 s leaves",
        ),
        Line(
            ONCE,
            (None, 12, 12, 12, 12),
            "the paper's distributed models exchange states at each time instant (sec. 5.2, 5.3). Where others' are "
            "held until the next, the loop opens by millimetres within 2 s; this figure was made with an exchange in "
            "every evaluation, or on one processor",
        ),
    ],
    compute,
    "By Dormand and Prince's fifth-order rule (ODE5) but where the classical fourth-order one (RK4) is named. Of "
    "orders of magnitude, x is shown: 3 for 4.2e-3 m.",
    draw,
    appendix,
)
