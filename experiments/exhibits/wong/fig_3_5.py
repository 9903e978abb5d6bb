"""The PUMA 600's torques."""

from meshsim.experiments.exhibits.base.followed import torques_of

EXHIBIT = torques_of("wong-fig-3.5", "puma600", 10.0, 0.01)
