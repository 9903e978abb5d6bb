"""Walker and Orin's third method on one processor: composite rigid bodies in body coordinates.

Inwards, bodies j..n are made one: centre of mass from hinge j, inertia about it. The wrench that gives them a unit
acceleration about joint j, carried to the base, is row j of M; h comes from Luh, Walker and Paul. Of the whole chain
only the moment of inertia about joint 1 is needed. Formed off line: composite masses and their ratios, the wrench of
the last body, the moment of inertia of the first about its own axis, sine and cosine of the twists and their products.
                                                                                         # Wong eqs 2.4 to 2.12
"""

from collections.abc import Sequence
from dataclasses import dataclass

from meshsim.algorithms.kernels.composite import (
    angle_products,
    composite_wrench,
    dot_xy,
    quadratic_form,
    rotate_symmetric,
    turn_about_x,
    turn_about_z,
)
from meshsim.algorithms.kernels.core import add, add_vectors, axpy, rotate_twist, scale
from meshsim.algorithms.kernels.inertial import Spatial, Symmetric, add_symmetric, point_inertia
from meshsim.algorithms.kernels.matrices import symmetric_of, third_column, transposed, twist_products
from meshsim.algorithms.schemes.base.bodies import LocalBody
from meshsim.algorithms.schemes.one.luh_walker_paul import (
    back_kernel,
    carry_inward,
    inverse_dynamics_force,
    torque_kernel,
)
from meshsim.algorithms.schemes.one.one_processor import Formed, forming_scheme
from meshsim.algorithms.schemes.one.one_wong import rotations
from meshsim.algorithms.schemes.rivals.composite import loads_of
from meshsim.algorithms.types.vectors import Matrix, Vector
from meshsim.program import Cpu

# Off line


@dataclass(frozen=True)
class Share:
    """How the mass that a joint carries divides: constants, formed off line."""

    mass: float  # of bodies j..n
    beyond: float  # of that, the part of bodies j+1..n
    reduced: float  # the product of both masses over their sum


def shares_of(local_bodies: Sequence[LocalBody]) -> list[Share]:
    """The masses that each joint carries."""  # Wong eq. 2.4
    shares = [(load.mass, load.beyond * load.inverse) for load in loads_of(list(local_bodies))]
    return [Share(mass, beyond, local.m * beyond) for local, (mass, beyond) in zip(local_bodies, shares, strict=True)]


# Shared by the methods in body coordinates


def turn_inward(cpu: Cpu, local: LocalBody, A: Matrix, S: Symmetric) -> Symmetric:
    """A^T S A: about z by the joint angle, then about x by the twist; or in one step in general form."""
    if local.rotate is not rotate_twist:
        return cpu.do(rotate_symmetric, transposed(A), S)
    return cpu.do(turn_about_x, *twist_products(local.E), cpu.do(turn_about_z, *cpu.do(angle_products, A), S))


def lower_triangle(
    cpu: Cpu, local_bodies: Sequence[LocalBody], A: Sequence[Matrix], first: float, wrenches: Sequence[Spatial]
) -> list[list[float]]:
    """M, from its first entry and the wrenches of joints 2..n; joint 1 takes only a moment about its axis."""
    M = [[first]]
    for j, wrench in enumerate(wrenches, start=1):
        row = [wrench[1][2]]
        for i in reversed(range(1, j)):
            wrench = carry_inward(cpu, local_bodies[i + 1], A[i + 1], local_bodies[i].span, wrench)  # Wong eq. 2.11
            row.append(wrench[1][2])  # Wong eq. 2.12
        row.append(cpu.do(torque_kernel(local_bodies[1]), A[1], local_bodies[0].span, wrench))
        M.append(row[::-1])
    return M


# The method


def inertia_matrix(cpu: Cpu, local_bodies: Sequence[LocalBody], A: Sequence[Matrix]) -> list[list[float]]:
    """The lower triangle of M."""
    n = len(local_bodies)
    if n == 1:
        return [[local_bodies[0].own_inertia]]
    shares = shares_of(local_bodies)
    centre, inertia = local_bodies[n - 1].com, symmetric_of(local_bodies[n - 1].J)
    wrenches = [composite_wrench(local_bodies[n - 1].m, centre, inertia)]
    for j in reversed(range(1, n - 1)):
        local, share = local_bodies[j], shares[j]
        # From the centre of mass of body j to that of the bodies beyond. Both r and r* of Wong eqs 2.8 and 2.9 are
        # multiples of it, so that two terms of eq. 2.7 become one, with the reduced mass.
        apart = cpu.do(add_vectors, local.l, cpu.do(back_kernel(local_bodies[j + 1]), A[j + 1], centre))
        centre = cpu.do(add_vectors, local.com, cpu.do(scale, share.beyond, apart))  # Wong eq. 2.5
        own = cpu.do(add_symmetric, symmetric_of(local.J), cpu.do(point_inertia, share.reduced, apart))  # Wong eq. 2.7
        inertia = cpu.do(add_symmetric, turn_inward(cpu, local_bodies[j + 1], A[j + 1], inertia), own)  # Wong eq. 2.6
        wrenches.append(cpu.do(composite_wrench, share.mass, centre, inertia))
    reach = cpu.do(add_vectors, local_bodies[0].span, cpu.do(back_kernel(local_bodies[1]), A[1], centre))
    about_centre = cpu.do(quadratic_form, inertia, third_column(A[1]))
    beyond = cpu.do(axpy, shares[1].mass, cpu.do(dot_xy, reach, reach), about_centre)
    return lower_triangle(cpu, local_bodies, A, cpu.do(add, local_bodies[0].own_inertia, beyond), wrenches[::-1])


def form(cpu: Cpu, local_bodies: Sequence[LocalBody], lift: Vector) -> Formed:
    """M, then h."""
    A = rotations(cpu, local_bodies)
    cpu.phase("rotations")
    M = inertia_matrix(cpu, local_bodies, A)
    cpu.phase("inertia")
    h = inverse_dynamics_force(cpu, local_bodies, A, lift)
    cpu.phase("force")
    return M, h


ONE_WALKER_ORIN = forming_scheme(
    name="one-walker-orin",
    summary="composite rigid bodies on one processor (Walker and Orin's method 3), LDL^T included",
    form=form,
    solver="ldl",
)
