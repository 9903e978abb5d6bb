"""`meshsim simulate` in Python."""

from collections.abc import Mapping, Sequence
from functools import partial
from os import PathLike
from typing import Any

from meshsim.algorithms.motion.motion import Motion
from meshsim.algorithms.motion.profiles import load_profile
from meshsim.errors import MeshSimError
from meshsim.experiments.figures.moved import draw_motion
from meshsim.experiments.front.resolve import (
    MachineLike,
    RobotLike,
    SchemeLike,
    StateLike,
    evaluation_of,
    machine_of,
    options_of,
    robot_of,
    scheme_of,
    state_of,
)
from meshsim.experiments.reports.told import RunToldResult
from meshsim.experiments.store.folders import claimed, out_folder
from meshsim.experiments.store.progress import tell
from meshsim.experiments.studies.simulate import first_steps, run_motion, write_tables


def simulate(
    robot: RobotLike,
    scheme: SchemeLike,
    machine: MachineLike,
    step: float | None = None,
    profile: str = "free",
    duration: float | None = None,
    order: int = 4,
    friction: float = 0.0,
    state: StateLike | None = None,
    timing: str = "steady",
    strip: Sequence[float] = (),
    rtol: float = 1e-6,
    out: str | PathLike[str] = "out/motion",
    force: bool = False,
    options: Mapping[str, object] | None = None,
    **more: object,
) -> RunToldResult:
    """Move a robot: integrate its dynamics in time on a machine.

    Parameters
    ----------
    robot, scheme, machine
        As `run` takes them.
    step : float, optional
        Of the integration, in seconds; without it, steps are adaptive, to the tolerance `rtol`.
    profile : str
        What drives it: ``free``, ``own``, ``cycloid:SECONDS[:DEGREES[:METRES]]``, a torque for each driven joint, the
        excavator's own, or a CSV file.
    duration : float, optional
        Seconds; by default the profile's own, or 1.
    order, friction
        Of the Runge-Kutta rule: 1, 2 or 4; viscous, of every joint, in N m s/rad.
    state : path, mapping or State, optional
        Where it starts; by default where the profile does.
    timing : str
        ``steady``: message by message until a step repeats exactly; ``every``: to the end.
    strip : sequence of float
        When to draw the skeleton, in seconds.
    out, force
        The folder for the table and the figures; whether to write over other work in it.
    options : mapping, optional
        Options of the scheme; so are all other keywords.
    """
    chosen = scheme_of(scheme)
    settings = options_of(chosen, options, more)
    target = machine_of(machine)
    mechanism = robot_of(robot)
    evaluation = evaluation_of(chosen, mechanism, settings)
    start = None if state is None else state_of(state, mechanism)
    driving = load_profile(profile, mechanism, start)
    if start is not None and mechanism.cuts and driving.wanted is not None:
        start = driving.start  # the rates that are wanted, from the positions that were given
    motion = driving.motion(mechanism, step, duration, order, friction, start, rtol)
    for time in strip:
        if not 0 <= time <= motion.duration:
            raise MeshSimError(f"--strip must have times from 0 to {motion.duration:g} s, not {time:g} s")
    folder = out_folder(out)
    who = {"scheme": chosen.name, "options": dict(settings), "machine": target.name, "profile": profile}
    with claimed(folder, {**who, **_identity(motion)}, force):
        report = run_motion(chosen, settings, target, motion, driving, timing, folder)
        tell("drawing")
        files = [*write_tables(report, folder), *draw_motion(report, folder, strip)]
    tell("")
    return RunToldResult(report, files, traced=partial(first_steps, evaluation, motion, target))


def _identity(motion: Motion) -> Mapping[str, Any]:
    """What tells a motion from others."""
    return {
        "simulate": motion.mechanism.name,
        "step": motion.h,
        "duration": motion.duration,
        "rtol": motion.rtol if motion.h is None else None,
        "order": motion.order,
        "friction": motion.friction,
        "q": motion.state.q,
        "qd": motion.state.qd,
    }
