"""`meshsim stream` in Python."""

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path

from meshsim.algorithms.schemes.base.scheme import Scheme
from meshsim.algorithms.schemes.catalogue import SCHEMES
from meshsim.errors import MeshSimError
from meshsim.experiments.figures.stream import draw_stream
from meshsim.experiments.front.resolve import (
    Dead,
    MachineLike,
    NetworkLike,
    PlacementLike,
    RobotLike,
    SchemeLike,
    evaluation_of,
    machine_of,
    options_of,
    robot_of,
    scheme_of,
    where_of,
)
from meshsim.experiments.reports.table import TableReport
from meshsim.experiments.store.folders import out_folder
from meshsim.experiments.store.journal import take_over
from meshsim.experiments.store.progress import tell
from meshsim.experiments.store.workers import jobs_of
from meshsim.experiments.studies.stream import SHARES, TABLE, Stream, as_lines, run_stream
from meshsim.experiments.studies.where import OWN_NETWORK, Where

FIGURE = "latency.png"


def stream(
    robot: RobotLike,
    scheme: SchemeLike,
    machine: MachineLike,
    network: NetworkLike | Sequence[NetworkLike] | None = None,
    processors: int | None = None,
    placement: PlacementLike | None = None,
    dead: Dead = (),
    evaluations: int = 24,
    shares: Sequence[float] = SHARES,
    out: str | PathLike[str] = "out/stream",
    jobs: int | None = None,
    force: bool = False,
    options: Mapping[str, object] | None = None,
    **more: object,
) -> TableReport:
    """Find the latency of evaluations that are offered at a fixed interval, from a light load to more than saturation.

    Parameters
    ----------
    robot, scheme, machine
        As `run` takes them.
    network : str, path, Network or networkx.Graph, or a sequence of them, optional
        One network or several, each as `run` takes it; ``"own"`` is the scheme's own. A text may name several with
        commas between them.
    processors, placement, dead
        As `run` takes them, for every network but the scheme's own.
    evaluations : int
        How many are offered at each load; the later half is judged.
    shares : sequence of float
        The loads, as shares of the saturated rate.
    out, jobs, force
        The folder for table and figure; worker processes, by default one a processor; whether to take over a folder
        that holds other work. What the folder holds of the same stream is not computed again.
    options : mapping, optional
        Options of the scheme; so are all other keywords.

    Returns
    -------
    TableReport
        The latencies at each load: of an evaluation, the time from its offer to the last mark of any program in it.
    """
    chosen, target, mechanism = scheme_of(scheme), machine_of(machine), robot_of(robot)
    settings = options_of(chosen, options, more)
    evaluation_of(chosen, mechanism, settings)  # which refuses a robot
    workers, folder = jobs_of(jobs), out_folder(out)
    asked = Stream(
        _known(chosen),
        tuple(settings.items()),
        mechanism,
        target,
        _places(network, processors, placement, dead),
        evaluations,
        tuple(shares) if isinstance(shares, Iterable) else (shares,),
    )
    if force:
        take_over(folder, asked.identity)
    rows = run_stream(asked, folder, workers)
    title = f"{chosen.name}: {mechanism.name} on {target.name}, {evaluations} evaluations at each load"
    tell("drawing")
    draw_stream(rows, title, Path(folder, FIGURE))
    tell("")
    return TableReport("stream", rows, [title, "", *as_lines(rows)], folder / TABLE, [folder / FIGURE])


def _known(scheme: Scheme) -> str:
    """What worker processes know a scheme by."""
    if SCHEMES.get(scheme.name) is not scheme:
        SCHEMES.add(scheme)
    return scheme.name


def _networks(network: NetworkLike | Sequence[NetworkLike] | None, processors: int | None) -> list[NetworkLike | None]:
    """One network or several; the scheme's own, or a square mesh of so many processors, if none is told."""
    if network is None:
        return [OWN_NETWORK if processors is None else None]
    found = network.split(",") if isinstance(network, str) else network
    networks = list(found) if isinstance(found, Sequence) else [found]
    if not networks:
        raise MeshSimError("networks of a stream must be at least one, not 0")
    return networks


def _places(
    network: NetworkLike | Sequence[NetworkLike] | None,
    processors: int | None,
    placement: PlacementLike | None,
    dead: Dead,
) -> tuple[tuple[str, Where], ...]:
    """What each network is called, and where it is."""
    networks = _networks(network, processors)
    found = []
    for each in networks:
        where = where_of() if each == OWN_NETWORK else where_of(each, processors, placement, dead)
        found.append((where.load().name if where else OWN_NETWORK, where))
    if not any(where for _, where in found) and (processors is not None or placement is not None or dead):
        raise MeshSimError("processors, a placement, or what is dead, must be told with a network that is not own")
    return tuple(found)
