"""Springs with feedback."""

from meshsim.experiments.exhibits.base.exhibit import Line
from meshsim.experiments.exhibits.base.khan import corrected, in_print, within_15
from meshsim.experiments.exhibits.base.loops import GAINS, damped

WHY = (
    "the springs take their load in the first instants, and the stiffer the feedback is, the more it fights that; "
    "after 0.2 s no correction exceeds 1 %"
)

EXHIBIT = corrected(
    "khan-fig-4.7",
    "The 3-RRR with springs (k = 1e5 N/m) and feedback, steps of 0.001 s",
    "penalty",
    damped(1e5),
    0.001,
    [Line(f"corrections within 15 %, gains {in_print(gains)}", (1, 1, 1), WHY, yes_no=True) for gains in GAINS],
    lambda shares: [within_15(each) for each in shares],
    "Whether the claim holds depends on the gains, so all that were tried are shown.",
    GAINS,
)
