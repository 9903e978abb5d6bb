"""What the critical path pays for, how far that holds, and the sentences made of it."""

import random

import pytest
from hypothesis import given, settings
from tools.engine import do, machine, network, plan, recv, send
from tools.schemes import CHAINS
from tools.strategies import cases, machines

from meshsim.algorithms.robots.catalogue import chain
from meshsim.algorithms.robots.state import default_state
from meshsim.algorithms.schemes.catalogue import SCHEMES
from meshsim.errors import MeshSimError
from meshsim.experiments.cli.main import main
from meshsim.experiments.studies import explain
from meshsim.machine import LARGEST
from meshsim.network import Network
from meshsim.presets import PRESETS, THESIS
from meshsim.recording import record
from meshsim.retiming import retime
from meshsim.sensitivity import PARAMETERS, Slope, parameter_of, path_counts, slopes, with_parameters
from meshsim.topologies import pipeline


def paid(counts, each):
    """The sum of the counts, each times its cost."""
    own = {f"kernels.{name}": ticks for name, ticks in each.kernels.items()}
    return sum(count * (own[name] if name in own else parameter_of(each, name)) for name, count in counts.items())


@settings(deadline=None, max_examples=100)
@given(cases(shuffled=False), machines())
def test_the_path_adds_up_to_the_finish(case, each):
    run = plan(case.programs, network(case.programs, case.links)).run(each)
    assert paid(path_counts(run.critical_path, each), each) == run.ticks


@pytest.mark.parametrize("name", CHAINS)
@pytest.mark.parametrize("preset", THESIS)
def test_the_path_of_every_scheme_adds_up(name, preset):
    robot = chain(5, 2)
    run = SCHEMES[name].plan(robot, default_state(robot)).run(PRESETS[preset])
    assert paid(path_counts(run.critical_path, PRESETS[preset]), PRESETS[preset]) == run.ticks


def test_a_path_through_a_buffer_that_a_shared_processor_frees():
    """The second message waits until the first has been received, 5 ticks after it was taken."""
    made = plan({"a": [send("b")] * 3 + [do(9)], "b": [recv("a")] * 3, "c": []})
    places = {"a": 1, "b": 2, "c": 2}
    path = made.placed(Network(pipeline(2)), places).run(machine("overlap", startup=2, receive=5)).critical_path
    assert "receive" in {step.kind for step in path.steps}
    assert path.compute + path.wire == path.steps[-1].end
    assert path.wait == 0


def finish(recording, each, name, ticks):
    return int(retime(recording, [with_parameters(each, **{name: ticks})]).ticks[0])


def check_slopes(recording, each):
    """Each slope holds to its end, and not beyond; what has none does nothing."""
    found = slopes(recording, each)
    for name in PARAMETERS:
        now = parameter_of(each, name)
        at = finish(recording, each, name, now)
        if name not in found:
            assert finish(recording, each, name, now + 1) == at
            continue
        slope = found[name]
        assert finish(recording, each, name, now + 1) == at + slope.up
        if slope.high is None:
            assert finish(recording, each, name, now + 10**6) == at + slope.up * 10**6
        else:
            assert slope.high >= now
            assert finish(recording, each, name, slope.high) == at + slope.up * (slope.high - now)
            if slope.up:
                assert finish(recording, each, name, slope.high + 1) > at + slope.up * (slope.high + 1 - now)
        if slope.down is None:
            assert now == slope.low == 0
        else:
            assert finish(recording, each, name, slope.low) == at + slope.down * (slope.low - now)
            if slope.low and slope.down:
                assert finish(recording, each, name, slope.low - 1) > at + slope.down * (slope.low - 1 - now)


@pytest.mark.parametrize("name", ["wong-mesh", "hwang", "fijany-bejczy"])
@pytest.mark.parametrize("preset", ["ideal", "t800", "t800-overlap", "t800-measured"])
def test_slopes_hold_as_far_as_they_say(name, preset):
    robot = chain(6, 3)
    check_slopes(record(SCHEMES[name].plan(robot, default_state(robot)))[0], PRESETS[preset])


@settings(deadline=None, max_examples=40)
@given(cases(shuffled=False), machines())
def test_slopes_of_random_programs(case, each):
    check_slopes(record(plan(case.programs, network(case.programs, case.links)))[0], each)


