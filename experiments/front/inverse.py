"""`meshsim inverse` in Python."""

from collections.abc import Mapping
from os import PathLike, fspath

from meshsim.algorithms.motion.profiles import load_motion
from meshsim.algorithms.robots.wrenches import borne
from meshsim.experiments.figures.torques import draw_inverse
from meshsim.experiments.front.resolve import (
    Dead,
    FormatLike,
    MachineLike,
    NetworkLike,
    PlacementLike,
    RobotLike,
    SchemeLike,
    Wrenches,
    format_of,
    inversion_of,
    machine_of,
    own_network,
    robot_of,
    scheme_of,
    where_of,
)
from meshsim.experiments.reports.filed import FiledResult
from meshsim.experiments.store.folders import claimed, out_folder
from meshsim.experiments.studies.inverse import REACTIONS, TABLE, run_inverse, sample_times, with_reactions


def inverse(
    robot: RobotLike,
    scheme: SchemeLike,
    machine: MachineLike,
    profile: str | PathLike[str] = "own",
    samples: int | None = None,
    out: str | PathLike[str] = "out/inverse",
    force: bool = False,
    reactions: bool = False,
    options: Mapping[str, object] | None = None,
    wrenches: Wrenches | None = None,
    network: NetworkLike | None = None,
    processors: int | None = None,
    placement: PlacementLike | None = None,
    dead: Dead = (),
    precision: FormatLike | None = None,
    **more: object,
) -> FiledResult:
    """Compute the torques that a motion of a robot takes.

    Parameters
    ----------
    robot, scheme, machine
        As `run` takes them; a scheme with inverse dynamics.
    profile : str or path
        The motion: ``own``, ``cycloid:SECONDS[:DEGREES[:METRES]]``, or a CSV file with columns t and, of each joint,
        ``q_JOINT``, ``qd_JOINT`` and ``qdd_JOINT``; with loops of the actuated joints, or of all.
    samples : int, optional
        At how many times; by default at those of the file, or 101.
    out, force
        The folder for the table and the figures; whether to write over other work in it.
    reactions : bool
        Whether to find what every joint exerts as well, where the scheme knows it: a table `reactions.csv`.
    options : mapping, optional
        Options of the scheme; so are all other keywords.
    wrenches : mapping, optional
        What acts on bodies, as `run` takes it.
    network, processors, placement, dead
        Where it runs, if not on the scheme's own network; as `run` takes them.
    precision : str or Format, optional
        What the processors compute in, as `run` takes it.

    Returns
    -------
    FiledResult
        The torques by time and joint, what they took, and the files.
    """
    chosen = scheme_of(scheme)
    network, more = own_network(chosen, network, processors, options, more)
    where = where_of(network, processors, placement, dead)
    given = {key: str(value) for key, value in {**(options or {}), **more}.items()}
    target, form = machine_of(machine), format_of(precision)
    mechanism = robot_of(robot, wrenches)
    inversion = inversion_of(chosen, mechanism, given)
    if reactions:
        inversion = with_reactions(chosen, inversion)
    settings = chosen.inverse_settings(given)
    motion, duration = load_motion(fspath(profile), mechanism)
    times = sample_times(duration, motion.times, samples)
    folder = out_folder(out)
    identity = {
        "inverse": mechanism.name,
        "scheme": chosen.name,
        "options": dict(settings),
        "reactions": reactions,
        "machine": target.name,
        "profile": fspath(profile),
        "times": [float(times[0]), float(times[-1]), len(times)],
        **borne(mechanism),
        **where.identity,
        **({"precision": form.name} if form else {}),
    }
    with claimed(folder, identity, force):
        report = run_inverse(chosen, settings, inversion, motion, times, target, folder, where, form)
        tables = [folder / TABLE, *([folder / REACTIONS] if reactions else [])]
        files = [*tables, *draw_inverse(report, folder)]
    return FiledResult(report, files, lambda: report.run)
