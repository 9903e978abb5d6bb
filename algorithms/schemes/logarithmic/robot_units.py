"""A robot as units, each a body with mass and the joint that carries it; and what of them is constant.

A joint of several freedoms, with its bodies without mass, belongs to the unit of the body that it carries. A unit is
held by *handles*: at its own joint (handle 0), at the joint of every unit that it carries, and where a loop was cut.
The axes of a handle are those of the joint's frame on its carrier, so that z is the joint's axis and the handle does
not move when the joint does. Between the other handles of a body everything is constant: formed off line.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from meshsim.algorithms.kernels.core import rotate, rotate_twist
from meshsim.algorithms.kernels.handles import Rows, Six
from meshsim.algorithms.robots.body import Body
from meshsim.algorithms.robots.cuts import Anchor
from meshsim.algorithms.robots.kinematics import skew
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.schemes.base.scheme import RefusedError
from meshsim.algorithms.types.arrays import Array
from meshsim.algorithms.types.vectors import Matrix, Vector
from meshsim.counted import Kernel

Outlet = tuple[str, int, int]
"""A handle of a piece besides handle 0: ("joint", the unit that is carried, 0), or ("cut", which cut, which side)."""
GROUND = -1
SINGULAR = 1e-14
"""Of the smallest to the largest eigenvalue of an inertia: below this its inverse is rounding."""


@dataclass(frozen=True)
class Reach:
    """A handle as its body sees it: its axes (rows, in the body's), where it is, and the cheapest kernel to turn."""

    E: Matrix
    r: Vector
    turn: Kernel[Matrix, Vector, Vector]


@dataclass(frozen=True)
class Unit:
    """A body with mass, the joint that carries it, and its inverse inertia between its handles.

    Attributes
    ----------
    joints : tuple of int
        The bodies of its joint, by index; all but the last are without mass.
    carrier : int
        The unit that carries it; -1 is the ground.
    reaches : mapping of Outlet to Reach
        Its handles besides handle 0.
    inverse : Rows
        The inverse inertia at its own hinge, in its own axes: the lower triangle.
    across : mapping of Outlet to Rows
        How its own hinge accelerates, in its own axes, when a wrench acts at another handle.
    own : mapping of Outlet to Rows
        How another handle accelerates when a wrench acts there: the lower triangle.
    between : mapping of pairs of Outlet to Rows
        How the first accelerates when a wrench acts at the second, where the first comes first in `reaches`.
    whirl : mapping of Outlet or None to Six
        How a handle, or its own hinge (None), accelerates when it turns about its joint alone, at a unit rate.
    """

    joints: tuple[int, ...]
    carrier: int
    reaches: Mapping[Outlet, Reach]
    inverse: Rows
    across: Mapping[Outlet, Rows]
    own: Mapping[Outlet, Rows]
    between: Mapping[tuple[Outlet, Outlet], Rows]
    whirl: Mapping[Outlet | None, Six]


def units_of(mechanism: Mechanism, name: str) -> list[Unit]:
    """The units of a robot, for the scheme of a name, in the order of their bodies."""
    groups = _groups(mechanism, name)
    place = {group[-1]: unit for unit, group in enumerate(groups)}
    carriers = [place.get(mechanism.bodies[group[0]].parent, GROUND) for group in groups]
    units = []
    for unit, group in enumerate(groups):
        children = {child: groups[child][0] for child in range(unit + 1, len(groups)) if carriers[child] == unit}
        reaches: dict[Outlet, Reach] = {
            ("joint", child, 0): _at_joint(mechanism, first) for child, first in children.items()
        }
        for k, cut in enumerate(mechanism.cuts):
            for side, anchor in enumerate((cut.first, cut.second)):
                if anchor.body == group[-1]:
                    reaches["cut", k, side] = at_anchor(mechanism, anchor)
                elif anchor.body in group:
                    raise RefusedError(
                        f"{name} needs mass in a body that closes a loop, and {cut.name!r} is on one without"
                    )
        units.append(_unit(mechanism, name, group, carriers[unit], reaches))
    return units


def _groups(mechanism: Mechanism, name: str) -> list[tuple[int, ...]]:
    """Every body with mass, after the bodies without mass that carry it alone."""
    carried = [sum(body.parent == i for body in mechanism.bodies) for i in range(mechanism.n)]
    groups = []
    for i, body in enumerate(mechanism.bodies):
        if not body.mass:
            if carried[i] != 1:
                raise RefusedError(
                    f"{name} inverts the inertia of bodies, and {body.name!r} of {mechanism.name}, which carries "
                    f"{carried[i] or 'nothing'}{' others' if carried[i] else ''}, has no mass"
                )
            continue
        group = [i]
        while (inboard := mechanism.bodies[group[0]].parent) >= 0 and not mechanism.bodies[inboard].mass:
            group.insert(0, inboard)
        groups.append(tuple(group))
    return groups


def _unit(
    mechanism: Mechanism, name: str, group: tuple[int, ...], carrier: int, reaches: Mapping[Outlet, Reach]
) -> Unit:
    body = mechanism.bodies[group[-1]]
    inertia = _inertia(body)
    values = np.linalg.eigvalsh(inertia)
    if values[0] <= SINGULAR * values[-1]:
        raise RefusedError(
            f"{name} inverts the inertia of bodies, and that of {body.name!r} of {mechanism.name} is singular"
        )
    inverse = np.linalg.inv(inertia).astype(np.float64)
    seen = {key: _carried(reach) for key, reach in reaches.items()}
    keys = list(reaches)
    return Unit(
        group,
        carrier,
        reaches,
        _lower(inverse),
        {key: _rows(inverse @ X.T) for key, X in seen.items()},
        {key: _lower(X @ inverse @ X.T) for key, X in seen.items()},
        {(a, b): _rows(seen[a] @ inverse @ seen[b].T) for i, a in enumerate(keys) for b in keys[i + 1 :]},
        _whirled(inertia, inverse, reaches),
    )


def _whirled(inertia: Array, inverse: Array, reaches: Mapping[Outlet, Reach]) -> dict[Outlet | None, Six]:
    """What a unit rate about z alone does to the hinge and to every handle, if no wrench acts."""
    z = skew(np.array([0.0, 0.0, 1.0]))
    taken = np.concatenate([z @ inertia[:3, 2], z @ inertia[3:, 2]])
    own = -inverse @ taken
    found: dict[Outlet | None, Six] = {None: tuple(own.tolist())}
    for key, reach in reaches.items():
        centripetal = np.concatenate([np.zeros(3), np.array(reach.E) @ z @ z @ np.array(reach.r)])
        found[key] = tuple((_carried(reach) @ own + centripetal).tolist())
    return found


def _inertia(body: Body) -> Array:
    """The 6 x 6 inertia about the body's hinge, in its own axes: moment and force for an acceleration."""
    c = skew(np.array(body.com))
    J = np.array(body.inertia) - body.mass * c @ c
    inertia: Array = np.block([[J, body.mass * c], [-body.mass * c, body.mass * np.eye(3)]])
    return inertia


def _carried(reach: Reach) -> Array:
    """The acceleration at a handle, in its axes, from that at the body's hinge, nothing turning."""
    E = np.array(reach.E)
    seen: Array = np.block([[E, np.zeros((3, 3))], [-E @ skew(np.array(reach.r)), E]])
    return seen


def _at_joint(mechanism: Mechanism, first: int) -> Reach:
    (a, b, c), (d, e, f), (g, h, i) = mechanism.bodies[first].rotation
    return Reach(
        ((a, d, g), (b, e, h), (c, f, i)),
        mechanism.bodies[first].position,
        rotate_twist if mechanism.is_twist else rotate,
    )


def at_anchor(mechanism: Mechanism, anchor: Anchor) -> Reach:
    """A handle where a loop was cut; in a plane mechanism its z is the plane's normal, else that of the joint."""
    axes = np.array(anchor.rotation).T
    if mechanism.plane is not None:
        R = mechanism.rest[0][anchor.body] if anchor.body >= 0 else np.eye(3)
        axes = np.array([mechanism.plane.x, mechanism.plane.y, mechanism.plane.normal]) @ R
    x, y, z = axes.tolist()
    return Reach((tuple(x), tuple(y), tuple(z)), anchor.position, rotate)


def _lower(A: Array) -> Rows:
    return tuple(tuple(row[: i + 1]) for i, row in enumerate(A.tolist()))


def _rows(A: Array) -> Rows:
    return tuple(tuple(row) for row in A.tolist())
