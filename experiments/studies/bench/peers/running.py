"""The systolic array of the bench in other simulators, where they are installed."""

import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from meshsim.errors import MeshSimError
from meshsim.experiments.store.progress import say, tell
from meshsim.experiments.studies.bench import systolic
from meshsim.experiments.studies.bench.measuring import Repeats, timed
from meshsim.experiments.studies.bench.systolic import COMPUTE, SYSTOLIC, WIRE, messages_of, systolic_plan

HERE = Path(__file__).parent
SIZES = (8, 32)
SIMGRID = ("--log=root.thres:critical", "--cfg=network/model:CM02", "--cfg=network/crosstraffic:0")
"""A transfer takes the latency and the words over the bandwidth, and nothing else."""
STACKS = "--cfg=contexts/stack-size:64"

Peer = Callable[[int], float]
"""Simulates an array of a size, and gives the seconds that it computed."""


def peers(sizes: tuple[int, ...] = SIZES) -> Repeats:
    """Of each peer that is installed, beside meshsim; says which are not."""
    with TemporaryDirectory() as folder:
        found = _installed(Path(folder), sizes)
        if not found:
            raise MeshSimError("SimGrid or LogGOPSim must be installed to be measured")
        plans = {size: systolic_plan(size) for size in sizes}
        while True:
            figures: dict[str, float] = {}
            for size, plan in plans.items():
                ours = messages_of(size) / timed({"ours": partial(plan.run, SYSTOLIC, trace=False)})["ours"]
                figures[f"peers.{size}.meshsim.messages_per_s"] = ours
                for name, peer in found.items():
                    tell(f"peers: {name}, {size} x {size}")
                    theirs = messages_of(size) / peer(size)
                    figures[f"peers.{size}.{name}.messages_per_s"] = theirs
                    figures[f"peers.{size}.{name}.ratio"] = ours / theirs
            yield figures


def _installed(folder: Path, sizes: tuple[int, ...]) -> Mapping[str, Peer]:
    """The peers that can be run here; of the others it is said why not."""
    found: dict[str, Peer] = {}
    compiler, program = shutil.which(os.environ.get("CXX", "c++")), folder / "array"
    options = [str(HERE / "array.cpp"), "-O2", "-std=c++17", "-w", "-o", str(program), "-lsimgrid"]
    if compiler is None:
        say("peers: SimGrid in C++ is left out: there is no C++ compiler")
    elif subprocess.run([compiler, *options], capture_output=True, check=False).returncode:
        say("peers: SimGrid in C++ is left out: with -lsimgrid its array cannot be compiled")
    else:
        found["simgrid-cpp"] = partial(_simgrid, [str(program), STACKS], folder)
    if find_spec("simgrid") is None:
        say("peers: SimGrid in Python is left out: there is no module simgrid")
    else:
        found["simgrid-python"] = partial(_simgrid, [sys.executable, str(HERE / "simgrid_array.py")], folder)
    simulator, converter = shutil.which("LogGOPSim"), shutil.which("txt2bin")
    if simulator is None or converter is None:
        say("peers: LogGOPSim is left out: there are no programs LogGOPSim and txt2bin")
    else:
        for size in sizes:
            (folder / f"{size}.goal").write_text("".join(goal(size)))
            _output([converter, "-i", str(folder / f"{size}.goal"), "-o", str(folder / f"{size}.bin")])
        found["loggopsim"] = partial(_loggopsim, simulator, folder)
    for size in sizes:
        (folder / f"{size}.xml").write_text("".join(platform(size)))
    return found


def _output(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]
        raise MeshSimError(f"{Path(command[0]).name} failed: {reason}")
    return done.stdout


def _simgrid(command: list[str], folder: Path, size: int) -> float:
    """SimGrid's own seconds; the platform is read before they begin. It must compute what our programs do."""
    words = [str(folder / f"{size}.xml"), str(size), str(systolic.STEPS), str(COMPUTE)]
    seconds, *found = map(float, _output([*command, *words, *SIMGRID]).split())
    run = systolic_plan(size).run(SYSTOLIC, trace=False)
    ours = [run.ticks, sum(run.value.values())]
    if found != ours:
        raise MeshSimError(f"SimGrid must end at, and add up to, {ours}, not {found}")
    return seconds


def platform(size: int) -> Iterator[str]:
    """A link of its own for each channel of an array, as SimGrid reads it; a tick is a second."""
    yield '<?xml version="1.0"?>\n<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n'
    yield '<platform version="4.1">\n<zone id="array" routing="Full">\n'
    cells = [(k, i) for k in range(1, size + 1) for i in range(1, size + 1)]
    links = SYSTOLIC.links
    channels = [
        (f"{way}{k}-{i}", f"{k}-{i}", f"{k + south}-{i + 1 - south}")
        for way, south in (("e", 0), ("s", 1))
        for k, i in cells
        if (k if south else i) < size
    ]
    for k, i in cells:
        yield f'<host id="{k}-{i}" speed="1f"/>\n'
    for name, _, _ in channels:
        yield f'<link id="{name}" bandwidth="{1 / links.per_word}Bps" latency="{links.startup}s"/>\n'
    for name, source, target in channels:
        yield f'<route src="{source}" dst="{target}" symmetrical="NO"><link_ctn id="{name}"/></route>\n'
    yield "</zone>\n</platform>\n"


def _loggopsim(simulator: str, folder: Path, size: int) -> float:
    """The seconds of the whole process: it tells none that are fine enough."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    costs = ["-L", str(WIRE), "-o", "0", "-g", "0", "-G", "0", "-O", "0"]
    _output([simulator, "-b", *costs, "-f", str(folder / f"{size}.bin")])
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def goal(size: int) -> Iterator[str]:
    """What the cells of an array do, one after the other, in LogGOPSim's language."""
    yield f"num_ranks {size * size}\n"
    for rank in range(size * size):
        k, i = divmod(rank, size)
        yield f"rank {rank} {{\n"
        before: list[str] = []
        for step in range(systolic.STEPS):
            received = {f"w{step}": (i > 0, rank - 1, 0), f"n{step}": (k > 0, rank - size, 1)}
            sent = {f"e{step}": (i < size - 1, rank + 1, 0), f"s{step}": (k < size - 1, rank + size, 1)}
            takes = [label for label, (there, _, _) in received.items() if there]
            for label in takes:
                yield f"{label}: recv 1b from {received[label][1]} tag {received[label][2]}\n"
                yield from (f"{label} requires {each}\n" for each in before)
            yield f"c{step}: calc {COMPUTE}\n"
            yield from (f"c{step} requires {each}\n" for each in takes or before)
            before = [label for label, (there, _, _) in sent.items() if there]
            for label in before:
                yield f"{label}: send 1b to {sent[label][1]} tag {sent[label][2]}\n{label} requires c{step}\n"
            before = before or [f"c{step}"]
        yield "}\n"
