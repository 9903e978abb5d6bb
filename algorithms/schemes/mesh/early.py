"""The mesh with `order=early`: each number leaves as soon as it exists.

Row 1 hands c to row 0 in the product phase, not while it forms c, and it receives both w and w' before it sends J w.
"""

from collections.abc import Sequence

from meshsim.algorithms.kernels.core import Z_AXIS, ZERO, add, add_vectors, cross, matvec, scale
from meshsim.algorithms.schemes.base.bodies import LocalBody
from meshsim.algorithms.schemes.mesh.columns import Column
from meshsim.algorithms.schemes.mesh.parts import (
    Formed,
    Momentum,
    Vectors,
    acceleration,
    angular_acceleration,
    angular_velocity,
    arm_from,
    arm_of,
    centre,
    formed,
    hinges,
    orientation,
    product,
    turning,
)
from meshsim.algorithms.types.vectors import Matrix, Vector
from meshsim.program import Cpu, Steps


def form(cpu: Cpu, local: LocalBody, k: int, column: Column) -> Steps[Formed]:
    """Rows 1..n, until the products begin."""
    c, rho = yield from (form_row_one(cpu, local, column) if k == 1 else relay(cpu, k, column))
    halves = formed(cpu, local, k, column, c, rho)
    if k == 1 and column.redistribute:
        yield from inertia_times_rates(cpu, local)
    return halves


def form_row_one(cpu: Cpu, local: LocalBody, column: Column) -> Steps[tuple[Vectors, Vectors]]:
    """Row 1: c_ij and rho_ij for j = i..1, each from the parent's; zero for joints that do not carry body i.

    parent -> c_pj, rho_pj in turn;  children, south <- c_ij, rho_ij. A joint that slides has no rho.
    """
    i = column.i
    A, k = orientation(cpu, local), centre(cpu, local)
    c: Vectors = {}
    rho: Vectors = {}
    for j in column.held(1):
        carries = j in column.lineage
        onward = [*(column.heirs if carries else ()), *(["south"] if j > 1 else ())]
        if j == i:
            c[j] = Z_AXIS
        else:
            c[j] = cpu.do(local.rotate, A, (yield cpu.recv(column.source))) if carries else ZERO  # Wong eq. 3.15
        yield cpu.par(*(cpu.send(port, c[j]) for port in onward))
        if column.slides[j]:
            continue
        if j == i:
            rho[j] = local.k
        else:
            rho[j] = arm_from(cpu, local, A, k, (yield cpu.recv(column.source))) if carries else ZERO  # Wong eq. 3.15
        yield cpu.par(*(cpu.send(port, rho[j]) for port in onward))
    own = [kept[j] for j in reversed(column.lineage) for kept in (c, rho) if j in kept]
    for parent, vectors in column.passing:
        yield from pass_east(cpu, own if parent == i else None, vectors)
    return c, rho


def pass_east(cpu: Cpu, own: Sequence[Vector] | None, vectors: int) -> Steps[None]:
    """Send vectors of one's own, or hand on as many from the west. west -> vectors;  east <- vectors."""
    for number in range(vectors):
        yield cpu.send("east", (yield cpu.recv("west")) if own is None else own[number])


def relay(cpu: Cpu, k: int, column: Column) -> Steps[tuple[Vectors, Vectors]]:
    """Row k > 1: keeps c_ij and rho_ij for j = i..k as they pass; the last of them are its own.

    north -> c_ij, rho_ij in turn;  south <- all but the last pair.
    """
    c: Vectors = {}
    rho: Vectors = {}
    for j in column.held(k):
        for kept in (c,) if column.slides[j] else (c, rho):
            kept[j] = yield cpu.recv("north")
            if j > k:
                yield cpu.send("south", kept[j])
    return c, rho


def inertia_times_rates(cpu: Cpu, local: LocalBody) -> Steps[None]:
    """Row 1 computes two products for row 0. north -> w, wd;  north <- J w, J wd.          # Wong Table 4.4"""
    Jw = cpu.do(matvec, local.J, (yield cpu.recv("north")))
    Jwd = cpu.do(matvec, local.J, (yield cpu.recv("north")))
    yield cpu.send("north", Jw)
    yield cpu.send("north", Jwd)


def rates(cpu: Cpu, local: LocalBody, A: Matrix, column: Column) -> Steps[tuple[Vector, Vector]]:
    """Angular velocity and acceleration. parent -> w, wd;  south, children <- w, wd, as soon as they exist."""
    onward = [*(["south"] if column.redistribute else ()), *column.heirs]
    w = angular_velocity(cpu, local, A, (yield cpu.recv(column.source)) if column.parent else None)
    yield cpu.par(*(cpu.send(port, w) for port in onward))
    wd = angular_acceleration(cpu, local, A, w, (yield cpu.recv(column.source)) if column.parent else None)
    yield cpu.par(*(cpu.send(port, wd) for port in onward))
    for parent, _ in column.passing:
        yield from pass_east(cpu, (w, wd) if parent == column.i else None, 2)
    return w, wd


