"""Featherstone's divide and conquer, a unit a leaf: `dividing.py` on a tree of processors, a cube, a mesh or a row.

Three forms: `five` is the cheapest, and holds a joint of one freedom by five constraints in its own axes. `six` holds
by all six and gives way along freedoms, as joints of several do in any form: it takes no axes. `mixed` holds inertia
at the inboard handle of pieces and inverse inertia at the outboard one (`mixed.py`): it takes more time, and loses far
fewer digits on long or thin chains; only for chains whose joints have one freedom each.
"""

from collections.abc import Mapping, Sequence

from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.schemes.base.evaluation import Evaluation
from meshsim.algorithms.schemes.base.scheme import LINEAR, LOOPS, Scheme
from meshsim.algorithms.schemes.logarithmic.evaluations import laid_out
from meshsim.algorithms.schemes.logarithmic.mixed import MIXED
from meshsim.algorithms.schemes.logarithmic.mixed_leaves import mixed_single
from meshsim.algorithms.schemes.logarithmic.robot_units import Unit, units_of
from meshsim.algorithms.schemes.logarithmic.trees import (
    WAYS,
    Node,
    Seating,
    by_balance,
    by_halves,
    join_tree,
    on_numbers,
    on_tree,
    subsystems,
)
from meshsim.errors import MeshSimError

NAME = "dca"
BRANCHES = "branching joints"
TREES = frozenset({BRANCHES, "prismatic joints"})
"""What divide and conquer takes beyond chains of joints that turn."""


def seating(mechanism: Mechanism, units: list[Unit], network: str) -> Seating:
    """Which processor does what."""
    if network == "tree":
        return on_tree(roots_of(mechanism, units, [[i] for i in range(len(units))]))
    if not mechanism.is_chain:
        joint = mechanism.needs[BRANCHES]
        raise MeshSimError(
            f"{NAME} takes no {BRANCHES} with network={network}, and joint {joint!r} of {mechanism.name} is one; "
            "network=tree could take it"
        )
    return on_numbers(join_tree(units, [[i] for i in range(len(units))], by_halves), WAYS[network])


def roots_of(mechanism: Mechanism, units: Sequence[Unit], leaves: Sequence[Sequence[int]]) -> list[Node]:
    """A join tree for each subsystem: by halves of a chain, else by the balance of leaves."""
    split = by_halves if mechanism.is_chain else by_balance(units, leaves)
    together = [set(chosen) for chosen in subsystems(units)]
    return [join_tree(units, [leaf for leaf in leaves if leaf[0] in chosen], split) for chosen in together]


def make(mechanism: Mechanism, options: Mapping[str, str]) -> Evaluation:
    """One forward-dynamics step."""
    units, form = units_of(mechanism, NAME), options["form"]
    if form == "mixed":
        _check_mixed(mechanism, units)
        return laid_out(
            mechanism, units, seating(mechanism, units, options["network"]), form, source=mixed_single, pieces=MIXED
        )
    return laid_out(mechanism, units, seating(mechanism, units, options["network"]), form)


def _check_mixed(mechanism: Mechanism, units: Sequence[Unit]) -> None:
    """Refuse all but chains whose joints have one freedom each."""
    several = next((mechanism.bodies[unit.joints[0]].joint for unit in units if len(unit.joints) > 1), None)
    wrong = {need: mechanism.needs.get(need) for need in (LOOPS, BRANCHES)} | {"joints of several freedoms": several}
    for what, joint in wrong.items():
        if joint is not None:
            raise MeshSimError(
                f"{NAME} takes no {what} with form=mixed, and {mechanism.name} has {joint!r}; form=five or form=six "
                "could take it"
            )


DCA = Scheme(
    name=NAME,
    summary="divide and conquer: pieces with two handles, joined by halves on a tree, a cube, a mesh or a row",
    make=make,
    options={"network": ("tree", "hypercube", "mesh", "pipeline"), "form": ("five", "six", "mixed")},
    takes=TREES | {LOOPS},
    tried={"network": ("tree", "hypercube")},
    slower={"form": ("six", "mixed")},
    largest=LINEAR,
)
