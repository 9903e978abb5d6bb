"""Luh, Walker and Paul's inverse dynamics on one processor: torques for given accelerations, of any tree.

Forces at the centres of mass, moments about the hinges, cross products written out.     # Wong eqs 2.1 to 2.3
"""

from functools import partial

from meshsim.algorithms.kernels.articulated import Wrench
from meshsim.algorithms.kernels.core import sine_cosine
from meshsim.algorithms.schemes.base.bodies import LocalBody
from meshsim.algorithms.schemes.base.scheme import Scheme
from meshsim.algorithms.schemes.one.inverse_recursion import MatrixTurn, Spin, Way, torques
from meshsim.algorithms.schemes.one.luh_walker_paul import acceleration_at, own_wrench
from meshsim.algorithms.schemes.one.one_processor import TREES, inverse_of
from meshsim.algorithms.types.vectors import Vector
from meshsim.program import Cpu


def turn(cpu: Cpu, local: LocalBody) -> MatrixTurn:
    """A joint's rotation, by its matrix."""
    return MatrixTurn(local, local.E if local.slides else cpu.do(local.form, *cpu.do(sine_cosine, local.q), local.E))


def spin(_cpu: Cpu, w: Vector, wd: Vector) -> Spin:
    """Nothing is made of both."""
    return Spin(w, wd)


def point(cpu: Cpu, a: Vector, spin: Spin, r: Vector) -> Vector:
    """a + w' x r + w x (w x r)."""
    return acceleration_at(cpu, a, spin.w, spin.wd, r)


def own(cpu: Cpu, local: LocalBody, spin: Spin, a: Vector) -> Wrench:
    """Moment about the hinge, and force."""
    force, moment = own_wrench(cpu, local, spin.w, spin.wd, a)
    return moment, force


WAY = Way(turn, spin, point, own)

ONE_LUH_WALKER_PAUL = Scheme(
    "one-luh-walker-paul",
    "Luh, Walker and Paul's recursive Newton-Euler inverse dynamics on one processor",
    None,
    takes=TREES | {"joints without a load"},
    inverse=inverse_of(partial(torques, way=WAY)),
)
