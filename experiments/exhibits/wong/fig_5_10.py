"""RESOLVED mode: voltages and spools."""

import numpy as np

from meshsim.experiments.exhibits.base.digging import Answers, figure, shut
from meshsim.experiments.exhibits.base.exhibit import Line
from meshsim.experiments.exhibits.base.motions import Dug


def ask(run: Dug) -> Answers:
    """Do boom and stick open wider as the arm extends, and are they shut at the end?"""
    openings = np.abs(run.spools)
    wider = openings[run.t.searchsorted(9.9)] > openings[run.t.searchsorted(6.0)]
    return [None, *wider[1:3].astype(float).tolist(), None], [None, *shut(run)[1:3].tolist(), None]


EXHIBIT = figure(
    "wong-fig-5.10",
    "RESOLVED mode: voltages, and spools behind their deadband",
    "resolved",
    [
        Line("opens wider as the arm extends", (None, 1, 1, None), yes_no=True),
        Line(
            "opening at the end, as a share of the whole",
            (None, 0, 0, None),
            "it closes as the error nears the edge of the deadband, and has not got there after 5 s",
        ),
    ],
    ask,
    lambda run: [("spool (cm)", run.spools), ("voltage, a twentieth (V)", run.voltages / 20)],
    ("cm, V/20",) * 4,
    "opening",
)
