"""Methods of closed dynamics on the four-bar and the 3-RRR: their numbers, exchanges, words, times and refusals."""

from dataclasses import replace

import numpy as np
import pytest
from tools.loop_mechanisms import PLANE, random_state
from tools.loops import MACHINES, closed_state, evaluated, linkage, parallelogram, ring, rod, ways

from meshsim.algorithms.collectives.exchange import lay_out
from meshsim.algorithms.reference.composite_body import inertia_matrix
from meshsim.algorithms.reference.loops import actuated_torques, constrained_dynamics
from meshsim.algorithms.reference.newton_euler import bias_force
from meshsim.algorithms.robots.closure import consistent_rates, loops
from meshsim.algorithms.robots.cuts import Anchor, Cut
from meshsim.algorithms.robots.linkages import four_bar, three_rrr
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.platform import legs_of
from meshsim.algorithms.schemes.loops.denoc import DENOC, denoc_torques
from meshsim.algorithms.schemes.loops.layout import layout_of
from meshsim.algorithms.schemes.loops.method import Settings, from_sites
from meshsim.algorithms.schemes.loops.methods import METHODS
from meshsim.algorithms.schemes.loops.multipliers import MULTIPLIERS
from meshsim.algorithms.schemes.loops.penalty import PENALTY
from meshsim.algorithms.schemes.loops.projection import PROJECTION, rates_of, selection
from meshsim.errors import MeshSimError
from meshsim.plan import Plan
from meshsim.presets import load_machine

ROBOTS = {"four-bar": four_bar(), "3rrr": three_rrr()}
OTHERS = {**{f"plane: {name}": mechanism for name, mechanism in PLANE.items()}, "ring of four": ring(4)}
ROUNDING = 1e-10
"""Of the largest number: systems with condition numbers up to some thousand are solved in different orders."""


def near(found, wanted):
    return np.abs(np.asarray(found) - wanted).max() < ROUNDING * max(1.0, np.abs(wanted).max())


def apart(places, states):
    """Numbers of all joints, and what follows them in each state that has more."""
    sizes = [place.joints for place in places]
    first = from_sites(places, [state[:n] for state, n in zip(states, sizes, strict=True)])
    return first, [np.array(state[n:]) for state, n in zip(states, sizes, strict=True) if len(state) > n]


# Numbers


@pytest.mark.parametrize("mechanism", [*ROBOTS.values(), *OTHERS.values()], ids=[*ROBOTS, *OTHERS])
@pytest.mark.parametrize(("network", "distribution"), ways(PENALTY))
def test_penalty(mechanism, network, distribution):
    """In any state: springs and dampers do not ask whether loops are closed."""
    (q, qd), tau = random_state(mechanism, 5), 10.0 * random_state(mechanism, 9)[0]
    now, settings = loops(mechanism, q, qd), Settings(k=120.0, d=3.0, distribution=distribution)
    pulled = tau - bias_force(mechanism, q, qd) - now.A.T @ (120.0 * now.c + 3.0 * (now.A @ qd))
    wanted = np.linalg.solve(inertia_matrix(mechanism, q), pulled)
    for machine in MACHINES:
        places, run = evaluated(PENALTY, mechanism, settings, network, (q, qd, tau), machine)
        rates, qdd = PENALTY.finish(places, run.value)
        assert rates.tolist() == qd.tolist()
        assert near(qdd, wanted)


