"""The mesh in the cycles of the thesis's tables: in each the communications, then the computation.

A table says in which cycle a processor computes what, and in which a number is handed over: in the one after it was
made, while the next is computed. A processor that waits for its links does one after the other: the communications of
the cycle, all at once (`published`) or in turn (`published-in-turn`), then its computation. Both ends of a link have a
number in the same cycle, so no discipline deadlocks.

Tables 4.4 to 4.6, for column i:

    cycle    row 1                                       row 0
    1        A                                           A
    2, 3     c_ii, rho_ii
    2i, +1   c_i1, rho_i1 (c_ij two cycles for each j)   w, w'
    2i + 2   J c                                         W
    2i + 3   m (rho x c)        <- w from row 0          W k
    2i + 4   J w                <- w' from row 0         W l
    2i + 5   J w'               -> J w to row 0          p''
    2i + 6                      -> J w' to row 0         w x J w, m p''
    2i + 7                                               L'

Then the products (Table 4.7): a cycle adds what came from the east to a product, and forms the next one.

Without redistribution (Tables 4.2 and 4.3) row 0 computes J w and J w' itself, in cycles 2i + 6 and 2i + 7.
"""

from collections import defaultdict
from collections.abc import Callable
from functools import partial
from typing import Any

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
    half_of_H,
    hinges,
    orientation,
    product,
    turning,
)
from meshsim.algorithms.types.vectors import Matrix, Vector
from meshsim.program import Cpu, Steps

Name = Any
"""What a number is called in a table: `"w"`, or `("c", j)`."""


Group = tuple[list[tuple[str, Name]], list[tuple[str, Name]]]
"""What a processor receives and sends at once, each a port and a name."""

DIRECTIONS = ("east", "west"), ("south", "north"), ("west", "east"), ("north", "south")
"""The order in which communications of a cycle follow one another: the port that sends, and the one that receives."""


class Table:
    """What processor (k, i) sends, receives and computes in each cycle."""

    def __init__(self, k: int, column: Column) -> None:
        self.k = k
        self.column = column
        self.sends: dict[int, list[tuple[str, Name]]] = defaultdict(list)
        self.receives: dict[int, list[tuple[str, Name]]] = defaultdict(list)
        self.computes: dict[int, list[tuple[Name, Callable[..., Any], tuple[Name, ...]]]] = defaultdict(list)

    def send(self, cycle: int, port: str, name: Name) -> None:
        """Send a number in a cycle."""
        self.sends[cycle].append((port, name))

    def receive(self, cycle: int, port: str, name: Name) -> None:
        """Receive one."""
        self.receives[cycle].append((port, name))

    def compute(self, cycle: int, name: Name, function: Callable[..., Any], *needed: Name) -> None:
        """Compute one from others."""
        self.computes[cycle].append((name, function, needed))

    def follow(self, cpu: Cpu, known: dict[Name, Any]) -> Steps[dict[Name, Any]]:
        """Go through the cycles, with what is known at the beginning. Returns every number by name."""
        for cycle in sorted({*self.sends, *self.receives, *self.computes}):
            for receives, sends in self.groups(cycle):
                sent = [cpu.send(port, known[name]) for port, name in sends]
                got = yield cpu.par(*(cpu.recv(port) for port, _ in receives), *sent)
                known.update(zip((name for _, name in receives), got, strict=False))
            for name, function, needed in self.computes[cycle]:
                known[name] = function(*(known[each] for each in needed))
        return known

    def groups(self, cycle: int) -> list[Group]:
        """What is received and sent at once: all of a cycle, or one after the other."""
        receives, sends = self.receives[cycle], self.sends[cycle]
        if self.column.order == "published":
            return [(receives, sends)] if receives or sends else []
        turns: list[tuple[tuple[int, int, int], Group]]
        turns = [(self.turn(port, 1), ([(port, name)], [])) for port, name in receives]
        turns += [(self.turn(port, 0), ([], [(port, name)])) for port, name in sends]
        return [group for _, group in sorted(turns, key=lambda turn: turn[0])]

    def turn(self, port: str, receiving: int) -> tuple[int, int, int]:
        """When a communication has its turn: by direction; then even processors send first, and odd ones receive.

        All processors go by this one order, so that none waits for ever. A receive is before a send of the same turn.
        """
        port = "west" if port == "parent" else "east" if port.startswith("child") else port
        direction = [ports[receiving] for ports in DIRECTIONS].index(port)
        apart = (self.column.i - self.column.parent if direction == 0 else 1) if receiving else 0
        return direction, (self.k + self.column.i + apart) % 2, 1 - receiving


