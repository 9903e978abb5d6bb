"""Free fall of Saha's robot."""

from meshsim.experiments.exhibits.base.motions import fall_figure

EXHIBIT = fall_figure(
    "saha-fig-7",
    "Free fall of saha-puma",
    "saha-puma",
    "From rest, fourth-order steps of 0.001 s; the paper's rule is of order 5/6. They agree with independent ones.",
)