@pytest.mark.parametrize("mechanism", [*ROBOTS.values(), *OTHERS.values()], ids=[*ROBOTS, *OTHERS])
@pytest.mark.parametrize(("network", "distribution"), ways(PROJECTION))
@pytest.mark.parametrize("technique", ["gauss", "qr"])
def test_projection(mechanism, network, distribution, technique):
    """Loops are open a little, which its rates are to mend."""
    settings = Settings(sigma=7.0, technique=technique, distribution=distribution)
    q, tau = mechanism.guess + 1e-2 * random_state(mechanism, 5)[0], 10.0 * random_state(mechanism, 9)[0]
    chosen = PROJECTION.places(mechanism, network, settings, q)[0].settings
    B = selection(chosen, mechanism.n)
    qd = rates_of(mechanism, chosen, q, random_state(mechanism, 6)[1][: len(B)])
    now = loops(mechanism, q, qd)
    assert near(now.A @ qd, -7.0 * now.c)
    order = [joint for joints in mechanism.subsystems for joint in joints]
    wanted = B @ constrained_dynamics(mechanism, q, qd, tau, sigma=7.0)[0][order]
    for machine in MACHINES:
        places, run = evaluated(PROJECTION, mechanism, settings, network, (q, qd, tau), machine)
        rates, shares = apart(places, run.value)
        assert near(rates, qd)
        if chosen.distribution == "partly":
            assert all(share.tolist() == shares[0].tolist() for share in shares)
            assert near(shares[0], wanted)
        else:
            assert near(np.sum(shares, axis=0), wanted)


@pytest.mark.parametrize("mechanism", ROBOTS.values(), ids=ROBOTS)
@pytest.mark.parametrize("network", ["one", "star", "complete"])
@pytest.mark.parametrize("seed", [1, 2])
def test_denoc(mechanism, network, seed):
    q, qd, tau = state = closed_state(mechanism, seed)
    qdd = constrained_dynamics(mechanism, q, qd, tau)[0]
    for machine in MACHINES:
        places, run = evaluated(DENOC, mechanism, Settings(distribution="partly"), network, state, machine)
        rates, accelerations = apart(places, run.value)
        wanted_rates, wanted = apart(places, DENOC.begin(places, qd, qdd))
        assert near(rates, np.array(wanted_rates))
        assert near(np.concatenate(accelerations), np.concatenate(wanted))


@pytest.mark.parametrize("mechanism", ROBOTS.values(), ids=ROBOTS)
@pytest.mark.parametrize("network", ["one", "star", "complete"])
def test_denoc_backwards(mechanism, network):
    q, qd, tau = closed_state(mechanism, 3)
    qdd = constrained_dynamics(mechanism, q, qd, tau)[0]
    places = DENOC.places(mechanism, network, Settings(distribution="partly"), q)
    moving, accelerating = DENOC.begin(places, q, qd), DENOC.begin(places, q, qdd)

    def program(site):
        n = places[site].joints
        return lambda cpu: denoc_torques(cpu, places[site], moving[site][:n], moving[site][n:], accelerating[site][n:])

    nodes = places[0].network.nodes
    plan = Plan(places[0].network.topology, {node: program(site) for site, node in enumerate(nodes)}, dict)
    for machine in MACHINES:
        found = plan.run(load_machine(machine)).value
        assert near([torque for node in nodes for torque in found[node]], tau[list(mechanism.actuated)])
    assert near(actuated_torques(mechanism, q, qd, qdd), tau[list(mechanism.actuated)])


@pytest.mark.parametrize("mechanism", [*ROBOTS.values(), *OTHERS.values()], ids=[*ROBOTS, *OTHERS])
def test_multipliers(mechanism):
    (q, qd), tau = random_state(mechanism, 5), 10.0 * random_state(mechanism, 9)[0]
    wanted = constrained_dynamics(mechanism, q, qd, tau)[0]
    for machine in MACHINES:
        places, run = evaluated(MULTIPLIERS, mechanism, Settings(), "one", (q, qd, tau), machine)
        rates, qdd = MULTIPLIERS.finish(places, run.value)
        assert rates.tolist() == qd.tolist()
        assert near(qdd, wanted)


@pytest.mark.parametrize("mechanism", ROBOTS.values(), ids=ROBOTS)
@pytest.mark.parametrize("seed", [1, 2])
def test_methods_agree_where_loops_are_closed(mechanism, seed):
    """Projection, denoc and multipliers are one mechanics; springs are not until loops have opened."""
    state = closed_state(mechanism, seed)
    found = {}
    for name, settings in {"projection": Settings(), "denoc": Settings(distribution="partly")}.items():
        places, run = evaluated(METHODS[name], mechanism, settings, "one", state)
        accelerations = apart(places, run.value)[1][0]
        found[name] = dict(zip(_integrated(name, places), accelerations.tolist(), strict=True))
    places, run = evaluated(MULTIPLIERS, mechanism, Settings(), "one", state)
    qdd = MULTIPLIERS.finish(places, run.value)[1]
    for accelerations in found.values():
        assert near(list(accelerations.values()), qdd[list(accelerations)])


