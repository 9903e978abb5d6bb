"""Who passes whom, also beyond what was simulated: laws are exact or none."""

import pytest

from meshsim.algorithms.robots.catalogue import chain
from meshsim.algorithms.robots.state import default_state
from meshsim.algorithms.schemes.catalogue import SCHEMES
from meshsim.experiments.figures.few_processors import times_by_pieces
from meshsim.experiments.studies.beyond import ONE, crossing, crossings, law_of, levels, passed, passed_beyond
from meshsim.presets import PRESETS


def test_levels():
    assert [levels(n) for n in (1, 2, 3, 4, 5, 8, 9, 256)] == [0, 1, 2, 2, 3, 3, 4, 8]


def test_a_law_is_exact_or_none():
    line = {n: 7 + 3 * n for n in (4, 8, 16, 20, 32, 64)}
    assert law_of(line, logarithmic=False)(100) == 307
    assert law_of({**line, 32: 104}, logarithmic=False) is None
    assert law_of({**line, 20: 68}, logarithmic=False) is None
    assert law_of({**line, 4: 1}, logarithmic=False)(100) == 307
    assert law_of({n: line[n] for n in (16, 32)}, logarithmic=False) is None
    assert law_of({n: line[n] for n in (4, 8, 16)}, logarithmic=False) is None  # which is small
    stairs = {n: 100 + 40 * levels(n) for n in range(2, 65)}
    assert law_of(stairs, logarithmic=True)(1000) == 500


def test_who_passes_whom():
    line, stairs = {n: 100 * n for n in (2, 4, 8, 16)}, {n: 300 + 100 * levels(n) for n in (2, 4, 8, 16)}
    assert passed(stairs, line) == 8
    assert passed(line, stairs) is None
    assert passed({8: 1, 16: 9}, {8: 2, 16: 8}) is None  # passed once, and passed again


def test_beyond_is_evaluated_and_called_so():
    times = {
        "dca": {n: 1000 + 100 * levels(n) for n in (16, 32, 64)},
        "wong-mesh": {n: 10 * n for n in (16, 32, 64)},
        ONE: {16: 10, 32: 11, 64: 15},
    }
    said = crossing(times, "dca", "wong-mesh")
    assert said == "not up to n = 64, but from n = 181 on (evaluated)"
    law, other = law_of(times["dca"], True), law_of(times["wong-mesh"], False)
    assert law(181) < other(181)
    assert law(180) >= other(180)
    assert passed_beyond(law, other, 64) == 181
    assert crossing(times, "dca", ONE) == "not up to n = 64"  # of which there is no line


@pytest.mark.parametrize("scheme", ["dca", "scan", "cfa"])
def test_what_is_evaluated_is_what_a_simulation_gives(scheme):
    """The law of 16, 32 and 64 joints, held against 128."""
    found = {}
    for n in (16, 32, 64, 128):
        robot = chain(n, 1)
        plan = SCHEMES[scheme].plan(robot, default_state(robot))
        found[n] = plan.run(PRESETS["ideal"], trace=False).ticks
    law = law_of({n: found[n] for n in (16, 32, 64)}, logarithmic=True)
    assert law(128) == found[128]


def row(scheme, n, ticks, alone, options="", machine="ideal"):
    return {
        "scheme": scheme,
        "n": n,
        "machine": machine,
        "ticks": ticks,
        "time_us": ticks / 2,
        "baseline_ticks": alone,
        "options": options,
    }


def test_lines_of_a_comparison():
    rows = [row("wong-mesh", n, 90 * n, 100 * n) for n in (4, 8)] + [row("scan", n, 500, 100 * n) for n in (4, 8)]
    lines = crossings(rows)
    assert lines[0] == "the O(log n) family passes, the whole step:"
    said = " ".join(lines[1].split())
    assert said == "scan on ideal wong-mesh from n = 8 on (not at 4); one processor from n = 8 on (not at 4)"
    assert crossings(rows[:2]) == []


def test_times_by_pieces():
    rows = [row("hybrid", 8, 2 * pieces, 1, f"pieces={pieces}") for pieces in (4, 1, 2)]
    rows += [row("hybrid", 4, 2, 1, "pieces=1"), row("hybrid", 8, 9, 1, "pieces=auto"), row("dca", 8, 9, 1)]
    assert times_by_pieces(rows, "ideal") == {8: {1: 1.0, 2: 2.0, 4: 4.0}}
    assert times_by_pieces(rows, "t800") == {}
