"""A processor of the SimPy engine: a core, and the process that runs a program on it.

Arithmetic advances the core's clock and costs the event loop nothing; only communication meets other processors.
"""

from collections.abc import Generator, Hashable
from heapq import heappop, heappush
from typing import Any, TypeVar, TypeVarTuple

import simpy

from meshsim.channel import End
from meshsim.counted import Kernel
from meshsim.errors import MeshSimError
from meshsim.formats import Width
from meshsim.log import Log, Spans
from meshsim.machine import Machine, Turns
from meshsim.payload import freeze
from meshsim.program import Program, ProgramError, Steps, Until

Ts = TypeVarTuple("Ts")
R = TypeVar("R")


class Chore:
    """What a processor's time went into, besides arithmetic and operations.

    On one that programs share: a switch, a copy, to send, receive or forward, or a wait for a message that it has to
    forward. On any: a wait for a tick.

    `what` is the channel that a message belongs to, the operations that were set up or ended, or nothing.
    """

    __slots__ = ("kind", "what")

    def __init__(self, kind: str, what: Any = None) -> None:
        self.kind = kind
        self.what = what

    def __repr__(self) -> str:
        return f"<{self.kind}>"


class Prices(dict[Any, int]):
    """The machine's price of each kernel, looked up once; and what a number takes in a message, if not a word."""

    def __init__(self, machine: Machine, width: Width | None = None) -> None:
        self.machine = machine
        self.width = width

    def __missing__(self, kernel: Kernel[*tuple[Any, ...], Any]) -> int:
        price = self[kernel] = self.machine.price(kernel)
        return price


class Agenda(dict[int, "list[Process]"]):
    """Which processes go on at which tick.

    It has one SimPy event under way, for its next tick, and goes on from tick to tick without another while SimPy has
    nothing to do before.
    """

    def __init__(self, env: simpy.Environment, log: Log | None = None) -> None:
        self.env = env
        self.log = log  # whose pages it turns
        self.ticks: list[int] = []  # those that it has entries for; a heap
        self.armed: int | None = None  # the tick of the next event

    def __missing__(self, tick: int) -> "list[Process]":
        going = self[tick] = []
        heappush(self.ticks, tick)
        if self.armed is None or tick < self.armed:
            self._arm(tick)
        return going

    def _arm(self, tick: int) -> None:
        self.armed = tick
        self.env.timeout(tick - self.env.now, tick).callbacks.append(self._ring)

    def _ring(self, event: Any) -> None:
        env, ticks, log = self.env, self.ticks, self.log
        if event.value != self.armed:
            return  # it was armed for an earlier tick since
        while ticks:
            now = ticks[0]
            if now != self.armed:
                if env.peek() < now:
                    break
                self.armed = now
            if log is not None:
                log.turn_full_page()
            heappop(ticks)
            for process in self.pop(now):
                process.resume()
        self.armed = None
        if ticks:
            self._arm(ticks[0])


class Core:
    """What computes: its clock, what kernels cost on it, and the agenda that lets its process go on.

    It has a log only while tracing.
    """

    __slots__ = ("agenda", "clock", "log", "node", "numbers", "prices", "rank", "shared", "turns", "width")

    def __init__(self, agenda: Agenda, prices: Prices, node: Hashable, rank: int, log: Log | None = None) -> None:
        self.agenda = agenda
        self.prices = prices
        self.node = node  # of the network
        self.rank = rank  # in node order
        self.clock = 0
        self.turns = prices.machine.links.turns
        self.width = prices.width
        self.shared = False  # whether several programs take turns on it
        self.log = log
        self.numbers: dict[Any, int] = {}  # in the log, of kernels and operations
        if log is not None:
            log.enter_processor()

    def number(self, what: Any) -> int:
        """The number that a kernel, operations or a chore have in the log."""
        assert self.log is not None
        found = self.numbers.get(what)
        if found is None:
            found = self.log.number(self.rank, what)
            if type(what) is not Chore:  # of which each is used once
                self.numbers[what] = found
        return found

    def keep(self, end: int, what: Any) -> None:
        """Write down what it did up to a tick."""
        log = self.log
        assert log is not None
        log.ends.append(end)
        log.numbers.append(self.number(what))

    @property
    def spans(self) -> Spans:
        """What it did, when the run has ended."""
        assert self.log is not None
        return Spans(self.log, self.rank)


class Tally:
    """How often a process has called a kernel, what that costs, and the number that it has in a log."""

    __slots__ = ("count", "number", "price")

    def __init__(self, count: int, price: int, number: int = -1) -> None:
        self.count = count
        self.price = price
        self.number = number


