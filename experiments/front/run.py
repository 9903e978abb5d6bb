"""`meshsim run` in Python."""

from collections.abc import Mapping
from typing import Any

from meshsim.algorithms.robots.state import State
from meshsim.algorithms.schemes.base.evaluation import Evaluation
from meshsim.algorithms.schemes.loops.method import SiteEvaluation
from meshsim.algorithms.types.arrays import check_finite
from meshsim.experiments.front.resolve import (
    Dead,
    FormatLike,
    MachineLike,
    NetworkLike,
    PlacementLike,
    RobotLike,
    SchemeLike,
    StateLike,
    Wrenches,
    evaluation_of,
    format_of,
    machine_of,
    order_of,
    own_network,
    robot_of,
    scheme_of,
    start_of,
    where_of,
)
from meshsim.experiments.reports.step import StepReport
from meshsim.experiments.store.progress import say, tell
from meshsim.experiments.studies.orders import BEST, ORDER, order_free
from meshsim.experiments.studies.where import why_simulated
from meshsim.machine import Machine
from meshsim.outcome import Run
from meshsim.plan import Plan
from meshsim.recording import record
from meshsim.retiming import is_kahn
from meshsim.sensitivity import Slope, slopes

MOST_MESSAGES = 100_000
"""Of a run whose sensitivities are found."""
MOST_TRACED = 10_000
"""Processors of a run that is traced unless told: a trace of 10,000 takes a gigabyte."""


def run(
    robot: RobotLike,
    scheme: SchemeLike,
    machine: MachineLike,
    state: StateLike | None = None,
    options: Mapping[str, object] | None = None,
    trace: bool | None = True,
    profile: str | None = None,
    wrenches: Wrenches | None = None,
    network: NetworkLike | None = None,
    processors: int | None = None,
    placement: PlacementLike | None = None,
    dead: Dead = (),
    precision: FormatLike | None = None,
    values: bool | None = None,
    **more: object,
) -> StepReport:
    """Compute the forward dynamics of a robot once, with a scheme on a machine.

    Parameters
    ----------
    robot : str or path or Mechanism
        A name (`listing("robots")`), ``chain:N:SEED``, a URDF, MJCF or TOML file, ``file.py:NAME``, or a robot.
    scheme : str or Scheme
        A name, ``file.py:NAME``, or a scheme.
    machine : str or path or Machine
        A name, a TOML file, ``file.py:NAME``, or a machine.
    state : path or mapping or State, optional
        Positions `q`, rates `qd` and torques `tau`; by default joint i is at 0.1 i rad (or m), turning at 0.2 rad/s.
        With loops, joints are where these close, near the robot's own guess.
    options : mapping, optional
        Options of the scheme; so are all other keywords. With ``order="best"`` any scheme's work is done in the best
        order that is found for the machine.
    trace : bool or None
        Keep every span and message: needed for the critical path, what each cost does to the finish, and pictures.
        None: of up to 10,000 processors.
    profile : str, optional
        In place of a state: the start of what drives a motion, as `simulate` takes it.
    wrenches : mapping, optional
        By the name of a body, the force at its centre of mass, or force and moment: N and N m in the ground's axes; for
        a mechanism in a plane, two or three numbers in the axes of that.
    network : str or path or Network or networkx.Graph, optional
        A network that is not the scheme's own: ``NAME:SIZE`` (`listing("networks")`), a node-link JSON or GraphML file,
        ``file.py:NAME``, or a network. A bare name is an option of schemes that have one called ``network``.
    processors : int, optional
        How many processors may be used; of a network without a size, how many it has. Without a network, of a square
        mesh.
    placement : str or path or mapping, optional
        Which program runs where: ``auto`` (the default), ``identity``, ``rows``, ``columns``, ``blocks``, ``snake``,
        ``round-robin``, a JSON file, or the processor of each program.
    dead : str or sequence
        Processors and links of the network that do not work: ``"2,3"``, ``"1,1-1,2"``, or nodes and pairs of nodes.
    precision : str or Format, optional
        What the processors compute in: ``double``, ``single``, ``half``, ``bfloat16`` or ``fixed:I.F``. Messages then
        take as many words of the machine as their bits need. Without it, double, and a number is a word.
    values : bool, optional
        Keep also what was computed and sent, and by which program line, to be looked at (`report`); by default if it is
        traced.

    Returns
    -------
    StepReport
        Numbers, times and costs; its `value` has M, h and qdd.

    Examples
    --------
    >>> import meshsim as ms
    >>> ms.run("puma600", "wong-mesh", "ideal").time_us
    268.5
    """
    chosen = scheme_of(scheme)
    network, more = own_network(chosen, network, processors, options, more)
    where = where_of(network, processors, placement, dead)
    settings, reordered = order_of(chosen, options, more)
    target = machine_of(machine)
    form = format_of(precision)
    mechanism = robot_of(robot, wrenches)
    evaluation = evaluation_of(chosen, mechanism, settings)
    start = start_of(state, profile, evaluation)
    reference = evaluation.reference(start)
    tell(f"simulating {chosen.name}, {len(mechanism.joints)} joints")
    plan = evaluation.plan(start).in_format(form)
    if reordered:
        tell("looking for the best order")
        plan = order_free(chosen, mechanism, start, settings, target, form).plan
    if where:
        tell("placing")
        plan = where.placed(plan, target)
    if trace is None:
        trace = bool(values) or len(plan.topology) <= MOST_TRACED
        if not trace:
            say(
                f"no trace is kept of more than {MOST_TRACED} processors, and so no critical path; --trace, --gantt, "
                f"--report and --animate keep one"
            )
    done = plan.run(target, trace, trace if values is None else values)
    check_finite(f"computed by {chosen.name}", **done.value.formed)
    kept = {**settings, "zeros": "kept"}
    whole = None
    if settings.get("zeros") == "skipped":
        whole = where.placed(chosen.plan(mechanism, start, **kept).in_format(form), target)
    saving = _saving(done, whole) if whole is not None else ""
    found, inexact = _slopes(done, plan) if trace else ({}, "")
    several = _with_layout(evaluation, start, target)
    tell("")
    told = {**settings, ORDER: BEST} if reordered else settings
    location = where.location(plan)
    return StepReport(
        *(chosen, told, mechanism, start, done, reference, found, saving, *several, location, inexact), form
    )


