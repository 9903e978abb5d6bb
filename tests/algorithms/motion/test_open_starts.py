"""Motions that begin with open loops, and motions that leave the workspace."""

import math

import numpy as np
import pytest
from tools.loops import linkage

from meshsim.algorithms.motion.motion import Motion
from meshsim.algorithms.motion.prescribed import Prescribed
from meshsim.algorithms.motion.sites import moving_sites
from meshsim.algorithms.motion.written import computed
from meshsim.algorithms.robots.catalogue import load_robot
from meshsim.algorithms.robots.closure import OpenError, assemble, loops
from meshsim.algorithms.robots.linkages import LINKAGES
from meshsim.algorithms.robots.state import state_from
from meshsim.algorithms.schemes.catalogue import SCHEMES
from meshsim.errors import MeshSimError
from meshsim.experiments.front.run import run
from meshsim.simulation import NOWHERE


def open_start(name, evaluation):
    """The joints a little off where loops close, the actuated ones moving."""
    mechanism = load_robot(name)
    q = assemble(mechanism) + 0.02 * np.cos(np.arange(mechanism.n))
    k = len(mechanism.actuated)
    return state_from({"q": q.tolist(), "qd": [0.3] * k, "tau": [0.0] * k}, mechanism, evaluation.opening)


@pytest.mark.parametrize("name", [*LINKAGES, pytest.param("stewart", marks=pytest.mark.slow)])
@pytest.mark.parametrize(("layout", "distribution"), [("star", "full"), ("star", "partly")])
def test_projection_closes_open_loops_at_its_rate(name, layout, distribution):
    """c(t) = c(0) exp(-sigma t) (KTK eq. 11), to the error of the fourth-order steps; on one processor and several."""
    sigma, h, steps = 8.0, 0.0025, 6
    evaluation = SCHEMES["projection"].evaluation(
        load_robot(name), layout=layout, distribution=distribution, sigma=str(sigma)
    )
    start = open_start(name, evaluation)
    motion = Motion(evaluation.mechanism, start, h, steps)
    alone = computed(evaluation, motion)
    first = np.abs(loops(evaluation.mechanism, start.q, start.qd).c).max()
    assert first > 1e-3
    assert alone.gap == pytest.approx(first * np.exp(-sigma * alone.t), rel=1e-4)
    together = moving_sites(evaluation, motion).run(NOWHERE, trace=False).value
    assert together.q == pytest.approx(alone.q, abs=1e-9)


@pytest.mark.parametrize("name", [*LINKAGES, "stewart"])
@pytest.mark.parametrize("scheme", ["penalty", "projection"])
def test_an_evaluation_with_open_loops_agrees_with_the_dense_solver(name, scheme):
    evaluation = SCHEMES[scheme].evaluation(load_robot(name), layout="star")
    report = run(name, scheme, "ideal", open_start(name, evaluation), layout="star")
    assert max(report.errors.values()) < 1e-9
    assert report.to_dict()["constraint_error"] > 1e-3
    assert "loops are open here, most of all that through '" in report.as_text()


@pytest.mark.parametrize("scheme", ["multipliers", "denoc", "wong-mesh-loops", "projection"])
def test_other_methods_refuse_open_loops(scheme):
    start = open_start("3rrr", SCHEMES["penalty"].evaluation(load_robot("3rrr")))
    options = {"sigma": 0} if scheme == "projection" else {}
    with pytest.raises(
        MeshSimError, match=r'^"q" must close the loops of 3rrr, and leaves that through \'pin.\' open by'
    ):
        run("3rrr", scheme, "ideal", start, **options)


def test_a_motion_that_leaves_the_workspace_says_when_and_which_joint():
    """A crank that turns until coupler and rocker are stretched out; by the cosine rule that is at 1.3336 rad."""
    mechanism = linkage("triple rocker", (2.0, 1.5, 1.0, 1.2), (0.9, -1.5, 2.0))
    furthest = math.acos((2.0**2 + 1.5**2 - 2.2**2) / (2 * 2.0 * 1.5))
    motion = Prescribed(mechanism, lambda t: (np.array([0.9 + 0.1 * t]), np.array([0.1]), np.zeros(1)))
    times = np.arange(0.0, 20.0, 0.25).tolist()
    with pytest.raises(OpenError) as caught:
        motion.positions(times)
    left = (furthest - 0.9) / 0.1
    asked = next(t for t in times if t > left)
    assert str(caught.value).startswith(
        f"triple rocker leaves its workspace at t = {left:.6g} s of this motion, with joint 'crank' at {furthest:.6g} "
        f"rad: at t = {asked:g} s the loop through 'pin' stays open by "
    )
    with pytest.raises(
        OpenError, match=r"^triple rocker leaves its workspace at t = 9 s of this motion, with joint 'crank'"
    ):
        Prescribed(mechanism, motion.profile)(9.0)
