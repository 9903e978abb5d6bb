"""The torso along its profile."""

from meshsim.experiments.exhibits.base.followed import profile_figure

EXHIBIT = profile_figure("wong-fig-3.8", "torso", 5.0, 0.001)
