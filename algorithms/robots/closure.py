"""Loop closure in plain numpy: c(q) = 0, its Jacobian A and A' q', assembly, and ill-conditioned loops.

In the plane a cut joint has two rows (three if fixed), in space three for its point and two or three for its axes. A
row of axes says that an axis of one side stays square to one of the other, which at 90 degrees is what a joint asks.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from meshsim.algorithms.robots.body import joint_position, joint_rotation
from meshsim.algorithms.robots.cuts import Anchor, Cut, Plane
from meshsim.algorithms.robots.kinematics import joint_vector, skew
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.plane_closure import Flat
from meshsim.algorithms.types.arrays import Array
from meshsim.errors import MeshSimError

CLOSED = 1e-12
"""Metres, or radians: what is left of c when loops are called closed."""
SQUARE = {"revolute": ((2, 0), (2, 1)), "fixed": ((0, 1), (1, 2), (2, 0)), "spherical": ()}
"""In space: which axis of the first anchor stays square to which of the second."""
SINGULAR = 1e8
"""The condition number at which constraints are called dependent."""
_TURNED = 1e-6
"""How far an axis may be from the one it should be: far more than rounding, far less than half a turn."""


@dataclass(frozen=True, eq=False)
class Placed:
    """Where a body is and how it moves, joints not accelerating: R, hinge x, w, velocity v, and both accelerations."""

    R: Array
    x: Array
    w: Array
    v: Array
    wd: Array
    a: Array


@dataclass(frozen=True, eq=False)
class Loops:
    """Constraints in a state.

    Attributes
    ----------
    c : array of m
        How far the loops are from closed.
    A : array m by n
        How c changes with q.
    bias : array of m
        A' q', what c would accelerate by if no joint did.
    cut : tuple of int
        The cut joint of each row.
    """

    c: Array
    A: Array
    bias: Array
    cut: tuple[int, ...]


GROUND_PLACED = Placed(np.eye(3), np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3))


def placed(mechanism: Mechanism, q: npt.ArrayLike, qd: npt.ArrayLike) -> list[Placed]:
    """All bodies, and last of all the ground, so that an index of -1 finds it."""
    tree = mechanism
    q, qd = joint_vector(tree, "q", q), joint_vector(tree, "qd", qd)
    bodies: list[Placed] = []
    for i, body in enumerate(tree.bodies):
        base = bodies[body.parent] if body.parent >= 0 else GROUND_PLACED
        W = skew(base.w)
        arm = base.R @ joint_position(body, q[i])
        R = base.R @ joint_rotation(body, q[i])
        rate = qd[i] * R[:, 2]
        x, v = base.x + arm, base.v + W @ arm
        w, wd, a = base.w, base.wd, base.a + (skew(base.wd) + W @ W) @ arm
        if body.kind == "prismatic":
            v, a = v + rate, a + 2.0 * W @ rate
        else:
            w, wd = w + rate, wd + W @ rate
        bodies.append(Placed(R, x, w, v, wd, a))
    return [*bodies, GROUND_PLACED]


def jacobian(mechanism: Mechanism, bodies: Sequence[Placed], body: int, point: Array) -> tuple[Array, Array]:
    """How fast a point of a body moves, and how fast the body turns, by joint: two arrays 3 by n."""
    linear, angular = np.zeros((3, mechanism.n)), np.zeros((3, mechanism.n))
    while body >= 0:
        axis = bodies[body].R[:, 2]
        if mechanism.bodies[body].kind == "prismatic":
            linear[:, body] = axis
        else:
            linear[:, body] = np.cross(axis, point - bodies[body].x)
            angular[:, body] = axis
        body = mechanism.bodies[body].parent
    return linear, angular


@dataclass(frozen=True, eq=False)
class _End:
    """An anchor in motion: point, its bias acceleration, axes, turning, and both Jacobians."""

    p: Array
    a: Array
    axes: Array
    w: Array
    wd: Array
    linear: Array
    angular: Array


def _end(mechanism: Mechanism, bodies: Sequence[Placed], anchor: Anchor) -> _End:
    body = bodies[anchor.body]
    r = body.R @ np.array(anchor.position)
    W = skew(body.w)
    p = body.x + r
    a = body.a + (skew(body.wd) + W @ W) @ r
    linear, angular = jacobian(mechanism, bodies, anchor.body, p)
    return _End(p, a, body.R @ np.array(anchor.rotation), body.w, body.wd, linear, angular)


def loops(mechanism: Mechanism, q: npt.ArrayLike, qd: npt.ArrayLike) -> Loops:
    """The constraints of all cut joints in a state."""
    if mechanism.plane is not None:
        flat = _flattened(mechanism)
        at, rates = joint_vector(mechanism, "q", q), joint_vector(mechanism, "qd", qd)
        c, A, bias = map(np.array, flat.loops(at.tolist(), rates.tolist()))
        return Loops(c, A, bias, flat.cut)
    bodies = placed(mechanism, q, qd)
    parts = [
        _in_space(cut, _end(mechanism, bodies, cut.first), _end(mechanism, bodies, cut.second))
        for cut in mechanism.cuts
    ]
    c, A, bias = (np.concatenate(part) for part in zip(*parts, strict=True))
    return Loops(c, A, bias, tuple(k for k, part in enumerate(parts) for _ in part[0]))


@lru_cache(maxsize=64)
def _flattened(mechanism: Mechanism) -> Flat:
    plane = mechanism.plane
    assert plane is not None
    return Flat(
        mechanism, [rest_angle(mechanism, cut, plane) if cut.kind == "fixed" else None for cut in mechanism.cuts]
    )


def rest_angle(mechanism: Mechanism, cut: Cut, plane: Plane) -> float:
    """How far the second body must have turned beyond the first for a fixed joint to fit, all joints at 0 before."""
    frames = []
    for anchor in (cut.first, cut.second):
        R = mechanism.rest[0][anchor.body] if anchor.body >= 0 else np.eye(3)
        frames.append(R @ np.array(anchor.rotation))
    k = int(np.argmin(np.abs(plane.normal @ frames[0])))  # an axis that lies in the plane, the same one in both
    one, other = (float(np.arctan2(frame[:, k] @ plane.y, frame[:, k] @ plane.x)) for frame in frames)
    return one - other


def _in_space(cut: Cut, first: _End, second: _End) -> tuple[Array, Array, Array]:
    c, A, bias = [*(second.p - first.p)], [*(second.linear - first.linear)], [*(second.a - first.a)]
    for i, j in SQUARE[cut.kind]:
        one, other = first.axes[:, i], second.axes[:, j]
        across = np.cross(other, one)
        changing = np.cross(np.cross(second.w, other), one) + np.cross(other, np.cross(first.w, one))
        c.append(other @ one)
        A.append(across @ (second.angular - first.angular))
        bias.append(across @ (second.wd - first.wd) + changing @ (second.w - first.w))
    return np.array(c), np.array(A), np.array(bias)


class OpenError(MeshSimError):
    """Joint positions near which loops do not close; `opening` says which stays open by how much, `q` where that is."""

    def __init__(self, message: str, opening: str = "", q: Sequence[float] = ()) -> None:
        super().__init__(message)
        self.opening, self.q = opening, np.array(q)


def worst(mechanism: Mechanism, now: Loops, values: Array, per: str = "") -> tuple[str, str]:
    """The cut joint of the largest of some values, one for each row, and that value with its unit."""
    row = int(np.nanargmax(np.abs(values)))
    points = 2 if mechanism.plane is not None else 3  # rows of a point come first, then those of axes
    unit = "m" if row - now.cut.index(now.cut[row]) < points else "rad"
    return mechanism.cuts[now.cut[row]].name, f"{abs(float(values[row])):.3g} {unit}{per}"


# Assembly


def assemble(mechanism: Mechanism, guess: npt.ArrayLike | None = None, held: Sequence[int] | None = None) -> Array:
    """Joint positions that close all loops, near a guess.

    Parameters
    ----------
    mechanism : Mechanism
        The mechanism.
    guess : array_like, optional
        Where to begin; the mechanism's own guess unless given.
    held : sequence of int, optional
        Joints that stay where they are; the leading ones unless given, if the others can close the loops.

    Returns
    -------
    ndarray
        The positions.
    """
    start = np.array(mechanism.guess if guess is None else guess, dtype=np.float64)
    held = leading(mechanism) if held is None else held
    _check_heights(mechanism)
    q = start.copy()
    free = [j for j in range(mechanism.n) if j not in held]
    rest = np.zeros(mechanism.n)
    left = np.inf
    for _ in range(100):
        now = loops(mechanism, q, rest)
        left = float(np.abs(now.c).max())
        if left < CLOSED:
            break
        step = np.linalg.lstsq(now.A[:, free], -now.c, rcond=None)[0]
        largest = float(np.abs(step).max()) if len(step) else 0.0
        q[free] += step * min(1.0, 0.5 / largest) if largest > 0.0 else 0.0
    now = loops(mechanism, q, rest)
    left = float(np.abs(now.c).max())
    if left > 1e3 * CLOSED or not np.isfinite(left):
        name, size = worst(mechanism, now, now.c)
        opening = f"the loop through {name!r} stays open by {size}"
        with_held = f" with {_names(mechanism, held)} held" if held else ""
        message = f"{mechanism.name} cannot be assembled near the guess: {opening}{with_held}"
        raise OpenError(message, opening, q.tolist())
    _check_frames(mechanism, q)
    return q


def out_of_reach(mechanism: Mechanism, stuck: Array, before: npt.ArrayLike) -> int:
    """Which leading joint opened loops most, on its way from where they were closed: c grows by A times its way."""
    driven = list(leading(mechanism))
    now = loops(mechanism, stuck, np.zeros(mechanism.n))
    opened = (now.c @ now.A[:, driven]) * (stuck - np.asarray(before))[driven]
    return driven[int(np.argmax(opened > opened.max() - 1e-6 * abs(opened.max())))]  # the first of those alike


def joint_at(mechanism: Mechanism, joint: int, position: float) -> str:
    """A joint and where it is, with the unit."""
    return (
        f"{mechanism.joints[joint]!r} at {position:.6g} {'m' if mechanism.bodies[joint].kind == 'prismatic' else 'rad'}"
    )


def _names(mechanism: Mechanism, joints: Sequence[int]) -> str:
    return ", ".join(repr(mechanism.joints[j]) for j in joints)


@lru_cache(maxsize=64)  # the same wherever the joints are
def _check_heights(mechanism: Mechanism) -> None:
    """In the plane, nothing can close what is apart along its normal."""
    if mechanism.plane is None:
        return
    bodies = placed(mechanism, mechanism.guess, [0.0] * mechanism.n)
    for cut in mechanism.cuts:
        ends = [bodies[end.body].x + bodies[end.body].R @ np.array(end.position) for end in (cut.first, cut.second)]
        apart = float(mechanism.plane.normal @ (ends[1] - ends[0]))
        if abs(apart) > 1e-9:
            raise MeshSimError(
                f"{mechanism.name} cannot be assembled: the loop through {cut.name!r} is open by {apart:.3g} m across "
                "the plane in which all bodies move"
            )


def _check_frames(mechanism: Mechanism, q: Array) -> None:
    """Axes that are perpendicular stay so after half a turn, so the frames must be compared as well."""
    fixed = [cut for cut in mechanism.cuts if cut.kind == "fixed"]
    bodies = placed(mechanism, q, np.zeros(mechanism.n)) if fixed else []
    for cut in fixed:
        first, second = (bodies[end.body].R @ np.array(end.rotation) for end in (cut.first, cut.second))
        if np.abs(first - second).max() > _TURNED:
            raise MeshSimError(
                f"{mechanism.name} cannot be assembled near the guess: the ends of the loop through {cut.name!r} meet, "
                "but one is turned against the other"
            )


@lru_cache(maxsize=64)
def leading(mechanism: Mechanism) -> tuple[int, ...]:
    """The actuated joints that prescribe a motion; where more are actuated than there are freedoms, the first that do.

    Those that follow are in positions, and move, as the leading joints make them.
    """
    A = loops(mechanism, mechanism.guess, np.zeros(mechanism.n)).A
    m, n = A.shape
    if len(mechanism.actuated) <= n - m:
        return mechanism.actuated
    chosen: list[int] = []
    for joint in mechanism.actuated:
        rows = np.vstack([A, np.eye(n)[[*chosen, joint]]])
        if len(chosen) < n - m and np.linalg.matrix_rank(rows, 1.0 / SINGULAR) == len(rows):
            chosen.append(joint)
    return tuple(chosen)


def consistent_rates(mechanism: Mechanism, q: npt.ArrayLike, actuated: npt.ArrayLike, sigma: float = 0.0) -> Array:
    """Rates of all joints, given those of the actuated ones, of which the leading ones are taken: A q' = - sigma c.

    With sigma, open loops close.
    """
    now = loops(mechanism, q, np.zeros(mechanism.n))
    A = now.A
    rates, leads = np.zeros(mechanism.n), list(leading(mechanism))
    rates[list(mechanism.actuated)] = actuated
    others = [j for j in range(mechanism.n) if j not in leads]
    rates[others] = 0.0
    rates[others] = np.linalg.lstsq(A[:, others], -sigma * now.c - A @ rates, rcond=None)[0]
    return rates


def check_rank(mechanism: Mechanism, q: npt.ArrayLike) -> None:
    """Refuse constraints of which one follows from the others: its multiplier would be undetermined."""
    now = loops(mechanism, q, np.zeros(mechanism.n))
    m, n = now.A.shape
    if m <= n:
        left, values, _ = np.linalg.svd(now.A)
        if values[-1] > values[0] / SINGULAR:
            return
    else:
        left, _, _ = np.linalg.svd(now.A)
    shares = np.abs(left[:, -1])
    guilty = mechanism.cuts[now.cut[int(shares.argmax())]]
    flat = " (in space; its axes need not be held if the others hold them: a spherical joint may do)"
    raise MeshSimError(
        f"the constraints of {mechanism.name} are redundant: a row of the loop through {guilty.name!r} follows from "
        f"the others{'' if mechanism.plane is not None else flat}"
    )


def following(A: Array, chosen: Sequence[int], given: Array, bias: Array) -> Array:
    """Rates, or accelerations, of all joints from those of independent ones: A q' + bias = 0."""
    B = np.eye(A.shape[1])[list(chosen)]
    return np.array(np.linalg.solve(np.vstack([A, B]), np.concatenate([-bias, given])))


