"""Redundant actuation: more actuated joints than freedoms, torques of least squares, and who computes them."""

from dataclasses import replace

import numpy as np
import pytest
from tools.command import call
from tools.loops import MACHINES

from meshsim.algorithms.motion.profiles import load_motion
from meshsim.algorithms.reference.composite_body import inertia_matrix
from meshsim.algorithms.reference.loops import actuated_torques, constrained_dynamics
from meshsim.algorithms.reference.newton_euler import bias_force
from meshsim.algorithms.robots.closure import loops
from meshsim.algorithms.robots.linkages import five_bar, four_bar, scraper, three_rrr
from meshsim.algorithms.schemes.catalogue import SCHEMES
from meshsim.presets import load_machine
from meshsim.simulation import NOWHERE

ROBOTS = {
    "3rrr:redundant": three_rrr(redundant=True),
    "3rrr, a platform that is pushed": replace(three_rrr(), actuated=(0, 2, 4, 6)),
    "four-bar, crank and rocker": replace(four_bar(), actuated=(0, 2)),
    "four-bar, all": replace(four_bar(), actuated=(2, 1, 0)),
    "five-bar, a knee": replace(five_bar(), actuated=(0, 2, 3)),
    "scraper, all": replace(scraper(), actuated=(2, 0, 1, 3, 4, 5, 6)),
}
EVERY = pytest.mark.parametrize("mechanism", ROBOTS.values(), ids=ROBOTS)


def moving(mechanism):
    """A motion that the loops allow, halfway along a cycloid, where all terms count."""
    return load_motion("cycloid:0.7:20:0.02", mechanism)[0](0.3)


def size(values):
    return max(1.0, np.abs(values).max())


@EVERY
@pytest.mark.parametrize("layout", ["one", "star", "complete"])
def test_noc_finds_the_torques_of_least_squares(mechanism, layout):
    """Those of the dense solver; the same bits on every machine."""
    at = moving(mechanism)
    plan = SCHEMES["noc"].inversion(mechanism, layout=layout).plan(*at)
    found = [plan.run(load_machine(machine), trace=False).value for machine in MACHINES]
    assert all(each.tolist() == found[0].tolist() for each in found)
    wanted = actuated_torques(mechanism, *at)
    assert len(found[0]) == len(mechanism.actuated)
    assert np.abs(found[0] - wanted).max() < 1e-10 * size(wanted)


@EVERY
def test_they_make_the_motion_and_nothing_smaller_does(mechanism):
    """Any other torques that make it differ by some that do no work in any motion, to which these are square."""
    q, qd, qdd = moving(mechanism)
    driven, tau = list(mechanism.actuated), np.zeros(mechanism.n)
    tau[driven] = SCHEMES["noc"].inversion(mechanism, layout="one").plan(q, qd, qdd).run(NOWHERE, trace=False).value
    assert np.abs(constrained_dynamics(mechanism, q, qd, tau)[0] - qdd).max() < 1e-9 * size(qdd)
    A = loops(mechanism, q, qd).A
    left = tau - inertia_matrix(mechanism, q) @ qdd - bias_force(mechanism, q, qd)
    force = np.linalg.lstsq(A.T, left, rcond=None)[0]
    assert np.abs(A.T @ force - left).max() < 1e-10 * size(tau)  # in equilibrium with forces of the loops
    together = np.hstack([np.eye(mechanism.n)[:, driven], -A.T])
    idle = np.linalg.svd(together)[2][mechanism.n :, : len(driven)]  # torques that forces of the loops take up
    assert len(idle) == len(driven) - (mechanism.n - len(A)) > 0
    assert np.abs(idle @ tau[driven]).max() < 1e-10 * size(tau)
    for other in np.random.default_rng(1).normal(size=(5, len(idle))) @ idle:
        assert np.linalg.norm(tau[driven] + 0.1 * other) > np.linalg.norm(tau[driven])


def test_what_sharing_saves_and_costs():
    """With knees that help, the largest torque along Khan's motion is 42 % of what it was; 7 % more multiplies."""
    motion, duration = load_motion("own", three_rrr())
    alone, helped = three_rrr(), three_rrr(redundant=True)
    largest = dict.fromkeys(("alone", "helped"), 0.0)
    for t in np.linspace(0.0, duration, 31):
        at = motion(t)
        largest["alone"] = max(largest["alone"], np.abs(actuated_torques(alone, *at)).max())
        largest["helped"] = max(largest["helped"], np.abs(actuated_torques(helped, *at)).max())
    assert largest["helped"] == pytest.approx(0.42 * largest["alone"], rel=0.02)
    counts = [
        dict(SCHEMES["noc"].inversion(each, layout="one").plan(*at).run(NOWHERE, trace=False).operations)
        for each in (alone, helped)
    ]
    assert counts[0]["mul"] == 511
    assert counts[1]["mul"] == 548


def test_the_command(capsys, tmp_path):
    status, out, _ = call(
        capsys, "inverse", "noc", "--robot", "3rrr:redundant", "--machine", "t800", "--option", "layout=star",
        "--samples", "3", "--out", tmp_path / "torques",
    )  # fmt: skip
    assert status == 0
    assert all(f"{joint}{leg} " in out for joint in ("proximal", "distal") for leg in (1, 2, 3))
    assert len((tmp_path / "torques" / "torques.csv").read_text().splitlines()) == 1 + 3 * 6
    status, _, error = call(
        capsys, "inverse", "subsystems", "--robot", "3rrr:redundant", "--machine", "t800", "--out", tmp_path / "no"
    )
    assert status == 2
    assert "subsystems takes as many actuated joints as freedoms, and 3rrr:redundant has 3 more; noc could" in error
