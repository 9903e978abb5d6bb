"""Methods on mechanisms that keep to no plane: the same numbers on every network, and those of numpy."""

import math
from itertools import pairwise

import numpy as np
import pytest
from tools.loop_mechanisms import SPACE, in_space, matrix, random_state
from tools.loops import Stepping, Task, integrate, ways

from meshsim.algorithms.reference.composite_body import inertia_matrix
from meshsim.algorithms.reference.energy import energy
from meshsim.algorithms.reference.loops import constrained_dynamics
from meshsim.algorithms.reference.newton_euler import bias_force
from meshsim.algorithms.robots.body import Body
from meshsim.algorithms.robots.closure import assemble, loops
from meshsim.algorithms.robots.compound import freedoms_of
from meshsim.algorithms.robots.cuts import EYE, Anchor, Cut
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.platform import legs_of
from meshsim.algorithms.schemes.loops.method import Settings, by_site, evaluation, from_sites
from meshsim.algorithms.schemes.loops.multipliers import MULTIPLIERS
from meshsim.algorithms.schemes.loops.penalty import PENALTY
from meshsim.algorithms.schemes.loops.projection import PROJECTION, rates_of, selection
from meshsim.presets import load_machine
from meshsim.tape import Tape

WAYS = ways(PENALTY)
MACHINES = ("ideal", "t800", "t800-overlap")
ROUNDING = 1e-10
"""Of the largest number, where solutions of systems with condition numbers up to some thousand are compared."""


def run(method, mechanism, settings, q, qd, tau, network, machine="ideal"):
    places = method.places(mechanism, network, settings, q)
    plan = evaluation(method, places, method.begin(places, q, qd), by_site(places, tau.tolist()))
    return places, plan.run(load_machine(machine))


def torques(mechanism):
    return 10.0 * random_state(mechanism, 9)[0]


@pytest.mark.parametrize("mechanism", SPACE.values(), ids=SPACE)
@pytest.mark.parametrize(("network", "distribution"), WAYS)
def test_penalty(mechanism, network, distribution):
    (q, qd), tau, k, d = random_state(mechanism, 5), torques(mechanism), 120.0, 3.0
    now = loops(mechanism, q, qd)
    pulled = tau - bias_force(mechanism, q, qd) - now.A.T @ (k * now.c + d * (now.A @ qd))
    wanted = np.linalg.solve(inertia_matrix(mechanism, q), pulled)
    for machine in MACHINES:
        settings = Settings(k=k, d=d, distribution=distribution)
        places, found = run(PENALTY, mechanism, settings, q, qd, tau, network, machine)
        rates, qdd = PENALTY.finish(places, found.value)
        assert rates.tolist() == qd.tolist()
        assert np.abs(qdd - wanted).max() < ROUNDING * np.abs(wanted).max()


@pytest.mark.sampled(3)
@pytest.mark.parametrize("mechanism", SPACE.values(), ids=SPACE)
@pytest.mark.parametrize(("network", "distribution"), WAYS)
@pytest.mark.parametrize("technique", ["gauss", "qr"])
def test_projection(mechanism, network, distribution, technique):
    q, tau = random_state(mechanism, 5)[0], torques(mechanism)
    settings = Settings(sigma=7.0, technique=technique, distribution=distribution)
    chosen = PROJECTION.places(mechanism, network, settings, q)[0].settings
    B = selection(chosen, mechanism.n)
    v = random_state(mechanism, 6)[1][: len(B)]
    qd = rates_of(mechanism, chosen, q, v)
    order = [joint for joints in mechanism.subsystems for joint in joints]
    wanted = B @ constrained_dynamics(mechanism, q, qd, tau, sigma=7.0)[0][order]
    for machine in MACHINES:
        places, found = run(PROJECTION, mechanism, settings, q, qd, tau, network, machine)
        sizes = [place.joints for place in places]
        rates = from_sites(places, [part[:n] for part, n in zip(found.value, sizes, strict=True)])
        shares = [part[n:] for part, n in zip(found.value, sizes, strict=True) if len(part) > n]
        vd = np.array(shares[0]) if chosen.distribution == "partly" else np.sum(shares, axis=0)
        assert np.abs(rates - qd).max() < ROUNDING * np.abs(qd).max()
        assert np.abs(vd - wanted).max() < ROUNDING * np.abs(wanted).max()


