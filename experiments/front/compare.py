"""`meshsim compare` in Python."""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from meshsim.algorithms.robots.catalogue import load_robot
from meshsim.algorithms.schemes.base.scheme import Scheme
from meshsim.algorithms.schemes.catalogue import PARALLEL, SCHEMES
from meshsim.algorithms.types.splitmix import check_spec
from meshsim.errors import MeshSimError
from meshsim.experiments.figures.compare import draw_comparison
from meshsim.experiments.figures.energy import draw_energy
from meshsim.experiments.figures.layouts import draw_robots
from meshsim.experiments.figures.matrix import draw_matrices
from meshsim.experiments.figures.precision import draw_precision
from meshsim.experiments.figures.scaling import draw_scaling
from meshsim.experiments.front.resolve import Dead, MachineLike, NetworkLike, PlacementLike, SchemeLike, machines_of
from meshsim.experiments.reports.table import TableReport
from meshsim.experiments.store.folders import out_folder
from meshsim.experiments.store.journal import take_over
from meshsim.experiments.store.progress import tell
from meshsim.experiments.store.workers import jobs_of
from meshsim.experiments.studies import layouts, matrix, scaling
from meshsim.experiments.studies.beyond import crossings
from meshsim.experiments.studies.compare import Compared, Comparison, run_comparison
from meshsim.experiments.studies.crossover import chosen, crossovers, in_any_order, ratios
from meshsim.experiments.studies.elsewhere import wheres_of
from meshsim.experiments.studies.precision import as_text as precision_tables
from meshsim.experiments.studies.refusals import sentences

MACHINES = ("ideal", "t800-overlap", "t800")
SIZES = tuple(range(2, 25))
"""Joints of the chains that are compared unless told."""
SIZE = (6,)
"""The same on networks: there are many of them already."""


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
    networks: NetworkLike | Sequence[NetworkLike] = (),
    processors: int | Sequence[int] = (),
    placement: PlacementLike | None = None,
    dead: Dead = (),
    precision: str | Sequence[str] = (),
    out: str | PathLike[str] | None = None,
    jobs: int | None = None,
    force: bool = False,
) -> TableReport:
    """Run schemes side by side, over a range of joints or for robots by name, on several machines.

    Parameters
    ----------
    schemes : sequence of str or Scheme, optional
        By default every parallel scheme for chains and ``one-wong``; for robots by name, all that take the robot.
        With networks or processors, those of them that are for several processors.
    machine : str, path or Machine, or a sequence of them
        What to run on.
    n : sequence of int, optional
        Joints of random chains; by default 2 to 24, and 6 where networks or processors are given.
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
    networks : str, path, Network or networkx.Graph, or a sequence of them
        Where every scheme is placed, besides its own network: a matrix of schemes against networks. As texts, what
        `--networks` takes: ``square-mesh:4x4``, ``ring:8``, a file.
    processors : int or sequence of int
        How many processors of each network may be used, or how many a network has that is named without a size; without
        networks, of a square mesh. Several numbers show how time falls as processors grow.
    placement : str or mapping
        Which program runs where: a name, a JSON file, or the processor of each program.
    dead : sequence of str
        Processors and links, as ``1,1-1,2``, that do not work.
    precision : str or sequence of str
        Number formats that every scheme computes in: a table and a figure of how many digits are right in each.
    out : str or path, optional
        The folder for table and figures. What it holds of the same comparison is not computed again.
    jobs, force
        Worker processes, by default one a processor; whether to take over a folder that holds other work.

    Returns
    -------
    TableReport
        A row for each point, what is to be said of them, and the files.
    """
    workers = jobs_of(jobs)
    machines = machines_of(machine)
    wheres, lacking = wheres_of(_several(networks), _several(processors), placement, dead)
    if robots and n is not None:
        raise MeshSimError("sizes and robots must not both be given: sizes are those of random chains")
    if goal is not None and not robots:
        raise MeshSimError("a goal must be given with robots by name, not with random chains")
    formats = _several(precision)
    settings: dict[str, Any] = {"seed": seed, "stream": stream, "tries": tries, "orders": orders, "wheres": wheres}
    settings["precisions"] = formats
    if robots:
        settings |= {"robots": tuple(robots), "goal": goal, "duration": duration}
        names = tuple(map(_name, schemes or ()))
        comparison = Comparison(names, machines, (), solver, **settings)
    else:
        names = tuple(map(_name, schemes or (PARALLEL if wheres else (*PARALLEL, "one-wong"))))
        comparison = Comparison(names, machines, tuple(n or (SIZE if wheres else SIZES)), solver, **settings)
        check_spec("chain", max(comparison.sizes), comparison.seed)
    if wheres:
        return _networks(
            comparison, lacking, out_folder("out/compare-networks" if out is None else out), workers, force
        )
    if formats:
        return _formats(comparison, out_folder("out/compare-precision" if out is None else out), workers, force)
    if robots:
        return _robots(comparison, out_folder("out/compare-robots" if out is None else out), workers, force)
    return _chains(comparison, out_folder("out/compare" if out is None else out), workers, force)


