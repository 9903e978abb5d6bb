"""JOINT mode: angles."""

import numpy as np

from meshsim.experiments.exhibits.base.digging import Answers, figure, lags, sags
from meshsim.experiments.exhibits.base.exhibit import OURS, Line
from meshsim.experiments.exhibits.base.motions import Dug


def ask(run: Dug) -> Answers:
    """Does it sag, and lag?"""
    return [*sags(run)[:3].tolist(), None], lags(run).tolist()


EXHIBIT = figure(
    "wong-fig-5.5",
    "JOINT mode: angles, wanted and actual",
    "joint",
    [
        Line("sags while pressure builds up", (0, 1, 1, None), not_comparable=OURS, yes_no=True),
        Line("lags at the end", (1, 1, 1, 1), not_comparable=OURS, yes_no=True),
    ],
    ask,
    lambda run: [("actual", np.degrees(run.q)), ("wanted", np.degrees(run.wanted))],
    ("deg",) * 4,
    "angle",
)
