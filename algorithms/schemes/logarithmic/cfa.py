"""Constraint forces: the wrenches through all joints at once, from a block-tridiagonal system.

Of the six coordinates of the wrench f_i through joint i, in its own axes, one is given: the torque about z, or the
force along it. The other five, lambda_i, are such that the joint holds. With unit i between joints i and i + 1
(`robot_units.py`),

    a_i0 = Phi_00 f_i - Phi_01 f_{i+1} + b_i0,        a_i1 = Phi_10 f_i - Phi_11 f_{i+1} + b_i1,

and five rows of a_i0 - a_{i-1,1} are zero; the sixth is the joint's acceleration. The system for lambda is symmetric
and positive definite, and has a row of blocks a joint, coupled to the next by -Phi_01. Processor i has row i, and
solves it with the others by odd-even elimination (`tridiagonal.py`). Neither M nor h is formed.
                                                                          # Fijany, Sharf and D'Eleuterio 1995

Off line: Phi_11 of every unit, which the processor of the next joint holds. Kinematics are a prefix by doubling. Two
more exchanges with the next processors: coupling, b_i1 and the torque's part of it (31 words) outwards and the torque
inwards before the solution; lambda inwards and a sixth row times lambda outwards after it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from meshsim.algorithms.collectives.far_neighbours import ALONG_PIPELINE, GRAY_CUBE, Row
from meshsim.algorithms.kernels.constraint import dot_five
from meshsim.algorithms.kernels.core import subtract
from meshsim.algorithms.kernels.handles import Rows, Six, add_lower, subtract_along, subtract_six
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.schemes.base.bodies import LocalBody, bodies_of, lift_of, torque_of
from meshsim.algorithms.schemes.base.evaluation import Cell, CellEvaluation
from meshsim.algorithms.schemes.base.joints import lifted
from meshsim.algorithms.schemes.base.scheme import LINEAR, RefusedError, Scheme
from meshsim.algorithms.schemes.logarithmic.evaluations import at_first, read_homes
from meshsim.algorithms.schemes.logarithmic.leaves import Joint, biases, pose
from meshsim.algorithms.schemes.logarithmic.pieces import ALL, negative
from meshsim.algorithms.schemes.logarithmic.robot_units import Outlet, Unit, units_of
from meshsim.algorithms.schemes.logarithmic.scan import carrier_rate, chain_turnings, own_turning
from meshsim.algorithms.schemes.logarithmic.tridiagonal import Equation, solve_row, transposed_block
from meshsim.program import Cpu, Steps

NAME = "cfa"
NETWORKS: Mapping[str, Row] = {"hypercube": GRAY_CUBE, "pipeline": ALONG_PIPELINE}
"""By the option `network`."""


@dataclass(frozen=True)
class Place:
    """What processor p of n knows off line.

    Attributes
    ----------
    row : Row
        The network.
    p, n : int
        Its place in the row, from 0, and how many there are.
    unit : Unit
        Its body, and the joint that carries it.
    given, next_given : int
        The coordinate of the wrench that is given, at its own joint and at the next one.
    inner : Rows
        Phi_11 of the unit before; nothing at the ground.
    base : Six
        How the ground accelerates, in the axes of joint 1.
    """

    row: Row
    p: int
    n: int
    unit: Unit
    given: int
    next_given: int
    inner: Rows
    base: Six

    @property
    def outlet(self) -> Outlet:
        """The unit's handle at the next joint."""
        return "joint", self.p + 1, 0

    @property
    def last(self) -> bool:
        """Whether there is no next joint."""
        return self.p + 1 == self.n

    @property
    def held(self) -> tuple[int, ...]:
        """The coordinates of lambda."""
        return held_by(self.given)

    @property
    def next_held(self) -> tuple[int, ...]:
        """Those of the next joint."""
        return held_by(self.next_given)


def held_by(given: int) -> tuple[int, ...]:
    """The coordinates of a wrench but one."""
    return tuple(i for i in ALL if i != given)


def of(v: Six, places: tuple[int, ...]) -> Six:
    """Some of six numbers."""
    return tuple([v[i] for i in places])


def column(B: Rows, j: int) -> Six:
    """A column of a matrix."""
    return tuple([row[j] for row in B])


# The program


@dataclass(frozen=True)
class Inertia:
    """N = Phi_11 of the unit before + Phi_00, a lower triangle; and Phi_01, nothing at the last joint."""

    N: Rows
    across: Rows

    def along(self, given: int) -> Six:
        """A row of N."""
        return tuple([self.N[max(i, given)][min(i, given)] for i in ALL])


def inertia_of(cpu: Cpu, place: Place, joint: Joint) -> Inertia:
    """What a wrench at joint p does there, and what it does at the next."""
    N = joint.lower(cpu, place.unit.inverse)
    if place.inner:
        N = cpu.do(add_lower, place.inner, N)
    return Inertia(N, () if place.last else joint.rows(cpu, place.unit.across[place.outlet]))


