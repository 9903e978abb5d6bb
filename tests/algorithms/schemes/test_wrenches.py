"""Wrenches on bodies: what joints feel of them is J^T w, by virtual power, whoever computes it."""

from dataclasses import replace

import numpy as np
import pytest
from tools.loop_mechanisms import PLANE, SPACE, random_state
from tools.loops import closed_state, evaluated, ways
from tools.random_robot import random_parts

from meshsim.algorithms.reference.dense import forward_dynamics
from meshsim.algorithms.reference.energy import energy
from meshsim.algorithms.reference.loops import actuated_torques, constrained_dynamics
from meshsim.algorithms.reference.newton_euler import inverse_dynamics
from meshsim.algorithms.robots.body import Wrench
from meshsim.algorithms.robots.catalogue import chain, load_robot
from meshsim.algorithms.robots.closure import jacobian, loops, placed
from meshsim.algorithms.robots.kinematics import gearing
from meshsim.algorithms.robots.state import State, default_state
from meshsim.algorithms.robots.tree import build
from meshsim.algorithms.robots.wrenches import bearing
from meshsim.algorithms.schemes.base.bodies import bodies_of
from meshsim.algorithms.schemes.catalogue import SCHEMES
from meshsim.algorithms.schemes.loops.denoc import DENOC
from meshsim.algorithms.schemes.loops.layout import layout_of
from meshsim.algorithms.schemes.loops.method import Settings
from meshsim.algorithms.schemes.loops.multipliers import MULTIPLIERS
from meshsim.algorithms.schemes.loops.penalty import PENALTY
from meshsim.algorithms.schemes.loops.projection import PROJECTION
from meshsim.algorithms.types.arrays import relative_error
from meshsim.errors import MeshSimError
from meshsim.simulation import NOWHERE

ROUNDING = 1e-10
"""Where solutions of systems with condition numbers up to some thousand are compared, relative where above 1."""


def loaded(mechanism, seed=3):
    """The same with a wrench on every body that has mass."""
    random = np.random.default_rng(seed)
    heavy = [i for i, body in enumerate(mechanism.bodies) if body.mass > 0.0]
    return replace(
        mechanism, wrenches=tuple(Wrench(i, *map(tuple, random.normal(0.0, 9.0, (2, 3)).tolist())) for i in heavy)
    )


def felt(mechanism, q):
    """What the joints feel of all wrenches: the power that they have for a unit rate of each."""
    bodies = placed(mechanism, q, np.zeros(mechanism.n))
    tau = np.zeros(mechanism.n)
    for wrench in mechanism.wrenches:
        at = bodies[wrench.body]
        com = at.x + at.R @ np.array(mechanism.bodies[wrench.body].com)
        linear, angular = jacobian(mechanism, bodies, wrench.body, com)
        tau += linear.T @ np.array(wrench.force) + angular.T @ np.array(wrench.moment)
    return tau


EVERY = {**{f"space, {name}": each for name, each in SPACE.items()}, **{f"plane, {n}": m for n, m in PLANE.items()}}


@pytest.mark.parametrize("mechanism", [*EVERY.values(), chain(5, 2)], ids=[*EVERY, "chain"])
def test_the_reference_and_chains_feel_them(mechanism):
    q, qd = random_state(mechanism, 5)
    borne = loaded(mechanism)
    wanted = inverse_dynamics(mechanism, q, qd, -qd) - felt(borne, q)
    assert relative_error(inverse_dynamics(borne, q, qd, -qd), wanted) < ROUNDING
    if not mechanism.cuts:
        return
    tau = 5.0 * random_state(mechanism, 8)[0]
    state = q, qd, tau + felt(borne, q)
    settings = Settings(k=120.0, d=3.0)
    wanted = PENALTY.reference(mechanism, settings, *state)
    assert relative_error(PENALTY.reference(borne, settings, q, qd, tau), wanted) < ROUNDING
    places, run = evaluated(PENALTY, borne, settings, "star", (q, qd, tau))
    assert relative_error(PENALTY.finish(places, run.value)[1], wanted) < ROUNDING


FORWARD = [(method.name, *way) for method in (PENALTY, PROJECTION, DENOC, MULTIPLIERS) for way in ways(method)]


