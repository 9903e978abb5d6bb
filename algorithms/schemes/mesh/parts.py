"""What a cell of the mesh computes, whatever the order of its communications."""

from typing import NamedTuple

from meshsim.algorithms.kernels.core import (
    ZERO,
    acceleration_matrix,
    acceleration_matrix_about_z,
    acceleration_matrix_z,
    add_along_z,
    add_coriolis_z,
    add_cross_z,
    add_vectors,
    cross,
    dot,
    matvec,
    scale,
    sine_cosine,
    subtract_vectors,
)
from meshsim.algorithms.kernels.inertial import spatial_dot
from meshsim.algorithms.schemes.base.bodies import LocalBody
from meshsim.algorithms.schemes.mesh.columns import Column
from meshsim.algorithms.types.vectors import Matrix, Vector
from meshsim.program import Cpu

Vectors = dict[int, Vector]
"""Vectors of one body, by the joint they belong to."""


class Formed(NamedTuple):
    """What cell (k, i) has formed when the products begin: c_ij and rho_ij, J c, rho x c and m (rho x c) of joint k."""

    c: Vectors
    rho: Vectors
    Jc: Vector
    arm: Vector
    mass_arm: Vector


class Momentum(NamedTuple):
    """What cell (0, i) has formed when the products begin: L' and m p'', and what row 1 has handed over by then."""

    Ld: Vector
    mpdd: Vector
    c: Vectors
    rho: Vectors


def orientation(cpu: Cpu, local: LocalBody) -> Matrix:
    """A, from the inboard frame to the body's."""
    return local.E if local.slides else cpu.do(local.form, *cpu.do(sine_cosine, local.q), local.E)  # Wong eq. 3.18


def centre(cpu: Cpu, local: LocalBody) -> Vector:
    """From the joint to the body's centre of mass; it grows as the joint slides out."""
    return cpu.do(add_along_z, local.k, local.withdrawn) if local.slides else local.k


def arm_from(cpu: Cpu, local: LocalBody, A: Matrix, k: Vector, rho: Vector) -> Vector:
    """rho of a joint, from that of the parent body."""
    return cpu.do(add_vectors, cpu.do(local.rotate, A, cpu.do(subtract_vectors, rho, local.l_inboard)), k)


def half_of_H(cpu: Cpu, local: LocalBody, slides: bool, c: Vector) -> Vector:
    """J c; of a joint that slides it is nothing."""
    return ZERO if slides else cpu.do(matvec, local.J, c)  # Wong eq. 3.21


def arm_of(cpu: Cpu, slides: bool, c: Vector, rho: Vector) -> Vector:
    """rho x c; of a joint that slides c stands for it."""
    return c if slides else cpu.do(cross, rho, c)


def product(cpu: Cpu, slides: bool, left: tuple[Vector, Vector], right: tuple[Vector, Vector]) -> float:
    """Angular and linear halves, multiplied and added; of joints that slide the linear ones alone."""
    return cpu.do(dot, left[1], right[1]) if slides else cpu.do(spatial_dot, left, right)


def angular_velocity(cpu: Cpu, local: LocalBody, A: Matrix, inboard: Vector | None) -> Vector:
    """w, from the parent's; on the ground there is none."""
    if inboard is None:
        return (0.0, 0.0, 0.0 if local.slides else local.qd)
    w = cpu.do(local.rotate, A, inboard)
    return w if local.slides else cpu.do(add_along_z, w, local.qd)  # Wong eq. 3.27


def angular_acceleration(cpu: Cpu, local: LocalBody, A: Matrix, w: Vector, inboard: Vector | None) -> Vector:
    """w', from the parent's; on the ground there is none but the joint's own, where that is given."""
    if inboard is None:
        return (0.0, 0.0, local.qdd) if local.qdd is not None and not local.slides else ZERO
    wd = cpu.do(local.rotate, A, inboard)
    if local.slides:
        return wd
    return accelerated(cpu, local, cpu.do(add_cross_z, wd, w, local.qd))  # Wong eq. 3.28


def accelerated(cpu: Cpu, local: LocalBody, v: Vector) -> Vector:
    """An acceleration, and the joint's own along z, where that is given."""
    return v if local.qdd is None else cpu.do(add_along_z, v, local.qdd)


def turning(cpu: Cpu, local: LocalBody, column: Column, w: Vector, wd: Vector) -> Matrix:
    """W of body i; one on the ground turns about its own axis, if it turns at all."""
    if column.parent:
        return cpu.do(acceleration_matrix, w, wd)  # Wong eq. 3.29
    if local.slides:
        return ZERO, ZERO, ZERO
    if local.qdd is not None:
        return cpu.do(acceleration_matrix_about_z, local.qd, local.qdd)
    return cpu.do(acceleration_matrix_z, local.qd)


def hinges(local: LocalBody, column: Column) -> dict[int, Vector]:
    """l of each child; a body without any has one all the same, since cells are alike."""
    return dict(column.children or ((0, local.l),))


def acceleration(
    cpu: Cpu, local: LocalBody, A: Matrix, w: Vector, Wk: Vector, inboard: tuple[Vector, Vector]
) -> Vector:
    """p'' of the centre of mass, from the parent's p'' and W l."""
    hinge = cpu.do(local.rotate, A, cpu.do(add_vectors, *inboard))
    pdd = cpu.do(subtract_vectors, hinge, Wk)  # Wong eq. 3.30
    return accelerated(cpu, local, cpu.do(add_coriolis_z, pdd, w, local.qd)) if local.slides else pdd


def formed(cpu: Cpu, local: LocalBody, k: int, column: Column, c: Vectors, rho: Vectors) -> Formed:
    """The halves of H_ik; zeros where joint k does not carry body i and zeros are skipped. For torques only the arm."""
    if k not in c:
        return Formed(c, rho, ZERO, ZERO, ZERO)
    if column.torques and column.recompute:
        return Formed(c, rho, ZERO, ZERO, ZERO)
    Jc = ZERO if column.torques else half_of_H(cpu, local, column.slides[k], c[k])
    arm = arm_of(cpu, column.slides[k], c[k], rho.get(k, ZERO))
    if column.torques:
        return Formed(c, rho, Jc, arm, ZERO)
    return Formed(c, rho, Jc, arm, cpu.do(scale, local.m, arm))  # Wong eq. 3.22
