"""Traces as tables: the fields of `Row`, with names of processors and programs as they are printed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from meshsim.experiments.store.files import whole_file, write_csv
from meshsim.outcome import Run
from meshsim.trace import NONE, Column, Row, label

Runs = Sequence[tuple[str, Run[Any]]]
NODES = ("processor", "peer", "program")
"""Columns that hold nodes."""


def write_comma_separated(runs: Runs, path: str | Path) -> None:
    """Write runs as one CSV table; several have a first column that names them."""
    if len(runs) == 1:
        write_csv(path, Row._fields, _rows(runs[0][1]))
    else:
        write_csv(path, ("run", *Row._fields), ((title, *row) for title, run in runs for row in _rows(run)))


def write_parquet(runs: Runs, path: str | Path) -> None:
    """Write the same table as Parquet: whole numbers, or texts by dictionary, and null where there is nothing."""
    import pyarrow
    import pyarrow.parquet

    tables = []
    for title, run in runs:
        columns = dict(_columns(run))
        if len(runs) > 1:
            columns = {"run": Column(np.zeros_like(columns["start"].numbers), [title]), **columns}
        tables.append(pyarrow.table({name: _array(pyarrow, column) for name, column in columns.items()}))
    with whole_file(path) as temporary, pyarrow.parquet.ParquetWriter(temporary, tables[0].schema) as writer:
        for table in tables:
            writer.write_table(table)


def _columns(run: Run[Any]) -> Mapping[str, Column]:
    """A trace by column, with nodes as they are printed."""
    found = dict(run.trace.table())
    for name in NODES:
        found[name] = replace(found[name], values=[label(node) for node in found[name].values or ()])
    return found


def _rows(run: Run[Any]) -> Iterator[tuple[Any, ...]]:
    return zip(*(column.filled() for column in _columns(run).values()), strict=True)


def _array(pyarrow: Any, column: Column) -> Any:
    """A column for Arrow, whose dictionaries have each text once."""
    nothing = column.numbers == NONE
    if column.values is None:
        return pyarrow.array(column.numbers, pyarrow.int64(), mask=nothing)
    places = {text: place for place, text in enumerate(dict.fromkeys(column.values))}
    where = np.array([*(places[text] for text in column.values), NONE], dtype=np.int32)
    codes = pyarrow.array(where[column.numbers], pyarrow.int32(), mask=nothing)
    return pyarrow.DictionaryArray.from_arrays(codes, pyarrow.array(list(places), pyarrow.string()))