class Process:
    """A program on a core: what it sees as `cpu`, its ports, and what it waits for.

    `node` and `rank` are of the plan's topology, which a placement may put on another network.
    """

    __slots__ = (
        "calls_by_phase", "core", "finished", "inputs", "latest", "least", "node", "noted", "outputs", "pending",
        "phases", "rank", "result", "single", "steps", "tallies", "waits",
    )  # fmt: skip

    def __init__(self, core: Core, node: Hashable, rank: int) -> None:
        self.core = core
        self.node = node
        self.rank = rank
        self.tallies: dict[Any, Tally] = {}  # of each kernel
        self.phases: dict[str, int] = {}
        self.calls_by_phase: dict[str, dict[Any, int]] = {}  # kernel calls so far, at each mark
        self.inputs: dict[str, End] = {}
        self.outputs: dict[str, End] = {}
        self.steps: Steps[Any] | None = None
        self.finished = True
        self.result: Any = None
        self.waits: tuple[End, ...] = ()  # the operations under way
        self.single = False  # whether they are one, not a par
        self.pending = 0  # how many of them have no known end
        self.latest = 0  # the latest known end
        self.least = 1 if core.width is None else core.width.words(1)  # words of a message of one number
        self.noted = False  # whether it is told of each communication

    @property
    def clock(self) -> int:
        """Its core's: now, and in the end when it finished."""
        return self.core.clock

    @property
    def calls(self) -> dict[Any, int]:
        """How often it has called each kernel."""
        return {kernel: tally.count for kernel, tally in self.tallies.items()}

    def do(self, kernel: Kernel[*Ts, R], *args: *Ts) -> R:
        """Compute with a kernel, and let its time pass."""
        try:
            tally = self.tallies[kernel]
        except KeyError:
            tally = self.tallies[kernel] = Tally(0, self.core.prices[kernel])
        tally.count += 1
        self.core.clock += tally.price
        return kernel.function(*args)

    def send(self, port: Any, value: Any) -> End:
        """An operation to yield: send a value through a port."""
        try:
            end = self.outputs[port]
        except KeyError:
            raise self._no_port("send to", port) from None
        if end.issued is not None:
            raise self._twice(end)
        if type(value) is float:
            end.payload = value
            end.words = self.least
        else:
            try:
                end.payload, end.words = freeze(value)
            except MeshSimError as error:
                raise ProgramError(f"{self.node} cannot send to port {port!r}: {error}") from None
            if self.core.width is not None:
                end.words = self.core.width.words(end.words)
        end.issued = self
        return end

    def recv(self, port: Any) -> End:
        """An operation to yield: its value is what the next message through the port brings."""
        try:
            end = self.inputs[port]
        except KeyError:
            raise self._no_port("receive from", port) from None
        if end.issued is not None:
            raise self._twice(end)
        end.issued = self
        return end

    def par(self, *operations: End) -> tuple[End, ...]:
        """An operation to yield: several at once, until all have ended; its value is the tuple of theirs."""
        return operations

    def phase(self, name: Any) -> None:
        """Mark that this processor has ended a phase."""
        self.phases[name] = self.core.clock
        self.calls_by_phase.pop(name, None)  # the latest mark is the last entry
        self.calls_by_phase[name] = self.calls

    # What follows belongs to the engine.

    def load(self, program: Program) -> None:
        """Take a program; it starts at tick 0."""
        steps = None
        if callable(program):
            try:
                steps = program(self)
            except MeshSimError:
                raise
            except Exception as failure:
                raise self._failed(failure) from failure
        if not isinstance(steps, Generator):
            raise ProgramError(f"the program of {self.node} must be a generator function, not {program!r}")
        self.steps = steps
        self.finished = False

    def start(self) -> None:
        """Run the program from its beginning until it must wait."""
        self._go(None)

    def settle(self, end: int) -> None:
        """One of the operations under way has got its end."""
        if end > self.latest:
            self.latest = end
        if self.pending > 1:
            self.pending -= 1
        else:
            self.core.agenda[self.latest].append(self)

    def resume(self) -> None:
        """All operations under way have ended: go on with what they brought."""
        core, waits, latest = self.core, self.waits, self.latest
        if core.turns is not None:
            latest = _last_turn(waits, core.turns, latest)
        if self.noted:
            self.note(latest, waits)
        core.clock = latest
        self._go(waits[0].value if self.single else tuple([end.value for end in waits]))

    def _go(self, value: Any) -> None:
        """Run the program until a communication must wait, or to its end."""
        assert self.steps is not None
        core, send, noted = self.core, self.steps.send, self.noted
        plain = core.turns is None and not core.shared  # operations begin together, and cost the core nothing more
        while True:
            try:
                operation = send(value)
            except StopIteration as stop:
                self._finish(stop.value)
                return
            except MeshSimError:
                raise
            except Exception as failure:
                raise self._failed(failure) from failure
            kind = type(operation)
            clock = core.clock
            if kind is End and plain:
                if operation.issued is not self:
                    raise self._not_an_operation(operation)
                operation.issued = None
                operation.start = clock
                if not operation.begin(operation):
                    self.waits, self.single, self.pending, self.latest = (operation,), True, 1, clock
                    return
                latest = operation.end
                if noted:
                    self.note(latest, (operation,))
                core.clock = latest
                value = operation.value
                continue
            if kind is Until:
                if self._until(operation.tick):
                    return
                value = None
                continue
            single = kind is not tuple
            waits: tuple[Any, ...] = (operation,) if single else operation
            latest = clock
            pending = 0
            if plain:
                for end in waits:
                    if type(end) is not End or end.issued is not self:
                        raise self._not_an_operation(end)
                    end.issued = None
                    end.start = clock
                    if not end.begin(end):
                        pending += 1
                    elif end.end > latest:
                        latest = end.end
            else:
                pending, latest = self._begin(waits)
            if pending:
                self.waits, self.single, self.pending, self.latest = waits, single, pending, latest
                return
            if noted:
                self.note(latest, waits)
            core.clock = latest
            value = waits[0].value if single else tuple([end.value for end in waits])

    def note(self, end: int, ends: tuple[End, ...]) -> None:
        """Operations have ended together, at a tick; for processes that want to know."""

    def _until(self, tick: int) -> bool:
        """Let time pass until a tick; whether the program goes on later. Nobody else needs this processor till then."""
        core = self.core
        if tick > core.clock:
            if core.log is not None:
                core.keep(tick, Chore("wait"))
            core.clock = tick
        return False

    def _begin(self, waits: tuple[Any, ...]) -> tuple[int, int]:
        """Begin operations whose set-ups follow one another; how many have no known end, and the latest end."""
        turns = self.core.turns
        assert turns is not None
        clock = turn = latest = self.core.clock
        pending = 0
        for end in waits:
            if type(end) is not End or end.issued is not self:
                raise self._not_an_operation(end)
            end.issued = None
            end.start = clock
            if end.verb == "send":
                end.start = turn
                turn += turns.send
            if not end.begin(end):
                pending += 1
            elif end.end > latest:
                latest = end.end
        return pending, latest if pending else _last_turn(waits, turns, latest)

    def _finish(self, result: Any) -> None:
        self.finished = True
        self.result = result
        for end in (*self.inputs.values(), *self.outputs.values()):
            if end.issued is not None:
                raise ProgramError(f"the program of {self.node} never yielded its {end.verb} on port {end.port!r}")

    def _failed(self, failure: Exception) -> ProgramError:
        name = type(failure).__name__
        told = ProgramError(f"the program of {self.node} failed at tick {self.clock}: {name}: {failure}")
        told.__cause__ = failure  # said here as well: a compiled `raise` does not say it
        return told

    def _no_port(self, verb: str, port: str) -> ProgramError:
        known = ", ".join(sorted(self.inputs)) or "none"
        return ProgramError(f"{self.node} cannot {verb} port {port!r}: its ports are {known}")

    def _twice(self, end: End) -> ProgramError:
        return ProgramError(f"{self.node} uses port {end.port!r} for a second {end.verb} before it yielded the first")

    def _not_an_operation(self, thing: Any) -> ProgramError:
        if type(thing) is End and thing.cpu is self:
            return ProgramError(f"the program of {self.node} yielded its {thing.verb} on port {thing.port!r} twice")
        return ProgramError(
            f"the program of {self.node} must yield its own cpu.send, cpu.recv or cpu.par, not {thing!r}"
        )


