"""Composite rigid bodies in the inertial frame, two ways, and the entries of M that follow from them.

`Wrench` is what body j's joint must do to give all bodies from j on a unit acceleration about its axis, or along it if
the joint slides: a force, and a moment about its hinge. Projected on joint i <= j it is M_ij.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from meshsim.algorithms.collectives.recursive_doubling import Doubling
from meshsim.algorithms.kernels.core import add_vectors, cross, dot, scale, subtract_vectors
from meshsim.algorithms.kernels.inertial import (
    Symmetric,
    add_symmetric,
    inertia_about_origin,
    point_inertia,
    rotate_inertia,
    symmetric_times,
)
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.schemes.base.bodies import LocalBody
from meshsim.algorithms.schemes.rivals.inertial_frame import Pose, chain_vectors
from meshsim.algorithms.types.vectors import Vector
from meshsim.program import Cpu, Steps

Wrench = tuple[Vector, Vector, Vector, Vector]
"""Joint axis, hinge, force, moment about the hinge: the twelve words that another processor needs."""


@dataclass(frozen=True)
class Load:
    """The masses a joint carries: constants, formed off line."""

    mass: float  # of bodies i..n
    inverse: float
    beyond: float  # of bodies i+1..n
    inverse_beyond: float  # 0 for the last body


def loads_of(local_bodies: list[LocalBody]) -> list[Load]:
    """The masses that each joint carries."""
    loads: list[Load] = []
    beyond = 0.0
    for local in reversed(local_bodies):
        mass = beyond + local.m
        loads.append(Load(mass, 1.0 / mass, beyond, 1.0 / beyond if beyond else 0.0))
        beyond = mass
    return loads[::-1]


def sliding_of(mechanism: Mechanism) -> tuple[bool, ...]:
    """Of every joint, whether it slides: every program knows it."""
    return tuple(body.kind == "prismatic" for body in mechanism.bodies)


def chain_symmetric(cpu: Cpu, a: Symmetric, b: Symmetric) -> Symmetric:
    """Sums of symmetric matrices, to be scanned."""
    return cpu.do(add_symmetric, a, b)


def by_centre_of_mass(
    cpu: Cpu, way: Doubling, local: LocalBody, load: Load, body: Pose, i: int, n: int
) -> Steps[Wrench]:
    """Walker and Orin's: composite centre of mass, and inertia about it."""
    J = cpu.do(rotate_inertia, body.R, local.J)
    own = cpu.do(scale, local.m, body.centre)
    total = yield from way.suffix(cpu, i, n, own, chain_vectors)
    centre = cpu.do(scale, load.inverse, total)  # Wong eq. 2.5, from the origin
    centre_beyond = cpu.do(scale, load.inverse_beyond, cpu.do(subtract_vectors, total, own))
    r = cpu.do(subtract_vectors, centre_beyond, centre)  # Wong eq. 2.8
    r_own = cpu.do(subtract_vectors, body.centre, centre)  # Wong eq. 2.9
    parallel_axis = cpu.do(add_symmetric, cpu.do(point_inertia, load.beyond, r), cpu.do(point_inertia, local.m, r_own))
    step = cpu.do(add_symmetric, J, parallel_axis)  # Wong eq. 2.7
    inertia = yield from way.suffix(cpu, i, n, step, chain_symmetric)  # Wong eq. 2.6
    arm = cpu.do(subtract_vectors, centre, body.hinge)
    if local.slides:
        force = cpu.do(scale, load.mass, body.z)
        return body.z, body.hinge, force, cpu.do(cross, arm, force)
    force = cpu.do(scale, load.mass, cpu.do(cross, body.z, arm))  # Wong eq. 2.10
    moment = cpu.do(add_vectors, cpu.do(symmetric_times, inertia, body.z), cpu.do(cross, arm, force))  # Wong eq. 2.11
    return body.z, body.hinge, force, moment


def by_moments(cpu: Cpu, way: Doubling, local: LocalBody, load: Load, body: Pose, i: int, n: int) -> Steps[Wrench]:
    """Fijany and Bejczy's: first and second moments of mass about the origin."""
    own = cpu.do(scale, local.m, body.centre)
    J = cpu.do(rotate_inertia, body.R, local.J)
    second_own = cpu.do(inertia_about_origin, J, body.centre, own)
    first = yield from way.suffix(cpu, i, n, own, chain_vectors)
    second = yield from way.suffix(cpu, i, n, second_own, chain_symmetric)
    arm = cpu.do(subtract_vectors, first, cpu.do(scale, load.mass, body.hinge))
    if local.slides:
        return body.z, body.hinge, cpu.do(scale, load.mass, body.z), cpu.do(cross, arm, body.z)
    force = cpu.do(cross, body.z, arm)
    swing = cpu.do(cross, first, cpu.do(cross, body.z, body.hinge))
    about_origin = cpu.do(subtract_vectors, cpu.do(symmetric_times, second, body.z), swing)
    moment = cpu.do(subtract_vectors, about_origin, cpu.do(cross, body.hinge, force))
    return body.z, body.hinge, force, moment


def own_entry(cpu: Cpu, own: Wrench, slides: bool) -> float:
    """M_ii: the wrench of a joint on its own axis."""
    return cpu.do(dot, own[0], own[2] if slides else own[3])


def entry(cpu: Cpu, outer: Wrench, axis: Vector, hinge: Vector, slides: bool) -> float:
    """M_ij, i < j: the wrench of joint j on the axis of joint i, which slides or turns; the lever is between hinges.

    For Walker and Orin's composite bodies that is Wong eqs 2.11 and 2.12, for Fijany and Bejczy's eq. 4.32.
    """
    _, outer_hinge, force, moment = outer
    if slides:
        return cpu.do(dot, axis, force)
    lever = cpu.do(subtract_vectors, outer_hinge, hinge)
    return cpu.do(dot, axis, cpu.do(add_vectors, moment, cpu.do(cross, lever, force)))


def pair_entry(cpu: Cpu, i: int, j: int, at_i: Wrench, at_j: Wrench, slides: Sequence[bool]) -> float:
    """The entry of two joints, whichever is further out; `slides` says it of every joint."""
    inner_slides = slides[min(i, j) - 1]
    if i == j:
        return own_entry(cpu, at_i, inner_slides)
    outer, inner = (at_i, at_j) if i > j else (at_j, at_i)
    return entry(cpu, outer, inner[0], inner[1], inner_slides)
