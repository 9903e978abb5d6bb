"""The triangle: dense numbers, exact counts, four links a processor, and never slower than Wong's mesh."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tools.motion import dense_motion, simulated
from tools.random_urdf import random_urdf

from meshsim.algorithms.motion.motion import Motion
from meshsim.algorithms.reference.dense import forward_dynamics
from meshsim.algorithms.robots.catalogue import chain, excavator, puma600
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.state import State, default_state
from meshsim.algorithms.robots.urdf import read_urdf
from meshsim.algorithms.schemes.mesh.triangle import TRIANGLE
from meshsim.algorithms.schemes.mesh.wong_mesh import ORDERS, WONG_MESH
from meshsim.algorithms.types.arrays import relative_error
from meshsim.algorithms.types.splitmix import SplitMix64
from meshsim.errors import MeshSimError
from meshsim.machine import LinkCosts, Machine
from meshsim.presets import PRESETS
from meshsim.recording import record
from meshsim.retiming import is_kahn, retime
from meshsim.topologies.ports import link_count
from meshsim.topologies.triangle import homed_triangle

IDEAL = PRESETS["ideal"]
MUL, ADD = IDEAL.operations["mul"], IDEAL.operations["add"]


def plan(n, seed=1):
    robot = chain(n, seed)
    return TRIANGLE.plan(robot, default_state(robot))


def random_state(n, seed):
    random = SplitMix64(seed)
    return State(*(tuple(random.uniform(-bound, bound) for _ in range(n)) for bound in (3.14, 2.0, 20.0)))


def checked(robot, state, run):
    """Against the dense solver: 1e-10 in its norm; the solution is allowed the conditioning of M."""
    dense = forward_dynamics(robot, state)
    assert relative_error(run.value.M, dense.M) < 1e-10
    assert relative_error(run.value.h, dense.h) < 1e-10
    assert relative_error(run.value.qdd, dense.qdd) < 1e-10 * max(1.0, 1e-3 * np.linalg.cond(dense.M))


@pytest.mark.parametrize("robot", [puma600(), excavator(), *(chain(n, n) for n in (1, 2, 3, 4, 5, 8, 13, 24))])
@pytest.mark.parametrize("seed", [7, 8])
def test_numbers_agree_with_the_dense_solver(robot, seed):
    state = random_state(robot.n, seed)
    checked(robot, state, TRIANGLE.plan(robot, state).run(IDEAL, trace=False))


@pytest.mark.parametrize("n", [1, 3, 7])
def test_general_rotations(n, tmp_path):
    path = tmp_path / "robot.urdf"
    path.write_text(random_urdf(n, 100 + n))
    robot = read_urdf(path)
    state = random_state(robot.n, 9)
    checked(robot, state, TRIANGLE.plan(robot, state).run(PRESETS["t800"], trace=False))


@pytest.mark.parametrize("n", [1, 2, 3, 6, 24])
def test_four_links_at_most_and_no_host(n):
    network = homed_triangle(n)
    assert len(network) == n * (n + 1) // 2 + n
    assert network.number_of_edges() == n * n + 2 * n - 2
    assert all(link_count(network, node) <= 4 for node in network)
    assert plan(n).run(IDEAL, trace=False).processors == len(network)


# Counts: docs/findings.md has the sequence of operations


@pytest.mark.parametrize("n", [2, 3, 6, 10])
def test_when_M_is_complete_on_short_robots(n):
    assert plan(n).run(IDEAL).phases["inertia"] == (14 * n + 11) * MUL + (14 * n - 3) * ADD


@pytest.mark.parametrize("n", [10, 11, 16, 33])
def test_when_M_is_complete_on_long_robots(n):
    assert plan(n).run(IDEAL).phases["inertia"] == (14 * n + 9) * MUL + (15 * n - 9) * ADD


@pytest.mark.parametrize("n", [5, 6, 7, 12, 24, 33])
def test_when_the_accelerations_are_home(n):
    run = plan(n).run(IDEAL)
    assert run.ticks == run.phases["distribute"] == (16 * n + 44) * MUL + (17 * n + 24) * ADD
    counts = dict.fromkeys(("mul", "add", "div"), 0)
    for step in run.critical_path.steps:
        for operation in counts:
            counts[operation] += step.what.cost.get(operation, 0)
    if n > 5:
        assert counts == {"mul": 16 * n + 44, "add": 17 * n + 24, "div": 0}


@pytest.mark.parametrize(("n", "ticks"), [(1, 52), (2, 126), (3, 232), (4, 307)])
def test_short_robots_in_ticks(n, ticks):
    assert plan(n).run(IDEAL).ticks == ticks


# Machines


@settings(max_examples=25, deadline=None)
@given(
    n=st.integers(1, 6),
    discipline=st.sampled_from(["free", "overlap", "posted", "rendezvous"]),
    duplex=st.sampled_from(["full", "half"]),
    buffers=st.integers(1, 3),
    costs=st.lists(st.integers(0, 50), min_size=9, max_size=9),
)
def test_any_machine_gives_the_dense_answer(n, discipline, duplex, buffers, costs):
    operations = dict(zip(("mul", "add", "div", "sqrt", "sincos"), costs, strict=False))
    links = LinkCosts(discipline, *costs[5:8], buffers=buffers, duplex=duplex)
    run = plan(n).run(Machine("drawn", 1, operations, links, kernel_overhead=costs[8]), trace=False)
    assert relative_error(run.value.qdd, forward_dynamics(chain(n, 1), default_state(chain(n, 1))).qdd) < 1e-11


@pytest.mark.parametrize("n", [1, 2, 3, 5, 9])
def test_recorded_once_and_timed_anywhere(n):
    recording, _ = record(plan(n))
    machines = [machine for machine in PRESETS.values() if is_kahn(machine)]
    for machine in machines:
        assert retime(recording, [machine]).ticks[0] == plan(n).run(machine, trace=False).ticks


def times(made):
    """Ticks on every preset: re-timed where that can be."""
    recording, _ = record(made)
    return {
        name: int(retime(recording, [machine]).ticks[0]) if is_kahn(machine) else made.run(machine, trace=False).ticks
        for name, machine in PRESETS.items()
    }


@cache
def slower(n, seed=1):
    """The presets and orders in which Wong's mesh would be quicker."""
    robot = chain(n, seed)
    ours = times(TRIANGLE.plan(robot, default_state(robot)))
    found = []
    for order in ORDERS:
        theirs = times(WONG_MESH.plan(robot, default_state(robot), order=order))
        found += [(name, order) for name in PRESETS if ours[name] > theirs[name]]
    return found


