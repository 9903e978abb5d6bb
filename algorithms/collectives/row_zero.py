"""Row 0 of the mesh as a pipeline between its processors and (0, 0): numbers go west to it, and come round from it.

(0, 0) has (0, 1) to the east and, round the cone, (0, n) to the west. Where the mesh is not wrapped, what comes from it
goes east.
"""

from meshsim.program import Cpu, Steps


def take_own(cpu: Cpu, i: int) -> Steps[float]:
    """Of numbers that come through row 0, pass on those of joints below i, and keep the next. east -> west <-."""
    for _ in range(i - 1):
        yield cpu.send("west", (yield cpu.recv("east")))
    own: float = yield cpu.recv("east")
    return own


def take_first(cpu: Cpu, i: int, n: int) -> Steps[float]:
    """Of numbers that come through row 0 from the west, keep the first, and pass on the others. west -> east <-."""
    own: float = yield cpu.recv("west")
    for _ in range(n - i):
        yield cpu.send("east", (yield cpu.recv("west")))
    return own


def gather(cpu: Cpu, node: tuple[int, int], values: tuple[float, ...], n: int) -> Steps[tuple[float, ...]]:
    """Row 0 passes its numbers to (0, 0). west <- its own, then those from the east.  # Wong Table 5.1, task 8"""
    i = node[1]
    if i == 0:
        gathered = []
        for _ in range(n):
            gathered.append((yield cpu.recv("east")))
        return tuple(gathered)
    yield cpu.send("west", values[0])
    for _ in range(n - i):
        yield cpu.send("west", (yield cpu.recv("east")))
    return values


def scatter(cpu: Cpu, node: tuple[int, int], values: tuple[float, ...]) -> Steps[tuple[float, ...]]:
    """(0, 0) sends one number to each processor of row 0, as it does the unknowns.  # Wong Table 5.1, task 9"""
    i = node[1]
    if i > 0:
        return ((yield from take_own(cpu, i)),)
    for value in values:
        yield cpu.send("west", value)
    return values


def scatter_east(cpu: Cpu, node: tuple[int, int], values: tuple[float, ...], n: int) -> Steps[tuple[float, ...]]:
    """The same where the mesh is not wrapped."""
    i = node[1]
    if i > 0:
        return ((yield from take_first(cpu, i, n)),)
    for value in values:
        yield cpu.send("east", value)
    return values
