"""The entries of a symmetric matrix, spread over a triangular mesh, moved to an edge of it, where solvers are fed."""

from collections.abc import Sequence

from meshsim.program import Cpu, Steps

COMPASS = ("north", "west", "south", "east")
MIRRORED = ("east", "south", "west", "north")
"""What cell (k, i) calls north, west, south and east where it plays cell (n + 1 - i, n + 1 - k): the mesh mirrored."""


def shift_matrix(cpu: Cpu, k: int, i: int, n: int, entry: float, ports: Sequence[str] = COMPASS) -> Steps[list[float]]:
    """Move M to row 1, where column i ends with row i of M; M_ji for j > i comes along row i, then up.

    north <- column stream, west <- row stream;  south -> column stream (on the diagonal: east), east -> row
    stream.                                                                                # Wong Fig. 4.5
    """
    north, west, south, east = ports
    diagonal = k == i
    column = along = entry
    kept = [entry]
    for step in range(n - k + 1):
        sends = [cpu.send(north, column)] if k > 1 else []
        sends += [cpu.send(west, along)] if not diagonal and step <= n - i else []
        more_column, more_along = step < n - k, not diagonal and step < n - i
        receives = [cpu.recv(east if diagonal else south)] if more_column else []
        receives += [cpu.recv(east)] if more_along else []
        got = (yield cpu.par(*sends, *receives))[len(sends) :]
        if more_column:
            column = got[0]
            kept.append(column)
        if more_along:
            along = got[-1]
    cpu.phase("shift")
    return kept


def turn_over(cpu: Cpu, r: int, n: int, row: Sequence[float]) -> Steps[list[float]]:
    """Rows r and n + 1 - r of M, at the ends of their rows of the mesh, change places along the last column.

    All rows move at once, whole, a hop a round: those of the upper half go down, the others up. south <- rows, north ->
    rows, going down;  north <- rows, south -> rows, going up.                            # Wong sec. 4.5.1
    """
    held = {r: tuple(row)}
    for hop in range(1, n):
        sends, receives, coming = [], [], []
        for way, ahead, behind in ((1, "south", "north"), (-1, "north", "south")):
            leaves, comes = r - way * (hop - 1), r - way * hop
            if 1 <= leaves <= n and hop <= way * (n + 1 - 2 * leaves):
                sends.append(cpu.send(ahead, held.pop(leaves)))
            if 1 <= comes <= n and hop <= way * (n + 1 - 2 * comes):
                receives.append(cpu.recv(behind))
                coming.append(comes)
        if sends or receives:
            got = (yield cpu.par(*sends, *receives))[len(sends) :]
            held.update(zip(coming, got, strict=True))
    cpu.phase("shift")
    return list(held[n + 1 - r])
