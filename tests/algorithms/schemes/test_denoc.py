"""The decoupled natural orthogonal complement, in space and as Khan writes it, against the dense solver."""

from dataclasses import replace

import numpy as np
import pytest
from tools.loop_mechanisms import PLANE, in_plane
from tools.loops import Stepping, Task, integrate, ring
from tools.paths import ROOT

from meshsim.algorithms.reference.energy import energy
from meshsim.algorithms.reference.loops import actuated_torques
from meshsim.algorithms.robots.body import Wrench
from meshsim.algorithms.robots.catalogue import load_robot
from meshsim.algorithms.robots.closure import assemble, check_actuation, consistent_rates, loops, placed
from meshsim.algorithms.robots.cuts import Anchor
from meshsim.algorithms.robots.state import State
from meshsim.algorithms.robots.wrenches import bearing
from meshsim.algorithms.schemes.catalogue import SCHEMES
from meshsim.algorithms.schemes.loops.denoc import DENOC
from meshsim.algorithms.schemes.loops.inverse import INVERSES
from meshsim.algorithms.schemes.loops.legs import leg_layout
from meshsim.algorithms.schemes.loops.method import Settings
from meshsim.algorithms.schemes.loops.methods import METHODS
from meshsim.algorithms.types.arrays import relative_error
from meshsim.errors import MeshSimError
from meshsim.presets import load_machine

AGREED = 1e-9
LAYOUTS = ("one", "star", "complete")


def machines():
    """One of each discipline in which messages take time."""
    for name, discipline in (("t800", "rendezvous"), ("t800-overlap", "overlap"), ("t800-overlap", "posted")):
        machine = load_machine(name)
        yield replace(machine, links=replace(machine.links, discipline=discipline))


def moving(mechanism, seed, q=None):
    """A state near the guess in which the loops are closed, rates, torques, and accelerations that they allow."""
    random = np.random.default_rng(seed)
    driven, count = list(mechanism.actuated), len(mechanism.actuated)
    if q is None:
        guess = np.array(mechanism.guess)
        guess[driven] += random.uniform(0.0, 0.05, count)
        q = assemble(mechanism, guess)
    qd = consistent_rates(mechanism, q, random.normal(size=count))
    tau, qdd = np.zeros(mechanism.n), np.zeros(mechanism.n)
    tau[driven], qdd[driven] = 9.0 * random.normal(size=count), random.normal(size=count)
    now = loops(mechanism, q, qd)
    passive = [j for j in range(mechanism.n) if j not in mechanism.actuated]
    qdd[passive] = np.linalg.solve(now.A[:, passive], -now.A @ qdd - now.bias)
    return q, qd, tau, qdd


def ran(mechanism, motion, machine, **options):
    """Runs of forward and inverse dynamics, both held against the dense solver."""
    q, qd, tau, qdd = motion
    state = State(*(tuple(values.tolist()) for values in (q, qd, tau)))
    forward, inverse = (
        make(mechanism, **options) for make in (SCHEMES["denoc"].evaluation, SCHEMES["denoc"].inversion)
    )
    runs = forward.plan(state).run(machine, trace=False), inverse.plan(q, qd, qdd).run(machine, trace=False)
    assert max(runs[0].value.errors(forward.reference(state)).values()) < AGREED
    assert relative_error(runs[1].value, actuated_torques(mechanism, q, qd, qdd)) < AGREED
    return runs


# In space


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_stewart_platform_with_rates_and_a_wrench(layout):
    """Every discipline has the same bits, and rates and wrench matter."""
    mechanism = bearing(load_robot("stewart"), {"platform": (90.0, -40.0, 60.0, 8.0, -5.0, 11.0)})
    motion = moving(mechanism, 1)
    found = [ran(mechanism, motion, machine, layout=layout) for machine in machines()]
    for one, other in found[1:]:
        assert one.value.qdd.tolist() == found[0][0].value.qdd.tolist()
        assert other.value.tolist() == found[0][1].value.tolist()
    q, qd, _, qdd = motion
    torques = found[0][1].value
    for less in (actuated_torques(load_robot("stewart"), q, qd, qdd), actuated_torques(mechanism, q, 0.0 * qd, qdd)):
        assert np.abs(torques - less).max() > 1.0


def test_the_star_of_six_legs():
    mechanism = load_robot("stewart")
    forward, inverse = ran(mechanism, moving(mechanism, 2), load_machine("t800"), layout="star")
    alone = ran(mechanism, moving(mechanism, 2), load_machine("t800"), layout="one")
    assert (forward.processors, forward.messages, inverse.messages) == (7, 3 * 12, 3 * 12)
    # Phi (21), what each actuated joint is seen as and its rate; the twist, and what each joint alone makes of it
    assert forward.words == 6 * ((21 + 6 + 1) + (6 + 36) + 6 + 6 + (21 + 6) + 1)
    assert inverse.words == 6 * ((21 + 6) + 6 + 6 + 6 + 6 + 6)
    assert all(4.0 < one.ticks / several.ticks < 6.0 for one, several in zip(alone, (forward, inverse), strict=True))


