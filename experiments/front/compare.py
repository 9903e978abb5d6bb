"""`meshsim compare` in Python."""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path

from meshsim.algorithms.robots.catalogue import load_robot
from meshsim.algorithms.schemes.base.scheme import Scheme
from meshsim.algorithms.schemes.catalogue import PARALLEL, SCHEMES
from meshsim.algorithms.types.splitmix import check_spec
from meshsim.errors import MeshSimError
from meshsim.experiments.figures.compare import draw_comparison
from meshsim.experiments.figures.layouts import draw_robots
from meshsim.experiments.front.resolve import MachineLike, SchemeLike, machines_of
from meshsim.experiments.reports.table import TableReport
from meshsim.experiments.store.folders import out_folder
from meshsim.experiments.store.journal import take_over
from meshsim.experiments.store.progress import tell
from meshsim.experiments.store.workers import jobs_of
from meshsim.experiments.studies import layouts
from meshsim.experiments.studies.compare import Comparison, run_comparison
from meshsim.experiments.studies.crossover import chosen, crossovers, in_any_order, ratios

MACHINES = ("ideal", "t800-overlap", "t800")


def compare(
    schemes: Sequence[SchemeLike] | None = None,
    machine: MachineLike | Sequence[MachineLike] = MACHINES,
    n: Sequence[int] | None = None,
    solver: str | None = None,
    seed: int = 1,
    stream: int = 0,
    robots: Sequence[str] | None = None,
    goal: float | None = None,
    duration: float = 1.0,
    tries: str = "best",
    orders: bool = False,
    out: str | PathLike[str] | None = None,
    jobs: int | None = None,
    force: bool = False,
) -> TableReport:
    """Run schemes side by side, over a range of joints or for robots by name, on several machines.

    Parameters
    ----------
    schemes : sequence of str or Scheme, optional
        By default every parallel scheme for chains and ``one-wong``; for robots by name, all that take the robot.
    machine : str, path or Machine, or a sequence of them
        What to run on.
    n : sequence of int, optional
        Joints of random chains; by default 2 to 24.
    solver, seed
        By default each scheme's own; of the random chains.
    stream : int
        If not 0, so many evaluations that follow one another are timed as well.
    robots : sequence of str, optional
        Robots by name or file, with loops or without, in place of random chains.
    goal, duration
        For robots with loops: also find how many evaluations it takes until joints are off by no more (rad or m) after
        so many seconds of motion.
    tries : str
        Which options of each scheme: ``best``, the quickest choice of those worth trying, at every point; ``default``;
        or ``all``, a row for each choice.
    orders : bool
        Also look for the best order of the same work, and find what no order can beat.
    out : str or path, optional
        The folder for table and figures. What it holds of the same comparison is not computed again.
    jobs, force
        Worker processes, by default one a processor; whether to take over a folder that holds other work.
    """
    workers = jobs_of(jobs)
    machines = machines_of(machine)
    if robots:
        if n is not None:
            raise MeshSimError("sizes and robots must not both be given: sizes are those of random chains")
        names = tuple(map(_name, schemes or ()))
        comparison = Comparison(names, machines, (), solver, seed, stream, tuple(robots), goal, duration, tries, orders)
        return _robots(comparison, out_folder("out/compare-robots" if out is None else out), workers, force)
    if goal is not None:
        raise MeshSimError("a goal must be given with robots by name, not with random chains")
    names = tuple(map(_name, schemes or (*PARALLEL, "one-wong")))
    comparison = Comparison(names, machines, tuple(n or range(2, 25)), solver, seed, stream, tries=tries, orders=orders)
    check_spec("chain", max(comparison.sizes), comparison.seed)
    return _chains(comparison, out_folder("out/compare" if out is None else out), workers, force)


def _chains(comparison: Comparison, folder: Path, jobs: int, force: bool) -> TableReport:
    if force:
        take_over(folder, comparison.identity)
    compared = run_comparison(comparison, folder, jobs, lambda rows, part: draw_comparison(rows, part, folder))
    rows = compared.rows
    lines = [*crossovers(rows, comparison.solver), *chosen(rows), *in_any_order(rows), *compared.refused]
    if comparison.tries == "default":  # which published counts are of
        lines += ratios(rows)
    return TableReport("compare", rows, lines, folder / "compare.csv", draw_comparison(rows, comparison, folder))


def _robots(comparison: Comparison, folder: Path, jobs: int, force: bool) -> TableReport:
    for robot in comparison.robots:
        load_robot(robot)  # which refuses one that is not there, before anything is written
    if force:
        take_over(folder, comparison.identity)
    compared = run_comparison(comparison, folder, jobs, lambda *_: None)
    rows = compared.rows
    tell("drawing")
    lines = [
        layouts.as_text(rows, comparison),
        *chosen(rows),
        *in_any_order(rows),
        *compared.refused,
        *layouts.link_costs(comparison),
    ]
    files = draw_robots(rows, comparison, folder)
    tell("")
    return TableReport("compare", rows, lines, folder / "compare.csv", files)


def _name(scheme: SchemeLike) -> str:
    """What worker processes know a scheme by."""
    if not isinstance(scheme, Scheme):
        return scheme
    if SCHEMES.get(scheme.name) is not scheme:
        SCHEMES.add(scheme)
    return scheme.name
