"""Mechanisms with loops on the triangular mesh: M_c = G^T M_r G and H_c, solved on the cone.  # Wong sec. 6.4.3

Variant ``tree`` forms M_r on a mesh as large as the tree, and folds it; ``small`` forms M_c at once on one as large as
the freedoms (`mesh_tree.py`, `mesh_small.py`). In both the host's processor finds the loops (`mesh_host.py`).
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from meshsim.algorithms.reference.dense import Dynamics, forward_dynamics
from meshsim.algorithms.robots.closure import check_actuation, check_rank
from meshsim.algorithms.robots.kinematics import joint_vector
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.state import State
from meshsim.algorithms.schemes.base.scheme import LOOPS, Scheme
from meshsim.algorithms.schemes.loops.mesh_host import LoopHost
from meshsim.algorithms.schemes.loops.mesh_small import small_plan
from meshsim.algorithms.schemes.loops.mesh_tree import tree_plan
from meshsim.algorithms.schemes.loops.method import TREES
from meshsim.algorithms.schemes.mesh.columns import CARRIERS, check_order
from meshsim.algorithms.schemes.mesh.wong_mesh import ORDERS, SLOWER, TRIED
from meshsim.algorithms.types.arrays import Array
from meshsim.errors import MeshSimError
from meshsim.plan import Plan

NAME = "wong-mesh-loops"
SUMMARY = "Wong's mesh, of the whole tree or of the freedoms alone, and the loops on its host; one evaluation"
OPTIONS: dict[str, tuple[str, ...]] = {
    "variant": ("tree", "small"),
    "rates": ("given", "sent"),
    "order": tuple(ORDERS),
    "redistribute": ("yes", "no"),
    "carry": CARRIERS,
    "rho": ("pass", "recompute"),
    "zeros": ("kept", "skipped"),
}
"""Options and what they may be, the default first. ``rates``: those of all joints are part of the state, as the thesis
has it, or the host makes them from those of the actuated joints. The others are those of `wong-mesh`."""
OF_TREE = ("order", "redistribute", "carry", "rho", "zeros")


def check_variant(options: Mapping[str, str]) -> None:
    """Refuse options of the other variant."""
    for name in OF_TREE:
        if options["variant"] != "tree" and options[name] != OPTIONS[name][0]:
            raise MeshSimError(f"option {name!r} of {NAME} is for variant tree, not for {options['variant']}")
    check_order(options)


def mesh_loops_plan(
    mechanism: Mechanism,
    q: npt.ArrayLike,
    qd: npt.ArrayLike,
    tau: npt.ArrayLike,
    variant: str = "tree",
    **options: str,
) -> Plan[Array]:
    """A plan for the accelerations of all joints of a mechanism with loops.

    Parameters
    ----------
    mechanism : Mechanism
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
    chosen = MESH_LOOPS.choose({"variant": variant, **options})
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


@dataclass(frozen=True, eq=False)
class MeshLoopEvaluation:
    """One evaluation on the mesh; it has no states to integrate."""

    mechanism: Mechanism
    options: Mapping[str, str]

    def plan(self, state: State) -> Plan[Dynamics]:
        """The plan of one evaluation in a state."""
        made = mesh_loops_plan(self.mechanism, state.q, state.qd, state.tau, **self.options)
        return Plan(made.topology, made.programs, lambda results: Dynamics(None, None, made.read(results)))

    def reference(self, state: State) -> Dynamics:
        """The accelerations by a dense solver."""
        return Dynamics(None, None, forward_dynamics(self.mechanism, state).qdd)


MESH_LOOPS = Scheme(
    NAME,
    SUMMARY,
    MeshLoopEvaluation,
    OPTIONS,
    takes=TREES | {LOOPS},
    wants=frozenset({LOOPS}),
    tried=TRIED,
    slower={"order": SLOWER["order"]},
    together=check_variant,
)
