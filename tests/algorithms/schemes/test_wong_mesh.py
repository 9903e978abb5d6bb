"""The triangular mesh: the published counts to the tick, and Pinocchio's numbers."""

import resource
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tools.paths import ROOT
from tools.pinocchio_model import reference_dynamics
from tools.random_urdf import random_urdf

from meshsim.algorithms.reference.dense import forward_dynamics
from meshsim.algorithms.robots.catalogue import chain, excavator, puma600
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.state import State, default_state
from meshsim.algorithms.robots.urdf import read_urdf
from meshsim.algorithms.schemes.mesh.wong_mesh import WONG_MESH
from meshsim.algorithms.types.arrays import relative_error
from meshsim.algorithms.types.splitmix import SplitMix64
from meshsim.errors import MeshSimError
from meshsim.machine import LinkCosts, Machine
from meshsim.presets import PRESETS

IDEAL = PRESETS["ideal"]
MUL, ADD = IDEAL.operations["mul"], IDEAL.operations["add"]


def run_chain(n, machine=IDEAL, trace=False, **options):
    robot = chain(n, 10000 + n)
    return WONG_MESH.plan(robot, default_state(robot), **options).run(machine, trace=trace)


def random_state(n, seed):
    random = SplitMix64(seed)
    return State(*(tuple(random.uniform(-bound, bound) for _ in range(n)) for bound in (3.14, 2.0, 20.0)))


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7, 16, 33])
def test_inertia_phase_ends_at_equation_4_11(n):
    run = run_chain(n)
    assert run.phases["inertia"] == (22 * n + 24) * MUL + (22 * n + 5) * ADD
    assert run.phases["force"] <= (24 * n + 27) * MUL + (19 * n + 25) * ADD  # eq. 4.12


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7, 16, 33])
def test_recomputing_keeps_a_cells_own_product(n):
    run = run_chain(n, rho="recompute")
    assert run.phases["inertia"] == (28 * n + 18) * MUL + (25 * n + 2) * ADD
    assert run.phases["force"] <= (30 * n + 27) * MUL + (22 * n + 25) * ADD  # eq. 4.14


def test_the_bound_on_the_force_phase_is_met_for_two_joints():
    assert run_chain(2).phases["force"] == (24 * 2 + 27) * MUL + (19 * 2 + 25) * ADD


def operations_by_product(run):
    """Multiplies and adds of each processor up to the end of the product with H-bar^T."""
    solver = {"axpy", "subtract", "negative_ratio", "pass_on"}
    counts = {}
    for cpu in run.cpus:
        kernels = [(kernel, calls) for kernel, calls in cpu.calls.items() if kernel.name not in solver]
        counts[cpu.node] = tuple(
            sum(calls * kernel.cost.get(operation, 0) for kernel, calls in kernels) for operation in ("mul", "add")
        )
    return counts


@pytest.mark.parametrize("n", [1, 2, 3, 6, 13])
def test_counts_of_every_processor(n):
    counts = operations_by_product(run_chain(n))
    for i in range(1, n + 1):
        assert counts[1, i] == (22 * i + 24, 22 * i + 5)
        for k in range(2, i + 1):
            assert counts[k, i] == (18 + 6 * (i - k + 1), 9 + 6 * (i - k + 1))
        if i >= 2:
            assert counts[0, i] == (63 + 6 * i, 51 + 6 * i)
    assert counts[0, 0] == (0, 0)


def test_general_rotations_cost_more():
    twist = chain(5, 1)
    bodies = tuple(type(body)(**{**vars(body), "twist": None}) for body in twist.bodies)
    general = Mechanism("general", bodies)
    state = default_state(twist)
    cheap = WONG_MESH.plan(twist, state).run(IDEAL)
    dear = WONG_MESH.plan(general, state).run(IDEAL)
    formed, applied = 2 * 5, 10 * 2 + 4 * 3  # per row-1 cell 2 (i-1), per row-0 cell i >= 2 three
    assert dear.operations["mul"] - cheap.operations["mul"] == formed * 8 + applied + 1  # and (0,1) turns gravity
    assert dear.operations["add"] - cheap.operations["add"] == formed * 6 + applied + 1
    assert dear.value.qdd == pytest.approx(cheap.value.qdd, rel=1e-12)


def checked(robot, state, run):
    """Against Pinocchio: 1e-10 in the command's norm; the solution is allowed the conditioning of M."""
    M, h, qdd = reference_dynamics(robot, state)
    assert relative_error(run.value.M, M) < 1e-10
    assert relative_error(run.value.h, h) < 1e-10
    assert relative_error(run.value.qdd, qdd) < 1e-10 * max(1.0, 1e-3 * np.linalg.cond(M))


