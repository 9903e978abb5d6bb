"""The velocity transformation of joints with several freedoms."""

import numpy as np

from meshsim.algorithms.robots.compound import COMPOUND, freedoms_of
from meshsim.algorithms.robots.kinematics import skew
from meshsim.algorithms.robots.state import State
from meshsim.algorithms.robots.tree import Inertial, Joint, Pose, build, rotation_rpy
from meshsim.algorithms.schemes.base.bodies import bodies_of
from meshsim.algorithms.schemes.one.one_wong import Rows, arms, axes, hinges, rotations, velocities
from meshsim.algorithms.types.arrays import Array
from meshsim.algorithms.types.vectors import Matrix
from meshsim.experiments.exhibits.base.exhibit import Computed, Exhibit, Line
from meshsim.plan import Plan
from meshsim.presets import PRESETS
from meshsim.program import Cpu, Steps
from meshsim.topologies.pipeline import pipeline

KINDS = {
    "Floating base body": ("floating", 6),
    "Revolute joint": ("revolute", 1),
    "Translational joint": ("prismatic", 1),
    "Cylindrical joint": ("cylindrical", 2),
    "Universal joint": ("universal", 2),
    "Spherical joint": ("spherical", 3),
}
RIGHT = {
    "floating": (3, "its lower right block, which must be rho~ A and is rho~"),
    "cylindrical": (1, "its translation, which must be along z and is along y (and there is a third row of blocks)"),
    "universal": (1, "the first of its turns, about an axis of the frame before the second, not of that after both"),
}
"""How many columns of a matrix are right, and what shows that the others are not."""
PRINT = "print itself"
ROUNDING = 1e-9


def formed(kind: str) -> tuple[Array, Array, Array]:
    """H-bar of a body beyond the joint, a column for each freedom; and from there the joint's axes and its hinge."""
    solid = Inertial(2.0, Pose(np.eye(3), np.array([0.1, -0.2, 0.3])), np.diag([0.3, 0.4, 0.5]))
    tilted = Pose(rotation_rpy(0.4, -0.3, 0.8), np.array([0.2, 0.5, -0.1]))
    joints = [Joint("joint", kind, "ground", "body", tilted), Joint("tip", "revolute", "body", "end", tilted)]
    robot = build(kind, {"ground": None, "body": solid, "end": solid}, joints)
    state = State(tuple(0.3 + 0.2 * i for i in range(robot.n)), (0.0,) * robot.n, (0.0,) * robot.n)

    local_bodies = bodies_of(robot, state)

    def program(cpu: Cpu) -> Steps[tuple[list[Matrix], Rows, Rows, Rows]]:
        A = rotations(cpu, local_bodies)
        c = axes(cpu, local_bodies, A)
        rho = arms(cpu, local_bodies, A, hinges(cpu, local_bodies))
        moves = velocities(cpu, local_bodies, c, rho)
        yield cpu.par()
        return A, c, rho, moves

    A, c, rho, moves = Plan(pipeline(1), {1: program}, lambda found: found[1]).run(PRESETS["ideal"]).value
    last = len(local_bodies) - 1
    columns = [
        ((0.0,) * 3 if local_bodies[j].slides else c[last][j]) + moves[last][j] for j in local_bodies[last].ancestors
    ]
    turned = np.array(A[last]) @ freedoms_of("joint", kind)[-1].frame.T
    arm = next((arm for j, arm in rho[last].items() if j < last), (0.0,) * 3)
    return np.array(columns).T, turned, np.array(arm)


def printed(kind: str, turned: Array, rho: Array) -> Array:
    """What the table has: turns before slides, but for the floating base; the joint's axes are columns of `turned`."""
    x, y, z = turned.T
    turn = {"x": np.concatenate([x, skew(rho) @ x]), "y": np.concatenate([y, skew(rho) @ y])}
    turn["z"] = np.concatenate([z, skew(rho) @ z])
    slide_z, slide_y = (np.concatenate([np.zeros(3), axis]) for axis in (z, y))
    if kind == "floating":
        return np.block([[np.zeros((3, 3)), turned], [turned, skew(rho)]])
    columns = {
        "revolute": [turn["z"]],
        "prismatic": [slide_z],
        "cylindrical": [turn["z"], slide_y],
        "universal": [turn["z"], turn["y"]],
        "spherical": [turn["z"], turn["y"], turn["x"]],
    }
    return np.array(columns[kind]).T


def true(kind: str, H: Array, turned: Array) -> Array:
    """The same from what was formed; three turns are referred to the axes of the body, as the table has them."""
    if kind == "cylindrical":
        return H[:, ::-1]
    if kind not in ("spherical", "floating"):
        return H
    turns = H[:, -3:] @ np.linalg.inv(turned.T @ H[:3, -3:])  # rates about x, y and z of the body
    if kind == "spherical":
        return turns[:, ::-1]
    return np.hstack([np.vstack([np.zeros((3, 3)), turned]), turns])


def compute() -> Computed:
    """How many columns were formed, and how many the printed matrix shares."""
    found = {}
    for label, (kind, _) in KINDS.items():
        H, turned, rho = formed(kind)
        alike = np.abs(true(kind, H, turned) - printed(kind, turned, rho)).max(axis=0) < ROUNDING
        found[label] = [H.shape[1], int(alike.sum())]
    return found


EXHIBIT = Exhibit(
    "wong-table-6.1",
    "Velocity transformation H-bar for joints of several freedoms",
    ("freedoms", "columns that are right"),
    [
        Line(
            label,
            (size, size),
            corrected=(size, RIGHT.get(kind, (size, ""))[0]),
            source=RIGHT.get(kind, (size, PRINT))[1],
        )
        for label, (kind, size) in KINDS.items()
    ],
    compute,
    "A joint of several freedoms is a sequence of one-freedom joints with massless bodies between them; the second "
    "column is how many columns of the printed matrix are what their programs form, in one position: "
    + "; ".join(f"{kind} {', '.join(names)}" for kind, names in COMPOUND.items())
    + ".",
)