def _with_layout(evaluation: Evaluation, state: State, machine: Machine) -> tuple[int | None, bool]:
    """Ticks of the same on one processor, if it is on several, and whether accelerations are derived from others."""
    if not isinstance(evaluation, SiteEvaluation):
        return None, False
    one = evaluation.alone().plan(state).run(machine, trace=False).ticks if evaluation.layout != "one" else None
    return one, evaluation.method.accelerations is not None


def _saving(run: Run[Any], kept: Plan[Any]) -> str:
    """What skipping zeros saves, against a run that keeps them."""
    whole = kept.run(run.machine, trace=False)
    operations = sum(whole.operations.values()) - sum(run.operations.values())
    us = run.machine.microseconds(whole.ticks) - run.machine.microseconds(run.ticks)
    return (
        f"skipping zeros saves {operations} operations, {whole.messages - run.messages} messages and {us:.1f} us of "
        f"{run.machine.microseconds(whole.ticks):.1f}"
    )


def _slopes(run: Run[Any], plan: Plan[Any]) -> tuple[Mapping[str, Slope], str]:
    """What each cost does to the finish, or why that is not known; nothing of the largest runs, which takes long."""
    if run.buses:
        return {}, "who gets the bus first depends on times"
    if run.messages > MOST_MESSAGES or (plan.placement is None and not is_kahn(run.machine)):
        return {}, ""
    tell("what each cost does to the finish")
    recording = record(plan)[0]
    inexact = why_simulated(run.machine, recording)
    return ({}, inexact) if inexact else (slopes(recording, run.machine), "")
