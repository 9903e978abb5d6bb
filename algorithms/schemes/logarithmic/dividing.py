"""Divide and conquer: pieces of a robot are joined two by two, and parted again (Featherstone 1999).

Four sweeps over a join tree (`trees.py`). Up: how vectors turn from one end of a piece to the others, and how fast.
Down: how fast the carrier of each unit turns, of which its biases follow. Up: pieces (`pieces.py`). Down: wrenches on
the handles of pieces, and the accelerations of the joints between them. Neither M nor h is formed.

A robot with loops is joined as its tree is; what was cut is closed at last, by a processor of its own (`closing.py`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from meshsim.algorithms.kernels.core import add_vectors, matvec
from meshsim.algorithms.kernels.handles import Six
from meshsim.algorithms.kernels.inertial import matmul
from meshsim.algorithms.robots.cuts import EYE
from meshsim.algorithms.schemes.base.bodies import LocalBody, torque_of
from meshsim.algorithms.schemes.logarithmic.leaves import Joint, Turning, biases, pose
from meshsim.algorithms.schemes.logarithmic.pieces import (
    ALL,
    ROOT,
    Effort,
    Handle,
    Hold,
    Piece,
    Seam,
    beside,
    join,
    opposite,
    part,
    renamed,
)
from meshsim.algorithms.schemes.logarithmic.robot_units import Outlet, Unit
from meshsim.algorithms.schemes.logarithmic.trees import (
    Event,
    Join,
    Leaf,
    Node,
    Values,
    downwards,
    everything,
    upwards,
)
from meshsim.algorithms.types.vectors import Matrix, Vector
from meshsim.program import Cpu, Steps

Packed = tuple[Any, ...]
"""A piece as a message: numbers alone, in an order that both ends know."""
Accelerations = tuple[float, ...]


@dataclass(frozen=True)
class Work:
    """What all processors of a plan know: the units, which of their joints slide, and the form of joints."""

    units: Sequence[Unit]
    slides: Sequence[bool]
    form: str


# Messages


def pack(piece: Piece, effort: Effort) -> Packed:
    """A piece and what drives its joint."""
    own = tuple(piece.own[h] for h in piece.handles)
    between = tuple(piece.between[h, k] for i, h in enumerate(piece.handles) for k in piece.handles[i + 1 :])
    return own, between, tuple(piece.bias[h] for h in piece.handles), effort.torques, effort.motions


def unpack(node: Node, packed: Packed) -> tuple[Piece, Effort]:
    """The piece of a node, and what drives its joint."""
    return unpacked(handles_of(node), packed)


def unpacked(handles: tuple[Handle, ...], packed: Packed) -> tuple[Piece, Effort]:
    """The piece with some handles, and what drives its joint."""
    own, between, bias, torques, motions = packed
    pairs = [(h, k) for i, h in enumerate(handles) for k in handles[i + 1 :]]
    piece = Piece(
        handles,
        dict(zip(handles, own, strict=True)),
        dict(zip(pairs, between, strict=True)),
        dict(zip(handles, bias, strict=True)),
    )
    return piece, Effort(torques, motions)


def handles_of(node: Node) -> tuple[Handle, ...]:
    """Handle 0, then the outlets."""
    return (ROOT, *node.outlets)


# Leaves


class Source(Protocol):
    """What makes a piece of the units of a leaf."""

    def turnings(self, cpu: Cpu) -> tuple[Turning, ...]:
        """From handle 0 to every outlet."""

    def piece(self, cpu: Cpu, w: Vector | None) -> Packed:
        """The piece, whose carrier turns at w; None on the ground."""

    def accelerations(self, cpu: Cpu, wrenches: tuple[Six, ...], first: Accelerations) -> Accelerations:
        """Of all joints, given the wrenches on all handles and the accelerations of the joint that carries it."""


@dataclass
class Single:
    """One unit."""

    unit: Unit
    joint: Joint
    local_bodies: Sequence[LocalBody]

    def turnings(self, cpu: Cpu) -> tuple[Turning, ...]:
        """From handle 0 to every outlet."""
        return tuple(self.joint.towards(cpu, reach) for reach in self.unit.reaches.values())

    def piece(self, cpu: Cpu, w: Vector | None) -> Packed:
        """The piece, whose carrier turns at w."""
        unit = self.unit
        first, others = biases(cpu, unit, self.joint, self.local_bodies[-1], w)
        own = {ROOT: self.joint.lower(cpu, unit.inverse), **unit.own}
        between = {(ROOT, key): self.joint.rows(cpu, across) for key, across in unit.across.items()}
        torques = tuple(torque_of(cpu, local) for local in self.local_bodies)
        effort = Effort(torques, self.joint.motions if len(torques) > 1 else ())
        return pack(Piece((ROOT, *unit.reaches), own, {**between, **unit.between}, {ROOT: first, **others}), effort)

    def accelerations(self, _cpu: Cpu, _wrenches: tuple[Six, ...], first: Accelerations) -> Accelerations:
        """Those of its one joint."""
        return first


def single(cpu: Cpu, leaf: Leaf, work: Work, local_bodies: Sequence[LocalBody]) -> Source:
    """A unit where its joint has taken it."""
    unit = work.units[leaf.units[0]]
    return Single(unit, pose(cpu, unit, local_bodies), local_bodies)


# Joins


def turn_on(cpu: Cpu, node: Join, values: Values) -> tuple[Turning, ...]:
    """How vectors turn through two pieces, and how fast."""
    found: dict[Outlet, Turning] = dict(zip(node.inner.outlets, values[node.inner], strict=True))
    if node.outer.outlets:
        R, w = found[node.joint]
        for key, (onward, rate) in zip(node.outer.outlets, values[node.outer], strict=True):
            found[key] = cpu.do(matmul, onward, R), cpu.do(add_vectors, cpu.do(matvec, onward, w), rate)
    return tuple(found[key] for key in node.outlets)


def pass_rates(cpu: Cpu, node: Join, rates: Values, turnings: Values) -> None:
    """How fast the carriers of two pieces turn: the outer's is the end of the inner."""
    w = rates[node.inner] = rates.get(node)  # nothing is said of a piece on the ground
    R, rate = dict(zip(node.inner.outlets, turnings[node.inner], strict=True))[node.joint]
    rates[node.outer] = rate if w is None else cpu.do(add_vectors, cpu.do(matvec, R, w), rate)


