"""Inverse dynamics of robots without loops: every scheme that has it, against the dense reference and Pinocchio."""

from dataclasses import replace
from itertools import product

import numpy as np
import pinocchio as pin
import pytest
from tools.pinocchio_model import build_model
from tools.random_robot import random_parts

from meshsim.algorithms.reference.newton_euler import free_torques
from meshsim.algorithms.robots.body import Tie
from meshsim.algorithms.robots.catalogue import chain, load_robot
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.state import State
from meshsim.algorithms.robots.tree import build
from meshsim.algorithms.schemes.catalogue import SCHEMES
from meshsim.algorithms.schemes.takers import inverters, rescue
from meshsim.algorithms.types.arrays import relative_error
from meshsim.errors import MeshSimError
from meshsim.presets import load_machine
from meshsim.simulation import NOWHERE

ROUNDING = 1e-10
"""Of the largest torque, or of 1: a few hundred products of numbers near 1, in different orders, lose far less."""
DISCIPLINES = [load_machine(name) for name in ("ideal", "t800", "t800-overlap", "t800-posted")]
ALL = [scheme for scheme in SCHEMES.values() if scheme.inverse is not None and not scheme.wants]
NETWORKS = [scheme for scheme in ALL if not scheme.name.startswith("one-")]
BY_NAME = {"ids": lambda scheme: scheme.name}
TREES = [build(f"tree {seed}", *random_parts(7, seed)) for seed in range(8)]
PARTS = chain(5, 4).bodies
TIED = Mechanism("tied", (*PARTS[:2], replace(PARTS[2], tie=Tie(0, -2.0, 0.3)), PARTS[3], PARTS[4]))
ROBOTS = [chain(1, 1), chain(2, 5), chain(6, 2), load_robot("stanford"), load_robot("torso"), TIED, *TREES]


def moving(robot, seed=1):
    """Positions, rates and accelerations of the joints that move by themselves."""
    return np.random.default_rng(seed).uniform(-2.0, 2.0, (3, len(robot.joints)))


def taken(scheme, robots):
    return [robot for robot in robots if scheme.takes.issuperset(robot.needs)]


def torques(scheme, robot, motion, machine=NOWHERE, **options):
    return scheme.inversion(robot, **options).plan(*motion).run(machine, trace=False)


def test_who_has_it():
    """Chains for all, and any tree for the mesh and for one processor."""
    assert {scheme.name for scheme in inverters(chain(3, 1))} == {scheme.name for scheme in ALL}
    assert len(NETWORKS) == 5
    assert {scheme.name for scheme in inverters(load_robot("stanford"))} == {scheme.name for scheme in ALL}
    able = {"wong-mesh", *(scheme.name for scheme in ALL if scheme not in NETWORKS)}
    for robot in TREES:
        assert {scheme.name for scheme in inverters(robot)} == able


@pytest.mark.parametrize("scheme", ALL, **BY_NAME)
def test_torques_are_the_references(scheme):
    robots = taken(scheme, ROBOTS)
    assert len(robots) >= 3
    for seed, robot in enumerate(robots):
        motion = moving(robot, seed)
        found = torques(scheme, robot, motion).value
        assert relative_error(found, free_torques(robot, *motion)) < ROUNDING, robot.name


@pytest.mark.parametrize("scheme", NETWORKS, **BY_NAME)
def test_networks_find_the_same_bits_under_every_discipline(scheme):
    for robot in (*taken(scheme, [chain(5, 3)]), *taken(scheme, TREES[:3])):
        motion = moving(robot)
        runs = [torques(scheme, robot, motion, machine) for machine in DISCIPLINES]
        assert len({tuple(run.value.tolist()) for run in runs}) == 1
        assert relative_error(runs[0].value, free_torques(robot, *motion)) < ROUNDING
        assert all(run.phases["torques"] == run.ticks for run in runs)


@pytest.mark.parametrize(
    "chosen",
    [
        dict(zip(("order", "redistribute", "rho", "zeros", "carry"), values, strict=True))
        for values in product(
            ("early", "published", "published-in-turn"),
            ("yes", "no"),
            ("pass", "recompute"),
            ("kept", "skipped"),
            ("links", "bus", "forward"),
        )
        if values[0] == "early" or values[-1] != "forward"
    ],
    ids=lambda chosen: "-".join(chosen.values()),
)
def test_the_mesh_in_every_order(chosen):
    robot = TREES[2]
    motion = moving(robot)
    run = torques(SCHEMES["wong-mesh"], robot, motion, load_machine("t800"), **chosen)
    assert relative_error(run.value, free_torques(robot, *motion)) < ROUNDING
    n = robot.n
    assert run.processors == n * (n + 1) // 2 + n


