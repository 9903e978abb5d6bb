"""Small random networks, programs and machines for hypothesis to draw: in few draws, which take more time than runs."""

from dataclasses import dataclass
from itertools import permutations, product

from hypothesis import strategies as st
from tools.engine import machine

from meshsim.machine import DISCIPLINES, SETUPS

COUNTS = [{"mul": mul, "add": add} for mul, add in product(range(4), repeat=2)]
COST = st.sampled_from([*range(4), *range(21), *[*range(4)] * 4])
ENDS = st.sampled_from(
    [
        {"buffers": buffers, "receive": receive, "setups": setups}
        for buffers, receive, setups in product((1, 2, 3), (0, 0, 0, 1, 2, 3, 7), SETUPS)
    ]
)


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
        for i, (u, v) in enumerate(
            draw(st.lists(st.sampled_from([*permutations(nodes, 2)]), min_size=1, max_size=max_links))
        )
    ]
    ways = [way for link in links for way in (link, link[2:] + link[:2])]
    verbs = [("send", "recv")] if matched else [("send", "recv"), ("send",), ("recv",)]
    message = st.sampled_from([*product(ways, range(min_words, 4), verbs)])
    compute = st.sampled_from([*product(nodes, COUNTS)])
    programs = {node: [] for node in nodes}
    size = draw(st.integers(0, 20))  # a list drawn at will is mostly short
    for event in draw(st.lists(st.one_of(message, message, compute), min_size=size, max_size=size)):
        _append(programs, event)
    for node, steps in programs.items():
        if shuffled and len(steps) > 1:
            _swap(steps, draw(st.lists(st.integers(0, len(steps) - 2), max_size=4)))
        joints = draw(st.integers(0, 2 ** len(steps) - 1))
        programs[node] = _joined(steps, [i for i in range(len(steps)) if joints >> i & 1])
    return Case(links, programs)


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
    return machine(
        draw(st.sampled_from(disciplines)),
        costs={"mul": draw(COST), "add": draw(COST)},
        overhead=draw(COST),
        startup=draw(COST),
        per_word=draw(COST),
        setup=draw(st.integers(0, 5)),
        duplex=duplex,
        **draw(ENDS),
    )