def _last_turn(waits: tuple[End, ...], turns: Turns, latest: int) -> int:
    """When a par ends whose receives follow one another, in its order; without that it would end at `latest`."""
    handled = 0
    for end in waits:
        if end.verb == "recv":
            handled = max(handled + turns.recv, end.end)
    return max(handled, latest)


class TracedProcess(Process):
    """A process that keeps a span for every kernel call and every communication."""

    __slots__ = ("ends", "numbers")

    def __init__(self, core: Core, node: Hashable, rank: int) -> None:
        super().__init__(core, node, rank)
        assert core.log is not None
        self.ends: list[int] = core.log.ends  # at hand, since each is used a million times
        self.numbers: list[int] = core.log.numbers
        self.noted = True

    def do(self, kernel: Kernel[*Ts, R], *args: *Ts) -> R:
        """Compute with a kernel, let its time pass, and write down when."""
        core = self.core
        try:
            tally = self.tallies[kernel]
        except KeyError:
            tally = self.tallies[kernel] = Tally(0, core.prices[kernel], core.number(kernel))
        tally.count += 1
        core.clock = end = core.clock + tally.price
        self.ends.append(end)
        self.numbers.append(tally.number)
        return kernel.function(*args)

    def note(self, end: int, ends: tuple[End, ...]) -> None:
        """Write down a communication; most are of the same operations as the one before with the same first."""
        if not ends:
            self.core.keep(end, ends)
            return
        first = ends[0]
        if first.together != ends:
            first.together = ends
            first.number = self.core.number(ends)
        self.ends.append(end)
        self.numbers.append(first.number)


class UntimedProcess(Process):
    """A process that writes down what its program does, for any machine: nothing in it may depend on a clock."""

    def _until(self, _: int) -> bool:
        raise MeshSimError("a plan whose evaluations are offered at set ticks must be simulated: it cannot be recorded")
