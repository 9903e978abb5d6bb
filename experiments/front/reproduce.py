"""`meshsim reproduce` in Python."""

from os import PathLike

from meshsim.experiments.reports import scorecard
from meshsim.experiments.reports.reproduction import ReproduceReport
from meshsim.experiments.store.folders import claimed, out_folder


def reproduce(*exhibits: str, out: str | PathLike[str] = "out/reproduce", force: bool = False) -> ReproduceReport:
    """Recompute published tables and figures, and judge every claim.

    Parameters
    ----------
    *exhibits : str
        Which (`listing("exhibits")`); by default all.
    out : str or path
        The folder for the page, its figures and the table of all numbers.
    force : bool
        Write over a folder that holds other work.
    """
    folder = out_folder(out)
    chosen = [exhibit.id for exhibit in scorecard.chosen_exhibits(exhibits)]
    with claimed(folder, {"reproduce": chosen}, force):
        try:
            return ReproduceReport(scorecard.reproduce(exhibits, folder), folder)
        except KeyboardInterrupt:
            raise KeyboardInterrupt(f"figures drawn so far are in {folder}; the same command begins anew") from None
