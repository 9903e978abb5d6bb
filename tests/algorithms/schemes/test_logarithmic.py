"""Divide and conquer, the parallel scan and the hybrid: numbers, counts, networks, loops and what is refused."""

from collections import Counter
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from tools.example_robots import FILES
from tools.loop_mechanisms import PLANE, SPACE, closing, moving
from tools.pinocchio_model import reference_dynamics
from tools.random_robot import random_parts, random_state, relabelled
from tools.stored_robots import stored_cases

from meshsim.algorithms.reference.composite_body import inertia_matrix
from meshsim.algorithms.robots.catalogue import chain, load_robot
from meshsim.algorithms.robots.linkages import LINKAGES
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.state import State, default_state
from meshsim.algorithms.robots.tree import build
from meshsim.algorithms.schemes.catalogue import SCHEMES
from meshsim.algorithms.types.arrays import relative_error
from meshsim.errors import MeshSimError
from meshsim.plan import Plan
from meshsim.presets import PRESETS
from meshsim.recording import record
from meshsim.retiming import retime

DCA = [("dca", {"network": network}) for network in ("tree", "hypercube", "mesh", "pipeline")]
VARIANTS = [*DCA, ("dca", {"form": "six"}), ("scan", {}), ("scan", {"form": "six"}), ("hybrid", {"form": "six"})]
VARIANTS += [("hybrid", {"pieces": pieces}) for pieces in ("auto", "1", "2", "3")]
TREES = [("dca", {}), ("dca", {"form": "six"}), ("hybrid", {}), ("hybrid", {"pieces": "1"})]


def label(value):
    if isinstance(value, dict):
        return ",".join(f"{name}={option}" for name, option in value.items()) or "default"
    return getattr(value, "name", str(value))


def run(name, options, robot, state, machine="ideal"):
    return SCHEMES[name].plan(robot, state, **options).run(PRESETS[machine], trace=False)


def tolerance(robot, state):
    """An inverse of a matrix of condition c is known to about 1e-16 c, and M's is what the accelerations hang on."""
    return max(1e-10, 1e-13 * np.linalg.cond(inertia_matrix(robot, state.q)))


# Numbers


@pytest.mark.parametrize(("name", "options"), VARIANTS, ids=label)
@pytest.mark.parametrize("n", [1, 2, 3, 5, 6, 9, 16, 64])
def test_chains(name, options, n):
    robot, state = chain(n, n), random_state(n, n)
    if int(options.get("pieces", "1").replace("auto", "1")) > n:
        return
    _, _, qdd = reference_dynamics(robot, state)
    found = run(name, options, robot, state).value
    assert relative_error(found.qdd, qdd) < tolerance(robot, state)
    assert found.M is None
    assert found.h is None


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("robot", "stored"), list(stored_cases()))
def test_stored_numbers(robot, stored):
    """Chains with joints that slide, trees, and the robots of the documents."""
    state = State(tuple(stored["q"]), tuple(stored["qd"]), tuple(stored["tau"]))
    for name, options in [*TREES, ("scan", {})]:
        if SCHEMES[name].takes.issuperset(robot.needs):
            value = run(name, options, robot, state).value
            assert relative_error(value.qdd, np.array(stored["qdd"])) < max(1e-10, 1e-13 * stored["condM"])


@pytest.mark.parametrize(("name", "options"), TREES, ids=label)
@pytest.mark.parametrize("n", [1, 2, 3, 5, 8, 12, 31])
def test_random_trees_with_joints_of_all_kinds(name, options, n):
    """Floating bases and other joints of several freedoms among them, and bodies in any order."""
    for seed in (7000 + n, 40 + n):
        robot = relabelled(build("tree", *random_parts(n, seed), gravity=(1.0, 2.0, -9.0)), seed)
        state = random_state(n, seed)
        _, _, qdd = reference_dynamics(robot, state)
        assert relative_error(run(name, options, robot, state).value.qdd, qdd) < tolerance(robot, state)


REAL = {"ur5": "ur_description/urdf/ur5_robot.urdf", "panda": "panda_description/urdf/panda.urdf"}
FLOATING = {"solo12": "solo_description/robots/solo12.urdf", "anymal": "anymal_b_simple_description/robots/anymal.urdf"}


@pytest.mark.parametrize("file", [*REAL.values(), *FLOATING.values()])
def test_real_robots(file):
    """Two arms, and two quadrupeds whose bases float."""
    robot = load_robot(f"{'floating:' * (file in FLOATING.values())}{FILES[file]}")
    state = random_state(len(robot.joints), 5)
    if "mimic joints" in robot.needs:
        robot = load_robot(f"{FILES[file]}@lock:panda_finger_joint1=0")
        state = random_state(len(robot.joints), 5)
    _, _, qdd = reference_dynamics(robot, state)
    for name, options in [("dca", {}), ("hybrid", {}), *([("scan", {})] if robot.is_chain else [])]:
        assert relative_error(run(name, options, robot, state).value.qdd, qdd) < tolerance(robot, state)


