"""Traces in the older form that Chrome reads: JSON, a process a run, a thread a processor, times in microseconds."""

import json
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from meshsim.experiments.store.files import whole_file
from meshsim.experiments.traces.timeline import Arrow, Timeline
from meshsim.outcome import Run

FLUSH = 4000
"""So many events are kept before they are written."""
text = json.JSONEncoder(separators=(",", ":")).encode
"""A value as JSON, without blanks."""
PHASES = 0
"""The thread of the phases; those of processors follow."""


def write_chrome(runs: Sequence[tuple[str, Run[Any]]], path: str | Path) -> None:
    """Write runs as Chrome's trace events.

    Slices and phases have their exact ticks among their arguments, slices also the messages that their arrows are of.
    """
    timelines = [Timeline(title, run) for title, run in runs]
    about = text({timeline.title: timeline.about for timeline in timelines})
    with whole_file(path) as temporary, temporary.open("w", encoding="utf-8") as stream:
        stream.write(f'{{"displayTimeUnit":"ns","otherData":{about},"traceEvents":[')
        events = _events(timelines)
        before = "\n"
        while lines := list(islice(events, FLUSH)):
            stream.write(before + ",\n".join(lines))
            before = ",\n"
        stream.write("\n]}\n")


def _events(timelines: Sequence[Timeline]) -> Iterator[str]:
    arrows = 0
    for pid, timeline in enumerate(timelines, start=1):
        yield from _names(timeline, pid)
        yield from _phases(timeline, pid)
        yield from _slices(timeline, pid, arrows)
        yield from _levels(timeline, pid)
        arrows += len(timeline.arrows)


def _names(timeline: Timeline, pid: int) -> Iterator[str]:
    """What processes and threads are called, and in which order they stand."""

    def named(tid: int, what: str, **args: object) -> str:
        return text({"ph": "M", "pid": pid, "tid": tid, "name": what, "args": args})

    yield named(0, "process_name", name=timeline.name)
    yield named(0, "process_sort_index", sort_index=pid)
    for tid, name in enumerate(["phases", *timeline.processors]):
        yield named(tid, "thread_name", name=name)
        yield named(tid, "thread_sort_index", sort_index=tid)


def _phases(timeline: Timeline, pid: int) -> Iterator[str]:
    for name, start, end in timeline.phases:
        yield _slice(timeline, f'"pid":{pid},"tid":{PHASES}', text(name), "phase", start, end)


def _slices(timeline: Timeline, pid: int, first: int) -> Iterator[str]:
    """Slices, and the ends of arrows; `first` is the number of the first arrow.

    Viewers take events in order of time, those of the same time in order of the file. The end of an arrow is of the
    slice of its thread that began last, and one that comes before the arrow has left is dropped. So an arrow leaves
    right behind its slice. It comes in behind all slices; to a slice of no time right behind that, before another
    begins at the same time.
    """
    slices, leaving, coming = timeline.slices, timeline.leaving, timeline.coming
    names = {name: text(name) for name in set(slices.name)}
    threads = [f'"pid":{pid},"tid":{PHASES + 1 + processor}' for processor in range(len(timeline.processors))]

    def comes_in(arrow: Arrow) -> str:
        target = arrow.target
        tick = max(slices.start[arrow.source], slices.start[target])  # either may begin first
        return _arrow(timeline, threads[slices.processor[target]], "f", first + arrow.number, tick, ',"bp":"e"')

    for number, (processor, start, end, name, kind, program) in enumerate(zip(*slices, strict=True)):
        where = threads[processor]
        more = f',"program":{text(program)}' if program else ""
        if number in leaving:
            more += f',"sent":{text([arrow.sent for arrow in leaving[number]])}'
        if number in coming:
            more += f',"received":{text([arrow.received for arrow in coming[number]])}'
        yield _slice(timeline, where, names[name], kind, start, end, more)
        for arrow in leaving.get(number, ()):
            yield _arrow(timeline, where, "s", first + arrow.number, start)
        if start == end:
            yield from map(comes_in, coming.get(number, ()))
    yield from (comes_in(arrow) for arrow in timeline.arrows if slices.start[arrow.target] < slices.end[arrow.target])


def _levels(timeline: Timeline, pid: int) -> Iterator[str]:
    for processor, tick, words in timeline.levels:
        name = text(f"buffered words {timeline.processors[processor]}")
        at = _us(timeline, tick)
        yield f'{{"ph":"C","pid":{pid},"tid":0,"ts":{at},"name":{name},"args":{{"words":{words}}}}}'


def _slice(timeline: Timeline, where: str, name: str, kind: str, start: int, end: int, more: str = "") -> str:
    ticks = f'"start":{start},"end":{end}'
    times = f'"ts":{_us(timeline, start)},"dur":{_us(timeline, end - start)}'
    return f'{{"ph":"X",{where},{times},"name":{name},"cat":"{kind}","args":{{{ticks}{more}}}}}'


def _arrow(timeline: Timeline, where: str, end: str, number: int, tick: int, more: str = "") -> str:
    at = _us(timeline, tick)
    return f'{{"ph":"{end}",{where},"ts":{at},"name":"message","cat":"message","id":{number}{more}}}'


def _us(timeline: Timeline, ticks: int) -> str:
    """Ticks in microseconds, exactly."""
    whole, ns = divmod(ticks * timeline.shown_ns, 1000)
    return f"{whole}.{ns:03d}"
