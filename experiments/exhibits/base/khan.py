"""Exhibits of the 3-RRR: what those of one kind have in common."""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from meshsim.algorithms.schemes.loops.method import Settings
from meshsim.algorithms.types.arrays import Array
from meshsim.experiments.exhibits.base.exhibit import OURS, Appendix, Computed, Exhibit, Judgement, Line
from meshsim.experiments.exhibits.base.loop_figures import Curve, Panel, curve, draw_panels
from meshsim.experiments.exhibits.base.loops import (
    Run,
    corrections,
    damped,
    driven,
    held,
    largest_error,
    manipulator,
    short,
)

JOINTS = ("joint 1", "joint 2", "joint 3")
SPRINGS = (1e3, 1e4, 1e5, 1e6)
CONVERGENCE = (10.0, 20.0, 30.0, 40.0)
TORQUES = "Driven by the torques of inverse dynamics, a spline through 301 samples. "
POOR = 0.1
"""Rad: an error that is called large."""
ACROSS = [f"k = {short(k)}" for k in SPRINGS]
UNSTABLE = (
    "Under given torques the motion itself is unstable: errors of the actuated joints grow at 3.5 to 5.2 per second "
    "(khan-fig-4.13), so that whatever a model adds is seen some 1e5 times larger after 3 s. "
)


def errors_of(run: Run) -> list[Curve]:
    """A curve for each actuated joint's error, without its sign; at the start there is none."""
    errors = np.abs(manipulator().errors(run.t, run.q))
    return [curve(name, run.t[1:], errors[1:, i], i) for i, name in enumerate(JOINTS)]


def error_panels(runs: Mapping[str, Run], limits: tuple[float, float] | None = None) -> list[Panel]:
    """A panel for each run."""
    return [Panel(title, "time (s)", "error (rad)", errors_of(run), "y", limits) for title, run in runs.items()]


def against_the_last(values: Sequence[float], holds: Callable[[float, float], bool]) -> list[float | None]:
    """Nothing for the first; of each other, whether something holds of it and the one before."""
    return [None, *(float(holds(before, after)) for before, after in pairwise(values))]


# Springs


def springs_adaptive(identifier: str, rtol: float) -> Exhibit:
    """Springs with adaptive steps: errors and evaluations for every stiffness."""
    title = f"The 3-RRR with springs for its pins, adaptive steps to {rtol:g}"

    def runs() -> dict[float, Run]:
        return {k: driven("penalty", damped(k), rtol) for k in SPRINGS}

    def compute() -> Computed:
        errors = [largest_error(run) for run in runs().values()]
        evaluations = [run.evaluations for run in runs().values()]
        return {
            "errors exceed 0.1 rad": [float(error > POOR) for error in errors],
            "error a tenth of that with a tenth of k": against_the_last(errors, lambda a, b: b < a / 10),
            "more evaluations than with a tenth of k": against_the_last(evaluations, lambda a, b: b > a),
        }

    def draw(_: Judgement, path: Path) -> None:
        panels = error_panels({f"k = {short(k)} N/m": run for k, run in runs().items()}, (1e-8, 1e2))
        counts = [run.evaluations for run in runs().values()]
        panels.append(
            Panel(
                "evaluations", "k (N/m)", "in 3 s", [curve("evaluations", SPRINGS, counts, 3, True)], "xy", (1e3, 1e5)
            )
        )
        draw_panels(title, panels, path, columns=2)

    def appendix() -> Appendix:
        rows = [told(f"{short(k)}", run) for k, run in runs().items()]
        return Appendix("In numbers", ("k (N/m)", *HEADS), rows)

    lines = [
        Line("errors exceed 0.1 rad", (1, 1, 1, 1), not_comparable=OURS, yes_no=True),
        Line("error a tenth of that with a tenth of k", (None, 0, 0, 0), not_comparable=OURS, yes_no=True),
        Line("more evaluations than with a tenth of k", (None, 1, 1, 1), yes_no=True),
    ]
    note = (
        TORQUES
        + "Dampers have d = 2 sqrt(k). The text finds all errors large, and hardly smaller with stiffer springs. "
        + UNSTABLE
        + "The springs take their load in the first instants, and that is enough."
    )
    return Exhibit(identifier, title, ACROSS, lines, compute, note, draw, appendix)


HEADS = ("evaluations", "steps", *(f"{name}, largest error (rad)" for name in JOINTS), "constraint error (m)", "end")


def told(label: str, run: Run) -> tuple[str, ...]:
    errors = np.abs(manipulator().errors(run.t, run.q)).max(axis=0)
    evaluations = str(run.evaluations) if not run.failure else "-"
    end = run.failure.partition(";")[0] or "-"
    return (label, evaluations, str(run.steps), *(f"{each:.2e}" for each in errors), f"{run.c.max():.1e}", end)


