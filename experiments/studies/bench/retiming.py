"""Re-timing a recorded step for many machines, against simulating it for each."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from random import Random
from typing import Any

from meshsim import lanes
from meshsim.experiments.studies.bench.measuring import Repeats, timed
from meshsim.experiments.studies.bench.mesh import mesh_plan
from meshsim.experiments.studies.bench.plain import Plain
from meshsim.machine import DISCIPLINES, OPERATIONS, LinkCosts, Machine
from meshsim.presets import PRESETS
from meshsim.recording import record
from meshsim.retiming import retime

ALWAYS, NEVER = 0, 2**62
"""From how many sums on re-timing is compiled."""


@contextmanager
def compiled_from(sums: int) -> Iterator[None]:
    """Within this, re-timing is compiled from so many sums on, if numba is installed."""
    before, lanes.WORTH = lanes.WORTH, sums
    try:
        yield
    finally:
        lanes.WORTH = before


def retiming(n: int = 32, machines: int = 4096) -> Repeats:
    """Of a chain of so many joints; recording and sorting are shared out among the machines."""
    plan = mesh_plan(n)
    table = random_machines(machines)
    sample = [next(each for each in table if each.links.discipline == kind) for kind in DISCIPLINES]
    rendezvous = next(each for each in sample if each.links.discipline == "rendezvous")

    def retimed(worth: int) -> None:
        with compiled_from(worth):
            retime(record(plan)[0], table)

    def simulated() -> None:
        for each in sample:
            plan.run(each, trace=False)

    ways: dict[str, Callable[[], Any]] = {
        "compiled": partial(retimed, lanes.WORTH),
        "numpy": partial(retimed, NEVER),
        "simulated": simulated,
        "plain": lambda: plan.answer(Plain(rendezvous)),
    }
    while True:
        seconds = timed(ways)
        each, numpy_each = seconds["compiled"] / machines, seconds["numpy"] / machines
        yield {
            "retime.machines": machines,
            "retime.seconds_per_machine": each,
            "retime.ratio": seconds["simulated"] / len(sample) / each,
            "retime.plain_ratio": seconds["plain"] / each,
            "retime.numpy_plain_ratio": seconds["plain"] / numpy_each,
        }


def large_retiming(n: int = 64, machines: int = 512) -> Repeats:
    """Of a larger chain, under one discipline; recording and sorting are apart."""
    plan = mesh_plan(n)
    table = [each for each in random_machines(len(DISCIPLINES) * machines) if each.links.discipline == "overlap"]
    recording, _ = record(plan)
    ways: dict[str, Callable[[], Any]] = {
        "simulated": partial(plan.run, PRESETS["t800"], trace=False),
        "recorded": partial(record, plan),
        "re-timed": partial(retime, recording, table),
    }
    with compiled_from(ALWAYS):
        retime(recording, table[:1])  # which sorts the dependences, once
    while True:
        with compiled_from(ALWAYS):
            seconds = timed(ways)
        yield {
            f"retime.{n}.record_ratio": seconds["recorded"] / seconds["simulated"],
            f"retime.{n}.seconds_per_machine": seconds["re-timed"] / len(table),
        }


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
