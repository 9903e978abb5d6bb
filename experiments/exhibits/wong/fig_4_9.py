"""Time to form the inertia matrix and solve, against the number of joints."""

from meshsim.experiments.exhibits.base.rivals_figure import rivals_figure

EXHIBIT = rivals_figure(
    "wong-fig-4.9",
    "Time to form the inertia matrix and solve, parallel schemes",
    column="inertia+solver",
    phase="solve",
    claimed=15,
)