@pytest.mark.parametrize("n", [2, 3, 4, 6, 9])
def test_never_slower_than_wongs_mesh(n):
    assert slower(n) == []


@pytest.mark.slow
@pytest.mark.parametrize("n", range(2, 25))
def test_never_slower_than_wongs_mesh_for_any_robot(n):
    assert slower(n) == []


# Motion and refusals


@pytest.mark.parametrize("n", [1, 2, 3, 5])
@pytest.mark.parametrize("machine", ["ideal", "t800"])
def test_a_motion_ends_where_the_dense_one_does(n, machine):
    motion = Motion(chain(n, 3), default_state(chain(n, 3)), 0.002, 3)
    q, qd = dense_motion(motion)
    came = simulated("triangle", motion, machine).value
    size = max(1.0, np.abs(qd).max())  # rounding grows with the rates
    assert came.q == pytest.approx(q, abs=1e-11 * size)
    assert came.qd == pytest.approx(qd, abs=1e-9 * size)


def test_a_robot_whose_inertia_vanishes_is_refused():
    body = chain(1, 1).bodies[0]
    nothing = ((0.0, 0.0, 0.0),) * 3
    needle = Mechanism("needle", (type(body)(**{**vars(body), "com": (0.0, 0.0, 0.1), "inertia": nothing}),))
    with pytest.raises(MeshSimError, match=r"^the trailing minor from joint 1 on must not be zero: "):
        TRIANGLE.plan(needle, default_state(needle)).run(IDEAL)
