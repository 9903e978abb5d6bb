"""Torques along Saha's profile."""

from meshsim.experiments.exhibits.base.saha_arms import STANFORD, inverse_figure

EXHIBIT = inverse_figure("saha-fig-8", "Stanford arm", STANFORD)
