"""Parallel computational complexity, all schemes."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from meshsim.algorithms.solvers.catalogue import SOLVERS, load_system
from meshsim.experiments.exhibits.base.exhibit import Computed, Exhibit, Line
from meshsim.experiments.exhibits.base.rivals import CAUSES, phase_us, published_us, simulated
from meshsim.presets import PRESETS

SIZES = (2, 4, 6, 8, 12, 16, 24)
LIU_CAUSE = (
    "on the critical path lie 5n - 7 products with a subtraction and 2 divisions, where print has 7n - 5 cycles of a "
    "multiply and an add: loading and unloading hide behind the factorisation"
)
LU_CAUSE = "on the critical path lie 4n - 2 cycles of a multiply and an add and 2n - 1 divisions; print has 4n and one"


class Solver(NamedTuple):
    """What a solver takes, in print and by our count, in us; and why."""

    printed: Callable[[int], float]
    counted: Callable[[int], float]
    reason: str


LIU = Solver(lambda n: 1.5 * (7 * n - 5), lambda n: 1.5 * (5 * n - 7) + 2, LIU_CAUSE)
LU = Solver(lambda n: 1.5 * 4 * n + 1, lambda n: 1.5 * (4 * n - 2) + 2 * n - 1, LU_CAUSE)
SOLVER_LINES = {"L": LIU, "W": LU, "H": LIU}
SOLVERS_OF = {"L": "liu-young", "W": "feedforward-lu", "H": "liu-young"}
FORCE_CAUSES = {
    "L": "the published count leaves out the doubling of rotations, 27 mul a stage, which M has already; ours stands "
    "on processors of its own and does it again",
    "W": "eq. 4.12 is an upper bound: it adds the worst of each part, and row 0 runs ahead of it",
}
SUM_CAUSES = {letter: f"{CAUSES[letter]}; solver: {LIU_CAUSE}" for letter in "LH"} | {
    "W": f"the solver: {LU_CAUSE}; with less than six joints f_v, which print leaves out, is the longer branch"
}


def more(way: Solver, sizes: Sequence[int]) -> list[float]:
    """How much more a solver takes than print has, in us."""
    return [way.counted(n) - way.printed(n) for n in sizes]


def _solver_us(letter: str, n: int) -> float:
    machine = PRESETS["ideal"]
    run = SOLVERS[SOLVERS_OF[letter]].plan(*load_system(f"symmetric:{n}:1")).run(machine, trace=False)
    return machine.microseconds(run.phases["last_unknown"])


def _lines() -> list[Line]:
    lines = [Line(f"{each}, f_v", published_us(each, "force", SIZES), FORCE_CAUSES[each]) for each in "LW"]
    lines += [Line(f"{each}, M", published_us(each, "inertia", SIZES), CAUSES.get(each, "")) for each in "LWAFH"]
    lines += [
        Line(f"{each}, solver", [way.printed(n) for n in SIZES], way.reason, counted=more(way, SIZES))
        for each, way in SOLVER_LINES.items()
    ]
    lines += [
        Line(
            f"{each}, sum",
            published_us(each, "inertia+solver", SIZES),
            SUM_CAUSES[each],
            counted=more(LU, SIZES) if each == "W" else None,
        )
        for each in "LWH"
    ]
    count = [n * (n + 1) // 2 + n for n in SIZES]
    host = "(0, 0), which joins the mesh to the host, is one more"
    return [*lines, Line("W, processors", count, host, counted=[1] * len(SIZES))]


def compute() -> Computed:
    """Simulated times on `ideal`, in us."""
    found: dict[str, list[float]] = {f"{each}, f_v": phase_us(each, "force", SIZES) for each in "LW"}
    found |= {f"{each}, M": phase_us(each, "inertia", SIZES) for each in "LWAFH"}
    found |= {f"{each}, solver": [_solver_us(each, n) for n in SIZES] for each in "LWH"}
    found |= {f"{each}, sum": phase_us(each, "solve", SIZES) for each in "LWH"}
    return found | {"W, processors": [simulated("W", n).processors for n in SIZES]}


EXHIBIT = Exhibit(
    "wong-table-4.8",
    "Parallel computational complexity of all schemes, in us on `ideal`",
    [f"n = {n}" for n in SIZES],
    _lines(),
    compute,
    "Published: the table's polynomials, a multiply 1 us and an add 0.5 us. Computed: when the last processor ends the "
    "phase, words being free. L Lee and Chang, W Wong, A Amin-Javaheri and Orin, F Fijany and Bejczy, H Hwang.",
)