def _integrated(name, places):
    """The joints whose rates a method integrates, as the whole mechanism has them."""
    layout = places[0].layout
    if name == "denoc":
        return [layout.legs.source[joint] for joint in layout.mechanism.actuated]
    order = [joint for joints in layout.mechanism.subsystems for joint in joints]
    return [order[j] for j in places[0].settings.independent]


@pytest.mark.parametrize("mechanism", ROBOTS.values(), ids=ROBOTS)
@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_a_state_that_is_laid_out_is_put_together_again(mechanism, method):
    q, qd, _ = closed_state(mechanism, 4)
    for network, distribution in ways(method):
        places = method.places(mechanism, network, Settings(distribution=distribution), q)
        found_q, found_qd = method.finish(places, method.begin(places, q, qd))
        assert near(found_q, q)
        assert near(found_qd, qd)


# Exchanges, messages, words: worked out by hand

LEG_PENALTY = (2 + 2) + 2
"""A pin's point and its velocity; its force."""
LEG_PROJECTION = (2 + 2 * 2) + (2 * 3 + 2) + (2 + 6 + 3 + 2 * 3) + 3
"""Of a leg of 2 joints, 3 freedoms: point and Jacobian; S and eta; bias, S^T M S, S^T (tau - h), M S; v'."""
ROCKER_PROJECTION = (2 + 2) + (1 + 1) + (2 + 1 + 1 + 1) + 1
LEG_DENOC = (6 + 3 + 1) + (3 + 3 * 3) + 3 + 3 + (6 + 3) + 1
"""Phi, Phi b and a rate; the twist, and for each actuated joint; biases and drift; a part of M; an acceleration."""
CRANK_DENOC = (6 + 3 + 1) + (3 + 3) + 3 + 3 + (1 + 1) + 1
ROCKER_DENOC = 6 + (3 + 3) + 3 + 3 + (1 + 1) + 0
COUNTS = [
    # robot, method, network, distribution: exchanges, messages, words
    ("four-bar", "penalty", "one", "full", 0, 0, 0),
    ("four-bar", "penalty", "star", "full", 1, 2, 2 + 4),
    ("four-bar", "penalty", "star", "partly", 1, 2, LEG_PENALTY),
    ("four-bar", "penalty", "complete", "full", 1, 2, 2 + 4),
    ("four-bar", "penalty", "complete", "partly", 1, 2, LEG_PENALTY),
    ("four-bar", "projection", "star", "full", 1, 2, (1 + 1) + (2 + 1)),
    ("four-bar", "projection", "star", "partly", 2, 4, ROCKER_PROJECTION),
    ("four-bar", "projection", "complete", "full", 1, 2, (1 + 1) + (2 + 1)),
    ("four-bar", "projection", "complete", "partly", 2, 4, ROCKER_PROJECTION),
    ("four-bar", "denoc", "star", "partly", 3, 12, CRANK_DENOC + ROCKER_DENOC),
    ("four-bar", "denoc", "complete", "partly", 3, 6, ROCKER_DENOC),
    ("four-bar", "multipliers", "one", "full", 0, 0, 0),
    ("3rrr", "penalty", "star", "full", 1, 6, 3 * 4 + 3 * (2 * 4 + 6)),
    ("3rrr", "penalty", "star", "partly", 1, 6, 3 * LEG_PENALTY),
    ("3rrr", "penalty", "complete", "full", 1, 12, 3 * (3 * 4 + 6)),
    ("3rrr", "penalty", "complete", "partly", 1, 6, 3 * LEG_PENALTY),
    ("3rrr", "projection", "star", "full", 1, 6, 3 * 5 + 3 * (2 * 5 + 6)),
    ("3rrr", "projection", "star", "partly", 2, 12, 3 * LEG_PROJECTION),
    ("3rrr", "projection", "complete", "full", 1, 12, 3 * (3 * 5 + 6)),
    ("3rrr", "projection", "complete", "partly", 2, 12, 3 * LEG_PROJECTION),
    ("3rrr", "denoc", "one", "partly", 0, 0, 0),
    ("3rrr", "denoc", "star", "partly", 3, 18, 3 * LEG_DENOC),
    ("3rrr", "denoc", "complete", "partly", 3, 12, 2 * LEG_DENOC),
]