@pytest.mark.parametrize("robot", [puma600(), excavator(), *(chain(n, n) for n in (1, 2, 3, 5, 8, 13, 24))])
@pytest.mark.parametrize("rho", ["pass", "recompute"])
def test_numbers_agree_with_pinocchio(robot, rho):
    state = random_state(robot.n, 7)
    checked(robot, state, WONG_MESH.plan(robot, state, rho=rho).run(IDEAL, trace=False))


@pytest.mark.parametrize("n", [1, 3, 7])
def test_urdf_robots_agree_with_pinocchio(n, tmp_path):
    path = tmp_path / "robot.urdf"
    path.write_text(random_urdf(n, 100 + n))
    robot = read_urdf(path)
    state = random_state(robot.n, 9)
    checked(robot, state, WONG_MESH.plan(robot, state).run(PRESETS["t800"], trace=False))


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8, 16])
@pytest.mark.parametrize("rho", ["pass", "recompute"])
def test_every_discipline_ends_with_the_same_numbers(n, rho):
    ideal = run_chain(n, rho=rho)
    for machine in ("t800", "t800-overlap", "t800-measured"):
        run = run_chain(n, PRESETS[machine], rho=rho)
        assert np.array_equal(run.value.M, ideal.value.M)
        assert np.array_equal(run.value.h, ideal.value.h)
        assert np.array_equal(run.value.qdd, ideal.value.qdd)
        assert run.messages == ideal.messages
        assert run.words == ideal.words


@settings(max_examples=25, deadline=None)
@given(
    n=st.integers(1, 6),
    discipline=st.sampled_from(["free", "overlap", "posted", "rendezvous"]),
    duplex=st.sampled_from(["full", "half"]),
    buffers=st.integers(1, 3),
    costs=st.lists(st.integers(0, 50), min_size=9, max_size=9),
)
def test_any_machine_gives_the_dense_answer_and_a_whole_account(n, discipline, duplex, buffers, costs):
    operations = dict(zip(("mul", "add", "div", "sqrt", "sincos"), costs, strict=False))
    links = LinkCosts(discipline, *costs[5:8], buffers=buffers, duplex=duplex)
    run = run_chain(n, Machine("drawn", 1, operations, links, kernel_overhead=costs[8]), trace=True)
    robot = chain(n, 10000 + n)
    reference = forward_dynamics(robot, default_state(robot))
    assert relative_error(run.value.qdd, reference.qdd) < 1e-11
    path = run.critical_path
    assert path.compute + path.wire + path.wait == run.ticks
    for account in run.trace.accounts().values():
        assert account.busy + account.sending + account.receiving + account.waiting == account.finish


def test_phases_come_in_order():
    phases = run_chain(6, PRESETS["t800"]).phases
    assert set(phases) == {"momentum", "inertia", "force", "shift", "solve", "distribute"}
    assert phases["shift"] < phases["solve"] < phases["distribute"]


def test_a_robot_whose_inertia_vanishes_is_refused():
    body = chain(1, 1).bodies[0]
    nothing = ((0.0, 0.0, 0.0),) * 3
    needle = Mechanism("needle", (type(body)(**{**vars(body), "com": (0.0, 0.0, 0.1), "inertia": nothing}),))
    with pytest.raises(MeshSimError, match=r"^the leading minor of order 1 must not be zero: "):
        WONG_MESH.plan(needle, default_state(needle)).run(IDEAL)


BIG = """
import resource
from meshsim.algorithms.robots.catalogue import chain
from meshsim.algorithms.robots.state import default_state
from meshsim.algorithms.schemes.mesh.wong_mesh import WONG_MESH
from meshsim.presets import PRESETS
robot = chain(64, 1)
run = WONG_MESH.plan(robot, default_state(robot)).run(PRESETS["t800"])
path = run.critical_path
assert path.compute + path.wire + path.wait == run.ticks
print(run.processors, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


@pytest.mark.slow
def test_sixty_four_joints_fit_in_two_gigabytes():
    assert resource  # ru_maxrss is in kilobytes on Linux
    done = subprocess.run([sys.executable, "-c", BIG], cwd=ROOT, capture_output=True, text=True, check=True)
    processors, megabytes = map(int, done.stdout.split())
    assert processors == 64 * 65 // 2 + 64 + 1
    assert megabytes < 2000
