"""`meshsim reproduce` in Python."""

from os import PathLike

from meshsim.experiments.reports import recomputing
from meshsim.experiments.reports.reproduction import ReproduceReport
from meshsim.experiments.store.folders import out_folder
from meshsim.experiments.store.workers import jobs_of


def reproduce(
    *exhibits: str, out: str | PathLike[str] = "out/reproduce", jobs: int | None = None, force: bool = False
) -> ReproduceReport:
    """Recompute published tables and figures, and judge every claim, cell by cell.

    An exhibit that is finished is kept in the folder: the same call goes on after an interrupt, and recomputes nothing
    unless the code changed, which a folder with results of other code says.

    Parameters
    ----------
    *exhibits : str
        Which (`listing("exhibits")`); by default all.
    out : str or path
        The folder for the page, its figures and the table of all numbers.
    jobs : int, optional
        How many processes; by default as many as there are processors. Results do not depend on it.
    force : bool
        Write over a folder that holds other work, or results of another version, and recompute all.

    Returns
    -------
    ReproduceReport
        Every claim with its judgement, and where the page is.
    """
    folder = out_folder(out)
    return ReproduceReport(recomputing.reproduce(exhibits, folder, jobs_of(jobs), force), folder)
