"""How figures are measured: in repeats, of which the median and the spread are told; and who else computes."""

import gc
import os
import platform
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import closing
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from meshsim.compiled import in_use
from meshsim.experiments.store.progress import tell
from meshsim.version import __version__

REPEATS, SECONDS = 5, 2.0
"""A measurement is repeated at least so often, and at least so long; one that takes minutes ends earlier by itself."""
DOUBTFUL = 0.2
"""Figures are doubtful where others kept so many processors busy in the mean."""
PACKAGES = ("numpy", "simpy", "networkx", "numba")
"""Whose versions figures depend on."""

Repeats = Generator[Mapping[str, float], None, None]
"""The figures of one repeat after the other."""
Measurement = Callable[[], Repeats]
"""Prepares what is measured, then measures it whenever it is asked for the next repeat."""


@dataclass(frozen=True)
class Bench:
    """Parts that are measured under one name; `says` tells what their figures are."""

    says: str
    measurements: Mapping[str, Measurement]


@dataclass(frozen=True)
class Figure:
    """What repeats gave: the median, and how far the upper quartile is from the lower one."""

    median: float
    spread: float

    def differs(self, other: "Figure") -> bool:
        """Whether two figures are further apart than their spreads together."""
        return abs(self.median - other.median) > self.spread + other.spread


@dataclass(frozen=True)
class Repeated:
    """The figures of a measurement, and how many processors others kept busy meanwhile, if that can be seen."""

    figures: Mapping[str, Figure]
    others: float | None

    @property
    def doubtful(self) -> bool:
        """Whether others may have slowed it down."""
        return self.others is not None and self.others > DOUBTFUL


def measure(label: str, measurement: Measurement) -> Repeated:
    """Repeat a measurement, and sum its figures up."""
    found: list[Mapping[str, float]] = []
    watch = _Watch()
    with closing(measurement()) as repeats:
        while len(found) < REPEATS or watch.own < SECONDS:
            tell(f"{label}: repeat {len(found) + 1}")
            figures = next(repeats, None)
            if figures is None:
                break
            found.append(figures)
    tell("")
    names = found[0] if found else ()
    return Repeated({name: _summary([figures[name] for figures in found]) for name in names}, watch.others)


def _summary(values: list[float]) -> Figure:
    low, median, high = np.percentile(values, [25, 50, 75])
    return Figure(float(median), float(high - low))


def timed(ways: Mapping[str, Callable[[], Any]]) -> dict[str, float]:
    """Seconds of this process's own time for each way, one way after the other."""
    found = {}
    for way, function in ways.items():
        gc.collect()  # so that no way pays for what the one before left behind
        start = time.process_time()
        function()
        found[way] = time.process_time() - start
    return found


class _Watch:
    """What this process and its children compute from now on, and what others do."""

    def __init__(self) -> None:
        self.start = time.monotonic(), _own(), _all()

    @property
    def own(self) -> float:
        """Seconds that this process and its children computed."""
        return _own() - self.start[1]

    @property
    def others(self) -> float | None:
        """How many processors others kept busy in the mean."""
        wall, _, before = self.start
        now = _all()
        if before is None or now is None:
            return None
        return max(0.0, (now - before - self.own) / (time.monotonic() - wall))


def _own() -> float:
    return sum(os.times()[:4])


def _all() -> float | None:
    """Seconds that all processors were busy with, or taken away by other machines on the same host; from Linux."""
    try:
        fields = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]
    except OSError:
        return None
    ticks = [int(field) for field in fields]
    return (sum(ticks) - ticks[3] - ticks[4]) / os.sysconf("SC_CLK_TCK")  # all but idle, and waiting for disks


def about() -> dict[str, str]:
    """On what is measured: this computer's processor, and versions."""
    found = {
        "cpu": _cpu(),
        "processors": str(os.cpu_count()),
        "engine": "compiled" if in_use() else "in Python",
        "version.meshsim": __version__,
        "version.python": platform.python_version(),
    }
    for package in PACKAGES:
        try:
            found[f"version.{package}"] = version(package)
        except PackageNotFoundError:
            found[f"version.{package}"] = "not installed"
    return found


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or platform.machine())