def made(i: int, j: int) -> dict[str, int]:
    """The cycles in which row 1 makes c_ij and rho_ij."""
    return {"c": 2 + 2 * (i - j), "rho": 3 + 2 * (i - j)}


def handed(column: Column, j: int) -> dict[str, int]:
    """The cycles of a joint's vectors that exist: one that slides has no rho."""
    return {name: cycle for name, cycle in made(column.i, j).items() if name == "c" or not column.slides[j]}


def form(cpu: Cpu, local: LocalBody, k: int, column: Column) -> Steps[Formed]:
    """Rows 1..n, until the products begin."""
    table = row_one(cpu, local, column) if k == 1 else lower_row(k, column)
    i, slides = column.i, column.slides[k]
    first = 2 * i + 2 if k == 1 else 2 * i + 2 - k
    if k in column.held(k):
        arm = [] if slides else [("rho", k)]
        if not column.torques:
            table.compute(first, "J c", partial(half_of_H, cpu, local, slides), ("c", k))
        if not (column.torques and column.recompute):
            table.compute(first + 1, "arm", partial(_arm, cpu, slides), ("c", k), *arm)
        if not column.torques:
            table.compute(first + 1, "mass arm", doing(cpu, scale, local.m), "arm")
    known = yield from table.follow(cpu, {})
    return Formed(*_vectors(known), *(known.get(name, ZERO) for name in ("J c", "arm", "mass arm")))


def row_one(cpu: Cpu, local: LocalBody, column: Column) -> Table:
    """parent -> c_pj, rho_pj;  children, south, north <- c_ij, rho_ij;  north -> w, w';  north <- J w, J w'."""
    table, i = Table(1, column), column.i
    table.compute(1, "A", partial(orientation, cpu, local))
    table.compute(1, "k", partial(centre, cpu, local))
    formulas: dict[str, Callable[..., Any]] = {"c": doing(cpu, local.rotate), "rho": partial(arm_from, cpu, local)}
    given = {"c": ("A",), "rho": ("A", "k")}
    own = {"c": Z_AXIS, "rho": local.k}
    for j in column.held(1):
        carries = j in column.lineage
        for name, cycle in handed(column, j).items():
            if carries and j < i:
                table.receive(made(column.parent, j)[name] + 1, column.source, (f"inboard {name}", j))
                table.compute(cycle, (name, j), formulas[name], *given[name], (f"inboard {name}", j))
            else:
                table.compute(cycle, (name, j), partial(_known, own[name] if j == i else ZERO))
            for port in [*(column.heirs if carries else ()), *(["south"] if j > 1 else ())]:
                table.send(cycle + 1, port, (name, j))
            if name in column.upward:
                table.send(cycle + 1, "north", (name, j))
    if column.redistribute:
        for later, (rate, product) in enumerate((("w", "J w"), ("w'", "J w'"))):
            table.receive(2 * i + 3 + later, "north", rate)
            table.compute(2 * i + 4 + later, product, doing(cpu, matvec, local.J), rate)
            table.send(2 * i + 5 + later, "north", product)
    return table


def lower_row(k: int, column: Column) -> Table:
    """Row k > 1 keeps c_ij and rho_ij for j = i..k as they pass. north -> c_ij, rho_ij;  south <- those of j > k."""
    table = Table(k, column)
    for j in column.held(k):
        for name, cycle in handed(column, j).items():
            table.receive(cycle + k - 1, "north", (name, j))
            if j > k:
                table.send(cycle + k, "south", (name, j))
    return table


