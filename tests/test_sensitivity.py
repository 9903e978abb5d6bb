"""What the critical path pays for, how far that holds, and the sentences made of it."""

import random

import pytest
from engine_strategies import cases, machines
from engine_tools import do, machine, network, plan, recv, send
from hypothesis import given, settings

from algorithms.robots import chain
from algorithms.schemes import SCHEMES
from algorithms.state import default_state
from experiments import explain
from experiments.cli import main
from meshsim.errors import MeshSimError
from meshsim.presets import PRESETS
from meshsim.recording import record
from meshsim.retiming import retime
from meshsim.sensitivity import PARAMETERS, critical_ranges, parameter_of, path_counts, with_parameters


def paid(counts, each):
    """The sum of the counts, each times its cost."""
    own = {f"kernels.{name}": ticks for name, ticks in each.kernels.items()}
    return sum(count * (own[name] if name in own else parameter_of(each, name)) for name, count in counts.items())


@settings(deadline=None, max_examples=200)
@given(cases(shuffled=False), machines())
def test_the_path_adds_up_to_the_finish(case, each):
    run = plan(case.programs, network(case.programs, case.links)).run(each)
    assert paid(path_counts(run.critical_path, each), each) == run.ticks


@pytest.mark.parametrize("name", SCHEMES)
@pytest.mark.parametrize("preset", PRESETS)
def test_the_path_of_every_scheme_adds_up(name, preset):
    robot = chain(5, 2)
    run = SCHEMES[name].plan(robot, default_state(robot)).run(PRESETS[preset])
    assert paid(path_counts(run.critical_path, PRESETS[preset]), PRESETS[preset]) == run.ticks


def on_the_line(recording, each, counts, name, ticks):
    base, moved = retime(recording, [each, with_parameters(each, **{name: ticks})]).ticks.tolist()
    return moved == base + counts[name] * (ticks - parameter_of(each, name))


@pytest.mark.parametrize("name", ["wong-mesh", "hwang", "fijany-bejczy"])
@pytest.mark.parametrize("preset", ["ideal", "t800", "t800-overlap", "t800-measured"])
def test_ranges_end_where_they_say(name, preset):
    robot, each = chain(6, 3), PRESETS[preset]
    made = SCHEMES[name].plan(robot, default_state(robot))
    counts = path_counts(made.run(each).critical_path, each)
    recording, _ = record(made)
    ranges = critical_ranges(recording, each, counts)
    assert set(ranges) == {cost for cost in counts if cost in PARAMETERS and counts[cost]}
    for cost, (low, high) in {cost: (held.low, held.high) for cost, held in ranges.items()}.items():
        now = parameter_of(each, cost)
        assert low <= now
        assert on_the_line(recording, each, counts, cost, low)
        assert low == 0 or not on_the_line(recording, each, counts, cost, low - 1)
        if high is None:
            assert on_the_line(recording, each, counts, cost, now + 10**6)
            continue
        assert now <= high
        assert on_the_line(recording, each, counts, cost, high)
        assert not on_the_line(recording, each, counts, cost, high + 1)


def test_a_range_by_hand():
    # b waits for a's message until the start-up is cheap: 5 + startup + 1 against 9.
    made = plan({"a": [do(5), send("b")], "b": [do(9), recv("a"), do(2)]})
    each = machine("overlap", startup=20, per_word=1)
    counts = path_counts(made.run(each).critical_path, each)
    assert counts == {"add": 7, "kernel_overhead": 2, "startup": 1, "per_word": 1, "setup": 1}
    held = critical_ranges(record(made)[0], each, counts)["startup"]
    assert (held.low, held.high) == (3, None)


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
        for ticks in [0, *draw.sample(range(300), 20), *places, *(place - 1 for place in places)]:
            table = [with_parameters(each, **{cost: ticks})]
            wins = bool(retime(one, table).ticks[0] <= retime(other, table).ticks[0])
            assert wins == (first ^ (sum(place <= ticks for place in places) % 2 == 1))


def test_explain_tells_it(capsys):
    words = ["explain", "wong-mesh", "hwang", "--robot", "chain:24:1", "--machine", "t800-overlap"]
    assert main(words) == 0
    out = capsys.readouterr().out
    assert "on the critical path" in out
    assert " costs " in out
    assert " adds or more" in out
    assert main(["explain", "wong-mesh", "one-wong", "--robot", "chain:1:1", "--machine", "ideal"]) == 0


def test_explain_refuses(capsys):
    assert main(["explain", "wong-mesh", "nobody", "--robot", "puma600", "--machine", "t800"]) == 2
    assert "unknown scheme 'nobody'" in capsys.readouterr().err
