"""A trace as arrays against one that divides span by span, and what holds of the parts of every run."""

from collections import Counter

import numpy as np
from hypothesis import given, settings
from tools.engine import network, plan
from tools.placed_cases import placed_case
from tools.placed_engine import placed_run
from tools.plain_trace import PlainTrace
from tools.strategies import cases, machines

from meshsim.columns import KINDS
from meshsim.deadlock import DeadlockError

any_machine = machines() | machines(["overlap", "posted", "rendezvous"], duplex="half")


def agree(run):
    """Rows and parts are those of the plain trace, and a processor's parts have no gaps."""
    plain = PlainTrace(run.trace)
    assert list(run.trace.rows()) == list(plain.rows())
    parts = run.trace.columns.parts
    assert [part for core in run.cores for span in range(len(core.spans)) for part in plain.parts(core, span)] == [
        (KINDS[kind], start, end)
        for kind, start, end in zip(parts.kind.tolist(), parts.start.tolist(), parts.end.tolist(), strict=True)
        if start < end
    ]
    for number, core in enumerate(run.cores):
        mine = parts.processor == number
        bounds = [0, *parts.end[mine].tolist()]
        assert parts.start[mine].tolist() == bounds[:-1]
        assert bounds[-1] == core.clock
    calls = Counter(dict.fromkeys(run.trace.columns.kernels, 0))
    for cpu in run.cpus:
        calls.update(cpu.calls)
    kernels = run.trace.columns.kernels
    counted = np.bincount(parts.kernel[parts.kernel >= 0], minlength=len(kernels)).tolist()
    assert dict(zip(kernels, counted, strict=True)) == calls


@settings(deadline=None, max_examples=150)
@given(cases(shuffled=False), any_machine)
def test_columns_agree_with_a_trace_that_divides_span_by_span(case, machine):
    agree(plan(case.programs, network(case.programs, case.links)).run(machine))


UNLIKE = 1111, 1235
"""Cases with receives that take turns in one `par`, through channels that cost differently."""


def test_columns_agree_where_programs_share_processors():
    ended = 0
    for seed in (*range(120), *UNLIKE):
        try:
            run = placed_run(placed_case(seed))
        except DeadlockError:
            continue
        ended += 1
        agree(run)
    assert ended > 60