def momentum(cpu: Cpu, local: LocalBody, column: Column, lift: Vector) -> Steps[Momentum]:
    """Row 0: L' and m p'' of body i; p'' starts from `lift`, which stands in for weight.

    parent -> w, w', W l, p'';  children <- the same;  south -> c_ij, rho_ij, J w, J w';  south <- w, w'.
    """
    table, i, parent = Table(0, column), column.i, column.parent
    for j in column.held(1):
        for name, cycle in handed(column, j).items():
            if name in column.upward:
                table.receive(cycle + 1, "south", (name, j))
    inboard = ("inboard w", "inboard w'", "inboard W l", "inboard p''")
    for name, cycle in zip(inboard, (1, 2, 5, 6), strict=True):
        if parent:
            table.receive(2 * parent + cycle, column.source, name)
    table.compute(1, "A", partial(orientation, cpu, local))
    table.compute(1, "k", partial(centre, cpu, local))
    given = inboard if parent else (None,) * 4
    table.compute(2 * i, "w", partial(angular_velocity, cpu, local), "A", given[0])
    table.compute(2 * i + 1, "w'", partial(angular_acceleration, cpu, local), "A", "w", given[1])
    table.compute(2 * i + 2, "W", partial(turning, cpu, local, column), "w", "w'")
    table.compute(2 * i + 3, "W k", doing(cpu, matvec), "W", "k")
    for child, hinge in hinges(local, column).items():
        table.compute(2 * i + 4, ("W l", child), partial(_turned, cpu, hinge), "W")
    if parent:
        table.compute(2 * i + 5, "inboard", _both, "inboard p''", "inboard W l")
    table.compute(2 * i + 5, "p''", partial(acceleration, cpu, local), "A", "w", "W k", "inboard")
    for (child, _), port in zip(column.children, column.heirs, strict=True):
        sent: list[tuple[int, Name]] = [(1, "w"), (2, "w'"), (5, ("W l", child)), (6, "p''")]
        for after, number in sent:
            table.send(2 * i + after, port, number)
    _end_of_momentum(cpu, local, column, table)
    known = yield from table.follow(cpu, {None: None, "inboard": (lift, ZERO)})
    return Momentum(known["L'"], known["m p''"], *_vectors(known))


def _end_of_momentum(cpu: Cpu, local: LocalBody, column: Column, table: Table) -> None:
    """J w and J w', which come from row 1 or are computed here, and what is made of them."""
    cycle = 2 * column.i + 6
    if column.redistribute:
        for later, (rate, product) in enumerate((("w", "J w"), ("w'", "J w'"))):
            table.send(cycle - 3 + later, "south", rate)
            table.receive(cycle - 1 + later, "south", product)
    else:
        table.compute(cycle, "J w", doing(cpu, matvec, local.J), "w")
        table.compute(cycle + 1, "J w'", doing(cpu, matvec, local.J), "w'")
        cycle += 2
    table.compute(cycle, "w x J w", doing(cpu, cross), "w", "J w")
    table.compute(cycle, "m p''", doing(cpu, scale, local.m), "p''")
    last = cycle + 1 if column.redistribute else cycle
    table.compute(last, "L'", doing(cpu, add_vectors), "w x J w", "J w'")  # Wong eq. 3.31


# The products


def inertia_sums(cpu: Cpu, k: int, column: Column, formed: Formed) -> Steps[float]:
    """The moving sums of M_jk for j = k..i; the last one, M_ik, stays here. For torques there are none.

    south -> rho x c of joint j > k, unless recomputed;  north <- rho x c;  east -> sums, west <- sums.    # Table 4.7
    """
    known = {("c", j): c for j, c in formed.c.items()} | {("rho", j): rho for j, rho in formed.rho.items()}
    known["arm", k] = formed.arm
    halves = (formed.Jc, formed.mass_arm) if k in formed.c else None
    table = sums(cpu, column, k, set(formed.c), halves, first=column.slides[k])
    total: float = (yield from table.follow(cpu, known)).get(("sum", column.i), 0.0)
    return total


