"""Number formats in print: how many digits schemes compute in each."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from meshsim.experiments.store.journal import Row
from meshsim.formats import Format
from meshsim.outcome import Run

PRECISION = ("precision", "digits_M", "digits_h", "digits_qdd")
"""Further columns of a comparison of number formats."""


def digit_line(form: Format, digits: Mapping[str, float], run: Run[Any]) -> str:
    """What was computed in, and how many decimal digits are those of the reference."""
    right = ", ".join(f"{name} {count:.1f}" for name, count in digits.items())
    width = form.width(run.machine)
    sent = f", numbers of {width.number} bits in words of {width.word}" if run.messages else ""
    return f"computed in {form.name}{sent}; decimal digits as a dense solver's in double: {right}"


def tables(rows: Sequence[Row]) -> Iterator[tuple[str, str, list[str], list[str], Mapping[tuple[str, str], float]]]:
    """For each machine and format: its name, its robots, its schemes, and the digits of qdd by both."""
    subjects, labels = (list(dict.fromkeys(row[name] for row in rows)) for name in ("robot", "label"))
    for machine, form in dict.fromkeys((row["machine"], row["precision"]) for row in rows):
        here = [row for row in rows if (row["machine"], row["precision"]) == (machine, form)]
        yield machine, form, subjects, labels, {(row["robot"], row["label"]): row["digits_qdd"] for row in here}


def as_text(rows: Sequence[Row]) -> list[str]:
    """A table for each machine and format; a dash is what the format was too narrow for."""
    lines = []
    for machine, form, subjects, labels, cells in tables(rows):
        wide = max(10, *(len(each) + 2 for each in subjects))
        lines += ["", f"digits of qdd in {form}, on {machine}"]
        lines.append("".join([" " * wide, *(f"{each:>{max(9, len(each) + 2)}}" for each in labels)]))
        for subject in subjects:
            found = [(each, cells.get((subject, each))) for each in labels]
            shown = [f"{'-' if count is None else f'{count:.1f}':>{max(9, len(each) + 2)}}" for each, count in found]
            lines.append("".join([f"{subject:<{wide}}", *shown]))
    return lines[1:]
