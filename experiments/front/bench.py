"""`meshsim bench` in Python."""

from os import PathLike
from pathlib import Path

from meshsim.errors import MeshSimError
from meshsim.experiments.reports.bench import BenchReport
from meshsim.experiments.store.files import check_ending, check_writable, whole_file
from meshsim.experiments.studies.bench import CORE, run_benches
from meshsim.experiments.studies.core import figures, machine_text, measure, pinocchio


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
        return BenchReport(run_benches(name))
    pinocchio()
    if path is not None:
        check_ending("machine file", path, (".toml",))
        check_writable(path)
    measured = measure()
    if path is not None:
        with whole_file(path) as temporary:
            temporary.write_text(machine_text(measured, Path(path).stem), encoding="utf-8")
    return BenchReport(figures(measured))
