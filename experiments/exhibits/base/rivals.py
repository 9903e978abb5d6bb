"""The parallel schemes on `ideal`, where words are free: simulated, and by the thesis's polynomials."""

from collections.abc import Mapping, Sequence
from functools import cache

from meshsim.algorithms.reference.dense import Dynamics
from meshsim.algorithms.robots.catalogue import chain
from meshsim.algorithms.robots.state import default_state
from meshsim.algorithms.schemes.catalogue import load_scheme
from meshsim.experiments.studies import crossover
from meshsim.outcome import Run
from meshsim.presets import PRESETS

LETTERS = {
    "L": "lee-chang",
    "W": "wong-mesh",
    "A": "amin-javaheri",
    "F": "fijany-bejczy",
    "H": "hwang",
}
CAUSES = {
    "L": "a stage of doubling takes 27 multiplies against 31 (and 30 adds against 28), and one entry of M is not "
    "formed twice; the thesis does not derive the polynomial",
    "A": "print counts an add as a cycle of 1 us; counted so, ours takes 216 + 57 log n + 20 (n - 1) cycles: more that "
    "does not depend on n, less a stage and a joint; what lies behind the print is not in the thesis",
    "F": "the published scheme doubles more than ours (48 mul and 63 add a stage against 27 and 30); what, the thesis "
    "does not say",
    "H": "six entries of a congruence take 45 mul and 30 add, not the 36 and 24 of Table 4.9; positions take 3 adds "
    "more, moments and B 8 fewer; where n is no power of two, corners of the cube lack partners",
}
"""Why the simulated inertia phase is not the published one; docs/findings.md has it operation by operation."""


@cache
def simulated(letter: str, n: int) -> Run[Dynamics]:
    """A step on a random chain; the mesh passes rho x c on."""
    robot = chain(n, 1)
    return load_scheme(LETTERS[letter]).plan(robot, default_state(robot)).run(PRESETS["ideal"], trace=False)


def phase_us(letter: str, phase: str, sizes: Sequence[int]) -> list[float]:
    """When a phase ends, in us."""
    return [PRESETS["ideal"].microseconds(simulated(letter, n).phases[phase]) for n in sizes]


def published_us(letter: str, phase: str, sizes: Sequence[int]) -> list[float]:
    """A polynomial of Table 4.8 in us: a multiply 1, an add 0.5."""  # Wong sec. 4.7.5
    scheme = load_scheme(LETTERS[letter])
    times = [crossover.published_us(scheme, phase, n) for n in sizes]
    return [time for time in times if time is not None]


def cheapest_up_to(times: Mapping[str, Sequence[float]], sizes: Sequence[int], letter: str = "W") -> int:
    """The last n of an unbroken row of sizes for which a scheme is no slower than any other."""
    last = 0
    for place, n in enumerate(sizes):
        if any(series[place] < times[letter][place] for series in times.values()):
            break
        last = n
    return last
