"""The PUMA 600 along its profile."""

from meshsim.experiments.exhibits.base.followed import profile_figure

EXHIBIT = profile_figure("wong-fig-3.4", "puma600", 10.0, 0.01)
