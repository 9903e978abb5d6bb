"""Articulated bodies by a parallel scan: every joint's answer without a way back.

Pieces with two handles join associatively (`pieces.py`), so that processor i can have the piece of units 1 to i - 1 and
that of i to n after about log2 n exchanges. Where the two meet is joint i, whose acceleration follows at once; the
second piece, seen at its handle 0, is the articulated body of joint i, inverted.

In each stage the two halves of a cube exchange the piece of their half. The lower half puts the other's behind its own
second piece, the upper half before its first; and both join the halves, for the next stage. Kinematics are a prefix by
recursive doubling.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from meshsim.algorithms.collectives.recursive_doubling import HYPERCUBE, exchange
from meshsim.algorithms.kernels.articulated import turn_out
from meshsim.algorithms.kernels.core import add_along_z, add_vectors, matvec, subtract_vectors
from meshsim.algorithms.kernels.handles import Six
from meshsim.algorithms.kernels.inertial import matmul
from meshsim.algorithms.kernels.matrices import transposed
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.schemes.base.bodies import LocalBody, bodies_of, lift_of
from meshsim.algorithms.schemes.base.evaluation import Cell, CellEvaluation
from meshsim.algorithms.schemes.base.joints import lifted
from meshsim.algorithms.schemes.base.scheme import LINEAR, Scheme
from meshsim.algorithms.schemes.logarithmic.dividing import Accelerations, Packed, Single, Work, hold_of, pack, unpacked
from meshsim.algorithms.schemes.logarithmic.evaluations import at_first, read_homes
from meshsim.algorithms.schemes.logarithmic.leaves import Joint, Slid, Turned, Turning, pose
from meshsim.algorithms.schemes.logarithmic.pieces import ROOT, Effort, Handle, Piece, beside, join, part, renamed
from meshsim.algorithms.schemes.logarithmic.robot_units import Outlet, units_of
from meshsim.algorithms.types.vectors import Vector
from meshsim.program import Cpu, Steps

NAME = "scan"


@dataclass(frozen=True)
class Span:
    """The piece of units first to last - 1 (from 0), and what drives the joint that carries it."""

    first: int
    last: int
    piece: Piece
    effort: Effort

    @property
    def outlet(self) -> Outlet:
        """Its handle at the joint of the next unit."""
        return "joint", self.last, 0


def handles(last: int, n: int) -> tuple[Handle, ...]:
    """Handle 0, and the outlet unless the chain ends there."""
    return (ROOT, ("joint", last, 0)) if last < n else (ROOT,)


def put_together(cpu: Cpu, inner: Span, outer: Span, work: Work) -> Span:
    """Two pieces that follow one another, joined."""
    other = "root", outer.first, 0
    both = beside(inner.piece, renamed(outer.piece, ROOT, other))
    piece, _ = join(cpu, both, inner.outlet, other, hold_of(work, outer.first, outer.effort))
    return Span(inner.first, outer.last, piece, inner.effort)


# Kinematics


def chain_turnings(cpu: Cpu, a: Turning, b: Turning) -> Turning:
    """How vectors turn through two stretches of a chain, and how fast: to be scanned."""
    return cpu.do(matmul, b[0], a[0]), cpu.do(add_vectors, cpu.do(matvec, b[0], a[1]), b[1])


def own_turning(cpu: Cpu, joint: Joint, local_bodies: tuple[LocalBody, ...]) -> Turning:
    """From the axes of the carrier to those of the body."""
    first = local_bodies[0]
    if isinstance(joint, Turned):
        return cpu.do(first.form, joint.sine, joint.cosine, first.E), (0.0, 0.0, first.qd)
    if isinstance(joint, Slid):
        return first.E, (0.0, 0.0, 0.0)
    return cpu.do(matmul, transposed(joint.R), first.E), joint.rate(cpu, None)


def carrier_rate(cpu: Cpu, joint: Joint, w: Vector) -> Vector:
    """The angular velocity of the carrier in the axes of handle 0, from the body's in its own."""
    if isinstance(joint, Turned):
        return cpu.do(turn_out, -joint.sine, joint.cosine, cpu.do(add_along_z, w, -joint.local.qd))
    if isinstance(joint, Slid):
        return w
    return cpu.do(subtract_vectors, cpu.do(matvec, joint.R, w), joint.spin(cpu, (0.0, 0.0, 0.0)))


