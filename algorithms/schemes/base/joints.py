"""How joints carry bodies: their rotations, cheap in twist form, and the inertia of a body about its hinge.

A joint that slides is one that turns, with moments and forces exchanged, and accelerations likewise. What *faces* a
joint has what concerns the joint's own freedom first: an inertia is (J, H, M) if it turns, (M, H^T, J) if it slides.

Formed off line: sine and cosine of a twist, its squared sine and their product; mass, first and second moment of every
body about its hinge.
"""

from dataclasses import dataclass

from meshsim.algorithms.kernels.articulated import (
    Free,
    Whole,
    inwards_general,
    inwards_twist,
    outwards_general,
    outwards_twist,
    tilt_inertia,
    turn_inertia,
    twist_inertia,
)
from meshsim.algorithms.kernels.branch import slide_along, twist_back, twist_out
from meshsim.algorithms.kernels.composite import rotate_back
from meshsim.algorithms.kernels.core import add, cross, dot, rotate, rotate_twist, scale, subtract_vectors
from meshsim.algorithms.kernels.inertial import Inertia, Spatial, add_symmetric, point_inertia, spatial_dot
from meshsim.algorithms.kernels.matrices import symmetric_of, transposed, twist_products
from meshsim.algorithms.schemes.base.bodies import LocalBody
from meshsim.algorithms.types.vectors import Matrix, Vector
from meshsim.errors import MeshSimError
from meshsim.program import Cpu

# Rotations


@dataclass(frozen=True)
class TwistTurn:
    """From the parent's frame to the body's: a constant twist about x, then the joint's angle about z.

    `squares` are the twist's squared sine, and its sine times its cosine.
    """

    sine: float
    cosine: float
    twist: tuple[float, float]
    squares: tuple[float, float]

    def outwards(self, cpu: Cpu, v: Vector) -> Vector:
        """A vector of the parent's frame in the body's."""
        return cpu.do(outwards_twist, self.sine, self.cosine, *self.twist, v)

    def inwards(self, cpu: Cpu, v: Vector) -> Vector:
        """A vector of the body's frame in the parent's."""
        return cpu.do(inwards_twist, self.sine, self.cosine, *self.twist, v)

    def inertia(self, cpu: Cpu, free: Free) -> Whole:
        """A free body's inertia in its parent's axes."""
        J, H, M = cpu.do(turn_inertia, self.sine, self.cosine, *free)
        return cpu.do(twist_inertia, *self.twist, *self.squares, J, H, M)


@dataclass(frozen=True)
class GeneralTurn:
    """As TwistTurn, with any constant rotation E."""

    sine: float
    cosine: float
    E: Matrix

    def outwards(self, cpu: Cpu, v: Vector) -> Vector:
        """A vector of the parent's frame in the body's."""
        return cpu.do(outwards_general, self.sine, self.cosine, self.E, v)

    def inwards(self, cpu: Cpu, v: Vector) -> Vector:
        """A vector of the body's frame in the parent's."""
        return cpu.do(inwards_general, self.sine, self.cosine, self.E, v)

    def inertia(self, cpu: Cpu, free: Free) -> Whole:
        """A free body's inertia in its parent's axes."""
        J, H, M = cpu.do(turn_inertia, self.sine, self.cosine, *free)
        return cpu.do(tilt_inertia, self.E, J, H, M)


@dataclass(frozen=True)
class TwistSlide:
    """From the frame of the carrier to that of a body that slides: a constant twist about x; its sine and cosine."""

    twist: tuple[float, float]
    squares: tuple[float, float]

    def outwards(self, cpu: Cpu, v: Vector) -> Vector:
        """A vector of the carrier's frame in the body's."""
        return cpu.do(twist_out, *self.twist, v)

    def inwards(self, cpu: Cpu, v: Vector) -> Vector:
        """A vector of the body's frame in the carrier's."""
        return cpu.do(twist_back, *self.twist, v)

    def inertia(self, cpu: Cpu, free: Free) -> Whole:
        """A free body's inertia in its carrier's axes; both face the joint."""
        J, H, M = free
        return cpu.do(twist_inertia, *self.twist, *self.squares, J, H, M)


