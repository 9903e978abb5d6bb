"""Featherstone's divide and conquer, a unit a leaf: `dividing.py` on a tree of processors, a cube, a mesh or a row."""

from collections.abc import Hashable, Mapping
from functools import partial

import numpy as np

from meshsim.algorithms.reference.dense import Dynamics
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.schemes.base.bodies import bodies_of, lift_of
from meshsim.algorithms.schemes.base.evaluation import Cell, CellEvaluation
from meshsim.algorithms.schemes.base.joints import lifted
from meshsim.algorithms.schemes.base.scheme import RefusedError, Scheme
from meshsim.algorithms.schemes.logarithmic.dividing import Accelerations, Seat, Work, run
from meshsim.algorithms.schemes.logarithmic.trees import (
    WAYS,
    Seating,
    by_balance,
    by_halves,
    join_tree,
    on_numbers,
    on_tree,
    subsystems,
)
from meshsim.algorithms.schemes.logarithmic.units import Unit, units_of

NAME = "dca"


def seating(mechanism: Mechanism, units: list[Unit], network: str) -> Seating:
    """Which processor does what."""
    if network == "tree":
        split = by_halves if mechanism.is_chain else by_balance(units)
        return on_tree([join_tree(units, chosen, split) for chosen in subsystems(units)])
    if not mechanism.is_chain:
        raise RefusedError(f"{NAME} takes no branching joints on a {network}, only with network=tree")
    return on_numbers(join_tree(units, range(len(units)), by_halves), WAYS[network])


def make(mechanism: Mechanism, options: Mapping[str, str]) -> CellEvaluation:
    """One forward-dynamics step."""
    units = units_of(mechanism, NAME)
    seats = seating(mechanism, units, options["network"])
    constants = bodies_of(mechanism)
    work = Work(units, [constants[unit.joints[0]].slides for unit in units], options["form"])
    cells: dict[Hashable, Cell] = {}
    for node, script in seats.scripts.items():
        leaf, root = seats.leaves.get(node), seats.roots.get(node)
        base = (
            ()
            if root is None
            else (0.0, 0.0, 0.0, *lifted(constants[units[root.units[0]].joints[0]], lift_of(mechanism)))
        )
        joints = () if leaf is None else tuple(joint for i in leaf.units for joint in units[i].joints)
        cells[node] = Cell(partial(run, seat=Seat(script, leaf, root, base), work=work), joints)

    def read(results: Mapping[Hashable, Accelerations]) -> Dynamics:
        qdd = np.zeros(mechanism.n)
        for node in seats.leaves:
            qdd[list(cells[node].joints)] = results[node]
        return Dynamics(None, None, qdd)

    return CellEvaluation(mechanism, seats.topology, cells, read, tuple(seats.leaves), list)


DCA = Scheme(
    name=NAME,
    summary="divide and conquer: pieces with two handles, joined by halves on a tree, a cube, a mesh or a row",
    make=make,
    options={"network": ("tree", "hypercube", "mesh", "pipeline"), "form": ("five", "six")},
    takes=frozenset({"branching joints", "prismatic joints"}),
)
