"""Traces for viewers, read back as viewers do, and what they must show by the rules alone.

Perfetto's package has no trace processor: it would fetch one when first used. So its files are read by the protobuf
classes, in the order of time and of the file, as that does: a slice ends by the end that comes next on its track, and
an arrow to a slice is dropped if it has not left another. In Chrome's files, too, an arrow is of the slice of its
thread that began last, by time and then by the order of the file.
"""

import json
from collections import defaultdict
from typing import NamedTuple

from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace as PerfettoTrace
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import TrackEvent
from tools.plain_trace import PlainTrace

from meshsim.counted import Kernel
from meshsim.sharing import SharedCore
from meshsim.trace import label


class Slice(NamedTuple):
    track: str
    start: int
    end: int
    name: str
    kind: str
    program: str = ""


class Shown(NamedTuple):
    """A run as a file shows it: `arrows` are from slice to slice, `sent` and `received` what slices say of messages."""

    name: str
    tracks: list
    slices: list
    arrows: list
    sent: dict
    received: dict
    levels: dict
    phases: list


# What there must be


def expected(title, run):
    slices, own = _slices(run)
    arrows, sent, received, coming = [], defaultdict(list), defaultdict(list), defaultdict(list)
    for channel in run.channels:
        sender, receiver = channel.sender, channel.receiver
        for number in range(channel.messages):
            message = run.trace.message(channel, number)
            coming[label(receiver.cpu.core.node)].append(message)
            source = _source(slices, own[sender.cpu.node], message)
            target = _target(slices, own[receiver.cpu.node], message, run.trace.span_of(receiver, message))
            if source is None or target is None:
                cpu = (sender if source is None else receiver).cpu
                assert cpu.core.shared or not own[cpu.node]
                continue
            if slices[source].start == slices[target].end:  # viewers would drop it
                continue
            arrows.append((source, target))
            times = {"words": message.words, "depart": message.depart, "arrive": message.arrive}
            sent[source].append({"port": sender.port, "to": label(receiver.cpu.node), **times})
            received[target].append({"port": receiver.port, "from": label(sender.cpu.node), **times})
    levels = {core: found for core, messages in coming.items() if len(found := _levels(messages)) > 1}
    ends = [0, *run.phases.values()]
    phases = [(name, ends[place], end) for place, (name, end) in enumerate(run.phases.items())]
    tracks = ["phases", *(label(core.node) for core in run.cores)]
    return Shown(title, tracks, slices, sorted(arrows), sent, received, levels, phases)


def _slices(run):
    """All slices, and which of them each program has, each with the span of its processor that it is of."""
    slices, own = [], defaultdict(list)
    for core in run.trace.processors:
        for span, start, end, name, kind, owner in _parts(run.trace, core):
            program = label(owner) if owner not in (None, core.node) else ""
            own[owner].append((len(slices), span))
            slices.append(Slice(label(core.node), start, end, name, kind, program))
    return slices, own


def _parts(trace, core):
    plain = PlainTrace(trace)
    for span, (start, end, what) in enumerate(core.spans):
        owner = plain.programs.get(core)
        if isinstance(core, SharedCore):
            owner = getattr(core.owners[span], "node", None)
        if isinstance(what, Kernel):
            yield span, start, end, what.name, "compute", owner
            continue
        for kind, low, high in plain.parts(core, span):
            yield span, low, high, kind, kind, owner


def _source(slices, mine, message):
    """What the sender was about when the message left it; None if others had its processor before all it did."""
    before = [number for number, _ in mine if slices[number].start < message.left]
    at_once = [number for number, _ in mine[:1] if slices[number].start == message.left]
    return next(iter([*before[-1:], *at_once]), None)


def _target(slices, mine, message, span):
    """What the receiver was about when it took the message, or did next; None if others had its processor after all."""
    for number, _ in reversed(mine):
        if slices[number].start < message.taken:
            if slices[number].end >= message.taken and slices[number].end > message.asked:
                return number
            break
    after = [number for number, at in mine if slices[number].start >= message.taken and at >= span]
    at_once = [number for number, _ in mine[-1:] if slices[number].end == message.taken]
    return next(iter([*after[:1], *at_once]), None)


def _levels(messages):
    """At which ticks which words have left and are not taken, counted afresh for every tick."""
    found = [(0, 0)]
    for tick in sorted({tick for message in messages for tick in (message.left, message.taken)}):
        words = sum(message.words for message in messages if message.left <= tick < message.taken)
        if words != found[-1][1]:
            found.append((tick, words))
    return found


# Chrome


def read_chrome(path, ns):
    """What each process of a file shows, where a tick is shown for so many nanoseconds."""
    events = defaultdict(list)
    for event in json.loads(path.read_text())["traceEvents"]:
        events[event["pid"]].append(event)
    return [_chrome_process(events[pid], ns) for pid in sorted(events)]


