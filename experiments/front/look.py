"""Looking at a run of programs of one's own, in Python."""

from typing import Any

from meshsim.errors import MeshSimError
from meshsim.experiments.reports.look import LookReport
from meshsim.outcome import Run


def look(run: Run[Any], name: str = "run") -> LookReport:
    """See what a run of your own `Plan` did: the same pictures, traces and page that other results have.

    Parameters
    ----------
    run : Run
        What `Plan.run` gave. With ``plan.run(machine, values=True)`` the page shows what is computed and sent as well.
    name : str
        What it is called in print.

    Returns
    -------
    LookReport
        With ``report(path)``, ``show()``, ``animate(path)``, ``save_trace(path)`` and ``plot_gantt()``.
    """
    if not isinstance(run, Run):
        raise MeshSimError(f"run must be what Plan.run gives, not a {type(run).__name__}")
    if not run.traced:
        raise MeshSimError("run must be traced to be looked at: plan.run(machine, trace=True)")
    return LookReport(name, run)
