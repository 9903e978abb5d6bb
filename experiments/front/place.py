"""`meshsim place` in Python."""

from collections.abc import Mapping

from meshsim.experiments.front.resolve import (
    Dead,
    MachineLike,
    NetworkLike,
    PlacementLike,
    RobotLike,
    SchemeLike,
    evaluation_of,
    machine_of,
    options_of,
    own_network,
    robot_of,
    scheme_of,
    state_of,
    where_of,
)
from meshsim.experiments.reports.placement import PlacementPage
from meshsim.experiments.studies.placing import look_at


def place(
    robot: RobotLike,
    scheme: SchemeLike,
    machine: MachineLike,
    network: NetworkLike | None = None,
    processors: int | None = None,
    placement: PlacementLike | None = None,
    dead: Dead = (),
    simulate: bool = True,
    options: Mapping[str, object] | None = None,
    **more: object,
) -> PlacementPage:
    """Show where the programs of a scheme go on a network, and what that costs.

    Parameters
    ----------
    robot, scheme, machine
        As `run` takes them.
    network, processors, placement, dead
        As `run` takes them; without network and processors, the scheme's own network.
    simulate : bool
        Run it, there and on the scheme's own network: without that there are no times and no conflicts.
    options : mapping, optional
        Options of the scheme; so are all other keywords.

    Returns
    -------
    PlacementPage
        The placement, work, traffic and times; `save` and `save_picture` write files.

    Examples
    --------
    >>> import meshsim as ms
    >>> ms.place("puma600", "wong-mesh", "t800", "ring:4", placement="blocks", simulate=False).look.report.word_hops
    618
    """
    chosen = scheme_of(scheme)
    elsewhere, others = own_network(chosen, network, processors, options, more)
    settings = options_of(chosen, options, others)
    target = machine_of(machine)
    where = where_of(elsewhere, processors, placement, dead)
    mechanism = robot_of(robot)
    evaluation = evaluation_of(chosen, mechanism, settings)
    plan = evaluation.plan(state_of(None, evaluation))
    return PlacementPage(chosen, settings, mechanism, look_at(plan, where, target, simulate))
