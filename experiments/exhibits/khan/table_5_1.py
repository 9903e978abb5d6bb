"""Three methods compared: numbers beside low, medium and high."""

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import permutations
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
MADE = {
    "springs": ("penalty", damped(1e5)),
    "projection, Gauss": ("projection", stabilised(10.0)),
    "projection, QR": ("projection", stabilised(10.0, "qr")),
    "DeNOC": ("denoc", Settings(distribution="partly", recursion="paper")),
}
ALIKE = 0.01
"""Numbers that are no further apart, as a share, are in no order."""
MOMENT = 1.0
"""Seconds into the motion: where an evaluation is priced."""
LOW, MEDIUM, HIGH = 1, 2, 3
WORDS = {
    label: dict(zip(MADE, words, strict=True))
    for label, words in {
        "modularity": (HIGH, HIGH, HIGH, MEDIUM),
        "distribution": (HIGH, HIGH, HIGH, MEDIUM),
        "preparation cost": (LOW, MEDIUM, MEDIUM, HIGH),
        "accuracy": (MEDIUM, MEDIUM, MEDIUM, HIGH),
        "cost of an evaluation": (LOW, MEDIUM, MEDIUM, HIGH),
        "stiffness": (HIGH, LOW, LOW, LOW),
        "efficiency": (LOW, MEDIUM, MEDIUM, MEDIUM),
    }.items()
}
"""What print has for each method."""


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


def in_order(printed: Mapping[str, int], ask: Mapping[str, float]) -> int:
    """Of the pairs of methods that print tells apart, how many the numbers put in the same order."""
    pairs = [(a, b) for a, b in permutations(ask, 2) if printed[a] < printed[b]]
    return sum(ask[a] < (1 - ALIKE) * ask[b] for a, b in pairs)


def compute() -> Computed:
    """Pairs in order, of what has a number."""
    cost = {name: priced(name, "one")[0] for name in MADE}
    numbers = {
        "distribution": {name: 1.0 / priced(name, "star")[1] for name in MADE},
        "accuracy": {name: 1 / error(name) for name in MADE},
        "cost of an evaluation": cost,
        "stiffness": {name: fastest(name) for name in MADE},
        "efficiency": {name: 1 / (evaluations(name) * cost[name]) for name in MADE},
    }
    return {name: [in_order(words, numbers[name]) if name in numbers else None] for name, words in WORDS.items()}


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
            ("an evaluation on one processor", "us on ideal", cost, "", (0.0, 3000.0)),
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
    rows.insert(1, ("projection, SVD", f"more than {trail.evaluations}", *["-"] * 7))
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
REMARKS = {"accuracy": "projection solves the same equations as DeNOC, and is as exact"}
EXHIBIT = Exhibit(
    "khan-table-5.1",
    TITLE,
    ("pairs in the printed order",),
    [
        Line(
            name,
            [in_order(words, words)],
            REMARKS.get(name, ""),
            not_comparable=NOT_A_NUMBER if name in ("modularity", "preparation cost") else "",
        )
        for name, words in WORDS.items()
    ],
    compute,
    "Print has low, medium and high. Of each two methods of which it has different words, it is counted whether the "
    "numbers are in that order, by more than 1 %. Distribution by how seldom processors wait for one another in an "
    "evaluation, accuracy by the error of the actuated joints, stiffness by the fastest mode at the start, efficiency "
    "by evaluations to 1e-6 times what one costs. Springs of 1e5 N/m, sigma = 10/s, DeNOC as he writes it "
    "(recursion=paper). The recipe by singular values does not finish (khan-fig-4.8), and is not priced.",
    draw,
    appendix,
)
