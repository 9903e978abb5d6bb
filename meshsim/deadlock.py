"""The error for a deadlock: nothing can move and programs remain."""

from collections.abc import Sequence

import networkx

from meshsim.errors import MeshSimError
from meshsim.processor import Process


class DeadlockError(MeshSimError):
    """Programs wait for one another, or for one that has ended."""


def deadlock(processes: Sequence[Process]) -> DeadlockError:
    """An error that lists each waiting program, the operation and port it waits on, and a cycle among them."""
    waiting = [cpu for cpu in processes if not cpu.finished]
    graph = networkx.DiGraph()
    programs = sum(cpu.steps is not None for cpu in processes)
    lines = [f"deadlock: {len(waiting)} of {programs} programs wait for ever"]
    for cpu in waiting:
        for end in cpu.waits:
            if not end.waiting:
                continue
            peer = end.peer.cpu
            ended = (", which has ended" if peer.steps else ", which has no program") if peer.finished else ""
            verb = "send to" if end.verb == "send" else "receive from"
            lines.append(f"  {cpu.node} at tick {cpu.clock}: {verb} port {end.port!r} ({peer.node}{ended})")
            graph.add_edge(cpu.node, peer.node)
    try:
        cycle = [edge[0] for edge in networkx.find_cycle(graph)]
        lines.append("  cycle: " + " -> ".join(str(node) for node in [*cycle, cycle[0]]))
    except networkx.NetworkXNoCycle:
        lines.append("  no cycle: each waits, in the end, for a program that has ended")
    return DeadlockError("\n".join(lines))