@pytest.mark.parametrize(("robot", "method", "network", "distribution", "exchanges", "messages", "words"), COUNTS)
@pytest.mark.parametrize("machine", MACHINES)
def test_what_is_exchanged(robot, method, network, distribution, exchanges, messages, words, machine):
    mechanism = ROBOTS[robot]
    settings = Settings(distribution=distribution)
    _, run = evaluated(METHODS[method], mechanism, settings, network, closed_state(mechanism, 1), machine)
    assert (run.messages, run.words) == (messages, words)
    if exchanges:
        marks = [phase for phase in run.phases if phase.startswith("exchange")]
        assert marks == [f"exchange {k}" for k in range(1, exchanges + 1)]
        ends = [run.phases[mark] for mark in marks]
        assert ends == sorted(ends)
        assert ends[-1] <= run.phases["solve"] == run.ticks


# Times: pinned, so that a change of what is computed, or of what it costs, is seen

TIMES = [
    ("four-bar", "penalty", "one", "full", 122.5),
    ("four-bar", "penalty", "star", "full", 108.5),
    ("four-bar", "penalty", "star", "partly", 94.5),
    ("four-bar", "projection", "one", "full", 149.0),
    ("four-bar", "projection", "star", "full", 137.5),
    ("four-bar", "projection", "star", "partly", 119.0),
    ("four-bar", "denoc", "one", "partly", 392.0),
    ("four-bar", "denoc", "star", "partly", 237.0),
    ("four-bar", "multipliers", "one", "full", 165.5),
    ("3rrr", "penalty", "one", "full", 451.0),
    ("3rrr", "penalty", "star", "full", 275.5),
    ("3rrr", "penalty", "star", "partly", 188.5),
    ("3rrr", "projection", "one", "full", 1022.5),
    ("3rrr", "projection", "star", "full", 902.5),
    ("3rrr", "projection", "star", "partly", 656.5),
    ("3rrr", "denoc", "one", "partly", 1200.0),
    ("3rrr", "denoc", "star", "partly", 472.0),
    ("3rrr", "multipliers", "one", "full", 931.0),
]


@pytest.mark.parametrize(("robot", "method", "network", "distribution", "us"), TIMES)
def test_times_without_messages(robot, method, network, distribution, us):
    """Where messages take no time, the star and fully connected nodes take the same."""
    mechanism, machine = ROBOTS[robot], load_machine("ideal")
    settings = Settings(distribution=distribution)
    for same in (network, "complete") if network == "star" else (network,):
        _, run = evaluated(METHODS[method], mechanism, settings, same, closed_state(mechanism, 1))
        assert machine.microseconds(run.ticks) == us


@pytest.mark.parametrize(("network", "distribution", "us"), [("one", "full", 1597.0), ("star", "partly", 1231.0)])
def test_the_qr_technique_takes_longer_than_elimination(network, distribution, us):
    """It solves for all rates, nine of the 3-RRR, where elimination solves for the six that depend."""
    settings = Settings(technique="qr", distribution=distribution)
    _, run = evaluated(PROJECTION, three_rrr(), settings, network, closed_state(three_rrr(), 1))
    assert load_machine("ideal").microseconds(run.ticks) == us


@pytest.mark.parametrize("mechanism", ROBOTS.values(), ids=ROBOTS)
@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_an_evaluation_takes_the_same_wherever_the_joints_are(mechanism, method):
    """Nothing is computed by branches: a machine's time does not depend on numbers."""
    for network, distribution in ways(method):
        settings = Settings(distribution=distribution)
        runs = [
            evaluated(method, mechanism, settings, network, closed_state(mechanism, seed), "t800")[1] for seed in (1, 2)
        ]
        assert runs[0].ticks == runs[1].ticks
        assert dict(runs[0].operations) == dict(runs[1].operations)