@dataclass(frozen=True)
class GeneralSlide:
    """As TwistSlide, with any constant rotation E."""

    E: Matrix

    def outwards(self, cpu: Cpu, v: Vector) -> Vector:
        """A vector of the carrier's frame in the body's."""
        return cpu.do(rotate, self.E, v)

    def inwards(self, cpu: Cpu, v: Vector) -> Vector:
        """A vector of the body's frame in the carrier's."""
        return cpu.do(rotate_back, self.E, v)

    def inertia(self, cpu: Cpu, free: Free) -> Whole:
        """A free body's inertia in its carrier's axes; both face the joint."""
        return cpu.do(tilt_inertia, self.E, *free)


Turn = TwistTurn | GeneralTurn
Slide = TwistSlide | GeneralSlide


def twist_turn(sine: float, cosine: float, E: Matrix) -> TwistTurn:
    """The turn of a joint angle after a twist."""
    twist_sine, twist_cosine, *squares = twist_products(E)
    return TwistTurn(sine, cosine, (twist_sine, twist_cosine), (squares[0], squares[1]))


def turn_of(local: LocalBody, sine: float, cosine: float) -> Turn:
    """The rotation of a joint that turns, cheap if its robot has twist form."""
    return twist_turn(sine, cosine, local.E) if local.rotate is rotate_twist else GeneralTurn(sine, cosine, local.E)


def slide_of(local: LocalBody) -> Slide:
    """The rotation of a joint that slides, cheap if its robot has twist form."""
    if local.rotate is not rotate_twist:
        return GeneralSlide(local.E)
    sine, cosine, *squares = twist_products(local.E)
    return TwistSlide((sine, cosine), (squares[0], squares[1]))


def hinge_on(local: LocalBody, carrier: LocalBody) -> Vector:
    """From the hinge of the carrier to the joint of a body, in the carrier's axes: formed off line."""
    return subtract_vectors(local.l_inboard, carrier.k)


def reach_of(cpu: Cpu, local: LocalBody, carrier: LocalBody) -> Vector | None:
    """From the hinge of the carrier to that of a body; None if a carrier without mass has it at its own."""
    hinge = hinge_on(local, carrier)
    if local.slides:
        return cpu.do(slide_along, hinge, local.q, local.E[2])
    return hinge if carrier.m or any(hinge) else None


# What faces a joint


def facing(local: LocalBody, pair: Spatial) -> Spatial:
    """A wrench or a motion with what concerns the joint's freedom first; of one that faces the joint, the way back."""
    return (pair[1], pair[0]) if local.slides else pair


def inertia_facing(local: LocalBody, whole: Whole) -> Whole:
    """An inertia with what concerns the joint's freedom first; of one that faces the joint, the way back."""
    J, H, M = whole
    return (M, transposed(H), J) if local.slides else whole


def check_freedom(local: LocalBody, D: float, i: int) -> None:
    """Refuse an articulated body, of index i, whose inertia about or along its own joint is not positive."""
    if D <= 0.0:
        where = "along" if local.slides else "about"
        raise MeshSimError(f"the articulated inertia {where} joint {i + 1} must be positive, not {D!r}")


# Joints that slide, in the ground's axes


def pushed(cpu: Cpu, K: Inertia, z: Vector) -> Spatial:
    """K B for B = (z, 0): force, and moment about the origin, that give a body a unit acceleration along z."""
    mass, first, _ = K
    return cpu.do(scale, mass, z), cpu.do(cross, first, z)


def projected(cpu: Cpu, B: Spatial, wrench: Spatial, slides: bool) -> float:
    """A wrench on the unit motion of a joint, which is (z, 0) if it slides."""
    return cpu.do(dot, B[0], wrench[0]) if slides else cpu.do(spatial_dot, B, wrench)


def coriolis(cpu: Cpu, rate: float, z: Vector, w: Vector) -> Vector:
    """2 w x (z rate): what a body that slides along z accelerates by, on one that turns at w."""
    return cpu.do(cross, w, cpu.do(scale, cpu.do(add, rate, rate), z))


# Constants


def body_inertia(local: LocalBody) -> Inertia:
    """Mass, first and second moment of a body about its hinge."""
    about_hinge = add_symmetric(symmetric_of(local.J), point_inertia(local.m, local.com))
    return local.m, scale(local.m, local.com), about_hinge


def rigid(local: LocalBody) -> Whole:
    """The inertia of a body that carries nothing, about its hinge."""
    m, (x, y, z), J = body_inertia(local)
    return J, ((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)), (m, m, m, 0.0, 0.0, 0.0)


def lifted(first: LocalBody, lift: Vector) -> Vector:
    """The lift in the axes of a joint on the ground, where it stands at 0."""
    return rotate(first.E, lift)
