"""The streams of the triangle: what passes a cell on its way west and north, and then back east and south.

Until M is eliminated, every cell of row k goes through the same steps. For the joints j = n..i + 1 it passes on what
eliminates them; for joint i it completes its own entry and sends what eliminates that; for j = i - 1..k it adds its
body's share to the sum for joint j. What a step has made leaves while the next one's numbers come in.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from meshsim.algorithms.kernels.core import add, axpy, multiply, ratio, subtract_product
from meshsim.algorithms.kernels.inertial import Spatial, spatial_dot
from meshsim.algorithms.schemes.base.bodies import LocalBody
from meshsim.algorithms.solvers.base import SingularError
from meshsim.program import Cpu, Steps

LEAD = 2
"""How many products a cell forms ahead for each body beyond its own, while the last body's streams are on their way."""
Outgoing = list[tuple[str, Any]]
"""What is to be sent: ports and values."""


class Place(NamedTuple):
    """Where a cell is: row k, column i, of n."""

    k: int
    i: int
    n: int

    @property
    def east(self) -> list[str]:
        """The port to the body beyond, if there is one."""
        return ["east"] if self.i < self.n else []

    @property
    def west(self) -> list[str]:
        """The port to the body before, if there is one."""
        return ["west"] if self.i > 1 else []

    @property
    def north(self) -> list[str]:
        """The port to the row above, if there is one."""
        return ["north"] if self.k else []


def flow(cpu: Cpu, ports: Sequence[str], outgoing: Outgoing) -> Steps[list[Any]]:
    """Receive what comes next through some ports while what is at hand leaves."""
    got = yield cpu.par(*(cpu.recv(port) for port in ports), *(cpu.send(port, value) for port, value in outgoing))
    outgoing.clear()
    return list(got[: len(ports)])


@dataclass
class Shares:
    """What a cell has of its products with c and arm of the joints i - 1..k.

    Attributes
    ----------
    half : Spatial
        J c and m arm of the cell's own joint; in row 0 L' and m p''.
    own : Spatial or None
        c and arm of the cell's own joint; row 0 has none.
    joint : int
        The joint whose arm is the next.
    ready : deque of float
        Products that wait for their sums, in the order of the joints.
    outgoing : list
        What leaves with the next flow.
    """

    half: Spatial
    own: Spatial | None
    joint: int
    ready: deque[float] = field(default_factory=deque)
    outgoing: Outgoing = field(default_factory=list)


def next_share(cpu: Cpu, at: Place, shares: Shares, ports: Sequence[str]) -> Steps[list[Any]]:
    """A flow through some ports that takes the next arm too, if there is one, and multiplies it.

    south -> c and arm of joint j > k;  north <- the same.
    """
    j = shares.joint
    if j < max(at.k, 1):
        return (yield from flow(cpu, ports, shares.outgoing))
    shares.joint = j - 1
    got = yield from flow(cpu, [*ports, "south"] if j > at.k else ports, shares.outgoing)
    arm = got.pop() if shares.own is None or j > at.k else shares.own
    shares.ready.append(cpu.do(spatial_dot, arm, shares.half))  # Wong eqs 3.23, 3.34
    shares.outgoing.extend((port, arm) for port in at.north)
    return got


def take_arms(cpu: Cpu, at: Place, shares: Shares) -> Steps[None]:
    """As many products as there is time for until the streams of body n come: two for each body beyond."""
    for _ in range(min(LEAD * (at.n - at.i), at.i - max(at.k, 1))):
        yield from next_share(cpu, at, shares, [])


def pivots_beyond(cpu: Cpu, at: Place, outgoing: Outgoing) -> Steps[float | None]:
    """What the joints j = n..i + 1 take from entry M_ik when they are eliminated: the sum of u_ji M_jk.

    east -> M_jk with u_jk = M_jk / M_jj, south -> u_ji;  west, north <- the same. In row 0 b_j stands for M_jk.
    """
    taken: float | None = None
    for _ in range(at.n - at.i):
        row, u = yield from flow(cpu, ["east", "south"], outgoing)
        taken = cpu.do(multiply, u, row[0]) if taken is None else cpu.do(axpy, u, row[0], taken)
        outgoing += [*((port, row) for port in at.west), *((port, u) for port in at.north)]
    return taken


def last_sum(cpu: Cpu, local: LocalBody, at: Place, outgoing: Outgoing) -> Steps[tuple[list[float], float]]:
    """What the bodies beyond have of the cell's own entry, and 1 / M_ii, which of body n is a constant.

    east -> the sum, south -> 1 / M_ii;  north <- 1 / M_ii.
    """
    if at.i == at.n:
        return [], inverse_inertia(local, at.n)
    beyond, pivot = yield from flow(cpu, ["east", "south"], outgoing)
    outgoing.extend((port, pivot) for port in at.north)
    return [beyond], pivot


def sums(cpu: Cpu, at: Place, shares: Shares) -> Steps[None]:
    """Body i's shares of M_jk for j = i - 1..k, each added to those of the bodies beyond. In row 0, of h_j for j >= 1.

    east -> sums;  west <- sums; and the arms that are left.
    """
    for _ in range(at.i - max(at.k, 1)):
        beyond = yield from next_share(cpu, at, shares, at.east)
        share = shares.ready.popleft()
        shares.outgoing.append(("west", with_beyond(cpu, share, beyond)))
    yield from flow(cpu, [], shares.outgoing)


def substitute(cpu: Cpu, at: Place, factor: float) -> Steps[None]:
    """Take joint k's part off the acceleration of joint i. north -> y, west -> x_k;  south <- y, east <- x_k."""
    y, x = yield from flow(cpu, ["north", "west"], [])
    y = cpu.do(subtract_product, y, factor, x)
    yield from flow(cpu, [], [("south", y), *((port, x) for port in at.east)])


def with_beyond(cpu: Cpu, share: float, beyond: Sequence[float]) -> float:
    """A share and the sum of the bodies beyond; the last body's sum starts with its share, not with zero."""
    return cpu.do(add, share, beyond[0]) if beyond else share  # Wong eq. 4.9


def nonzero(pivot: float, i: int) -> float:
    """A pivot, refused if it is zero."""
    if pivot == 0.0:
        raise SingularError(f"the trailing minor from joint {i} on must not be zero: triangle exchanges no rows")
    return pivot


def inverse_inertia(local: LocalBody, i: int) -> float:
    """1 / M_nn, a constant of the last body: formed off line."""
    return ratio(1.0, nonzero(local.own_inertia, i))
