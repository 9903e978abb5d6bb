"""Springs with fixed steps of 0.001 s."""

from meshsim.experiments.exhibits.base.khan import springs_fixed

EXHIBIT = springs_fixed("khan-fig-4.6", 0.001, (0, 0, 0, 1))
