"""The simulator's speed, against a simpler implementation measured in the same run."""

import gc
import time
from collections.abc import Callable, Generator, Hashable, Iterator, Mapping, Sequence
from functools import partial
from random import Random
from typing import Any, TypeVar, TypeVarTuple

import networkx
import simpy

from meshsim.algorithms.kernels.core import axpy
from meshsim.algorithms.motion.written import cells_of
from meshsim.algorithms.robots.catalogue import chain, load_robot
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.state import State, default_state
from meshsim.algorithms.schemes.base.evaluation import CellEvaluation
from meshsim.algorithms.schemes.catalogue import SCHEMES
from meshsim.algorithms.schemes.mesh.wong_mesh import WONG_MESH
from meshsim.counted import Kernel
from meshsim.errors import MeshSimError
from meshsim.experiments.store.progress import tell
from meshsim.experiments.studies.written_bench import against_compiled
from meshsim.machine import DISCIPLINES, OPERATIONS, LinkCosts, Machine
from meshsim.network import Network
from meshsim.payload import freeze
from meshsim.plan import Plan
from meshsim.presets import PRESETS
from meshsim.program import Cpu, Program, Steps
from meshsim.recording import record
from meshsim.retiming import retime
from meshsim.tape import Tape
from meshsim.topologies.mesh import square_mesh
from meshsim.topologies.omega import omega

Ts = TypeVarTuple("Ts")
R = TypeVar("R")

STEPS = 64
REPEATS, SECONDS = 3, 4.0
"""A measurement takes at least so many turns, and at least so long."""

COMPUTE, WIRE = 2, 5
SYSTOLIC = Machine(
    "systolic",
    1000,
    {"mul": 1, "add": 1, "div": 1, "sqrt": 1, "sincos": 1},
    LinkCosts("rendezvous", startup=3, per_word=2),
)


def systolic(sizes: tuple[int, ...] = (8, 32, 48)) -> dict[str, float]:
    """Messages per second on a K by K systolic array that multiplies matrices, one float a message."""
    figures: dict[str, float] = {}
    for size in sizes:
        messages = 2 * size * (size - 1) * STEPS
        plan = systolic_plan(size)
        ways: dict[str, Callable[[], Any]] = {
            "plain": partial(run_plain, size),
            "ours": partial(plan.run, SYSTOLIC, trace=False),
            "traced": partial(plan.run, SYSTOLIC, trace=True),
        }
        seconds = _best(f"systolic {size}", ways)
        rates = {way: messages / best for way, best in seconds.items()}
        figures[f"systolic.{size}.plain_messages_per_s"] = rates["plain"]
        figures[f"systolic.{size}.messages_per_s"] = rates["ours"]
        figures[f"systolic.{size}.traced_messages_per_s"] = rates["traced"]
        figures[f"systolic.{size}.ratio"] = rates["ours"] / rates["plain"]
        figures[f"systolic.{size}.traced_ratio"] = rates["traced"] / rates["plain"]
    return figures


def systolic_plan(size: int) -> Plan[dict[Any, float]]:
    """The array as our programs."""
    mesh = square_mesh(size, size)
    programs = {(k, i): partial(_cell, k=k, i=i, size=size) for k, i in mesh}
    return Plan(mesh, programs, dict)


def _cell(cpu: Cpu, k: int, i: int, size: int) -> Steps[float]:
    """west -> a, north -> b;  east <- a, south <- b; returns the sum of a b."""
    total = 0.0
    for step in range(STEPS):
        if k > 1 and i > 1:
            a, b = yield cpu.par(cpu.recv("west"), cpu.recv("north"))
        else:
            a = (yield cpu.recv("west")) if i > 1 else float(step + k)
            b = (yield cpu.recv("north")) if k > 1 else float(step + i)
        total = cpu.do(axpy, a, b, total)
        if k < size and i < size:
            yield cpu.par(cpu.send("east", a), cpu.send("south", b))
        elif i < size:
            yield cpu.send("east", a)
        elif k < size:
            yield cpu.send("south", b)
    return total


