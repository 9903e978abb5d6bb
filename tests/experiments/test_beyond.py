"""Who passes whom, also beyond what was simulated: laws are exact or none."""

from fractions import Fraction
from random import Random

import pytest

from meshsim.algorithms.robots.catalogue import chain
from meshsim.algorithms.robots.state import default_state
from meshsim.algorithms.schemes.catalogue import SCHEMES
from meshsim.experiments.figures.few_processors import times_by_pieces
from meshsim.experiments.studies.beyond import Law, crossing, crossings, law_of, levels, passed, passed_by_law
from meshsim.presets import PRESETS


def test_levels():
    assert [levels(n) for n in (1, 2, 3, 4, 5, 8, 9, 256)] == [0, 1, 2, 2, 3, 3, 4, 8]


@pytest.mark.parametrize("law", [Law(7, 3, 0), Law(100, 0, 40), Law(-5, Fraction(59, 2), 84)])
def test_a_law_is_exact_or_none(law):
    times = {n: law(n) for n in (4, 8, 16, 20, 32, 64, 128)}
    assert law_of(times) == law
    assert law_of({**times, 4: 1}) == law  # which is small
    for n in (16, 32, 64, 128):
        assert law_of({**times, n: times[n] + 1}) is None
    assert law_of({n: time for n, time in times.items() if n < 128}) is None
    assert law_of({n: time for n, time in times.items() if n != 32}) is None


def test_who_passes_whom():
    line, stairs = {n: 100 * n for n in (2, 4, 8, 16)}, {n: 300 + 100 * levels(n) for n in (2, 4, 8, 16)}
    assert passed(stairs, line) == 8
    assert passed(line, stairs) is None
    assert passed({8: 1, 16: 9}, {8: 2, 16: 8}) is None  # passed once, and passed again
    assert crossing(stairs, line) == "n >= 8"
    assert crossing(line, stairs) == "not to 16"
    assert crossing(line, {n: 2 * time for n, time in line.items()}) == "always"
    assert crossing({2: 1}, {4: 1}) == "-"


def test_beyond_is_evaluated_and_called_so():
    sizes = (16, 32, 64, 128)
    slow, line = {n: 1000 + 100 * levels(n) for n in sizes}, {n: 10 * n for n in sizes}
    assert crossing(slow, line) == "n >= 181*"
    law, other = law_of(slow), law_of(line)
    assert law(181) < other(181)
    assert law(180) >= other(180)
    assert passed_by_law(law, other, 128) == 181
    assert crossing(line, {n: 9 * n for n in sizes}) == "not to 16384*"
    assert crossing(slow, {n: 20 * n for n in sizes}) == "n >= 86*"  # between 64 and 128
    assert law(86) < 20 * 86
    assert law(85) >= 20 * 85
    assert crossing(slow, {**line, 16: 161}) == "not to 128"  # of which there is no law


def test_crossings_of_laws_are_those_of_a_search():
    draw = Random(3)
    for _ in range(300):
        law, other = (Law(*(Fraction(draw.randint(-40, 40), draw.randint(1, 3)) for _ in range(3))) for _ in range(2))
        after, last = draw.randint(0, 20), draw.randint(10, 150)
        found = None
        for n in range(last, after, -1):
            if law(n) >= other(n):
                break
            found = n
        assert passed_by_law(law, other, after, last) == found, (law, other, after, last)


@pytest.mark.parametrize(
    "scheme", ["dca", *(pytest.param(name, marks=pytest.mark.slow) for name in ("scan", "cfa")), "one-featherstone"]
)
def test_what_is_evaluated_is_what_a_simulation_gives(scheme):
    """Four powers of two, held against a number between and one beyond."""
    found = {}
    for n in (16, 32, 63, 64, 128, 256):
        robot = chain(n, 1)
        found[n] = SCHEMES[scheme].plan(robot, default_state(robot)).run(PRESETS["ideal"], trace=False).ticks
    between, beyond = found.pop(63), found.pop(256)
    law = law_of(found)
    assert (law(63), law(256)) == (between, beyond)
    assert (law.joint == 0, law.level == 0) == ((False, True) if scheme == "one-featherstone" else (True, False))


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
    told, *table = crossings([*rows, row("one-wong", 4, 1, 400)])
    assert told == "from which n on the O(log n) family is quicker, the whole step:"
    assert [line.split() for line in table] == [
        ["on", "ideal", "scan"],
        ["wong-mesh", "n", ">=", "8"],
        ["one", "processor", "n", ">=", "8"],
    ]
    assert crossings(rows[:2]) == []


def test_times_by_pieces():
    rows = [row("hybrid", 8, 2 * pieces, 1, f"pieces={pieces}") for pieces in (4, 1, 2)]
    rows += [row("hybrid", 4, 2, 1, "pieces=1"), row("hybrid", 8, 9, 1, "pieces=auto"), row("dca", 8, 9, 1)]
    assert times_by_pieces(rows, "ideal") == {8: {1: 1.0, 2: 2.0, 4: 4.0}}
    assert times_by_pieces(rows, "t800") == {}
