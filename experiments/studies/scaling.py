"""Strong scaling, in print: the same work on more and more processors of a family of networks."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from meshsim.experiments.store.journal import Row
from meshsim.experiments.studies.elsewhere import streamed
from meshsim.experiments.studies.matrix import INTERVAL, OF_COLUMN, WIDE, options, parts, wrapped
from meshsim.experiments.studies.where import OWN_NETWORK

NEARLY = 1.05
"""Times the least time: so near to it fewer processors do as well."""
CELL = 18
"""Columns of a time, a speed-up and an efficiency."""


class Curves(NamedTuple):
    """The rows of one robot on one machine and one family: by scheme with options, then by number of processors."""

    robot: str
    machine: str
    network: str
    by_scheme: Mapping[str, Mapping[int, Row]]
    own: Mapping[str, Row]

    @property
    def counts(self) -> list[int]:
        """The numbers of processors that there are, in order."""
        return sorted({count for rows in self.by_scheme.values() for count in rows})

    def quickest(self, count: int) -> Row:
        """The quickest scheme on so many processors, the first of equal ones."""
        return min((rows[count] for rows in self.by_scheme.values() if count in rows), key=lambda row: row["ticks"])


def curves_of(rows: Sequence[Row]) -> Iterator[Curves]:
    """For each robot, machine and family that has any row."""
    keys = dict.fromkeys(
        (row["robot"], row["machine"], row["network"]) for row in rows if row["network"] != OWN_NETWORK
    )
    for robot, machine, network in keys:
        here = [row for row in rows if (row["robot"], row["machine"]) == (robot, machine)]
        by_scheme: dict[str, dict[int, Row]] = {}
        for row in here:
            if row["network"] == network:
                by_scheme.setdefault(row["label"], {})[row["asked"]] = row
        own = {row["label"]: row for row in here if row["network"] == OWN_NETWORK}
        yield Curves(robot, machine, network, by_scheme, own)


def as_text(rows: Sequence[Row]) -> list[str]:
    """Tables of one evaluation, and of a stream if there is one; from which number on more processors gain little."""
    lines = [*_tables(rows, ""), *_tables(streamed(rows), INTERVAL)]
    note = f"{OF_COLUMN}: the quickest scheme on so many processors; own: on the scheme's own network"
    return [*lines, note, *options(rows)] if lines else []


def _tables(rows: Sequence[Row], what: str) -> Iterator[str]:
    """A table for each robot, machine and family; with many schemes, in parts that a page can take."""
    for curves in curves_of(rows):
        one = curves.quickest(curves.counts[0])
        yield wrapped(
            f"{curves.robot} on {curves.machine}, {curves.network}: {what}us, speed-up over {one['baseline']} on one "
            f"({one['baseline_us']:.1f} us), efficiency in %"
        )
        shapes = {count: _shape(curves.quickest(count)) for count in curves.counts}
        first = max(len("cpus"), *map(len, shapes.values())) + 1
        width = max(CELL, *(len(label) + 2 for label in curves.by_scheme))
        for labels in parts(list(curves.by_scheme), (WIDE - first) // width):
            yield f"{'cpus':<{first}}" + "".join(f"{label:>{width}}" for label in labels)
            for count in curves.counts:
                cells = (_cell(curves.by_scheme[label].get(count), curves.quickest(count)) for label in labels)
                yield f"{shapes[count]:<{first}}" + "".join(f"{cell:>{width}}" for cell in cells)
            yield f"{OWN_NETWORK:<{first}}" + "".join(f"{_cell(curves.own.get(each)):>{width}}" for each in labels)
        yield wrapped(_verdict(curves))


def _shape(row: Row) -> str:
    """How many processors, and of a mesh or torus how many rows and columns."""
    size = str(row["shape"]).partition("(")[2].rstrip(")").replace(", ", "x")
    return f"{row['asked']} {size}" if "x" in size else str(row["asked"])


def _cell(row: Row | None, quickest: Row | None = None) -> str:
    if row is None:
        return "-"
    mark = OF_COLUMN if row is quickest else " "
    return f"{row['time_us']:.1f}{mark}{row['speedup']:>5.2f}{100 * row['efficiency']:>4.0f}"


def _verdict(curves: Curves) -> str:
    """Where the least time is, and the fewest processors that come near to it."""
    best = min(map(curves.quickest, curves.counts), key=lambda row: row["ticks"])
    near = next(row for row in map(curves.quickest, curves.counts) if row["ticks"] <= NEARLY * best["ticks"])
    text = f"the quickest: {best['label']} on {_count(best)}, {best['time_us']:.1f} us, {best['speedup']:.2f} times "
    text += f"as fast as {best['baseline']} on one"
    if near is not best:
        text += f"; within {NEARLY - 1:.0%} of it: {near['label']} on {_count(near)}, {near['time_us']:.1f} us"
    return text


def _count(row: Row) -> str:
    """How many processors, and how many of them have programs."""
    some = "" if row["used"] == row["asked"] else f" ({row['used']} of them in use)"
    return f"{row['asked']} processor{'s' if row['asked'] > 1 else ''}{some}"
