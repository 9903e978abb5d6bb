"""Row 0 of the mesh as a pipeline between its processors and (0, 0): numbers go west to it, and come round from it.

(0, 0) has (0, 1) to the east and, round the cone, (0, n) to the west.
"""

from meshsim.program import Cpu, Steps


def take_own(cpu: Cpu, i: int) -> Steps[float]:
    """Of numbers that come through row 0, pass on those of joints below i, and keep the next. east -> west <-."""
    for _ in range(i - 1):
        yield cpu.send("west", (yield cpu.recv("east")))
    own: float = yield cpu.recv("east")
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
