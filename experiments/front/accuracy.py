"""`meshsim accuracy` in Python."""

from collections.abc import Sequence
from os import PathLike

from meshsim.experiments.figures.error_growth import draw_growth
from meshsim.experiments.reports.table import TableReport
from meshsim.experiments.store.folders import out_folder
from meshsim.experiments.store.journal import take_over
from meshsim.experiments.store.progress import tell
from meshsim.experiments.store.workers import jobs_of
from meshsim.experiments.studies.error_growth import Growth, as_text, run_growth
from meshsim.experiments.studies.refusals import sentences

SCHEMES = ("one-featherstone", "wong-mesh", "dca", "dca@form=mixed", "scan", "cfa", "hybrid")
SYSTEMS = ("chain:N:1", "straight:N", "coil:N", "dill:N")
SIZES = (4, 8, 16, 32, 64)
PRECISIONS = ("double", "single")
OUT = "out/accuracy"


def accuracy(
    schemes: Sequence[str] = SCHEMES,
    systems: Sequence[str] = SYSTEMS,
    n: Sequence[int] = SIZES,
    precision: Sequence[str] = PRECISIONS,
    out: str | PathLike[str] | None = None,
    jobs: int | None = None,
    force: bool = False,
) -> TableReport:
    """How the error of accelerations grows with joints, against a reference in 60 decimal digits.

    Parameters
    ----------
    schemes : sequence of str
        By name, with options behind an @ if any: ``dca@form=mixed``, several with ``;`` between them.
    systems : sequence of str
        Robots with N in the place of their number of joints: ``coil:N``, ``chain:N:7``.
    n : sequence of int
        Numbers of joints.
    precision : sequence of str
        Number formats.
    out : str or path, optional
        The folder for table and figure. What it holds of the same study is not computed again.
    jobs, force
        Worker processes, by default one a processor; whether to take over a folder that holds other work.

    Returns
    -------
    TableReport
        A row for each scheme, system, number of joints and format.
    """
    growth = Growth(tuple(schemes), tuple(systems), tuple(n), tuple(precision))
    workers, folder = jobs_of(jobs), out_folder(OUT if out is None else out)
    if force:
        take_over(folder, vars(growth))
    found = run_growth(growth, folder, workers)
    tell("drawing")
    files = draw_growth(found.rows, folder)
    tell("")
    lines = [*as_text(found.rows), *sentences(found.refused)]
    return TableReport("accuracy", found.rows, lines, folder / "accuracy.csv", files, found.refused)
