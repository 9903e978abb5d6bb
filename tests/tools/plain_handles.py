"""Divide and conquer with plain handles, in numpy: where the digits of Featherstone's algorithm go.

A chain of revolute joints. Of a piece is known how its two handles accelerate with the wrenches f1 and f2 on them,
Phi f + b, kept as 12 x 13 numbers that are multiplied by (f1, f2, 1) (Featherstone 1999, eqs 1 and 2). All arithmetic
is in one number format, kinematics included. Nothing is shared with the simulated schemes.
"""

from dataclasses import dataclass, replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from meshsim.algorithms.reference.exact import exact_accelerations
from meshsim.algorithms.robots.catalogue import load_robot
from meshsim.algorithms.robots.state import State, default_state
from meshsim.experiments.studies.error_growth import error_of

SYSTEMS = ("coil:{n}", "coil:{n}:thin", "chain:{n}:1")
AXIS, HELD = 2, [0, 1, 3, 4, 5]
"""In a joint's own axes: the coordinate that it moves along, and those that it holds."""
LOST = 0.5
"""An error from which on no digit is right."""


@dataclass(frozen=True)
class Handles:
    """A variant.

    Attributes
    ----------
    where : str
        "origin": spatial vectors at the ground's origin; "joints": moments and accelerations at the joints.
    axes : str
        "ground": a joint holds six coordinates and gives way along its unit motion, a rank-one correction; "own": the
        unit motion is a coordinate of the joint's axes, and it holds the five others (only at the joints).
    inverse : bool
        With six coordinates: whether the inverse is formed and corrected, or only what it is multiplied by.
    pivoting, scaled : bool
        Whether the elimination at a joint exchanges rows (numpy's LU) or is L D L^T as it comes; whether rows and
        columns are first divided by the root of the diagonal.
    serial : bool
        Whether bodies join one by one from the ground on, or half with half.
    refine : bool
        Whether the torques that are still missing, by an inverse dynamics in the same format, are solved for as well.
    """

    where: str = "joints"
    axes: str = "own"
    inverse: bool = False
    pivoting: bool = False
    scaled: bool = False
    serial: bool = False
    refine: bool = False


ORIGIN, GROUND, OWN = Handles("origin", "ground"), Handles(axes="ground"), Handles()
ROWS = {
    "origin, the ground's axes, 6 x 6 inverted": replace(ORIGIN, inverse=True),
    "origin, the ground's axes, 6 x 6 solved": ORIGIN,
    "origin, solved, refined": replace(ORIGIN, refine=True),
    "joints, the ground's axes, 6 x 6 inverted": replace(GROUND, inverse=True),
    "joints, the ground's axes, 6 x 6 solved": GROUND,
    "joints, their own axes, 5 x 5 solved": OWN,
    "joints, own axes, pivoting": replace(OWN, pivoting=True),
    "joints, own axes, scaled": replace(OWN, scaled=True),
    "joints, own axes, base first": replace(OWN, serial=True),
    "joints, own axes, refined": replace(OWN, refine=True),
}


class Joint(NamedTuple):
    """The unit motion and velocity products of a joint, its torque, and the body that it carries, as a piece."""

    s: Any
    c: Any
    tau: Any
    body: Any


class Node(NamedTuple):
    """A piece from body `first` on; of a joined one, the force and q'' at the joint by (f1, f2, 1), and its halves."""

    first: int
    piece: Any
    between: Any = None
    halves: tuple["Node", ...] = ()


def kinematics(mechanism, state, dtype):
    """Of all bodies: rotations into the parents' axes, positions, centres of mass, moments of inertia, masses."""
    turns = []
    for body, q in zip(mechanism.bodies, np.array(state.q, dtype), strict=True):
        about = np.array([[np.cos(q), -np.sin(q), 0], [np.sin(q), np.cos(q), 0], [0, 0, 1]], dtype)
        turns.append(np.array(body.rotation, dtype) @ about)
    names = ("position", "com", "inertia", "mass")
    return turns, *(np.array([getattr(body, name) for body in mechanism.bodies], dtype) for name in names)


