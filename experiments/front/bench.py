"""`meshsim bench` in Python."""

import gc
import time
from os import PathLike
from pathlib import Path

from meshsim.errors import MeshSimError
from meshsim.experiments.front.run import run
from meshsim.experiments.pages.page import as_html
from meshsim.experiments.reports.bench import BenchReport
from meshsim.experiments.store.files import check_ending, check_writable, whole_file
from meshsim.experiments.store.progress import tell
from meshsim.experiments.studies.bench import BENCHES, CORE, REPEATS, run_benches
from meshsim.experiments.studies.core import figures, machine_text, measure, pinocchio
from meshsim.garbage import collector_at_rest


def page(sizes: tuple[int, ...] = (4, 32)) -> dict[str, float]:
    """Seconds of a step on the triangular mesh, of making its page, and the page's bytes."""
    figures: dict[str, float] = {}
    for n in sizes:
        best = {"run": float("inf"), "page": float("inf")}
        for turn in range(1, REPEATS + 1):
            tell(f"page {n}: turn {turn}")
            gc.collect()
            start = time.process_time()
            result = run(f"chain:{n}:1", "wong-mesh", "t800")
            ran = time.process_time()
            with collector_at_rest():
                html = as_html(result.page())
            for name, seconds in (("run", ran - start), ("page", time.process_time() - ran)):
                best[name] = min(best[name], seconds)
        figures |= {f"page.{n}.{name}_s": seconds for name, seconds in best.items()}
        figures |= {f"page.{n}.ratio": best["page"] / best["run"], f"page.{n}.bytes": len(html.encode())}
    tell("")
    return figures


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
