"""Saha's recursions on one processor: an inverse dynamics for h, then M = U D U^T without forming M.

Twists are about the hinges O_i, in body axes; of a joint that slides p_i is (0, e_i), eq. 12b. The steps of U D U^T
are those of articulated bodies (`articulated.py`):

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

The paper has serial chains. In a tree, block (i, j) of N_l is A_ij where body j carries body i, through others or not,
and zero elsewhere, so that M has an entry where one of two bodies carries the other. Bodies are numbered from the
ground outwards. Elimination from the last joint inwards then changes the inertia of the carrier alone: U has entries
where M has, and the sums of eqs 19b and 19d run over the bodies k that body i carries, A_ki^T eta_k and
A_ki^T M-bar_k A_ki. Eq. 21 needs a body's carrier where a chain has i - 1.

Formed off line: as in `articulated.py`.                                          # Saha secs. 2.4.1, 2.4.2
"""

from collections.abc import Mapping, Sequence
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
from meshsim.algorithms.schemes.base.joints import Slide, Turn, body_inertia, facing, slide_of, turn_of
from meshsim.algorithms.schemes.one.articulated import (
    Tree,
    accelerations,
    articulate,
    base,
    biases,
    carry,
    place,
    rates,
    total,
    unit_motions,
)
from meshsim.algorithms.schemes.one.inverse_recursion import Spin, Way, reactions, sliding_wrench, torques
from meshsim.algorithms.schemes.one.luh_walker_paul import sum_of
from meshsim.algorithms.schemes.one.one_processor import recursive_scheme, right_hand_side
from meshsim.algorithms.schemes.one.ties import fold, spread, tie
from meshsim.algorithms.types.vectors import Matrix, Vector
from meshsim.program import Cpu


def inertia_wrench(cpu: Cpu, local: LocalBody, w: Vector, wd: Vector, W: Matrix, a: Vector) -> Wrench:
    """M t' + W M E t of a body, about its hinge. The argument W is Wong's, tilde(wd) + tilde(w)^2."""
    m, first_moment, J = body_inertia(local)
    gyroscopic = cpu.do(cross, w, cpu.do(symmetric_times, J, w))
    moment = cpu.do(add_vectors, cpu.do(symmetric_times, J, wd), gyroscopic)
    force = cpu.do(add_vectors, cpu.do(scale, m, a), cpu.do(matvec, W, first_moment))
    return cpu.do(displace, moment, first_moment, a), force


def inertia_wrenches(
    cpu: Cpu, tree: Tree, axis: Mapping[int, Motion], start: Mapping[int, Vector]
) -> dict[int, Wrench]:
    """The wrenches that bodies with mass take while no joint accelerates; not of those on the ground."""
    w, sway = rates(cpu, tree, axis)
    wd: dict[int, Vector] = {}
    W: dict[int, Matrix] = {}
    a: dict[int, Vector] = {}
    wrenches: dict[int, Wrench] = {}
    for i, local in enumerate(tree.bodies):
        if tree.ground_carries(i):
            continue
        carrier, reach, turn = local.parent, tree.reach[i], tree.turns[i]
        if i in start:
            a[i] = start[i]
        elif carrier in W and reach is not None:
            a[i] = turn.outwards(cpu, cpu.do(add_vectors, a[carrier], cpu.do(matvec, W[carrier], reach)))
        else:
            a[i] = turn.outwards(cpu, a[carrier])
        inboard = turn.outwards(cpu, wd[carrier]) if carrier in wd else None
        if i in sway and local.slides:
            a[i] = cpu.do(add_in_plane, a[i], *sway[i])
        elif i in sway:
            inboard = (*sway[i], 0.0) if inboard is None else cpu.do(add_in_plane, inboard, *sway[i])
        if inboard is not None:
            wd[i] = inboard
        if i in w and (local.m or any(tree.reach[k] is not None for k in tree.carries[i])):
            W[i] = cpu.do(acceleration_matrix, w[i], wd.get(i, ZERO))
        if local.m and i in w:
            wrenches[i] = inertia_wrench(cpu, local, w[i], wd.get(i, ZERO), W[i], a[i])
        elif local.m:
            wrenches[i] = sliding_wrench(cpu, local, a[i])
    return wrenches


def inverse_dynamics(cpu: Cpu, tree: Tree, axis: Mapping[int, Motion], lift: Vector) -> list[float]:
    """h: the torques that keep the joints from accelerating."""
    weight, start = base(cpu, tree, lift)  # Saha eq. 17
    wrenches = inertia_wrenches(cpu, tree, axis, start)
    h = [0.0] * len(tree.bodies)
    for i in reversed(range(len(tree.bodies))):
        if tree.ground_carries(i):
            shares = [weight[i]] if i in weight else []
            shares += [cpu.do(spatial_dot, axis[k], wrenches[k]) for k in tree.carries[i]]
            h[i] = sum_of(cpu, add, shares)
        else:
            acting = [wrenches[i]] if i in wrenches else []
            wrenches[i] = total(cpu, acting + [carry(cpu, tree, k, wrenches[k]) for k in tree.carries[i]])
            h[i] = facing(tree.bodies[i], wrenches[i])[0][2]
    return h


def solve(cpu: Cpu, local_bodies: Sequence[LocalBody], lift: Vector) -> tuple[list[float], list[float]]:
    """h, then the accelerations by U D U^T."""
    tree = place(cpu, local_bodies)
    axis = unit_motions(cpu, tree)
    h = fold(cpu, local_bodies, inverse_dynamics(cpu, tree, axis, lift))
    cpu.phase("force")
    bodies = articulate(cpu, tree, axis)  # Saha eqs 19c, 19d
    cpu.phase("inertia")
    phi = right_hand_side(cpu, local_bodies, h)
    cpu.phase("shift")
    u = biases(cpu, tree, bodies, spread(local_bodies, phi))  # Saha eqs 19a, 19b
    return h, tie(cpu, tree, bodies, accelerations(cpu, tree, bodies, u))  # Saha eqs 20, 21


# Torques for given accelerations                                                  # Saha sec. 2.4.1


def turn(cpu: Cpu, local: LocalBody) -> Turn | Slide:
    """A joint's rotation, of which only sine and cosine are computed; of a joint that slides it is constant."""
    return slide_of(local) if local.slides else turn_of(local, *cpu.do(sine_cosine, local.q))


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
    reactions=partial(reactions, way=WAY),
)
