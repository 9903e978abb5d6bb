"""Processors in a row that exchange over distances: any n, both networks, all disciplines."""

from itertools import pairwise

import pytest

from meshsim.algorithms.collectives.far_neighbours import ALONG_PIPELINE, GRAY_CUBE, corner
from meshsim.machine import DISCIPLINES, LinkCosts, Machine
from meshsim.plan import Plan
from meshsim.presets import PRESETS

ROWS = {"hypercube": GRAY_CUBE, "pipeline": ALONG_PIPELINE}
COSTS = dict.fromkeys(("mul", "add", "div", "sqrt", "sincos"), 0)
HOPS = Machine("hops", 1, COSTS, LinkCosts("rendezvous", startup=1))
MACHINES = [Machine(name, 1, COSTS, LinkCosts(name, 3, 2, 1, 1)) for name in DISCIPLINES]


def run(row, n, program, machine=HOPS):
    """program(cpu, p) at every place; what they return, in the order of places."""
    programs = {row.node(p, n): (lambda cpu, p=p: program(cpu, p)) for p in range(n)}
    plan = Plan(row.way.topology(n), programs, lambda found: [found[row.node(p, n)] for p in range(n)])
    return plan.run(machine, trace=False)


def distances(n):
    return [1 << s for s in range((n - 1).bit_length())]


@pytest.mark.parametrize("n", range(1, 70))
def test_a_row_takes_the_first_corners_and_neighbours_are_linked(n):
    corners = [corner(p, n) for p in range(n)]
    assert sorted(corners) == list(range(n))
    assert all((a ^ b).bit_count() == 1 for a, b in pairwise(corners))


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
@pytest.mark.parametrize("machine", MACHINES, ids=lambda each: each.name)
@pytest.mark.parametrize("n", [1, 2, 3, 5, 6, 7, 8, 11, 13, 16, 17])
def test_every_place_hears_from_both_sides(row, machine, n):
    for distance in distances(n):
        for up, down in ((True, True), (True, False), (False, True)):

            def program(cpu, p, distance=distance, up=up, down=down):
                return (yield from row.shift(cpu, p, n, distance, (p, 1.0) if up else None, (p, 2.0) if down else None))

            for p, (before, after) in enumerate(run(row, n, program, machine).value):
                assert before == ((p - distance, 1.0) if up and p >= distance else None)
                assert after == ((p + distance, 2.0) if down and p + distance < n else None)


@pytest.mark.parametrize("n", [2, 3, 8, 13, 16, 29])
def test_two_hops_at_most_on_a_cube_and_the_distance_on_a_pipeline(n):
    for distance in distances(n):
        for row, hops in ((GRAY_CUBE, min(distance, 2)), (ALONG_PIPELINE, distance)):

            def program(cpu, p, row=row, distance=distance):
                yield from row.shift(cpu, p, n, distance, 1.0, 2.0)

            assert run(row, n, program).ticks == hops


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
@pytest.mark.parametrize("n", [1, 2, 3, 6, 8, 13])
def test_prefix_gather_and_scatter_keep_the_order(row, n):
    letters = [(float(p),) for p in range(n)]

    def program(cpu, p):
        node = row.node(p, n)
        whole = yield from row.prefix(cpu, p, n, letters[p], lambda _, a, b: a + b)
        gathered = yield from row.gather(cpu, node, n, letters[p])
        own = yield from row.scatter(cpu, node, n, tuple(letters) if node == 1 else ())
        return whole, gathered if node == 1 else None, own

    for p, (whole, gathered, own) in enumerate(run(row, n, program, PRESETS["t800"]).value):
        assert whole == tuple(float(q) for q in range(p + 1))
        assert gathered in (None, tuple(letters))
        assert own == letters[p]