@pytest.mark.parametrize(
    ("robot", "name", "network", "how"),
    [
        (robot, *way)
        for robot in ("four-bar", "3rrr", "scraper")
        for way in FORWARD
        if (robot, way[0]) != ("scraper", "denoc")  # whose legs have branches
    ],
)
def test_accelerations_are_those_of_joints_that_feel_them(robot, name, network, how):
    mechanism = load_robot(robot)
    borne = loaded(mechanism)
    q, qd, tau = closed_state(mechanism, 4)
    scheme = SCHEMES[name]
    chosen = {"layout": network, **({"distribution": how} if "distribution" in scheme.options else {})}
    evaluation = scheme.evaluation(borne, **chosen)
    state = State(*(tuple(values.tolist()) for values in (q, qd, tau)))
    found = evaluation.plan(state).run(NOWHERE, trace=False).value
    assert max(found.errors(evaluation.reference(state)).values()) < ROUNDING
    if name != "penalty":  # which does not close the loops
        wanted = constrained_dynamics(mechanism, q, qd, tau + felt(borne, q))[0]
        assert relative_error(found.qdd, wanted) < ROUNDING


@pytest.mark.parametrize("robot", ["four-bar", "3rrr", "3prr", "scraper"])
@pytest.mark.parametrize(("name", "network"), [("noc", "star"), ("noc", "one"), ("subsystems", "complete")])
def test_torques_do_less_by_what_they_do(robot, name, network):
    mechanism = load_robot(robot)
    borne = loaded(mechanism)
    q, qd, _ = closed_state(mechanism, 4)
    driven = list(mechanism.actuated)
    passive = [j for j in range(mechanism.n) if j not in driven]
    now = loops(mechanism, q, qd)
    G = np.zeros((mechanism.n, len(driven)))  # rates of all joints for unit rates of the actuated ones
    G[driven] = np.eye(len(driven))
    G[passive] = -np.linalg.solve(now.A[:, passive], now.A[:, driven])
    qdd = G @ np.ones(len(driven))
    qdd[passive] -= np.linalg.solve(now.A[:, passive], now.bias)
    wanted = actuated_torques(mechanism, q, qd, qdd) - G.T @ felt(borne, q)
    inversion = SCHEMES[name].inversion(borne, layout=network)
    assert relative_error(inversion.plan(q, qd, qdd).run(NOWHERE, trace=False).value, wanted) < ROUNDING
    assert relative_error(inversion.reference(q, qd, qdd), wanted) < ROUNDING


def operations(mechanism):
    q, qd = random_state(mechanism, 5)
    return evaluated(PENALTY, mechanism, Settings(), "one", (q, qd, qd))[1].operations


@pytest.mark.parametrize(("mechanism", "adds"), [(load_robot("3rrr"), 1), (SPACE["RSSR"], 3)])
def test_a_force_costs_nothing_and_a_moment_its_sum(mechanism, adds):
    """A constant force at the centre of mass is a weight; a moment is subtracted from the body's own."""
    last = max(i for i, body in enumerate(mechanism.bodies) if body.mass > 0.0)
    plain = operations(mechanism)
    pushed = replace(mechanism, wrenches=(Wrench(last, (1.0, 2.0, 3.0)),))
    turned = replace(mechanism, wrenches=(Wrench(last, (1.0, 2.0, 3.0), (4.0, 5.0, 6.0)),))
    assert operations(pushed) == plain
    assert operations(turned) == {**plain, "add": plain["add"] + adds}


@pytest.mark.parametrize(
    "mechanism", [load_robot("3rrr"), SPACE["three arms"], chain(4, 1)], ids=["plane", "space", "chain"]
)
def test_forces_have_a_potential_and_moments_none(mechanism):
    """Along any motion, the potential falls by what gravity and the forces do: dV/dt = -power, by differences."""
    pushed = replace(loaded(mechanism), gravity=(0.0, 0.0, 0.0))
    pushed = replace(pushed, wrenches=tuple(replace(each, moment=(0.0, 0.0, 0.0)) for each in pushed.wrenches))
    q, qd = random_state(mechanism, 5)
    step = 1e-5
    before, after = (energy(pushed, q + sign * step * qd, qd)[1] for sign in (-1, 1))
    assert (after - before) / (2 * step) == pytest.approx(-felt(pushed, q) @ qd, rel=1e-8)  # step^2, and its rounding
    moments = tuple(replace(each, force=(0.0, 0.0, 0.0), moment=each.force) for each in pushed.wrenches)
    assert energy(replace(pushed, wrenches=moments), q, qd)[1] == 0.0


# Robots without loops


