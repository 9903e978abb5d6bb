"""RESOLVED mode: radius, cab, height and bucket."""

import numpy as np

from meshsim.algorithms.motion.excavator_control import DURATION, REST, START, end_effector
from meshsim.algorithms.types.arrays import Array
from meshsim.experiments.exhibits.base.digging import Answers, figure
from meshsim.experiments.exhibits.base.exhibit import GIVEN, Line
from meshsim.experiments.exhibits.base.motions import Dug

COLUMNS = ("radius", "cab", "height", "bucket")


def curve(run: Dug, q: Array) -> Array:
    """Radius, cab angle, height, bucket angle."""
    radius, height, slope = run.places(q).T
    return np.stack([radius, np.degrees(q[:, 0]), height, np.degrees(slope)], axis=1)


def ask(run: Dug) -> Answers:
    """Where it was to go, whether the height errs down and then up, whether the bucket sags."""
    actual, wanted = curve(run, run.q), curve(run, run.wanted)
    early, late = run.window(0.0, REST), run.window(REST + 2.0, DURATION)
    error = actual - wanted
    return (
        [float(end_effector(START)[0]), None, None, None],
        [round(float(wanted[-1, 0]), 3), round(float(wanted[-1, 1]), 9), None, None],
        [None, None, *(error[early, 2:].mean(axis=0) < 0).astype(float).tolist()],
        [None, None, float(error[late, 2].min() > 0), None],
        [float(error[-1, 0] < 0), float(error[-1, 1] < 0), None, None],
    )


EXHIBIT = figure(
    "wong-fig-5.9",
    "RESOLVED mode: radius, cab, height and bucket, wanted and actual",
    "resolved",
    [
        Line("wanted at the beginning (m)", (5, None, None, None), not_comparable=GIVEN),
        Line("wanted at the end (m, deg)", (6.5, 15, None, None), not_comparable=GIVEN),
        Line("errs down at first", (None, None, 1, 1), yes_no=True),
        Line("errs up then", (None, None, 1, None), yes_no=True),
        Line("lags at the end", (1, 1, None, None), yes_no=True),
    ],
    ask,
    lambda run: [("actual", curve(run, run.q)), ("wanted", curve(run, run.wanted))],
    ("m", "deg", "m", "deg"),
    "place",
    COLUMNS,
    "The end effector is taken to be the bucket's hinge.",
)
