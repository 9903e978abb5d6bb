"""Parallel computational complexity, all schemes."""

from collections.abc import Callable

from meshsim.algorithms.solvers.catalogue import SOLVERS, load_system
from meshsim.experiments.exhibits.base.exhibit import Computed, Exhibit, Line
from meshsim.experiments.exhibits.base.rivals import CAUSES, phase_us, published_us, simulated
from meshsim.presets import PRESETS

SIZES = (2, 4, 6, 8, 12, 16, 24)
LIU_CAUSE = (
    "by data flow the last unknown leaves after 5n - 4 steps, not 7n - 5: loading and unloading hide behind the "
    "factorisation; divisions and a root in every row come on top"
)
LU_CAUSE = "2n - 1 divisions lie on the critical path, where the thesis counts one; the last step is step 4n - 2"
SOLVER_LINES: dict[str, tuple[Callable[[int], int], int, str]] = {
    "L": (lambda n: 7 * n - 5, 0, LIU_CAUSE),
    "W": (lambda n: 4 * n, 1, LU_CAUSE),
    "H": (lambda n: 7 * n - 5, 0, LIU_CAUSE),
}
"""Cycles of a multiply and an add each, and what comes on top."""
SOLVERS_OF = {"L": "liu-young", "W": "feedforward-lu", "H": "liu-young"}
FORCE_CAUSES = {
    "L": "the published count leaves out the doubling of rotations, 27 mul a stage, which M has already; ours stands "
    "on processors of its own and does it again",
    "W": "eq. 4.12 is an upper bound: it adds the worst of each part, and row 0 runs ahead of it",
}
SUM_CAUSES = {letter: f"{CAUSES[letter]}; solver: {LIU_CAUSE}" for letter in "LH"} | {
    "W": f"{CAUSES['W']}; print leaves f_v out, which is the longer branch"
}


def _solver_us(letter: str, n: int) -> float:
    machine = PRESETS["ideal"]
    run = SOLVERS[SOLVERS_OF[letter]].plan(*load_system(f"symmetric:{n}:1")).run(machine, trace=False)
    return machine.microseconds(run.phases["last_unknown"])


def _lines() -> list[Line]:
    lines = [Line(f"{each}, f_v", published_us(each, "force", SIZES), FORCE_CAUSES[each]) for each in "LW"]
    lines += [Line(f"{each}, M", published_us(each, "inertia", SIZES), CAUSES[each]) for each in "LWAFH"]
    lines += [
        Line(f"{each}, solver", [1.5 * cycles(n) + extra for n in SIZES], cause)
        for each, (cycles, extra, cause) in SOLVER_LINES.items()
    ]
    lines += [Line(f"{each}, sum", published_us(each, "inertia+solver", SIZES), SUM_CAUSES[each]) for each in "LWH"]
    count = [n * (n + 1) // 2 + n for n in SIZES]
    return [*lines, Line("W, processors", count, "(0, 0), which joins the mesh to the host, is one more")]


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
