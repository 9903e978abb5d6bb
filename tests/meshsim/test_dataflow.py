"""The dataflow of a plan: who needs what, checked on programs that can be read."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from tools.engine import plan
from tools.orders import drawn_events, mixing, plan_of

from meshsim.dataflow import Place, dataflow
from meshsim.program import ProgramError

ONE = mixing(1)


def test_calls_and_messages_need_what_they_use():
    def left(cpu):
        x = cpu.do(ONE, 2.0)
        y = cpu.do(ONE, 3.0)
        yield cpu.send("R", (-y, 7.0))
        return cpu.do(ONE, x, abs(y)), 5.0

    def right(cpu):
        y, seven = yield cpu.recv("L")
        cpu.phase("received")
        return [cpu.do(ONE, seven), {"y": y}]

    flow = dataflow(plan({"L": left, "R": right}))
    x, y, message, z, w = flow.jobs
    assert [job.needs for job in flow.jobs] == [(), (), (1,), (0, 1), (2,)]
    assert [(job.start, job.home) for job in flow.jobs] == [(0, 0), (0, 0), (0, 1), (0, 0), (1, 1)]
    assert (x.takes, y.takes) == ((2.0,), (3.0,))
    assert (message.kernel, message.words, flow.ways[message.channel][:4]) == (None, 2, (0, "R", 1, "L"))
    assert message.takes[0][0].find({1: 4.0}) == -4.0
    assert z.takes[1].find({1: -4.0}) == 4.0
    assert w.takes == (Place(2, (1,)),)
    assert flow.written == ((0, 1, 2, 3), (2, 4))
    assert flow.marks == ((), (("received", 1),))
    assert flow.results == {"L": (Place(3), 5.0), "R": [Place(4), {"y": Place(2, (0,))}]}
    assert flow.users == [[3], [2, 3], [4], [], []]


def test_a_comparison_is_no_job():
    def alone(cpu):
        x = cpu.do(ONE, 2.0)
        yield cpu.par()
        return cpu.do(ONE, x) if x > 0.0 and x else None

    assert [job.needs for job in dataflow(plan({"A": alone})).jobs] == [(), (0,)]


@settings(max_examples=50, deadline=None)
@given(drawn_events())
def test_every_event_is_a_job(events):
    flow = dataflow(plan_of(events))
    assert len(flow.jobs) == len(events)
    assert all(each < number for number, job in enumerate(flow.jobs) for each in job.needs)
    for rank, done in enumerate(flow.written):
        assert sorted(done) == [number for number, job in enumerate(flow.jobs) if rank in (job.start, job.home)]


def refused(program, match, other=None):
    with pytest.raises(ProgramError, match=match):
        dataflow(plan({"A": program, "B": other or program}))


def test_what_cannot_be_followed_is_refused():
    def computes(cpu):
        yield cpu.par()
        return cpu.do(ONE, 1.0) + 1.0

    def sends_an_array(cpu):
        yield cpu.send("B", np.ones(3))

    refused(computes, r"not by \+ on a number$")
    refused(sends_an_array, "^A has an array, which cannot be followed: only numbers and tuples can$")


def test_a_number_that_no_message_brought_is_refused():
    shared = []

    def leaks(cpu):
        shared.append(cpu.do(ONE, 1.0))
        yield cpu.par()

    def uses(cpu):
        yield cpu.par()
        return cpu.do(ONE, shared[0])

    refused(leaks, re.escape("B uses a number of another processor that no message brought"), uses)