def hold_of(work: Work, unit: int, effort: Effort) -> Hold:
    """How the joint of a unit holds it."""
    if effort.motions:
        return Hold(ALL, effort.torques, effort.motions)
    given = 5 if work.slides[unit] else 2
    if work.form == "six":
        return Hold(ALL, effort.torques, (tuple(float(i == given) for i in ALL),))
    return Hold(tuple(i for i in ALL if i != given), effort.torques)


def meet(cpu: Cpu, node: Join, pieces: Values, work: Work, seams: dict[Node, Seam]) -> Packed:
    """Two pieces joined."""
    (inner, effort), (outer, drive) = unpack(node.inner, pieces[node.inner]), unpack(node.outer, pieces[node.outer])
    unit = node.outer.units[0]
    other = "root", unit, 0
    both = beside(inner, renamed(outer, ROOT, other))
    piece, seams[node] = join(cpu, both, node.joint, other, hold_of(work, unit, drive))
    return pack(piece, effort)


def divide(cpu: Cpu, node: Join, found: Values, seams: Mapping[Node, Seam]) -> None:
    """What the handles of two pieces bear, and the accelerations of the joints that carry them."""
    wrenches, first = found[node]
    on = dict(zip(handles_of(node), wrenches, strict=True))
    f, second = part(cpu, seams[node], on)
    on[node.joint] = opposite(f)
    found[node.inner] = _borne(node.inner, on), first
    on[ROOT] = f
    found[node.outer] = _borne(node.outer, on), second


