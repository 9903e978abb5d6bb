"""Direct elimination: positions in closed form, numbers against a dense solution, motions, and what it refuses."""

import numpy as np
import pytest
from tools.loop_mechanisms import PLANE, SPACE, in_plane
from tools.loop_motions import FOUR_BAR, task
from tools.loops import Stepping, evaluated, integrate, parallelogram, ring

from meshsim.algorithms.motion.motion import SingularError
from meshsim.algorithms.reference.loops import constrained_dynamics
from meshsim.algorithms.robots.closure import assemble, loops
from meshsim.algorithms.robots.linkages import LINKAGES, five_bar, four_bar, three_rrr
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.schemes.base.effort import Regulated
from meshsim.algorithms.schemes.loops.elimination import ELIMINATION, independent_of
from meshsim.algorithms.schemes.loops.method import Settings, evaluation
from meshsim.errors import MeshSimError
from meshsim.simulation import NOWHERE

AGREED = 1e-9
"""Of the largest number: loops are assembled to 1e-12 only, and closed to rounding here."""


def slider_crank():
    """Crank and rod, a slider on the other side of the cut joint, and a link that the rod carries, driven as well."""
    made = in_plane(3, "RRPR", (-1, 0, -1, 1), [("revolute", 1, 2)])
    return Mechanism(made.name, made.bodies, made.gravity).closed_by(made.cuts, (0, 3), made.guess)


MECHANISMS = {
    **{name: make() for name, make in LINKAGES.items()},
    "five-bar:1.2:down": five_bar(up=False),
    "parallelogram": parallelogram(),
    "slider-crank": slider_crank(),
    "ring of three": ring(3),
    **{f"plane: {name}": PLANE[name] for name in ("slider", "to the ground", "within one tree", "platform")},
}


def moving(mechanism, seed):
    """Positions near those of the guess in which loops close, rates that keep them closed, and any torques."""
    random = np.random.default_rng(seed)
    q = assemble(mechanism, mechanism.guess + random.uniform(-0.05, 0.05, mechanism.n), held=())
    A = loops(mechanism, q, q).A
    qd, tau = random.normal(size=mechanism.n), 9.0 * random.normal(size=mechanism.n)
    return q, qd - np.linalg.pinv(A) @ A @ qd, tau


@pytest.mark.parametrize("mechanism", MECHANISMS.values(), ids=MECHANISMS)
@pytest.mark.parametrize("seed", [1, 2])
def test_numbers(mechanism, seed):
    """All joints' torques count, those of dependent joints too."""
    q, qd, tau = moving(mechanism, seed)
    wanted = constrained_dynamics(mechanism, q, qd, tau)[0]
    places, run = evaluated(ELIMINATION, mechanism, Settings(), "one", (q, qd, tau))
    found = ELIMINATION.accelerations(places, run.value, q, qd)
    assert np.abs(found - wanted).max() < AGREED * max(1.0, np.abs(wanted).max())
    chosen = list(independent_of(mechanism))
    assert np.abs(run.value[0][len(chosen) :] - wanted[chosen]).max() < AGREED * max(1.0, np.abs(wanted).max())


@pytest.mark.parametrize("mechanism", MECHANISMS.values(), ids=MECHANISMS)
def test_states_there_and_back(mechanism):
    """Two numbers a freedom; all joints are found from them, assembled as they were."""
    q, qd, _ = moving(mechanism, 3)
    places = ELIMINATION.places(mechanism, "one", Settings(), q)
    state = ELIMINATION.begin(places, q, qd)
    assert len(state[0]) == 2 * (mechanism.n - len(loops(mechanism, q, qd).c))
    positions, rates = ELIMINATION.finish(places, state)
    turning = np.array([body.kind == "revolute" for body in mechanism.bodies])
    off = np.where(turning, np.remainder(positions - q + np.pi, 2.0 * np.pi) - np.pi, positions - q)
    assert np.abs(off).max() < 1e-11
    assert np.abs(rates - qd).max() < 1e-9 * max(1.0, np.abs(qd).max())
    assert np.abs(loops(mechanism, positions, rates).c).max() < 1e-13


