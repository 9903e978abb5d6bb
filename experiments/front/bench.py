"""`meshsim bench` in Python."""

import gc
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TypeVar

from meshsim.errors import MeshSimError, MeshSimWarning
from meshsim.experiments.front.run import run
from meshsim.experiments.pages.page import as_html
from meshsim.experiments.reports.bench import BenchReport, check_page, read_figures, write_page
from meshsim.experiments.reports.result import Result
from meshsim.experiments.store.files import check_ending, check_writable, whole_file
from meshsim.experiments.store.progress import tell
from meshsim.experiments.studies.bench.catalogue import BENCHES, CORES
from meshsim.experiments.studies.bench.measuring import Bench, Figure, Repeated, Repeats, about, measure
from meshsim.experiments.studies.core import machine_text, measured_of, pinocchio
from meshsim.garbage import collector_at_rest

T = TypeVar("T")


def page(n: int) -> Repeats:
    """Of a chain of so many joints."""
    step = partial(run, f"chain:{n}:1", "wong-mesh", "t800")
    while True:
        _, ran = _timed(partial(step, values=False))
        result, kept = _timed(step)
        html, made = _timed(partial(_html, result))
        seconds = {"run": ran, "kept": kept, "page": made}
        yield {
            **{f"page.{n}.{name}_s": each for name, each in seconds.items()},
            f"page.{n}.ratio": made / ran,
            f"page.{n}.kept_ratio": kept / ran,
            f"page.{n}.bytes": len(html.encode()),
        }


def _html(result: Result) -> str:
    return as_html(result.page())


def _timed(function: Callable[[], T]) -> tuple[T, float]:
    """What a function gives, and the seconds that it takes."""
    gc.collect()
    with collector_at_rest():
        start = time.process_time()
        found = function()
        return found, time.process_time() - start


PAGE = Bench(
    "A traced step on the triangular mesh, one that keeps values too (`kept`), and making its page for a browser; "
    "`ratio` and `kept_ratio` are over the traced step.",
    {f"page {n}": partial(page, n) for n in (4, 32)},
)


def known() -> Mapping[str, Bench]:
    """All that can be measured, by name."""
    return {**BENCHES, "page": PAGE, **CORES}


def bench(
    name: str | None = None,
    save: str | PathLike[str] | None = None,
    figures: str | PathLike[str] | None = None,
    compare: str | PathLike[str] | None = None,
    page: str | PathLike[str] | None = None,
) -> BenchReport:
    """Measure how quick the simulator is, or how quick this computer is.

    Parameters
    ----------
    name : str, optional
        One bench; all of the simulator's if not told. ``core``: articulated bodies by Pinocchio on one core of this
        computer, and what an operation costs.
    save : path, optional
        With ``core``: a TOML file to write, of a machine whose operations cost what was measured.
    figures : path, optional
        What ``meshsim bench --json`` printed: taken in place of measuring.
    compare : path, optional
        The same of an earlier time, to compare with.
    page : path, optional
        A Markdown file to write the figures into.

    Returns
    -------
    BenchReport
        What was measured, by name: medians, with their spreads. Interrupted, it has what was measured before.
    """
    benches = known()
    written, given, earlier, target = (None if each is None else Path(each) for each in (save, figures, compare, page))
    if name is not None and name not in benches:
        raise MeshSimError(f"unknown bench {name!r}; known: {', '.join(benches)}")
    if written is not None and name not in CORES:
        raise MeshSimError(f"save must go with bench core, which measures a machine, not with {name or 'all benches'}")
    if given is not None and (name is not None or written is not None):
        raise MeshSimError("figures from a file must go without a bench's name and without a machine to save")
    if target is not None and name is not None:
        raise MeshSimError(f"a page must be written with all benches, since its tables are replaced, not with {name}")
    if name in CORES:
        pinocchio()
    if written is not None:
        check_ending("machine file", written, (".toml",))
        check_writable(written)
    if target is not None:
        check_page(target)
    old = None if earlier is None else read_figures(earlier)
    chosen = {name: benches[name]} if name else {each: benches[each] for each in benches if each not in CORES}
    report = replace(_measured(chosen) if given is None else read_figures(given), old=old)
    if written is not None and not report.missing:
        with whole_file(written) as temporary:
            temporary.write_text(machine_text(measured_of(report.figures), written.stem), encoding="utf-8")
    if target is not None and not report.missing:
        write_page(target, report, {each: bench.says for each, bench in benches.items()})
    return report


def _measured(benches: Mapping[str, Bench]) -> BenchReport:
    """Measure one after the other; an interrupt leaves those that were finished."""
    measurements = {label: each for bench in benches.values() for label, each in bench.measurements.items()}
    figures: dict[str, Figure] = {}
    others: dict[str, float] = {}
    waiting = list(measurements)
    try:
        while waiting:
            label = waiting[0]
            try:
                found = measure(label, measurements[label])
            except MeshSimError as error:
                if len(measurements) == 1:
                    raise
                _note(f"{label} is left out: {error}")
                found = Repeated({}, None)
            figures |= found.figures
            if found.others is not None:
                others[label] = found.others
            if found.doubtful:
                _note(f"figures of {label} are doubtful: meanwhile others kept {found.others:.2f} processors busy")
            del waiting[0]
    except KeyboardInterrupt:
        tell("")
        if not figures:
            raise
    return BenchReport(figures, about(), others, tuple(waiting))


def _note(text: str) -> None:
    warnings.warn(text, MeshSimWarning, stacklevel=4)
