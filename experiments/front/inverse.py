"""`meshsim inverse` in Python."""

from os import PathLike

from meshsim.algorithms.motion.drives import load_motion
from meshsim.algorithms.robots.closed_catalogue import load_closed
from meshsim.algorithms.robots.closure import assemble
from meshsim.algorithms.schemes.loops.inverse import load_inverse
from meshsim.experiments.front.resolve import MachineLike, machine_of
from meshsim.experiments.reports.told import ToldResult
from meshsim.experiments.store.folders import claimed, out_folder
from meshsim.experiments.studies.inverse import run_inverse, write_inverse


def inverse(
    robot: str,
    method: str,
    machine: MachineLike,
    network: str = "one",
    motion: str = "own",
    samples: int = 101,
    out: str | PathLike[str] = "out/inverse",
    force: bool = False,
) -> ToldResult:
    """Compute the torques that a motion of a mechanism with loops takes.

    Parameters
    ----------
    robot : str
        A robot with loops.
    method : str
        A method of inverse dynamics.
    machine : str, path or Machine
        What it runs on.
    network : str
        ``one``, ``star`` or ``complete``.
    motion : str
        ``own``, or ``cycloid:SECONDS[:DEGREES[:METRES]]``.
    samples : int
        At how many times.
    out : str or path
        The folder for the table and the figures.
    force : bool
        Write over a folder that holds other work.
    """
    chosen = load_inverse(method)
    target = machine_of(machine)
    mechanism = load_closed(robot)
    chosen.places(mechanism, network)
    path, duration = load_motion(motion, mechanism, assemble(mechanism))
    folder = out_folder(out)
    identity = {
        "inverse": mechanism.name,
        "method": method,
        "machine": target.name,
        "network": network,
        "motion": motion,
        "samples": samples,
    }
    with claimed(folder, identity, force):
        report = run_inverse(chosen, network, mechanism, path, duration, samples, target, folder)
        files = write_inverse(report, folder)
    return ToldResult(report, files)
