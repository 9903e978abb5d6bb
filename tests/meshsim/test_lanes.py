"""The compiled loop: slots, rows, types, and who has it."""

import numpy as np
import pytest

from meshsim import lanes
from meshsim.lanes import evaluate, in_order, walk_of

pytest.importorskip("numba", reason="numba is not installed: nothing is compiled (pip install meshsim[fast])")


def random_dependences(seed, count):
    """Each time comes after up to four earlier ones; some after none."""
    draw = np.random.default_rng(seed)
    pairs = [
        (int(source), target) for target in range(1, count) for source in draw.integers(0, target, draw.integers(0, 5))
    ]
    source, target = (np.array(each, dtype=np.int64) for each in zip(*pairs, strict=True))
    return source, target, draw.integers(0, 7, len(source)), draw


def plainly(source, target, cost, costs, count):
    """The same, one time after the other."""
    times = np.zeros((count, costs.shape[1]), dtype=np.int64)
    for each in np.argsort(target, kind="stable"):
        times[target[each]] = np.maximum(times[target[each]], times[source[each]] + costs[cost[each]])
    return times


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("machines", [1, lanes.LANES, 3 * lanes.LANES + 5])
def test_every_row_is_the_largest_of_its_times(seed, machines):
    source, target, cost, draw = random_dependences(seed, 200)
    costs = draw.integers(0, 1000, (7, machines))
    rows = np.where(draw.random(200) < 0.2, draw.integers(0, 6, 200), -1)
    rows[0] = -1
    order, level = in_order(source, target, 200)
    walk = walk_of(source, target, cost, order, level, rows)
    times = plainly(source, target, cost, costs, 200)
    wanted = [times[rows == row].max(axis=0, initial=0) for row in range(rows.max() + 1)]
    assert evaluate(walk, costs).tolist() == np.array(wanted).tolist()
    assert walk.slots < 200
    assert walk.depth == plainly(source, target, 0 * cost, np.ones((1, 1), dtype=np.int64), 200).max()


def test_a_chain_takes_few_slots():
    count = 1000
    source, target = np.arange(count - 1), np.arange(1, count)
    rows = np.full(count, -1)
    rows[-1] = 0
    order, level = in_order(source, target, count)
    walk = walk_of(source, target, np.zeros(count - 1, dtype=np.int64), order, level, rows)
    assert walk.slots <= 3
    assert evaluate(walk, np.array([[2, 5]], dtype=np.int32)).tolist() == [[1998, 4995]]


def test_times_that_wait_for_one_another_are_in_no_order():
    """0 -> 1 -> 2 -> 3 -> 2 -> 4: all from 2 on wait for ever."""
    source, target = np.array([0, 1, 2, 3, 2]), np.array([1, 2, 3, 2, 4])
    order, level = in_order(source, target, 5)
    assert order.tolist() == [0, 1]
    assert level.tolist() == [0, 1, -1, -1, -1]


def test_a_process_compiles_when_it_has_enough_to_do(monkeypatch):
    monkeypatch.setattr(lanes, "WORTH", 100)
    monkeypatch.setattr(lanes, "_seen", 0)
    assert [lanes.pays(sums) for sums in (60, 30, 10, 1)] == [False, False, True, True]


def test_without_numba_nothing_is_compiled(monkeypatch):
    monkeypatch.setattr(lanes, "find_spec", lambda _: None)
    lanes.available.cache_clear()
    assert not lanes.pays(2**62)
    lanes.available.cache_clear()


def test_where_nothing_can_be_kept_it_is_compiled_all_the_same(monkeypatch):
    import numba

    njit = numba.njit

    def refusing(cache=False, **settings):
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        return njit(**settings)

    monkeypatch.setattr(numba, "njit", refusing)
    lanes._loops.cache_clear()
    test_a_chain_takes_few_slots()
    lanes._loops.cache_clear()


def test_what_was_compiled_is_found_again():
    """Numba keys it by what a function has closed over, and another compiled one is never the same in two processes."""
    assert [loop.py_func.__closure__ for loop in lanes._loops()] == [None] * 4
