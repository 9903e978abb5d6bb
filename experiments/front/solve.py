"""`meshsim solve` in Python."""

from meshsim.algorithms.solvers.catalogue import dense_solution
from meshsim.algorithms.types.arrays import check_finite
from meshsim.experiments.front.resolve import (
    Dead,
    FormatLike,
    MachineLike,
    NetworkLike,
    PlacementLike,
    SolverLike,
    SystemLike,
    format_of,
    machine_of,
    solver_of,
    system_of,
    where_of,
)
from meshsim.experiments.reports.solution import SolveReport


def solve(
    system: SystemLike,
    solver: SolverLike,
    machine: MachineLike,
    trace: bool = True,
    network: NetworkLike | None = None,
    processors: int | None = None,
    placement: PlacementLike | None = None,
    dead: Dead = (),
    precision: FormatLike | None = None,
    values: bool | None = None,
) -> SolveReport:
    """Solve A x = b with a parallel solver on a machine.

    Parameters
    ----------
    system : str or path or pair of arrays
        A and b, a JSON file with both, ``random:N:SEED`` or ``symmetric:N:SEED``.
    solver : str or Solver
        A name (`listing("solvers")`), ``file.py:NAME``, or a solver.
    machine : str or path or Machine
        A name, a TOML file, ``file.py:NAME``, or a machine.
    trace : bool
        Keep every span and message.
    network, processors, placement, dead
        Where it runs, if not on the solver's own network; as `run` takes them.
    precision : str or Format, optional
        What the processors compute in, as `run` takes it.
    values : bool, optional
        Keep also what was computed and sent, to be looked at; by default if it is traced.

    Returns
    -------
    SolveReport
        The solution (`value`), times and costs.
    """
    chosen = solver_of(solver)
    where = where_of(network, processors, placement, dead)
    target = machine_of(machine)
    A, b = system_of(system)
    form = format_of(precision)
    plan = where.placed(chosen.plan(A, b).in_format(form), target)
    reference = dense_solution(A, b)
    done = plan.run(target, trace, trace if values is None else values)
    check_finite(f"computed by {chosen.name}", x=done.value)
    return SolveReport(chosen.name, len(b), done, reference, where.location(plan), form, chosen.summary)
