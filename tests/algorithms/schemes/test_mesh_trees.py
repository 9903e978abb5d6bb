"""The branched mesh: any tree, joints that turn or slide, data for non-neighbours by links, a bus or forwarding."""

import random

import pytest
from tools.pinocchio_model import reference_dynamics
from tools.random_robot import random_parts, random_state, relabelled

from meshsim.algorithms.robots.catalogue import chain, load_robot
from meshsim.algorithms.robots.state import default_state
from meshsim.algorithms.robots.tree import build
from meshsim.algorithms.schemes.base.scheme import RefusedError
from meshsim.algorithms.schemes.catalogue import SCHEMES
from meshsim.algorithms.schemes.mesh.columns import CARRIERS
from meshsim.algorithms.schemes.takers import rescue
from meshsim.algorithms.types.arrays import relative_error
from meshsim.machine import LinkCosts, Machine
from meshsim.presets import PRESETS
from meshsim.recording import record
from meshsim.retiming import NotKahnError, retime

MESH, ONE = SCHEMES["wong-mesh"], SCHEMES["one-wong"]


def tree(n, seed):
    return relabelled(build("tree", *random_parts(n, seed), gravity=(1.0, 2.0, -9.0)), seed)


def check(run, robot, state):
    M, h, qdd = reference_dynamics(robot, state)
    assert relative_error(run.value.M, M) < 1e-10
    assert relative_error(run.value.h, h) < 1e-10
    assert relative_error(run.value.qdd, qdd) < 1e-10


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6, 8, 12, 17, 31])
def test_one_processor_agrees_with_pinocchio(n):
    robot, state = tree(n, 7000 + n), random_state(n, n)
    check(ONE.plan(robot, state).run(PRESETS["ideal"], trace=False), robot, state)


@pytest.mark.parametrize("carry", CARRIERS)
@pytest.mark.parametrize("machine", ["ideal", "t800", "t800-overlap"])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 6, 8, 11])
def test_the_mesh_agrees_with_pinocchio(carry, machine, n):
    robot, state = tree(n, 300 + n), random_state(n, n)
    draw = random.Random(f"{carry} {machine} {n}")
    options = {"rho": draw.choice(["pass", "recompute"]), "zeros": draw.choice(["kept", "skipped"])}
    check(MESH.plan(robot, state, carry=carry, **options).run(PRESETS[machine], trace=False), robot, state)


@pytest.mark.parametrize("carry", CARRIERS)
def test_many_bodies(carry):
    robot, state = tree(24, 5), random_state(24, 5)
    check(MESH.plan(robot, state, carry=carry).run(PRESETS["t800"], trace=False), robot, state)


@pytest.mark.parametrize("carry", CARRIERS)
@pytest.mark.parametrize("duplex", ["full", "half"])
@pytest.mark.parametrize("seed", range(6))
def test_any_machine(carry, duplex, seed):
    draw = random.Random(f"{carry} {duplex} {seed}")
    costs = {name: draw.randint(0, 20) for name in ("mul", "add", "div", "sqrt", "sincos")}
    discipline = draw.choice(["overlap", "rendezvous"])
    links = LinkCosts(
        discipline, draw.randint(0, 20), draw.randint(0, 9), draw.randint(0, 3), draw.randint(1, 3), duplex
    )
    robot, state = tree(7, 40 + seed), random_state(7, seed)
    options = {"rho": draw.choice(["pass", "recompute"]), "zeros": draw.choice(["kept", "skipped"])}
    run = MESH.plan(robot, state, carry=carry, **options).run(Machine("drawn", 1, costs, links))
    check(run, robot, state)
    path = run.critical_path
    assert path.compute + path.wire + path.wait == run.ticks


@pytest.mark.parametrize("carry", CARRIERS)
@pytest.mark.parametrize("solver", ["liu-young", "faddeev"])
def test_solvers_apart(carry, solver):
    robot = load_robot("torso")
    state = default_state(robot)
    check(MESH.plan(robot, state, carry=carry, solver=solver).run(PRESETS["t800"], trace=False), robot, state)


def test_a_chain_is_carried_the_same_whatever_the_option():
    robot = chain(6, 1)
    plans = [MESH.plan(robot, default_state(robot), carry=carry, zeros=zeros) for carry in CARRIERS for zeros in ZEROS]
    runs = [plan.run(PRESETS["t800"], trace=False) for plan in plans]
    assert {(run.ticks, run.messages, run.words) for run in runs} == {(12403, 880, 1343)}
    assert all(run.buses == {} for run in runs)


ZEROS = ("kept", "skipped")


def test_skipping_zeros_saves_arithmetic_and_messages():
    robot = load_robot("torso")
    kept, skipped = (
        MESH.plan(robot, default_state(robot), zeros=zeros).run(PRESETS["t800"], trace=False) for zeros in ZEROS
    )
    assert skipped.operations["mul"] < kept.operations["mul"]
    assert skipped.messages < kept.messages
    assert skipped.ticks <= kept.ticks
    assert (skipped.value.M == kept.value.M).all()


def test_the_bus_carries_what_is_not_for_neighbours():
    robot = load_robot("torso")  # bodies 3 and 5 hang on body 1
    bus = MESH.plan(robot, default_state(robot), carry="bus").run(PRESETS["t800"], trace=False).buses["bus"]
    # for each of two bodies: c and rho in row 1, w, w', W l and p'' in row 0, three words each
    assert (bus.links, bus.messages, bus.words) == (4, 12, 36)
    links = MESH.plan(robot, default_state(robot), carry="links").run(PRESETS["t800"], trace=False)
    forward = MESH.plan(robot, default_state(robot), carry="forward").run(PRESETS["t800"], trace=False)
    assert links.buses == forward.buses == {}
    assert links.messages < forward.messages


def test_a_bus_is_not_retimed_and_the_others_are():
    robot = load_robot("torso")
    for carry in CARRIERS:
        made = MESH.plan(robot, default_state(robot), carry=carry)
        recording, _ = record(made)
        if carry == "bus":
            with pytest.raises(NotKahnError, match=r"^a plan with a bus \(bus\) cannot be re-timed on t800"):
                retime(recording, [PRESETS["t800"]])
        else:
            assert retime(recording, [PRESETS["t800"]]).ticks[0] == made.run(PRESETS["t800"], trace=False).ticks


@pytest.mark.parametrize("name", ["lee-chang", "amin-javaheri", "fijany-bejczy", "hwang"])
def test_schemes_for_chains_say_what_they_cannot_take(name):
    robot = load_robot("torso")
    with pytest.raises(RefusedError) as error:
        SCHEMES[name].plan(robot, default_state(robot))
    joint = robot.needs["branching joints"]
    assert str(error.value) == f"{name} takes no branching joints, and joint {joint!r} of torso is one"
    able = "one-wong or one-angeles or one-walker-orin or one-featherstone or one-saha or one-bae"
    assert rescue(robot) == f"wong-mesh or branch-parallel or {able} or dca or hybrid could take it"
