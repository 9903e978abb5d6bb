"""`meshsim bench` in Python."""

import gc
import time
from collections.abc import Callable
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TypeVar

from meshsim.errors import MeshSimError
from meshsim.experiments.front.run import run
from meshsim.experiments.pages.page import as_html
from meshsim.experiments.reports.bench import BenchReport
from meshsim.experiments.reports.result import Result
from meshsim.experiments.store.files import check_ending, check_writable, whole_file
from meshsim.experiments.store.progress import tell
from meshsim.experiments.studies.bench import BENCHES, CORE, REPEATS, run_benches
from meshsim.experiments.studies.core import figures, machine_text, measure, pinocchio
from meshsim.garbage import collector_at_rest

T = TypeVar("T")


def page(sizes: tuple[int, ...] = (4, 32)) -> dict[str, float]:
    """Seconds of a traced step on the triangular mesh, of one that keeps values too, and of making its page."""
    figures: dict[str, float] = {}
    for n in sizes:
        step = partial(run, f"chain:{n}:1", "wong-mesh", "t800")
        best = dict.fromkeys(("run", "kept", "page"), float("inf"))
        html = ""
        for turn in range(1, REPEATS + 1):
            tell(f"page {n}: turn {turn}")
            _, ran = _timed(partial(step, values=False))
            result, kept = _timed(step)
            html, made = _timed(partial(_html, result))
            best = {name: min(best[name], each) for name, each in zip(best, (ran, kept, made), strict=True)}
        figures |= {f"page.{n}.{name}_s": seconds for name, seconds in best.items()}
        figures |= {f"page.{n}.ratio": best["page"] / best["run"], f"page.{n}.kept_ratio": best["kept"] / best["run"]}
        figures[f"page.{n}.bytes"] = len(html.encode())
    tell("")
    return figures


def _html(result: Result) -> str:
    return as_html(result.page())


def _timed(function: Callable[[], T]) -> tuple[T, float]:
    """What a function gives, and the seconds that it takes."""
    gc.collect()
    with collector_at_rest():
        start = time.process_time()
        found = function()
        return found, time.process_time() - start


def bench(name: str | None = None, save: str | PathLike[str] | None = None) -> BenchReport:
    """Measure how quick the simulator is, or how quick this computer is.

    Parameters
    ----------
    name : str, optional
        One bench of the simulator; all of them if not told. ``core``: articulated bodies by Pinocchio on one core of
        this computer, and what an operation costs.
    save : path, optional
        With ``core``: a TOML file to write, of a machine whose operations cost what was measured.

    Returns
    -------
    BenchReport
        What was measured, by name.
    """
    path = None if save is None else str(save)
    if name != CORE:
        if path is not None:
            raise MeshSimError(
                f"save must go with bench core, which measures a machine, not with {name or 'all benches'}"
            )
        return BenchReport(run_benches(name, {**BENCHES, "page": page}))
    pinocchio()
    if path is not None:
        check_ending("machine file", path, (".toml",))
        check_writable(path)
    measured = measure()
    if path is not None:
        with whole_file(path) as temporary:
            temporary.write_text(machine_text(measured, Path(path).stem), encoding="utf-8")
    return BenchReport(figures(measured))