@pytest.mark.parametrize("mechanism", ROBOTS.values(), ids=ROBOTS)
@pytest.mark.parametrize("method", [PENALTY, PROJECTION], ids=lambda method: method.name)
def test_repeating_work_takes_more_operations(mechanism, method):
    state = closed_state(mechanism, 1)
    one = evaluated(method, mechanism, Settings(), "one", state)[1]
    for network in ("star", "complete"):
        full, partly = (
            evaluated(method, mechanism, Settings(distribution=distribution), network, state)[1]
            for distribution in ("full", "partly")
        )
        assert sum(full.operations.values()) > sum(one.operations.values())
        assert sum(full.operations.values()) > sum(partly.operations.values())


# Who lives where


def test_the_platform_lives_in_the_centre():
    mechanism = three_rrr()
    assert mechanism.subsystems == ((0, 1), (2, 3), (4, 5), (6, 7, 8))
    assert mechanism.hub == 3
    network = lay_out("star", 4, mechanism.hub)
    assert network.parties == ((3,), (0,), (1,), (2,))
    assert (network.nodes, network.master) == ((0, 1, 2, 3), 0)
    assert lay_out("complete", 4, mechanism.hub).master == 3


def test_of_two_chains_the_first_lives_in_the_centre():
    mechanism = four_bar()
    assert (mechanism.subsystems, mechanism.hub) == (((0, 1), (2,)), 0)
    assert lay_out("star", 2, mechanism.hub).parties == ((0,), (1,))


def test_without_a_hub_the_centre_is_empty():
    """Of three in a row the middle one meets all; of four none does; nor does one that is alone."""
    assert ring(3).hub == 1
    assert ring(4).hub is None
    assert PLANE["to the ground"].hub is None
    assert lay_out("star", 4, None).parties == ((), (0,), (1,), (2,), (3,))
    assert len(lay_out("complete", 4, None).nodes) == 4


def test_legs_with_their_parts_of_the_platform():
    """The centre has the twist only; parts weigh as much as the whole."""
    mechanism = three_rrr()
    legs = legs_of(mechanism)
    assert legs.parts.subsystems == ((0, 1, 2), (3, 4, 5), (6, 7, 8))
    assert legs.source == (0, 1, -1, 2, 3, -1, 4, 5, -1)
    assert (legs.parts.actuated, [cut.kind for cut in legs.parts.cuts]) == ((0, 3, 6), ["fixed", "fixed"])
    masses = [sum(body.mass for body in each.bodies) for each in (mechanism, legs.parts)]
    assert masses[0] == pytest.approx(masses[1], rel=1e-15)
    places = DENOC.places(mechanism, "star", Settings(distribution="partly"), np.array(mechanism.guess))
    assert [place.chains for place in places] == [(), (0,), (1,), (2,)]


@pytest.mark.parametrize("mechanism", ROBOTS.values(), ids=ROBOTS)
def test_cutting_the_platform_changes_no_motion(mechanism):
    """The legs' accelerations by the dense reference are those of the mechanism that they were."""
    q, qd, tau = closed_state(mechanism, 2)
    legs = legs_of(mechanism)
    own = np.array([tau[joint] if joint >= 0 else 0.0 for joint in legs.source])
    at, driven = legs.to_legs(q), list(legs.parts.actuated)
    assert near(loops(legs.parts, at, 0.0 * own).c, np.zeros(legs.parts.n - len(mechanism.actuated)))
    moving = consistent_rates(legs.parts, at, legs.kept_in_legs(qd)[driven])
    found = constrained_dynamics(legs.parts, at, moving, own)[0]
    kept = [i for i, joint in enumerate(legs.source) if joint >= 0]
    assert near(moving[kept], legs.kept_in_legs(qd)[kept])
    assert near(found[kept], legs.kept_in_legs(constrained_dynamics(mechanism, q, qd, tau)[0])[kept])
    assert near(legs.to_whole(legs.to_legs(q), q + 0.01), q)
    assert near(legs.rates_to_whole(q, moving), qd)