def test_slopes_by_hand():
    # b waits for a's message until the start-up is cheap: 5 + startup + 1 against 9.
    made = plan({"a": [do(5), send("b")], "b": [do(9), recv("a"), do(2)]})
    each = machine("overlap", startup=20, per_word=1)
    recording, _ = record(made)
    assert path_counts(made.run(each).critical_path, each)["startup"] == 1
    assert slopes(recording, each)["startup"] == Slope(up=1, down=1, low=3, high=None)
    kink = slopes(recording, with_parameters(each, startup=3))["startup"]
    assert kink == Slope(up=1, down=0, low=3, high=None)


def test_a_cost_of_nothing_has_a_slope_too():
    # The path as walked passes by messages that take no time; a tick of start-up would still be paid twice.
    made = plan({"a": [send("b"), recv("b")], "b": [recv("a"), send("a")]})
    recording, _ = record(made)
    assert slopes(recording, machine("rendezvous"))["startup"] == Slope(up=2, down=None, low=0, high=None)


def test_costs_at_their_largest():
    made = plan({"a": [send("b")], "b": [recv("a")]})
    found = slopes(record(made)[0], machine("rendezvous", startup=LARGEST))
    assert found["startup"].down == 1
    assert found["startup"].high == LARGEST


def test_parameters():
    each = PRESETS["t800"]
    changed = with_parameters(each, mul=7, startup=8, kernel_overhead=9)
    assert [parameter_of(changed, name) for name in ("mul", "startup", "kernel_overhead", "add")] == [7, 8, 9, 5]
    with pytest.raises(MeshSimError, match=r"^unknown parameter 'speed' of a machine; known: mul, add, "):
        with_parameters(each, speed=3)


# Sentences


def test_a_crossing_is_where_it_is_said():
    robot, each = chain(24, 1), PRESETS["t800-overlap"]
    one, other = (record(SCHEMES[name].plan(robot, default_state(robot)))[0] for name in ("wong-mesh", "hwang"))
    draw = random.Random(2)
    for cost in ("startup", "per_word", "add"):
        first, places = explain.flips(one, other, each, cost)
        tried = [0, *draw.sample(range(300), 20), *places, *(place - 1 for place in places)]
        table = [with_parameters(each, **{cost: ticks}) for ticks in tried]
        wins = retime(one, table).ticks <= retime(other, table).ticks
        assert wins.tolist() == [first ^ (sum(place <= ticks for place in places) % 2 == 1) for ticks in tried]


@pytest.mark.parametrize("tie", [5, 1000])  # of the latter not every tick near it is compared at first
def test_where_both_take_the_same_time_neither_is_slower(tie):
    alone, _ = record(plan({"a": [do(tie + 3)], "b": []}))
    sent, _ = record(plan({"a": [do(3), send("b")], "b": [recv("a")]}))
    each = machine("overlap")
    assert finish(alone, each, "startup", tie) == finish(sent, each, "startup", tie)
    assert explain.flips(alone, sent, each, "startup") == (False, [tie])
    assert explain.flips(sent, alone, each, "startup") == (True, [tie + 1])
    assert explain.flips(sent, sent, each, "startup") == (True, [])


def test_explain_tells_it(capsys):
    words = ["explain", "wong-mesh", "hwang", "--robot", "chain:24:1", "--machine", "t800-overlap"]
    assert main(words) == 0
    out = capsys.readouterr().out
    assert "on the critical path" in out
    assert (
        "wong-mesh loses to hwang when a start-up of a message costs 36.6 adds (18.3 us) or more; now it costs 5.1 us"
        in out
    )
    assert "wong-mesh is no slower than hwang when a word costs 1.0 adds (0.5 us) or more; now it costs 2.3 us" in out
    assert main(["explain", "wong-mesh", "one-wong", "--robot", "chain:1:1", "--machine", "ideal"]) == 0


def test_explain_refuses(capsys):
    assert main(["explain", "wong-mesh", "nobody", "--robot", "puma600", "--machine", "t800"]) == 2
    assert "unknown scheme 'nobody'" in capsys.readouterr().err
