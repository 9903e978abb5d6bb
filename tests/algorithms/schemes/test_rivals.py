"""The rivals on recursive-doubling cubes: the dense answer everywhere, their times derived operation by operation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tools.random_urdf import random_urdf
from tools.schemes import CHAINS

from meshsim.algorithms.motion.motion import Motion
from meshsim.algorithms.motion.pace import moving
from meshsim.algorithms.reference.dense import forward_dynamics
from meshsim.algorithms.robots.catalogue import chain, excavator, puma600
from meshsim.algorithms.robots.state import State, default_state
from meshsim.algorithms.robots.urdf import read_urdf
from meshsim.algorithms.schemes.catalogue import ONE_PROCESSOR, PARALLEL, SCHEMES, load_scheme
from meshsim.algorithms.solvers.catalogue import SOLVERS
from meshsim.errors import MeshSimError
from meshsim.machine import LinkCosts, Machine
from meshsim.presets import PRESETS

OFTEN = {1, 2, 3, 5, 8, 17}
"""Tried by every run of the tests; the others of 1..33 by those marked slow."""

RIVALS = ["lee-chang", "amin-javaheri", "fijany-bejczy", "hwang"]
MACHINES = [PRESETS[name] for name in ("ideal", "t800-overlap", "t800")]


def worst_error(run, robot, state):
    reference = forward_dynamics(robot, state)
    conditioning = max(1.0, 1e-3 * np.linalg.cond(reference.M))
    allowed = {"qdd": conditioning}
    return max(error / allowed.get(name, 1.0) for name, error in run.value.errors(reference).items())


def runs_of(name, plan):
    """On a machine of each discipline; one processor sends nothing, so that one machine is enough."""
    return [plan.run(machine, trace=False) for machine in (MACHINES[:1] if name in ONE_PROCESSOR else MACHINES)]


@pytest.mark.parametrize("name", CHAINS)
@pytest.mark.parametrize("n", [n if n in OFTEN else pytest.param(n, marks=pytest.mark.slow) for n in range(1, 34)])
def test_every_scheme_gives_the_dense_answer(name, n):
    robot = chain(n, 100 + n)
    state = default_state(robot)
    for run in runs_of(name, SCHEMES[name].plan(robot, state)):
        assert worst_error(run, robot, state) < 1e-10
        if run.value.M is not None:
            assert np.allclose(run.value.M, run.value.M.T, rtol=1e-14)


@pytest.mark.parametrize("name", [name for name, scheme in CHAINS.items() if len(scheme.options.get("solver", ())) > 1])
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("n", [1, 2, 5])
def test_every_scheme_takes_every_solver(name, solver, n):
    robot = chain(n, 200 + n)
    state = default_state(robot)
    for run in runs_of(name, SCHEMES[name].plan(robot, state, solver=solver)):
        assert worst_error(run, robot, state) < 1e-10
        assert run.phases["distribute"] == run.ticks


@pytest.mark.parametrize("name", RIVALS)
@pytest.mark.parametrize("robot", [puma600(), excavator()], ids=lambda robot: robot.name)
def test_thesis_robots(name, robot):
    state = State((0.3, -0.7, 1.1, 0.2, -0.4, 0.9)[: robot.n], (0.5,) * robot.n, (1.0,) * robot.n)
    assert worst_error(SCHEMES[name].plan(robot, state).run(PRESETS["t800"], trace=False), robot, state) < 1e-12


@pytest.mark.parametrize("name", PARALLEL)
def test_urdf_robots(name, tmp_path):
    path = tmp_path / "robot.urdf"
    path.write_text(random_urdf(6, 17))
    robot = read_urdf(path)
    run = SCHEMES[name].plan(robot, default_state(robot)).run(PRESETS["ideal"], trace=False)
    assert worst_error(run, robot, default_state(robot)) < 1e-10


def inertia_us(name, n):
    robot = chain(n, n)
    run = SCHEMES[name].plan(robot, default_state(robot)).run(PRESETS["ideal"], trace=False)
    return PRESETS["ideal"].microseconds(run.phases["inertia"])


def derived_us(name, n):
    """From the list in docs/findings.md."""
    stages = (n - 1).bit_length()
    counts = {
        "lee-chang": (121 + 27 * stages + 9 * (n // 2), 95 + 30 * stages + 11 * (n // 2)),
        "amin-javaheri": (121 + 27 * stages + 9 * (n - 1), 95 + 30 * stages + 11 * (n - 1)),
        "fijany-bejczy": (121 + 27 * stages, 95 + 30 * stages),
        "hwang": (118 + 27 * stages + 6 * n, 90 + 31 * stages + 5 * n),
    }
    mul, add = counts[name]
    return mul + 0.5 * add


@pytest.mark.parametrize("name", RIVALS)
@pytest.mark.parametrize("n", [2, 4, 8, 16, 32])
def test_inertia_times_derived_operation_by_operation(name, n):
    assert inertia_us(name, n) == derived_us(name, n)


@pytest.mark.parametrize("name", RIVALS)
@pytest.mark.parametrize("n", [3, 6, 9, 24])
def test_between_powers_of_two_the_count_with_stages_rounded_up_is_near(name, n):
    assert 0.9 * derived_us(name, n) <= inertia_us(name, n) <= 1.1 * derived_us(name, n)


@pytest.mark.parametrize("n", [4, 5, 8, 9, 16, 24])
def test_hwang_is_within_a_tenth_of_the_published_count(n):
    count = SCHEMES["hwang"].published(n, {})["inertia"]
    assert inertia_us("hwang", n) == pytest.approx(count.mul + 0.5 * count.add, rel=0.1)


NETWORKS = [("amin-javaheri", "pipeline"), ("amin-javaheri", "mesh"), ("hwang", "bus")]


@pytest.mark.parametrize(("name", "network"), NETWORKS)
@pytest.mark.parametrize("n", [1, 2, 3, 6, 9])
def test_other_networks_give_the_dense_answer(name, network, n):
    robot = chain(n, 100 + n)
    state = default_state(robot)
    plan = SCHEMES[name].plan(robot, state, network=network)
    for run in runs_of(name, plan):
        assert worst_error(run, robot, state) < 1e-10
        matrix = n * (n + 1) // 2 if network == "mesh" else n
        assert run.processors == matrix + n + SOLVERS["liu-young"].array(n).topology.number_of_nodes()
    assert np.array_equal(run.value.qdd, plan.repeated(2).run(PRESETS["t800"], trace=False).value.qdd)


@pytest.mark.parametrize("n", [2, 3, 5, 8, 17])
def test_amin_javaheris_pipeline_and_mesh_take_linear_time(n):
    """From the list in docs/findings.md."""
    robot = chain(n, n)
    counts = {"pipeline": (121 + 36 * (n - 1), 101 + 35 * (n - 1)), "mesh": (127 + 27 * (n - 1), 110 + 24 * (n - 1))}
    for network, (mul, add) in counts.items():
        run = SCHEMES["amin-javaheri"].plan(robot, default_state(robot), network=network).run(MACHINES[0], trace=False)
        assert PRESETS["ideal"].microseconds(run.phases["inertia"]) == mul + 0.5 * add
        assert SCHEMES["amin-javaheri"].published(n, {"network": network}) == {}


@pytest.mark.parametrize("machine", ["t800", "t800-overlap"])
def test_all_of_hwangs_messages_go_over_one_bus(machine):
    robot = chain(4, 1)
    once = SCHEMES["hwang"].plan(robot, default_state(robot), network="bus").run(PRESETS[machine], trace=False)
    motion = Motion(robot, default_state(robot), 0.001, 2)
    moved = moving(SCHEMES["hwang"].evaluation(robot, network="bus"), motion).run(PRESETS[machine], trace=False)
    for run in (once, moved):
        (bus,) = run.buses.values()
        assert (bus.messages, bus.words) == (run.messages, run.words)
        costs = PRESETS[machine].links
        assert run.ticks >= bus.messages * costs.startup + bus.words * costs.per_word


@pytest.mark.parametrize("n", [1, 2, 6, 13])
def test_processors(n):
    solver = SOLVERS["feedforward-lu"].array(n).topology.number_of_nodes()
    assert solver == n * (n + 1) // 2 + n
    robot = chain(n, 1)
    for name in RIVALS:
        run = (
            SCHEMES[name].plan(robot, default_state(robot), solver="feedforward-lu").run(PRESETS["ideal"], trace=False)
        )
        matrix = n * (n + 1) // 2 if name == "fijany-bejczy" else n
        assert run.processors == matrix + n + solver


@settings(max_examples=15, deadline=None)
@given(
    name=st.sampled_from(RIVALS),
    n=st.integers(1, 6),
    discipline=st.sampled_from(["overlap", "posted", "rendezvous"]),
    duplex=st.sampled_from(["full", "half"]),
    costs=st.lists(st.integers(0, 30), min_size=8, max_size=8),
)
def test_any_machine(name, n, discipline, duplex, costs):
    operations = dict(zip(("mul", "add", "div", "sqrt", "sincos"), costs, strict=False))
    machine = Machine("drawn", 1, operations, LinkCosts(discipline, *costs[5:8], duplex=duplex))
    robot = chain(n, 3)
    run = SCHEMES[name].plan(robot, default_state(robot)).run(machine)
    assert worst_error(run, robot, default_state(robot)) < 1e-10
    path = run.critical_path
    assert path.compute + path.wire + path.wait == run.ticks


@pytest.mark.parametrize("name", CHAINS)
@pytest.mark.parametrize("n", [1, 3, 6])
def test_a_stream_of_evaluations(name, n):
    robot = chain(n, 5)
    plan = SCHEMES[name].plan(robot, default_state(robot))
    for once, thrice in zip(runs_of(name, plan), runs_of(name, plan.repeated(3)), strict=True):
        assert np.array_equal(once.value.qdd, thrice.value.qdd)
        assert once.ticks <= thrice.ticks <= 3 * once.ticks
        assert thrice.messages == 3 * once.messages
        assert thrice.phases["evaluation 1"] < thrice.phases["evaluation 2"] < thrice.phases["evaluation 3"]


def test_refusals():
    with pytest.raises(MeshSimError, match=r"^unknown scheme 'walker'; known: wong-mesh, lee-chang, "):
        load_scheme("walker")
    robot = chain(2, 1)
    with pytest.raises(MeshSimError, match=r"^option solver of hwang must be .*, not 'gauss'$"):
        SCHEMES["hwang"].plan(robot, default_state(robot), solver="gauss")
    with pytest.raises(MeshSimError, match=r"^a plan must be repeated at least once, not 0 times$"):
        SCHEMES["hwang"].plan(robot, default_state(robot)).repeated(0)
