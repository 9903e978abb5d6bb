"""Closed mechanisms on the triangular mesh: M_c = G^T M_r G and H_c, solved on the cone.  # Wong sec. 6.4.3

Variant ``tree`` forms M_r on a mesh as large as the tree, and folds it; ``small`` forms M_c at once on one as large as
the freedoms (`mesh_tree.py`, `mesh_small.py`). In both the host's processor finds the loops (`mesh_host.py`).
"""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from meshsim.algorithms.robots.closure import check_actuation, check_rank
from meshsim.algorithms.robots.kinematics import joint_vector
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.schemes.loops.mesh_host import LoopHost
from meshsim.algorithms.schemes.loops.mesh_small import small_plan
from meshsim.algorithms.schemes.loops.mesh_tree import tree_plan
from meshsim.algorithms.schemes.mesh.columns import CARRIERS
from meshsim.algorithms.types.arrays import Array
from meshsim.errors import MeshSimError
from meshsim.plan import Plan

NAME = "mesh"
SUMMARY = "Wong's mesh, of the whole tree or of the freedoms alone, and the loops on its host; one evaluation"
OPTIONS: dict[str, tuple[str, ...]] = {
    "variant": ("tree", "small"),
    "rates": ("given", "sent"),
    "carry": CARRIERS,
    "rho": ("pass", "recompute"),
    "zeros": ("kept", "skipped"),
}
"""Options and what they may be, the default first. ``rates``: those of all joints are part of the state, as the thesis
has it, or the host makes them from those of the actuated joints. The last three are those of `wong-mesh`."""
OF_TREE = ("carry", "rho", "zeros")


def mesh_options(given: Mapping[str, str]) -> dict[str, str]:
    """Every option, from what a user typed."""
    chosen = {option: values[0] for option, values in OPTIONS.items()}
    for option, value in given.items():
        if option not in OPTIONS:
            raise MeshSimError(f"unknown option {option!r} of {NAME}; known: {', '.join(OPTIONS)}")
        if value not in OPTIONS[option]:
            raise MeshSimError(f"{option} must be {' or '.join(OPTIONS[option])}, not {value!r}")
        chosen[option] = value
    for option in OF_TREE:
        if option in given and chosen["variant"] != "tree":
            raise MeshSimError(f"option {option!r} of {NAME} is for variant tree, not for {chosen['variant']}")
    return chosen


def mesh_loops_plan(
    mechanism: Mechanism,
    q: npt.ArrayLike,
    qd: npt.ArrayLike,
    tau: npt.ArrayLike,
    variant: str = "tree",
    **options: str,
) -> Plan[Array]:
    """A plan for the accelerations of all joints of a closed mechanism.

    Parameters
    ----------
    closed : Mechanism
        One that can move, whose actuated joints determine how.
    q, qd, tau : array_like
        Positions and rates, which the loops must allow, and torques, of all joints of the tree.
    variant : str
        ``tree`` or ``small``.
    **options : str
        As in `OPTIONS`.

    Returns
    -------
    Plan
        Its answer is an array, in the order of the tree's joints. Phases are marked ``loops``, ``inertia``, ``force``,
        ``fold`` (tree only), ``solve`` and ``accelerations``.
    """
    chosen = mesh_options({"variant": variant, **options})
    position, rates, torques = (
        joint_vector(mechanism, what, values) for what, values in (("q", q), ("qd", qd), ("tau", tau))
    )
    if not mechanism.actuated:
        raise MeshSimError(f"{NAME} takes mechanisms with actuated joints, and {mechanism.name} has none")
    check_rank(mechanism, position)
    check_actuation(mechanism, position)
    if not all(np.isfinite(values).all() for values in (position, rates, torques)):
        raise MeshSimError(f"q, qd and tau of {mechanism.name} must be finite numbers")
    host = LoopHost.of(mechanism, position.tolist(), rates.tolist(), chosen["rates"] == "sent")
    if chosen["variant"] == "small":
        return small_plan(host, torques.tolist())
    return tree_plan(host, torques.tolist(), chosen)


def processors(m: int, n: int) -> Mapping[str, Mapping[str, int]]:
    """How many processors each phase has work for, by variant: of a tree of m joints with n freedoms."""
    triangle, freedoms = m * (m + 1) // 2, n * (n + 1) // 2
    tree = {"loops": 1, "inertia": triangle, "force": 2 * m, "fold": m, "solve": freedoms + n, "accelerations": m}
    small = {"loops": 1, "inertia": freedoms, "force": n, "solve": freedoms + n, "accelerations": 1}
    return {
        "tree": {**tree, "all": triangle + m + 1 + m + freedoms + n},
        "small": {**small, "all": freedoms + n + 1},
    }