def run_plain(size: int) -> dict[tuple[int, int], float]:
    """The same array as SimPy is usually written: a `Store(1)` per link, a timeout per compute and per transfer."""
    env = simpy.Environment()
    nodes = [(r, c) for r in range(1, size + 1) for c in range(1, size + 1)]
    east = {node: simpy.Store(env, capacity=1) for node in nodes}
    south = {node: simpy.Store(env, capacity=1) for node in nodes}
    totals: dict[tuple[int, int], float] = {}

    def cell(r: int, c: int) -> Iterator[Any]:
        total = 0.0
        for step in range(STEPS):
            a: Any = (yield east[r, c - 1].get()) if c > 1 else float(step + r)
            b: Any = (yield south[r - 1, c].get()) if r > 1 else float(step + c)
            total += a * b
            yield env.timeout(COMPUTE)
            if c < size:
                yield env.timeout(WIRE)
                yield east[r, c].put(a)
            if r < size:
                yield env.timeout(WIRE)
                yield south[r, c].put(b)
        totals[r, c] = total

    for r, c in nodes:
        env.process(cell(r, c))  # type: ignore[arg-type]
    env.run()
    return totals


def mesh(sizes: tuple[int, ...] = (16, 32)) -> dict[str, float]:
    """Seconds for one step of a random chain on the triangular mesh, with and without trace."""
    figures: dict[str, float] = {}
    for n in sizes:
        plan = _mesh_plan(n)
        machine = PRESETS["t800-overlap"]
        ways: dict[str, Callable[[], Any]] = {
            "untraced": partial(plan.run, machine, trace=False),
            "traced": partial(plan.run, machine, trace=True),
        }
        seconds = _best(f"mesh {n}", ways)
        messages = plan.run(machine, trace=False).messages
        figures[f"mesh.{n}.messages"] = messages
        figures[f"mesh.{n}.seconds"] = seconds["untraced"]
        figures[f"mesh.{n}.messages_per_s"] = messages / seconds["untraced"]
        figures[f"mesh.{n}.traced_slowdown"] = seconds["traced"] / seconds["untraced"]
    return figures


def placed(n: int = 12) -> dict[str, float]:
    """How much longer a step of the mesh takes to simulate on networks that are not its own, as factors."""
    plan, machine = _mesh_plan(n), PRESETS["t800"]
    ways: dict[str, Callable[[], Any]] = {"own": partial(plan.run, machine, trace=False)}
    links = {"own": 1.0}  # that a message crosses, in the mean
    for graph in (square_mesh(1, 1), square_mesh(2, 2), square_mesh(4, 4), omega(16)):
        network = Network(graph)
        for placement in ("blocks", "auto"):
            there = plan.placed(network, placement, machine)
            way = f"{network.name.replace(' ', '')}.{placement}"
            ways[way] = partial(there.run, machine, trace=False)
            run = there.run(machine, trace=False)
            links[way] = sum(load.messages for load in run.loads) / run.messages
    seconds = _best(f"placed {n}", ways)
    figures: dict[str, float] = {}
    for way, best in seconds.items():
        figures[f"placed.{way}.links_a_message"] = links[way]
        figures[f"placed.{way}.ratio"] = best / seconds["own"]
    return figures


