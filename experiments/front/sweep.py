"""`meshsim sweep` in Python."""

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from meshsim.errors import MeshSimError
from meshsim.experiments.figures.sweep_maps import draw_maps, drawn_of
from meshsim.experiments.front.resolve import Dead, NetworkLike, PlacementLike
from meshsim.experiments.reports.table import SweepReport
from meshsim.experiments.store.folders import out_folder
from meshsim.experiments.store.progress import tell
from meshsim.experiments.store.workers import jobs_of
from meshsim.experiments.studies.refusals import sentences
from meshsim.experiments.studies.sweep import cluster as reached
from meshsim.experiments.studies.sweep import run_sweep
from meshsim.experiments.studies.sweep_spec import read_sweep, sweep_of


def sweep(
    spec: str | PathLike[str] | Mapping[str, Any],
    out: str | PathLike[str] | None = None,
    jobs: int | None = None,
    cluster: str | None = None,
    force: bool = False,
    network: NetworkLike | None = None,
    processors: int | None = None,
    placement: PlacementLike | None = None,
    dead: Dead = (),
) -> SweepReport:
    """Time schemes on a whole table of machines, and map who wins where.

    Parameters
    ----------
    spec : str or path or mapping
        What to sweep: a TOML file (docs/sweeps.md), or what such a file would say.
    out : str or path, optional
        The folder for the table and the maps; by default ``out/`` and the file's name. What it holds of the same sweep
        is not computed again.
    jobs : int, optional
        Worker processes; by default one a processor.
    cluster : str, optional
        The address of a running Dask scheduler, in place of local processes.
    force : bool
        Take over a folder that holds other work.
    network, processors, placement, dead
        Where plans run, if not on their own networks, as `run` takes them: in place of what the file tells of that.

    Returns
    -------
    SweepReport
        A row for each point and machine, what the maps show, and the files.
    """
    given = {"network": network, "processors": processors, "placement": placement, "dead": dead or None}
    told = {key: value for key, value in given.items() if value is not None}
    workers = jobs_of(jobs)
    if isinstance(spec, Mapping):
        task, name = sweep_of(spec, Path(), told), "sweep"
    else:
        task, name = read_sweep(spec, told), Path(spec).stem
    folder = out_folder(Path("out") / name if out is None else out)
    if cluster:
        with reached(cluster) as executor:
            swept = run_sweep(task, folder, executor=executor, force=force)
    else:
        swept = run_sweep(task, folder, workers, force=force)
    if swept.failures:
        raise MeshSimError(f"{len(swept.failures)} tasks failed, the rest is written: {'; '.join(swept.failures)}")
    tell("drawing the maps")
    maps = draw_maps(swept.rows.columns(drawn_of(task)), task, folder)
    tell("")
    return SweepReport("sweep", swept.rows, sentences(swept.refused), folder / "sweep.csv", maps, swept.refused)
