"""Small programs whose dataflow is plain to see, drawn or written by hand, and all orders that they could have.

An event is ("call", node, ticks, numbers) or ("send", node, node, numbers); numbers are places among those that the
node has: its first is a constant, each call makes one, and each message brings what it holds.
"""

from functools import cache
from itertools import permutations

from hypothesis import strategies as st
from tools.engine import network

from meshsim.counted import Kernel
from meshsim.ordering import kept_to
from meshsim.plan import Plan
from meshsim.scheduling import Schedule


@cache
def mixing(ticks):
    """A kernel of any number of arguments that takes so many ticks where an addition takes one."""

    def mix(*values):
        total = 0.75
        for value in values:
            total = total * 0.5 + value
        return total

    return Kernel(mix, {"add": ticks})


def plan_of(events, nodes="ABC"):
    """Every processor takes its part in the events, in their order; it returns all its numbers."""

    def program(cpu):
        node = cpu.node
        held = [1.0 + nodes.index(node)]
        for number, (kind, first, second, chosen) in enumerate(events):
            if kind == "call" and first == node:
                held.append(cpu.do(mixing(second), *(held[place] for place in chosen)))
            elif kind == "send" and first == node:
                yield cpu.send(second, tuple(held[place] for place in chosen))
            elif kind == "send" and second == node:
                held.extend((yield cpu.recv(first)))
            cpu.phase(f"event {number}")
        return held

    return Plan(network(nodes), dict.fromkeys(nodes, program), dict)


@st.composite
def drawn_events(draw, nodes="ABC", most=6):
    """Events that can happen in their order."""
    held = dict.fromkeys(nodes, 1)
    events = []
    for _ in range(draw(st.integers(1, most))):
        first, second = draw(st.sampled_from([*permutations(nodes, 2)]))
        chosen = draw(st.lists(st.integers(0, held[first] - 1), max_size=2))
        if draw(st.booleans()):
            events.append(("call", first, draw(st.integers(0, 9)), chosen))
            held[first] += 1
        else:
            events.append(("send", first, second, chosen))
            held[second] += len(chosen)
    return events


def every_order(flow):
    """Plans for all orders of the jobs, each with and without communications that follow one another made one."""
    for order in _extensions(flow, [], {*range(len(flow.jobs))}):
        steps = [[[job] for job in order if rank in flow.jobs[job][1:3]] for rank in range(len(flow.nodes))]
        yield kept_to(flow, Schedule(steps, 0))
        yield kept_to(flow, Schedule([_joined(flow, rank, each) for rank, each in enumerate(steps)], 0))


def _extensions(flow, order, left):
    if not left:
        yield order
    for job in sorted(left):
        if left.isdisjoint(flow.jobs[job].needs):
            yield from _extensions(flow, [*order, job], left - {job})


def _joined(flow, rank, steps):
    """As many in one par as can be: through other channels, and nothing is sent that it brings."""
    joined = []
    for (job,) in steps:
        last = joined[-1] if joined else []
        talk = [flow.jobs[each] for each in [*last, job]]
        brought = {each for each in last if flow.jobs[each].home == rank}
        if (
            last
            and all(each.kernel is None for each in talk)
            and len({each.channel for each in talk}) == len(talk)
            and (talk[-1].start != rank or brought.isdisjoint(talk[-1].needs))
        ):
            last.append(job)
        else:
            joined.append([job])
    return joined
