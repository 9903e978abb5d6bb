"""What the order of a scheme's work does: as written, the best order that is found, and what none can beat."""

from collections.abc import Mapping
from dataclasses import dataclass

from meshsim.algorithms.reference.dense import Dynamics
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.state import State
from meshsim.algorithms.schemes.base.scheme import Scheme
from meshsim.bounds import bound
from meshsim.dataflow import dataflow
from meshsim.experiments.studies.baseline import planned
from meshsim.formats import Format
from meshsim.machine import Machine
from meshsim.ordering import best_order
from meshsim.plan import Plan

ORDER = "order"
BEST = "best"
"""The option, and its value, with which any scheme runs in the best order that is found."""


@dataclass(frozen=True)
class OrderFree:
    """A scheme on a machine, whatever its order: bound <= ticks <= written.

    Attributes
    ----------
    plan : Plan
        The programs in the best order that was found.
    ticks : int
        What it takes.
    written : int
        What the scheme takes with the options given.
    bound : int
        What no order beats; `decides` says whether a path, a processor or a wire makes it so.
    found : str
        Where the best comes from.
    """

    plan: Plan[Dynamics]
    ticks: int
    written: int
    bound: int
    decides: str
    found: str


def order_free(
    scheme: Scheme,
    mechanism: Mechanism,
    state: State,
    options: Mapping[str, str],
    machine: Machine,
    form: Format | None = None,
) -> OrderFree:
    """Look for the best order, from the quickest that the scheme has by name.

    Orders by name send other messages, so that each has its own bound; the least of them holds for all.
    """
    given = dict(options)
    named = scheme.tried.get(ORDER, ())
    others = [value for value in named if value != given.get(ORDER, named[0])]
    choices = [given, *({**given, ORDER: value} for value in others)]
    possible = planned(scheme, mechanism, state, choices)
    plans = [plan.in_format(form) for _, _, plan in possible]
    ticks = [plan.run(machine, trace=False).ticks for plan in plans]
    quickest = ticks.index(min(ticks))
    flows = [dataflow(plan) for plan in plans]
    least = min((bound(flow, machine) for flow in flows), key=lambda each: each.ticks)
    found = best_order(plans[quickest], machine, flow=flows[quickest])
    name = f"{ORDER}={possible[quickest][0].get(ORDER, named[0])}, " if named else ""
    return OrderFree(found.plan, found.ticks, ticks[0], least.ticks, least.decides, f"{name}{found.won}")
