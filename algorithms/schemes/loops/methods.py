"""The schemes for mechanisms with loops: forward dynamics by a method, and inverse dynamics."""

from meshsim.algorithms.schemes.loops.denoc import DENOC
from meshsim.algorithms.schemes.loops.elimination import ELIMINATION
from meshsim.algorithms.schemes.loops.inverse import DENOC_INVERSE, NOC, SUBSYSTEMS, inverse_scheme, inversion
from meshsim.algorithms.schemes.loops.method import Method, loop_scheme
from meshsim.algorithms.schemes.loops.multipliers import MULTIPLIERS
from meshsim.algorithms.schemes.loops.penalty import PENALTY
from meshsim.algorithms.schemes.loops.projection import PROJECTION

METHODS: dict[str, Method] = {method.name: method for method in (PENALTY, PROJECTION, DENOC, MULTIPLIERS, ELIMINATION)}
BY_PENALTY = loop_scheme(PENALTY)
BY_PROJECTION = loop_scheme(PROJECTION)
BY_DENOC = loop_scheme(DENOC, inversion(DENOC_INVERSE))
BY_MULTIPLIERS = loop_scheme(MULTIPLIERS)
BY_ELIMINATION = loop_scheme(ELIMINATION)
BY_NOC = inverse_scheme(NOC)
BY_SUBSYSTEMS = inverse_scheme(SUBSYSTEMS)