def test_legs_at_rest_bear_what_the_potential_says():
    """Forces of the slides are how the potential changes with them: no Jacobian, no inertia."""
    mechanism = bearing(load_robot("stewart"), {"platform": (30.0, 20.0, -50.0), "leg2.piston": (5.0, 0.0, 3.0)})
    q = moving(mechanism, 3)[0]
    still = np.zeros(mechanism.n)
    found = SCHEMES["denoc"].inversion(mechanism, layout="star").plan(q, still, still).run(load_machine("ideal")).value

    def potential(joint, step):
        moved = q.copy()
        moved[joint] += step
        return energy(mechanism, assemble(mechanism, moved), still)[1]

    h = 1e-4
    slopes = [(potential(joint, h) - potential(joint, -h)) / (2 * h) for joint in mechanism.actuated]
    assert found == pytest.approx(slopes, abs=1e-4)  # whose error is of the order of h^2


def test_a_stewart_platform_that_falls_keeps_its_energy_and_its_loops():
    mechanism = load_robot("stewart")
    q = assemble(mechanism)
    task = Task(mechanism, q, np.zeros(mechanism.n), lambda _t: [0.0] * 6, 0.06)
    _, positions, rates, c = integrate(DENOC, Settings(distribution="partly"), task, Stepping(h=5e-3)).arrays()
    before, after = (sum(energy(mechanism, positions[k], rates[k])) for k in (0, -1))
    assert np.abs(rates[-1]).max() > 0.3
    assert c.max() < 1e-8
    assert after == pytest.approx(before, abs=1e-6)  # steps of the fourth order; halved, they lose a sixteenth


# As Khan writes it


def platform_of(legs, seed):
    """A platform in a tilted plane on legs, a letter for each joint; every third joint turns against the plane."""
    joints, parents, tips = "ppR", [-1, 0, 1], []
    for leg in legs:
        parents += [-1, *range(len(joints), len(joints) + len(leg) - 1)]
        joints += leg
        tips.append(len(joints) - 1)
    made = in_plane(seed, joints, parents, [("revolute", tip, 2) for tip in tips])
    q = np.random.default_rng(seed).uniform(-1.0, 1.0, made.n)
    bodies, cuts = placed(made, q, np.zeros(made.n)), []
    for cut in made.cuts:  # which meet there
        one, other = bodies[cut.first.body], bodies[2]
        point = other.R.T @ (one.x + one.R @ np.array(cut.first.position) - other.x)
        cuts.append(replace(cut, second=Anchor(2, tuple(point.tolist()), cut.second.rotation)))
    firsts = [tip + 1 - len(leg) for tip, leg in zip(tips, legs, strict=True)]
    count = 3 + sum(len(leg) - 2 for leg in legs)
    wrenches = (Wrench(2, (3.0, -2.0, 4.0), (1.0, 2.0, 3.0)), Wrench(tips[0], (1.0, 5.0, -2.0), (2.0, -1.0, 1.0)))
    actuated = tuple(firsts[-count:])
    return replace(made, cuts=tuple(cuts), actuated=actuated, guess=tuple(q.tolist()), wrenches=wrenches)


LEGS = {
    "three of two joints": ("RR", "RR", "RR"),
    "three that begin with a slide": ("PR", "PR", "PR"),
    "of all kinds": ("RP", "RR", "PR"),
    "one without a driven joint": ("R", "RR", "RRR"),
    "a longer leg": ("RR", "PR", "RR", "RRR"),
    "two longer ones": ("RRR", "RR", "RPR", "RR", "RR"),
    "a crank and a rocker": ("R", "R"),
}


@pytest.mark.parametrize("name", LEGS)
@pytest.mark.parametrize("seed", [1, 2])
def test_legs_of_any_length_in_a_plane(name, seed):
    mechanism = platform_of(LEGS[name], seed)
    q = np.array(mechanism.guess)
    assert mechanism.plane is not None
    check_actuation(mechanism, q)
    motion = moving(mechanism, seed, q)
    for layout in LAYOUTS:
        ran(mechanism, motion, load_machine("ideal"), layout=layout, recursion="paper")


