"""Events of a run in words, and what a processor holds: lines of text for a screen or a file."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from meshsim.experiments.studies.watching import ARRIVES, BEGINS, COMPUTES, ENDED, ENDS, RECEIVES, SENDS, Event, Watch
from meshsim.trace import label
from meshsim.watching import program_line

VALUE = 28
"""Letters of a value in a sentence."""
DOING = {
    "compute": "computing",
    "send": "sending",
    "receive": "receiving",
    "wait": "waiting",
    "switch": "switching programs",
    "copy": "copying",
    "forward": "forwarding",
    ENDED: "ended",
}
"""What a processor does, in print."""


def shown_value(value: Any, width: int = VALUE) -> str:
    """A value on one line: numbers to four digits, of several as many as there is room for."""
    if isinstance(value, float | np.floating):
        return f"{value:.4g}"
    if isinstance(value, tuple | list | np.ndarray):
        text = ""
        for place, each in enumerate(value):
            text += (", " if place else "") + shown_value(each, width)
            if len(text) > width - 2:
                return f"({text[: width - 4]}..)"
        return f"({text})"
    text = " ".join(str(value).split())
    return text if len(text) <= width else f"{text[: width - 2]}.."


def who(watch: Watch, program: int) -> str:
    """A program in print, by its processor if it is the only one there."""
    process = watch.columns.programs[program]
    name, home = label(process.node), label(process.core.node)
    return name if process.node == process.core.node else f"{name} on {home}"


def event_words(watch: Watch, event: Event, width: int = VALUE) -> str:
    """What happens, in a sentence; `width` is the room for its value."""
    name = who(watch, event.program)
    if event.kind == ENDS:
        return f"{label(watch.columns.processors[event.processor].node)} ends"
    if event.kind == BEGINS:
        return f"{name} computes {_kernel(watch, event)}"
    value = shown_value(watch.value(event), width)
    if event.kind == COMPUTES:
        return f"{name} computed {value} by {_kernel(watch, event)}"
    channel = watch.columns.channels[int(watch.columns.messages.channel[event.subject])]
    sender, receiver = watch.ends[int(watch.columns.messages.channel[event.subject])]
    if event.kind == SENDS:
        return f"{name} sends {value} to {who(watch, receiver)} through {channel.sender.port}"
    verb = {RECEIVES: "received", ARRIVES: "has waiting"}[event.kind]
    return f"{name} {verb} {value} from {who(watch, sender)} through {channel.receiver.port}"


def _kernel(watch: Watch, event: Event) -> str:
    return watch.columns.kernels[int(watch.columns.parts.kernel[event.subject])].name


def event_lines(watch: Watch, count: int) -> Iterator[str]:
    """The first events, one on each line: tick, time, and what happens."""
    machine = watch.run.machine
    wide = max(len(str(watch.run.ticks)), 4)
    long = max(len(machine.as_us(watch.run.ticks)), 7)
    yield f"{'tick':>{wide}}  {'time':>{long}}  event"
    for event in watch.events[:count]:
        yield f"{event.tick:>{wide}}  {machine.as_us(event.tick):>{long}}  {event_words(watch, event)}"


def event_rows(watch: Watch, count: int) -> list[Mapping[str, Any]]:
    """The same for programs."""
    microseconds = watch.run.machine.microseconds
    return [
        {
            "tick": event.tick,
            "us": microseconds(event.tick),
            "event": event.kind,
            "processor": label(watch.columns.processors[event.processor].node),
            "value": _plain(watch.value(event)) if event.kind in (COMPUTES, SENDS, RECEIVES) else None,
            "words": event_words(watch, event),
        }
        for event in watch.events[:count]
    ]


def _plain(value: Any) -> Any:
    """A value as JSON has it: numbers, and lists of them."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    return [_plain(item) for item in value] if isinstance(value, tuple | list) else value


def doing_words(watch: Watch, processor: int, tick: int) -> str:
    """What a processor does at a tick, and until when."""
    core = watch.columns.processors[processor]
    part = int(watch.parts_at(tick)[processor])
    if part < 0:
        return f"{label(core.node)} ended at tick {core.clock}" if core.clock else f"{label(core.node)} has ended"
    parts = watch.columns.parts
    kernel = int(parts.kernel[part])
    what = DOING[watch.states(tick)[processor]] + (f" {watch.columns.kernels[kernel].name}" if kernel >= 0 else "")
    return f"{label(core.node)} is {what}, from tick {parts.start[part]} to {parts.end[part]}"


def hand_lines(watch: Watch, processor: int, count: int, tick: int, width: int = 80) -> list[str]:
    """What a processor does and holds when so many events have been, and the program line that is behind it."""
    hands = watch.hands(processor, count)
    found = [doing_words(watch, processor, tick)]
    for name, event in zip(("received", "computed", "sent"), hands, strict=True):
        found.append(f"  {name:9}{_held(watch, event, width - 11) if event else 'nothing yet'}")
    last = watch.last_of(processor, count)
    if last is None:
        return [*found, "  line     none yet", ""]
    line = program_line(*watch.line(last))
    cited = f"{line.source}: " if line.source else ""
    found.append(f"  line     {line.file}:{line.number}  {line.text}")
    found.append(f"           {cited}{line.purpose or line.function}")
    return [text[:width] for text in found]


def _held(watch: Watch, event: Event, width: int) -> str:
    """A value in a hand: where it came from or went to, and when; the rest of the room is the value's."""
    if event.kind == COMPUTES:
        about = f" by {_kernel(watch, event)}"
    else:
        number = int(watch.columns.messages.channel[event.subject])
        channel, (sender, receiver) = watch.columns.channels[number], watch.ends[number]
        about = f" to {who(watch, receiver)} through {channel.sender.port}"
        if event.kind == RECEIVES:
            about = f" from {who(watch, sender)} through {channel.receiver.port}"
    about += f", tick {event.tick}"
    return shown_value(watch.value(event), max(width - len(about), 12)) + about


def message_words(watch: Watch, message: int, tick: int) -> str:
    """A message that is under way."""
    messages = watch.columns.messages
    sender, receiver = watch.ends[int(messages.channel[message])]
    where = "waits" if watch.arrived(message, tick) else f"until tick {messages.arrive[message]}"
    value = shown_value(watch.values.sent[message], 16)
    return f"{who(watch, sender)} -> {who(watch, receiver)}: {value}, {where}"