def nearest(angle: npt.ArrayLike, near: npt.ArrayLike) -> Array:
    """Angles, but for full turns, that are nearest to others."""
    angle, turn = np.asarray(angle, dtype=np.float64), 2.0 * np.pi
    return np.array(angle + turn * np.round((np.asarray(near) - angle) / turn))


def check_mobile(name: str, freedoms: int) -> None:
    """Refuse a mechanism without freedoms."""
    if freedoms == 0:
        raise MeshSimError(f"{name} must have at least one freedom, not 0: its loops hold all its joints")


def redundancy(mechanism: Mechanism) -> int:
    """How many more joints are actuated than there are freedoms."""
    return len(mechanism.actuated) - len(leading(mechanism))


def check_actuation(mechanism: Mechanism, q: npt.ArrayLike) -> None:
    """Refuse driven joints that leave the motion undetermined; more of them than freedoms are redundant."""
    A = loops(mechanism, q, np.zeros(mechanism.n)).A
    m, n = A.shape
    if len(mechanism.actuated) < n - m:
        raise MeshSimError(
            f"the actuated joints of {mechanism.name} must be at least {n - m}, as many as it has freedoms, "
            f"not {len(mechanism.actuated)}"
        )
    if len(mechanism.actuated) > n - m:
        check_rank(mechanism, q)  # else there may be more freedoms than this
        check_mobile(mechanism.name, n - m)
    passive = [j for j in range(n) if j not in mechanism.actuated]
    _, values, motions = np.linalg.svd(A[:, passive])
    if passive and values[-1] < values[0] / SINGULAR:
        moving = [passive[j] for j in np.flatnonzero(np.abs(motions[-1]) > 0.1)]
        raise MeshSimError(
            f"the actuated joints of {mechanism.name} ({_names(mechanism, mechanism.actuated)}) do not determine its "
            f"motion: with them held, {_names(mechanism, moving)} can still move"
        )
