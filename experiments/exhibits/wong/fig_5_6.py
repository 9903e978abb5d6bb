"""JOINT mode: rates."""

import numpy as np

from meshsim.experiments.exhibits.base.digging import Answers, figure, rings
from meshsim.experiments.exhibits.base.exhibit import OURS, Line
from meshsim.experiments.exhibits.base.motions import Dug


def ask(run: Dug) -> Answers:
    """Does it ring before any command, and after the last?"""
    return rings(run, 0.0, 2.0).tolist(), [*rings(run, 10.0, 15.0)[:3].tolist(), None]


EXHIBIT = figure(
    "wong-fig-5.6",
    "JOINT mode: rates, wanted and actual",
    "joint",
    [
        Line("oscillates at the start", (0, 1, 1, 1), not_comparable=OURS, yes_no=True),
        Line(
            "oscillates at the end",
            (1, 0, 0, None),
            not_comparable=f"{OURS}. The stop sets all joints ringing, and the boom's valve, which is not shut yet, "
            "lets it go on",
            yes_no=True,
        ),
    ],
    ask,
    lambda run: [("actual", np.degrees(run.qd)), ("wanted", np.degrees(run.wanted_rates))],
    ("deg/s",) * 4,
    "rate",
)
