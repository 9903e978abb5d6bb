"""One processor per branch: trees of revolute and prismatic joints, and the kernels beneath."""

import math
import random
from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest

from meshsim.algorithms.kernels.actuator import Actuator, Drive
from meshsim.algorithms.kernels.articulated import accelerate, add_turning, pass_joint, project
from meshsim.algorithms.kernels.branch import add_articulated, coriolis_z, slide_along
from meshsim.algorithms.kernels.core import rotate_twist
from meshsim.algorithms.reference.dense import forward_dynamics
from meshsim.algorithms.robots.body import rotation_x
from meshsim.algorithms.robots.catalogue import chain, excavator, puma600
from meshsim.algorithms.robots.kinematics import skew
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.state import State, default_state, driven_state
from meshsim.algorithms.schemes.base.bodies import bodies_of
from meshsim.algorithms.schemes.base.joints import turn_of
from meshsim.algorithms.schemes.branch.branch_parallel import BRANCH_PARALLEL, branch_tree, branches_of
from meshsim.algorithms.schemes.branch.branch_recursion import (
    Joint,
    articulate,
    facing,
    inertia_facing,
    rigid,
    slide_of,
)
from meshsim.algorithms.schemes.one.one_featherstone import ONE_FEATHERSTONE
from meshsim.algorithms.schemes.one.one_wong import ONE_WONG
from meshsim.algorithms.types.arrays import relative_error
from meshsim.errors import MeshSimError
from meshsim.presets import PRESETS
from meshsim.recording import record
from meshsim.replay import replay
from meshsim.retiming import retime

MACHINES = [PRESETS[name] for name in ("ideal", "t800", "t800-overlap")]
KINDS = {"turn": ("revolute",), "slide": ("prismatic",), "both": ("revolute", "prismatic")}
NOTHING = ((0.0, 0.0, 0.0),) * 3


def grow(parents, seed=1, kinds=("revolute",), general=False, gravity=(0.0, 0.0, -9.81)):
    """A tree on given parents: bodies of a random chain, kinds and rotations drawn."""
    draw = random.Random(seed)
    bodies = []
    for parent, body in zip(parents, chain(len(parents), seed).bodies, strict=True):
        body = replace(body, parent=parent, kind=draw.choice(kinds))
        bodies.append(replace(body, rotation=random_rotation(draw), twist=None) if general else body)
    return Mechanism("tree", tuple(bodies), gravity)


def random_rotation(draw):
    Q, R = np.linalg.qr([[draw.gauss(0, 1) for _ in range(3)] for _ in range(3)])
    Q = Q * np.sign(np.diag(R))
    return rows(Q * np.linalg.det(Q))


def random_parents(n, seed):
    """Labelled depth first: the parent of a body is on the way from the one before it to the ground, or the ground."""
    draw = random.Random(seed)
    parents = [-1]
    for i in range(1, n):
        line = [i - 1]
        while line[-1] >= 0:
            line.append(parents[line[-1]])
        parents.append(draw.choice([line[0], line[0], *line]))
    return parents


def random_state(robot, seed):
    draw = random.Random(seed)
    return State(*(tuple(draw.uniform(-bound, bound) for _ in robot.bodies) for bound in (2, 1, 5)))


def make(robot, state):
    return BRANCH_PARALLEL.plan(robot, state)


def run(robot, state=None, machine=MACHINES[0]):
    return make(robot, state or default_state(robot)).run(machine, trace=False)


def check_numbers(robot, state):
    """On every machine; re-timed and replayed, it ends at the same ticks."""
    reference = forward_dynamics(robot, state)
    plan = make(robot, state)
    recording, value = record(plan)
    timing = retime(recording, MACHINES)
    for column, machine in enumerate(MACHINES):
        found = plan.run(machine, trace=False)
        assert list(found.value.formed) == ["qdd"]
        assert found.value.errors(reference)["qdd"] < 1e-10  # rounding grows with the condition of M, here up to 1e4
        assert np.array_equal(found.value.qdd, value.qdd)
        assert timing.ticks[column] == found.ticks == replay(recording, machine, value).ticks
        assert timing.finish[:, column].tolist() == list(found.finish.values())
        assert {name: int(ticks[column]) for name, ticks in timing.phases.items()} == dict(found.phases)


# Numbers


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [1, 2, 3, 7, 20])
def test_a_chain_is_one_processor(n, kind):
    robot = grow(range(-1, n - 1), n, KINDS[kind])
    check_numbers(robot, random_state(robot, n))
    assert (run(robot).processors, run(robot).messages) == (1, 0)


@pytest.mark.parametrize("robot", [puma600(), excavator()], ids=lambda robot: robot.name)
def test_robots_of_the_thesis(robot):
    check_numbers(robot, default_state(robot))


