"""Lee and Chang's inertia matrix against Amin-Javaheri and Orin's, in cycles."""

from functools import cache

from meshsim.algorithms.robots.catalogue import chain
from meshsim.algorithms.robots.state import default_state
from meshsim.algorithms.schemes.catalogue import load_scheme
from meshsim.experiments.exhibits.base.exhibit import Appendix, Computed, Exhibit, Line
from meshsim.experiments.exhibits.base.rivals import CAUSES, LETTERS
from meshsim.machine import LinkCosts, Machine

N = 8
CYCLE = Machine(
    "a cycle a multiply or add", 1, {"mul": 1, "add": 1, "div": 1, "sqrt": 1, "sincos": 0}, LinkCosts("free")
)
LEE = Line(
    "Lee and Chang",
    [473, 473],
    CAUSES["L"],
    [9 * 5 + 31 * 3 + 116 + 5 * 5 + 28 * 3 + 3 * N + 92] * 2,
    "row L of Table 4.8 at n = 8, 254 multiplies and 225 adds",
)
AMIN = Line("Amin-Javaheri and Orin", [512, 512], CAUSES["A"])
NETWORKS = ("hypercube", "pipeline", "mesh")
SIZES = (2, 4, 8, 16, 24)


@cache
def cycles(letter: str, n: int, **options: str) -> int:
    """When M is formed, a multiply and an add a cycle each, words free."""
    robot = chain(n, 1)
    plan = load_scheme(LETTERS[letter]).plan(robot, default_state(robot), **options)
    return plan.run(CYCLE, trace=False).phases["inertia"]


def by_polynomial(letter: str, n: int) -> int:
    """The row of Table 4.8, multiplies and adds alike."""
    scheme = load_scheme(LETTERS[letter])
    count = scheme.published(n, scheme.choose({}))["inertia"]
    return count.mul + count.add


def compute() -> Computed:
    """By the table, and from runs."""
    return {line.label: [by_polynomial(each, N), cycles(each, N)] for each, line in (("L", LEE), ("A", AMIN))}


def appendix() -> Appendix:
    """Other sizes, and Amin-Javaheri and Orin's other networks, of which the thesis says that they take O(n)."""
    rows = [["Lee and Chang, generalised cube", *(str(cycles("L", n)) for n in SIZES)]]
    for network in NETWORKS:
        rows.append([f"Amin-Javaheri and Orin, {network}", *(str(cycles("A", n, network=network)) for n in SIZES)])
    return Appendix("Cycles till M is formed, simulated", ["scheme", *(f"n = {n}" for n in SIZES)], rows)


EXHIBIT = Exhibit(
    "wong-sec-4.7.2",
    f"The inertia matrix by Lee and Chang and by Amin-Javaheri and Orin, n = {N}, in cycles",
    ["by Table 4.8", "simulated"],
    [LEE, AMIN],
    compute,
    "A multiply and an add take a cycle each; words are free. The text calls the two very close.",
    appendix=appendix,
)
