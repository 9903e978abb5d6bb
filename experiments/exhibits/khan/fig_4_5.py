"""Springs with fixed steps of 0.01 s."""

from meshsim.experiments.exhibits.base.khan import springs_fixed

EXHIBIT = springs_fixed("khan-fig-4.5", 0.01, (0, 1, 1, 1))
