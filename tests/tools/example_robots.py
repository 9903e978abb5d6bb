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
REFUSED = {  # a joint that mimics one that is not there, and bodies that cannot be
    "alex_description/urdf/alex_psyonic_hands.urdf": "joint 'Left_index_q2' must mimic another .* not 'index_q1'",
    "romeo_description/urdf/romeo.urdf": "body 'LFinger11Link', moved by joint 'LHand', must have mass",
    "romeo_description/urdf/romeo_laas_small.urdf": "inertia of body '(LShoulderYaw_link|base_link)' must",
    "romeo_description/urdf/romeo_small.urdf": "inertia of body 'RShoulderYawLink' must have no principal moment",
}


def model_of(path, floating, **options):
    return pin.buildModelFromUrdf(str(path), *([pin.JointModelFreeFlyer()] if floating else []), **options)
