"""Torques along Saha's profile."""

from meshsim.algorithms.robots.catalogue import load_robot
from meshsim.experiments.exhibits.base.motions import inverse_note, saha_torques, torque_figure

EXHIBIT = torque_figure(
    "saha-fig-6",
    "Joint torques of saha-puma along eqs 22 and 23",
    lambda: load_robot("saha-puma"),
    lambda: saha_torques("saha-puma"),
    inverse_note("saha-puma"),
)