@pytest.mark.parametrize("mechanism", SPACE.values(), ids=SPACE)
def test_multipliers(mechanism):
    (q, qd), tau = random_state(mechanism, 5), torques(mechanism)
    wanted = constrained_dynamics(mechanism, q, qd, tau)[0]
    places, found = run(MULTIPLIERS, mechanism, Settings(), q, qd, tau, "one")
    assert np.abs(MULTIPLIERS.finish(places, found.value)[1] - wanted).max() < ROUNDING * np.abs(wanted).max()


@pytest.mark.parametrize("method", [PENALTY, PROJECTION, MULTIPLIERS], ids=lambda method: method.name)
def test_written_out_for_other_numbers(method):
    """What motions use: the arithmetic of one evaluation as a function of state and torques."""
    mechanism = SPACE["RSCR"]
    (q, qd), tau = random_state(mechanism, 5), torques(mechanism)
    places = method.places(mechanism, "one", Settings(), q)
    state = method.begin(places, q, qd)[0]

    def make(values):
        return evaluation(method, places, [values[: len(state)]], [values[len(state) :]])

    tape = Tape(lambda values: _first(make(values)))
    moved = [0.9 * each for each in state]
    for each in (state, moved):
        values = [*each, *tau.tolist()]
        assert tape(values) == make(values).run(load_machine("ideal")).value[0]


def _first(plan):
    node = next(iter(plan.programs))
    return type(plan)(plan.topology, plan.programs, lambda results: results[node])


# Words: what the master needs and what goes back, by kind of cut joint


@pytest.mark.parametrize(
    ("kind", "sent", "back"),
    [
        ("spherical", 3 + 3, 3),  # a point and its velocity; a force
        ("revolute", 3 + 6 + 6, 6),  # two axes of the second end too, and how it turns; a moment too
        ("fixed", 3 + 9 + 6, 6),  # three axes
    ],
)
def test_words_of_the_penalty_method(kind, sent, back):
    mechanism = in_space(20, "RRRRRRRR", (-1, 0, 1, 2, -1, 4, 5, 6), [(kind, 3, 7)])
    (q, qd), tau = random_state(mechanism, 5), torques(mechanism)
    _, found = run(PENALTY, mechanism, Settings(distribution="partly"), q, qd, tau, "star")
    assert (found.messages, found.words) == (2, sent + back)


@pytest.mark.parametrize(
    ("kind", "value", "rows", "bias", "free"),
    [("spherical", 3, 3, 3, 5), ("revolute", 9, 6, 9, 3), ("fixed", 12, 6, 9, 2)],
)
def test_words_of_the_projection(kind, value, rows, bias, free):
    """A leaf of 4 joints: Jacobian and value; S and eta; bias, S^T M S, S^T (tau - h) and M S; v'."""
    mechanism = in_space(20, "RRRRRRRR", (-1, 0, 1, 2, -1, 4, 5, 6), [(kind, 3, 7)])
    q, tau = random_state(mechanism, 5)[0], torques(mechanism)
    _, found = run(PROJECTION, mechanism, Settings(distribution="partly"), q, 0.0 * q, tau, "star")
    there = value + 4 * rows + bias + free * (free + 1) // 2 + free + 4 * free
    back = 4 * (free + 1) + free
    assert (found.messages, found.words) == (4, there + back)


# A spatial four-bar linkage in motion

CRANK, COUPLER, ROCKER = 0.3, 1.1, 0.6
ORIGIN = (0.0, 0.0, 0.0)


