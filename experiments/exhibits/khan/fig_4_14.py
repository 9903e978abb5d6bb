"""DeNOC with feedback."""

from meshsim.algorithms.schemes.loops.method import Settings
from meshsim.experiments.exhibits.base.exhibit import Line
from meshsim.experiments.exhibits.base.khan import accuracy, corrected
from meshsim.experiments.exhibits.base.loops import GAINS

EXHIBIT = corrected(
    "khan-fig-4.14",
    "The 3-RRR by DeNOC with feedback, steps of 0.001 s",
    "denoc",
    Settings(),
    0.001,
    [Line("accuracy (%)", (99, 99, 99), "there is nothing to correct but the error of integration")],
    lambda shares: [accuracy(shares[0])],
    "With stiffer feedback projection, which solves the same equations, shows what changes (khan-fig-4.11).",
    GAINS[:1],
    printed=1.0,
)
