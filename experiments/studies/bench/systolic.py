"""Messages per second on a systolic array, against the same array in plain SimPy."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import simpy

from meshsim.algorithms.kernels.core import axpy
from meshsim.experiments.studies.bench.measuring import Repeats, timed
from meshsim.machine import LinkCosts, Machine
from meshsim.plan import Plan
from meshsim.program import Cpu, Steps
from meshsim.topologies.mesh import square_mesh

STEPS = 64
COMPUTE, WIRE = 2, 5
SYSTOLIC = Machine(
    "systolic",
    1000,
    {"mul": 1, "add": 1, "div": 1, "sqrt": 1, "sincos": 1},
    LinkCosts("rendezvous", startup=3, per_word=2),
)


def systolic(size: int) -> Repeats:
    """Of an array of so many rows and columns."""
    plan, messages = systolic_plan(size), messages_of(size)
    ways: dict[str, Callable[[], Any]] = {
        "plain": partial(run_plain, size),
        "ours": partial(plan.run, SYSTOLIC, trace=False),
        "traced": partial(plan.run, SYSTOLIC, trace=True),
    }
    while True:
        seconds = timed(ways)
        yield {
            f"systolic.{size}.plain_messages_per_s": messages / seconds["plain"],
            f"systolic.{size}.messages_per_s": messages / seconds["ours"],
            f"systolic.{size}.traced_messages_per_s": messages / seconds["traced"],
            f"systolic.{size}.ratio": seconds["plain"] / seconds["ours"],
            f"systolic.{size}.traced_ratio": seconds["plain"] / seconds["traced"],
        }


def messages_of(size: int) -> int:
    """How many messages an array sends."""
    return 2 * size * (size - 1) * STEPS


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
