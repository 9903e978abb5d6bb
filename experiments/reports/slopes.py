"""What each cost of a machine does to the finish of a run, in plain words."""

from collections.abc import Mapping
from typing import Any

from meshsim.experiments.reports.terminal import columns, wrapped
from meshsim.experiments.studies.parameters import PARAMETER_NAMES
from meshsim.outcome import Run
from meshsim.sensitivity import Slope, parameter_of, path_counts

HEADS = ("cost", "now", "one more", "one less", "while it is")


def slope_lines(run: Run[Any], slopes: Mapping[str, Slope], inexact: str = "") -> list[str]:
    """What the critical path pays, and a table of what a tick more and a tick less of each cost do.

    `inexact` is why that is not known.
    """
    lines = wrapped(_paid(run))
    if inexact:
        lines += wrapped([f"sensitivities are not computed: {inexact}"])
    if not slopes:
        return lines
    rows = [_row(name, parameter_of(run.machine, name), slope) for name, slope in slopes.items()]
    about = f"what a tick more or a tick less of each cost does to the finish, in ticks of {run.machine.tick_ns:g} ns:"
    return [*lines, *wrapped([about]), *columns([HEADS, *rows])]


def _paid(run: Run[Any]) -> list[str]:
    """What the critical path pays; kernels with a price of their own stand apart."""
    costs, kernels = [], []
    for name, count in path_counts(run.critical_path, run.machine).items():
        if count and name in PARAMETER_NAMES:
            costs.append(f"{PARAMETER_NAMES[name]} {count}")
        elif count:
            kernels.append(f"{name.removeprefix('kernels.')} {count}")
    lines = [f"how often the critical path pays each cost: {', '.join(costs)}"] if costs else []
    return [*lines, *([f"kernels with a price of their own on it: {', '.join(kernels)}"] if kernels else [])]


def _row(name: str, now: int, slope: Slope) -> tuple[str, ...]:
    less = "" if slope.down is None else _signed(-slope.down)
    held = f"{slope.low} or more" if slope.high is None else f"{slope.low} to {slope.high}"
    return PARAMETER_NAMES[name], str(now), _signed(slope.up), less, held


def _signed(ticks: int) -> str:
    return f"{ticks:+d}" if ticks else "0"
