"""Which schemes take a robot, and what those that do not would take."""

from collections.abc import Callable

from meshsim.algorithms.robots.compound import whole_joint
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.reduced import reduced
from meshsim.algorithms.robots.state import default_state
from meshsim.algorithms.schemes.base.evaluation import CellEvaluation, Evaluation
from meshsim.algorithms.schemes.base.scheme import MIMICS, SLIDES, Scheme
from meshsim.algorithms.schemes.catalogue import SCHEMES
from meshsim.algorithms.schemes.loops.method import SiteEvaluation
from meshsim.errors import MeshSimError

MOST_LOCKS = 3
"""So many joints a message asks to lock; with more it would be another robot."""


def takers(mechanism: Mechanism) -> list[Scheme]:
    """The schemes that compute the accelerations of a mechanism: each is tried, since some look at more than needs."""
    return [each for each in SCHEMES.values() if _accelerates(each, mechanism)]


def _accelerates(scheme: Scheme, mechanism: Mechanism) -> bool:
    try:
        found = scheme.evaluation(mechanism)
        if mechanism.cuts:  # some look at where loops stand
            found.plan(default_state(mechanism))
    except MeshSimError:
        return False
    return True


def inverters(mechanism: Mechanism) -> list[Scheme]:
    """The schemes that compute the torques of a mechanism: each is tried likewise."""
    return [each for each in SCHEMES.values() if each.inverse and _inverts(each, mechanism)]


def _inverts(scheme: Scheme, mechanism: Mechanism) -> bool:
    try:
        scheme.inversion(mechanism)
    except MeshSimError:
        return False
    return True


def moves(evaluation: Evaluation) -> bool:
    """Whether what evaluates a mechanism has states, and so can move it in time."""
    return isinstance(evaluation, CellEvaluation | SiteEvaluation)


def movers(mechanism: Mechanism) -> list[Scheme]:
    """The schemes that move a mechanism in time."""
    return [each for each in takers(mechanism) if moves(each.evaluation(mechanism))]


def rescue(mechanism: Mechanism, who: Callable[[Mechanism], list[Scheme]] = takers) -> str:
    """Who could take a mechanism: `takers`, `movers` or `inverters`, as the end of a sentence."""
    able = [scheme.name for scheme in who(mechanism)]
    return f"{' or '.join(able)} could take it" if able else "no scheme could, only the dense reference"


def with_locks(scheme: Scheme, mechanism: Mechanism, who: Callable[[Mechanism], list[Scheme]] = takers) -> str:
    """With which few joints locked a scheme would take a mechanism that it refuses; empty if no few would do."""
    names = [body.joint for body in mechanism.bodies]
    guilty: dict[str, None] = {}  # an ordered set
    for i, body in enumerate(mechanism.bodies):
        slides = body.kind == "prismatic" and SLIDES not in scheme.takes
        if slides or (body.tie is not None and MIMICS not in scheme.takes):
            master = names[i if body.tie is None else body.tie.master]
            guilty[whole_joint(master, names)[0] or master] = None
    if not 1 <= len(guilty) <= MOST_LOCKS:
        return ""
    try:
        able = scheme in who(reduced(mechanism, dict.fromkeys(guilty, 0.0)))
    except MeshSimError:
        return ""
    return f"; {scheme.name} could with --lock {','.join(guilty)}" if able else ""