@pytest.mark.parametrize("name", [*LINKAGES, "stewart"])
def test_robots_with_loops(name):
    robot = load_robot(name)
    state = default_state(robot)
    evaluation = SCHEMES["dca"].evaluation(robot)
    found = evaluation.plan(state).run(PRESETS["t800"], trace=False).value.qdd
    assert relative_error(found, evaluation.reference(state).qdd) < 1e-10


@pytest.mark.parametrize(
    "robot", [*SPACE.values(), *PLANE.values()], ids=[*SPACE, *(f"{name}, in a plane" for name in PLANE)]
)
def test_loops_of_all_kinds(robot):
    """In space and in a plane, within one tree, between trees and to the ground; pins, balls and welds."""
    robot = closing(robot, 3)
    q, qd, _ = moving(robot, 4)
    tau = np.zeros(robot.n)
    tau[list(robot.actuated)] = 1.0
    state = State(tuple(q), tuple(qd), tuple(tau))
    evaluation = SCHEMES["dca"].evaluation(robot)
    found = evaluation.plan(state).run(PRESETS["ideal"], trace=False).value.qdd
    assert relative_error(found, evaluation.reference(state).qdd) < 1e-9


# Counts, derived in docs/findings.md

LEVEL = {"dca": (830, 732, 5), "scan": (1420, 1243, 10)}
"""Multiplies, adds and divisions a doubling of the chain adds to the longest path."""
START = {"dca": (-242, -236, 5), "scan": (-879, -787, 0)}


def on_path(name, options, n):
    """The operations on the critical path, where words are free."""
    robot = chain(n, 1)
    path = SCHEMES[name].plan(robot, default_state(robot), **options).run(PRESETS["ideal"]).critical_path
    counts = Counter()
    for step in path.walked:
        if step.kind == "compute":
            counts.update(step.what.cost)
    return counts


@pytest.mark.parametrize("n", [4, 8, 16, 64])
@pytest.mark.parametrize(("name", "options"), [*DCA, ("scan", {})], ids=label)
def test_a_doubling_adds_the_same(name, options, n):
    """a + b log2 n, exactly, once there are bodies that are no ends."""
    levels = n.bit_length() - 1
    wanted = [start + level * levels for start, level in zip(START[name], LEVEL[name], strict=True)]
    counts = on_path(name, options, n)
    assert [counts[operation] for operation in ("mul", "add", "div")] == wanted


def test_one_piece_is_articulated_bodies_and_as_many_as_bodies_divide_and_conquer():
    robot = chain(12, 3)
    state = random_state(12, 3)
    ends = {"1": ("one-featherstone", {}), "12": ("dca", {"network": "hypercube"})}
    for pieces, (name, options) in ends.items():
        hybrid, other = run("hybrid", {"pieces": pieces}, robot, state), run(name, options, robot, state)
        assert hybrid.operations == other.operations
        assert hybrid.ticks == other.ticks
        assert hybrid.value.qdd.tolist() == other.value.qdd.tolist()


def counted(n, pieces):
    robot = chain(n, 1)
    counts = run("hybrid", {"pieces": str(pieces)}, robot, default_state(robot)).operations
    return np.array([counts[operation] for operation in ("mul", "add", "div")])


def test_what_one_more_body_costs():
    """At the end of the chain what articulated bodies cost, and elsewhere columns besides."""
    alone, columns = np.array([223, 219, 1]), np.array([264, 194, 0])
    assert (counted(10, 1) - counted(9, 1) == alone).all()
    # of three more bodies two go to the end, of four more two, and one to each of the other pieces
    for n in (6, 9):
        assert (counted(n + 3, 2) - counted(n, 2) == 3 * alone + columns).all()
    assert (counted(12, 3) - counted(8, 3) == 4 * alone + 2 * columns).all()


# Networks


@pytest.mark.sampled(2)
@pytest.mark.parametrize("machine", ["t800", "t800-overlap", "t800-posted", "ideal"])
@pytest.mark.parametrize(("name", "options"), VARIANTS, ids=label)
def test_no_discipline_deadlocks_and_none_changes_a_bit(name, options, machine):
    for n in (3, 11):
        robot = chain(n, 2)
        plan = SCHEMES[name].plan(robot, default_state(robot), **options)
        simulated = plan.run(PRESETS[machine], trace=False)
        assert simulated.value.qdd.tolist() == plan.run(PRESETS["ideal"], trace=False).value.qdd.tolist()
        assert retime(record(plan)[0], [PRESETS[machine]]).ticks.tolist() == [simulated.ticks]


@pytest.mark.parametrize(("network", "longest"), [("hypercube", 1), ("mesh", 4), ("pipeline", 16)])
def test_where_a_power_of_two_is_not_one_link_away_others_pass_messages_on(network, longest):
    """The last piece of 32 goes half way through a row, or half way down a column."""
    robot = chain(32, 1)
    plan = SCHEMES["dca"].plan(robot, default_state(robot), network=network)
    degree = {"hypercube": 5, "mesh": 4, "pipeline": 2}[network]
    assert len(plan.topology) == 32
    assert max(dict(plan.topology.degree).values()) == degree
    own = SCHEMES["dca"].plan(robot, default_state(robot), network="hypercube").run(PRESETS["ideal"], trace=False)
    assert plan.run(PRESETS["ideal"], trace=False).ticks == own.ticks
    assert (plan.run(PRESETS["ideal"], trace=False).messages > own.messages) == (longest > 1)


