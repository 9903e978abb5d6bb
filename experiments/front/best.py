"""`meshsim best` in Python."""

import hashlib
from collections.abc import Sequence
from fractions import Fraction
from os import PathLike
from typing import Any

from meshsim.algorithms.robots.state import default_state
from meshsim.energy import exact
from meshsim.errors import MeshSimError
from meshsim.experiments.front.resolve import (
    Dead,
    FormatLike,
    MachineLike,
    NetworkLike,
    PlacementLike,
    RobotLike,
    format_of,
    machines_of,
    robot_of,
    where_of,
)
from meshsim.experiments.reports.best import COLUMNS, BestReport
from meshsim.experiments.store.files import write_csv
from meshsim.experiments.store.folders import out_folder
from meshsim.experiments.store.journal import take_over
from meshsim.experiments.store.progress import tell
from meshsim.experiments.store.workers import jobs_of
from meshsim.experiments.studies.best import OBJECTIVES, Search
from meshsim.experiments.studies.candidates import Question
from meshsim.experiments.studies.refusals import nothing_left, refusal
from meshsim.machine import Machine
from meshsim.presets import PRESETS
from meshsim.reading import number

SECONDS, SECONDS_PLACED = 20.0, 45.0
"""After so long the best so far is told, unless told otherwise: on schemes' own networks, and on another."""
ALL = "all"
"""Names every machine that is built in, registered or installed."""
TABLE = "best.csv"
MOST = 1e15
"""No deadline is longer, in s, and no rate higher, in Hz; none is less than one over that."""


def best(
    robot: RobotLike,
    machine: MachineLike | Sequence[MachineLike] = "t800",
    processors: int | None = None,
    network: NetworkLike | None = None,
    placement: PlacementLike | None = None,
    dead: Dead = (),
    deadline: float | None = None,
    rate: float | None = None,
    order: int = 0,
    objective: str = "time",
    schemes: Sequence[str] = (),
    orders: bool = False,
    precision: FormatLike | None = None,
    digits: float = 0.0,
    seconds: float | None = None,
    out: str | PathLike[str] | None = None,
    jobs: int | None = None,
    force: bool = False,
) -> BestReport:
    """Find the scheme, its options and its network that compute a robot's dynamics best.

    Parameters
    ----------
    robot : str or path or Mechanism
        What `run` takes.
    machine : str, path or Machine, or a sequence of them
        On what; ``all`` is every machine that has a name.
    processors : int, optional
        At most so many. Schemes that have more on their own network are folded onto a square mesh, or the network told.
    network, placement, dead
        As `run` takes them: all run there, placed by ``auto`` unless told.
    deadline, rate : float, optional
        Seconds that it may take, or how often in a second it must be done: one of them.
    order : int
        Of the Runge-Kutta rule one of whose steps is timed: 1, 2 or 4; 0: one evaluation is.
    objective : str
        What is to be least: ``time``, ``processors``, ``energy``, or ``interval``, the time between results in a
        stream. With a deadline, among those that are in time.
    schemes : sequence of str
        Those to try; by default all.
    orders : bool
        Also put the work of each scheme's quickest into the best order that is found.
    precision : str or Format, optional
        The number format that is computed in, as `run` takes it.
    digits : float
        Leave out what has fewer decimal digits right, of M, h or the accelerations; 0: nothing.
    seconds : float, optional
        When to stop, with the best so far; infinity: when all is done. By default 20, on a network that is told 45.
    out : str or path, optional
        The folder for table and figures. What it holds of the same search is not computed again.
    jobs, force
        Worker processes, by default one a processor; whether to take over a folder that holds other work.

    Returns
    -------
    BestReport
        The answer in a `sentence`, whether the deadline is `met`, and a row for each candidate.
    """
    if objective not in OBJECTIVES:
        raise MeshSimError(f"the objective must be one of {', '.join(OBJECTIVES)}, not {objective!r}")
    if order not in (0, 1, 2, 4):
        raise MeshSimError(f"order must be 1, 2 or 4, or 0 for one evaluation, not {order!r}")
    if order and orders:
        raise MeshSimError("the best order must be looked for of one evaluation, not of an integration step")
    if seconds is not None and not seconds > 0:
        raise MeshSimError(f"seconds must be a positive number, or inf, not {seconds!r}")
    workers = jobs_of(jobs)
    mechanism = robot_of(robot)
    question = Question(
        mechanism,
        default_state(mechanism),
        _machines(machine, objective),
        order,
        _deadline(deadline, rate),
        where_of(network, processors, placement, dead),
        processors if network is None else None,
        objective == "interval",
        format_of(precision),
        number("digits", digits, 0),
    )
    names = tuple(getattr(scheme, "name", scheme) for scheme in schemes)
    search = Search(question, objective, names, orders)
    if not search.every:
        raise nothing_left([refusal(mechanism.name, name, why) for name, why in search.refused.items()])
    folder = None if out is None else out_folder(out)
    identity = _identity(question, objective, names, orders)
    if folder is not None and force:
        take_over(folder, identity)
    allowed = (SECONDS_PLACED if question.where else SECONDS) if seconds is None else seconds
    search.run(workers, None if allowed == float("inf") else allowed, folder, identity)
    if folder is None:
        return BestReport(search)
    tell("drawing")
    rows = BestReport(search).rows()
    write_csv(folder / TABLE, COLUMNS, ([row[column] for column in COLUMNS] for row in rows))
    from meshsim.experiments.figures.best import draw_best  # here: `realtime` imports this file, and draws nothing

    figures = draw_best(search, folder)
    tell("")
    return BestReport(search, folder / TABLE, figures)


def _machines(machine: MachineLike | Sequence[MachineLike], objective: str) -> tuple[Machine, ...]:
    found = machines_of(tuple(PRESETS) if machine in (ALL, (ALL,)) else machine)
    names = [each.name for each in found]
    for name in names:
        if names.count(name) > 1:
            raise MeshSimError(f"machines must have different names, not {name!r} twice")
    if objective == "energy":
        priced = tuple(each for each in found if each.energy is not None)
        if not priced:
            known = [name for name, each in PRESETS.items() if each.energy is not None]
            raise MeshSimError(
                f"{' and '.join(names)} must have a table [energy] to look for the least energy, and has none; "
                f"machines that have one: {', '.join(known)}"
            )
        return priced
    return found


def _deadline(deadline: float | None, rate: float | None) -> Fraction | None:
    if deadline is not None and rate is not None:
        raise MeshSimError("a deadline and a rate must not both be given")
    given = rate if deadline is None else deadline
    if given is None:
        return None
    if not 1 / MOST <= given <= MOST:
        what, unit = ("a rate", "Hz") if deadline is None else ("a deadline", "s")
        raise MeshSimError(f"{what} must be a number from {1 / MOST:g} to {MOST:g} {unit}, not {given!r}")
    return 1 / exact(given) if deadline is None else exact(given)


def _identity(question: Question, objective: str, schemes: Sequence[str], orders: bool) -> dict[str, Any]:
    """What tells this search from others."""
    robot = hashlib.sha256(repr((question.mechanism, question.state)).encode()).hexdigest()[:16]
    return {
        "verb": "best",
        "robot": [question.mechanism.name, robot],
        "machines": [machine.as_json() for machine in question.machines],
        "order": question.order,
        "deadline": str(question.deadline),
        "where": question.where.identity,
        "processors": question.processors,
        "objective": objective,
        "schemes": list(schemes),
        "orders": orders,
        "precision": None if question.format is None else question.format.name,
        "digits": question.digits,
    }