def leaves(mechanism, state, handles, dtype):
    """The ground as a piece, and every joint with its body.

    Phi = Y^T J^-1 Y + F^T F / m, where Y takes wrenches on the handles to a moment about the centre of mass, and F to
    a force.
    """
    own, origin = handles.axes == "own", handles.where == "origin"
    turns, positions, coms, inertias, masses = kinematics(mechanism, state, dtype)
    eye, none = np.eye(3, dtype=dtype), np.zeros(3, dtype)
    steps = [*(turn if own else eye for turn in turns), eye]  # from the axes of the next handle
    ground = np.zeros((12, 13), dtype)
    ground[9:, 12] = steps[0].T @ -np.array(mechanism.gravity, dtype)
    joints, R, x, w, v = [], eye, none, none, none
    for i, (qd, tau) in enumerate(zip(np.array(state.qd, dtype), np.array(state.tau, dtype), strict=True)):
        x, R = x + R @ positions[i], eye if own else R @ turns[i]
        J, inverse = R @ inertias[i] @ R.T, R @ np.linalg.inv(inertias[i]) @ R.T
        axis, com, w = R[:, 2], R @ coms[i], steps[i].T @ w
        swing = np.cross(x, axis) if origin else none
        c = np.concatenate([np.cross(w, axis), np.cross(v, axis) + np.cross(w, swing)]) * qd
        w, v = w + axis * qd, v + swing * qd
        end = R @ positions[i + 1] if i + 1 < len(turns) else none
        arms = [-(x + com)] * 2 if origin else [-com, end - com]
        # At the origin accelerations are spatial: of the velocity there, whichever point of the body passes.
        drift = [np.cross(w, np.cross(w, r) - v) if origin else np.cross(w, np.cross(w, r)) for r in arms]
        outward = [eye, steps[i + 1]]
        Y = np.hstack([part for r, E in zip(arms, outward, strict=True) for part in (E, np.cross(r, E.T).T)])
        F = np.hstack([part for E in outward for part in (0 * E, E)])
        b = np.concatenate([part for a, E in zip(drift, outward, strict=True) for part in (none, E.T @ a)])
        b -= Y.T @ (inverse @ np.cross(w, J @ w))
        body = np.column_stack([Y.T @ inverse @ Y + F.T @ F / masses[i], b])
        joints.append(Joint(np.concatenate([axis, swing]), c, tau, body))
    return ground, joints


def solved(N, right, handles):
    """N^-1 times some columns."""
    if handles.scaled:
        scale = 1 / np.sqrt(np.abs(N.diagonal()))[:, None]  # where all digits are lost, it may have any sign
        return scale * solved(scale * N * scale.T, scale * right, replace(handles, scaled=False))
    if handles.pivoting:
        return np.linalg.solve(N, right)
    N, right = N.copy(), right.copy()
    for k in range(len(N)):
        factors = N[k + 1 :, k] / N[k, k]
        N[k + 1 :, k + 1 :] -= np.outer(factors, N[k + 1 :, k])
        right[k + 1 :] -= np.outer(factors, right[k])
    for k in reversed(range(len(N))):
        right[k] = (right[k] - N[k + 1 :, k] @ right[k + 1 :]) / N[k, k]
    return right


def joined(A, B, joint, handles):
    """Two pieces as one, and the force on B at their joint, with q'' as a seventh row."""
    N, s = A[6:, 6:12] + B[:6, :6], joint.s
    G = np.column_stack([A[6:, :6], -B[:6, 6:12], A[6:, 12] - B[:6, 12] + joint.c])
    if handles.axes == "own":
        force = np.zeros_like(G)
        force[AXIS, 12] = joint.tau
        right = G - np.outer(N[:, AXIS], force[AXIS])
        force[HELD] = solved(N[np.ix_(HELD, HELD)], right[HELD], handles)
        rate = N[AXIS] @ force - G[AXIS]
    else:
        right = np.eye(6, dtype=N.dtype) if handles.inverse else G
        W, along = np.split(solved(N, np.column_stack([right, s]), handles), [-1], axis=1)
        give = s @ along
        force = W - along @ (s @ W)[None] / give
        rate = -(s @ W) / give
        if handles.inverse:
            force, rate = force @ G, rate @ G
        force[:, 12] += along[:, 0] * (joint.tau / give)
        rate[12:] += joint.tau / give
    piece = -G[:, :12].T @ force
    piece[:6, :6] += A[:6, :6]
    piece[:6, 12] += A[:6, 12]
    piece[6:, 6:] += B[6:, 6:]
    return piece, np.vstack([force, rate])


