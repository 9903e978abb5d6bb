"""Three methods compared: numbers in place of Low, Med and High."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np

from meshsim.algorithms.reference.dense import Dynamics
from meshsim.algorithms.robots.state import State
from meshsim.algorithms.schemes.loops.method import Settings, SiteEvaluation
from meshsim.algorithms.schemes.loops.methods import METHODS as BY_NAME
from meshsim.experiments.exhibits.base.exhibit import Appendix, Computed, Exhibit, Judgement, Line
from meshsim.experiments.exhibits.base.loop_figures import Curve, Panel, curve, draw_panels
from meshsim.experiments.exhibits.base.loops import (
    damped,
    driven,
    largest_error,
    manipulator,
    recipe,
    stabilised,
    started,
)
from meshsim.plan import Plan
from meshsim.presets import PRESETS

TITLE = "Springs, projection and DeNOC for the 3-RRR"
METHODS = ("springs", "projection, SVD", "projection, Gauss", "projection, QR", "DeNOC")
MADE = {
    "springs": ("penalty", damped(1e5)),
    "projection, Gauss": ("projection", stabilised(10.0)),
    "projection, QR": ("projection", stabilised(10.0, "qr")),
    "DeNOC": ("denoc", Settings(distribution="partly")),
}
APART = 2.0
"""A number is on another level than a smaller one if it is so many times as large."""
MOMENT = 1.0
"""Seconds into the motion: where an evaluation is priced."""
NO_PROGRAM = "the recipe by singular values does not finish (khan-fig-4.8), and is not priced"


def plan(name: str, layout: str) -> Plan[Dynamics]:
    """A method at some moment of the prescribed motion."""
    robot = manipulator()
    q, qd, _ = robot.wanted(MOMENT)
    tau = np.zeros(robot.mechanism.n)
    tau[list(robot.mechanism.actuated)] = robot.drive(MOMENT)
    method, settings = MADE[name]
    state = State(*(tuple(values.tolist()) for values in (q, qd, tau)))
    return SiteEvaluation(robot.mechanism, BY_NAME[method], settings, layout).plan(state)


@cache
def priced(name: str, layout: str) -> tuple[float, int, int]:
    """Microseconds of an evaluation on `ideal`, its exchanges, and the words they take."""
    run = plan(name, layout).run(PRESETS["ideal"])
    return run.machine.microseconds(run.ticks), run.exchanges, run.words


@cache
def fastest(name: str) -> float:
    """The largest eigenvalue of the rates of the state, without its sign, at the start: 1/s."""
    robot = manipulator()
    method, settings = MADE[name]
    evaluator, y = started(robot.motion(), method, settings)
    step = 1e-6
    J = [(evaluator.rates(0.0, y + d) - evaluator.rates(0.0, y - d)) / (2 * step) for d in step * np.eye(len(y))]
    return float(np.abs(np.linalg.eigvals(np.array(J).T)).max())


def evaluations(name: str) -> int:
    """With adaptive steps to 1e-6."""
    method, settings = MADE[name]
    return driven(method, _alone(settings), 1e-6).evaluations


def error(name: str) -> float:
    """Of the actuated joints in 3 s of fixed steps: of 0.01 s, or of 0.001 s with springs, which fail with longer."""
    method, settings = MADE[name]
    return largest_error(driven(method, _alone(settings), None, 0.001 if method == "penalty" else 0.01))


def _alone(settings: Settings) -> Settings:
    """As they are where one processor computes, so that runs are shared."""
    return Settings() if settings == MADE["DeNOC"][1] else settings


def levels(values: Sequence[float | None]) -> list[float | None]:
    """From 1 for the least; numbers that are close to one another share a level."""
    found: dict[float, int] = {}
    level, base = 0, 0.0
    for value in sorted(value for value in values if value is not None):
        if not level or value > APART * base:
            level, base = level + 1, value
        found[value] = level
    return [None if value is None else float(found[value]) for value in values]


def of_all(ask: dict[str, float], svd: float | None = None) -> list[float | None]:
    """A number for each method."""
    return [ask.get(name, svd) for name in METHODS]


def compute() -> Computed:
    """Levels, of what has a number."""
    cost = {name: priced(name, "one")[0] for name in MADE}
    work = {name: evaluations(name) * cost[name] for name in MADE}
    met = {name: float(priced(name, "star")[1]) for name in MADE}
    efficiency = levels(of_all({name: 1 / each for name, each in work.items()}))
    return {
        "modularity": [None] * 5,
        "distribution": levels(of_all({name: 1 / each for name, each in met.items()})),
        "preparation cost": [None] * 5,
        "accuracy": levels(of_all({name: 1 / error(name) for name in MADE})),
        "cost of an evaluation": levels(of_all(cost)),
        "stiffness": levels(of_all({name: fastest(name) for name in MADE})),
        "efficiency": efficiency,
    }


def draw(_: Judgement, path: Path) -> None:
    """What each method takes."""
    names = list(MADE)
    places = np.arange(1.0, len(names) + 1)

    def points(values: Sequence[float]) -> list[Curve]:
        return [curve(name, places[i : i + 1], values[i : i + 1], i, True) for i, name in enumerate(names)]

    cost = [priced(name, "one")[0] for name in names]
    work = [evaluations(name) * price / 1e6 for name, price in zip(names, cost, strict=True)]
    panels = [
        Panel(title, "", label, points(values), axes, limits)
        for title, label, values, axes, limits in (
            ("an evaluation on one processor", "us on ideal", cost, "", (0.0, 1800.0)),
            ("3 s to 1e-6 on one processor", "s on ideal", work, "y", (0.1, 10.0)),
            ("fastest mode", "1/s", [fastest(name) for name in names], "y", (1.0, 1e4)),
            ("error after 3 s", "rad", [error(name) for name in names], "y", (1e-4, 1e2)),
        )
    ]
    draw_panels(TITLE, panels, path, columns=2)


def appendix() -> Appendix:
    """The numbers."""
    rows: list[tuple[str, ...]] = []
    for name in MADE:
        (cost, _, _), (spread, met, words) = priced(name, "one"), priced(name, "star")
        count = evaluations(name)
        rows.append(
            (
                name,
                str(count),
                f"{fastest(name):.3g}",
                f"{error(name):.1e}",
                f"{cost:g}",
                f"{count * cost / 1e6:.3g}",
                f"{spread:g}",
                str(met),
                str(words),
            )
        )
    trail = recipe("svd", 10.0, 1e-3)
    rows.insert(1, (METHODS[1], f"more than {trail.evaluations}", *["-"] * 7))
    heads = (
        "method",
        "evaluations to 1e-6",
        "fastest mode (1/s)",
        "error (rad)",
        "evaluation, one processor (us)",
        "3 s to 1e-6 (s)",
        "evaluation, star (us)",
        "exchanges",
        "words",
    )
    return Appendix("In numbers, times on the machine ideal", heads, rows)


NOT_A_NUMBER = "a judgement of the model's author; nothing can be measured"
EXHIBIT = Exhibit(
    "khan-table-5.1",
    TITLE,
    METHODS,
    [
        Line("modularity", (2, 2, 2, 2, 1), NOT_A_NUMBER),
        Line("distribution", (2, 2, 2, 2, 1), NO_PROGRAM),
        Line("preparation cost", (1, 2, 2, 2, 3), NOT_A_NUMBER),
        Line(
            "accuracy", (1, 1, 1, 1, 2), f"projection solves the same equations as DeNOC, and is as exact; {NO_PROGRAM}"
        ),
        Line(
            "cost of an evaluation",
            (1, 2, 2, 2, 3),
            f"on one processor DeNOC takes no more than projection does; {NO_PROGRAM}",
        ),
        Line("stiffness", (2, 1, 1, 1, 1), NO_PROGRAM),
        Line("efficiency", (1, 2, 2, 2, 2), NO_PROGRAM),
    ],
    compute,
    "Words as levels, from 1 for the least of a row; of what is computed, a number is on a new level if it is more "
    "than twice the least of the level below. (With one and a half times, QR would cost more, and be less "
    "efficient, than the others, and DeNOC would be less stiff than projection.) Distribution by how seldom "
    "processors wait for one another in an evaluation, accuracy by the error of the actuated joints, stiffness by "
    "the fastest mode at the start, efficiency by evaluations to 1e-6 times what one costs. Springs of 1e5 N/m, "
    "sigma = 10/s.",
    draw,
    appendix,
)
