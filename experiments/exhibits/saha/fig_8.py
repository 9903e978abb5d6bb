"""Torques along Saha's profile."""

from meshsim.algorithms.robots.catalogue import load_robot
from meshsim.experiments.exhibits.base.motions import inverse_note, saha_torques, torque_figure

EXHIBIT = torque_figure(
    "saha-fig-8",
    "Joint torques of stanford along eqs 22 and 23",
    lambda: load_robot("stanford"),
    lambda: saha_torques("stanford"),
    inverse_note("stanford"),
)