def springs_fixed(identifier: str, h: float, failing: Sequence[float]) -> Exhibit:
    """Springs with fixed steps: which stiffness fails."""
    title = f"The 3-RRR with springs for its pins, fixed steps of {h:g} s"

    def runs() -> dict[float, Run]:
        return {k: driven("penalty", damped(k), None, h) for k in SPRINGS}

    def compute() -> Computed:
        return {"fails": [float(bool(run.failure)) for run in runs().values()]}

    def draw(_: Judgement, path: Path) -> None:
        titles = {k: f"k = {short(k)} N/m" + (", fails" if run.failure else "") for k, run in runs().items()}
        panels = error_panels({titles[k]: run for k, run in runs().items()})
        draw_panels(title, panels, path, columns=2)

    def appendix() -> Appendix:
        return Appendix("In numbers", ("k (N/m)", *HEADS), [told(short(k), run) for k, run in runs().items()])

    note = (
        TORQUES
        + "Classical fourth-order steps, which bear rates of decay of up to 2.8/h; with d = 2 sqrt(k) the fastest is "
        "4.5 sqrt(k), in 1/s: 453 with k = 1e4, 4530 with k = 1e6."
    )
    return Exhibit(identifier, title, ACROSS, [Line("fails", failing, yes_no=True)], compute, note, draw, appendix)


# Feedback


EARLY = 0.2
"""Seconds in which springs take their load."""
GAINS = (
    "The gains are not published, so pairs of gains were tried, each to damp an inertia critically. A correction "
    "is told in percent of the largest torque that drives the joint. "
)


def corrected(
    identifier: str,
    title: str,
    method: str,
    settings: Settings,
    h: float,
    lines: Sequence[Line],
    ask: Callable[[Sequence[Array]], Sequence[Sequence[float | None]]],
    note: str,
    pairs: Sequence[tuple[float, float]],
    printed: float = 15.0,
    once: bool = False,
) -> Exhibit:
    """Feedback holds the actuated joints to their motion: the torque that takes, in percent, for pairs of gains.

    `printed` is how much it takes in print. With `once`, also where states are exchanged once a step: `ask` gets these
    after the others.
    """

    def run(gains: tuple[float, float]) -> Run:
        return driven(method, settings, None, h, gains)

    def runs() -> dict[str, tuple[Run, tuple[float, float]]]:
        found = {in_print(gains): (run(gains), gains) for gains in pairs}
        for gains in pairs if once else ():
            found[f"{in_print(gains)}, one exchange a step"] = driven(method, held(settings), None, h, gains), gains
        return found

    def compute() -> Computed:
        answers = ask([corrections(*each) for each in runs().values()])
        return {line.label: list(found) for line, found in zip(lines, answers, strict=True)}

    def draw(_: Judgement, path: Path) -> None:
        found = list(runs().items())
        panels = [
            Panel(f"joint errors, gains {found[0][0]}", "time (s)", "error (rad)", errors_of(found[0][1][0]), "y")
        ]
        for which, (now, gains) in dict((found[0], found[-1])).items():
            shares = corrections(now, gains)
            added = [curve(name, now.t, shares[:, i], i) for i, name in enumerate(JOINTS)]
            marks = [("y", printed), ("y", -printed)]
            heading = f"torque corrections, gains {which}"
            panels.append(Panel(heading, "time (s)", "% of the largest torque", added, marks=marks))
        draw_panels(title, panels, path, height=2.5)

    def appendix() -> Appendix:
        rows = []
        for which, (now, gains) in runs().items():
            shares = np.abs(corrections(now, gains))
            for label, part in (("all", shares), (f"after {EARLY:g} s", shares[now.t > EARLY])):
                rows.append((which, label, *(f"{each:.3g}" for each in part.max(axis=0))))
        heads = ("gains (N m/rad, N m s/rad)", "times", *JOINTS)
        return Appendix("Largest corrections, % of the largest torque", heads, rows)

    return Exhibit(identifier, title, JOINTS, lines, compute, TORQUES + GAINS + note, draw, appendix)


def in_print(gains: tuple[float, float]) -> str:
    """A pair of gains."""
    return f"{gains[0]:g} and {gains[1]:g}"


def within_15(shares: Array) -> list[float]:
    """Whether each joint's corrections are."""
    return [float(each <= 15.0) for each in np.abs(shares).max(axis=0)]


def accuracy(shares: Array) -> list[float]:
    """What is left of 100 % by the largest correction of each joint."""
    return [float(100.0 - each) for each in np.abs(shares).max(axis=0)]
