"""Schemes against networks, in print: times, and factors over each scheme's own network."""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from meshsim.experiments.store.journal import Row
from meshsim.experiments.studies.crossover import ranges
from meshsim.experiments.studies.elsewhere import streamed
from meshsim.experiments.studies.where import OWN_NETWORK

WIDE = 120
"""Columns of a page."""
OF_COLUMN, OF_ROW = "*", "<"
"""Marks of the quickest scheme on a network, and of the network where a scheme is the quickest."""
NOTE = (
    f"x: over the time on the scheme's own network; {OF_COLUMN}: the quickest scheme on a network; {OF_ROW}: where a "
    "scheme is quickest"
)
INTERVAL = "a stream, from one evaluation to the next, "
"""What tables of streams begin with."""


class Matrix(NamedTuple):
    """The rows of one robot on one machine, by scheme with options and by network."""

    robot: str
    machine: str
    cells: Mapping[tuple[str, str], Row]

    @property
    def labels(self) -> list[str]:
        """The schemes with their options."""
        return list(dict.fromkeys(label for label, _ in self.cells))

    @property
    def networks(self) -> list[str]:
        """The own network, then the others."""
        return list(dict.fromkeys(network for _, network in self.cells))

    @property
    def marks(self) -> dict[tuple[str, str], str]:
        """The best of each column and of each row."""
        found = dict.fromkeys(self.cells, "")
        for part, mark, names in ((1, OF_COLUMN, self.networks), (0, OF_ROW, self.labels)):
            for name in names:
                line = [key for key in self.cells if key[part] == name]
                found[min(line, key=lambda key: self.cells[key]["ticks"])] += mark
        return found


def matrices(rows: Sequence[Row]) -> Iterator[Matrix]:
    """A matrix for each robot and machine that has any row."""
    for robot, machine in dict.fromkeys((row["robot"], row["machine"]) for row in rows):
        here = [row for row in rows if (row["robot"], row["machine"]) == (robot, machine)]
        networks = list(dict.fromkeys(row["network"] for row in rows))
        here.sort(key=lambda row: networks.index(row["network"]))  # a scheme may lack one
        labels = dict.fromkeys(row["label"] for row in rows)
        cells = {(row["label"], row["network"]): row for label in labels for row in here if row["label"] == label}
        yield Matrix(robot, machine, cells)


def as_text(rows: Sequence[Row]) -> list[str]:
    """Tables of one evaluation, and of a stream if there is one."""
    lines = [*_tables(rows, ""), *_tables(streamed(rows), INTERVAL)]
    return [*lines, NOTE, *options(rows)] if lines else []


def _tables(rows: Sequence[Row], what: str) -> Iterator[str]:
    """A table for each robot and machine; with many networks, in parts that a page can take."""
    for matrix in matrices(rows):
        one = next(iter(matrix.cells.values()))
        yield f"{matrix.robot} on {matrix.machine}, {what}us ({one['baseline']} on one: {one['baseline_us']:.1f})"
        marks = matrix.marks
        first = max(map(len, matrix.labels)) + 1
        width = max(16, *(len(network) + 3 for network in matrix.networks))
        for networks in parts(matrix.networks, (WIDE - first) // width):
            head = (f"{network:>{width - 2}}  " for network in networks)
            yield f"{'scheme':<{first}}{''.join(head)}".rstrip()
            for label in matrix.labels:
                cells = (_cell(matrix.cells.get((label, each)), marks.get((label, each), "")) for each in networks)
                yield f"{label:<{first}}{''.join(f'{cell:>{width}}' for cell in cells)}".rstrip()


def _cell(row: Row | None, marks: str) -> str:
    if row is None:
        return "-  "
    factor = "" if row["factor"] is None or row["network"] == OWN_NETWORK else f" x{row['factor']:.2f}"
    return f"{row['time_us']:.1f}{factor}{marks:<2}"


def options(rows: Sequence[Row]) -> list[str]:
    """With which options each scheme was the quickest that had a choice, and where."""
    cases: dict[tuple[str, ...], dict[str, list[int]]] = {}
    for row in rows:
        if row["options"] and row["options"] != row["given"]:
            key = row["robot"], row["label"], row["machine"], row["options"]
            counts = cases.setdefault(key, {}).setdefault(row["network"], [])
            counts += [] if row["asked"] is None else [row["asked"]]
    lines = ["the quickest options:"] if cases else []
    for (robot, label, machine, chosen), networks in cases.items():
        where = (f"{name} of {ranges(counts)}" if counts else name for name, counts in networks.items())
        lines.append(wrapped(f"    {robot}, {label} on {machine}, {chosen}: {'; '.join(where)}"))
    return lines


def wrapped(line: str) -> str:
    """The same in lines that a page can take."""
    return textwrap.fill(line, WIDE, subsequent_indent=8 * " ", break_on_hyphens=False, break_long_words=False)


def parts(things: Sequence[Any], most: int) -> Iterator[Sequence[Any]]:
    """The same, in parts of at most so many, and at least one."""
    most = max(1, most)
    for start in range(0, len(things), most):
        yield things[start : start + most]
