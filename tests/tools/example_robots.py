"""Real robots: the URDF files of example-robot-data, and Pinocchio's models of them."""

from pathlib import Path

import pinocchio as pin

ROBOTS = next(path for path in Path(pin.__file__).parents if path.name == "cmeel.prefix") / (
    "share/example-robot-data/robots"
)
FILES = {str(path.relative_to(ROBOTS)): path for path in sorted(ROBOTS.rglob("*.urdf"))}
NO_ROBOT = "ur_description/urdf/ur3.urdf"  # Pinocchio refuses it: a macro, not a robot
STILL = ("hector_description/robots/quadrotor_base.urdf", "iris_description/robots/iris_simple.urdf")
"""Robots without joints, which move only if their bases float."""


def model_of(path, floating, **options):
    return pin.buildModelFromUrdf(str(path), *([pin.JointModelFreeFlyer()] if floating else []), **options)
