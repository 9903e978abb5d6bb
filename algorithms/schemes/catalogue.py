"""The schemes by name."""

from collections.abc import Callable

from meshsim.algorithms.robots.compound import whole_joint
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.reduced import reduced
from meshsim.algorithms.robots.state import default_state
from meshsim.algorithms.schemes.base.evaluation import CellEvaluation, Evaluation
from meshsim.algorithms.schemes.base.scheme import MIMICS, SLIDES, Scheme
from meshsim.algorithms.schemes.branch.branch_parallel import BRANCH_PARALLEL
from meshsim.algorithms.schemes.logarithmic.cfa import CFA
from meshsim.algorithms.schemes.logarithmic.dca import DCA
from meshsim.algorithms.schemes.logarithmic.hybrid import HYBRID
from meshsim.algorithms.schemes.logarithmic.scan import SCAN
from meshsim.algorithms.schemes.loops.method import SiteEvaluation
from meshsim.algorithms.schemes.loops.methods import LOOP_SCHEMES
from meshsim.algorithms.schemes.mesh.triangle import TRIANGLE
from meshsim.algorithms.schemes.mesh.wong_mesh import WONG_MESH
from meshsim.algorithms.schemes.one.one_angeles import ONE_ANGELES
from meshsim.algorithms.schemes.one.one_bae import ONE_BAE
from meshsim.algorithms.schemes.one.one_featherstone import ONE_FEATHERSTONE
from meshsim.algorithms.schemes.one.one_luh_walker_paul import ONE_LUH_WALKER_PAUL
from meshsim.algorithms.schemes.one.one_saha import ONE_SAHA
from meshsim.algorithms.schemes.one.one_walker_orin import ONE_WALKER_ORIN
from meshsim.algorithms.schemes.one.one_wong import ONE_WONG
from meshsim.algorithms.schemes.rivals.amin_javaheri import AMIN_JAVAHERI
from meshsim.algorithms.schemes.rivals.fijany_bejczy import FIJANY_BEJCZY
from meshsim.algorithms.schemes.rivals.hwang import HWANG
from meshsim.algorithms.schemes.rivals.lee_chang import LEE_CHANG
from meshsim.catalogue import Catalogue, instances
from meshsim.errors import MeshSimError

LOGARITHMIC = (DCA, SCAN, HYBRID, CFA)
PARALLEL = (WONG_MESH, LEE_CHANG, AMIN_JAVAHERI, FIJANY_BEJCZY, HWANG, TRIANGLE, *LOGARITHMIC)
"""What is compared for chains: the thesis's five, then what came after them."""
ONE_PROCESSOR = (ONE_WONG, ONE_ANGELES, ONE_WALKER_ORIN, ONE_FEATHERSTONE, ONE_SAHA, ONE_BAE)
SCHEMES = Catalogue(
    "scheme",
    {
        scheme.name: scheme
        for scheme in (
            *(each for each in PARALLEL if each not in LOGARITHMIC),
            BRANCH_PARALLEL,
            *ONE_PROCESSOR,
            ONE_LUH_WALKER_PAUL,
            *LOGARITHMIC,
            *LOOP_SCHEMES,
        )
    },
    instances(Scheme),
)


MOST_LOCKS = 3
"""So many joints a message asks to lock; with more it would be another robot."""


def load_scheme(name: str) -> Scheme:
    """The scheme that a text names.

    Parameters
    ----------
    name : str
        The name of one that is built in, registered or installed (`listing("schemes")`), or ``file.py:NAME``.

    Returns
    -------
    Scheme
        The scheme.

    Raises
    ------
    MeshSimError
        If there is none of this name.
    """
    scheme = SCHEMES.find(name)
    if scheme is None:
        raise MeshSimError(f"unknown scheme {name!r}; known: {SCHEMES.names}")
    return scheme


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