def retime_bench(n: int = 32, machines: int = 4096, large: int = 64) -> dict[str, float]:
    """Seconds a machine for one step on the triangular mesh: re-timed, simulated, and in plain SimPy.

    Recording and sorting are shared out among the machines.
    """
    plan = _mesh_plan(n)
    table = random_machines(machines)
    sample = [next(each for each in table if each.links.discipline == kind) for kind in DISCIPLINES]

    def simulated() -> None:
        for each in sample:
            plan.run(each, trace=False)

    ways: dict[str, Callable[[], Any]] = {
        "re-timed": lambda: retime(record(plan)[0], table),
        "simulated": simulated,
        "plain": lambda: plan.answer(Plain(next(each for each in sample if each.links.discipline == "rendezvous"))),
    }
    seconds = _best(f"retime {n}", ways)
    each = seconds["re-timed"] / machines
    figures = {
        "retime.machines": machines,
        "retime.seconds_per_machine": each,
        "retime.ratio": seconds["simulated"] / len(sample) / each,
        "retime.plain_ratio": seconds["plain"] / each,
    }
    if large:
        big = _mesh_plan(large)
        ways = {"recorded": partial(record, big), "simulated": partial(big.run, PRESETS["t800"], trace=False)}
        seconds = _best(f"record {large}", ways)
        recording, _ = record(big)
        some = [each for each in table if each.links.discipline == "overlap"][:20]
        retime(recording, some[:1])  # which sorts the dependences, once
        evaluated = _best(f"retime {large}", {"re-timed": partial(retime, recording, some)})["re-timed"]
        figures[f"retime.{large}.record_ratio"] = seconds["recorded"] / seconds["simulated"]
        figures[f"retime.{large}.seconds_per_machine"] = evaluated / len(some)
    return figures


def written(schemes: tuple[str, ...] = ("wong-mesh", "one-wong"), times: int = 1000) -> dict[str, float]:
    """Seconds for the numbers of one evaluation on the PUMA written out as one function, with and without calls."""
    figures: dict[str, float] = {}
    robot = load_robot("puma600")
    state = default_state(robot)
    values = [*state.q, *state.qd, *state.tau]
    for name in schemes:
        ways: dict[str, Callable[[], Any]] = {}
        for way, inline in (("inlined", True), ("called", False)):
            tape = Tape(partial(_accelerations, cells_of(SCHEMES[name].evaluation(robot)), robot), inline)
            tape(values)
            assert tape.line is not None
            ways[way] = partial(_repeat, times, tape.line, values)
        ways["simulated"] = partial(SCHEMES[name].plan(robot, state).run, PRESETS["t800"], trace=False)
        seconds = _best(f"written {name}", ways)
        each = seconds["inlined"] / times
        figures[f"written.{name}.seconds"] = each
        figures[f"written.{name}.ratio"] = seconds["called"] / seconds["inlined"]
        figures[f"written.{name}.simulated_ratio"] = seconds["simulated"] / each
    return figures


def _accelerations(evaluation: CellEvaluation, robot: Mechanism, values: Sequence[float]) -> Plan[Sequence[float]]:
    """A robot's accelerations as its positions, rates and torques give them, home by home."""
    n = robot.n
    state = State(tuple(values[:n]), tuple(values[n : 2 * n]), tuple(values[2 * n :]))
    made = evaluation.plan(state)

    def read(results: Mapping[Any, Any]) -> list[float]:
        return [qdd for home in evaluation.homes for qdd in evaluation.accelerations(results[home])]

    return Plan(made.topology, made.programs, read)


def _repeat(times: int, function: Callable[[Any], Any], argument: Any) -> None:
    for _ in range(times):
        function(argument)


def _mesh_plan(n: int) -> Plan[Any]:
    robot = chain(n, 10000 + n)
    return WONG_MESH.plan(robot, default_state(robot))


def random_machines(count: int) -> list[Machine]:
    """Machines of all disciplines, with one buffer."""
    draw, kinds = Random(1), DISCIPLINES
    return [
        Machine(
            f"random {number}",
            100,
            {name: draw.randint(1, 200) for name in OPERATIONS},
            LinkCosts(kinds[number % len(kinds)], draw.randint(0, 500), draw.randint(0, 100), draw.randint(0, 20)),
            draw.randint(0, 50),
        )
        for number in range(count)
    ]