@np.errstate(all="ignore")
def accelerations(mechanism, state, handles, dtype=np.float64):
    """Of the joints; not finite where a pivot vanishes."""
    ground, joints = leaves(mechanism, state, handles, dtype)
    bodies = [Node(i, joint.body) for i, joint in enumerate(joints)]

    def meet(A, B):
        return Node(A.first, *joined(A.piece, B.piece, joints[B.first], handles), (A, B))

    def halved(some):
        middle = len(some) // 2
        return meet(halved(some[:middle]), halved(some[middle:])) if middle else some[0]

    whole = Node(-1, ground)
    for node in bodies if handles.serial else [halved(bodies)]:
        whole = meet(whole, node)
    qdd, left = np.zeros(len(joints), dtype), [(whole, np.zeros(12, dtype))]
    while left:
        node, f = left.pop()
        if node.halves:
            A, B = node.halves
            found = node.between[:, :12] @ f + node.between[:, 12]
            qdd[B.first] = found[6]
            left += [(A, np.concatenate([f[:6], -found[:6]])), (B, np.concatenate([found[:6], f[6:]]))]
    if handles.refine:
        missing = np.array(state.tau, dtype) - inverse_dynamics(mechanism, state, qdd, dtype)
        at_rest = State(state.q, (0.0,) * len(qdd), tuple(missing.tolist()))
        weightless = replace(mechanism, gravity=(0.0, 0.0, 0.0))
        qdd += accelerations(weightless, at_rest, replace(handles, refine=False), dtype)
    return qdd


def inverse_dynamics(mechanism, state, qdd, dtype):
    """Torques, by Newton and Euler in the bodies' axes."""
    turns, positions, coms, inertias, masses = kinematics(mechanism, state, dtype)
    z, w, wd = np.array([0, 0, 1], dtype), np.zeros(3, dtype), np.zeros(3, dtype)
    a, needed = -np.array(mechanism.gravity, dtype), []
    for turn, p, com, J, m, rate, more in zip(
        turns, positions, coms, inertias, masses, np.array(state.qd, dtype), qdd, strict=True
    ):
        a = turn.T @ (a + np.cross(wd, p) + np.cross(w, np.cross(w, p)))
        w, wd = turn.T @ w, turn.T @ wd
        w, wd = w + z * rate, wd + np.cross(w, z) * rate + z * more
        force = m * (a + np.cross(wd, com) + np.cross(w, np.cross(w, com)))
        needed.append((force, J @ wd + np.cross(w, J @ w) + np.cross(com, force)))
    force, moment, tau = 0 * z, 0 * z, np.zeros_like(qdd)
    for i in reversed(range(len(needed))):
        force, moment = needed[i][0] + force, needed[i][1] + moment
        tau[i] = moment[2]
        force = turns[i] @ force
        moment = turns[i] @ moment + np.cross(positions[i], force)
    return tau


@cache
def exact(text):
    """Accelerations of a robot in its default state."""
    mechanism = load_robot(text)
    return exact_accelerations(mechanism, default_state(mechanism))


@cache
def error(text, handles, dtype=np.float64):
    """The largest difference from the exact accelerations over the largest of these; nan if not finite."""
    mechanism = load_robot(text)
    return error_of(accelerations(mechanism, default_state(mechanism), handles, dtype).tolist(), exact(text))


def table(n):
    """Rows of a table in Markdown: errors on each system in double and in single."""
    cases = [(text.format(n=n), dtype) for text in SYSTEMS for dtype in (np.float64, np.float32)]
    return "\n".join(
        " | ".join([f"| {name}", *(shown(error(text, handles, dtype)) for text, dtype in cases)]) + " |"
        for name, handles in ROWS.items()
    )


def shown(off):
    return f"{off:.0e}".replace("e-0", "e-") if off < LOST else "lost"
