"""Programs in parts: whether the parts are what they must be, and as good as can be told by hand."""

from itertools import product

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from meshsim.partition import by_growth, by_metis, cost, refined, relieved
from meshsim.partition import symmetric as both_ways


def symmetric(count, pairs):
    rows, columns = zip(*pairs, strict=True) if pairs else ((), ())
    data = np.array(list(pairs.values()), dtype=np.int64)
    return both_ways(csr_array((data, (rows, columns)), shape=(count, count)))


def growth(loads, words, parts, tolerance):
    return by_growth(loads, words, parts, tolerance)


def metis(loads, words, parts, tolerance):
    pytest.importorskip("pymetis")
    return by_metis(loads, words, parts, tolerance, seed=1)


WAYS = pytest.mark.parametrize("way", [growth, metis])


def cliques(count, size):
    """So many groups in a ring: much is said inside each, one word from each to the next."""
    pairs = {}
    for group in range(count):
        nodes = range(group * size, (group + 1) * size)
        pairs |= {(one, other): 10 for one, other in product(nodes, nodes) if one < other}
        pairs[nodes[0], (nodes[0] + size) % (count * size)] = 1
    return symmetric(count * size, pairs)


def apart(parts):
    return 1 - np.eye(parts, dtype=np.int64)


@WAYS
def test_groups_that_talk_among_themselves_are_found(way):
    parts = way(np.full(24, 5), cliques(4, 6), 4, 0.05)
    assert [len(set(parts[k : k + 6].tolist())) for k in range(0, 24, 6)] == [1, 1, 1, 1]
    assert sorted(np.bincount(parts)) == [6, 6, 6, 6]


@WAYS
def test_one_part_has_all(way):
    assert way(np.full(12, 5), cliques(2, 6), 1, 0.05).tolist() == [0] * 12


@WAYS
def test_work_is_shared_where_nothing_is_said(way):
    loads = np.full(12, 7)
    parts = way(loads, symmetric(12, {}), 3, 0.05)
    assert np.bincount(parts, minlength=3).tolist() == [4, 4, 4]


@WAYS
def test_programs_that_do_nothing_are_placed_too(way):
    assert len(way(np.zeros(8, dtype=np.int64), cliques(2, 4), 2, 0.1)) == 8


@WAYS
def test_weights_may_be_as_large_as_a_machine_likes(way):
    words = cliques(2, 4)
    parts = way(np.full(8, 10**14), symmetric(8, {(0, 1): 10**13, (6, 7): 10**13, (1, 6): 1}) + words, 2, 0.1)
    assert len(set(parts[:4].tolist())) == len(set(parts[4:].tolist())) == 1


def test_a_symmetric_array_adds_up_both_directions():
    found = symmetric(3, {(0, 1): 2, (1, 0): 3, (2, 2): 9, (1, 2): 0})
    assert found.toarray().tolist() == [[0, 5, 0], [5, 0, 0], [0, 0, 0]]


def test_cost_is_words_times_distances_both_ways():
    words = symmetric(3, {(0, 1): 5, (1, 2): 7})
    distances = np.array([[0, 1, 2], [1, 0, 1], [2, 1, 0]])
    assert cost(np.array([0, 2, 2]), words, distances) == 2 * 5 * 2


def test_refinement_goes_through_a_loss_to_a_gain():
    # 0 and 1 belong together, and so do 2 and 3; neither part may have more than two, or three for the moment
    words = symmetric(4, {(0, 1): 9, (2, 3): 9})
    found = refined(np.array([0, 1, 0, 1]), np.ones(4, dtype=np.int64), words, apart(2), np.array([3, 3]))
    assert cost(found, words, apart(2)) == 0
    assert found[0] != found[2]


@st.composite
def tasks(draw):
    count = draw(st.integers(2, 10))
    loads = np.array(draw(st.lists(st.integers(0, 9), min_size=count, max_size=count)))
    pairs = draw(st.dictionaries(st.tuples(*[st.integers(0, count - 1)] * 2), st.integers(1, 9), max_size=20))
    return loads, symmetric(count, pairs), draw(st.integers(1, count))


@given(tasks(), st.sampled_from([0.0, 0.3, 2.0]))
def test_refinement_never_costs_more_and_keeps_the_limit(task, tolerance):
    loads, words, parts = task
    path = nx.path_graph(parts)
    distances = np.array([[abs(one - other) for other in path] for one in path])
    start = np.arange(len(loads)) % parts
    most = np.full(parts, int(np.ceil((1 + tolerance) * loads.sum() / parts)))
    found = refined(start, loads, words, distances, most)
    assert cost(found, words, distances) <= cost(start, words, distances)
    before, after = (np.bincount(where, weights=loads, minlength=parts) for where in (start, found))
    assert (after <= np.maximum(before, most)).all()


@given(tasks())
def test_growth_gives_every_program_a_part(task):
    loads, words, parts = task
    found = by_growth(loads, words, parts, 0.1)
    assert len(found) == len(loads)
    assert 0 <= found.min() <= found.max() < parts


@given(tasks(), st.sampled_from([0.0, 0.3]))
def test_relief_lowers_the_most_work_and_ends(task, tolerance):
    loads, words, parts = task
    start = np.zeros(len(loads), dtype=np.int64)
    most = np.full(parts, int(np.ceil((1 + tolerance) * loads.sum() / parts)))
    work = np.bincount(relieved(start, loads, words, apart(parts), most), weights=loads, minlength=parts)
    # no program can leave the busiest place for the idlest: the gap is at most the smallest that it has
    assert work.max() <= most[0] or work.max() - work.min() <= loads.max()


def test_relief_moves_what_costs_least_first():
    words = symmetric(4, {(0, 1): 9, (1, 2): 9, (2, 3): 1})
    found = relieved(np.zeros(4, dtype=np.int64), np.ones(4, dtype=np.int64), words, apart(2), np.array([3, 3]))
    assert found.tolist() == [0, 0, 0, 1]


def test_relief_uses_no_place_that_is_closed():
    found = relieved(
        np.zeros(4, dtype=np.int64), np.ones(4, dtype=np.int64), symmetric(4, {}), apart(3), np.array([2, 0, 2])
    )
    assert np.bincount(found).tolist() == [2, 0, 2]