@pytest.mark.parametrize("general", [False, True], ids=["twist", "general"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(8))
def test_random_trees(seed, kind, general):
    n = 2 * seed if seed else 1
    robot = grow(random_parents(n, seed), seed, KINDS[kind], general)
    check_numbers(robot, random_state(robot, seed))
    assert run(robot).processors == len(branches_of(robot))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("parents", [(-1, -1), (-1, -1, -1, 2, 2), (-1, 0, -1, 2, 0), (-1, 0, 0, 1, 2, 1, 2, 3)])
def test_several_on_the_ground_and_any_order_of_numbers(parents, kind):
    robot = grow(parents, 5, KINDS[kind], general=True)
    check_numbers(robot, random_state(robot, 5))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("gravity", [(3.0, -5.0, -7.0), (0.0, 0.0, 0.0), (0.0, 9.81, 0.0)])
def test_gravity_may_point_anywhere(gravity, kind):
    for parents in ((-1,), (-1, 0, 0, 2), (-1, -1, 0)):
        robot = grow(parents, 3, KINDS[kind], gravity=gravity)
        check_numbers(robot, random_state(robot, 3))


def test_torques_may_come_from_actuators():
    actuator = Actuator(2500.0, 100.0, 500.0, 80.0, 10.0, 40.0, 3.0)
    drives = [Drive(actuator, spool=0.025, p_in=300.0 * i, p_out=700.0) for i in range(1, 5)]
    robot = grow((-1, 0, 0, 2), 4)
    check_numbers(robot, driven_state((0.1, 0.2, 0.3, 0.4), (0.2, -0.3, 0.4, 0.5), drives))


# Bodies without mass


def massless(robot, *places):
    bodies = [
        replace(body, mass=0.0, com=(0.0, 0.0, 0.0), inertia=NOTHING) if i in places else body
        for i, body in enumerate(robot.bodies)
    ]
    return Mechanism("massless", tuple(bodies), robot.gravity)


@pytest.mark.parametrize("general", [False, True], ids=["twist", "general"])
@pytest.mark.parametrize(("parents", "empty"), [((-1, 0), (0,)), ((-1, 0, 1, 1, 3), (0, 3)), ((-1, 0, 0, -1), (0,))])
def test_bodies_without_mass(parents, empty, general):
    for seed in range(5):
        robot = massless(grow(parents, seed, KINDS["turn"], general), *empty)
        check_numbers(robot, random_state(robot, seed))


def test_a_floating_trunk_with_limbs():
    robot = grow((-1, 0, 1, 2, 3, 4, 5, 6, 5, 8, 5), 7)
    x, y, z = ((0, 0, 1), (1, 0, 0), (0, 1, 0)), ((1, 0, 0), (0, 0, -1), (0, 1, 0)), ((1, 0, 0), (0, 1, 0), (0, 0, 1))
    freedoms = [np.array(axes, dtype=float) for axes in (x, y, z, z, y, x)]
    before = [np.eye(3), *freedoms[:-1]]
    bodies = list(robot.bodies)
    for i, (last, axes) in enumerate(zip(before, freedoms, strict=True)):
        kind = "prismatic" if i < 3 else "revolute"
        bodies[i] = replace(bodies[i], rotation=rows(last.T @ axes), twist=None, kind=kind, position=(0.0, 0.0, 0.0))
    robot = massless(Mechanism("floating", tuple(bodies)), *range(5))
    check_numbers(robot, random_state(robot, 7))
    assert run(robot).processors == 4


@pytest.mark.parametrize("parents", [(-1,), (-1, 0), (-1, 0, 0)])
def test_a_body_that_does_not_resist_its_joint_is_refused(parents):
    *others, last = grow(parents, 2).bodies
    needle = replace(last, com=(0.0, 0.0, 0.1), inertia=NOTHING)
    n = len(parents)
    with pytest.raises(MeshSimError, match=rf"^the articulated inertia about joint {n} must be positive, not 0.0$"):
        run(Mechanism("needle", (*others, needle)))


@pytest.mark.parametrize(("kind", "way"), [("revolute", "about"), ("prismatic", "along")])
@pytest.mark.parametrize("parents", [(-1, 0, 1), (-1, 0, 1, 0)])
def test_two_joints_with_one_freedom_are_refused(parents, kind, way):
    bodies = list(massless(grow(parents, 2), 1).bodies)
    for i in (1, 2):
        bodies[i] = replace(bodies[i], kind=kind, rotation=rotation_x(0.0), twist=0.0, position=(0.0, 0.0, 0.0))
    with pytest.raises(MeshSimError, match=rf"^the articulated inertia {way} joint 2 must be positive, not 0.0$"):
        run(Mechanism("twice", tuple(bodies)))


# Branches and messages


@pytest.mark.parametrize(
    ("parents", "branches"),
    [
        ((-1,), [[0]]),
        ((-1, 0, 1), [[0, 1, 2]]),
        ((-1, 0, 0), [[0], [1], [2]]),
        ((-1, 0, 1, 1, 3), [[0, 1], [2], [3, 4]]),
        ((-1, -1, 0, 1), [[0, 2], [1, 3]]),
        ((-1, 0, 0, 1, 2), [[0], [1, 3], [2, 4]]),
    ],
)
def test_branches(parents, branches):
    robot = grow(parents)
    assert branches_of(robot) == branches
    assert run(robot).processors == len(branches)


def test_the_network_of_a_tree():
    graph = branch_tree(grow((-1, 0, 1, 1, 3, 3, 1, -1)))
    assert list(graph) == [1, 2, 3, 4, 5, 6, 7]
    assert [ports for _, _, ports in graph.edges(data="ports")] == [
        {1: "child 1", 2: "parent"},
        {1: "child 2", 3: "parent"},
        {1: "child 3", 6: "parent"},
        {3: "child 1", 4: "parent"},
        {3: "child 2", 5: "parent"},
    ]


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.name)
@pytest.mark.parametrize("parents", [(-1, 0, 0), (-1, 0, 1, 1, 3, 3, 1, -1), random_parents(30, 4)])
def test_four_messages_a_link(parents, machine):
    robot = grow(parents, kinds=KINDS["both"])
    found = run(robot, machine=machine)
    for way in found.traffic:
        assert (way.messages, way.words) == ((2, 27) if way.port == "parent" else (2, 9))
    local_bodies = len(branches_of(robot)) - sum(body.parent < 0 for body in robot.bodies)
    assert (found.messages, found.words) == (4 * local_bodies, 36 * local_bodies)


