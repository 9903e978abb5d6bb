"""Recursive doubling alone: any n, any associative operation, three networks, three disciplines."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from meshsim.algorithms.collectives.recursive_doubling import CUBE, HYPERCUBE, PIPELINE
from meshsim.counted import Kernel
from meshsim.machine import LinkCosts, Machine
from meshsim.plan import Plan
from meshsim.presets import PRESETS

WAYS = [CUBE, HYPERCUBE, PIPELINE]
COSTS = dict.fromkeys(("mul", "add", "div", "sqrt", "sincos"), 0)
COUNT = Machine("products", 1, {**COSTS, "mul": 1}, LinkCosts("free"))
HOPS = Machine("hops", 1, COSTS, LinkCosts("rendezvous", startup=1))
PRODUCT = Kernel(lambda a, b: tuple(map(tuple, (np.array(a) @ np.array(b)).tolist())), {"mul": 1})


def product(cpu, a, b):
    return cpu.do(PRODUCT, a, b)


def join(_, a, b):
    return a + b


def affine(_, a, b):
    """x -> b1 (a1 x + a0) + b0: first a, then b; the recurrences of the kinematics have this form."""
    return (a[0] * b[0], b[0] * a[1] + b[1])


def run(way, n, method, values, *args, machine=PRESETS["ideal"]):
    def program(cpu, i):
        return (yield from getattr(way, method)(cpu, i, n, values[i - 1], *args))

    programs = {i: (lambda cpu, i=i: program(cpu, i)) for i in range(1, n + 1)}
    return Plan(way.topology(n), programs, lambda results: [results[i] for i in range(1, n + 1)]).run(machine)


def letters(n):
    return [(float(i),) for i in range(1, n + 1)]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.name)
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 7, 8, 17])
@pytest.mark.parametrize("machine", ["ideal", "t800", "t800-overlap"])
def test_every_processor_gets_its_prefix_and_suffix_in_order(way, n, machine):
    machine = PRESETS[machine]
    whole = tuple(float(i) for i in range(1, n + 1))
    assert run(way, n, "prefix", letters(n), join, machine=machine).value == [whole[:i] for i in range(1, n + 1)]
    assert run(way, n, "suffix", letters(n), join, machine=machine).value == [whole[i - 1 :] for i in range(1, n + 1)]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.name)
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 7, 8, 17])
@pytest.mark.parametrize("machine", ["ideal", "t800", "t800-overlap"])
def test_all_gather_gather_and_scatter(way, n, machine):
    machine = PRESETS[machine]
    whole = tuple(letters(n))
    assert run(way, n, "all_gather", letters(n), machine=machine).value == [whole] * n
    assert run(way, n, "gather", letters(n), machine=machine).value[0] == whole
    scattered = run(way, n, "scatter", [whole] + [None] * (n - 1), machine=machine)
    assert scattered.value == list(whole)


@settings(max_examples=20, deadline=None)
@given(n=st.integers(1, 12), seed=st.integers(0, 1000), way=st.sampled_from(WAYS))
def test_matrix_products_and_affine_recurrences(n, seed, way):
    random = np.random.default_rng(seed)
    matrices = [tuple(map(tuple, random.normal(size=(3, 3)).tolist())) for _ in range(n)]
    forward = run(way, n, "prefix", matrices, product).value
    backward = run(way, n, "suffix", matrices, product).value
    for i in range(n):
        assert np.array(forward[i]) == pytest.approx(
            np.linalg.multi_dot([np.eye(3), *map(np.array, matrices[: i + 1])])
        )
        assert np.array(backward[i]) == pytest.approx(np.linalg.multi_dot([np.eye(3), *map(np.array, matrices[i:])]))
    lines = [tuple(random.uniform(-1, 1, size=2).tolist()) for _ in range(n)]
    x = 0.7
    for line, (slope, offset) in zip(lines, run(way, n, "prefix", lines, affine).value, strict=True):
        x = line[0] * x + line[1]
        assert slope * 0.7 + offset == pytest.approx(x, abs=1e-12)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.name)
@pytest.mark.parametrize("method", ["prefix", "suffix"])
@pytest.mark.parametrize("n", [2, 3, 4, 5, 8, 13, 16, 17])
def test_products_on_the_critical_path(way, method, n):
    stages = (n - 1).bit_length()
    identity = [((1.0, 0.0), (0.0, 1.0))] * n
    products = run(way, n, method, identity, product, machine=COUNT).ticks
    if n == 2**stages or way is not HYPERCUBE:
        assert products == stages
    else:  # corners without a partner may have to form the whole as well
        assert stages <= products <= 2 * stages


@pytest.mark.parametrize("stages", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("method", ["prefix", "suffix"])
def test_hops_for_powers_of_two(stages, method):
    n = 2**stages
    identity = [((1.0, 0.0), (0.0, 1.0))] * n
    assert run(CUBE, n, method, identity, product, machine=HOPS).ticks == stages
    assert run(HYPERCUBE, n, method, identity, product, machine=HOPS).ticks == max(1, 2 * stages - 2)
    assert run(PIPELINE, n, method, identity, product, machine=HOPS).ticks == n - 1


def test_an_incomplete_hypercube_needs_few_hops_more():
    for n in range(2, 34):
        stages = (n - 1).bit_length()
        hops = run(HYPERCUBE, n, "suffix", letters(n), join, machine=HOPS).ticks
        assert stages <= hops <= stages * (stages + 2)
