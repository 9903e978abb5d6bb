"""How quick the simulator is, measured against a plainer way to do the same in the same run."""

import gc
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import simpy

from algorithms.kernels import axpy
from algorithms.robots import chain
from algorithms.state import default_state
from algorithms.wong_mesh import WONG_MESH
from experiments.progress import tell
from meshsim.errors import MeshSimError
from meshsim.machine import Links, Machine
from meshsim.plan import Plan
from meshsim.presets import PRESETS
from meshsim.processor import Processor, Steps
from topologies.mesh import square_mesh

STEPS = 64
REPEATS, SECONDS = 3, 4.0
"""A measurement takes at least so many turns, and at least so long."""

COMPUTE, WIRE = 2, 5
SYSTOLIC = Machine(
    "systolic", 1000, {"mul": 1, "add": 1, "div": 1, "sqrt": 1, "sincos": 1}, Links("rendezvous", startup=3, per_word=2)
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


def _cell(cpu: Processor, k: int, i: int, size: int) -> Steps[float]:
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
        robot = chain(n, 10000 + n)
        plan = WONG_MESH.plan(robot, default_state(robot))
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


BENCHES: dict[str, Callable[[], dict[str, float]]] = {"systolic": systolic, "mesh": mesh}


def run_benches(name: str | None) -> dict[str, float]:
    """The figures of one bench, or of all."""
    if name is not None and name not in BENCHES:
        raise MeshSimError(f"unknown bench {name!r}; known: {', '.join(BENCHES)}")
    figures: dict[str, float] = {}
    for each in [name] if name else BENCHES:
        figures |= BENCHES[each]()
    return figures


def _best(what: str, ways: dict[str, Callable[[], Any]]) -> dict[str, float]:
    """The best time of each way, all tried in turn: a noisy moment strikes them alike. Quick ones get more turns."""
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