def momentum(cpu: Cpu, local: LocalBody, column: Column, lift: Vector) -> Steps[Momentum]:
    """Row 0: L' and m p'' of body i; p'' starts from `lift`, which stands in for weight.

    parent -> W l and p'';  children <- W l, p'';  south -> J w, J wd.                     # Wong Table 4.6
    """
    i = column.i
    A, k = orientation(cpu, local), centre(cpu, local)
    w, wd = yield from rates(cpu, local, A, column)
    W = turning(cpu, local, column, w, wd)
    Wk = cpu.do(matvec, W, k)
    Wl = {child: cpu.do(matvec, W, hinge) for child, hinge in hinges(local, column).items()}
    near = {child: Wl[child] for child, _ in column.children if column.carry != "forward" or child == i + 1}
    sends = [cpu.send(port, each) for port, each in zip(column.heirs, near.values(), strict=True)]
    inboard = lift, ZERO
    if column.parent:
        Wl_inboard = (yield cpu.par(cpu.recv(column.source), *sends))[0]
        inboard = (yield cpu.recv(column.source)), Wl_inboard
    else:
        yield cpu.par(*sends)
    pdd = acceleration(cpu, local, A, w, Wk, inboard)
    if column.heirs:
        yield cpu.par(*(cpu.send(port, pdd) for port in column.heirs))
    far = [child for child, _ in column.children if child not in near]
    for parent, _ in column.passing:
        own = (Wl[far.pop(0)], pdd) if parent == i else None
        yield from pass_east(cpu, own, 2)
    gyroscopic = cpu.do(cross, w, (yield cpu.recv("south")) if column.redistribute else cpu.do(matvec, local.J, w))
    mpdd = cpu.do(scale, local.m, pdd)
    Jwd = (yield cpu.recv("south")) if column.redistribute else cpu.do(matvec, local.J, wd)
    return Momentum(cpu.do(add_vectors, gyroscopic, Jwd), mpdd, {}, {})  # Wong eq. 3.31


def inertia_sums(cpu: Cpu, k: int, column: Column, formed: Formed) -> Steps[float]:
    """The moving sums of M_jk for j = k..i; the last one, M_ik, stays here. For torques there are none.

    south -> rho x c of joint j > k, unless recomputed;  north <- rho x c;  east -> sums, west <- sums. Row 1 hands row
    0 both c and rho x c, or c and rho.
    """
    slides, c, idle = column.slides, formed.c, k not in formed.c  # where zeros are skipped and joint k carries nothing
    total = 0.0
    i = column.i
    for j in range(k, i + 1):
        share = None
        if j in c:
            arm = formed.arm
            if j > k and column.recompute and not column.torques:
                arm = arm_of(cpu, slides[j], c[j], formed.rho.get(j, ZERO))
            elif j > k and not column.recompute:
                arm = yield cpu.recv("south")
            if k > 1 and not column.recompute:
                yield cpu.send("north", arm)
            elif k == 1:
                yield cpu.send("north", (c[j], formed.rho.get(j, arm) if column.recompute else arm))
            if not idle and not column.torques:
                share = product(cpu, slides[j] or slides[k], (c[j], arm), (formed.Jc, formed.mass_arm))  # Wong eq. 3.23
        if not column.torques:
            total = yield from moving_sum(cpu, column, j, share)
    return total


def moving_sum(cpu: Cpu, column: Column, j: int, share: float | None) -> Steps[float]:
    """Add body i's share, if it has one, to the sum for joint j and hand it on; in column n it starts from 0.0.

    east -> sum over the bodies beyond i;  west <- sum, unless it ends here.               # Wong eq. 4.9
    """
    beyond: float = (yield cpu.recv("east")) if column.i < column.n else 0.0
    total = beyond if share is None else cpu.do(add, beyond, share)
    if j < column.i:
        yield cpu.send("west", total)
    return total


def force_sums(cpu: Cpu, column: Column, momentum: Momentum) -> Steps[float]:
    """The moving sums of h_j for j = 1..i; the last one stays.

    south -> c and rho x c (or rho);  east -> sums, west <- sums.
    """
    total = 0.0
    i = column.i
    for j in range(1, i + 1):
        share = None
        if not column.skip or j in column.lineage:
            c, arm = yield cpu.recv("south")
            if column.recompute:
                arm = arm_of(cpu, column.slides[j], c, arm)
            share = product(cpu, column.slides[j], (c, arm), (momentum.Ld, momentum.mpdd))  # Wong eq. 3.34
        total = yield from moving_sum(cpu, column, j, share)
    return total
