"""A recording played on one machine: the run that the engine would give, trace and critical path included."""

from itertools import pairwise
from typing import TypeVar

import numpy as np
import simpy

from meshsim.channel import DISCIPLINES, Channel, End
from meshsim.discipline import COSTS, Price, turns
from meshsim.log import FIELDS, Log
from meshsim.machine import Machine
from meshsim.machine_table import MachineList
from meshsim.outcome import Run
from meshsim.processor import Agenda, Core, Prices, Tally, TracedProcess
from meshsim.recording import Recording
from meshsim.retiming import NotKahnError, check_kahn, class_costs, kernel_prices, schedule_of

T = TypeVar("T")


def replay(recording: Recording, machine: Machine, value: T) -> Run[T]:
    """What a plan does on a machine, every span and message of it.

    Parameters
    ----------
    recording : Recording
        What the plan's programs did.
    machine : Machine
        Of any discipline, with links of full duplex.
    value
        The plan's answer, as `record` gave it.

    Raises
    ------
    NotKahnError
        If on this machine the order of events depends on times, or if the plan was placed on another network: what goes
        on in routers is not in a recording.
    """
    if recording.places:
        reason = "what went on in the routers of a network is known to the engine only"
        raise NotKahnError("a plan that was placed on a network cannot be replayed", reason)
    check_kahn(machine, recording)
    schedule = schedule_of(recording, machine.links)
    alone = MachineList([machine])
    costs = class_costs(recording, schedule, alone, kernel_prices(recording, alone))
    times = schedule.evaluate(costs)[:, 0]
    player = Player(recording, machine, times[schedule.ends].tolist())
    for cpu in range(len(recording.nodes)):
        player.play(cpu)
    for channel in range(len(recording.links)):
        player.write_log(channel)
    player.mark(times[schedule.marks].tolist())
    return Run(machine, value, tuple(player.cpus), tuple(player.channels), tuple(cpu.core for cpu in player.cpus))


class Player:
    """Processors and channels as the engine makes them, to be filled from a recording and its times."""

    def __init__(self, recording: Recording, machine: Machine, ended: list[int]) -> None:
        self.recording = recording
        self.links = machine.links
        self.ended = ended  # by step
        agenda, prices = Agenda(simpy.Environment()), Prices(machine)
        self.prices = prices
        self.log = Log()
        cores = [Core(agenda, prices, node, rank, self.log) for rank, node in enumerate(recording.nodes)]
        self.cpus = [TracedProcess(core, core.node, core.rank) for core in cores]
        self.channels: list[Channel] = []
        self.ends: list[End] = []  # by operation
        for sender, out_port, receiver, in_port in recording.links:
            ends = self._end(sender, out_port, "send"), self._end(receiver, in_port, "recv")
            self.channels.append(DISCIPLINES[self.links.discipline](self.links, *ends, None, self.log))
            self.ends.extend(ends)
        bounds = recording.work_ends.tolist()
        kernels = recording.work_kernels.tolist()
        self.works = [[recording.kernels[k] for k in kernels[low:high]] for low, high in pairwise([0, *bounds])]
        self.started: list[list[int]] = [[0] * recording.messages, [0] * recording.messages]  # send and receive
        self.ops: list[int] = recording.ops.tolist()
        self.op_messages: list[int] = recording.op_messages.tolist()
        self.op_ends = [0, *recording.op_ends.tolist()]
        self.step_works = recording.step_works.tolist()
        self.step_ends = [0, *recording.step_ends.tolist()]

    def _end(self, cpu: int, port: str, verb: str) -> End:
        ports = self.cpus[cpu].outputs if verb == "send" else self.cpus[cpu].inputs
        ports[port] = end = End(self.cpus[cpu], port, verb)
        return end

    def play(self, number: int) -> None:
        """Fill in the spans of a processor."""
        cpu, recording = self.cpus[number], self.recording
        for step in range(self.step_ends[number], self.step_ends[number + 1]):
            start = self._compute(cpu, self.step_works[step])
            ops = range(self.op_ends[step], self.op_ends[step + 1])
            ends = tuple(self.ends[self.ops[op]] for op in ops)
            for op in ops:
                self.started[self.ops[op] % 2][self.op_messages[op]] = start
            if self.links.turns and len(ops) > 1:
                for op, end, turn in zip(ops, ends, turns([end.verb for end in ends]), strict=True):
                    if end.verb == "send":
                        self.started[0][self.op_messages[op]] = start + turn * self.links.turns.send
            cpu.core.clock = self.ended[step]
            cpu.note(cpu.clock, ends)
        self._compute(cpu, int(recording.tails[number]))
        for kernel, count in zip(recording.kernels, recording.call_counts[number].tolist(), strict=True):
            if count:
                cpu.tallies[kernel] = Tally(count, self.prices[kernel])

    def _compute(self, cpu: TracedProcess, work: int) -> int:
        for kernel in self.works[work]:
            cpu.core.clock += self.prices[kernel]
            cpu.core.keep(cpu.clock, kernel)
        return cpu.clock

    def write_log(self, number: int) -> None:
        """Fill in the times of a channel's messages."""
        channel, recording = self.channels[number], self.recording
        high = int(recording.message_ends[number])
        low = int(recording.message_ends[number - 1]) if number else 0
        words = recording.words_on(self.prices.machine, recording.words[low:high]).tolist()
        times = self._lives(self.started[0][low:high], self.started[1][low:high], words)
        times |= {"channel": [number] * len(words), "words": words}
        self.log.messages += np.array([times[field] for field in FIELDS], dtype=np.int64).T.tobytes()
        channel.messages, channel.words = len(words), sum(words)

    def _lives(self, sent: list[int], asked: list[int], words: list[int]) -> dict[str, list[int]]:
        """The points of the messages of a channel, in order: each is the latest of what it comes after."""
        links, causes = self.links, self.links.causes
        times = {"sent": sent, "asked": asked, **{point: list[int]() for point in causes}}
        ticks: dict[int, dict[Price, int]] = {
            size: {"": 0, **{cost: links.ticks(cost, size) for cost in COSTS}} for size in set(words)
        }
        afters = [(times[point], [(times[p], cost, back) for p, cost, back in each]) for point, each in causes.items()]
        for number, size in enumerate(words):
            spent = ticks[size]
            for point, each in afters:
                latest = 0
                for earlier, cost, back in each:
                    if back <= number and earlier[number - back] + spent[cost] > latest:
                        latest = earlier[number - back] + spent[cost]
                point.append(latest)
        return times

    def mark(self, ticks: list[int]) -> None:
        """Fill in when phases ended, and what had been computed by then."""
        counts = self.recording.work_counts
        for (cpu, name, steps, work), tick in zip(self.recording.marks, ticks, strict=True):
            self.cpus[cpu].phases[name] = tick
            first = self.step_ends[cpu]
            done = counts[self.step_works[first : first + steps]].sum(axis=0) + counts[work]
            self.cpus[cpu].calls_by_phase[name] = {
                kernel: int(count) for kernel, count in zip(self.recording.kernels, done, strict=True) if count
            }
