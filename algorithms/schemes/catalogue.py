"""The schemes by name."""

from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.schemes.base.scheme import Scheme
from meshsim.algorithms.schemes.branch.branch_parallel import BRANCH_PARALLEL
from meshsim.algorithms.schemes.loops.methods import LOOP_SCHEMES
from meshsim.algorithms.schemes.mesh.wong_mesh import WONG_MESH
from meshsim.algorithms.schemes.one.one_angeles import ONE_ANGELES
from meshsim.algorithms.schemes.one.one_bae import ONE_BAE
from meshsim.algorithms.schemes.one.one_featherstone import ONE_FEATHERSTONE
from meshsim.algorithms.schemes.one.one_saha import ONE_SAHA
from meshsim.algorithms.schemes.one.one_walker_orin import ONE_WALKER_ORIN
from meshsim.algorithms.schemes.one.one_wong import ONE_WONG
from meshsim.algorithms.schemes.rivals.amin_javaheri import AMIN_JAVAHERI
from meshsim.algorithms.schemes.rivals.fijany_bejczy import FIJANY_BEJCZY
from meshsim.algorithms.schemes.rivals.hwang import HWANG
from meshsim.algorithms.schemes.rivals.lee_chang import LEE_CHANG
from meshsim.errors import MeshSimError

PARALLEL = (WONG_MESH, LEE_CHANG, AMIN_JAVAHERI, FIJANY_BEJCZY, HWANG)
ONE_PROCESSOR = (ONE_WONG, ONE_ANGELES, ONE_WALKER_ORIN, ONE_FEATHERSTONE, ONE_SAHA, ONE_BAE)
SCHEMES: dict[str, Scheme] = {
    scheme.name: scheme for scheme in (*PARALLEL, BRANCH_PARALLEL, *ONE_PROCESSOR, *LOOP_SCHEMES)
}


def load_scheme(name: str) -> Scheme:
    """A scheme by its name."""
    if name not in SCHEMES:
        raise MeshSimError(f"unknown scheme {name!r}; known: {', '.join(SCHEMES)}")
    return SCHEMES[name]


def register(scheme: Scheme) -> Scheme:
    """Add a scheme of one's own, or put another in place of one with its name."""
    SCHEMES[scheme.name] = scheme
    return scheme


def takers(mechanism: Mechanism) -> list[Scheme]:
    """The schemes that compute the accelerations of a mechanism."""
    needs = mechanism.needs.keys()
    return [each for each in SCHEMES.values() if each.make and needs <= each.takes and each.wants <= needs]


def rescue(mechanism: Mechanism) -> str:
    """Who could take a mechanism, as the end of a sentence."""
    able = [scheme.name for scheme in takers(mechanism)]
    return f"{' or '.join(able)} could take it" if able else "no scheme could, only the dense reference"
