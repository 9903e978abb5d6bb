"""`meshsim realtime`: yes or no, and limits that hold to the tick when simulated again."""

import json
from dataclasses import replace

import pytest

import meshsim as ms
from meshsim.algorithms.robots.catalogue import chain, load_robot
from meshsim.algorithms.schemes.catalogue import SCHEMES
from meshsim.errors import MeshSimError
from meshsim.experiments.cli.main import main
from meshsim.experiments.studies.realtime import Question, answer, dearest, largest_chain
from meshsim.machine import LARGEST, LinkCosts, Machine
from meshsim.presets import PRESETS, THESIS
from meshsim.sensitivity import parameter_of, with_parameters

MACHINES = {
    **{name: PRESETS[name] for name in THESIS},
    "deep": replace(PRESETS["t800-overlap"], links=replace(PRESETS["t800-overlap"].links, setup=30, buffers=2)),
}


def call(capsys, *words):
    try:
        status = main([str(word) for word in words])
    except SystemExit as stop:
        status = stop.code
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def ask(capsys, robot, scheme, machine, step, *words):
    given = ("realtime", "--robot", robot, "--scheme", scheme, "--machine", machine, "--step", step)
    return call(capsys, *given, *words)


def question(scheme, machine, h, order=4, **options):
    return Question(SCHEMES[scheme], options, MACHINES[machine], h, order)


# Limits


def step_ticks(asked, mechanism, machine):
    pace = asked.pace(mechanism, machine)
    assert pace.period is not None
    return pace.period


@pytest.mark.parametrize(
    ("scheme", "machine"),
    [
        ("wong-mesh", "ideal"),
        ("wong-mesh", "t800"),
        ("wong-mesh", "t800-overlap"),
        pytest.param("wong-mesh", "deep", marks=pytest.mark.slow),
        pytest.param("hwang", "t800", marks=pytest.mark.slow),
        ("one-wong", "t800-measured"),
    ],
)
def test_one_tick_more_than_the_dearest_cost_is_too_much(scheme, machine):
    mechanism = chain(2, 3)
    asked = question(scheme, machine, 1.0)
    now = asked.us(asked.pace(mechanism))
    asked = replace(asked, h=1.3 * now / 1e6)
    most = dearest(asked, mechanism)
    assert most
    for name, ticks in most.items():
        if ticks is None:
            slow = with_parameters(asked.machine, **{name: LARGEST})
            assert asked.us(asked.pace(mechanism, slow)) <= asked.allowed_us
            continue
        assert ticks >= parameter_of(asked.machine, name)
        fits, fails = (with_parameters(asked.machine, **{name: cost}) for cost in (ticks, ticks + 1))
        assert asked.us(asked.pace(mechanism, fits)) <= asked.allowed_us < asked.us(asked.pace(mechanism, fails))
    if machine == "ideal":
        assert not {"startup", "per_word", "setup", "receive"} & set(most)  # which do nothing where words are free


def test_the_slowest_tick_is_just_quick_enough():
    mechanism = chain(2, 3)
    asked = question("wong-mesh", "t800", 0.002)
    found = answer(asked, mechanism)
    slow, slower = (replace(asked.machine, tick_ns=found.slowest_tick_ns * (1 + e)) for e in (-1e-9, 1e-9))
    assert asked.us(asked.pace(mechanism, slow), slow) <= asked.allowed_us
    assert asked.us(asked.pace(mechanism, slower), slower) > asked.allowed_us


@pytest.mark.parametrize("limit", [0, 1, 2, 3, 7, 8, 12, 31, 32])
def test_the_longest_chain_is_found_with_the_next(limit):
    tried = []

    def us(n):
        tried.append(n)
        return float(n)

    known = largest_chain(us, limit)
    assert max((n for n in known if n <= limit), default=0) == limit
    assert limit == 32 or limit + 1 in known
    assert len(tried) == len(set(tried)) <= 10


@pytest.mark.slow
def test_the_longest_chain_of_a_machine():
    asked = question("wong-mesh", "t800", 0.003)
    found = answer(asked, chain(2, 3))
    longest, next_one = (asked.us(asked.pace(chain(n, 1))) for n in (found.largest, found.largest + 1))
    assert longest <= 3000 < next_one
    assert found.joints[found.largest] == longest


def test_a_bus_is_timed_but_not_searched():
    mechanism = load_robot("torso")
    asked = question("wong-mesh", "t800", 0.1, carry="bus")
    assert dearest(asked, mechanism) == {}
    half = replace(MACHINES["t800"], links=replace(MACHINES["t800"].links, duplex="half"))
    assert dearest(replace(asked, machine=half, options={}), mechanism) == {}


@pytest.mark.parametrize("order", [1, 2, 4])
def test_a_step_takes_as_many_evaluations_as_its_order(order):
    mechanism = chain(3, 1)
    asked = question("one-saha", "t800", 0.01, order)
    one = question("one-saha", "t800", 0.01, 1).pace(mechanism).step
    assert asked.pace(mechanism).step > 0.9 * order * one


def test_large_steps_have_times_too():
    """A chain that falls in steps of ten seconds would diverge, which is nothing to a question of time."""
    assert question("one-wong", "t800", 10.0).pace(chain(6, 1)) == question("one-wong", "t800", 1e-3).pace(chain(6, 1))


# The command