# Refusals


def refused(message, method, mechanism, network="one", **settings):
    with pytest.raises(MeshSimError) as caught:
        method.places(mechanism, network, Settings(**settings), np.array(mechanism.guess))
    assert str(caught.value) == message


def test_refused_networks_and_distributions():
    mechanism = four_bar()
    refused("multipliers runs on one, not on 'star'", MULTIPLIERS, mechanism, "star")
    refused("penalty runs on one or star or complete, not on 'ring'", PENALTY, mechanism, "ring")
    refused("denoc is distributed partly, not 'full'", DENOC, mechanism, "star")
    ways = "projection is distributed full or partly or held, not 'hardly'"
    refused(ways, PROJECTION, mechanism, "star", distribution="hardly")
    with pytest.raises(MeshSimError, match=r"^network must be one, star, complete, not 'ring'$"):
        lay_out("ring", 2, None)


def test_on_one_processor_nothing_is_distributed():
    """So a distribution that a method lacks does no harm there."""
    places = DENOC.places(four_bar(), "one", Settings(distribution="full"), np.array(four_bar().guess))
    assert len(places) == 1


def test_refused_techniques():
    refused("technique must be gauss or qr, not 'guess'", PROJECTION, four_bar(), technique="guess")


REDUNDANT = "the constraints of tied parallelogram are redundant: "
REDUNDANT += "a row of the loop through 'middle pin' follows from the others"


@pytest.mark.parametrize("method", [PROJECTION, MULTIPLIERS], ids=lambda method: method.name)
def test_redundant_constraints_are_refused_where_forces_are_solved_for(method):
    refused(REDUNDANT, method, parallelogram(third=True))


def test_springs_do_not_mind_redundant_constraints():
    mechanism = parallelogram(third=True)
    places, run = evaluated(PENALTY, mechanism, Settings(), "one", closed_state(mechanism, 1))
    assert np.isfinite(PENALTY.finish(places, run.value)[1]).all()


def test_denoc_needs_a_platform():
    mechanism = ring(4)
    message = (
        "denoc takes mechanisms whose cut joints all hold one body, the platform, and those of ring4 do not; "
        "projection or multipliers could take it"
    )
    refused(message, DENOC, mechanism)


def test_denoc_takes_no_branches():
    one = linkage("branched", (3.0, 1.0, 4.0, 2.5), (1.5708, -1.2175, 1.2649))
    bodies = (*one.bodies, rod("tail", 0, 0.3, (1.0, 0.0, 0.0)))
    mechanism = Mechanism("branched", bodies).closed_by(one.cuts, (0, 3), (*one.guess, 0.0))
    message = "denoc takes legs without branches, and joint 'tail' branches off; "
    message += "projection or multipliers could take it"
    refused(message, DENOC, mechanism)


def test_denoc_takes_no_fixed_joints():
    mechanism = replace(four_bar(), cuts=(replace(four_bar().cuts[0], kind="fixed"),))
    message = "denoc takes legs that end in a revolute or spherical joint, and 'pin' is fixed; "
    message += "projection or multipliers could take it"
    refused(message, DENOC, mechanism)


def test_layouts_tell_who_meets_whom():
    layout = layout_of(three_rrr())
    assert [layout.joined(k) for k in range(4)] == [(3,), (3,), (3,), (0, 1, 2)]
    assert layout.touching(1) == (1,)
    assert (layout.ends_of(3), layout.m) == ([(0, 1), (1, 1), (2, 1)], 6)
    anchored = Cut("foot", "revolute", Anchor(1, (1.0, 0.0, 0.0)), Anchor(-1, (2.0, 0.0, 0.0)))
    one = layout_of(Mechanism("foot", four_bar().bodies[:2]).closed_by((anchored,), (), (0.0, 0.0)))
    assert (one.joined(0), one.ends_of(-1)) == ((), [(0, 1)])
