"""Hwang's algorithm, operation by operation."""

from algorithms.solvers import SOLVERS, load_system
from experiments.exhibit import Computed, Exhibit, Line
from experiments.exhibits._schedules import FORM, MATVEC, Atom, Names, counted
from experiments.solver_study import CYCLES
from meshsim.machine import Links
from meshsim.machine import Machine, OPERATIONS

N = 8
STAGES = (N - 1).bit_length()
CENTRE: Names = ("subtract_vectors", "add_vectors")
HOP = "between the first and the last stage the result of the cube met so far is handed over once more"
LINES = [
    Line("1: A_i", [4, 0, 0, N]),
    Line(
        "2: A_i0",
        [27 * STAGES, 18 * STAGES, 6 * STAGES, N],
        "a matrix has nine numbers, and both go; 6 a stage is one column each way, the other two being hidden as in "
        f"section 4.7.1; {HOP}",
    ),
    Line(
        "3: A J A^T",
        [36, 24, 0, N],
        "A J takes 27 mul and 18 add, and the six entries of its product with A^T 18 and 12; print is one third less "
        "than 54 and 36, and does not say how",
    ),
    Line(
        "4: v_i",
        [18, 15, 3, N],
        "each body turns vectors of its own, so that none comes; hinge and centre of mass then take a difference and a sum",
    ),
    Line("5: x_i0", [0, 3 * STAGES, 6 * STAGES, N], HOP),
    Line("6: m x", [3, 0, 0, N]),
    Line("7, 8: J - m x~ x~", [6, 12, 0, N], "six entries are added to J, where print counts nine"),
    Line(
        "9: B_i",
        [6, 8, 0, N],
        "the hinge's position is there from operation 4, so that a cross product is left; print does not say what "
        "the 8 adds are",
    ),
    Line("10: K_i", [0, 10 * STAGES, 20 * STAGES, N], HOP),
    Line("11: B_i K_i", [36, 30, 0, N]),
    Line(
        "12: B_i K_i B_j",
        [6 * N, 5 * N, 6 * (N - 1), N],
        "B_i K_i B_j is M_ij only for the outer body's K, so that B and B K of all are shared, 12 floats each, and they "
        "go as well as come",
    ),
    Line(
        "1 to 12",
        [109 + 27 * STAGES + 6 * N, 92 + 31 * STAGES + 5 * N, None, None],
        "operation 3 takes 9 mul and 6 add more, operation 4 takes 3 add more, 7 to 9 take 8 fewer",
        [109 + 27 * STAGES + 6 * N, 89 + 31 * STAGES + 5 * N, None, None],
    ),
    Line(
        "13: solver",
        [7 * N - 5, 7 * N - 5, 7 * N - 5, N * (N + 1) // 2],
        "by data flow the last unknown leaves after 5n - 4 steps, and 5n - 5 floats pass one after the other: loading "
        "and unloading hide behind the factorisation; n cells more substitute back",
    ),
]
WORK: dict[str, tuple[Names, ...]] = {
    "1: A_i": (FORM,),
    "2: A_i0": (("matmul",),),
    "3: A J A^T": (("rotate_inertia",),),
    "4: v_i": (MATVEC, CENTRE),
    "5: x_i0": (("add_vectors",),),
    "6: m x": (("scale",),),
    "7, 8: J - m x~ x~": (("inertia_about_origin",),),
    "9: B_i": (("cross",),),
    "10: K_i": (("add_inertias",),),
    "11: B_i K_i": (("spatial_product",),),
    "12: B_i K_i B_j": (("spatial_dot",),),
}
"""What each operation consists of."""
TALK: dict[str, tuple[Names, ...]] = {
    "2: A_i0": (FORM, ("matmul",)),
    "5: x_i0": (MATVEC, ("add_vectors",)),
    "10: K_i": (("cross",), ("add_inertias",)),
    "12: B_i K_i B_j": (("spatial_product",),),
}
"""After what an operation's messages go and come; row i of M, which goes to the solver in the end, is left out."""
HOPS = Machine("words one after the other", 1, dict.fromkeys(OPERATIONS, 0), Links("overlap", per_word=1))


def _row(processors: list[list[Atom]], label: str) -> list[float | None]:
    """The most that a processor does, sends and receives for an operation, and how many have a share in it."""
    shares = [[atom for atom in atoms if atom.names in WORK[label]] for atoms in processors]
    mul, add = (max(sum(atom.cost[which] for atom in share) for share in shares) for which in (0, 1))
    talk = [[atom for atom in atoms if atom.names in TALK.get(label, ())] for atoms in processors]
    words = max(sum(message.words for atom in each for message in atom.after) for each in talk)
    return [mul, add, words, sum(1 for share in shares if share)]


def compute() -> Computed:
    """From the trace of a step on `ideal`, and the solver alone."""
    schedule = counted("hwang", N)
    processors = [schedule.atoms["M", i] for i in range(1, N + 1)]
    found = {label: _row(processors, label) for label in WORK}
    known = {names for each in WORK.values() for names in each}
    others = [[atom.cost for atom in atoms if atom.names not in known] for atoms in processors]
    found["1 to 12"] = [
        sum(row[which] or 0 for row in found.values()) + max(sum(each[which] for each in other) for other in others)
        for which in (0, 1)
    ] + [None, None]
    solver = SOLVERS["liu-young"].plan(*load_system(f"symmetric:{N}:1"))
    steps, words = (solver.run(machine, trace=False) for machine in (CYCLES, HOPS))
    cycles = steps.phases["last_unknown"]
    return found | {"13: solver": [cycles, cycles, words.phases["last_unknown"], steps.processors]}


EXHIBIT = Exhibit(
    "wong-table-4.9",
    f"Hwang's algorithm, operation by operation, for n = {N}",
    ["mul", "add", "floats", "cpus"],
    LINES,
    compute,
    "Computed: the most that one of the processors that form M does for an operation, and the floats that it sends and "
    "receives for it. The line 1 to 12 has what Table 4.8 prints; its formula is the sum of Table 4.9. Operation 13: the "
    "steps till Liu and Young's last unknown leaves, a multiply and an add each, and the floats that pass one after the "
    "other.",
)
