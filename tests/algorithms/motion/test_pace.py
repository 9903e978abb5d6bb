"""How long the steps of a motion take: a steady step against every message, and how far steps overlap."""

from dataclasses import replace

import numpy as np
import pytest
from tools.motion import simulated

from meshsim.algorithms.motion import pace as pace_module
from meshsim.algorithms.motion.motion import Motion
from meshsim.algorithms.motion.pace import Pace, moving, pace_of, simulate
from meshsim.algorithms.motion.profiles import load_profile
from meshsim.algorithms.motion.stepping import laps_of
from meshsim.algorithms.robots.catalogue import chain, load_robot
from meshsim.algorithms.robots.state import default_state
from meshsim.algorithms.schemes.catalogue import SCHEMES
from meshsim.errors import MeshSimError
from meshsim.presets import PRESETS, THESIS

T800 = PRESETS["t800"]
OVERLAP = PRESETS["t800-overlap"]
MACHINES = {
    **{name: PRESETS[name] for name in THESIS},
    "deep": replace(OVERLAP, links=replace(OVERLAP.links, setup=7, buffers=3, per_word=200)),
    "half": replace(T800, links=replace(T800.links, duplex="half")),
    "half-overlap": replace(OVERLAP, links=replace(OVERLAP.links, duplex="half")),
}
OTHERS = [
    *((name, {}) for name in ("lee-chang", "amin-javaheri", "fijany-bejczy", "hwang", "one-wong")),
    ("wong-mesh", {"rho": "recompute", "solver": "faddeev"}),
]


def both(scheme, options, motion, machine):
    evaluation = SCHEMES[scheme].evaluation(motion.mechanism, **options)
    return [simulate(evaluation, motion, machine, timing) for timing in ("steady", "every")]


def check_alike(scheme, options, motion, machine):
    (steady, pace), (every, whole) = both(scheme, options, motion, machine)
    assert pace.period is not None
    assert len(pace.laps) == 8
    assert len(whole.laps) == motion.steps
    assert pace.ends(motion.steps) == whole.laps
    assert pace.step == whole.step
    for what in ("q", "qd", "qdd", "tau"):
        assert np.array_equal(getattr(steady, what), getattr(every, what), equal_nan=True)


@pytest.mark.parametrize("machine", MACHINES)
def test_a_steady_step_of_the_mesh_tells_all_times(machine):
    mechanism = chain(3, 6)
    check_alike("wong-mesh", {}, Motion(mechanism, default_state(mechanism), 0.01, 12), MACHINES[machine])


@pytest.mark.parametrize("machine", ["t800", "deep"])
@pytest.mark.parametrize(("scheme", "options"), OTHERS)
def test_a_steady_step_of_others(scheme, options, machine):
    mechanism = chain(2, 6)
    check_alike(scheme, options, Motion(mechanism, default_state(mechanism), 0.01, 10), MACHINES[machine])


@pytest.mark.parametrize(("carry", "machine"), [("links", "t800"), ("bus", "t800-overlap"), ("forward", "half")])
def test_a_steady_step_of_a_tree(carry, machine):
    mechanism = load_robot("torso")
    motion = Motion(mechanism, default_state(mechanism), 0.001, 10)
    check_alike("wong-mesh", {"carry": carry}, motion, MACHINES[machine])


@pytest.mark.parametrize(
    ("scheme", "machine"), [("wong-mesh", "t800-measured"), ("wong-mesh", "half-overlap"), ("hwang", "t800-overlap")]
)
def test_a_steady_step_under_control(scheme, machine):
    mechanism = load_robot("excavator")
    motion = load_profile("excavator:joint", mechanism).motion(mechanism, 0.01, 0.1)
    check_alike(scheme, {}, motion, MACHINES[machine])


@pytest.mark.slow
def test_a_steady_step_of_a_long_motion():
    mechanism = load_robot("puma600")
    check_alike("wong-mesh", {}, load_profile("cycloid:10", mechanism).motion(mechanism, 0.01), T800)


def test_short_motions_are_simulated_to_the_end():
    mechanism = chain(2, 6)
    motion = Motion(mechanism, default_state(mechanism), 0.01, 8)
    (_, pace), (_, whole) = both("wong-mesh", {}, motion, T800)
    assert pace == whole
    assert len(pace.laps) == 8


