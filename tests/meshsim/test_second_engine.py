"""Programs meet an engine through the seam alone: one of threads and queues gives the bits of SimPy's."""

import threading

import pytest
from tools.bits import bits
from tools.engine import do, plan, recv, send
from tools.every_plan import every_plan
from tools.threads_engine import Threads

from meshsim.errors import MeshSimError
from meshsim.simulation import NOWHERE, Simulation

EVERY = dict(every_plan())


def test_labels_tell_plans_apart():
    assert len(EVERY) == len(list(every_plan()))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("make", EVERY.values(), ids=EVERY)
def test_threads_give_the_same_bits(make):
    made = make(float)
    simulated, threaded = (engine.run(made.topology, made.programs) for engine in (Simulation(NOWHERE), Threads()))
    assert bits(simulated) == bits(threaded)
    assert bits(made.read(simulated)) == bits(made.read(threaded))


def fails(programs, why):
    """Check that threads end with an error, and that none is left behind."""
    before = threading.active_count()
    with pytest.raises(MeshSimError, match=f"^the program of A waits for ever, or has failed: {why}$"):
        plan(programs).answer(Threads(seconds=0.2))
    assert threading.active_count() == before


def test_a_deadlock_of_threads_ends():
    fails({"A": [recv("B")], "B": [do(1)], "C": [do(1)]}, r"Empty\(\)")


def test_a_failure_in_a_thread_is_told():
    def failing(cpu):
        yield cpu.recv("B")
        raise ValueError("no good")

    fails({"A": failing, "B": [send("A"), recv("A")]}, r"ValueError\('no good'\)")
