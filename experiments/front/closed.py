"""`meshsim closed` in Python: mechanisms with loops, once or in motion."""

import math
from collections.abc import Mapping
from os import PathLike

from meshsim.algorithms.motion.drives import Driving, load_drive, numbers_of
from meshsim.algorithms.motion.loop_stepping import Stepping
from meshsim.algorithms.robots.closed import ClosedMechanism
from meshsim.algorithms.robots.closed_catalogue import load_closed
from meshsim.algorithms.robots.closure import assemble
from meshsim.algorithms.schemes.loops import mesh_loops
from meshsim.algorithms.schemes.loops.methods import closed_settings, load_method
from meshsim.algorithms.types.arrays import Array
from meshsim.errors import MeshSimError
from meshsim.experiments.front.resolve import MachineLike, machine_of
from meshsim.experiments.reports.told import ToldResult
from meshsim.experiments.store.folders import claimed, out_folder
from meshsim.experiments.store.progress import tell
from meshsim.experiments.studies import loops as work
from meshsim.experiments.studies.mesh_loops import MeshState, evaluate_mesh
from meshsim.machine import Machine


def closed(
    robot: str,
    method: str,
    machine: MachineLike,
    network: str = "one",
    distribution: str | None = None,
    drive: str = "own",
    start: str | None = None,
    duration: float | None = None,
    step: float | None = None,
    rtol: float = 1e-6,
    out: str | PathLike[str] = "out/closed",
    force: bool = False,
    options: Mapping[str, str] | None = None,
) -> ToldResult:
    """Evaluate the dynamics of a mechanism with loops, or move it if there is a duration or a step."""
    given = dict(options or {})
    if method == mesh_loops.NAME:
        if duration is not None or step is not None:
            raise MeshSimError("mesh evaluates once and does not move: --duration and --step must not be given")
        if network != "one" or distribution is not None:
            raise MeshSimError("mesh has a network of its own: --network and --distribution must not be given")
        return _on_mesh(robot, machine_of(machine), drive, start, given)
    chosen = load_method(method)
    target = machine_of(machine)
    mechanism = load_closed(robot)
    settings = closed_settings(chosen, given, distribution)
    q = _start(mechanism, start)
    driving = load_drive(drive, mechanism, q)
    case = work.Case(chosen, settings, network, mechanism, q, driving.start(mechanism), _torques(mechanism, driving))
    if duration is None and step is None:
        return ToldResult(work.evaluate(case, target))
    folder = out_folder(out)
    seconds = driving.duration if duration is None else duration
    if not (math.isfinite(seconds) and seconds > 0):
        raise MeshSimError(f"--duration must be a positive number of seconds, not {seconds}")
    identity = {
        "closed": mechanism.name,
        "label": case.label,
        "options": given,
        "machine": target.name,
        "drive": drive,
        "q": q.tolist(),
        "duration": seconds,
        "step": step,
        "rtol": rtol,
    }
    with claimed(folder, identity, force):
        report = work.run_motion(case, target, driving, seconds, Stepping(step, rtol, rtol * 1e-3), folder)
        tell("drawing")
        files = work.write_motion(report, folder)
    tell("")
    return ToldResult(report, files)


def _on_mesh(robot: str, machine: Machine, drive: str, start: str | None, options: Mapping[str, str]) -> ToldResult:
    """One evaluation, on a network of its own."""
    mesh_loops.mesh_options(options)
    mechanism = load_closed(robot)
    q = _start(mechanism, start)
    driving = load_drive(drive, mechanism, q)
    state = MeshState(mechanism, q, driving.start(mechanism), _torques(mechanism, driving))
    return ToldResult(evaluate_mesh(state, options, machine))


def _start(mechanism: ClosedMechanism, text: str | None) -> Array:
    """Joint positions with the loops closed, the actuated ones where the user wants them."""
    if text is None:
        return assemble(mechanism)
    numbers = numbers_of(text.split(","))
    if len(numbers) != len(mechanism.actuated):
        count = len(mechanism.actuated)
        raise MeshSimError(f"--start must be {count} finite numbers, one for each actuated joint, not {text!r}")
    guess = list(mechanism.guess)
    for joint, position in zip(mechanism.actuated, numbers, strict=True):
        guess[joint] = position
    return assemble(mechanism, guess)


def _torques(mechanism: ClosedMechanism, driving: Driving) -> list[float]:
    """Torques of all joints at the start."""
    tau = [0.0] * mechanism.n
    for joint, torque in zip(mechanism.actuated, driving.drive(0.0), strict=True):
        tau[joint] = torque
    return tau
