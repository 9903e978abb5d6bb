"""Torques along Saha's profile."""

from meshsim.experiments.exhibits.base.saha_arms import PUMA, inverse_figure

EXHIBIT = inverse_figure("saha-fig-6", "PUMA", PUMA)
