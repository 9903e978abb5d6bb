"""Walker and Orin's third method on one processor: composite rigid bodies in body coordinates.

Inwards, each body and all that it carries are made one: centre of mass from the hinge, inertia about it. The wrench
that gives them a unit acceleration about the joint, or along it, carried to the base, is a row of M; h comes from Luh,
Walker and Paul. Of what a body on the ground carries only the moment of inertia about its joint is needed, or its mass
if the joint slides. Formed off line: composite masses and their ratios, the wrench of a body that carries nothing, the
moment of inertia of a body on the ground about its own axis, sine and cosine of the twists and their products.
                                                                                         # Wong eqs 2.4 to 2.12
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from meshsim.algorithms.kernels.composite import (
    angle_products,
    composite_push,
    composite_wrench,
    dot_xy,
    quadratic_form,
    rotate_symmetric,
    turn_about_x,
    turn_about_z,
)
from meshsim.algorithms.kernels.core import ZERO, add, add_vectors, axpy, rotate_twist, scale, subtract_vectors
from meshsim.algorithms.kernels.inertial import Spatial, Symmetric, add_symmetric, point_inertia
from meshsim.algorithms.kernels.matrices import symmetric_of, third_column, transposed, twist_products
from meshsim.algorithms.schemes.base.bodies import LocalBody
from meshsim.algorithms.schemes.one.luh_walker_paul import (
    back_kernel,
    base_share,
    carry_inward,
    inverse_dynamics_force,
    reaches,
)
from meshsim.algorithms.schemes.one.one_processor import Formed, forming_scheme
from meshsim.algorithms.schemes.one.one_wong import rotations
from meshsim.algorithms.types.vectors import Matrix, Vector
from meshsim.program import Cpu

# Shared by the methods that form composite bodies


def masses_of(local_bodies: Sequence[LocalBody]) -> list[float]:
    """The mass that each joint carries: formed off line."""  # Wong eq. 2.4
    masses = [local.m for local in local_bodies]
    for i, local in reversed(list(enumerate(local_bodies))):
        if local.ancestors:
            masses[local.parent] += masses[i]
    return masses


def children_of(local_bodies: Sequence[LocalBody]) -> list[list[int]]:
    """The bodies that each body carries itself."""
    return [
        [k for k, other in enumerate(local_bodies) if other.ancestors[-1:] == (i,)] for i in range(len(local_bodies))
    ]


# Shared by the methods in body coordinates


def turn_inward(cpu: Cpu, local: LocalBody, A: Matrix, S: Symmetric) -> Symmetric:
    """A^T S A: about z by the joint angle, if it turns, then about x by the twist; or in one step in general form."""
    if local.rotate is not rotate_twist:
        return cpu.do(rotate_symmetric, transposed(A), S)
    turned = S if local.slides else cpu.do(turn_about_z, *cpu.do(angle_products, A), S)
    return cpu.do(turn_about_x, *twist_products(local.E), turned)


def spans_of(reach: Mapping[int, Vector | None]) -> dict[int, Vector]:
    """From the hinge of its carrier to that of each body, where there is no way as well."""
    return {i: ZERO if each is None else each for i, each in reach.items()}


def lower_triangle(
    cpu: Cpu,
    local_bodies: Sequence[LocalBody],
    A: Sequence[Matrix],
    spans: Mapping[int, Vector],
    first: Mapping[int, float],
    wrenches: Mapping[int, Spatial],
) -> list[list[float]]:
    """M, from the first entries of bodies on the ground and the wrenches of all other joints, carried inwards."""
    M = []
    for j, local in enumerate(local_bodies):
        row = [0.0] * (j + 1)
        row[j] = felt(local, wrenches[j]) if local.ancestors else first[j]
        outer, wrench = j, wrenches.get(j, (ZERO, ZERO))
        for i in reversed(local.ancestors):
            carrier, carried = local_bodies[i], local_bodies[outer]
            if carrier.ancestors:
                wrench = carry_inward(cpu, carried, A[outer], spans[outer], wrench)  # Wong eq. 2.11
                row[i] = felt(carrier, wrench)  # Wong eq. 2.12
            else:
                row[i] = base_share(cpu, carrier, carried, A[outer], spans[outer], wrench)
            outer = i
        M.append(row)
    return M


def felt(local: LocalBody, wrench: Spatial) -> float:
    """What the joint of a body feels of a force and a moment at its hinge."""
    return wrench[0][2] if local.slides else wrench[1][2]


# The method


@dataclass(frozen=True)
class Composite:
    """Bodies made one: mass, centre of mass from the hinge, inertia about it."""

    mass: float
    centre: Vector
    inertia: Symmetric


def merged(cpu: Cpu, inner: Composite, arm: Vector, local: LocalBody, A: Matrix, outer: Composite) -> Composite:
    """Two composite bodies as one; `arm` goes from the centre of the first to the hinge of the second, `local`."""
    mass = inner.mass + outer.mass
    share = outer.mass * (1.0 / mass) if mass else 0.0  # a constant, as is the reduced mass
    # From one centre of mass to the other. Both r and r* of Wong eqs 2.8 and 2.9 are multiples of it, so that two terms
    # of eq. 2.7 become one, with the reduced mass.
    apart = cpu.do(add_vectors, arm, cpu.do(back_kernel(local), A, outer.centre))
    centre = cpu.do(add_vectors, inner.centre, cpu.do(scale, share, apart))  # Wong eq. 2.5
    own = cpu.do(add_symmetric, inner.inertia, cpu.do(point_inertia, inner.mass * share, apart))  # Wong eq. 2.7
    return Composite(mass, centre, cpu.do(add_symmetric, turn_inward(cpu, local, A, outer.inertia), own))  # eq. 2.6


def composites(
    cpu: Cpu, local_bodies: Sequence[LocalBody], A: Sequence[Matrix], spans: Mapping[int, Vector]
) -> dict[int, Composite]:
    """Every body but those on the ground, with all that it carries."""
    carries = children_of(local_bodies)
    found: dict[int, Composite] = {}
    for i, local in reversed(list(enumerate(local_bodies))):
        if not local.ancestors:
            continue
        found[i] = Composite(local.m, local.com, symmetric_of(local.J))
        for k in carries[i]:
            child = local_bodies[k]
            known = k == carries[i][0] and not child.slides  # the arm, a constant
            arm = child.l_inboard if known else cpu.do(subtract_vectors, spans[k], found[i].centre)
            found[i] = merged(cpu, found[i], arm, child, A[k], found[k])
    return found


def unit_wrench(cpu: Cpu, local: LocalBody, whole: Composite, alone: bool) -> Spatial:
    """What gives a composite body a unit acceleration about its joint, or along it; of a body alone it is constant."""
    if local.slides:
        push = whole.mass, whole.centre
        return composite_push(*push) if alone else cpu.do(composite_push, *push)
    turn = whole.mass, whole.centre, whole.inertia
    return composite_wrench(*turn) if alone else cpu.do(composite_wrench, *turn)


def beyond_ground(cpu: Cpu, local: LocalBody, A: Matrix, span: Vector, outer: Composite) -> float:
    """What a composite body adds to the moment of inertia about the joint of its carrier, which is on the ground."""
    arm = cpu.do(add_vectors, span, cpu.do(back_kernel(local), A, outer.centre))
    about_centre = cpu.do(quadratic_form, outer.inertia, third_column(A))
    return cpu.do(axpy, outer.mass, cpu.do(dot_xy, arm, arm), about_centre)


def inertia_matrix(
    cpu: Cpu, local_bodies: Sequence[LocalBody], A: Sequence[Matrix], spans: Mapping[int, Vector]
) -> list[list[float]]:
    """The lower triangle of M."""
    whole, carries, masses = composites(cpu, local_bodies, A, spans), children_of(local_bodies), masses_of(local_bodies)
    wrenches = {i: unit_wrench(cpu, local_bodies[i], each, not carries[i]) for i, each in whole.items()}
    first: dict[int, float] = {}
    for i, local in enumerate(local_bodies):
        if not local.ancestors:
            first[i] = masses[i] if local.slides else local.own_inertia
            for k in () if local.slides else carries[i]:
                first[i] = cpu.do(add, first[i], beyond_ground(cpu, local_bodies[k], A[k], spans[k], whole[k]))
    return lower_triangle(cpu, local_bodies, A, spans, first, wrenches)


def form(cpu: Cpu, local_bodies: Sequence[LocalBody], lift: Vector) -> Formed:
    """M, then h."""
    A = rotations(cpu, local_bodies)
    cpu.phase("rotations")
    reach = reaches(cpu, local_bodies)
    M = inertia_matrix(cpu, local_bodies, A, spans_of(reach))
    cpu.phase("inertia")
    h = inverse_dynamics_force(cpu, local_bodies, A, lift, reach)
    cpu.phase("force")
    return M, h


ONE_WALKER_ORIN = forming_scheme(
    name="one-walker-orin",
    summary="composite rigid bodies on one processor (Walker and Orin's method 3), LDL^T included",
    form=form,
    solver="ldl",
)
