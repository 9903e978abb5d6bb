"""Closed mechanisms on the mesh: both variants against a dense solution, under every discipline; times and refusals."""

import json
from dataclasses import replace

import numpy as np
import pytest
from tools.loop_mechanisms import PLANE, SPACE, random_state

from meshsim.algorithms.reference.loops import constrained_dynamics
from meshsim.algorithms.robots.catalogue import load_robot
from meshsim.algorithms.robots.closure import assemble, check_actuation, consistent_rates, loops
from meshsim.algorithms.robots.families import legged, stacked
from meshsim.algorithms.robots.linkages import LINKAGES, four_bar, three_rrr
from meshsim.algorithms.robots.stewart import stewart
from meshsim.algorithms.schemes.base.scheme import RefusedError
from meshsim.algorithms.schemes.catalogue import SCHEMES
from meshsim.algorithms.schemes.loops.independent import independent_joints
from meshsim.algorithms.schemes.loops.mesh_loops import (
    MESH_LOOPS,
    OPTIONS,
    check_variant,
    mesh_loops_plan,
    processors,
)
from meshsim.algorithms.schemes.loops.method import Settings, evaluation
from meshsim.algorithms.schemes.loops.multipliers import MULTIPLIERS
from meshsim.errors import MeshSimError
from meshsim.experiments.cli.main import main
from meshsim.experiments.exhibits.base.mesh_loops import ALONE, ends_of, evaluate, moving_state
from meshsim.presets import PRESETS
from meshsim.recording import record
from meshsim.retiming import retime

MACHINES = ("ideal", "t800", "t800-overlap")  # free, rendezvous, overlap
VARIANTS = OPTIONS["variant"]
AGREED = 1e-9
"""Of the largest acceleration: both solve systems with condition numbers up to some thousand."""


def state(mechanism, seed=3):
    """All joints in motion, and all driven, as loops allow."""
    random = np.random.default_rng(seed)
    q = assemble(mechanism)
    return (
        q,
        consistent_rates(mechanism, q, random.normal(size=len(mechanism.actuated))),
        5 * random.normal(size=mechanism.n),
    )


def check(mechanism, q, qd, tau, variant, **options):
    """The accelerations are those of a dense solution, and the same to the last bit on every machine."""
    wanted = constrained_dynamics(mechanism, q, qd, tau)[0]
    plan = mesh_loops_plan(mechanism, q, qd, tau, variant, **options)
    found = [plan.run(PRESETS[machine], trace=False).value for machine in MACHINES]
    assert np.abs(found[0] - wanted).max() < AGREED * np.abs(wanted).max()
    assert all(each.tolist() == found[0].tolist() for each in found)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("rates", OPTIONS["rates"])
@pytest.mark.parametrize("make", [*LINKAGES.values(), stewart, lambda: legged(4), lambda: stacked(2)])
def test_mechanisms(make, variant, rates):
    mechanism = make()
    check(mechanism, *state(mechanism), variant, rates=rates)