class Plain:
    """An engine as SimPy is usually written: a `Store(1)` per channel, a timeout per compute and per transfer."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.env = simpy.Environment()
        self.stores: dict[tuple[Any, str], simpy.Store] = {}  # by who receives, and through which port
        self.partners: dict[tuple[Any, str], tuple[Any, str]] = {}
        self.results: dict[Any, Any] = {}

    def run(self, topology: networkx.Graph, programs: Mapping[Any, Program]) -> Mapping[Hashable, Any]:
        """What the programs returned, by node."""
        for _, _, ports in topology.edges(data="ports"):
            one, other = ports.items()
            self.partners[one], self.partners[other] = other, one
            self.stores[one], self.stores[other] = (simpy.Store(self.env, capacity=1) for _ in range(2))
        for node, program in programs.items():
            self.env.process(self._process(node, program))  # type: ignore[arg-type]
        self.env.run()
        return self.results

    def transfer(self, operation: tuple[Any, ...]) -> Generator[Any, Any, Any]:
        """One message, sent or received."""
        if operation[0] == "recv":
            return (yield self.stores[operation[1]].get())
        _, where, value, words = operation
        yield self.env.timeout(self.machine.links.wire(words))
        yield self.stores[where].put(value)
        return None

    def _process(self, node: Any, program: Program) -> Iterator[Any]:
        cpu = PlainCpu(self, node)
        steps = program(cpu)
        value: Any = None
        while True:
            try:
                operation = steps.send(value)
            except StopIteration as stop:
                self.results[node] = stop.value
                return
            if cpu.ticks:
                yield self.env.timeout(cpu.ticks)
                cpu.ticks = 0
            if isinstance(operation, list):
                parts = [self.env.process(self.transfer(each)) for each in operation]
                yield self.env.all_of(parts)
                value = tuple(part.value for part in parts)
            else:
                value = yield from self.transfer(operation)


class PlainCpu:
    """What a program sees; its operations are plain tuples."""

    def __init__(self, engine: Plain, node: Any) -> None:
        self.engine = engine
        self.node = node
        self.ticks = 0

    def do(self, kernel: Kernel[*Ts, R], *args: *Ts) -> R:
        """Compute, and remember for how long."""
        self.ticks += self.engine.machine.price(kernel)
        return kernel.function(*args)

    def send(self, port: str, value: Any) -> tuple[Any, ...]:
        """To whom, what, and how many words."""
        return "send", self.engine.partners[self.node, port], *freeze(value)

    def recv(self, port: str) -> tuple[Any, ...]:
        """From where."""
        return "recv", (self.node, port)

    def par(self, *operations: Any) -> list[Any]:
        """All of them."""
        return list(operations)

    def phase(self, name: str) -> None:
        """Nobody asks."""


BENCHES: dict[str, Callable[[], dict[str, float]]] = {
    "systolic": systolic,
    "mesh": mesh,
    "placed": placed,
    "retime": retime_bench,
    "written": lambda: written() | against_compiled(),
}
CORE = "core"
"""The bench that measures the computer, not the simulator (`core.py`)."""


def run_benches(name: str | None, benches: Mapping[str, Callable[[], dict[str, float]]]) -> dict[str, float]:
    """The figures of one bench, or of all."""
    if name is not None and name not in benches:
        raise MeshSimError(f"unknown bench {name!r}; known: {', '.join((*benches, CORE))}")
    figures: dict[str, float] = {}
    for each in [name] if name else benches:
        figures |= benches[each]()
    return figures


def _best(what: str, ways: dict[str, Callable[[], Any]]) -> dict[str, float]:
    """The best time of each way, all tried in turn: noise then affects all alike. Quick ones get more turns."""
    best = dict.fromkeys(ways, float("inf"))
    spent, turns = 0.0, 0
    while turns < REPEATS or spent < SECONDS:
        turns += 1
        for way, function in ways.items():
            tell(f"{what}: turn {turns}, {way}")
            gc.collect()  # so that no way pays for what the one before left behind
            start = time.process_time()
            function()
            seconds = time.process_time() - start
            best[way] = min(best[way], seconds)
            spent += seconds
    tell("")
    return best