def force_sums(cpu: Cpu, column: Column, momentum: Momentum) -> Steps[float]:
    """The moving sums of h_j for j = 1..i; the last one stays. south -> rho x c, unless recomputed;  east -> sums."""
    known = {("c", j): c for j, c in momentum.c.items()} | {("rho", j): rho for j, rho in momentum.rho.items()}
    table = sums(cpu, column, 0, set(momentum.c), (momentum.Ld, momentum.mpdd))
    total: float = (yield from table.follow(cpu, known))["sum", column.i]
    return total


def sums(cpu: Cpu, column: Column, k: int, joints: set[int], halves: Any, first: bool = False) -> Table:
    """Row k: in each cycle the sum of a product that is waiting for it, then the next product.         # Wong Table 4.7

    A column adds as many cycles after it multiplies as it is away from column n, where the sums start. Row 0 is a cycle
    behind, since rho x c reaches it through row 1.
    """
    table = Table(k, column)
    local = {j: column.slides[j] or column.recompute for j in joints}
    behind, away = 0 if k or column.recompute else 1, column.n - column.i
    summed = k == 0 or not column.torques
    for cycle, j in enumerate(range(max(k, 1), column.i + 1), start=behind):
        if away and summed:
            table.receive(cycle + away, "east", ("beyond", j))
        if j < column.i and summed:
            table.send(cycle + away + 1, "west", ("sum", j))
        if j in joints and j > k and not local[j]:
            table.receive(cycle, "south", ("arm", j))
        if j in joints and k > 0 and not local[j]:
            table.send(cycle + 1, "north", ("arm", j))
    for cycle, j in enumerate(range(max(k, 1), column.i + 1 + away) if summed else (), start=behind):
        if away and j - away >= max(k, 1):
            _add(cpu, table, cycle, j - away, j - away in joints and halves)
        if j > column.i:
            continue
        if j in joints and j > k and local[j]:
            rho = [] if column.slides[j] else [("rho", j)]
            table.compute(cycle, ("arm", j), partial(_arm, cpu, column.slides[j]), ("c", j), *rho)
        if j in joints and halves:
            share = partial(_share, cpu, first or column.slides[j], halves)
            table.compute(cycle, ("share", j), share, ("c", j), ("arm", j))
        if not away:
            _add(cpu, table, cycle, j, j in joints and halves)
    return table


def _add(cpu: Cpu, table: Table, cycle: int, j: int, has_share: Any) -> None:
    """A body's share, if it has one, is added to those of the bodies beyond; in column n they start from 0.0."""
    beyond = [("beyond", j)] if table.column.i < table.column.n else []
    if has_share:
        table.compute(cycle, ("sum", j), partial(_summed, cpu), ("share", j), *beyond)
    else:
        table.compute(cycle, ("sum", j), _passed, *beyond)


def _share(cpu: Cpu, slides: bool, halves: Any, c: Vector, arm: Vector) -> float:
    return product(cpu, slides, (c, arm), halves)  # Wong eqs 3.23, 3.34


def _summed(cpu: Cpu, share: float, beyond: float = 0.0) -> float:
    return cpu.do(add, beyond, share)  # Wong eq. 4.9


def _passed(beyond: float = 0.0) -> float:
    return beyond


def _arm(cpu: Cpu, slides: bool, c: Vector, rho: Vector = ZERO) -> Vector:
    return arm_of(cpu, slides, c, rho)


def _vectors(known: dict[Name, Any]) -> tuple[Vectors, Vectors]:
    """c and rho by joint, of those that are known."""
    pairs = [name for name in known if isinstance(name, tuple)]
    c, rho = ({j: known[name, j] for name, j in pairs if name == which} for which in ("c", "rho"))
    return c, rho


def doing(cpu: Cpu, kernel: Any, *given: Any) -> Callable[..., Any]:
    """A call of a kernel, whose last arguments are still to come."""
    return partial(cpu.do, kernel, *given)


def _turned(cpu: Cpu, hinge: Vector, W: Matrix) -> Vector:
    return cpu.do(matvec, W, hinge)


def _both(*values: Any) -> tuple[Any, ...]:
    return values


def _known(value: Any) -> Any:
    return value
