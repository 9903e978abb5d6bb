"""How time and memory grow with the number of joints."""

import math
from collections.abc import Mapping, Sequence
from statistics import linear_regression

from meshsim.experiments.store.progress import tell
from meshsim.experiments.studies.bench.apart import apart
from meshsim.experiments.studies.bench.measuring import Repeats

GROWING = ("engine", "traced", "recording", "schedule", "retiming")
SIZES = (4, 8, 16, 32, 64)
LARGE = 16
"""From this size on exponents are fitted: what does not grow is small there."""
REPEATS = 3
"""Of what takes minutes."""


def growth(sizes: Sequence[int] = SIZES) -> Repeats:
    """Of each stage on the triangular mesh."""
    for repeat in range(1, REPEATS + 1):
        figures: dict[str, dict[str, float]] = {"seconds": {}, "bytes": {}}
        for stage in GROWING:
            measured: dict[int, dict[str, float]] = {}
            for n in sizes:
                tell(f"growth: repeat {repeat}, {stage}, {n} joints")
                measured[n] = apart(stage, n)
            for what, found in figures.items():
                told = {n: each[what] for n, each in measured.items() if what in each}
                found |= {f"growth.{what}.{n}.{stage}": each for n, each in told.items()}
                if told:
                    found[f"growth.{what}.exponent.{stage}"] = exponent(told)
        yield figures["seconds"] | figures["bytes"]


def exponent(found: Mapping[int, float]) -> float:
    """The power of n with which something grows, by least squares of logarithms over the large sizes."""
    large = {math.log(n): math.log(each) for n, each in found.items() if n >= LARGE and each > 0}
    return linear_regression([*large], [*large.values()]).slope


def memory(what: str, stage: str, size: int) -> Repeats:
    """Of one run, and the time that it takes."""
    for repeat in range(1, REPEATS + 1):
        tell(f"memory {what}: repeat {repeat}")
        measured = apart(stage, size)
        figures = {f"memory.{what}.messages": measured["messages"], f"memory.{what}.seconds": measured["seconds"]}
        if "bytes" in measured:
            figures[f"memory.{what}.bytes_a_message"] = measured["bytes"] / measured["messages"]
        yield figures
