"""The schemes for mechanisms with loops: forward dynamics by a method, and inverse dynamics."""

from meshsim.algorithms.schemes.loops.denoc import DENOC
from meshsim.algorithms.schemes.loops.elimination import ELIMINATION
from meshsim.algorithms.schemes.loops.inverse import DENOC_INVERSE, NOC, SUBSYSTEMS, inverse_scheme, inversion
from meshsim.algorithms.schemes.loops.mesh_loops import MESH_LOOPS
from meshsim.algorithms.schemes.loops.method import Method, loop_scheme
from meshsim.algorithms.schemes.loops.multipliers import MULTIPLIERS
from meshsim.algorithms.schemes.loops.penalty import PENALTY
from meshsim.algorithms.schemes.loops.projection import PROJECTION

METHODS: dict[str, Method] = {method.name: method for method in (PENALTY, PROJECTION, DENOC, MULTIPLIERS, ELIMINATION)}
LOOP_SCHEMES = (
    loop_scheme(PENALTY),
    loop_scheme(PROJECTION),
    loop_scheme(DENOC, inversion(DENOC_INVERSE)),
    loop_scheme(MULTIPLIERS),
    loop_scheme(ELIMINATION),
    MESH_LOOPS,
    inverse_scheme(NOC),
    inverse_scheme(SUBSYSTEMS),
)
