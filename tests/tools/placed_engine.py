"""A `PlacedCase` on the engine, and what came out in the words of the reference."""

from collections import defaultdict
from dataclasses import fields

import networkx as nx
from tools.engine import phase, plan
from tools.tick_reference import Times

from meshsim.deadlock import DeadlockError
from meshsim.machine import OPERATIONS, LinkCosts, LocalCosts, Machine
from meshsim.network import Network
from meshsim.sharing import SharedCore


def network_of(net):
    """The same network as the engine wants it, with all routes in its table."""
    graph = nx.Graph()
    graph.add_nodes_from((node, {"switch": True} if node in net.switches else {}) for node in net.nodes)
    graph.add_edges_from(net.edges)
    return Network(graph, table=net.routes)


def machine_of(costs):
    """The same machine; every operation takes a tick."""
    links = LinkCosts(**{field.name: getattr(costs, field.name) for field in fields(LinkCosts)})
    local = LocalCosts(costs.local_startup, costs.local_per_word)
    return Machine("test", 1, dict.fromkeys(OPERATIONS, 1), links, switch=costs.switch, local=local)


def placed_run(case):
    """A case on the engine, traced."""
    programs = {name: [*steps, phase("end")] for name, steps in case.programs.items()}
    return plan(programs).placed(network_of(case.net), case.placement).run(machine_of(case.costs))


def engine_times(case):
    """What the engine makes of a case: `Times`, or "deadlock"."""
    try:
        run = placed_run(case)
    except DeadlockError:
        return "deadlock"
    shared = {core.node: core for core in run.cores if isinstance(core, SharedCore)}
    return Times(
        finish={name: marks["end"] for name, marks in run.marks.items()},
        processors=dict(run.finish),
        switches={node: shared[node].switches if node in shared else 0 for node in run.finish},
        copies={node: shared[node].copying if node in shared else 0 for node in run.finish},
        transfers=transfers_of(run),
        levels={tuple(link[:2]): level for link, level in run.levels.items()},
    )


def transfers_of(run):
    """(start, end, words, channel) of all that crossed a link, in order of time."""
    found = defaultdict(list)
    for channel in run.channels:
        name = channel.sender.cpu.node, channel.receiver.cpu.node
        for number in range(channel.messages if channel.path else 0):
            message = run.trace.message(channel, number)
            whole = [(message.depart, message.arrive)] * len(channel.path)
            legs = [leg[1:] for leg in channel.legs[number]] if channel.legs else whole
            for link, (start, end) in zip(channel.path, legs, strict=True):
                found[tuple(link[:2])].append((start, end, message.words, name))
    return {link: sorted(transfers) for link, transfers in found.items()}