def solve(cpu: Cpu, local: LocalBody, place: Place) -> Steps[tuple[float]]:
    """Processor p. Ports are the network's: turnings, then rows, then shares of rows, then wrenches."""
    joint = pose(cpu, place.unit, [local])
    turning = own_turning(cpu, joint, (local,))
    _, w = yield from place.row.prefix(cpu, place.p, place.n, turning, chain_turnings)
    cpu.phase("kinematics")
    inertia = inertia_of(cpu, place, joint)
    cpu.phase("inertia")
    at_zero, others = biases(cpu, place.unit, joint, local, carrier_rate(cpu, joint, w) if place.p else None)
    torque = torque_of(cpu, local)
    cpu.phase("force")
    before, gap = yield from meet(cpu, place, inertia, torque, at_zero, others)
    cpu.phase("shift")
    D = tuple(of(inertia.N[i], tuple(j for j in place.held if j <= i)) for i in place.held)
    after = None if place.last else negative(tuple(of(inertia.across[i], place.next_held) for i in place.held))
    equation = Equation(D, before, after, of(gap, place.held))
    wrench = yield from solve_row(cpu, place.row, place.p, place.n, equation)
    qdd = yield from give_way(cpu, place, inertia, wrench, gap[place.given])
    cpu.phase("solve")
    cpu.phase("distribute")
    return (qdd,)


def meet(
    cpu: Cpu, place: Place, inertia: Inertia, torque: float, at_zero: Six, others: Mapping[Outlet, Six]
) -> Steps[tuple[Rows | None, Six]]:
    """The coupling to the joint before, and by how much the handles at this one differ if torques act alone.

    ahead <- coupling, and how the next handle accelerates;  behind <- torque;  and theirs.
    """
    onward: tuple[Rows, Six] = (), ()
    if not place.last:
        moved = cpu.do(subtract_along, others[place.outlet], -torque, inertia.across[place.given])
        onward = tuple(of(inertia.across[i], place.next_held) for i in place.held), moved
    behind, next_torque = yield from place.row.shift(cpu, place.p, place.n, 1, onward, torque)
    coupling, carried = (None, place.base) if behind is None else behind
    gap = cpu.do(subtract_six, carried, at_zero)
    gap = cpu.do(subtract_along, gap, torque, inertia.along(place.given))
    if not place.last:
        gap = cpu.do(subtract_along, gap, -next_torque, column(inertia.across, place.next_given))
    return (None if coupling is None else negative(transposed_block(coupling))), gap


def give_way(cpu: Cpu, place: Place, inertia: Inertia, wrench: Six, gap: float) -> Steps[float]:
    """The joint's acceleration. behind <- wrench;  ahead <- what it does along the next freedom;  and theirs."""
    onward = 0.0
    if not place.last:
        onward = cpu.do(dot_five, of(column(inertia.across, place.next_given), place.held), wrench)
    along = cpu.do(dot_five, of(inertia.along(place.given), place.held), wrench)
    qdd = cpu.do(subtract, along, gap)
    inner, outer = yield from place.row.shift(cpu, place.p, place.n, 1, onward, wrench)
    if inner is not None:
        qdd = cpu.do(subtract, qdd, inner)
    if outer is not None:
        qdd = cpu.do(subtract, qdd, cpu.do(dot_five, of(inertia.across[place.given], place.next_held), outer))
    return qdd


# The scheme


def make(mechanism: Mechanism, options: Mapping[str, str]) -> CellEvaluation:
    """One forward-dynamics step, a processor for each joint."""
    for body in mechanism.bodies:
        if not body.mass:
            raise RefusedError(
                f"{NAME} inverts the inertia of every body, and {body.name!r} of {mechanism.name} has no mass; "
                "dca takes bodies without mass that carry one with mass alone"
            )
    row, n, units = NETWORKS[options["network"]], mechanism.n, units_of(mechanism, NAME)
    constants = bodies_of(mechanism)
    given = [5 if local.slides else 2 for local in constants]
    base = (0.0, 0.0, 0.0, *lifted(constants[0], lift_of(mechanism)))
    cells: dict[int, Cell] = {}
    for p, unit in enumerate(units):
        inner = units[p - 1].own["joint", p, 0] if p else ()
        place = Place(row, p, n, unit, given[p], given[min(p + 1, n - 1)], inner, base)
        cells[row.node(p, n)] = Cell(partial(solve, place=place), unit.joints)
    read = partial(read_homes, n, {node: cell.joints for node, cell in cells.items()})
    return CellEvaluation(
        mechanism, row.way.topology(n), cells, read, tuple(cells), list, gathering=at_first(row, [1] * n)
    )


CFA = Scheme(
    name=NAME,
    summary="constraint forces by odd-even elimination of a block-tridiagonal system, on n processors",
    make=make,
    options={"network": tuple(NETWORKS)},
    takes=frozenset({"prismatic joints"}),
    largest=LINEAR,
)
