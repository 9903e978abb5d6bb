"""Saha's recursions on one processor: an inverse dynamics for h, then M = U D U^T without forming M.

Twists are about the hinges O_i, in body axes. The steps of U D U^T are those of articulated bodies (`articulated.py`):

| Saha, eqs 19 to 21 | here |
|---|---|
| M^_i of eq. 19d | J, H, M |
| psi^_i = M^_i p_i, m^_i = p_i^T psi^_i of eq. 19c | U, the last column of J and last row of H; D = J_zz |
| psi_i = psi^_i / m^_i (the A^T of eq. 19c is a slip) | the gain U / D |
| M-bar_i = M^_i - psi^_i psi_i^T | the inertia with the joint free |
| A_{i+1,i}^T M-bar_{i+1} A_{i+1,i}, eq. 19d | turned and shifted inwards, `carried` |
| eta_{i,i+1}, and eta_{i+1} = psi_{i+1} phi^_{i+1} + eta_{i+1,i+2} | the bias wrench before a joint and past it |
| phi^_i of eq. 19a | u |
| phi~_i = phi^_i / m^_i, eq. 20 | u times the gain's 1 / D |
| mu~_{i,i-1}, mu~_i of eq. 21b | the acceleration (alpha, a) given to a body, and its own |
| eq. 21a, with psi_i for psi^_i | `accelerate` |

Formed off line: as in `articulated.py`.                                          # Saha secs. 2.4.1, 2.4.2
"""

from collections.abc import Sequence
from functools import partial

from meshsim.algorithms.kernels.articulated import Motion, Wrench, add_in_plane, displace
from meshsim.algorithms.kernels.core import (
    ZERO,
    acceleration_matrix,
    add,
    add_vectors,
    cross,
    matvec,
    scale,
    sine_cosine,
)
from meshsim.algorithms.kernels.inertial import spatial_dot, symmetric_times
from meshsim.algorithms.schemes.base.bodies import LocalBody
from meshsim.algorithms.schemes.one.articulated import (
    Turn,
    accelerations,
    add_wrenches,
    articulate,
    base,
    biases,
    body_inertia,
    carry,
    first_axis,
    rates,
    turn_of,
    turns,
)
from meshsim.algorithms.schemes.one.inverse_recursion import MatrixTurn, Spin, Way, torques
from meshsim.algorithms.schemes.one.one_processor import recursive_scheme, right_hand_side
from meshsim.algorithms.types.vectors import Matrix, Vector
from meshsim.program import Cpu


def inertia_wrench(cpu: Cpu, local: LocalBody, w: Vector, wd: Vector, W: Matrix, a: Vector) -> Wrench:
    """M t' + W M E t of a body, about its hinge. The argument W is Wong's, tilde(wd) + tilde(w)^2."""
    m, first_moment, J = body_inertia(local)
    gyroscopic = cpu.do(cross, w, cpu.do(symmetric_times, J, w))
    moment = cpu.do(add_vectors, cpu.do(symmetric_times, J, wd), gyroscopic)
    force = cpu.do(add_vectors, cpu.do(scale, m, a), cpu.do(matvec, W, first_moment))
    return cpu.do(displace, moment, first_moment, a), force


def inverse_dynamics(
    cpu: Cpu, local_bodies: Sequence[LocalBody], turned: Sequence[Turn], axis: Motion, lift: Vector
) -> list[float]:
    """h: the torques that keep the joints from accelerating."""
    n = len(local_bodies)
    w, turning = rates(cpu, local_bodies, turned, axis)
    weight, a = base(cpu, local_bodies, turned, lift)  # Saha eq. 17
    wd = ZERO
    wrenches: dict[int, Wrench] = {}
    for i in range(1, n):
        x, y = turning[i]
        wd = (x, y, 0.0) if i == 1 else cpu.do(add_in_plane, turned[i].outwards(cpu, wd), x, y)
        W = cpu.do(acceleration_matrix, w[i], wd)
        wrenches[i] = inertia_wrench(cpu, local_bodies[i], w[i], wd, W, a)
        if i < n - 1:
            a = turned[i + 1].outwards(cpu, cpu.do(add_vectors, a, cpu.do(matvec, W, local_bodies[i].span)))
    for i in reversed(range(1, n - 1)):
        wrenches[i] = add_wrenches(cpu, wrenches[i], carry(cpu, turned[i + 1], local_bodies[i].span, wrenches[i + 1]))
    first = cpu.do(add, weight, cpu.do(spatial_dot, axis, wrenches[1])) if n > 1 else weight
    return [first, *(wrenches[i][0][2] for i in range(1, n))]


def solve(cpu: Cpu, local_bodies: Sequence[LocalBody], lift: Vector) -> tuple[list[float], list[float]]:
    """h, then the accelerations by U D U^T."""
    turned = turns(cpu, local_bodies)
    axis = first_axis(cpu, local_bodies, turned)
    h = inverse_dynamics(cpu, local_bodies, turned, axis, lift)
    cpu.phase("force")
    bodies = articulate(cpu, local_bodies, turned, axis)  # Saha eqs 19c, 19d
    cpu.phase("inertia")
    phi = right_hand_side(cpu, local_bodies, h)
    cpu.phase("shift")
    u = biases(cpu, local_bodies, turned, bodies, phi)  # Saha eqs 19a, 19b
    return h, accelerations(cpu, local_bodies, turned, bodies, u)  # Saha eqs 20, 21


# Torques for given accelerations                                                  # Saha sec. 2.4.1


def turn(cpu: Cpu, local: LocalBody) -> Turn | MatrixTurn:
    """A joint's rotation, of which only sine and cosine are computed; of a joint that slides it is constant."""
    return MatrixTurn(local, local.E) if local.slides else turn_of(local, *cpu.do(sine_cosine, local.q))


def spin(cpu: Cpu, w: Vector, wd: Vector) -> Spin:
    """With W."""
    return Spin(w, wd, cpu.do(acceleration_matrix, w, wd))


def turning(spin: Spin) -> Matrix:
    """W of a body."""
    assert spin.W is not None
    return spin.W


def point(cpu: Cpu, a: Vector, spin: Spin, r: Vector) -> Vector:
    """A t' + A' t, the linear half: the acceleration of the next hinge."""
    return cpu.do(add_vectors, a, cpu.do(matvec, turning(spin), r))


def own(cpu: Cpu, local: LocalBody, spin: Spin, a: Vector) -> Wrench:
    """M t' + W M E t."""
    return inertia_wrench(cpu, local, spin.w, spin.wd, turning(spin), a)


WAY = Way(turn, spin, point, own)

ONE_SAHA = recursive_scheme(
    name="one-saha",
    summary="Saha's inverse dynamics and U D U^T on one processor",
    solve=solve,
    solver="udu",
    inverse=partial(torques, way=WAY),
)