@pytest.mark.parametrize("name", ["four-bar", "3rrr", "3prr", "five-bar"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_robots_as_khan_writes_it(name, layout):
    mechanism = load_robot(name)
    motion = moving(mechanism, 4)
    found = [ran(mechanism, motion, machine, layout=layout, recursion="paper") for machine in machines()]
    assert len({tuple(one.value.qdd.tolist()) for one, _ in found}) == 1
    assert len({tuple(other.value.tolist()) for _, other in found}) == 1


def test_what_khan_sends():
    """Phi, b and a rate, and back the twist and S; a_1, a_2 and Phi-bar; p-bar; forward all S, T^T I T and a torque."""
    mechanism = load_robot("3rrr")
    forward, inverse = ran(mechanism, moving(mechanism, 5), load_machine("t800"), layout="star", recursion="paper")
    both = (6 + 3 + 1) + 3 + (3 + 3 + 6) + 3 + 3 + 3
    assert inverse.words == 3 * (both + 9)
    assert forward.words == 3 * (both + 3 * 9 + (3 * 6 + 3 * 9 + 1) + 1)
    assert (forward.exchanges, inverse.exchanges) == (4, 3)


def counts():
    """Of a leg-wise manipulator: what both recursions do on one processor, and how long they take on a star."""
    mechanism, machine = load_robot("3rrr"), load_machine("t800")
    motion = moving(mechanism, 5)
    lines = ["| | multiply | add | divide | exchanges | words | star, t800 (us) |", "|---|---|---|---|---|---|---|"]
    for verb in (0, 1):
        for recursion in ("composite", "paper"):
            alone, star = (
                ran(mechanism, motion, machine, layout=layout, recursion=recursion)[verb] for layout in ("one", "star")
            )
            done = [str(alone.operations[each]) for each in ("mul", "add", "div")]
            told = [str(star.exchanges), str(star.words), f"{machine.microseconds(star.ticks):.1f}"]
            cells = [f"`{('run', 'inverse')[verb]}`, `{recursion}`", *done, *told]
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def times_of_a_platform():
    """A Stewart platform by every scheme, on one processor and on several."""
    mechanism, machine = load_robot("stewart"), load_machine("t800")
    q, qd, tau, qdd = moving(mechanism, 5)
    state = State(*(tuple(values.tolist()) for values in (q, qd, tau)))

    def cell(verb, name, options):
        scheme = SCHEMES[name]
        if (scheme.make if verb == "run" else scheme.inverse) is None:
            return ""
        layouts = [layout for layout in ("one", scheme.options["layout"][-1]) if layout in scheme.options["layout"]]
        found = []
        for layout in dict.fromkeys(layouts):
            chosen = {**options, "layout": layout}
            made = scheme.evaluation if verb == "run" else scheme.inversion
            given = (state,) if verb == "run" else (q, qd, qdd)
            run = made(mechanism, **chosen).plan(*given).run(machine, trace=False)
            found.append(f"{machine.microseconds(run.ticks):.1f}")
        return ", ".join(found)

    partly = {"distribution": "partly"}
    schemes = {"denoc": {}, "projection": partly, "penalty": partly, "multipliers": {}, "noc": {}, "subsystems": {}}
    heads = [f"`{name}`{', `partly`' if options else ''}" for name, options in schemes.items()]
    lines = [f"| | {' | '.join(heads)} |", "|---" * (len(heads) + 1) + "|"]
    for verb in ("run", "inverse"):
        lines.append(
            f"| `{verb}` | {' | '.join(cell(verb, *each) for each in schemes.items())} |".replace("|  |", "| |")
        )
    return "\n".join(lines).replace("|  |", "| |")


@pytest.mark.parametrize("make", [counts, times_of_a_platform])
def test_the_page_has_the_counts(make):
    made = make()
    assert made in (ROOT / "docs" / "loops.md").read_text(), f"docs/loops.md must have this table:\n{made}"


# Refusals


def test_what_khan_has_no_form_for_is_refused():
    other = "; recursion=composite could take it"
    stewart, three = load_robot("stewart"), load_robot("3rrr")
    last = replace(three, actuated=(1, 3, 5))  # the knees
    for mechanism, why in (
        (stewart, "mechanisms in a plane, and stewart is in none"),
        (last, "legs of which the first joint alone is actuated, or none, and the leg of 'proximal1' is not so"),
    ):
        motion = moving(mechanism, 6)
        for make in (
            lambda mechanism=mechanism, q=motion[0]: DENOC.places(mechanism, "one", Settings(recursion="paper"), q),
            lambda mechanism=mechanism: INVERSES["denoc"].places(mechanism, "star", recursion="paper"),
        ):
            with pytest.raises(MeshSimError) as caught:
                make()
            assert str(caught.value) == f"denoc with recursion=paper takes {why}{other}"
        ran(mechanism, motion, load_machine("ideal"), layout="star")


@pytest.mark.parametrize("robot", ["scraper", "fixed", "ring"])
def test_a_refusal_names_what_the_verb_has_and_that_takes_it(robot):
    mechanism = {
        "scraper": lambda: load_robot("scraper"),
        "fixed": lambda: PLANE["welded"],
        "ring": lambda: ring(4),
    }[robot]()
    q = np.array(mechanism.guess)
    with pytest.raises(MeshSimError) as caught:
        DENOC.places(mechanism, "one", Settings(), q)
    *_, named = str(caught.value).partition("; ")
    assert named == "projection or multipliers could take it"
    for name in ("projection", "multipliers"):
        METHODS[name].places(mechanism, "one", Settings(), q)
    with pytest.raises(MeshSimError, match=r"; noc could take it$"):
        leg_layout(mechanism, "noc")