def test_a_tree_of_processors_has_one_for_each_body_and_joint():
    robot = chain(13, 1)
    plan = SCHEMES["dca"].plan(robot, default_state(robot))
    assert len(plan.topology) == 25
    assert max(dict(plan.topology.degree).values()) == 3


def test_words():
    """Two bodies: how fast the second's carrier turns, its piece with one handle, and its acceleration."""
    robot = chain(2, 1)
    assert run("dca", {"network": "hypercube"}, robot, default_state(robot)).words == 3 + (21 + 6 + 1) + 1
    robot = chain(4, 1)
    turning, piece, end = 12, 21 + 21 + 36 + 6 + 6 + 1, 21 + 6 + 1
    words = turning + 3 + 3 + 3 + piece + end + end + 1 + 1 + (6 + 1)
    assert run("dca", {"network": "hypercube"}, robot, default_state(robot)).words == words


# States at a host


GATHERED = [*DCA, ("scan", {}), ("hybrid", {"pieces": "2"}), ("cfa", {}), ("cfa", {"network": "pipeline"})]


def exchanged(evaluation, values):
    """What the host gathers, and what every home gets back: each number and 100."""
    gathering = evaluation.gathering

    def program(cpu, node):
        own = tuple(values[joint] for joint in evaluation.cells[node].joints)
        gathered = yield from gathering.gather(cpu, node, own)
        made = tuple(value + 100.0 for value in gathered) if node == gathering.host else ()
        return gathered, (yield from gathering.scatter(cpu, node, made))

    programs = {node: partial(program, node=node) for node in evaluation.homes}
    results = Plan(evaluation.topology, programs, dict).run(PRESETS["t800"], trace=False).value
    homes = {}
    for node, (_, got) in results.items():
        homes.update(zip(evaluation.cells[node].joints, got, strict=True))
    return results[gathering.host][0], homes


@pytest.mark.parametrize(("name", "options"), GATHERED, ids=label)
@pytest.mark.parametrize("n", [2, 5, 8])
def test_states_of_a_chain_come_to_a_host_in_order_and_go_back(name, options, n):
    evaluation = SCHEMES[name].evaluation(chain(n, 1), **options)
    gathered, homes = exchanged(evaluation, [float(joint) for joint in range(n)])
    assert gathered == tuple(range(n))
    assert homes == {joint: joint + 100.0 for joint in range(n)}


@pytest.mark.parametrize("name", ["dca", "hybrid"])
def test_states_of_a_tree_come_to_a_host_in_order_and_go_back(name):
    """Of a joint of six freedoms all at once; trees that only the ground joins have no host."""
    robot = load_robot(f"floating:{FILES[FLOATING['solo12']]}")
    gathered, homes = exchanged(SCHEMES[name].evaluation(robot), [float(joint) for joint in range(robot.n)])
    assert gathered == tuple(range(robot.n))
    assert homes == {joint: joint + 100.0 for joint in range(robot.n)}
    apart = Mechanism("two", tuple(replace(body, parent=-1) for body in chain(2, 1).bodies))
    assert SCHEMES[name].evaluation(apart).gathering is None


# What is refused


@pytest.mark.parametrize("name", ["dca", "scan", "hybrid"])
def test_a_body_whose_inertia_has_no_inverse(name):
    robot = build_point_mass()
    with pytest.raises(MeshSimError, match=rf"^{name} inverts the inertia of bodies, and that of 'body2' of point is "):
        SCHEMES[name].plan(robot, default_state(robot), **({"pieces": "2"} if name == "hybrid" else {}))


def build_point_mass():
    first, second, third = chain(3, 1).bodies
    return Mechanism("point", (first, replace(second, name="body2", inertia=((0.0,) * 3,) * 3), third))


def test_branches_need_a_tree_of_processors():
    with pytest.raises(
        MeshSimError, match=r"^dca takes no branching joints with network=mesh, and joint .* network=tree could"
    ):
        SCHEMES["dca"].plan(load_robot("torso"), default_state(load_robot("torso")), network="mesh")


@pytest.mark.parametrize(("pieces", "told"), [("7", "1 to 6"), ("9", "1 to 6")])
def test_more_pieces_than_bodies(pieces, told):
    robot = load_robot("puma600")
    with pytest.raises(MeshSimError, match=rf"^option pieces of hybrid must be {told} for puma600, not {pieces}$"):
        SCHEMES["hybrid"].plan(robot, default_state(robot), pieces=pieces)


@pytest.mark.parametrize("pieces", ["0", "-1", "1.5", "many", "٣"])
def test_pieces_that_are_no_number(pieces):
    robot = load_robot("puma600")
    with pytest.raises(MeshSimError, match=r"^option pieces of hybrid must be .* not "):
        SCHEMES["hybrid"].plan(robot, default_state(robot), pieces=pieces)
