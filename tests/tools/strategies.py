"""Small random networks, programs and machines for hypothesis to draw."""

from dataclasses import dataclass

from hypothesis import strategies as st
from tools.engine import machine

from meshsim.machine import DISCIPLINES


@dataclass(frozen=True)
class Case:
    """Links as (node, port, node, port), and a list of steps for every node, in node order."""

    links: list
    programs: dict


@st.composite
def cases(draw, matched=True, shuffled=True, min_words=0, max_nodes=6, max_links=7):
    """Programs that communicate over a random network.

    matched : every message has a sender and a receiver. In the order drawn that never deadlocks.
    shuffled : each program's steps are then put a little out of order; that may deadlock.
    """
    nodes = [f"p{i}" for i in range(draw(st.integers(2, max_nodes)))]
    links = [
        (u, f"{i}{u}", v, f"{i}{v}")
        for i, (u, v) in enumerate(draw(st.lists(_two_of(nodes), min_size=1, max_size=max_links)))
    ]
    ways = [way for link in links for way in (link, link[2:] + link[:2])]
    words = st.integers(min_words, 3)
    counts = st.fixed_dictionaries({"mul": st.integers(0, 3), "add": st.integers(0, 3)})
    verbs = st.just(("send", "recv")) if matched else st.sampled_from([("send", "recv"), ("send",), ("recv",)])
    message = st.tuples(st.sampled_from(ways), words, verbs)
    compute = st.tuples(st.sampled_from(nodes), counts)
    programs = {node: [] for node in nodes}
    size = draw(st.integers(0, 20))  # a list drawn at will is mostly short
    for event in draw(st.lists(st.one_of(message, message, compute), min_size=size, max_size=size)):
        _append(programs, event)
    for node, steps in programs.items():
        if shuffled and len(steps) > 1:
            _swap(steps, draw(st.lists(st.integers(0, len(steps) - 2), max_size=4)))
        programs[node] = _joined(steps, draw(st.sets(st.integers(0, len(steps)), max_size=6)))
    return Case(links, programs)


def _two_of(nodes):
    return st.lists(st.sampled_from(nodes), min_size=2, max_size=2, unique=True)


def _append(programs, event):
    if len(event) == 2:
        node, counts = event
        programs[node].append(("compute", counts))
        return
    (sender, out_port, receiver, in_port), words, verbs = event
    if "send" in verbs:
        programs[sender].append(("send", out_port, words))
    if "recv" in verbs:
        programs[receiver].append(("recv", in_port))


def _swap(steps, places):
    for i in places:
        steps[i], steps[i + 1] = steps[i + 1], steps[i]


def _joined(steps, joints):
    """Make one par of steps that follow one another, where a joint is, as long as no port is used twice."""
    joined = []
    for i, step in enumerate(steps):
        par = joined[-1][1] if joined and joined[-1][0] == "par" else None
        if step[0] == "compute":
            joined.append(step)
        elif par is not None and i in joints and step[:2] not in [part[:2] for part in par]:
            par.append(step)
        else:
            joined.append(("par", [step]))
    return [step[1][0] if step[0] == "par" and len(step[1]) == 1 else step for step in joined]


@st.composite
def machines(draw, disciplines=DISCIPLINES, duplex="full"):
    """Machines whose costs are 0 to 20 ticks, often small or nought so that ties are common."""
    cost = st.one_of(st.integers(0, 3), st.integers(0, 20))
    return machine(
        draw(st.sampled_from(disciplines)),
        costs={"mul": draw(cost), "add": draw(cost)},
        overhead=draw(cost),
        startup=draw(cost),
        per_word=draw(cost),
        setup=draw(st.integers(0, 5)),
        buffers=draw(st.integers(1, 3)),
        duplex=duplex,
    )
