"""Whether a distributed model differs from one that is not: states exchanged in every evaluation, and once a step."""

from pathlib import Path

import numpy as np

from meshsim.algorithms.motion.written import computed
from meshsim.algorithms.schemes.loops.method import Settings
from meshsim.experiments.exhibits.base.exhibit import Appendix, Computed, Exhibit, Judgement, Line
from meshsim.experiments.exhibits.base.loop_figures import Panel, curve, draw_panels
from meshsim.experiments.exhibits.base.loops import damped, manipulator
from meshsim.experiments.studies.held import (
    GROWTH,
    LASTING,
    Case,
    error,
    largest_feedback,
    largest_stiffness,
    step_us,
)
from meshsim.presets import PRESETS

TITLE = "The 3-RRR on several processors against one, steps of 0.001 s"
STEP = 1e-3
STEPS = (4e-3, 2e-3, 1e-3)
CASES = {
    "springs, k = 1e4 N/m": Case("3rrr", "penalty", damped(1e4)),
    "projection": Case("3rrr", "projection", Settings()),
}
EVERY = f"difference (rad, to 1e-9) after {LASTING:g} s, an exchange in every evaluation"
ONCE = f"difference (rad, to 1e-9) after {LASTING:g} s, one exchange a step"


def apart(case: Case, distribution: str) -> float:
    """How far the worst joint is in the end from where one processor has it, rad, to nine places."""
    motion = case.motion(STEP)
    several, one = (computed(case.evaluation(way), motion).q[-1] for way in (distribution, None))
    return round(float(np.abs(several - one).max()), 9)


def compute() -> Computed:
    """How far the distributed models are from the undistributed ones."""
    return {
        EVERY: [apart(case, "full") for case in CASES.values()],
        ONCE: [apart(case, "held") for case in CASES.values()],
    }


def draw(_: Judgement, path: Path) -> None:
    """Errors over the step."""
    panels = []
    for name, case in CASES.items():
        curves = [
            curve("one processor", STEPS, [error(case, h) for h in STEPS], 0, True),
            curve("one exchange a step", STEPS, [error(case, h, "held") for h in STEPS], 1, True),
            curve("Euler's rule", STEPS, [error(case, h, None, 1) for h in STEPS], 2, True),
        ]
        panels.append(Panel(name, "step (s)", f"error after {LASTING:g} s (rad)", curves, "xy"))
    draw_panels("What holding the states of others costs", panels, path, columns=2, height=2.6)


def errors() -> Appendix:
    """Errors by step, and what a step takes."""
    rows = []
    for name, case in CASES.items():
        for h in STEPS:
            found = error(case, h), error(case, h, "held"), error(case, h, None, 1)
            rows.append((name, f"{h:g} s", *(f"{each:.1e}" for each in found)))
        alone, once = (f"{step_us(case, PRESETS['t800'], way):.1f}" for way in (None, "held"))
        several, euler = (
            ", ".join(f"{step_us(case, PRESETS['t800'], way, order):.1f} ({way})" for way in ("full", "partly"))
            for order in (4, 1)
        )
        rows.append((name, "us a step, t800", f"{alone}; on a star {several}", once, f"on a star {euler}"))
    heads = ("method", "step", "fourth order", "fourth order, one exchange a step", "Euler's rule")
    return Appendix(f"Errors of the worst joint after {LASTING:g} s (rad), and time of a step", heads, rows)


def limits() -> Appendix:
    """The largest gains with which a step is stable."""
    rows = []
    for robot in ("3rrr", "four-bar"):
        for label, damping in (("springs without dampers", 0.0), ("springs, d = 2 sqrt(k)", 2.0)):
            found = (largest_stiffness(robot, STEP, damping, way) for way in (None, "held"))
            rows.append((f"{robot}, {label}, k (N/m)", *(f"{each:.2g}" for each in found)))
    for label, ratio in (("angles alone", 0.0), ("angles, and a tenth of it of rates", 0.1)):
        found = (largest_feedback("3rrr", STEP, ratio, manipulator().feedback, way) for way in (None, "held"))
        rows.append((f"3rrr, projection, feedback of {label} (N m/rad)", *(f"{each:.2g}" for each in found)))
    heads = ("gain", "one processor", "one exchange a step")
    return Appendix(f"The largest gain with which no disturbance grows faster than {GROWTH:g}/s", heads, rows)


EXHIBIT = Exhibit(
    "khan-sec-5.1",
    TITLE,
    tuple(CASES),
    [
        Line(EVERY, (0, 0)),
        Line(
            ONCE,
            (0, 0),
            "within a step a chain moves on and the others stand still for it. With short steps the difference is of "
            "the first order in them, and on this path it grows as exp(5 t)",
        ),
    ],
    compute,
    'The text has "no variations" between distributed and undistributed models, and calls a model fully distributed '
    "that communicates once a time step (sec. 1.1.3.4). Fourth-order steps under open-loop torques; dampers have "
    "d = 2 sqrt(k). A gain is stable if the step, linearised where the motion begins, lets nothing grow faster than "
    "told.",
    draw,
    errors,
    limits,
)
