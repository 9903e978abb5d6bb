"""The schemes by name; the file of each is imported when it is first asked for."""

from functools import partial
from typing import TYPE_CHECKING

from meshsim.catalogue import Catalogue, Lazily, imported
from meshsim.errors import MeshSimError

if TYPE_CHECKING:
    from meshsim.algorithms.schemes.base.scheme import Scheme

_CHAINS = {
    "wong-mesh": "meshsim.algorithms.schemes.mesh.wong_mesh:WONG_MESH",
    "lee-chang": "meshsim.algorithms.schemes.rivals.lee_chang:LEE_CHANG",
    "amin-javaheri": "meshsim.algorithms.schemes.rivals.amin_javaheri:AMIN_JAVAHERI",
    "fijany-bejczy": "meshsim.algorithms.schemes.rivals.fijany_bejczy:FIJANY_BEJCZY",
    "hwang": "meshsim.algorithms.schemes.rivals.hwang:HWANG",
    "triangle": "meshsim.algorithms.schemes.mesh.triangle:TRIANGLE",
}
_BRANCHES = {"branch-parallel": "meshsim.algorithms.schemes.branch.branch_parallel:BRANCH_PARALLEL"}
_ONE = {
    "one-wong": "meshsim.algorithms.schemes.one.one_wong:ONE_WONG",
    "one-angeles": "meshsim.algorithms.schemes.one.one_angeles:ONE_ANGELES",
    "one-walker-orin": "meshsim.algorithms.schemes.one.one_walker_orin:ONE_WALKER_ORIN",
    "one-featherstone": "meshsim.algorithms.schemes.one.one_featherstone:ONE_FEATHERSTONE",
    "one-saha": "meshsim.algorithms.schemes.one.one_saha:ONE_SAHA",
    "one-bae": "meshsim.algorithms.schemes.one.one_bae:ONE_BAE",
}
_TORQUES = {"one-luh-walker-paul": "meshsim.algorithms.schemes.one.one_luh_walker_paul:ONE_LUH_WALKER_PAUL"}
_LOGARITHMIC = {
    "dca": "meshsim.algorithms.schemes.logarithmic.dca:DCA",
    "scan": "meshsim.algorithms.schemes.logarithmic.scan:SCAN",
    "hybrid": "meshsim.algorithms.schemes.logarithmic.hybrid:HYBRID",
    "cfa": "meshsim.algorithms.schemes.logarithmic.cfa:CFA",
}
_LOOPS = {
    "penalty": "meshsim.algorithms.schemes.loops.methods:BY_PENALTY",
    "projection": "meshsim.algorithms.schemes.loops.methods:BY_PROJECTION",
    "denoc": "meshsim.algorithms.schemes.loops.methods:BY_DENOC",
    "multipliers": "meshsim.algorithms.schemes.loops.methods:BY_MULTIPLIERS",
    "elimination": "meshsim.algorithms.schemes.loops.methods:BY_ELIMINATION",
    "wong-mesh-loops": "meshsim.algorithms.schemes.loops.mesh_loops:MESH_LOOPS",
    "noc": "meshsim.algorithms.schemes.loops.methods:BY_NOC",
    "subsystems": "meshsim.algorithms.schemes.loops.methods:BY_SUBSYSTEMS",
}
LOGARITHMIC = tuple(_LOGARITHMIC)
PARALLEL = (*_CHAINS, *LOGARITHMIC)
"""What is compared for chains: the thesis's five, then what came after them."""
ONE_PROCESSOR = tuple(_ONE)


def _scheme(thing: object) -> "Scheme | None":
    """A scheme as it is."""
    from meshsim.algorithms.schemes.base.scheme import Scheme

    return thing if isinstance(thing, Scheme) else None


PLACES = {**_CHAINS, **_BRANCHES, **_ONE, **_TORQUES, **_LOGARITHMIC, **_LOOPS}
SCHEMES: "Catalogue[Scheme]" = Catalogue(
    "scheme", Lazily({name: partial(imported, place) for name, place in PLACES.items()}), _scheme
)


def load_scheme(name: str) -> "Scheme":
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