def test_evaluations_follow_one_another():
    robot = grow((-1, 0, 1, 1, 3, 3, 1, -1), kinds=KINDS["both"])
    plan = make(robot, default_state(robot))
    for machine in MACHINES:
        once, thrice = plan.run(machine), plan.repeated(3).run(machine)
        assert np.array_equal(once.value.qdd, thrice.value.qdd)
        assert once.ticks < thrice.ticks <= 3 * once.ticks
        path = once.critical_path
        assert path.compute + path.wire + path.wait == once.ticks


def test_every_processor_marks_all_phases():
    found = run(grow((-1, 0, 1, 1, 3, 3, 1, -1)), machine=PRESETS["t800"])
    for cpu in found.cpus:
        assert {"inertia", "force", "shift", "solve", "distribute"} <= set(cpu.phases)
    ends = [found.phases[name] for name in ("inertia", "force", "shift", "solve", "distribute")]
    assert ends == sorted(ends)
    assert ends[-1] == found.ticks


def test_branches_overlap_in_time():
    """Two arms of four bodies on a trunk take less than 0.7 of what all the same arithmetic takes on one processor."""
    robot = grow((-1, 0, 1, 2, 3, 0, 5, 6, 7))
    for machine in MACHINES:
        found = run(robot, machine=machine)
        assert found.ticks < 0.7 * sum(found.busy.values())
    one = ONE_WONG.plan(robot, default_state(robot)).run(PRESETS["t800"], trace=False)
    assert run(robot, machine=PRESETS["t800"]).ticks < one.ticks


# Counts: what a further body adds to a branch (mul, add, div, sincos)

COUNTS = {
    ("revolute", False): (223, 219, 1, 1),
    ("prismatic", False): (185, 185, 1, 0),
    ("revolute", True): (322, 288, 1, 1),
    ("prismatic", True): (284, 254, 1, 0),
}


@pytest.mark.parametrize(("kind", "general"), COUNTS)
def test_counts_of_a_body(kind, general):
    counts = []
    for n in range(3, 9):
        operations = run(grow(range(-1, n - 1), n, (kind,), general)).operations
        counts.append([operations[name] for name in ("mul", "add", "div", "sincos")])
    for fewer, more in pairwise(counts):
        assert tuple(np.subtract(more, fewer)) == COUNTS[kind, general]


def test_a_further_body_costs_what_it_costs_one_processor():
    def operations(scheme, n):
        return scheme.plan(chain(n, n), default_state(chain(n, n))).run(MACHINES[0], trace=False).operations

    for name in ("mul", "add", "div"):
        slopes = [
            operations(scheme, 9)[name] - operations(scheme, 8)[name] for scheme in (BRANCH_PARALLEL, ONE_FEATHERSTONE)
        ]
        assert slopes[0] == slopes[1]


# Kernels against dense six by six matrices; motions are (angular, linear)

DESK = SimpleNamespace(do=lambda kernel, *arguments: kernel(*arguments))
"""A processor that only computes."""


def square(S):
    xx, yy, zz, xy, xz, yz = S
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def six(whole):
    J, H, M = whole
    return np.block([[square(J), np.array(H)], [np.array(H).T, square(M)]])


