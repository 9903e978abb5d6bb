"""The orders of the mesh: the same numbers, without deadlock, in the times that the thesis's tables give."""

import itertools

import numpy as np
import pytest
from tools.random_robot import random_parts

from meshsim.algorithms.robots.catalogue import chain, load_robot
from meshsim.algorithms.robots.state import default_state
from meshsim.algorithms.robots.tree import build
from meshsim.algorithms.schemes.mesh.wong_mesh import ORDERS, WONG_MESH
from meshsim.errors import MeshSimError
from meshsim.presets import load_machine

CHOICES = [
    dict(zip(("order", "redistribute", "rho", "zeros"), values, strict=True))
    for values in itertools.product(ORDERS, ("yes", "no"), ("pass", "recompute"), ("kept", "skipped"))
]


def evaluate(robot, machine, **options):
    return WONG_MESH.plan(robot, default_state(robot), **options).run(load_machine(machine), trace=False)


def check(robot, run):
    wanted = WONG_MESH.evaluation(robot).reference(default_state(robot))
    for name in ("M", "h", "qdd"):
        found, right = getattr(run.value, name), getattr(wanted, name)
        assert np.abs(found - right).max() <= 1e-10 * max(1.0, np.abs(right).max()), name


SIZES = [n if n in (1, 2, 3, 5) else pytest.param(n, marks=pytest.mark.slow) for n in range(1, 25)]


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("choice", CHOICES, ids=lambda choice: "-".join(choice.values()))
def test_chains(n, choice):
    robot = chain(n, n)
    for machine in ("ideal", "t800", "t800-overlap"):
        check(robot, evaluate(robot, machine, **choice))


ROBOTS = {
    **{f"tree {seed}": build("tree", *random_parts(6, seed)) for seed in (1, 2, 3)},
    "torso": load_robot("torso"),
    "excavator": load_robot("excavator"),
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("carry", ["links", "bus"])
@pytest.mark.parametrize("name", ROBOTS)
def test_trees_and_joints_that_slide(name, carry):
    for choice in CHOICES:
        check(ROBOTS[name], evaluate(ROBOTS[name], "t800", carry=carry, **choice))


def time_us(n, machine="t800", **options):
    machine = load_machine(machine)
    return machine.microseconds(evaluate(chain(n, 1), machine.name, **options).ticks)


LIMITS = {2: 318.0, 4: 563.9, 6: 830.3, 12: 1663.5, 24: 3413.3}
"""What a separate program in the order of the tables takes, in microseconds."""


@pytest.mark.parametrize("n", [n if n < 24 else pytest.param(n, marks=pytest.mark.slow) for n in LIMITS])
def test_the_published_order_is_quick_without_buffers(n):
    published = time_us(n, order="published", rho="recompute")
    assert published <= LIMITS[n]
    assert published < time_us(n, order="early", rho="recompute")


def test_the_unrevised_schedule_takes_what_the_thesis_says():
    """Eq. 4.5 with n = 2: 81 multiplications of 1 us and 63 additions of 0.5 us."""
    for order in ("early", "published"):
        run = evaluate(chain(2, 1), "ideal", order=order, redistribute="no")
        assert load_machine("ideal").microseconds(run.phases["momentum"]) == 112.5


def test_cells_that_exchange_in_turn():
    """Without buffers every unknown goes once round row 0 before the next can move; with buffers nothing changes."""
    robot = chain(6, 1)
    for machine, order in itertools.product(("ideal", "t800", "t800-overlap"), ("early", "published")):
        together, in_turn = (
            evaluate(robot, machine, order=order, exchange=exchange) for exchange in ("together", "in-turn")
        )
        check(robot, in_turn)
        assert in_turn.value.qdd.tobytes() == together.value.qdd.tobytes()
        assert (in_turn.ticks > together.ticks) == (machine == "t800")


def test_refusals():
    robot = chain(3, 1)
    for order in ("published", "published-in-turn"):
        with pytest.raises(MeshSimError, match=rf"^order={order} must have carry=links or carry=bus: "):
            WONG_MESH.evaluation(robot, order=order, carry="forward")
    with pytest.raises(MeshSimError, match=r"^exchange=in-turn must have solver=feedforward-lu, not faddeev$"):
        WONG_MESH.evaluation(robot, exchange="in-turn", solver="faddeev")
