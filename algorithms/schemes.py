"""The schemes by name."""

from algorithms.amin_javaheri import AMIN_JAVAHERI
from algorithms.branch_parallel import BRANCH_PARALLEL
from algorithms.fijany_bejczy import FIJANY_BEJCZY
from algorithms.hwang import HWANG
from algorithms.lee_chang import LEE_CHANG
from algorithms.one_angeles import ONE_ANGELES
from algorithms.one_bae import ONE_BAE
from algorithms.one_featherstone import ONE_FEATHERSTONE
from algorithms.one_saha import ONE_SAHA
from algorithms.one_walker_orin import ONE_WALKER_ORIN
from algorithms.one_wong import ONE_WONG
from algorithms.scheme import Scheme
from algorithms.wong_mesh import WONG_MESH
from meshsim.errors import MeshSimError

PARALLEL = (WONG_MESH, LEE_CHANG, AMIN_JAVAHERI, FIJANY_BEJCZY, HWANG)
ONE_PROCESSOR = (ONE_WONG, ONE_ANGELES, ONE_WALKER_ORIN, ONE_FEATHERSTONE, ONE_SAHA, ONE_BAE)
SCHEMES: dict[str, Scheme] = {scheme.name: scheme for scheme in (*PARALLEL, BRANCH_PARALLEL, *ONE_PROCESSOR)}


def load_scheme(name: str) -> Scheme:
    """A scheme by its name."""
    if name not in SCHEMES:
        raise MeshSimError(f"unknown scheme {name!r}; known: {', '.join(SCHEMES)}")
    return SCHEMES[name]
