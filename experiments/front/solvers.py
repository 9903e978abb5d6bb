"""`meshsim solvers` in Python."""

from meshsim.algorithms.types.splitmix import check_spec
from meshsim.experiments.reports.solvers import SolversReport
from meshsim.experiments.studies.solvers import study


def solvers(n: int = 8, seed: int = 1) -> SolversReport:
    """Compare the parallel solvers on symmetric positive definite systems of growing condition number.

    Parameters
    ----------
    n : int
        Unknowns.
    seed : int
        Of the random systems.

    Returns
    -------
    SolversReport
        A row for each solver and system; `save_figure` draws them.
    """
    check_spec("system", n, seed)
    return SolversReport(study(n, seed))