def entries(S):
    return tuple(float(S[i]) for i in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))


def rows(matrix):
    return tuple(tuple(float(entry) for entry in row) for row in matrix)


def parts(inertia):
    return entries(inertia[:3, :3]), rows(inertia[:3, 3:]), entries(inertia[3:, 3:])


def pair(six_vector):
    return tuple(map(float, six_vector[:3])), tuple(map(float, six_vector[3:]))


def random_inertia(draw):
    B = draw.uniform(-1, 1, (6, 6))
    return B @ B.T + 0.1 * np.eye(6)


def one_joint(kind, general, seed):
    """The joint of body 2, and the place of its frame in its carrier's."""
    robot = grow((-1, 0), seed, (kind,), general)
    local = bodies_of(robot, random_state(robot, seed))[1]
    place = np.array(robot.bodies[1].position)
    if kind == "prismatic":
        reach = slide_along(robot.bodies[1].position, local.q, local.E[2])
        return Joint(1, local, slide_of(local), reach), place + local.q * np.array(local.E)[2]
    return Joint(1, local, turn_of(local, math.sin(local.q), math.cos(local.q)), robot.bodies[1].position), place


def rotation_of(local):
    c, s = (1.0, 0.0) if local.slides else (math.cos(local.q), math.sin(local.q))
    return np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]]) @ np.array(local.E)


@pytest.mark.parametrize(("kind", "general"), COUNTS)
@pytest.mark.parametrize("seed", range(6))
def test_an_articulated_body_is_its_dense_counterpart(kind, general, seed):
    draw = np.random.default_rng(seed)
    joint, place = one_joint(kind, general, seed)
    carried = [random_inertia(draw), random_inertia(draw)]
    inertia = sum(carried) + six(rigid(joint.local))
    S = 5 if kind == "prismatic" else 2
    dense = inertia - np.outer(inertia[:, S], inertia[:, S]) / inertia[S, S]
    A = rotation_of(joint.local)
    X = np.block([[A, np.zeros((3, 3))], [-A @ skew(place), A]])
    bodies, ground = articulate(DESK, [joint], [parts(each) for each in carried])
    assert ground is None
    assert relative_error(six(bodies[0].whole), X.T @ dense @ X) < 1e-13


@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
def test_kernels_of_a_joint_serve_both_kinds(kind):
    draw = np.random.default_rng(1)
    joint, _ = one_joint(kind, False, 1)
    local, S = joint.local, 5 if kind == "prismatic" else 2
    inertia, wrench, given = random_inertia(draw), draw.uniform(-1, 1, 6), draw.uniform(-1, 1, 6)
    U, D, torque = inertia[:, S], inertia[S, S], 0.7
    free, gain = project(*inertia_facing(local, parts(inertia)))
    u = torque - wrench[S]
    passed = facing(local, pass_joint(gain, u, torque, facing(local, pair(wrench))))
    assert np.ravel(passed) == pytest.approx(wrench + U * u / D, rel=1e-12)
    sway = np.zeros(6)
    sway[[S - 2, S - 1]] = 0.3, -0.4
    moved = facing(local, add_turning(free[0], free[1], 0.3, -0.4, facing(local, pair(wrench))))
    assert np.ravel(moved) == pytest.approx(wrench + (inertia - np.outer(U, U) / D) @ sway, rel=1e-12)
    qdd, motion = accelerate(gain, u, facing(local, pair(given)))
    assert qdd == pytest.approx((u - U @ given) / D, rel=1e-12)
    assert np.ravel(facing(local, motion)) == pytest.approx(given + qdd * np.eye(6)[S], rel=1e-12)


def test_small_kernels():
    draw = np.random.default_rng(2)
    a, b = random_inertia(draw), random_inertia(draw)
    assert six(add_articulated(*parts(a), *parts(b))) == pytest.approx(a + b, rel=1e-14)
    w = tuple(draw.uniform(-1, 1, 3))
    assert coriolis_z(w, 0.3) == pytest.approx(2 * np.cross(w, (0, 0, 0.3)), abs=1e-15)
    assert slide_along(w, 0.3, (0.0, 0.6, 0.8)) == pytest.approx(np.add(w, (0, 0.18, 0.24)), abs=1e-15)


@pytest.mark.parametrize("general", [False, True], ids=["twist", "general"])
def test_rotations_of_a_joint_that_slides(general):
    joint, _ = one_joint("prismatic", general, 3)
    assert (joint.local.rotate is rotate_twist) == (not general)
    E, v = np.array(joint.local.E), np.array([0.3, -0.5, 0.7])
    assert joint.turn.outwards(DESK, tuple(v)) == pytest.approx(E @ v, abs=1e-15)
    assert joint.turn.inwards(DESK, tuple(v)) == pytest.approx(E.T @ v, abs=1e-15)
