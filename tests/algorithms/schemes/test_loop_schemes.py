"""Schemes for mechanisms with loops: what their options mean, and that all of them agree with a dense solution."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from tools.every_plan import every_option

from meshsim.algorithms.reference.dense import forward_dynamics
from meshsim.algorithms.reference.loops import constrained_dynamics
from meshsim.algorithms.robots.catalogue import load_robot
from meshsim.algorithms.robots.linkages import LINKAGES, four_bar
from meshsim.algorithms.robots.state import default_state
from meshsim.algorithms.schemes.base.scheme import Number, RefusedError
from meshsim.algorithms.schemes.catalogue import SCHEMES, load_scheme
from meshsim.algorithms.schemes.loops.mesh_loops import OF_TREE
from meshsim.algorithms.schemes.loops.method import Settings, SiteEvaluation
from meshsim.algorithms.schemes.loops.methods import METHODS
from meshsim.algorithms.schemes.takers import takers
from meshsim.errors import MeshSimError
from meshsim.presets import PRESETS
from meshsim.simulation import NOWHERE

FORWARD = [name for name, scheme in SCHEMES.items() if scheme.wants and scheme.make]
AGREED = 1e-9
"""Of the largest acceleration, or of 1: systems with condition numbers up to some thousand are solved differently."""


# Numbers


def chosen(name):
    """Every combination of a scheme's options; numbers as they are unless given, and another.

    Of the mesh, whose options are many, every value beside the others' defaults, in both variants.
    """
    options = SCHEMES[name].options
    if name == "wong-mesh-loops":
        yield from ({**each, "variant": variant} for each in every_option(options) for variant in options["variant"])
        return
    values = [("0.5", each.default) if isinstance(each, Number) else each for each in options.values()]
    for combination in product(*values):
        yield dict(zip(options, combination, strict=True))


def driven(mechanism, seed=1):
    """The state that is used when none is given, and random torques of the actuated joints."""
    tau = np.zeros(mechanism.n)
    tau[list(mechanism.actuated)] = np.random.default_rng(seed).uniform(-9.0, 9.0, len(mechanism.actuated))
    return replace(default_state(mechanism), tau=tuple(tau.tolist()))


REFUSED = {
    ("denoc", "scraper"): "denoc takes legs without branches, and joint 'III-2' branches off; ",
    ("denoc", "scraper:other"): "denoc takes legs without branches, and joint 'III-2' branches off; ",
}
SMALL = "option '{}' of wong-mesh-loops is for variant tree, not for small"


def refusal(name, robot, options):
    """How the refusal begins of what a scheme does not do; nothing if it does it."""
    if name == "wong-mesh-loops" and options["variant"] == "small":
        for option in OF_TREE:
            if options[option] != SCHEMES[name].options[option][0]:
                return SMALL.format(option)
    return REFUSED.get((name, robot), "")


@pytest.mark.parametrize("name", FORWARD)
@pytest.mark.parametrize("robot", LINKAGES)
def test_every_choice_of_options_agrees_or_is_refused_by_name(name, robot):
    mechanism = load_robot(robot)
    state = driven(mechanism)
    closed = constrained_dynamics(mechanism, state.q, state.qd, state.tau)[0]
    run = 0
    for options in chosen(name):
        told = refusal(name, robot, options)
        if told:
            with pytest.raises(MeshSimError) as caught:
                SCHEMES[name].plan(mechanism, state, **options)
            assert str(caught.value).startswith(told)
            continue
        found = SCHEMES[name].evaluation(mechanism, **options)
        wanted = found.reference(state)
        assert found.mechanism is mechanism
        value = found.plan(state).run(NOWHERE, trace=False).value
        assert value.formed.keys() == {"qdd"}
        assert value.errors(wanted)["qdd"] < AGREED, options
        if name != "penalty":  # whose springs are another mechanism
            assert np.abs(wanted.qdd - closed).max() < AGREED * max(1.0, np.abs(closed).max()), options
        run += 1
    assert run > 0 or (name, robot) in REFUSED


def test_how_many_choices_there_are():
    """Layouts, distributions, stiffnesses and dampings; layouts, distributions, rates and techniques; ..."""
    counts = {name: len(list(chosen(name))) for name in FORWARD}
    assert counts == {
        "penalty": 3 * 3 * 2 * 2,
        "projection": 3 * 3 * 2 * 2,
        "denoc": 3 * 2,
        "multipliers": 1,
        "elimination": 1,
        "wong-mesh-loops": 2 * (1 + 1 + 1 + 2 + 1 + 2 + 1 + 1),
    }


def test_what_opened_loops_change():
    """Of loops that are open by a millimetre: springs pull, a projection draws back, multipliers let them be."""
    mechanism = four_bar()
    state = driven(mechanism)
    opened = replace(state, q=(*state.q[:2], state.q[2] + 1e-3 / 2.5))
    held = constrained_dynamics(mechanism, opened.q, opened.qd, opened.tau)[0]
    for name, options, differs in (
        ("multipliers", {}, False),
        ("wong-mesh-loops", {}, False),
        ("projection", {"sigma": "0"}, False),
        ("projection", {"sigma": "100"}, True),
        ("penalty", {}, True),
    ):
        found = SCHEMES[name].evaluation(mechanism, **options)
        # a projection's rates are those that close the loops: what is compared is at such rates
        value = found.plan(opened).run(NOWHERE, trace=False).value
        if name != "projection":
            assert value.errors(found.reference(opened))["qdd"] < AGREED
        assert (np.abs(found.reference(opened).qdd - held).max() > 1.0) == differs


def test_the_dense_reference_takes_loops():
    """M and h are those of the tree, with its loops cut; accelerations keep them closed."""
    mechanism = load_robot("3rrr")
    state = driven(mechanism)
    found = forward_dynamics(mechanism, state)
    tree = forward_dynamics(replace(mechanism, cuts=(), actuated=(), guess=()), state)
    assert found.M.tolist() == tree.M.tolist()
    assert found.h.tolist() == tree.h.tolist()
    assert found.qdd.tolist() == constrained_dynamics(mechanism, state.q, state.qd, state.tau)[0].tolist()
    assert np.abs(found.qdd - tree.qdd).max() > 1.0


def test_numbers_do_not_depend_on_the_machine():
    mechanism = load_robot("3rrr")
    for name in FORWARD:
        plan = SCHEMES[name].plan(mechanism, driven(mechanism))
        found = [plan.run(PRESETS[machine], trace=False).value.qdd.tolist() for machine in ("ideal", "t800-overlap")]
        assert found[0] == found[1]


def test_who_takes_loops():
    """Who looks closer than at what a mechanism needs is asked: at legs that branch, or at the plane."""
    assert [scheme.name for scheme in takers(four_bar())] == ["dca", *FORWARD]
    branched = [scheme.name for scheme in takers(load_robot("scraper"))]
    assert branched == ["dca", *(name for name in FORWARD if name != "denoc")]


# Options


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("penalty", {"sigma": "1"}, "unknown option 'sigma' of penalty; known: layout, distribution, k, d"),
        ("multipliers", {"k": "1"}, "unknown option 'k' of multipliers; known: layout"),
        ("denoc", {"distribution": "partly"}, "unknown option 'distribution' of denoc; known: layout, recursion"),
        ("penalty", {"k": "nan"}, "option k of penalty must be a finite number, at least 0 (N/m), not 'nan'"),
        ("penalty", {"d": "inf"}, "option d of penalty must be a finite number, at least 0 (N s/m), not 'inf'"),
        (
            "projection",
            {"sigma": "-1"},
            "option sigma of projection must be a finite number, at least 0 (1/s), not '-1'",
        ),
        (
            "projection",
            {"sigma": "ten"},
            "option sigma of projection must be a finite number, at least 0 (1/s), not 'ten'",
        ),
        ("projection", {"technique": "guess"}, "option technique of projection must be gauss or qr, not 'guess'"),
        (
            "projection",
            {"distribution": "hardly"},
            "option distribution of projection must be full or partly or held, not 'hardly'",
        ),
        ("penalty", {"layout": "ring"}, "option layout of penalty must be one or star or complete, not 'ring'"),
        ("multipliers", {"layout": "star"}, "option layout of multipliers must be one, not 'star'"),
    ],
)
def test_refused_options(name, options, message):
    for refuse in (SCHEMES[name].choose, lambda given: SCHEMES[name].evaluation(four_bar(), **given)):
        with pytest.raises(MeshSimError) as caught:
            refuse(options)
        assert str(caught.value) == message


def test_refused_names():
    with pytest.raises(MeshSimError) as caught:
        load_scheme("springs")
    assert str(caught.value) == f"unknown scheme 'springs'; known: {', '.join(SCHEMES)}"
    assert set(METHODS) < set(SCHEMES)


@pytest.mark.parametrize("name", METHODS)
def test_methods_are_for_loops(name):
    with pytest.raises(RefusedError) as caught:
        SCHEMES[name].evaluation(load_robot("puma600"))
    assert str(caught.value) == f"{name} is for mechanisms with loops, and puma600 has none"


def settings_of(name, **options):
    """Layout and settings that a scheme makes of options."""
    found = SCHEMES[name].evaluation(four_bar(), **options)
    assert isinstance(found, SiteEvaluation)
    assert found.method is METHODS[name]
    return found.layout, found.settings


def test_options_reach_the_settings():
    assert settings_of("penalty", k="2e4", d="5") == ("one", Settings(k=2e4, d=5.0))
    assert settings_of("projection", sigma="0", technique="qr", distribution="partly", layout="star") == (
        "star",
        Settings(sigma=0.0, technique="qr", distribution="partly"),
    )
    assert settings_of("denoc", layout="complete") == ("complete", Settings(distribution="partly"))


@pytest.mark.parametrize("name", METHODS)
def test_defaults_are_those_of_the_settings(name):
    """What an option is unless it is given is said twice: in the option, and in `Settings`."""
    assert settings_of(name) == ("one", Settings(distribution=METHODS[name].distributions[0]))
