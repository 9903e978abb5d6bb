"""`meshsim simulate` in Python."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from os import PathLike
from typing import Any

from meshsim.algorithms.motion.motion import Motion
from meshsim.algorithms.motion.pace import moving
from meshsim.algorithms.motion.profiles import Driving, load_profile
from meshsim.algorithms.robots.state import State
from meshsim.algorithms.robots.wrenches import borne
from meshsim.algorithms.schemes.base.evaluation import Evaluation
from meshsim.errors import MeshSimError
from meshsim.experiments.figures.moved import draw_motion
from meshsim.experiments.front.resolve import (
    Dead,
    MachineLike,
    NetworkLike,
    PlacementLike,
    RobotLike,
    SchemeLike,
    StateLike,
    Wrenches,
    machine_of,
    mover_of,
    options_of,
    own_network,
    robot_of,
    scheme_of,
    state_of,
    where_of,
)
from meshsim.experiments.reports.filed import FiledResult
from meshsim.experiments.store.folders import claimed, out_folder
from meshsim.experiments.store.progress import tell
from meshsim.experiments.studies.simulate import fed_back, first_plan, run_motion, write_tables
from meshsim.experiments.studies.where import Where
from meshsim.machine import Machine
from meshsim.outcome import Run

DRAWN = 2
"""Steps of a motion that are drawn message by message."""


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
    wrenches: Wrenches | None = None,
    feedback: Sequence[float] | None = None,
    dry_friction: float | str = 0.0,
    network: NetworkLike | None = None,
    processors: int | None = None,
    placement: PlacementLike | None = None,
    dead: Dead = (),
    **more: object,
) -> FiledResult:
    """Move a robot: integrate its dynamics in time on a machine.

    Parameters
    ----------
    robot, scheme, machine
        As `run` takes them.
    step : float, optional
        Of the integration, in seconds; without it, steps are adaptive, to the tolerance `rtol`.
    profile : str
        What drives it: ``free``, ``own``, ``cycloid:SECONDS[:DEGREES[:METRES]]``, a torque for each driven joint, the
        excavator's own, or a CSV file of torques or of a motion.
    duration : float, optional
        Seconds; by default the profile's own, or 1.
    order, friction
        Of the Runge-Kutta rule: 1, 2 or 4; viscous, of every joint, in N m s/rad.
    state : path or mapping or State, optional
        Where it starts; by default where the profile does.
    timing, strip
        ``steady``: message by message until a step repeats exactly, ``every``: to the end; when to draw the skeleton.
    out, force
        The folder for the table and the figures; whether to write over other work in it.
    options : mapping, optional
        Options of the scheme; so are all other keywords.
    wrenches : mapping, optional
        What acts on bodies, as `run` takes it.
    feedback : sequence of two floats, optional
        Gains, proportional and differential (N m/rad and N m s/rad, or N/m and N s/m), that hold the driven joints to
        the motion that the profile wants.
    dry_friction : float or str
        Coulomb's, of every joint, in N m (or N); ``"COULOMB:BREAKAWAY"`` if it takes more to break a joint loose, and
        several of these, separated by commas, for each joint its own.
    network, processors, placement, dead
        Where it runs, if not on the scheme's own network; as `run` takes them.

    Returns
    -------
    FiledResult
        The motion by time and joint, what it took, and the files.
    """
    chosen = scheme_of(scheme)
    network, more = own_network(chosen, network, processors, options, more)
    where = where_of(network, processors, placement, dead)
    settings = options_of(chosen, options, more)
    target = machine_of(machine)
    mechanism = robot_of(robot, wrenches)
    evaluation = mover_of(chosen, mechanism, settings)
    start, driving = _start(state, profile, evaluation)
    motion = driving.motion(mechanism, step, duration, order, friction, start, rtol, feedback, dry_friction)
    for time in strip:
        if not 0 <= time <= motion.duration:
            raise MeshSimError(f"--strip must have times from 0 to {motion.duration:g} s, not {time:g} s")
    folder = out_folder(out)
    who = {"scheme": chosen.name, "options": dict(settings), "machine": target.name, "profile": profile}
    with claimed(folder, {**who, **_identity(motion), **where.identity}, force):
        report = run_motion(chosen, settings, target, motion, driving, timing, folder, where)
        tell("drawing")
        files = [*write_tables(report, folder), *draw_motion(report, folder, strip)]
    tell("")
    return FiledResult(report, files, partial(_traced, evaluation, motion, target, where))


def _start(state: StateLike | None, profile: str, evaluation: Evaluation) -> tuple[State | None, Driving]:
    """Where the user wants a motion to start, if not where the profile does, and the profile."""
    start = None if state is None else state_of(state, evaluation)
    return start, load_profile(profile, evaluation.mechanism, start)


def _identity(motion: Motion) -> Mapping[str, Any]:
    """What tells a motion from others."""
    return {
        "simulate": motion.mechanism.name,
        "step": motion.h,
        "duration": motion.duration,
        "rtol": motion.rtol if motion.h is None else None,
        "order": motion.order,
        "friction": motion.friction,
        "dry_friction": [limit for dry in motion.dry_friction for limit in (dry.coulomb, dry.breakaway)],
        "q": motion.state.q,
        "qd": motion.state.qd,
        **borne(motion.mechanism),
        **fed_back(motion),
    }


def _traced(evaluation: Evaluation, motion: Motion, machine: Machine, where: Where) -> Run[Any]:
    """The first steps, every message; of adaptive steps, one evaluation."""
    plan = first_plan(evaluation, motion, machine, where)
    if motion.h is not None:
        first = replace(motion, steps=min(motion.steps, DRAWN))
        plan = moving(evaluation, first, placement=plan.placement)
    return plan.run(machine, values=True)
