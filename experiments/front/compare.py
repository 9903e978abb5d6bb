"""`meshsim compare` in Python."""

from collections.abc import Sequence
from os import PathLike

from meshsim.algorithms.robots.closed_catalogue import CLOSED_ROBOTS, load_closed
from meshsim.algorithms.schemes.base.scheme import Scheme
from meshsim.algorithms.schemes.catalogue import PARALLEL, SCHEMES
from meshsim.algorithms.types.splitmix import check_spec
from meshsim.errors import MeshSimError
from meshsim.experiments.figures.compare import draw_comparison
from meshsim.experiments.figures.compare_loops import draw_closed_comparison
from meshsim.experiments.front.resolve import MachineLike, SchemeLike, machines_of
from meshsim.experiments.reports.table import TableReport
from meshsim.experiments.store.folders import out_folder
from meshsim.experiments.store.journal import take_over
from meshsim.experiments.store.progress import tell
from meshsim.experiments.store.workers import jobs_of
from meshsim.experiments.studies import compare_loops
from meshsim.experiments.studies.compare import Comparison, run_comparison
from meshsim.experiments.studies.crossover import crossovers, ratios

MACHINES = ("ideal", "t800-overlap", "t800")


def compare(
    schemes: Sequence[SchemeLike] | None = None,
    machine: MachineLike | Sequence[MachineLike] = MACHINES,
    n: Sequence[int] | None = None,
    solver: str | None = None,
    seed: int = 1,
    stream: int = 0,
    closed: bool = False,
    robots: Sequence[str] | None = None,
    goal: float | None = None,
    duration: float | None = None,
    out: str | PathLike[str] | None = None,
    jobs: int | None = None,
    force: bool = False,
) -> TableReport:
    """Run every scheme side by side over a range of joints and machines.

    Parameters
    ----------
    schemes : sequence of str or Scheme, optional
        By default every parallel scheme for chains, and ``one-wong``.
    machine : str, path or Machine, or a sequence of them
        What to run on.
    n : sequence of int, optional
        Joints of the random chains; by default 2 to 24.
    solver : str, optional
        By default each scheme's own.
    seed : int
        Of the random chains.
    stream : int
        If not 0, so many evaluations that follow one another are timed as well.
    closed : bool
        Compare the methods for mechanisms with loops instead.
    robots, goal, duration
        With `closed`: which, how far joints may be off (rad or m), and seconds of motion.
    out : str or path, optional
        The folder for table and figures. What it holds of the same comparison is not computed again.
    jobs : int, optional
        Worker processes; by default one a processor.
    force : bool
        Take over a folder that holds other work.
    """
    workers = jobs_of(jobs)
    machines = machines_of(machine)
    others = {"robots": robots, "goal": goal, "duration": duration}
    for name, value in ({"schemes": schemes, "n": n, "solver": solver} if closed else others).items():
        if value is not None:
            raise MeshSimError(f"--{name} must {'not ' if closed else ''}be given with --closed")
    if closed:
        chosen = tuple(robots or (name for name in CLOSED_ROBOTS if ":" not in name))
        limits = 1e-3 if goal is None else goal, 1.0 if duration is None else duration
        found = compare_loops.ClosedComparison(chosen, machines, *limits)
        return _closed(found, "out/compare-closed" if out is None else out, workers, force)
    names = tuple(map(_name, schemes or (*PARALLEL, "one-wong")))
    comparison = Comparison(names, machines, tuple(n or range(2, 25)), solver, seed, stream)
    check_spec("chain", max(comparison.sizes), comparison.seed)
    folder = out_folder("out/compare" if out is None else out)
    if force:
        take_over(folder, comparison.identity)
    rows = run_comparison(comparison, folder, workers)
    lines = [*crossovers(rows, comparison.solver), *ratios(rows)]
    return TableReport("compare", rows, lines, folder / "compare.csv", draw_comparison(rows, comparison, folder))


def _closed(
    comparison: compare_loops.ClosedComparison, out: str | PathLike[str], jobs: int, force: bool
) -> TableReport:
    for robot in comparison.robots:
        load_closed(robot)
    folder = out_folder(out)
    if force:
        take_over(folder, comparison.identity)
    rows, refused = compare_loops.run_closed_comparison(comparison, folder, jobs)
    lines = [compare_loops.as_text(rows, comparison), *refused, *compare_loops.link_costs(comparison)]
    tell("drawing")
    files = draw_closed_comparison(rows, comparison, folder)
    tell("")
    return TableReport("compare", rows, lines, folder / "closed.csv", files)


def _name(scheme: SchemeLike) -> str:
    """What worker processes know a scheme by."""
    if not isinstance(scheme, Scheme):
        return scheme
    if SCHEMES.get(scheme.name) is not scheme:
        SCHEMES.add(scheme)
    return scheme.name