def test_who_is_independent():
    """The actuated joints where triangles close the loops from them, else the platform's."""
    assert independent_of(four_bar()) == (0,)
    assert independent_of(five_bar()) == (0, 2)
    assert independent_of(three_rrr()) == (6, 7, 8)


def test_the_loop_stays_closed_by_itself():
    """Long steps err in where the crank is, and in nothing else; by multipliers the loop opens by millimetres."""
    history = integrate(ELIMINATION, Settings(), task(FOUR_BAR, 6.0, 4.0), Stepping(h=0.004))
    assert history.q[-1][0] > 6.0 * np.pi
    assert max(history.c) < 1e-13
    assert np.abs(np.diff([q[1] for q in history.q])).max() < 0.5  # no angle leaps by a turn


def test_it_stops_where_its_joints_tell_nothing():
    with pytest.raises(SingularError, match=r"and the actuated joints no longer determine the others$"):
        integrate(ELIMINATION, Settings(), task(parallelogram(), 0.0, 1.0), Stepping(h=1e-3))


def test_of_others_than_the_actuated_joints_it_tells_which():
    """A leg of the 3-RRR is stretched out."""
    mechanism = three_rrr()
    with pytest.raises(SingularError, match=r"and 'platform.x', 'platform.y', 'platform.rz' no longer determine"):
        integrate(ELIMINATION, Settings(), task_of_three(mechanism), Stepping(h=1e-3))


def task_of_three(mechanism):
    made = task(mechanism, 0.0, 3.0)
    made.drive = lambda _t: [0.0, 0.0, 0.0]
    return made


def test_refusals():
    space = next(iter(SPACE.values()))
    with pytest.raises(MeshSimError, match=r"^elimination takes mechanisms in a plane, and space1 is not in one; proj"):
        ELIMINATION.places(space, "one", Settings(), np.array(space.guess))
    welded = next(mechanism for mechanism in PLANE.values() if any(cut.kind == "fixed" for cut in mechanism.cuts))
    with pytest.raises(MeshSimError, match=r"^elimination takes loops that close by one triangle after another, and"):
        ELIMINATION.places(welded, "one", Settings(), np.array(welded.guess))


def test_feedback_needs_the_angle_of_its_joint():
    """The four-bar's crank is integrated; of the 3-RRR's hips only sines and cosines are known."""
    q = assemble(three_rrr())
    places = ELIMINATION.places(three_rrr(), "one", Settings(), q)
    efforts = ELIMINATION.torques(places, [Regulated(0.0, 10.0, 1.0, 0.5, 0.0), *[0.0] * 8])
    states = ELIMINATION.begin(places, q, np.zeros(9))
    message = (
        r"elimination takes feedback of its independent joints \('platform.x', .*\), and 'proximal1' is none; proj"
    )
    with pytest.raises(MeshSimError, match=message):
        evaluation(ELIMINATION, places, states, efforts).run(NOWHERE, trace=False)
    q, qd, _ = moving(FOUR_BAR, 1)
    places = ELIMINATION.places(FOUR_BAR, "one", Settings(), q)
    efforts = ELIMINATION.torques(places, [Regulated(2.0, 10.0, 1.0, q[0] + 0.1, qd[0] - 0.3), 0.0, 0.0])
    run = evaluation(ELIMINATION, places, ELIMINATION.begin(places, q, qd), efforts).run(NOWHERE, trace=False)
    same = constrained_dynamics(FOUR_BAR, q, qd, np.array([2.0 + 10.0 * 0.1 - 0.3, 0.0, 0.0]))[0]
    assert run.value[0][1] == pytest.approx(same[0], rel=1e-9)
