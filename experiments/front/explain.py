"""`meshsim explain` in Python."""

from collections.abc import Mapping

from meshsim.experiments.front.resolve import (
    MachineLike,
    RobotLike,
    SchemeLike,
    machine_of,
    options_of,
    robot_of,
    scheme_of,
)
from meshsim.experiments.reports.explanation import ExplainReport
from meshsim.experiments.store.progress import tell
from meshsim.experiments.studies.explain import crossings, side
from meshsim.retiming import check_kahn


def explain(
    scheme: SchemeLike,
    rival: SchemeLike,
    robot: RobotLike,
    machine: MachineLike,
    options: Mapping[str, object] | None = None,
    rival_options: Mapping[str, object] | None = None,
    orders: bool = False,
) -> ExplainReport:
    """Say why one scheme is faster than another, and by how much each cost must change until the other is.

    Parameters
    ----------
    scheme, rival : str or Scheme
        Whom to compare.
    robot : str, path or Mechanism
        What they compute the dynamics of.
    machine : str, path or Machine
        What they run on; one whose runs can be re-timed.
    options, rival_options : mapping, optional
        Options of both.
    orders : bool
        Look for the best order of the work of both even where that takes long.
    """
    schemes = [scheme_of(each) for each in (scheme, rival)]
    target = machine_of(machine)
    check_kahn(target)
    mechanism = robot_of(robot)
    tell("recording, and looking for the best orders")
    given = zip(schemes, (options, rival_options), strict=True)
    one, other = (side(each, mechanism, target, options_of(each, chosen, {}), orders) for each, chosen in given)
    tell("looking for crossovers")
    found = crossings(one, other, target)
    tell("")
    return ExplainReport(mechanism.name, target, one, other, found)
