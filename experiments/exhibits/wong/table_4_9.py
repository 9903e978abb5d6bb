"""Hwang's algorithm, operation by operation."""

from typing import NamedTuple

from meshsim.algorithms.solvers.catalogue import SOLVERS, load_system
from meshsim.experiments.exhibits.base.exhibit import Computed, Exhibit, Line
from meshsim.experiments.exhibits.base.schedules import CENTRE, FORM, MATVEC, Atom, Names, cost, counted
from meshsim.experiments.studies.solvers import CYCLES
from meshsim.machine import OPERATIONS as COSTS
from meshsim.machine import LinkCosts, Machine

N = 8
STAGES = (N - 1).bit_length()
HOPS_MORE = STAGES - 2
"""Stages between the first and the last."""
HOP = "in stages between the first and the last the result of the cube met so far is handed over as well"
MATRIX = (
    f"all nine numbers of a matrix go and come; print's 6 a stage fits one column each way, sec. 4.7.1 hides two; {HOP}"
)
CONGRUENCE = "A J and six entries of its product with A^T; print has two thirds of two full products, 54 mul and 36 add"
CENTRES = "each body turns vectors of its own, none comes; a difference and a sum then make hinge and centre of mass"
HINGE = "operation 4 gives the hinge's position, a cross product is left; print does not say what the 8 adds are"
SHARED = "M_ij needs the outer body's K, so that B and B K of all are shared, 12 floats each, which go as well as come"
MATMUL, POSITION, INERTIA, CROSS, KB = (
    (name,) for name in ("matmul", "add_vectors", "add_inertias", "cross", "spatial_product")
)


class Operation(NamedTuple):
    """A line of the table, the atoms that it consists of, and those after which its messages go and come."""

    line: Line
    work: tuple[Names, ...]
    talk: tuple[Names, ...] = ()


OPERATIONS = [
    Operation(Line("1: A_i", [4, 0, 0, N]), (FORM,)),
    Operation(
        Line(
            "2: A_i0",
            [27 * STAGES, 18 * STAGES, 6 * STAGES, N],
            MATRIX,
            counted=[0, 0, (18 - 6) * STAGES + 9 * HOPS_MORE, 0],
        ),
        (MATMUL,),
        (FORM, MATMUL),
    ),
    Operation(
        Line("3: A J A^T", [36, 24, 0, N], CONGRUENCE, counted=[27 + 18 - 36, 18 + 12 - 24, 0, 0]),
        (("rotate_inertia",),),
    ),
    Operation(Line("4: v_i", [18, 15, 3, N], CENTRES, counted=[0, 3, -3, 0]), (MATVEC, CENTRE)),
    Operation(
        Line("5: x_i0", [0, 3 * STAGES, 6 * STAGES, N], HOP, counted=[0, 0, 3 * HOPS_MORE, 0]),
        (POSITION,),
        (MATVEC, POSITION),
    ),
    Operation(Line("6: m x", [3, 0, 0, N]), (("scale",),)),
    Operation(
        Line(
            "7, 8: J - m x~ x~",
            [6, 12, 0, N],
            "six entries are added to J, where print counts nine",
            counted=[0, 6 - 9, 0, 0],
        ),
        (("inertia_about_origin",),),
    ),
    Operation(Line("9: B_i", [6, 8, 0, N], HINGE), (CROSS,)),
    Operation(
        Line("10: K_i", [0, 10 * STAGES, 20 * STAGES, N], HOP, counted=[0, 0, 10 * HOPS_MORE, 0]),
        (INERTIA,),
        (CROSS, INERTIA),
    ),
    Operation(Line("11: B_i K_i", [36, 30, 0, N]), (KB,)),
    Operation(
        Line(
            "12: B_i K_i B_j",
            [6 * N, 5 * N, 6 * (N - 1), N],
            SHARED,
            counted=[0, 0, (2 * 12 - 6) * (N - 1), 0],
        ),
        (("spatial_dot",),),
        (KB,),
    ),
]
SUM = Line(
    "1 to 12",
    [109 + 27 * STAGES + 6 * N, 92 + 31 * STAGES + 5 * N, None, None],  # Wong Table 4.8, H
    "operation 3 takes 9 mul and 6 add more, operation 4 takes 3 add more, 7 and 8 take 3 fewer; that 9 takes 5 fewer "
    "is not explained",
    [sum(each.line.published[which] or 0 for each in OPERATIONS) for which in (0, 1)] + [None, None],
    "the sum of Table 4.9",
    counted=[9, 6 + 3 - 3, None, None],
)
SOLVER = Line(
    "13: solver",
    [7 * N - 5, 7 * N - 5, 7 * N - 5, N * (N + 1) // 2],
    "by data flow the last unknown leaves after 5n - 4 steps, and 5n - 5 floats pass one after the other: loading and "
    "unloading, 2n - 1 steps, hide behind the factorisation; n cells more substitute back",
    counted=[1 - 2 * N, 1 - 2 * N, -2 * N, N],
)
HOPS = Machine("floats one after the other", 1, dict.fromkeys(COSTS, 0), LinkCosts("overlap", per_word=1))


def _most(processors: list[list[Atom]]) -> list[int]:
    """The largest number of multiplies, and of adds, of any processor."""
    costs = [cost([kernel for atom in atoms for kernel in atom.kernels]) for atoms in processors]
    return [max(each[which] for each in costs) for which in (0, 1)]


def compute() -> Computed:
    """From the trace of a step on `ideal`, and the solver alone."""
    processors = [counted("hwang", N).atoms["M", i] for i in range(1, N + 1)]
    found: dict[str, list[float | None]] = {}
    for line, work, talk in OPERATIONS:
        shares = [[atom for atom in atoms if atom.names in work] for atoms in processors]
        after = [[message for atom in atoms if atom.names in talk for message in atom.after] for atoms in processors]
        words = max(sum(message.words for message in each) for each in after)
        found[line.label] = [*_most(shares), words, sum(1 for share in shares if share)]
    known = {names for operation in OPERATIONS for names in operation.work}
    others = _most([[atom for atom in atoms if atom.names not in known] for atoms in processors])
    found[SUM.label] = [sum(row[which] or 0 for row in found.values()) + others[which] for which in (0, 1)]
    found[SUM.label] += [None, None]
    solver = SOLVERS["liu-young"].plan(*load_system(f"symmetric:{N}:1"))
    steps, hops = (solver.run(machine, trace=False) for machine in (CYCLES, HOPS))
    last = steps.phases["last_unknown"]
    return found | {SOLVER.label: [last, last, hops.phases["last_unknown"], steps.processors]}


EXHIBIT = Exhibit(
    "wong-table-4.9",
    f"Hwang's algorithm, operation by operation, for n = {N}",
    ["mul", "add", "floats", "cpus"],
    [*(operation.line for operation in OPERATIONS), SUM, SOLVER],
    compute,
    "Computed: the most that one of the processors that form M does for an operation, and the floats that it sends and "
    "receives for it. Published for 1 to 12 is Table 4.8; corrected by the sum of Table 4.9. Operation 13: the steps "
    "till Liu and Young's last unknown leaves, a multiply and an add each, and the floats that pass one after another.",
)