def test_one_processor_takes_as_long_for_each_step():
    mechanism = load_robot("puma600")
    state = default_state(mechanism)
    evaluation = SCHEMES["one-wong"].plan(mechanism, state).run(T800, trace=False).ticks
    pace = pace_of(laps_of(simulated("one-wong", Motion(mechanism, state, 0.01, 5), "t800")))
    integration = 6 * 2 * ((3 + 2) * 10 + (3 + 1 + 3) * 5)  # multiplies and adds of two numbers a joint
    assert pace.laps == [k * (4 * evaluation + integration) for k in range(1, 6)]
    assert pace.latency == pace.period  # nothing overlaps


@pytest.mark.parametrize("machine", ["ideal", "t800", "t800-overlap"])
def test_consecutive_steps_overlap_on_the_mesh(machine):
    mechanism = load_robot("puma600")
    came = simulated("wong-mesh", Motion(mechanism, default_state(mechanism), 0.01, 6), machine)
    laps = np.array(list(laps_of(came).values()))
    assert (laps[:, 1:].min(axis=0) < laps[:, 1:].max(axis=0)).all()
    pace = pace_of(laps_of(came))
    assert pace.latency > pace.period  # the first processor begins a step before the last has ended the one before
    assert pace.latency - pace.period == laps[:, -2].max() - laps[:, -2].min()


def test_a_pace_is_steady_only_if_all_processors_are():
    assert pace_of({1: [10, 20, 30, 40], 2: [13, 23, 33, 43]}) == Pace([13, 23, 33, 43], 10, 13)
    late = pace_of({1: [10, 20, 30, 40], 2: [13, 23, 33, 44]})
    assert (late.period, late.latency) == (None, 14)
    apart = pace_of({1: [10, 20, 30, 40], 2: [13, 24, 35, 46]})
    assert apart.period is None
    assert apart.step == 11
    few = pace_of({1: [10, 20, 30]})
    assert few.period is None
    assert pace_of({1: [10], 2: [7]}) == Pace([10], None, 10)


def test_ends_of_steps():
    steady = Pace([13, 23, 33], 10, 13)
    assert steady.ends(2) == [13, 23]
    assert steady.ends(5) == [13, 23, 33, 43, 53]
    assert steady.step == 10
    wavering = Pace([13, 23, 35], None, 13)
    assert wavering.ends(3) == [13, 23, 35]
    assert wavering.step == 11
    assert Pace([13], None, 13).step == 13
    with pytest.raises(MeshSimError) as error:
        wavering.ends(5)
    assert str(error.value) == "2 of 5 steps were not simulated, and there is no steady one"


def test_steps_that_never_repeat_are_all_simulated(monkeypatch):
    monkeypatch.setattr(pace_module, "ALIKE", 100)
    mechanism = chain(2, 6)
    motion = Motion(mechanism, default_state(mechanism), 0.01, 12)
    evaluation = SCHEMES["wong-mesh"].evaluation(mechanism)
    moved, pace = simulate(evaluation, motion, T800)
    assert pace.period is None
    assert len(pace.laps) == 12
    assert np.array_equal(moved.q, moving(evaluation, motion).run(T800, trace=False).value.q)


def test_numbers_that_were_not_simulated_are_refused(monkeypatch):
    """Where the arithmetic written out is not the scheme's, a motion is not told."""
    mechanism = chain(2, 6)
    other = SCHEMES["one-wong"].evaluation(mechanism)
    real = pace_module.computed
    monkeypatch.setattr(pace_module, "computed", lambda _evaluation, *rest: real(other, *rest))
    motion = Motion(mechanism, default_state(mechanism), 0.01, 12)
    with pytest.raises(MeshSimError, match="must give the numbers that were simulated, and does not"):
        simulate(SCHEMES["hwang"].evaluation(mechanism), motion, T800)


def test_timings_that_there_are_none_of():
    mechanism = chain(2, 6)
    motion = Motion(mechanism, default_state(mechanism), 0.01, 2)
    with pytest.raises(MeshSimError, match=r"^timing must be steady or every, not 'never'$"):
        simulate(SCHEMES["one-wong"].evaluation(mechanism), motion, T800, "never")
