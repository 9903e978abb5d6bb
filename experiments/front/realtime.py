"""`meshsim realtime` in Python."""

from collections.abc import Mapping, Sequence

from meshsim.algorithms.motion.integration import rule_of
from meshsim.errors import MeshSimError
from meshsim.experiments.front.best import best
from meshsim.experiments.front.resolve import (
    Dead,
    MachineLike,
    NetworkLike,
    PlacementLike,
    RobotLike,
    SchemeLike,
    Wrenches,
    machine_of,
    mover_of,
    options_of,
    own_network,
    robot_of,
    scheme_of,
    where_of,
)
from meshsim.experiments.reports.best import BestReport
from meshsim.experiments.reports.realtime import RealtimeReport
from meshsim.experiments.studies.realtime import Question, answer


def realtime(
    robot: RobotLike,
    scheme: SchemeLike | None = None,
    machine: MachineLike | None = None,
    step: float | None = None,
    order: int = 4,
    profile: str | None = None,
    options: Mapping[str, object] | None = None,
    wrenches: Wrenches | None = None,
    feedback: Sequence[float] | None = None,
    network: NetworkLike | None = None,
    processors: int | None = None,
    placement: PlacementLike | None = None,
    dead: Dead = (),
    **more: object,
) -> RealtimeReport | BestReport:
    """Say whether a machine keeps up with a robot's motion.

    Parameters
    ----------
    robot, scheme, machine
        As `run` takes them. Without a scheme, all are tried, and the report is that of `best` with the step as its
        deadline: `met` tells whether any keeps up.
    step : float
        Of the integration, in seconds.
    order : int
        Of the Runge-Kutta rule: 1, 2 or 4.
    profile : str, optional
        What drives the robot; by default its own control if it is the excavator, nothing otherwise.
    options : mapping, optional
        Options of the scheme; so are all other keywords.
    wrenches : mapping, optional
        What acts on bodies, as `run` takes it.
    feedback : sequence of two floats, optional
        Gains of feedback, as `simulate` takes them.
    network, processors, placement, dead
        Where it runs, if not on the scheme's own network; as `run` takes them.

    Returns
    -------
    RealtimeReport or BestReport
        Whether it is `real_time` (of `best`: `met`), with the margin and the limits.
    """
    if machine is None or step is None:
        raise MeshSimError(f"realtime must have a {'machine' if machine is None else 'step'}")
    if scheme is None:
        given = {"profile": profile, "an option": {**(options or {}), **more}, "feedback": feedback}
        for name, value in given.items():
            if value:
                raise MeshSimError(f"{name} must be given with a scheme: without one, all are tried")
        rule_of(order, step)  # which refuses an order that there is not
        place = network, placement, dead
        return best(robot_of(robot, wrenches), machine, processors, *place, deadline=step, order=order)
    chosen = scheme_of(scheme)
    network, more = own_network(chosen, network, processors, options, more)
    where = where_of(network, processors, placement, dead)
    settings = options_of(chosen, options, more)
    target = machine_of(machine)
    mechanism = robot_of(robot, wrenches)
    mover_of(chosen, mechanism, settings)  # which refuses a robot, or one that does not move
    return RealtimeReport(answer(Question(chosen, settings, target, step, order, profile, feedback, where), mechanism))
