"""A watched run: what was computed and sent, and by which line."""

import networkx as nx
import numpy as np
import pytest
from tools.engine import machine

import meshsim as ms
from meshsim.algorithms.kernels.core import axpy, pass_on
from meshsim.algorithms.solvers.catalogue import SOLVERS, dense_solution
from meshsim.errors import MeshSimError
from meshsim.formats import load_format
from meshsim.network import Network
from meshsim.topologies.mesh import square_mesh
from meshsim.watching import program_line

A = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 2.0]])
b = np.array([1.0, 2.0, 3.0])
SLOW = machine("rendezvous", startup=3, per_word=2)


def left(cpu):
    """Sends what it computes, Wong eq. 1.2."""
    x = cpu.do(axpy, 2.0, 3.0, 1.0)  # Wong eq. 4.30
    yield cpu.par(*(cpu.send("east", value) for value in (x,)))


def right(cpu):
    """Receives it. Then it ends."""
    x = yield cpu.recv("west")
    return cpu.do(pass_on, x)


def pair(form=None):
    graph = nx.MultiGraph()
    graph.add_edge("a", "b", ports={"a": "east", "b": "west"})
    return ms.Plan(graph, {"a": left, "b": right}, read=lambda results: results["b"]).in_format(form)


@pytest.mark.parametrize("form", [None, "single"])
def test_values_and_the_lines_that_computed_and_sent_them(form):
    run = pair(form and load_format(form)).run(SLOW, values=True)
    values = run.trace.values
    assert values.computed == [7.0, 7.0]
    assert values.sent == [7.0]
    lines = [program_line(*place) for place in values.places]
    told = [[lines[at].function for at in each] for each in (values.computed_at, values.sent_at, values.received_at)]
    assert told == [["left", "right"], ["left"], ["right"]]
    line = lines[values.computed_at[0]]
    assert line.text == "x = cpu.do(axpy, 2.0, 3.0, 1.0)"
    assert line.source == "Wong eq. 4.30"
    assert line.file == "meshsim/test_watching.py"
    assert lines[values.sent_at[0]].source == "Wong eq. 1.2"
    assert lines[values.received_at[0]].purpose == "Receives it"


@pytest.mark.parametrize("network", [None, "square-mesh"])
def test_times_and_values_are_those_of_a_run_that_is_not_watched(network):
    plan = SOLVERS["feedforward-lu"].plan(A, b)
    if network:
        plan = plan.placed(Network(square_mesh(2, 2)), "round-robin")
    plain, watched = plan.run(SLOW), plan.run(SLOW, values=True)
    assert list(plain.trace.rows()) == list(watched.trace.rows())
    values, columns = watched.trace.values, watched.trace.columns
    assert len(values.computed) == sum(sum(cpu.calls.values()) for cpu in watched.cpus)
    assert len(values.sent) == len(columns.messages.words) == watched.messages
    last = next(cpu for cpu in watched.cpus if cpu.node == (3, 4))
    owner = columns.parts.program[columns.parts.kernel >= 0]
    mine = [v for v, program in zip(values.computed, owner, strict=True) if columns.programs[program] is last]
    np.testing.assert_allclose(mine[-3:], dense_solution(A, b), rtol=1e-12)


def test_a_run_without_values_says_how_to_keep_them():
    with pytest.raises(MeshSimError, match="must keep values to show them"):
        _ = pair().run(SLOW).trace.values
