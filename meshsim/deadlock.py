"""The error for a deadlock: nothing can move and programs remain."""

from collections.abc import Sequence

import networkx

from meshsim.errors import MeshSimError
from meshsim.network import Link
from meshsim.processor import Process
from meshsim.wire import Wire


class DeadlockError(MeshSimError):
    """Programs wait for one another, or for one that has ended."""


def deadlock(processes: Sequence[Process], wires: Sequence[Wire] = ()) -> DeadlockError:
    """An error that lists each waiting program, the operation and port it waits on, and a cycle among them.

    Where routers are full it lists the messages that find no room, and a cycle among links, instead of one of programs.
    """
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
    stuck = _without_room(wires, lines)
    if stuck:
        graph = stuck
    try:
        cycle = [edge[0] for edge in networkx.find_cycle(graph)]
        what = "cycle of links" if stuck else "cycle"
        lines.append(f"  {what}: " + " -> ".join(str(node) for node in [*cycle, cycle[0]]))
    except networkx.NetworkXNoCycle:
        lines.append("  no cycle: each waits, in the end, for a program that has ended")
    return DeadlockError("\n".join(lines))


def _without_room(wires: Sequence[Wire], lines: list[str]) -> networkx.DiGraph | None:
    """Which link waits for which other to make room in the router between them; nothing if none does."""
    graph = networkx.DiGraph()
    for wire in wires:
        room = wire.waiting[0].next_buffer if wire.waiting else None
        if room is not None and wire in room.waiting:
            channel = wire.waiting[0].channel
            between = f"{channel.sender.cpu.node} to {channel.receiver.cpu.node}"
            lines.append(
                f"  message from {between} on link {_asked(wire)}: no room at {room.link.source} for link "
                f"{_name(room.wire, room.link)} ({room.held} of {room.limit} messages held)"
            )
            graph.add_edge(_asked(wire), _asked(room.wire))
    return graph if graph else None


def _asked(wire: Wire) -> str:
    """The link that the first message of a wire asks for: with half duplex, a wire is two."""
    first = wire.waiting[0] if wire.waiting else None
    return _name(wire, first.channel.path[first.number] if first else wire.link)


def _name(wire: Wire, link: Link) -> str:
    """A link in print: its ends, or the name of its bus."""
    return wire.name if wire.name is not None else f"{link.source} to {link.target}"