def _chains(comparison: Comparison, folder: Path, jobs: int, force: bool) -> TableReport:
    if force:
        take_over(folder, comparison.identity)
    compared = run_comparison(comparison, folder, jobs, lambda rows, part: draw_comparison(rows, part, folder))
    rows = compared.rows
    lines = [*crossovers(rows, comparison.solver), *crossings(rows), *chosen(rows), *in_any_order(rows)]
    lines += [*comparison.left_out(), *sentences(compared.refused)]
    if comparison.tries == "default":  # which published counts are of
        lines += ratios(rows)
    files = [*draw_comparison(rows, comparison, folder), *draw_energy(rows, comparison.machines, folder)]
    return _report(comparison, compared, lines, files, folder)


def _report(
    comparison: Comparison, compared: Compared, lines: Sequence[str], files: Sequence[Path], folder: Path
) -> TableReport:
    table = folder / "compare.csv"
    more = compared.refused, comparison.machines, comparison.seed
    return TableReport("compare", compared.rows, lines, table, files, *more)


def _compared(comparison: Comparison, folder: Path, jobs: int, force: bool) -> Compared:
    for robot in comparison.robots:
        load_robot(robot)  # which refuses one that is not there, before anything is written
    if force:
        take_over(folder, comparison.identity)
    return run_comparison(comparison, folder, jobs, lambda *_: None)


def _formats(comparison: Comparison, folder: Path, jobs: int, force: bool) -> TableReport:
    """Digits by number format and scheme, over joints or for robots."""
    compared = _compared(comparison, folder, jobs, force)
    rows = compared.rows
    tell("drawing")
    files = draw_precision(rows, folder)
    tell("")
    lines = [*precision_tables(rows), *chosen(rows), *sentences(compared.refused)]
    return _report(comparison, compared, lines, files, folder)


def _robots(comparison: Comparison, folder: Path, jobs: int, force: bool) -> TableReport:
    compared = _compared(comparison, folder, jobs, force)
    rows = compared.rows
    tell("drawing")
    lines = [
        layouts.as_text(rows, comparison),
        *chosen(rows),
        *in_any_order(rows),
        *sentences(compared.refused),
        *layouts.link_costs(comparison),
    ]
    files = [*draw_robots(rows, comparison, folder), *draw_energy(rows, comparison.machines, folder)]
    tell("")
    return _report(comparison, compared, lines, files, folder)


def _networks(comparison: Comparison, lacking: list[str], folder: Path, jobs: int, force: bool) -> TableReport:
    """A matrix of schemes against networks; with several numbers of processors, curves."""
    compared = _compared(comparison, folder, jobs, force)
    rows = compared.rows
    tell("drawing")
    if len({where.processors for where in comparison.wheres}) > 1:
        lines, files = scaling.as_text(rows), draw_scaling(rows, comparison.machines, folder)
    else:
        lines, files = matrix.as_text(rows), draw_matrices(rows, comparison.machines, folder)
    files += draw_energy(rows, comparison.machines, folder)
    tell("")
    lines += [*lacking, *sentences(compared.refused)]
    return _report(comparison, compared, lines, files, folder)


def _several(told: Any) -> tuple[Any, ...]:
    """One thing or several, as several."""
    return tuple(told) if isinstance(told, Sequence) and not isinstance(told, str) else (told,)


def _name(scheme: SchemeLike) -> str:
    """What worker processes know a scheme by."""
    if not isinstance(scheme, Scheme):
        return scheme
    if SCHEMES.get(scheme.name) is not scheme:
        SCHEMES.add(scheme)
    return scheme.name
