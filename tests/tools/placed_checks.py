"""What must hold of every run of programs that were placed on a network; all of it is read off the trace."""

from collections import Counter, defaultdict
from dataclasses import astuple
from itertools import pairwise

from meshsim.network import Link


def check_all(run, network):
    """All of it."""
    check_words(run, network)
    check_legs(run, network)
    check_wires(run, network)
    check_processors(run)
    check_path(run)


def wire_key(network, link, half):
    """What makes two links one wire: a bus, and the two directions of a half-duplex link."""
    bus = network.bus(link)
    if bus is not None:
        return bus
    return (frozenset(link[:2]), link.key) if half else link


def route_of(network, channel):
    """The links that a channel's messages must take: none within a processor."""
    source, target = channel.sender.cpu.core.node, channel.receiver.cpu.core.node
    route = network.route(source, target)
    if len(route) != 1:
        return route
    for key in network.parallel(source, target):  # of several links, the one with the channel's ports
        ports = network.ports(Link(source, target, key))
        if (ports.get(source), ports.get(target)) == (channel.sender.port, channel.receiver.port):
            return (Link(source, target, key),)
    return route


def check_words(run, network):
    """Every word crosses exactly the links of its route: what wires carried, against what was sent."""
    half = run.machine.links.duplex == "half"
    messages, words = Counter(), Counter()
    for channel in run.channels:
        for link in route_of(network, channel):
            messages[wire_key(network, link, half)] += channel.messages
            words[wire_key(network, link, half)] += channel.words
    loads = {wire_key(network, load.link, half): load for load in run.loads}
    assert len(loads) == len(run.loads)
    assert {key: load.messages for key, load in loads.items()} == {
        key: count for key, count in messages.items() if count
    }
    assert {key: load.words for key, load in loads.items()} == {key: words[key] for key in loads}


def check_legs(run, network):
    """Each message takes the legs of its route one after the other, each as long as the rules say."""
    links = run.machine.links
    for channel in run.channels:
        route = route_of(network, channel)
        assert channel.path == route
        if channel.route is None or links.discipline == "free" or not channel.messages:
            assert len(route) <= 1 or links.discipline == "free" or not channel.messages
            continue
        keys = [wire_key(network, leg.wire.link, links.duplex == "half") for leg in channel.route.legs]
        assert keys == [wire_key(network, link, links.duplex == "half") for link in route]
        assert len(channel.legs) == channel.messages
        for number, legs in enumerate(channel.legs):
            message = run.trace.message(channel, number)
            assert legs[0][0] == message.ready
            assert (legs[0][1], legs[-1][2]) == (message.depart, message.arrive)
            check_message(links, network, route, message.words, legs)


def check_message(links, network, route, words, legs):
    assert len(legs) == len(route)
    end = head = 0  # when the leg before is done, and when the head of the message has passed it
    for place, (link, (asked, began, ended)) in enumerate(zip(route, legs, strict=True)):
        costs = {"startup": links.startup, "per_word": links.per_word, "hop": links.hop, **network.costs(link)}
        took = costs["startup"] + words * costs["per_word"]
        assert asked <= began <= ended
        if place == 0:
            assert ended == began + took
        elif links.switching == "cut-through" or network.is_switch(link.source):
            assert asked == head + costs["hop"]
            assert ended == max(began + words * costs["per_word"], end + costs["hop"])
            head, end = began, ended
            continue
        else:
            assert ended == began + took
            assert asked == end + costs["hop"] or (links.routing == "processor" and asked > end + costs["hop"])
        head, end = began + costs["startup"], ended


def check_wires(run, network):
    """A wire carries one message at a time, in order of requests; none waits for a wire that is idle and leads on.

    Requests of one tick are served in node order, unless messages take no time from one link to the next: then some
    come when others have been served.
    """
    half = run.machine.links.duplex == "half"
    instant = _instant(run, network)
    carried = defaultdict(list)
    for channel in run.channels:
        if channel.route is None or channel.links.discipline == "free":
            continue
        order = channel.sender.cpu.rank, channel.receiver.cpu.rank
        for legs in channel.legs:
            for link, (asked, began, ended) in zip(channel.path, legs, strict=True):
                carried[wire_key(network, link, half)].append((began, ended, asked, order))
    for messages in carried.values():
        messages.sort()
        for (_, free, *before), (began, _, *after) in pairwise(messages):
            assert began >= free
            assert before <= after or (instant and before[0] == after[0])
            assert began == max(free, after[0]) or run.machine.links.router_buffers
        assert messages[0][0] == messages[0][2] or run.machine.links.router_buffers
    if not run.machine.links.router_buffers:
        assert run.conflicts == sum(asked < began for messages in carried.values() for began, _, asked, _ in messages)


def _instant(run, network):
    """Whether the head of a message may pass a link and a router within a tick."""
    links = run.machine.links
    cuts = links.switching == "cut-through" or any(map(network.is_switch, network.graph))
    hops = [links.hop, *(costs.get("hop", links.hop) for costs in map(network.costs, network.links))]
    return (cuts and not all(hops)) or not (links.startup or links.per_word)


def check_processors(run):
    """Spans of a processor follow one another from 0 to its finish, and its account adds up to it."""
    for core in run.cores:
        ends = [0, *(end for _, end, _ in core.spans)]
        assert [start for start, _, _ in core.spans] == ends[:-1]
        assert ends[-1] == core.clock
    accounts = run.trace.accounts()
    for node, account in accounts.items():
        assert sum(astuple(account)) == 2 * account.finish == 2 * run.finish[node]
        assert account.busy == run.busy[node]
    assert sum(account.switching for account in accounts.values()) == run.switches * run.machine.switch
    assert sum(account.copying for account in accounts.values()) == run.copying
    assert run.ticks == max(run.finish.values())


def check_path(run):
    """The critical path leads from 0 to the finish without a gap, and its parts add up to it."""
    path = run.critical_path
    assert path.compute + path.wire + path.wait + path.switch + path.copy == run.ticks
    ends = [0, *(step.end for step in path.steps)]
    assert [step.start for step in path.steps] == ends[:-1]
    assert ends[-1] == run.ticks
