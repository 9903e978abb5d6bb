"""A run as a page tells it: the network, what every processor did when, every message, and the values in them.

Names and small tables go as JSON; long columns are packed (`packing.py`). `web/model.js` reads both.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from meshsim.algorithms.schemes.base.scheme import main_phases
from meshsim.columns import COMPUTE, KINDS, Columns
from meshsim.experiments.pages.packing import Packer, Values
from meshsim.experiments.pages.scene import scene
from meshsim.experiments.studies.waits import longest_waits
from meshsim.log import Ints
from meshsim.outcome import Run
from meshsim.trace import label
from meshsim.watching import program_line

EXACT = 60_000
"""So many numbers are kept in double; of more, single precision, which is more than is shown."""
PATH_KINDS = ("compute", "wait", "switch", "copy", "forward", "wire", "setup", "receive", "startup", "words", "hop")


def story(title: str, run: Run[Any]) -> dict[str, Any]:
    """All that a page knows of a traced run."""
    found = run.trace.columns
    packer = Packer()
    _add_parts(packer, found)
    _add_messages(packer, found)
    _add_path(packer, run)
    return {
        "title": title,
        "ticks": run.ticks,
        "tick_ns": run.machine.tick_ns,
        "decimals": run.machine.decimals,
        "own": run.network is None,
        "shared": [int(core.shared) for core in found.processors],
        "wired": "wire" in run.machine.links.life.sending,
        "kinds": KINDS,
        "path_kinds": PATH_KINDS,
        "programs": _programs(found),
        "kernels": [[kernel.name, (kernel.__doc__ or "").partition("\n")[0]] for kernel in found.kernels],
        "phases": [[name, tick] for name, tick in main_phases(run.phases).items()],
        "waits": [list(wait) for wait in longest_waits(run)],
        "path": {"compute": run.critical_path.compute, "wire": run.critical_path.wire},
        **scene(run),
        **_add_values(packer, run),
        "columns": packer.columns,
        "packed": packer.packed(),
    }


def _programs(found: Columns) -> list[tuple[str, int, bool]]:
    """The name of each program, its processor, and whether a table names it."""
    names = [label(program.node) for program in found.programs]
    return list(zip(names, found.home.tolist(), found.away.tolist(), strict=True))


def _add_parts(packer: Packer, found: Columns) -> None:
    """Parts follow one another without gaps, so that how long each takes is enough."""
    parts = found.parts
    packer.add("part.count", np.bincount(parts.processor, minlength=len(found.processors)))
    packer.add("part.ticks", parts.end - parts.start)
    packer.add("part.kind", parts.kind)
    computes = parts.kind == COMPUTE
    packer.add("compute.kernel", parts.kernel[computes])
    if found.away.any():
        packer.add("part.program", parts.program)


def _add_messages(packer: Packer, found: Columns) -> None:
    """Most points of a message's life are a fixed time apart, so that differences between points are kept."""
    messages = found.messages
    packer.add("message.count", np.bincount(messages.channel, minlength=len(found.channels)))
    packer.add("message.words", messages.words)
    packer.add("message.sent", messages.sent, steps=True)
    for name, before in (("depart", "sent"), ("arrive", "depart"), ("left", "sent"), ("asked", "arrive")):
        packer.add(f"message.{name}", getattr(messages, name) - getattr(messages, before))
    packer.add("message.ready", messages.depart - messages.ready)
    packer.add("message.taken", messages.taken - np.maximum(messages.asked, messages.arrive))
    for name, ranks in zip(("sent", "taken"), _ranks(found), strict=True):
        packer.add(f"message.{name}.rank", ranks, steps=True)
    routed = [channel.legs for channel in found.channels if channel.legs]
    if routed:
        counts = [len(channel.legs) for channel in found.channels]
        legs = np.array([leg for each in routed for journey in each for leg in journey], dtype=np.int64).reshape(-1, 3)
        packer.add("leg.messages", counts)
        packer.add("leg.began", legs[:, 1], steps=True)
        packer.add("leg.ended", legs[:, 2] - legs[:, 1])


def _ranks(found: Columns) -> Sequence[Ints]:
    """Of each message, which of its sender's operations it is, and which of its receiver's, in programs' order."""
    operations, channel = found.operations, found.messages.channel
    ends = np.stack([found.sender, found.receiver])
    program = ends[operations.receives, channel[operations.message]]
    home = found.home[program]
    order = np.lexsort((operations.place, operations.span, program, home))
    ranks = np.empty_like(order)
    ranks[order] = np.arange(len(order)) - np.searchsorted(home[order], home[order])
    both = np.zeros((2, len(channel)), dtype=np.int64)
    both[operations.receives, operations.message] = ranks
    return list(both)


def _add_path(packer: Packer, run: Run[Any]) -> None:
    """The critical path; a switch element has a number behind the processors."""
    nodes = [core.node for core in run.cores]
    if run.network is not None:
        nodes += [node for node in run.network.graph if node not in set(nodes)]
    ranks = {node: number for number, node in enumerate(nodes)}
    steps = run.critical_path.steps
    packer.add("path.kind", [PATH_KINDS.index(step.kind) for step in steps])
    packer.add("path.ticks", [step.end - step.start for step in steps])
    packer.add("path.from", [ranks[step.node] for step in steps])
    packer.add("path.to", [ranks[step.to] for step in steps])


def _add_values(packer: Packer, run: Run[Any]) -> dict[str, Any]:
    """What was computed and sent, and the program lines; nothing of a run that kept no values."""
    if not run.trace.watched:
        return {"watched": False}
    kept = run.trace.values
    values = Values()
    packer.add("compute.value", values.places(kept.computed), steps=True)
    packer.add("message.value", values.places(kept.sent), steps=True)
    for name, places in (("compute", kept.computed_at), ("message.sent", kept.sent_at)):
        packer.add(f"{name}.line", places)
    packer.add("message.taken.line", kept.received_at)
    packer.add("value.shape", values.shape_of)
    single = len(values.numbers) > EXACT
    packer.add_floats("value.numbers", np.array(values.numbers, dtype=np.float64), single)
    return {
        "watched": True,
        "single": single,
        "shapes": list(values.shapes),
        "lines": [list(program_line(*place)) for place in kept.places],
    }