def test_the_mesh_sends_less_than_for_accelerations():
    robot, mesh = chain(6, 1), SCHEMES["wong-mesh"]
    motion = moving(robot)
    whole = mesh.plan(robot, State(*map(tuple, motion.tolist()))).run(load_machine("t800"), trace=False)
    run = torques(mesh, robot, motion, load_machine("t800"))
    assert run.ticks < whole.phases["force"]
    assert run.messages < whole.messages


@pytest.mark.parametrize("robot", [chain(6, 3), *TREES[:3]], ids=lambda robot: robot.name)
@pytest.mark.parametrize("name", ["one-saha", "one-luh-walker-paul"])
def test_pinocchio_agrees(name, robot):
    model, (q, qd, qdd) = build_model(robot), moving(robot, 7)
    configuration = pin.integrate(model, pin.neutral(model), q)
    known = pin.rnea(model, model.createData(), configuration, qd, qdd)
    assert relative_error(torques(SCHEMES[name], robot, (q, qd, qdd)).value, known) < ROUNDING


@pytest.mark.parametrize("scheme", ALL, **BY_NAME)
def test_accelerations_come_back(scheme):
    """Forward dynamics of the torques of some accelerations gives these: M qdd + h is what is inverted."""
    for robot in taken(scheme, [chain(4, 6), TREES[1]]):
        q, qd, qdd = moving(robot)
        tau = torques(scheme, robot, (q, qd, qdd)).value
        forward = SCHEMES["one-wong"].plan(robot, State(tuple(q), tuple(qd), tuple(tau)))
        assert forward.run(NOWHERE, trace=False).value.qdd == pytest.approx(qdd, rel=1e-8, abs=1e-8)


# Counts


def operations(name, n):
    robot = chain(n, 1)
    run = torques(SCHEMES[name], robot, moving(robot), load_machine("ideal"))
    return run.operations["mul"], run.operations["add"]


@pytest.mark.parametrize("n", [2, 3, 6, 9])
def test_counts_of_the_recursions(n):
    """By hand: Saha's joint takes 105 and 87, Luh, Walker and Paul's 121 and 93, its rotation of 4 included."""
    assert operations("one-saha", n) == (105 * n - 88, 87 * n - 77)
    assert operations("one-luh-walker-paul", n) == (121 * n - 106, 93 * n - 91)


@pytest.mark.parametrize("name", ["one-wong", "one-walker-orin", "one-angeles", "one-bae"])
def test_the_composite_method_adds_a_product(name):
    robot = chain(5, 1)
    q, qd, qdd = moving(robot)
    run = torques(SCHEMES[name], robot, (q, qd, qdd), load_machine("ideal"))
    last = run.operations_by_phase["torques"]
    assert (last["mul"], last["add"]) == (25, 25)
    whole = SCHEMES[name].plan(robot, State(tuple(q), tuple(qd), tuple(qdd))).run(load_machine("ideal"), trace=False)
    formed = [whole.operations_by_phase[phase] for phase in run.operations_by_phase if phase != "torques"]
    assert run.operations["mul"] - 25 == sum(each["mul"] for each in formed)


def test_what_does_not_turn_costs_nothing():
    sliding = replace(chain(3, 1), bodies=tuple(replace(body, kind="prismatic") for body in chain(3, 1).bodies))
    run = torques(SCHEMES["one-saha"], sliding, moving(sliding), load_machine("ideal"))
    assert run.operations["sincos"] == 0
    assert relative_error(run.value, free_torques(sliding, *moving(sliding))) < ROUNDING


# What is refused


def test_options_for_accelerations_are_refused():
    robot = chain(3, 1)
    for name, option, value in (
        ("wong-mesh", "solver", "liu-young"),
        ("wong-mesh", "exchange", "in-turn"),
        ("hwang", "solver", "feedforward-lu"),
        ("one-wong", "solver", "ldl"),
    ):
        with pytest.raises(MeshSimError) as error:
            SCHEMES[name].inversion(robot, **{option: value})
        assert str(error.value) == f"option {option} of {name} is for accelerations, not for inverse dynamics"


def test_rescues_name_schemes_that_give_torques():
    for robot in (*ROBOTS, load_robot("scraper"), load_robot("3rrr")):
        said = rescue(robot, inverters).removesuffix(" could take it").split(" or ")
        for name in said:
            assert SCHEMES[name].inversion(robot).mechanism is robot
    assert "denoc" not in rescue(load_robot("scraper"), inverters)
