"""Open chains in space, counted: positions, rates, inertia matrix, bias force, and the ends where loops were cut.

All vectors are in the ground's axes. A body's frame has z along its joint, if that turns, and is parallel to its
parent's, if it slides; constants are in it. Its hinge is its reference: moments of mass are about it. What only slides
on the ground never turns: nothing is computed to say so, and its second moment of mass is never asked for.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from meshsim.algorithms.kernels.articulated import displace
from meshsim.algorithms.kernels.composite import rotate_symmetric
from meshsim.algorithms.kernels.core import (
    ZERO,
    acceleration_matrix,
    add_vectors,
    cross,
    dot,
    form_rotation,
    form_rotation_twist,
    matvec,
    scale,
    sine_cosine,
    subtract_vectors,
)
from meshsim.algorithms.kernels.inertial import Symmetric, add_symmetric, matmul, symmetric_times
from meshsim.algorithms.kernels.space import accelerated, axpy_vector, shift_second_moment, turn_frame_x, turn_frame_z
from meshsim.algorithms.robots.cuts import EYE, Anchor, Cut
from meshsim.algorithms.robots.kinematics import skew
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.schemes.loops.joint_rows import axes_of
from meshsim.algorithms.schemes.loops.plane_chain import lift_of_body
from meshsim.algorithms.types.arrays import Array
from meshsim.algorithms.types.vectors import Matrix, Vector, to_matrix, to_vector
from meshsim.program import Cpu


@dataclass(frozen=True)
class SpaceBody:
    """A body as a processor knows it: constants.

    `rotation` takes its frame to its parent's, its joint at 0; `twist` is the sine and cosine of that if it is a turn
    about x. `offset` leads from the hinge before (the ground's origin) to its own, and `axis` is where it slides, both
    in its parent's frame. `moment` and `inertia` are about its hinge, in its own; `carried` is its mass with all that
    it carries. `lift` is minus gravity, less what a force on its centre of mass does to it, and `load` a moment on it,
    both in the ground's axes.
    """

    parent: int
    slides: bool
    rotation: Matrix
    twist: tuple[float, float] | None
    offset: Vector
    axis: Vector
    mass: float
    moment: Vector
    inertia: Symmetric
    lift: Vector
    carried: float = 0.0
    half: float = 0.0  # of what is carried
    load: Vector = ZERO


@dataclass(frozen=True)
class SpaceEnd:
    """An end of the chain: a point of a body (from 0 in the chain; -1 is the ground) at `arm` from its hinge.

    `axes` are those that the joint which was cut holds; both are in the body's frame. `turns` says that how it turns
    matters, as it does where axes are held.
    """

    body: int
    arm: Vector
    axes: tuple[Vector, ...] = ()
    turns: bool = False

    def at_rest(self) -> tuple[tuple[float, ...], ...]:
        """Value, rate and bias of an end on the ground."""
        value = (*self.arm, *(each for axis in self.axes for each in axis))
        return value, (0.0,) * (6 if self.axes else 3), (0.0,) * (9 if self.axes else 3)


@dataclass
class SpacePlaced:
    """What has been computed of a chain so far, by body; `axis` is that about which it turns or along which it slides.

    `own` is what its joint adds to its velocity, angular or not. `W` is kept for the bodies that needed it: it gives
    the acceleration of a point from the arm to it.
    """

    R: list[Matrix] = field(default_factory=list)
    axis: list[Vector] = field(default_factory=list)
    arm: list[Vector] = field(default_factory=list)
    x: list[Vector] = field(default_factory=list)
    moment: list[Vector] = field(default_factory=list)
    inertia: list[Symmetric | None] = field(default_factory=list)
    own: list[Vector] = field(default_factory=list)
    w: list[Vector] = field(default_factory=list)
    v: list[Vector] = field(default_factory=list)
    wd: list[Vector] = field(default_factory=list)
    a: list[Vector] = field(default_factory=list)
    W: dict[int, Matrix] = field(default_factory=dict)


@dataclass(frozen=True)
class SpaceChain:
    """A subsystem of a closed mechanism; `ends` are where loops were cut."""

    bodies: tuple[SpaceBody, ...]
    ends: tuple[SpaceEnd, ...]

    @property
    def n(self) -> int:
        """How many joints it has."""
        return len(self.bodies)

    # Motion

    def place(self, cpu: Cpu, q: Sequence[float]) -> SpacePlaced:
        """Frames and hinges."""
        at = SpacePlaced()
        for i, body in enumerate(self.bodies):
            grounded = body.parent < 0
            before = EYE if grounded else at.R[body.parent]
            R = before if body.slides else _turned(cpu, before, body, q[i])
            axis = (R[0][2], R[1][2], R[2][2])
            arm = _seen(cpu, before, body.offset)
            if body.slides:
                axis = _seen(cpu, before, body.axis)
                arm = cpu.do(axpy_vector, q[i], axis, arm)
            at.R.append(R)
            at.axis.append(axis)
            at.arm.append(arm)
            at.x.append(arm if grounded else cpu.do(add_vectors, at.x[body.parent], arm))
        return at

    def move(self, cpu: Cpu, at: SpacePlaced, qd: Sequence[float]) -> None:
        """Angular velocities, and velocities of the hinges."""
        for i, body in enumerate(self.bodies):
            w, v = (ZERO, ZERO) if body.parent < 0 else (at.w[body.parent], at.v[body.parent])
            v = _carried(cpu, v, w, at.arm[i])
            own = cpu.do(scale, qd[i], at.axis[i])
            if body.slides:
                v = own if v is ZERO else cpu.do(add_vectors, v, own)
            else:
                w = own if w is ZERO else cpu.do(add_vectors, w, own)
            at.own.append(own)
            at.w.append(w)
            at.v.append(v)

    def drift(self, cpu: Cpu, at: SpacePlaced, _qd: Sequence[float]) -> None:
        """Accelerations of bodies and hinges, were no joint to accelerate."""
        for i, body in enumerate(self.bodies):
            if body.parent < 0 or at.w[body.parent] is ZERO:
                at.wd.append(ZERO)
                at.a.append(ZERO)
                continue
            w, wd = at.w[body.parent], at.wd[body.parent]
            a = self._accelerated(cpu, at, body.parent, at.a[body.parent], at.arm[i])
            across = cpu.do(cross, w, at.own[i])
            if body.slides:
                a = cpu.do(axpy_vector, 2.0, across, a)
            else:
                wd = across if wd is ZERO else cpu.do(add_vectors, wd, across)
            at.wd.append(wd)
            at.a.append(a)

    def _accelerated(self, cpu: Cpu, at: SpacePlaced, i: int, a: Vector, arm: Vector) -> Vector:
        """A + W arm for body i."""
        if i not in at.W:
            at.W[i] = cpu.do(acceleration_matrix, at.w[i], at.wd[i])
        return cpu.do(matvec, at.W[i], arm) if a is ZERO else cpu.do(accelerated, a, at.W[i], arm)

    # Dynamics

    def _weigh(self, cpu: Cpu, at: SpacePlaced) -> None:
        """First and second moments of mass, unless they are known; massless bodies have none."""
        if at.moment:
            return
        for i, body in enumerate(self.bodies):
            at.moment.append(ZERO if body.mass == 0.0 else _seen(cpu, at.R[i], body.moment))
            light = body.mass == 0.0 or at.R[i] is EYE
            at.inertia.append(None if light else cpu.do(rotate_symmetric, at.R[i], body.inertia))

    def inertia(self, cpu: Cpu, at: SpacePlaced) -> list[list[float]]:
        """The lower triangle of M, by composite bodies."""
        moment, inertia = self._composites(cpu, at)
        M = [[0.0] * (i + 1) for i in range(self.n)]
        for i, body in enumerate(self.bodies):
            z, P, S = at.axis[i], moment[i], inertia[i]
            if body.slides:
                M[i][i], f = body.carried, cpu.do(scale, body.carried, z)
                n = ZERO if at.R[i] is EYE else cpu.do(cross, P, z)
            else:
                assert S is not None
                f, n = cpu.do(cross, z, P), cpu.do(symmetric_times, S, z)
                M[i][i] = cpu.do(dot, z, n)
            k = i
            while self.bodies[k].parent >= 0:
                if at.R[self.bodies[k].parent] is not EYE:
                    n = cpu.do(displace, n, at.arm[k], f)
                k = self.bodies[k].parent
                M[i][k] = cpu.do(dot, at.axis[k], f if self.bodies[k].slides else n)
        return M

    def _composites(self, cpu: Cpu, at: SpacePlaced) -> tuple[list[Vector], list[Symmetric | None]]:
        """First and second moments of each body with all that it carries, of those that turn."""
        self._weigh(cpu, at)
        moment, inertia = list(at.moment), list(at.inertia)
        for i in reversed(range(self.n)):
            body, S = self.bodies[i], inertia[i]
            p = body.parent
            if p < 0 or at.R[p] is EYE:
                continue
            assert S is not None
            S = cpu.do(shift_second_moment, S, moment[i], body.half, at.arm[i])
            P = cpu.do(axpy_vector, body.carried, at.arm[i], moment[i])
            other = inertia[p]
            inertia[p] = S if other is None else cpu.do(add_symmetric, other, S)
            moment[p] = P if other is None else cpu.do(add_vectors, moment[p], P)
        return moment, inertia

    def force(self, cpu: Cpu, at: SpacePlaced) -> list[float]:
        """h, by Newton's and Euler's laws from the ends inward."""
        self._weigh(cpu, at)
        f, n = map(list, zip(*(self._wrench(cpu, at, i) for i in range(self.n)), strict=True))
        for i in reversed(range(self.n)):
            p = self.bodies[i].parent
            if p < 0:
                continue
            if at.R[p] is not EYE:
                carried = cpu.do(displace, n[i], at.arm[i], f[i])
                n[p] = carried if n[p] is ZERO else cpu.do(add_vectors, n[p], carried)
            f[p] = f[i] if f[p] is ZERO else cpu.do(add_vectors, f[p], f[i])
        return [cpu.do(dot, at.axis[i], (f if self.bodies[i].slides else n)[i]) for i in range(self.n)]

    def _wrench(self, cpu: Cpu, at: SpacePlaced, i: int) -> tuple[Vector, Vector]:
        """The force, and the moment about its hinge, that a body's own motion takes."""
        body, w, wd, P, S = self.bodies[i], at.w[i], at.wd[i], at.moment[i], at.inertia[i]
        if body.mass == 0.0:
            return ZERO, ZERO
        a = body.lift if at.a[i] is ZERO else cpu.do(add_vectors, at.a[i], body.lift)
        f = cpu.do(scale, body.mass, a)
        if S is None:
            return f, ZERO
        n = cpu.do(cross, w, cpu.do(symmetric_times, S, w))
        if wd is not ZERO:
            n = cpu.do(add_vectors, n, cpu.do(symmetric_times, S, wd))
        if any(body.load):
            n = cpu.do(subtract_vectors, n, body.load)
        return self._accelerated(cpu, at, i, f, P), cpu.do(displace, n, P, a)

    # Ends

    def reach(self, cpu: Cpu, at: SpacePlaced, end: SpaceEnd) -> tuple[Vector, tuple[float, ...]]:
        """The arm to an end, and its value: its point, and its axes if they matter."""
        R = at.R[end.body]
        arm = _seen(cpu, R, end.arm)
        axes = [_seen(cpu, R, axis) for axis in end.axes]
        return arm, (*cpu.do(add_vectors, at.x[end.body], arm), *(each for axis in axes for each in axis))

    def rate(self, cpu: Cpu, at: SpacePlaced, end: SpaceEnd, arm: Vector) -> tuple[float, ...]:
        """How fast an end moves, and turns."""
        w, v = at.w[end.body], at.v[end.body]
        v = _carried(cpu, v, w, arm)
        return (*v, *w) if end.turns else v

    def bias(self, cpu: Cpu, at: SpacePlaced, end: SpaceEnd, arm: Vector) -> tuple[float, ...]:
        """How an end would accelerate if no joint did; if its turning matters, that too, and how fast it turns."""
        w, a = at.w[end.body], at.a[end.body]
        if w is not ZERO:
            a = self._accelerated(cpu, at, end.body, a, arm)
        return (*a, *at.wd[end.body], *w) if end.turns else a

    def jacobian(self, cpu: Cpu, at: SpacePlaced, end: SpaceEnd, value: Sequence[float]) -> list[tuple[float, ...]]:
        """How an end moves with each joint: three rows, and three more if its turning matters."""
        size = 6 if end.turns else 3
        moved: list[tuple[float, ...]] = [(*ZERO, *ZERO)] * self.n
        x, y, z = value[:3]
        k = end.body
        while k >= 0:
            axis = at.axis[k]
            if self.bodies[k].slides:
                moved[k] = (*axis, *ZERO)
            else:
                moved[k] = (*cpu.do(cross, axis, cpu.do(subtract_vectors, (x, y, z), at.x[k])), *axis)
            k = self.bodies[k].parent
        return list(zip(*moved, strict=True))[:size]


def _seen(cpu: Cpu, R: Matrix, v: Vector) -> Vector:
    """A constant of a body in the ground's axes."""
    return v if R is EYE else cpu.do(matvec, R, v)


def _turned(cpu: Cpu, before: Matrix, body: SpaceBody, angle: float) -> Matrix:
    """The frame of a body that turns on another."""
    turn = cpu.do(sine_cosine, angle)
    if before is EYE:
        form = form_rotation if body.twist is None else form_rotation_twist
        return _transposed(cpu.do(form, *turn, _transposed(body.rotation)))
    if body.twist is None:
        return cpu.do(turn_frame_z, *turn, cpu.do(matmul, before, body.rotation))
    return cpu.do(turn_frame_z, *turn, cpu.do(turn_frame_x, *body.twist, before))


def _carried(cpu: Cpu, v: Vector, w: Vector, arm: Vector) -> Vector:
    """V + w x arm; nothing is done for what is known to be zero."""
    if w is ZERO:
        return v
    return cpu.do(cross, w, arm) if v is ZERO else cpu.do(displace, v, w, arm)


def _transposed(A: Matrix) -> Matrix:
    (a, b, c), (d, e, f), (g, h, i) = A
    return (a, d, g), (b, e, h), (c, f, i)


# From a mechanism


def chain_in_space(mechanism: Mechanism, subsystem: int) -> SpaceChain:
    """A subsystem of a closed mechanism, with an end for each anchor, in the order of the cut joints."""
    members = mechanism.subsystems[subsystem]
    local = {body: i for i, body in enumerate(members)}
    frames = _frames(mechanism)
    bodies = tuple(_body(mechanism, local, frames, i) for i in members)
    ends = [
        _end(cut, anchor, local[anchor.body], frames[anchor.body])
        for cut in mechanism.cuts
        for anchor in (cut.first, cut.second)
        if anchor.body in local
    ]
    return SpaceChain(bodies, tuple(ends))


def ground_end(_closed: Mechanism, cut: Cut, anchor: Anchor) -> SpaceEnd:
    """An end on the ground."""
    return _end(cut, anchor, -1, np.eye(3))


def _frames(mechanism: Mechanism) -> list[Array]:
    """What takes vectors of the mechanism's body frames to those used here; last of all the ground's."""
    frames: list[Array] = []
    for body in mechanism.bodies:
        before = frames[body.parent] if body.parent >= 0 else np.eye(3)
        frames.append(before @ np.array(body.rotation) if body.kind == "prismatic" else np.eye(3))
    return [*frames, np.eye(3)]


def _body(mechanism: Mechanism, local: Mapping[int, int], frames: Sequence[Array], i: int) -> SpaceBody:
    body, carried = mechanism.bodies[i], mechanism.loads[i]
    slides = body.kind == "prismatic"
    before = frames[body.parent]
    rotation = before @ np.array(body.rotation)
    d = frames[i] @ np.array(body.com)
    J = frames[i] @ np.array(body.inertia) @ frames[i].T + body.mass * skew(d) @ skew(d).T
    (a, b, c), (_, e, f), (_, _, g) = J.tolist()
    about_x = not slides and rotation[0, 0] == 1.0 and not (rotation[0, 1:].any() or rotation[1:, 0].any())
    return SpaceBody(
        parent=local.get(body.parent, -1),
        slides=slides,
        rotation=to_matrix(rotation),
        twist=(float(rotation[2, 1]), float(rotation[1, 1])) if about_x else None,
        offset=to_vector(before @ np.array(body.position)),
        axis=to_vector(rotation[:, 2]),
        mass=body.mass,
        moment=to_vector(body.mass * d),
        inertia=(a, e, g, b, c, f),
        lift=to_vector(lift_of_body(mechanism, i)),
        carried=carried,
        half=carried / 2,
        load=mechanism.wrench_on(i).moment,
    )


def _end(cut: Cut, anchor: Anchor, body: int, frame: Array) -> SpaceEnd:
    held = axes_of(cut)[0 if anchor is cut.first else 1]
    axes = frame @ np.array(anchor.rotation)
    arm = to_vector(frame @ np.array(anchor.position))
    return SpaceEnd(body, arm, tuple(to_vector(axes[:, i]) for i in held), bool(held))
