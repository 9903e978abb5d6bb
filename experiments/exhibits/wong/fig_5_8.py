"""RESOLVED mode: angles."""

import numpy as np

from meshsim.experiments.exhibits.base.digging import Answers, figure, lags, sags
from meshsim.experiments.exhibits.base.exhibit import GIVEN, OURS, Line
from meshsim.experiments.exhibits.base.motions import Dug


def ask(run: Dug) -> Answers:
    """Does it sag and lag, and where was the cab to go?"""
    return (
        [None, *sags(run)[1:3].tolist(), None],
        [*lags(run)[:3].tolist(), None],
        [round(float(np.degrees(run.wanted[-1, 0])), 9), None, None, None],
    )


EXHIBIT = figure(
    "wong-fig-5.8",
    "RESOLVED mode: angles, wanted and actual",
    "resolved",
    [
        Line("sags while pressure builds up", (None, 1, 1, None), not_comparable=OURS, yes_no=True),
        Line("lags at the end", (1, 1, 1, None), not_comparable=OURS, yes_no=True),
        Line("wanted at the end (deg)", (15, None, None, None), not_comparable=GIVEN),
    ],
    ask,
    lambda run: [("actual", np.degrees(run.q)), ("wanted", np.degrees(run.wanted))],
    ("deg",) * 4,
    "angle",
)
