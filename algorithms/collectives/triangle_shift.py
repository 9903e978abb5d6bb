"""The entries of a symmetric matrix, spread over a triangular mesh, moved to its first row, where solvers are fed."""

from meshsim.program import Cpu, Steps


def shift_matrix(cpu: Cpu, k: int, i: int, n: int, entry: float) -> Steps[list[float]]:
    """Move M to row 1, where column i ends with row i of M; M_ji for j > i comes along row i, then up.

    north <- column stream, west <- row stream;  south -> column stream (on the diagonal: east), east -> row
    stream.                                                                                # Wong Fig. 4.5
    """
    diagonal = k == i
    column = along = entry
    kept = [entry]
    for step in range(n - k + 1):
        sends = [cpu.send("north", column)] if k > 1 else []
        sends += [cpu.send("west", along)] if not diagonal and step <= n - i else []
        more_column, more_along = step < n - k, not diagonal and step < n - i
        receives = [cpu.recv("east" if diagonal else "south")] if more_column else []
        receives += [cpu.recv("east")] if more_along else []
        got = (yield cpu.par(*sends, *receives))[len(sends) :]
        if more_column:
            column = got[0]
            kept.append(column)
        if more_along:
            along = got[-1]
    cpu.phase("shift")
    return kept
