"""The counted kernels by name: ours, all of them, and what users have declared besides."""

from meshsim.algorithms.kernels import (
    actuator,
    articulated,
    branch,
    composite,
    constraint,
    control,
    core,
    handles,
    inertial,
    loops,
    mixed,
    plane,
    space,
    stepping,
    triangle,
)
from meshsim.counted import KERNELS

__all__ = ["KERNELS", "MODULES"]

MODULES = (
    actuator,
    articulated,
    branch,
    composite,
    constraint,
    control,
    core,
    handles,
    inertial,
    loops,
    mixed,
    plane,
    space,
    stepping,
    triangle,
)
"""Where kernels are declared: importing them fills `KERNELS`."""
