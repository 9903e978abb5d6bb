"""A robot's bodies as a processor holds them: constants, joint values, and the two kernels of a rotation."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from meshsim.algorithms.kernels.actuator import Drive, actuate
from meshsim.algorithms.kernels.core import (
    Z_AXIS,
    ZERO,
    axpy,
    cross,
    dot,
    form_rotation,
    form_rotation_twist,
    multiply,
    rotate,
    rotate_twist,
)
from meshsim.algorithms.robots.body import Tie, Wrench
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.state import State
from meshsim.algorithms.types.vectors import Matrix, Vector
from meshsim.counted import Kernel
from meshsim.program import Cpu


@dataclass(frozen=True)
class LocalBody:
    """A body as the processor of its column holds it: constants, and the joint's position, rate and torque."""

    k: Vector
    l: Vector  # noqa: E741 - the thesis's letter
    l_inboard: Vector
    J: Matrix
    m: float
    E: Matrix
    q: float
    qd: float
    tau: float
    form: Kernel[float, float, Matrix, Matrix]
    rotate: Kernel[Matrix, Vector, Vector]
    drive: Drive | None = None
    ancestors: tuple[int, ...] = ()  # bodies on the way to the ground, from the first on
    slides: bool = False  # along z, where other joints turn about it
    tie: Tie | None = None  # to the joint that this one mimics, which sets its q and qd; there is no torque then
    wrench: Wrench | None = None  # what acts on the body from outside, in the ground's axes
    qdd: float | None = None  # the joint's acceleration, where it is given and torques are sought

    @property
    def parent(self) -> int:
        """The body that carries this one; -1 is the ground."""
        return self.ancestors[-1] if self.ancestors else -1

    @property
    def withdrawn(self) -> float:
        """Minus the displacement of a joint that slides."""
        return -self.q

    @cached_property
    def com(self) -> Vector:
        """From the hinge to the centre of mass."""
        return -self.k[0], -self.k[1], -self.k[2]

    @cached_property
    def span(self) -> Vector:
        """From the hinge to the next one."""
        return self.l[0] - self.k[0], self.l[1] - self.k[1], self.l[2] - self.k[2]

    @cached_property
    def own_arm(self) -> Vector:
        """k x z, a constant of the body: formed off line."""
        return cross(self.k, Z_AXIS)

    @cached_property
    def own_inertia(self) -> float:
        """The body's moment of inertia about its own joint axis: formed off line."""
        return self.J[2][2] + self.m * dot(self.own_arm, self.own_arm)


def bodies_of(mechanism: Mechanism, state: State | None = None, qdd: Sequence[float] | None = None) -> list[LocalBody]:
    """The links of a robot. One in twist form gets the cheaper rotations, any other the general ones.

    Joints without a state stand at 0, and so do those that mimic others: a scheme that takes such sets them (`follow`).
    `qdd` are accelerations of the joints that move by themselves, where torques are sought.
    """
    place = {i: k for k, i in enumerate(mechanism.freedoms)}
    kernels = (form_rotation_twist, rotate_twist) if mechanism.is_twist else (form_rotation, rotate)
    local_bodies: list[LocalBody] = []
    for i, body in enumerate(mechanism.bodies):
        (a, b, c), (d, e, f), (g, h, j) = body.rotation
        E = (a, d, g), (b, e, h), (c, f, j)
        values, drive = (0.0, 0.0, 0.0), None
        if state is not None and i in place:
            values = state.q[place[i]], state.qd[place[i]], state.tau[place[i]]
            drive = state.drives[place[i]] if state.drives else None
        ancestors: tuple[int, ...] = ()
        l_inboard = ZERO
        if body.parent >= 0:
            ancestors = *local_bodies[body.parent].ancestors, body.parent
            x, y, z = mechanism.bodies[body.parent].com
            l_inboard = body.position[0] - x, body.position[1] - y, body.position[2] - z
            if body.parent == i - 1:  # the first child's hinge
                local_bodies[i - 1] = replace(local_bodies[i - 1], l=l_inboard)
        slides = body.kind == "prismatic"
        body_data = mechanism.k(i), ZERO, l_inboard, body.inertia, body.mass, E
        wanted = None if qdd is None or i not in place else qdd[place[i]]
        borne = next((wrench for wrench in mechanism.wrenches if wrench.body == i), None)
        local = LocalBody(*body_data, *values, *kernels, drive, ancestors, slides, body.tie, borne, wanted)
        local_bodies.append(local)
    return local_bodies


def follow(cpu: Cpu, local_bodies: Sequence[LocalBody]) -> list[LocalBody]:
    """The links, those that mimic others set in motion by their masters."""
    followed = list(local_bodies)
    for i, local in enumerate(local_bodies):
        if local.tie is not None:
            master = local_bodies[local.tie.master]
            q = cpu.do(axpy, local.tie.multiplier, master.q, local.tie.offset)
            qdd = None if master.qdd is None else cpu.do(multiply, local.tie.multiplier, master.qdd)
            followed[i] = replace(local, q=q, qd=cpu.do(multiply, local.tie.multiplier, master.qd), qdd=qdd)
    return followed


def torque_of(cpu: Cpu, local: LocalBody) -> float:
    """The joint's torque: as given, or from its actuator."""
    return local.tau if local.drive is None else actuate(cpu, local.drive, local.qd)[0]


def lift_of(mechanism: Mechanism) -> Vector:
    """Minus gravity: a base that accelerates so gives every body its weight."""  # Wong eq. 3.36
    x, y, z = mechanism.gravity
    return -x, -y, -z