def _borne(node: Node, on: Mapping[Handle, Six]) -> tuple[Six, ...]:
    """The wrenches on the handles of a piece; nobody asks for those of one unit."""
    return () if isinstance(node, Leaf) and len(node.units) == 1 else tuple(on[h] for h in handles_of(node))


# The program


class Form(Protocol):
    """What pieces are made of: how two meet, how that is undone, and how the last is held by the ground."""

    def meet(self, cpu: Cpu, node: Join, pieces: Values, work: Work, seams: dict[Node, Any]) -> Packed:
        """Two pieces joined; what is kept of it goes to the seams."""

    def divide(self, cpu: Cpu, node: Join, found: Values, seams: Mapping[Node, Any]) -> None:
        """What two pieces get on the way down."""

    def settle(self, cpu: Cpu, seat: "Seat", work: Work, packed: Packed, turnings: Values) -> Steps[Any]:
        """What the piece on the ground gets."""


@dataclass(frozen=True)
class Seat:
    """What one processor does: its part of the sweeps, its leaf, and the piece on the ground that it ends with."""

    script: Sequence[Event]
    leaf: Leaf | None = None
    root: Node | None = None
    base: Six = ()
    """How the ground accelerates, in the axes of the root's joint."""
    axes: Matrix = EYE
    """Those axes, in the ground's."""
    source: Any = single


def run(cpu: Cpu, *local_bodies: LocalBody, seat: Seat, work: Work, form: Form) -> Steps[Accelerations]:
    """Kinematics up and down, pieces up, wrenches down; ports are those of the network."""
    turnings: Values = {}
    rates: Values = {}
    pieces: Values = {}
    seams: dict[Node, Any] = {}
    source: Source | None = None
    if seat.leaf is not None:
        source = seat.source(cpu, seat.leaf, work, local_bodies)
        turnings[seat.leaf] = source.turnings(cpu)
    yield from upwards(cpu, seat.script, turnings, lambda node: bool(node.outlets), turn_on)
    passing = partial(pass_rates, turnings=turnings)
    yield from downwards(cpu, seat.script, rates, lambda node: not node.grounded, passing)
    cpu.phase("kinematics")
    if seat.leaf is not None and source is not None:
        pieces[seat.leaf] = source.piece(cpu, rates.get(seat.leaf))
    yield from upwards(cpu, seat.script, pieces, everything, partial(form.meet, work=work, seams=seams))
    for phase in ("inertia", "force", "shift"):
        cpu.phase(phase)
    found: Values = {}
    if seat.root is not None:
        found[seat.root] = yield from form.settle(cpu, seat, work, pieces[seat.root], turnings)
    yield from downwards(cpu, seat.script, found, everything, partial(form.divide, seams=seams))
    qdd: Accelerations = ()
    if seat.leaf is not None and source is not None:
        qdd = source.accelerations(cpu, *found[seat.leaf])
    cpu.phase("solve")
    cpu.phase("distribute")
    return qdd


def settle(
    cpu: Cpu, seat: Seat, work: Work, packed: Packed, turnings: Values
) -> Steps[tuple[tuple[Six, ...], Accelerations]]:
    """The piece on the ground: wrenches on its handles, and its joint's accelerations. loops <- left, -> wrenches.

    What is left are the handles where loops were cut, and how they stand to the ground.
    """
    root = seat.root
    assert root is not None
    piece, effort = unpack(root, packed)
    left, seam = join(cpu, piece, None, ROOT, hold_of(work, root.units[0], effort), seat.base)
    wrenches: tuple[Six, ...] = ()
    if root.outlets:
        stands = tuple((cpu.do(matmul, R, seat.axes), w) for R, w in turnings[root])
        yield cpu.send("loops", (pack(left, Effort(())), stands))
        wrenches = yield cpu.recv("loops")
    f, first = part(cpu, seam, dict(zip(root.outlets, wrenches, strict=True)))
    return (f, *wrenches), first


class Plain:
    """Pieces that hold inverse inertias at all handles."""

    meet = staticmethod(meet)
    divide = staticmethod(divide)
    settle = staticmethod(settle)


PLAIN: Form = Plain()
