"""`meshsim inverse` in Python."""

from collections.abc import Mapping
from os import PathLike

from meshsim.algorithms.motion.profiles import load_motion
from meshsim.algorithms.robots.wrenches import borne
from meshsim.algorithms.schemes.catalogue import SCHEMES
from meshsim.algorithms.schemes.loops.inverse import SiteInversion
from meshsim.errors import MeshSimError
from meshsim.experiments.figures.torques import draw_inverse
from meshsim.experiments.front.resolve import (
    MachineLike,
    RobotLike,
    SchemeLike,
    Wrenches,
    machine_of,
    options_of,
    robot_of,
    scheme_of,
)
from meshsim.experiments.reports.filed import FiledResult
from meshsim.experiments.store.folders import claimed, out_folder
from meshsim.experiments.studies.inverse import TABLE, run_inverse


def inverse(
    robot: RobotLike,
    scheme: SchemeLike,
    machine: MachineLike,
    profile: str = "own",
    samples: int = 101,
    out: str | PathLike[str] = "out/inverse",
    force: bool = False,
    options: Mapping[str, object] | None = None,
    wrenches: Wrenches | None = None,
    **more: object,
) -> FiledResult:
    """Compute the torques that a motion of a robot takes.

    Parameters
    ----------
    robot, scheme, machine
        As `run` takes them; a scheme with inverse dynamics, and a robot with loops.
    profile : str
        The motion: ``own``, or ``cycloid:SECONDS[:DEGREES[:METRES]]``.
    samples : int
        At how many times.
    out : str or path
        The folder for the table and the figures.
    force : bool
        Write over a folder that holds other work.
    options : mapping, optional
        Options of the scheme; so are all other keywords.
    wrenches : mapping, optional
        What acts on bodies, as `run` takes it.
    """
    chosen = scheme_of(scheme)
    if chosen.inverse is None:
        able = ", ".join(name for name, each in SCHEMES.items() if each.inverse is not None)
        raise MeshSimError(f"scheme must be one with inverse dynamics ({able}), not {chosen.name!r}")
    settings = options_of(chosen, options, more)
    target = machine_of(machine)
    mechanism = robot_of(robot, wrenches)
    inversion = chosen.inversion(mechanism, **settings)
    assert isinstance(inversion, SiteInversion)
    motion, duration = load_motion(profile, mechanism)
    folder = out_folder(out)
    identity = {
        "inverse": mechanism.name,
        "scheme": chosen.name,
        "options": dict(settings),
        "machine": target.name,
        "profile": profile,
        "samples": samples,
        **borne(mechanism),
    }
    with claimed(folder, identity, force):
        report = run_inverse(chosen, inversion, motion, duration, samples, target, folder)
        files = [folder / TABLE, *draw_inverse(report, folder)]
    return FiledResult(report, files, lambda: report.run)
