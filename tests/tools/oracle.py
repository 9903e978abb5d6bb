"""A second opinion on times, for full-duplex links: it shares no code with the engine, and knows no events.

Programs are plain data, as in `engine_tools`. Every time of a run is an unknown, and the disciplines say which
unknowns it is the latest of: `x = max(y + delay, ...)`. All are found by going over the equations until nothing
new is known. What is never known never happens: a program whose end is unknown is in a deadlock.
"""

from typing import NamedTuple

TIMES = ("sent", "ready", "left", "depart", "arrive", "asked", "taken")


class Opinion(NamedTuple):
    """`verdict` is answer, deadlock or unread; only an answer has `finish` by node and `messages` by channel."""

    verdict: str
    finish: dict
    messages: dict


def judge(links, programs, machine):
    """Say how a run must end. `links` are (node, port, node, port); all nodes are in `programs`."""
    equations = {}
    for node, steps in programs.items():
        _add_program(equations, node, steps, machine)
    for u, u_port, v, v_port in links:
        for sender, receiver in (((u, u_port), (v, v_port)), ((v, v_port), (u, u_port))):
            _add_channel(equations, sender, receiver, programs, machine.links)
    known = _solve(equations)
    finish = {node: known.get(("start", node, len(steps))) for node, steps in programs.items()}
    if None in finish.values():
        return Opinion("deadlock", {}, {})
    messages = {}
    for sender in [end for link in links for end in (link[:2], link[2:])]:
        count = len(_operations("send", sender, programs))
        messages[sender] = [tuple(known.get((time, sender, m)) for time in TIMES) for m in range(count)]
    if any(None in life for lives in messages.values() for life in lives):
        return Opinion("unread", {}, {})
    return Opinion("answer", finish, messages)


def _solve(equations):
    """The least solution: an unknown is known once all that it waits for is."""
    known = {}
    found = True
    while found:
        found = False
        for unknown, terms in equations.items():
            if unknown not in known and all(term in known for term, _ in terms):
                known[unknown] = max((known[term] + delay for term, delay in terms), default=0)
                found = True
    return known


def _add_program(equations, node, steps, machine):
    """A step starts when the one before it has ended; message ends are numbered by port."""
    counts = {}
    equations["start", node, 0] = []
    for i, step in enumerate(steps):
        delay = 0
        if step[0] == "compute":
            delay = machine.kernel_overhead + sum(machine.operations[op] * n for op, n in step[1].items())
        ends = [(("start", node, i), delay)]
        received = []
        for verb, port, *_ in _parts(step):
            number = counts.get((verb, port), 0)
            counts[verb, port] = number + 1
            ends.append(((f"{verb} ended", (node, port), number), 0))
            if verb == "recv":
                received.append(ends[-1][0])
        if machine.links.setups == "in-turn" and machine.links.discipline != "free":
            ends += _in_turn(equations, received, machine.links.receive)
        equations["start", node, i + 1] = ends


def _in_turn(equations, received, ticks):
    """Receives of a step that are handled one after the other, in its order; the last is what its end waits for."""
    handled = []
    for taken in received:
        equations["handled", *taken] = [(taken, 0), *((before, ticks) for before in handled[-1:])]
        handled.append(("handled", *taken))
    return [(each, 0) for each in handled[-1:]]


def _add_channel(equations, sender, receiver, programs, links):
    """The life of every message; where one side never comes, an unknown has no equation and stays so."""
    apart = links.setup if links.setups == "in-turn" and links.discipline in ("overlap", "posted") else 0
    for m, (step, words, before) in enumerate(_operations("send", sender, programs)):
        equations["sent", sender, m] = [(("start", sender[0], step), before * apart)]
        equations["send ended", sender, m] = [(("left", sender, m), 0)]
        for time, terms in _life(sender, m, words, links).items():
            equations[time, sender, m] = terms
    for m, (step, *_) in enumerate(_operations("recv", receiver, programs)):
        equations["asked", sender, m] = [(("start", receiver[0], step), 0)]
        equations["recv ended", receiver, m] = [(("taken", sender, m), 0)]


def _life(channel, m, words, links):
    sent, ready, depart, arrive, asked = ((time, channel, m) for time in ("sent", "ready", "depart", "arrive", "asked"))
    wire = links.startup + words * links.per_word
    if links.discipline == "free":
        at_once = {time: [(sent, 0)] for time in ("ready", "left", "depart", "arrive")}
        return {**at_once, "taken": [(sent, 0), (asked, 0)]}
    if links.discipline == "rendezvous":
        both = [(sent, 0), (asked, 0)]
        ends = {"left": [(arrive, 0)], "taken": [(arrive, links.receive)]}
        return {"ready": both, "depart": both, "arrive": [(depart, wire)], **ends}
    freed = "taken" if links.discipline == "overlap" else "arrive"
    room = [((freed, channel, m - links.buffers), 0)] if m >= links.buffers else []
    before = [(("arrive", channel, m - 1), 0)] if m else []
    if links.discipline == "posted":
        left = ("left", channel, m)
        return {
            "left": [(sent, links.setup), *room],
            "ready": [(left, 0), (asked, 0)],
            "depart": [(ready, 0), *before],
            "arrive": [(depart, wire)],
            "taken": [(arrive, links.receive)],
        }
    return {
        "ready": [(sent, links.setup), *room],
        "left": [(ready, 0)],
        "depart": [(ready, 0), *before],
        "arrive": [(depart, wire)],
        "taken": [(arrive, links.receive), (asked, links.receive)],
    }


def _operations(verb, end, programs):
    """In which step of its program, with how many words and after how many others of its kind in that step, each
    operation of one end of a channel is done.
    """
    node, port = end
    return [
        (i, part[2] if verb == "send" else None, [each[0] for each in _parts(step)[:place]].count(verb))
        for i, step in enumerate(programs[node])
        for place, part in enumerate(_parts(step))
        if part[:2] == (verb, port)
    ]


def _parts(step):
    """The channel operations of a step."""
    if step[0] == "par":
        return step[1]
    return [step] if step[0] in ("send", "recv") else []
