"""JOINT mode: voltages and spools."""

import numpy as np

from meshsim.experiments.exhibits.base.digging import Answers, figure, shut
from meshsim.experiments.exhibits.base.exhibit import Line
from meshsim.experiments.exhibits.base.motions import Dug


def ask(run: Dug) -> Answers:
    """What does the boom ask of its spool before any command, and what does it get; and at the end?"""
    before = run.window(3.0, 4.5)
    asks = float((run.voltages[before, 1] > 0).all())
    gets = float(np.abs(run.spools[before, 1]).max())
    return (
        [None, asks, None, None],
        [None, gets, None, None],
        [None, float(np.sign(run.voltages[-1, 1])), None, None],
        [None, float(shut(run)[1]), None, None],
    )


EXHIBIT = figure(
    "wong-fig-5.7",
    "JOINT mode: voltages, and spools behind their deadband",
    "joint",
    [
        Line("asks for more before any command", (None, 1, None, None), yes_no=True),
        Line("opening it gets then (cm)", (None, 0, None, None)),
        Line("sign of the voltage at the end", (None, -1, None, None)),
        Line(
            "opening at the end, as a share of the whole",
            (None, 0, None, None),
            "it closes as the error nears the edge of the deadband, and has not got there after 5 s",
        ),
    ],
    ask,
    lambda run: [("spool (cm)", run.spools), ("voltage, a twentieth (V)", run.voltages / 20)],
    ("cm, V/20",) * 4,
    "opening",
)