def test_the_excavator_as_in_the_thesis(capsys):
    words = [
        "realtime",
        "wong-mesh",
        "--robot",
        "excavator",
        "--machine",
        "t800-measured",
        "--step",
        "0.01",
    ]  # as in the README
    status, out, err = call(capsys, *words, "--json")
    assert (status, err) == (0, "")
    told = json.loads(out)
    assert list(told) == [
        "robot", "scheme", "options", "machine", "step_s", "order", "real_time", "us_per_step", "us_per_evaluation",
        "us_allowed_per_evaluation", "margin", "steady", "largest_n", "slowest_tick_ns", "most_ticks", "presets_us",
    ]  # fmt: skip
    assert told["real_time"] is True
    assert told["steady"] is True
    assert told["us_allowed_per_evaluation"] == 2500.0
    assert 1353.0 < told["us_per_evaluation"] < 2500.0  # the thesis's two implementations: 1.353 and 2.1 ms
    assert told["margin"] == pytest.approx(10_000 / told["us_per_step"] - 1)
    assert told["largest_n"] == 4
    assert set(told["presets_us"]) == set(THESIS)
    assert told["presets_us"]["t800-measured"] == told["us_per_step"]


def test_yes_and_no(capsys):
    status, out, _ = ask(capsys, "chain:2:1", "one-wong", "t800", "0.01")
    assert status == 0
    assert out.startswith("chain:2:1, one-wong on t800, steps of 0.01 s, order 4: yes, in real time\n")
    assert " % to spare, " in out
    assert "largest n: 6 joints (" in out
    assert "slowest machine: this one with ticks of " in out
    assert "or, one cost at a time, at most so many ticks: mul " in out
    status, out, _ = ask(capsys, "chain:2:1", "one-wong", "t800", "0.0001")
    assert status == 0
    assert out.startswith("chain:2:1, one-wong on t800, steps of 0.0001 s, order 4: no, not in real time\n")
    assert "largest n: none; a chain of 1 joint takes " in out
    assert "it would take: this one with ticks of " in out
    assert "one cost at a time" not in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("excavator", "wong-mesh", "t800", "0"), "step must be a positive number of seconds, not 0.0"),
        (("excavator", "wong-mesh", "t800", "nan"), "step must be a positive number of seconds, not nan"),
        (("excavator", "wong-mesh", "t800", "0.01", "--order", "3"), "order must be 1, 2 or 4, not 3"),
        (("torso", "hwang", "t800", "0.01"), "hwang takes no branching joints"),
        (("puma600", "wong-mesh", "t800", "0.01", "--profile", "x"), "profile must be free, "),
        (("puma600", "wong-mesh", "t900", "0.01"), "t900"),
        (("excavator", "branch-parallel", "t800", "0.01"), "a scheme must have a host"),
    ],
)
def test_bad_input_is_one_line(capsys, words, message):
    status, out, err = ask(capsys, *words)
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert message in err


def test_a_machine_that_takes_no_time_is_refused():
    nothing = dict.fromkeys(PRESETS["ideal"].operations, 0)
    idle = Machine("idle", 1, nothing, LinkCosts("free"))
    with pytest.raises(MeshSimError) as error:
        answer(replace(question("one-saha", "ideal", 0.01), machine=idle), chain(1, 1))
    assert str(error.value) == "a step must take some time on idle, and takes none"


# Without a scheme


@pytest.mark.slow
def test_whoever_keeps_up_is_found(capsys):
    """As `best` does with the step as a deadline; status 1 if nobody does."""
    words = ("realtime", "--robot", "chain:2:1", "--machine", "t800", "--quiet")
    status, out, err = call(capsys, *words, "--step", "10ms")
    assert (status, err) == (0, "")
    assert " for an integration step of order 4 of chain:2:1" in out
    assert "; 10 ms is met, with " in out
    status, out, _ = call(capsys, *words, "--step", "10us", "--order", "1")
    assert status == 1
    assert "; 10 us needs processors and links " in out


def test_what_realtime_is_called_with():
    """The robot and, if it is to be looked at alone, a scheme."""
    assert ms.realtime("chain:2:1", "one-wong", "t800", 0.01).to_dict()["scheme"] == "one-wong"
    for told, message in [
        ({"step": 0.01}, "realtime must have a machine"),
        ({"machine": "t800"}, "realtime must have a step"),
        ({"machine": "t800", "step": 0.01, "profile": "free"}, "profile must be given with a scheme: "),
        ({"machine": "t800", "step": 0.01, "solver": "lu"}, "an option must be given with a scheme: "),
        ({"machine": "t800", "step": 0.01, "feedback": (1.0, 1.0)}, "feedback must be given with a scheme: "),
        ({"machine": "t800", "step": 0.01, "order": 0}, "order must be 1, 2 or 4, not 0"),
        ({"machine": "t800", "step": -1.0}, "a deadline must be a number from 1e-15 to 1e"),
    ]:
        with pytest.raises(MeshSimError, match=f"^{message}"):
            ms.realtime("chain:2:1", **told)


def test_pictures_are_of_a_scheme(capsys, tmp_path):
    words = ("realtime", "--robot", "chain:2:1", "--machine", "t800", "--step", "10ms", "--gantt", tmp_path / "a.png")
    status, out, err = call(capsys, *words)
    assert (status, out) == (2, "")
    assert err == "meshsim: error: --gantt must be given with a scheme: without one, many are timed\n"
