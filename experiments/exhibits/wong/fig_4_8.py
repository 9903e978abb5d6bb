"""Time to form the inertia matrix, against the number of joints."""

from meshsim.experiments.exhibits.base.rivals_figure import rivals_figure

EXHIBIT = rivals_figure(
    "wong-fig-4.8", "Time to form the inertia matrix, parallel schemes", column="inertia", phase="inertia", claimed=13
)