@pytest.mark.parametrize("make", [*LINKAGES.values(), stewart], ids=[*LINKAGES, "stewart"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_equal_to_the_program_of_multipliers(make, variant):
    mechanism = make()
    q, qd, tau = state(mechanism)
    places = MULTIPLIERS.places(mechanism, "one", Settings(), q)
    plan = evaluation(MULTIPLIERS, places, MULTIPLIERS.begin(places, q, qd), MULTIPLIERS.torques(places, tau.tolist()))
    _, wanted = MULTIPLIERS.finish(places, plan.run(PRESETS["ideal"]).value)
    found = mesh_loops_plan(mechanism, q, qd, tau, variant).run(PRESETS["ideal"]).value
    assert np.abs(found - wanted).max() < AGREED * np.abs(wanted).max()


@pytest.mark.parametrize("mechanism", [*SPACE.values(), *PLANE.values()], ids=[*SPACE, *(f"plane: {n}" for n in PLANE)])
@pytest.mark.parametrize("variant", VARIANTS)
def test_loops_of_all_kinds(mechanism, variant):
    """Positions in which loops are open do as well: what is compared are the same equations."""
    q, tau = random_state(mechanism, 5)[0], 10 * random_state(mechanism, 9)[0]
    A = loops(mechanism, q, np.zeros(mechanism.n)).A
    mechanism = replace(mechanism, actuated=independent_joints(A))
    rates = random_state(mechanism, 6)[1][: len(mechanism.actuated)]
    qd = consistent_rates(mechanism, q, rates)
    for how in OPTIONS["rates"]:
        check(mechanism, q, qd, tau, variant, rates=how)


@pytest.mark.parametrize("carry", OPTIONS["carry"])
@pytest.mark.parametrize("rho", OPTIONS["rho"])
@pytest.mark.parametrize("zeros", OPTIONS["zeros"])
def test_options_of_the_tree(carry, rho, zeros):
    for mechanism in (three_rrr(), stacked(2)):
        check(mechanism, *state(mechanism), "tree", carry=carry, rho=rho, zeros=zeros)


def test_order_of_actuated_joints():
    mechanism = replace(three_rrr(), actuated=(4, 0, 2))
    for variant in VARIANTS:
        check(mechanism, *state(mechanism), variant)


# Processors and times


@pytest.mark.parametrize("make", [four_bar, three_rrr, lambda: legged(5), lambda: stacked(4)])
@pytest.mark.parametrize("variant", VARIANTS)
def test_processors(make, variant):
    """As many as the formulas say; in `small` those of the mesh of n joints: n(n+1)/2 + n and the host's."""
    mechanism = make()
    m, n = mechanism.n, len(mechanism.actuated)
    run = mesh_loops_plan(mechanism, *state(mechanism), variant).run(PRESETS["ideal"])
    needed = processors(m, n)[variant]
    assert run.processors == needed["all"]
    assert sum(1 for cpu in run.cpus if cpu.calls_by_phase.get("inertia")) == needed["inertia"]
    marks = {phase: sum(1 for cpu in run.cpus if phase in cpu.phases) for phase in needed if phase != "all"}
    assert marks["loops"] == 1
    assert marks["inertia"] == needed["inertia"]
    assert variant == "tree" or run.processors == n * (n + 1) // 2 + n + 1
    assert marks.get("fold", 0) == (m if variant == "tree" else 0)
    assert marks["force"] == (m if variant == "tree" else n)


KNOWN = {
    ("four-bar", "tree"): (118.0, 597.1, 337.3),
    ("four-bar", "small"): (351.5, 496.4, 418.8),
    ("3rrr", "tree"): (559.0, 1830.4, 1237.5),
    ("3rrr", "small"): (1236.0, 1873.0, 1508.3),
}
"""In us, by machine: what docs/findings.md has."""


@pytest.mark.parametrize(("robot", "variant"), KNOWN)
def test_times(robot, variant):
    mechanism = LINKAGES[robot]()
    plan = mesh_loops_plan(mechanism, *state(mechanism), variant)
    runs = [plan.run(PRESETS[machine], trace=False) for machine in MACHINES]
    assert tuple(run.machine.microseconds(run.ticks) for run in runs) == KNOWN[robot, variant]
    timing = retime(record(plan)[0], [run.machine for run in runs])  # a Kahn network
    assert timing.ticks.tolist() == [run.ticks for run in runs]


def test_loops_grow_as_a_cube_and_the_rest_as_the_joints():
    """G takes a solution of m - n equations; what follows takes as long for every joint more."""
    sizes, after, found = (6, 9, 12), [], []
    for legs in sizes:
        mechanism = legged(legs)
        run = mesh_loops_plan(mechanism, *state(mechanism), "small").run(PRESETS["ideal"], trace=False)
        found.append(run.phases["G"] - run.phases["constraints"])
        after.append(run.ticks - run.phases["loops"])
    assert after[2] - after[1] == after[1] - after[0]
    assert found[2] / found[1] > (12 / 9) ** 2.5


# Refusals


def refused(mechanism, message, tau=None, variant="tree", **options):
    q = assemble(mechanism)
    with pytest.raises(MeshSimError) as caught:
        mesh_loops_plan(
            mechanism, q, np.zeros(mechanism.n), np.zeros(mechanism.n) if tau is None else tau, variant, **options
        )
    assert str(caught.value) == message


def test_refusals():
    mechanism = four_bar()
    refused(
        replace(mechanism, actuated=()), "wong-mesh-loops takes mechanisms with actuated joints, and four-bar has none"
    )
    refused(
        replace(three_rrr(), actuated=(0, 2)),
        "the actuated joints of 3rrr must be at least 3, as many as it has freedoms, not 2",
    )
    refused(mechanism, "option variant of wong-mesh-loops must be tree or small, not 'large'", variant="large")
    refused(
        mechanism,
        "unknown option 'solver' of wong-mesh-loops; known: variant, rates, order, redistribute, carry, rho, zeros",
        solver="liu-young",
    )
    refused(mechanism, OF_TREE.format("carry"), variant="small", carry="bus")
    refused(mechanism, OF_TREE.format("zeros"), variant="small", zeros="skipped")
    with pytest.raises(MeshSimError) as caught:
        check_variant(MESH_LOOPS.choose({"variant": "small", "rho": "recompute"}))
    assert str(caught.value) == OF_TREE.format("rho")
    with pytest.raises(RefusedError) as caught:
        MESH_LOOPS.evaluation(load_robot("puma600"))
    assert str(caught.value) == "wong-mesh-loops is for mechanisms with loops, and puma600 has none"


OF_TREE = "option '{}' of wong-mesh-loops is for variant tree, not for small"


def test_numbers_that_are_none_are_refused():
    mechanism = four_bar()
    refused(mechanism, "q, qd and tau of four-bar must be finite numbers", tau=[0.0, float("nan"), 0.0])


def test_joints_that_do_not_determine_the_motion_are_refused():
    mechanism = replace(stacked(2), actuated=(0, 1))  # both of one loop
    q = assemble(stacked(2))
    with pytest.raises(MeshSimError) as wanted:
        check_actuation(mechanism, q)
    with pytest.raises(MeshSimError) as caught:
        mesh_loops_plan(mechanism, q, np.zeros(6), np.zeros(6))
    assert str(caught.value) == str(wanted.value)
    assert "do not determine its motion" in str(caught.value)


def test_options_have_defaults():
    assert MESH_LOOPS.choose({}) == {
        "variant": "tree",
        "rates": "given",
        "order": "early",
        "redistribute": "yes",
        "carry": "links",
        "rho": "pass",
        "zeros": "kept",
    }


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: legged(2), "a platform must have at least 3 legs, not 2"),
        (lambda: stacked(0), "a stack must have at least 1 loop, not 0"),
    ],
)
def test_families_refuse(make, message):
    with pytest.raises(MeshSimError) as caught:
        make()
    assert str(caught.value) == message


