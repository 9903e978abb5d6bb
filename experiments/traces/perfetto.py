"""Traces in Perfetto's own format: TrackEvents, a process a run, a track a processor, times in nanoseconds."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import TracePacket, TrackDescriptor, TrackEvent
from perfetto.trace_builder.proto_builder import TraceProtoBuilder

from meshsim.columns import KINDS
from meshsim.experiments.store.files import whole_file
from meshsim.experiments.traces.timeline import Timeline
from meshsim.outcome import Run

FLUSH = 4000
"""So many packets are kept before they are written."""
TRACKS = 1 << 32
"""A run's tracks are numbered from a multiple of this on: the process, the phases, processors, their buffers."""
BEGIN, END, COUNTER = TrackEvent.TYPE_SLICE_BEGIN, TrackEvent.TYPE_SLICE_END, TrackEvent.TYPE_COUNTER
PHASE = "phase"
"""The category of phases; those of other slices are their kinds."""


def write_perfetto(runs: Sequence[tuple[str, Run[Any]]], path: str | Path) -> None:
    """Write runs as Perfetto's TrackEvents, a few thousand packets at a time.

    Slices have the messages that their arrows are of among their arguments. A process has what its run was on as its
    labels.
    """
    flows = 1
    with whole_file(path) as temporary, temporary.open("wb") as stream:
        for number, (title, run) in enumerate(runs, start=1):
            timeline = Timeline(title, run)
            packets = _Packets(stream, number)
            _Process(timeline, packets, number).write(flows)
            packets.flush()
            flows += len(timeline.arrows)


class _Packets:
    """The packets of one sequence."""

    def __init__(self, stream: IO[bytes], sequence: int) -> None:
        self.stream = stream
        self.sequence = sequence
        self.flags = TracePacket.SEQ_INCREMENTAL_STATE_CLEARED
        self._renew()

    def add(self) -> Any:
        """A new one."""
        if not self.left:
            self.flush()
        self.left -= 1
        packet = self.builder.add_packet()
        packet.trusted_packet_sequence_id = self.sequence
        packet.sequence_flags = self.flags
        self.flags = TracePacket.SEQ_NEEDS_INCREMENTAL_STATE  # they use what the first one had
        return packet

    def flush(self) -> None:
        """Write those that there are: traces that follow one another in a file are one trace."""
        self.stream.write(self.builder.serialize())
        self._renew()

    def _renew(self) -> None:
        self.builder = TraceProtoBuilder()
        self.left = FLUSH


class _Process:
    """A run's tracks and events."""

    def __init__(self, timeline: Timeline, packets: _Packets, number: int) -> None:
        self.timeline = timeline
        self.packets = packets
        self.number = number
        self.track = number * TRACKS
        self.phases = self.track + 1
        self.processors = self.phases + 1  # the first of them
        self.buffers = self.processors + len(timeline.processors)
        self.names = _numbered([*timeline.slices.name, *(name for name, _, _ in timeline.phases)])
        self.categories = _numbered([*KINDS, PHASE])
        self.ns = timeline.shown_ns

    def write(self, flows: int) -> None:
        """All of it; `flows` is the number of the first arrow."""
        self._intern()
        self._describe()
        for name, start, end in self.timeline.phases:
            self._begin(self.phases, start, name, PHASE)
            self._event(self.phases, end, END)
        self._slices(flows)
        for processor, tick, words in self.timeline.levels:
            self._event(self.buffers + processor, tick, COUNTER).counter_value = words

    def _intern(self) -> None:
        """Say once which texts stand for which numbers."""
        data = self.packets.add().interned_data
        for name, number in self.names.items():
            data.event_names.add(iid=number, name=name)
        for name, number in self.categories.items():
            data.event_categories.add(iid=number, name=name)

    def _describe(self) -> None:
        """Say which tracks there are, and in which order they stand."""
        timeline = self.timeline
        process = self._new_track(self.track)
        process.child_ordering = TrackDescriptor.EXPLICIT
        process.process.pid = self.number
        process.process.process_name = timeline.name
        process.process.process_labels.extend(f"{key}: {value}" for key, value in timeline.about.items())
        self._new_track(self.phases, self.track, "phases")
        for number, name in enumerate(timeline.processors):
            track = self._new_track(self.processors + number, self.track, name)
            track.sibling_order_rank = 1 + number
        for number in sorted({level.processor for level in timeline.levels}):
            track = self._new_track(self.buffers + number, self.processors + number, "buffered words")
            track.counter.unit_name = "words"

    def _new_track(self, number: int, parent: int | None = None, name: str | None = None) -> Any:
        track = self.packets.add().track_descriptor
        track.uuid = number
        if parent is not None:
            track.parent_uuid, track.name = parent, name
        return track

    def _slices(self, flows: int) -> None:
        """What processors did.

        An arrow leaves at the begin of its slice and comes in at the end of the other: that slice may have begun first,
        and readers, who go by time, drop an arrow that has not left.
        """
        leaving, coming = self.timeline.leaving, self.timeline.coming
        for number, slice in enumerate(zip(*self.timeline.slices, strict=True)):
            processor, start, end, name, kind, program = slice
            track = self.processors + processor
            event = self._begin(track, start, name, kind)
            if program:
                event.debug_annotations.add(name="program", string_value=program)
            if number in leaving:
                event.flow_ids.extend([flows + arrow.number for arrow in leaving[number]])
                _annotate(event, "sent", [arrow.sent for arrow in leaving[number]])
            if number in coming:
                _annotate(event, "received", [arrow.received for arrow in coming[number]])
            event = self._event(track, end, END)
            if number in coming:
                event.terminating_flow_ids.extend([flows + arrow.number for arrow in coming[number]])

    def _begin(self, track: int, tick: int, name: str, category: str) -> Any:
        event = self._event(track, tick, BEGIN)
        event.name_iid = self.names[name]
        event.category_iids.append(self.categories[category])
        return event

    def _event(self, track: int, tick: int, kind: int) -> Any:
        packet = self.packets.add()
        packet.timestamp = tick * self.ns
        event = packet.track_event
        event.type = kind
        event.track_uuid = track
        return event


def _numbered(texts: Sequence[str]) -> Mapping[str, int]:
    """Different texts, numbered from 1: 0 stands for none."""
    return {text: number for number, text in enumerate(dict.fromkeys(texts), start=1)}


def _annotate(event: Any, name: str, messages: Sequence[Mapping[str, Any]]) -> None:
    """Give a slice its messages as arguments."""
    values = event.debug_annotations.add(name=name).array_values
    for message in messages:
        entries = values.add().dict_entries
        for key, value in message.items():
            if isinstance(value, int):
                entries.add(name=key, int_value=value)
            else:
                entries.add(name=key, string_value=value)
