"""The torso's torques."""

from meshsim.experiments.exhibits.base.followed import torques_of

EXHIBIT = torques_of("wong-fig-3.9", "torso", 5.0, 0.001)
