"""From voltage to spool."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from meshsim.algorithms.kernels.control import spool_opening
from meshsim.algorithms.motion.excavator_control import DEADBAND, OPENING, SPOOL_GAIN
from meshsim.experiments.exhibits.base.exhibit import Computed, Exhibit, Judgement, Line

MOST = 2.5
"""Volts, either way, that are drawn; the spool is full open before."""
GIVEN = "an input: the text gives it, and the valve is made with it"
DEAD, FULL = Line("deadband", [0.005], not_comparable=GIVEN), Line("full opening", [0.05], not_comparable=GIVEN)


def opening(volt: float) -> float:
    """What the control makes of a voltage."""
    return spool_opening(volt, SPOOL_GAIN, DEADBAND, OPENING)


def edge(passed: Callable[[float], bool]) -> float:
    """The voltage at which the spool passes something, by bisection."""
    low, high = 0.0, MOST
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if passed(opening(middle)) else (middle, high)
    return high


def compute() -> Computed:
    """How far a spool is asked to go before it moves, and how far it goes."""
    return {DEAD.label: [SPOOL_GAIN * edge(lambda x: x > 0.0)], FULL.label: [opening(MOST)]}


def draw(_judgement: Judgement, path: Path) -> None:
    """The curve."""
    from matplotlib.figure import Figure

    from meshsim.experiments.figures.saving import save_figure

    figure = Figure(figsize=(6.0, 4.0), layout="constrained")
    axes = figure.subplots()
    volts = np.linspace(-MOST, MOST, 501)
    axes.plot(volts, [opening(volt) for volt in volts.tolist()], color="black", linewidth=1.3)
    axes.set_xlabel("voltage v (V)")
    axes.set_ylabel("spool opening x (cm)")
    axes.set_title("wong-fig-5.3: deadband and limit are printed, the gain is chosen", fontsize=10)
    axes.grid(True, linewidth=0.3)
    save_figure(figure, path)


EXHIBIT = Exhibit(
    "wong-fig-5.3",
    "Voltage to spool, with a deadband and a limit",
    ["cm"],
    [DEAD, FULL],
    compute,
    "The text gives the deadband and the limit, with which the curve is made; its slope is in the figure alone, and "
    "was chosen here. So nothing of it can be compared.",
    draw,
)