def _chrome_process(events, ns):
    named = {(event["name"], event["tid"]): event["args"] for event in events if event["ph"] == "M"}
    tids = sorted(tid for what, tid in named if what == "thread_name")
    tracks = [named["thread_name", tid]["name"] for tid in tids]
    assert [named["thread_sort_index", tid]["sort_index"] for tid in tids] == tids == [*range(len(tids))]
    slices, args, levels = [], [], defaultdict(list)
    for event in (event for event in events if event["ph"] == "X"):
        args.append(event["args"])
        start, end = event["args"]["start"], event["args"]["end"]
        assert (_ticks(event["ts"], ns), _ticks(event["dur"], ns)) == (start, end - start)
        name, kind, program = event["name"], event["cat"], event["args"].get("program", "")
        slices.append(Slice(tracks[event["tid"]], start, end, name, kind, program))
    numbers = iter(range(len(slices)))
    order = [(event, next(numbers) if event["ph"] == "X" else None) for event in events if "ts" in event]
    ends, last = {"s": {}, "f": {}}, {}
    for event, number in sorted(order, key=lambda each: each[0]["ts"]):
        if event["ph"] == "X":
            last[event["tid"]] = number
        elif event["ph"] == "C":
            tick = _ticks(event["ts"], ns)
            levels[event["name"].removeprefix("buffered words ")].append((tick, event["args"]["words"]))
        else:
            here = last[event["tid"]]
            assert event["id"] not in ends[event["ph"]]
            assert event["ph"] == "s" or event["id"] in ends["s"]
            assert _ticks(event["ts"], ns) in (slices[here].start, *range(slices[here].start, slices[here].end))
            ends[event["ph"]][event["id"]] = here
    assert ends["s"].keys() == ends["f"].keys()
    arrows = [(source, ends["f"][number]) for number, source in ends["s"].items()]
    return _shown(named["process_name", 0]["name"], tracks, slices, arrows, args, levels)


def _ticks(us, ns):
    ticks, rest = divmod(round(us * 1000), ns)
    assert rest == 0
    return ticks


# Perfetto


def read_perfetto(path, ns):
    """The same of a file of Perfetto's."""
    trace = PerfettoTrace()
    trace.ParseFromString(path.read_bytes())
    sequences = defaultdict(list)
    for packet in trace.packet:
        sequences[packet.trusted_packet_sequence_id].append(packet)
    return [_PerfettoProcess(packets, ns).shown() for packets in sequences.values()]


class _PerfettoProcess:
    def __init__(self, packets, ns):
        assert [packet.sequence_flags for packet in packets] == [1, *[2] * (len(packets) - 1)]
        self.ns = ns
        self.names = {each.iid: each.name for each in packets[0].interned_data.event_names}
        self.kinds = {each.iid: each.name for each in packets[0].interned_data.event_categories}
        described = [packet.track_descriptor for packet in packets if packet.HasField("track_descriptor")]
        self.tracks = {track.uuid: track for track in described}
        assert len(self.tracks) == len(described)
        self.packets = [packet for packet in packets if packet.HasField("track_event")]

    def shown(self):
        (process,) = (track for track in self.tracks.values() if track.HasField("process"))
        rows = [track for track in self.tracks.values() if track.parent_uuid == process.uuid]
        rows.sort(key=lambda track: track.sibling_order_rank)
        open_now, slices, args, levels, flows, arrows = {}, {}, {}, defaultdict(list), {}, []
        for number, packet in sorted(enumerate(self.packets), key=lambda each: each[1].timestamp):
            event, track = packet.track_event, packet.track_event.track_uuid
            tick, rest = divmod(packet.timestamp, self.ns)
            assert rest == 0
            if event.type == TrackEvent.TYPE_COUNTER:
                levels[self.tracks[self.tracks[track].parent_uuid].name].append((tick, event.counter_value))
                continue
            if event.type == TrackEvent.TYPE_SLICE_BEGIN:
                assert track not in open_now  # slices follow one another
                open_now[track] = number
                args[number] = {each.name: _value(each) for each in event.debug_annotations}
                slices[number] = self._slice(event, tick, args[number])
            here = open_now[track]
            flows.update(dict.fromkeys(event.flow_ids, here))
            arrows += [(flows.pop(flow), here) for flow in event.terminating_flow_ids if flow in flows]
            if event.type == TrackEvent.TYPE_SLICE_END:
                slices[here] = slices[here]._replace(end=tick)
                del open_now[track]
        assert not open_now
        assert not flows
        order = {number: place for place, number in enumerate(sorted(slices))}
        arrows = [(order[source], order[target]) for source, target in arrows]
        found = [[each[number] for number in order] for each in (slices, args)]
        return _shown(process.process.process_name, [row.name for row in rows], found[0], arrows, found[1], levels)

    def _slice(self, event, tick, args):
        (kind,) = event.category_iids
        track = self.tracks[event.track_uuid].name
        return Slice(track, tick, None, self.names[event.name_iid], self.kinds[kind], args.get("program", ""))


def _value(annotation):
    if annotation.array_values:
        return [_value(each) for each in annotation.array_values]
    if annotation.dict_entries:
        return {entry.name: _value(entry) for entry in annotation.dict_entries}
    return annotation.int_value if annotation.HasField("int_value") else annotation.string_value


def _shown(name, tracks, slices, arrows, args, levels):
    """Phases, which come first, apart from other slices, and those counted without them."""
    first = sum(each.kind == "phase" for each in slices)
    assert [each.track == "phases" for each in slices] == [number < first for number in range(len(slices))]
    phases = [(each.name, each.start, each.end) for each in slices[:first]]
    arrows = sorted((source - first, target - first) for source, target in arrows)
    told = [
        {number: each[what] for number, each in enumerate(args[first:]) if what in each}
        for what in ("sent", "received")
    ]
    return Shown(name, tracks, slices[first:], arrows, *told, levels, phases)
