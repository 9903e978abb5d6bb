"""Programs written as plain data, and the networks and machines to run them on, for the tests of the engine.

A step is ("compute", operation counts), ("send", port, words), ("recv", port), ("par", list of sends and
receives) or ("phase", name). On the networks made here, a port has the name of the processor it leads to.
"""

from functools import cache
from itertools import combinations

import networkx as nx

from meshsim.counted import Kernel
from meshsim.machine import OPERATIONS, LinkCosts, Machine
from meshsim.plan import Plan


def do(ticks):
    return ("compute", {"add": ticks})


def send(port, words=1):
    return ("send", port, words)


def recv(port):
    return ("recv", port)


def par(*steps):
    return ("par", list(steps))


def phase(name):
    return ("phase", name)


def machine(discipline, *, costs=(), overhead=0, kernels=(), **links):
    """Every operation takes one tick unless `costs` says otherwise."""
    operations = {**dict.fromkeys(OPERATIONS, 1), **dict(costs)}
    return Machine("test", 1, operations, LinkCosts(discipline, **links), overhead, dict(kernels))


def network(nodes, links=None):
    """A link between every two nodes, unless `links` gives (node, port, node, port) for each."""
    graph = nx.MultiGraph()
    graph.add_nodes_from(nodes)
    if links is None:
        links = [(u, v, v, u) for u, v in combinations(nodes, 2)]
    for u, u_port, v, v_port in links:
        graph.add_edge(u, v, ports={u: u_port, v: v_port})
    return graph


def script(steps, seed=1):
    """A program that takes the steps; it returns a digest of what it received, and how many words that was.

    What it sends depends on all that it received before, so a value that goes astray shows in the digests.
    """

    def take_steps(cpu):
        digest, words = seed, 0
        for step in steps:
            if step[0] == "compute":
                cpu.do(charge(**step[1]))
            elif step[0] == "phase":
                cpu.phase(step[1])
            else:
                got = yield from _communicate(cpu, step, digest)
                for payload in got:
                    digest = (31 * digest + sum(payload or (7,))) % 1_000_003
                    words += len(payload or ())
        return digest, words

    return take_steps


def _communicate(cpu, step, digest):
    if step[0] == "par":
        return (yield cpu.par(*[_operation(cpu, part, digest) for part in step[1]]))
    return ((yield _operation(cpu, step, digest)),)


def _operation(cpu, step, digest):
    return cpu.recv(step[1]) if step[0] == "recv" else cpu.send(step[1], (digest,) * step[2])


def charge(**counts):
    """A kernel that costs so many operations; its name says which. It is not declared, so it stays out of sight."""
    return _charge(tuple(sorted(counts.items())))


@cache
def _charge(counts):
    def nothing():
        return None

    nothing.__name__ = "_".join(f"{operation}{count}" for operation, count in counts)
    return Kernel(nothing, dict(counts))


def plan(programs, graph=None):
    """A plan of generator functions or lists of steps, by node; by default all nodes are linked."""
    graph = network(list(programs)) if graph is None else graph
    loaded = {
        node: script(steps, seed) if isinstance(steps, list) else steps
        for seed, (node, steps) in enumerate(programs.items(), start=1)
    }
    return Plan(graph, loaded, dict)


def simulate(programs, discipline, **costs):
    """Run programs, all linked, on a machine of one tick per operation."""
    return plan(programs).run(machine(discipline, **costs))


def lives(run):
    """The seven times of every message (sent, ready, left, depart, arrive, asked, taken), by sender and port."""
    return {
        (channel.sender.cpu.node, channel.sender.port): [
            tuple(run.trace.message(channel, number)[3:]) for number in range(channel.messages)
        ]
        for channel in run.channels
    }


def path(run):
    """The critical path as (kind, start, end, "processor kernel" or "sender->receiver number")."""
    return [(step.kind, step.start, step.end, _cause(step)) for step in run.critical_path.steps]


def _cause(step):
    if isinstance(step.what, Kernel):
        return f"{step.node} {step.what.name}"
    channel = step.what.channel
    return f"{channel.sender.cpu.node}->{channel.receiver.cpu.node} {step.what.number}"