def rssr():
    """A crank about z and a rocker about y, a coupler with a ball at each end; the coupler may spin."""
    thin = ((1e-3, 0.0, 0.0), (0.0, 0.03, 0.0), (0.0, 0.0, 0.03))
    about_y = ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, -1.0, 0.0))
    nothing = 0.0, ORIGIN, ((0.0,) * 3,) * 3
    ball = [matrix(freedom.frame) for freedom in freedoms_of("ball", "spherical")]
    turns = [ball[0], *(matrix(np.transpose(a) @ b) for a, b in pairwise(ball))]
    out = np.transpose(ball[-1])  # from the coupler's frame to that of its last joint
    bodies = (
        Body("crank", "crank", "revolute", -1, EYE, ORIGIN, 1.0, (CRANK / 2, 0.0, 0.0), thin),
        Body("rz", "rz", "revolute", 0, turns[0], (CRANK, 0.0, 0.0), *nothing),
        Body("ry", "ry", "revolute", 1, turns[1], ORIGIN, *nothing),
        Body(
            "coupler",
            "rx",
            "revolute",
            2,
            turns[2],
            ORIGIN,
            2.0,
            tuple((out @ [COUPLER / 2, 0.0, 0.0]).tolist()),
            matrix(out @ np.array(thin) @ out.T),
        ),
        Body("rocker", "rocker", "revolute", -1, about_y, (1.0, 0.3, -0.2), 1.5, (ROCKER / 2, 0.0, 0.0), thin),
    )
    ends = Anchor(3, tuple((out @ [COUPLER, 0.0, 0.0]).tolist())), Anchor(4, (ROCKER, 0.0, 0.0))
    tree = Mechanism("rssr", bodies)
    return tree.closed_by((Cut("ball", "spherical", *ends),), (0,), (0.5, 0.0, 0.0, 0.0, -1.2))


def test_assembled_the_coupler_fits():
    """Between the pins of crank and rocker there is as much room as the coupler is long."""
    mechanism = rssr()
    q = assemble(mechanism)
    crank = np.array([CRANK * math.cos(q[0]), CRANK * math.sin(q[0]), 0.0])
    rocker = np.array([1.0 + ROCKER * math.cos(q[4]), 0.3, -0.2 - ROCKER * math.sin(q[4])])
    assert q[0] == 0.5
    assert np.linalg.norm(rocker - crank) == pytest.approx(COUPLER, abs=1e-11)  # loops are called closed at 1e-12


@pytest.mark.parametrize("method", [PROJECTION, MULTIPLIERS], ids=lambda method: method.name)
def test_energy_is_kept(method):
    """Gravity alone drives it for a while, by steps of the fourth order; nothing is lost beyond their error."""
    mechanism = rssr()
    q, steps = assemble(mechanism), []
    task = Task(mechanism, q, np.zeros(5), lambda _t: [0.0], 0.4)
    history = integrate(method, Settings(), task, Stepping(h=2e-3), lambda *step: steps.append(step))
    first = sum(energy(mechanism, q, np.zeros(5)))
    _, positions, rates, c = history.arrays()
    assert np.abs(rates[-1]).max() > 0.5
    assert c.max() < 1e-8
    assert sum(energy(mechanism, positions[-1], rates[-1])) == pytest.approx(first, abs=1e-8)


def test_a_ball_is_three_turns_that_begin_at_the_guess():
    """Where its legs are cut, the mechanism closes as it did, and nothing of it is lost."""
    mechanism = rssr()
    legs, q = legs_of(mechanism), assemble(mechanism)
    assert legs.source == (0, 1, 2, 3, 4, -1, -1, -1)
    assert legs.to_legs(np.array(mechanism.guess))[5:].tolist() == pytest.approx([0.0] * 3, abs=1e-15)
    assert np.abs(loops(legs.parts, legs.to_legs(q), np.zeros(8)).c).max() < 1e-11
    assert legs.to_whole(legs.to_legs(q), q) == pytest.approx(q, abs=1e-12)
