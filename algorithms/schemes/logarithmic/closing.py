"""Loops of a robot whose tree has been joined: what was cut is held together by one processor.

Every subsystem, which hangs on the ground, is a piece whose handles are where loops were cut. One cut joint after the
other holds two of them together, in the axes of the first; that is a meeting as any other (`pieces.py`), of handles
that may belong to one piece by then. Wrenches follow in the reverse order.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from meshsim.algorithms.kernels.core import add_cross_z, matvec, subtract
from meshsim.algorithms.kernels.handles import Six, rotate_lower, rotate_rows, turn_lower, turn_rows, turn_six
from meshsim.algorithms.kernels.inertial import matmul
from meshsim.algorithms.kernels.matrices import transposed
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.schemes.base.bodies import LocalBody
from meshsim.algorithms.schemes.logarithmic.dividing import unpacked
from meshsim.algorithms.schemes.logarithmic.leaves import Turning
from meshsim.algorithms.schemes.logarithmic.pieces import ALL, Handle, Hold, Piece, Seam, beside, join, opposite, part
from meshsim.algorithms.types.vectors import Matrix, Vector
from meshsim.program import Cpu, Steps

HELD = {"revolute": (0, 1, 3, 4, 5), "spherical": (3, 4, 5), "fixed": ALL}
"""Which coordinates of its wrench a cut joint holds by, in space."""
HELD_IN_PLANE = {"revolute": (3, 4), "spherical": (3, 4), "fixed": (2, 3, 4)}
"""In a plane mechanism, whose handles have the plane's normal as z."""


@dataclass(frozen=True)
class Closure:
    """A cut joint: its handles (None is the ground), the coordinates that hold, and what its axes ask for."""

    first: Handle | None
    second: Handle
    rows: tuple[int, ...]
    hinged: bool  # in space, about z: the axis of one side turns with that of the other
    flat: bool


def closures_of(mechanism: Mechanism) -> list[Closure]:
    """All cut joints; of one to the ground, the handle on a body is the second."""
    flat = mechanism.plane is not None
    closures = []
    for k, cut in enumerate(mechanism.cuts):
        ends: list[Handle | None] = [
            ("cut", k, side) if anchor.body >= 0 else None for side, anchor in enumerate((cut.first, cut.second))
        ]
        first, second = ends if ends[1] is not None else ends[::-1]
        assert second is not None
        hinged = cut.kind == "revolute" and not flat
        closures.append(Closure(first, second, (HELD_IN_PLANE if flat else HELD)[cut.kind], hinged, flat))
    return closures


def spun(cpu: Cpu, piece: Piece, handle: Handle, Q: Matrix, flat: bool) -> Piece:
    """The same piece with one handle in other axes; in a plane they are turned about z."""
    s, c = Q[1][0], Q[0][0]
    P, b = piece.own[handle], piece.bias[handle]
    between = {pair: B for pair, B in piece.between.items() if handle not in pair}
    for h in piece.handles:
        if h != handle and (B := piece.seen(handle, h)) is not None:
            between[handle, h] = cpu.do(turn_rows, s, c, B) if flat else cpu.do(rotate_rows, Q, B)
    own = cpu.do(turn_lower, s, c, P) if flat else cpu.do(rotate_lower, Q, P)
    return Piece(piece.handles, {**piece.own, handle: own}, between, {**piece.bias, handle: spun_six(cpu, Q, b, flat)})


def spun_six(cpu: Cpu, Q: Matrix, b: Six, flat: bool) -> Six:
    """An acceleration, or a wrench, in other axes."""
    if flat:
        return cpu.do(turn_six, Q[1][0], Q[0][0], b)
    x, y, z, *rest = b
    return *cpu.do(matvec, Q, (x, y, z)), *cpu.do(matvec, Q, (rest[0], rest[1], rest[2]))


def close(
    cpu: Cpu, whole: Piece, closure: Closure, stands: Mapping[Handle, Turning], lift: Vector
) -> tuple[Piece, Seam, Matrix | None]:
    """One cut joint held together; also how its second handle was turned."""
    second = closure.second
    R, w = stands[second]
    if closure.first is None:
        base = (0.0, 0.0, 0.0, *cpu.do(matvec, R, lift))
        piece, seam = join(cpu, whole, None, second, Hold(closure.rows), base)
        return piece, seam, None
    R_first, w_first = stands[closure.first]
    Q = cpu.do(matmul, R_first, transposed(R))
    whole = spun(cpu, whole, second, Q, closure.flat)
    if closure.hinged:
        rate = cpu.do(subtract, cpu.do(matvec, Q, w)[2], w_first[2])
        x, y, z, *linear = whole.bias[second]
        bias = *cpu.do(add_cross_z, (x, y, z), w_first, -rate), *linear
        whole = Piece(whole.handles, whole.own, whole.between, {**whole.bias, second: bias})
    return *join(cpu, whole, closure.first, second, Hold(closure.rows)), Q


def hold_loops(
    cpu: Cpu, *_: LocalBody, closures: Sequence[Closure], subsystems: Sequence[tuple[Handle, ...]], lift: Vector
) -> Steps[None]:
    """The processor that closes loops. 1, 2, ... -> what is left of each subsystem, <- the wrenches on its handles."""
    ports = [str(k) for k in range(1, len(subsystems) + 1)]
    got = yield cpu.par(*(cpu.recv(port) for port in ports))
    whole = Piece((), {}, {}, {})
    stands: dict[Handle, Turning] = {}
    for handles, (packed, turnings) in zip(subsystems, got, strict=True):
        whole = beside(whole, unpacked(handles, packed)[0])
        stands.update(zip(handles, turnings, strict=True))
    seams: list[tuple[Seam, Matrix | None]] = []
    for closure in closures:
        whole, seam, Q = close(cpu, whole, closure, stands, lift)
        seams.append((seam, Q))
    wrenches: dict[Handle, Six] = {}
    for closure, (seam, Q) in zip(reversed(closures), reversed(seams), strict=True):
        f, _none = part(cpu, seam, wrenches)
        wrenches[closure.second] = f if Q is None else spun_six(cpu, transposed(Q), f, closure.flat)
        if closure.first is not None:
            wrenches[closure.first] = opposite(f)
    cpu.phase("loops")
    sends = zip(ports, subsystems, strict=True)
    yield cpu.par(*(cpu.send(port, tuple(wrenches[h] for h in handles)) for port, handles in sends))
