"""Springs with adaptive steps."""

from meshsim.experiments.exhibits.base.khan import springs_adaptive

EXHIBIT = springs_adaptive("khan-fig-4.3", 1e-3)
