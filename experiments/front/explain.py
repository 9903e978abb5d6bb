"""`meshsim explain` in Python."""

from collections.abc import Mapping

from meshsim.experiments.front.resolve import (
    Dead,
    MachineLike,
    NetworkLike,
    PlacementLike,
    RobotLike,
    SchemeLike,
    Wrenches,
    machine_of,
    options_of,
    robot_of,
    scheme_of,
    where_of,
)
from meshsim.experiments.reports.explanation import ExplainReport
from meshsim.experiments.store.progress import tell
from meshsim.experiments.studies.explain import crossings, in_any_order, side
from meshsim.retiming import check_kahn

MOST_MESSAGES = 10_000
"""Of runs whose best orders are looked for without being asked."""


def explain(
    scheme: SchemeLike,
    rival: SchemeLike,
    robot: RobotLike,
    machine: MachineLike,
    options: Mapping[str, object] | None = None,
    rival_options: Mapping[str, object] | None = None,
    orders: bool = False,
    wrenches: Wrenches | None = None,
    network: NetworkLike | None = None,
    processors: int | None = None,
    placement: PlacementLike | None = None,
    dead: Dead = (),
) -> ExplainReport:
    """Say why one scheme is faster than another, and by how much each cost must change until the other is.

    Parameters
    ----------
    scheme, rival : str or Scheme
        Whom to compare.
    robot : str or path or Mechanism
        What they compute the dynamics of.
    machine : str or path or Machine
        What they run on; one whose runs can be re-timed, unless a network is told.
    options, rival_options : mapping, optional
        Options of both.
    orders : bool
        Look for the best order of the work of both even where that takes long.
    wrenches : mapping, optional
        What acts on bodies, as `run` takes it.
    network, processors, placement, dead
        Where both run, if not on their own networks; as `run` takes them. What cannot be re-timed there is simulated,
        and costs at which the other would be the faster are not looked for.

    Returns
    -------
    ExplainReport
        Both runs, the reason in `sentences`, and where the other becomes the faster.
    """
    where = where_of(network, processors, placement, dead)
    schemes = [scheme_of(each) for each in (scheme, rival)]
    target = machine_of(machine)
    if not where:
        check_kahn(target)
    mechanism = robot_of(robot, wrenches)
    tell("recording")
    given = zip(schemes, (options, rival_options), strict=True)
    settings = [(each, options_of(each, chosen, {})) for each, chosen in given]
    one, other = (side(each, mechanism, target, chosen, where) for each, chosen in settings)
    if where:
        tell("looking for crossovers")
        found = [] if one.inexact or other.inexact else crossings(one, other, target)
        tell("")
        return ExplainReport(mechanism.name, target, one, other, found)
    if orders or max(one.recording.messages, other.recording.messages) <= MOST_MESSAGES:
        tell("looking for the best orders")
        pairs = zip((one, other), settings, strict=True)
        one, other = (in_any_order(each, scheme, mechanism, target, chosen) for each, (scheme, chosen) in pairs)
    tell("looking for crossovers")
    found = crossings(one, other, target)
    tell("")
    return ExplainReport(mechanism.name, target, one, other, found)