# The command


def test_one_evaluation_and_those_of_others():
    mechanism = four_bar()
    found = evaluate(mechanism, "small", PRESETS["t800"])
    assert found.error < AGREED
    assert found.run.processors == 3
    ends = ends_of(found.run)
    assert list(ends) == ["G", "loops", "inertia", "force", "solve", "accelerations"]
    assert ends["accelerations"] == PRESETS["t800"].microseconds(found.run.ticks)
    state = moving_state(mechanism)
    assert found.run.value.qdd == pytest.approx(
        constrained_dynamics(mechanism, state.q, state.qd, state.tau)[0], rel=AGREED
    )
    for name in ALONE:
        run = SCHEMES[name].plan(mechanism, state).run(PRESETS["t800"], trace=False)
        assert found.alone[name] == PRESETS["t800"].microseconds(run.ticks)


def test_command(capsys):
    command = ["run", "wong-mesh-loops", "--robot", "four-bar", "--machine", "t800", "--option", "variant=small"]
    assert main(command) == 0
    assert " us on 3 t800 processors, " in capsys.readouterr().out
    assert main([*command, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["options"]["variant"] == "small"
    assert main([*command, "--option", "zeros=skipped"]) == 2
    assert "option 'zeros' of wong-mesh-loops is for variant tree, not for small" in capsys.readouterr().err
    assert main(["simulate", *command[1:], "--step", "0.1"]) == 2
    assert "wong-mesh-loops evaluates four-bar once and integrates no states" in capsys.readouterr().err
