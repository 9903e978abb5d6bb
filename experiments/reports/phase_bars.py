"""A run over time, in lines of characters: which phases programs are in, and how many processors compute."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meshsim.counted import Kernel
from meshsim.experiments.reports.terminal import bars, page_width, percent, shortened, wrapped
from meshsim.outcome import Run

Floats = NDArray[np.float64]
Stretches = Sequence[tuple[int, int]]
"""Begins and ends, in ticks."""
LABEL = 14
"""Columns of the names at the left."""


def timeline(run: Run[Any], phases: Iterable[str]) -> list[str]:
    """A row of bars for each phase that takes time, and, of a traced run, one for the processors that compute.

    A program is in a phase from its mark before, or its start, to its mark of the phase: it computes, communicates or
    waits. Phases that are not asked for count as parts of the next.
    """
    if not run.ticks:
        return []
    cells = min(page_width() - LABEL, run.ticks)
    edges = np.linspace(0, run.ticks, cells + 1)
    programs = len(run.cpus)
    lines = []
    for name, stretches in _in_phases(run, list(phases)).items():
        inside = mean_number(stretches, edges) / programs
        if inside.any():
            lines.append(_row(name, inside))
    whole = "the program is" if programs == 1 else f"all {programs} programs are"
    told = [f"phases: full height where {whole} in them"] if lines else []
    if run.traced:
        busy = mean_number(list(_computes(run)), edges) / run.processors
        peak = busy.max()
        lines.append(_row("computing", busy / peak if peak else busy))
        one = "the processor" if run.processors == 1 else f"the {run.processors} processors"
        told.append(f"computing: full height is {percent(float(peak))} of {one}")
    if not lines:
        return []
    end = run.machine.as_us(run.ticks)
    axis = " " * LABEL + "0" + end.rjust(cells - 1)
    return [*lines, axis if len(axis) <= LABEL + cells else f"{'':<{LABEL}}0 to {end}", *wrapped(["; ".join(told)])]


def mean_number(stretches: Stretches, edges: Floats) -> Floats:
    """How many of the stretches there are between each two edges, in the mean."""
    if not stretches:
        return np.zeros(len(edges) - 1)
    begins, ends = np.sort(np.asarray(stretches, dtype=np.int64), axis=0).T
    passed = _passed(begins, edges) - _passed(ends, edges)
    # Differences of large numbers: what is nothing must be so.
    spent = np.diff(passed)
    spent[np.abs(spent) < 1e-9 * max(float(passed[-1]), 1.0)] = 0.0
    return spent / np.diff(edges)


def _passed(ticks: NDArray[np.int64], edges: Floats) -> Floats:
    """The time since each of some ticks, in all, at each edge."""
    before = np.searchsorted(ticks, edges)
    sums = np.concatenate([[0], np.cumsum(ticks)])
    return np.asarray(before * edges - sums[before], dtype=np.float64)


def _computes(run: Run[Any]) -> Iterator[tuple[int, int]]:
    """When processors compute."""
    for core in run.cores:
        for start, end, what in core.spans:
            if end > start and isinstance(what, Kernel):
                yield start, end


def _in_phases(run: Run[Any], names: Sequence[str]) -> dict[str, list[tuple[int, int]]]:
    """When programs are in each phase."""
    found: dict[str, list[tuple[int, int]]] = {name: [] for name in names}
    for marks in run.marks.values():
        before = 0
        for name, tick in sorted(marks.items(), key=lambda item: item[1]):
            if name in found:
                found[name].append((before, tick))
                before = tick
    return found


def _row(name: str, shares: Floats) -> str:
    return f"{shortened(name, LABEL - 1):<{LABEL}}{bars(shares.tolist())}".rstrip()