@pytest.mark.parametrize(
    "robot",
    [chain(5, 2), load_robot("puma600"), *(build("tree", *random_parts(6, seed)) for seed in (1, 2))],
    ids=["chain", "puma", "tree", "other"],
)
def test_one_processor_takes_them_on_trees(robot):
    borne, state = loaded(robot), default_state(robot)
    evaluation = SCHEMES["one-wong"].evaluation(borne)
    found = evaluation.plan(state).run(NOWHERE, trace=False)
    assert max(found.value.errors(evaluation.reference(state)).values()) < ROUNDING
    G, offset = gearing(robot)
    wanted = forward_dynamics(robot, state).h - G.T @ felt(borne, G @ np.array(state.q) + offset)
    assert relative_error(found.value.h, wanted) < ROUNDING
    plain = SCHEMES["one-wong"].evaluation(robot).plan(state).run(NOWHERE, trace=False).operations
    depths = [len(local.ancestors) + 1 for local in bodies_of(borne) if local.wrench]
    turn = 8 if robot.is_twist else 9
    assert found.operations["mul"] - plain["mul"] == 2 * turn * sum(depths)
    assert found.operations["add"] - plain["add"] == 2 * ((turn - 3) * sum(depths) + 3 * len(depths))


# By name


def test_numbers_of_a_plane_are_along_its_axes():
    mechanism = load_robot("3rrr")
    plane = mechanism.plane
    (found,) = bearing(mechanism, {"platform": (2.0, 3.0, 5.0)}).wrenches
    assert found.body == 8
    assert np.allclose(found.force, 2.0 * plane.x + 3.0 * plane.y, atol=1e-15)
    assert np.allclose(found.moment, 5.0 * plane.normal, atol=1e-15)
    (body,) = [chain.bodies[-1] for chain in layout_of(replace(mechanism, wrenches=(found,))).chains[-1:]]
    assert body.load == pytest.approx(5.0)
    again = bearing(bearing(mechanism, {"distal1": (1.0, 0.0)}), {"platform": (0.0, 1.0)})
    assert [wrench.body for wrench in again.wrenches] == [1, 8]
    six = bearing(mechanism, {"platform": (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)}).wrenches[0]
    assert (six.force, six.moment) == ((1.0, 2.0, 3.0), (4.0, 5.0, 6.0))
    assert bearing(chain(3, 1), {"link2": (1.0, 2.0, 3.0)}).wrenches == (Wrench(1, (1.0, 2.0, 3.0)),)


@pytest.mark.parametrize(
    ("robot", "wrenches", "message"),
    [
        ("four-bar", {"table": (1, 2)}, "a wrench must act on a body of four-bar (crank, coupler, rocker), not "),
        ("3rrr", {"platform.x": (1, 2)}, "a wrench must act on a body of 3rrr (proximal1, "),
        ("four-bar", {"crank": (1,)}, "wrench on 'crank' must be fx,fy or fx,fy,mz or fx,fy,fz,mx,my,mz (N and"),
        ("puma600", {"link6": (1, 2)}, "wrench on 'link6' must be fx,fy,fz or fx,fy,fz,mx,my,mz (N and N m), not 2"),
        ("puma600", {"link6": (1, 2, np.inf)}, "wrench on 'link6' must be a finite number, not inf"),
    ],
)  # fmt: skip
def test_what_is_no_wrench_is_refused(robot, wrenches, message):
    with pytest.raises(MeshSimError) as caught:
        bearing(load_robot(robot), wrenches)
    assert str(caught.value).startswith(message)


def test_a_mechanism_bears_one_wrench_on_a_body_with_mass():
    mechanism = load_robot("3rrr")
    one = Wrench(8, (1.0, 0.0, 0.0))
    for wrenches, message in [
        ((one, one), "body 'platform' must bear one wrench, not two"),
        ((Wrench(9, (0.0,) * 3),), "body of a wrench must be from 0 to 8, not 9"),
        ((Wrench(6, (0.0,) * 3),), "body 'platform.x' must have mass to bear a wrench at its centre, and has none"),
        ((Wrench(8, (0.0, 0.0, np.nan)),), "force on body 'platform' must be a tuple of 3 finite numbers"),
    ]:
        with pytest.raises(MeshSimError) as caught:
            replace(mechanism, wrenches=wrenches)
        assert str(caught.value).startswith(message)


def test_who_does_not_take_them_says_so():
    mechanism = bearing(load_robot("3rrr"), {"platform": (1, 2)})
    with pytest.raises(
        MeshSimError, match=r"^wong-mesh-loops takes no wrenches, and body 'platform' of 3rrr bears one$"
    ):
        SCHEMES["wong-mesh-loops"].evaluation(mechanism)
    arm = bearing(load_robot("puma600"), {"link6": (1, 2, 3)})
    for scheme in SCHEMES.values():
        if "wrenches" not in scheme.takes and not scheme.wants and scheme.make is not None:
            with pytest.raises(
                MeshSimError, match=f"^{scheme.name} takes no wrenches, and body 'link6' of puma600 bears"
            ):
                scheme.check(arm)