# The program


def scan(cpu: Cpu, *local_bodies: LocalBody, i: int, n: int, work: Work, base: Six) -> Steps[Accelerations]:
    """Processor i. Ports are a hypercube's: turnings, then the piece of this half <-> that of the other."""
    unit = work.units[i - 1]
    joint = pose(cpu, unit, local_bodies)
    _, w = yield from HYPERCUBE.prefix(cpu, i, n, own_turning(cpu, joint, local_bodies), chain_turnings)
    cpu.phase("kinematics")
    source = Single(unit, joint, local_bodies)
    packed = source.piece(cpu, carrier_rate(cpu, joint, w) if i > 1 else None)
    at = (ROOT, *unit.reaches)
    own = Span(i - 1, i, *unpacked(at, packed))
    before, after = yield from gathered(cpu, i, n, own, work)
    for phase in ("inertia", "force", "shift"):
        cpu.phase(phase)
    hold = hold_of(work, i - 1, own.effort)
    if before is None:
        _, seam = join(cpu, after.piece, None, ROOT, hold, base)
    else:
        held, _ = join(cpu, before.piece, None, ROOT, hold_of(work, 0, before.effort), base)
        _, seam = join(cpu, beside(held, after.piece), before.outlet, ROOT, hold)
    _, qdd = part(cpu, seam, {})
    cpu.phase("solve")
    cpu.phase("distribute")
    return qdd


def gathered(cpu: Cpu, i: int, n: int, own: Span, work: Work) -> Steps[tuple[Span | None, Span]]:
    """The pieces of all units before unit i, and of all from there on."""
    before: Span | None = None
    after = whole = own
    for bit in range((n - 1).bit_length()):
        theirs = yield from exchange(cpu, i, n, bit, pack(whole.piece, whole.effort))
        if theirs is None:
            continue
        other, last = _received(theirs, whole, bit, n), 2 << bit >= n
        if other.first < whole.first:
            before = other if before is None else put_together(cpu, other, before, work)
            whole = whole if last else put_together(cpu, other, whole, work)
        else:
            alike = after is whole
            after = put_together(cpu, after, other, work)
            if not last:
                whole = after if alike else put_together(cpu, whole, other, work)
    return before, after


def _received(packed: Packed, mine: Span, bit: int, n: int) -> Span:
    """The other half of this cube."""
    half = 1 << bit
    first = mine.first - half if mine.first & half else mine.first + half
    last = min(first + half, n)
    return Span(first, last, *unpacked(handles(last, n), packed))


def make(mechanism: Mechanism, options: Mapping[str, str]) -> CellEvaluation:
    """One forward-dynamics step, a processor for each unit."""
    units = units_of(mechanism, NAME)
    constants, n = bodies_of(mechanism), len(units)
    work = Work(units, [constants[unit.joints[0]].slides for unit in units], options["form"])
    base = (0.0, 0.0, 0.0, *lifted(constants[0], lift_of(mechanism)))
    cells = {
        i: Cell(partial(scan, i=i, n=n, work=work, base=base), unit.joints) for i, unit in enumerate(units, start=1)
    }
    read = partial(read_homes, mechanism.n, {i: cell.joints for i, cell in cells.items()})
    gathering = at_first(HYPERCUBE, [len(unit.joints) for unit in units])
    return CellEvaluation(mechanism, HYPERCUBE.topology(n), cells, read, tuple(cells), list, gathering=gathering)


SCAN = Scheme(
    name=NAME,
    summary="articulated bodies by a parallel scan of pieces with two handles, on a hypercube of n processors",
    make=make,
    options={"form": ("five", "six")},
    takes=frozenset({"prismatic joints"}),
    slower={"form": ("six",)},
    largest=LINEAR,
)
