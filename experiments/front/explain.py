"""`meshsim explain` in Python."""

from meshsim.experiments.front.resolve import MachineLike, RobotLike, SchemeLike, machine_of, robot_of, scheme_of
from meshsim.experiments.reports.explanation import ExplainReport
from meshsim.experiments.store.progress import tell
from meshsim.experiments.studies.explain import crossings, side
from meshsim.retiming import check_kahn


def explain(scheme: SchemeLike, rival: SchemeLike, robot: RobotLike, machine: MachineLike) -> ExplainReport:
    """Say why one scheme is faster than another, and by how much each cost must change until the other is.

    Parameters
    ----------
    scheme, rival : str or Scheme
        Whom to compare.
    robot : str, path or Mechanism
        What they compute the dynamics of.
    machine : str, path or Machine
        What they run on; one whose runs can be re-timed.
    """
    schemes = [scheme_of(each) for each in (scheme, rival)]
    target = machine_of(machine)
    check_kahn(target)
    mechanism = robot_of(robot)
    tell("recording")
    one, other = (side(each, mechanism, target) for each in schemes)
    tell("looking for crossings")
    found = crossings(one, other, target)
    tell("")
    return ExplainReport(mechanism.name, target, one, other, found)
