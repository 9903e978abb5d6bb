"""Which schemes take what, for tests that go through all of them."""

from meshsim.algorithms.robots.catalogue import chain
from meshsim.algorithms.schemes.catalogue import SCHEMES
from meshsim.algorithms.schemes.takers import takers

CHAINS = {scheme.name: scheme for scheme in takers(chain(2, 1))}
"""For chains of revolute joints."""
LOOPS = {name: scheme for name, scheme in SCHEMES.items() if "loops" in scheme.takes}
"""For mechanisms with loops, inverse dynamics included."""
