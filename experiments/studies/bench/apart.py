"""One measurement in a process of its own: `python -m meshsim.experiments.studies.bench.apart STAGE SIZE`.

There the memory that it takes can be seen, and nothing that was measured before has left a mark.
"""

import gc
import json
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from meshsim.errors import MeshSimError
from meshsim.experiments.studies.bench.mesh import MACHINE, mesh_plan
from meshsim.experiments.studies.bench.retiming import ALWAYS, compiled_from, random_machines
from meshsim.experiments.studies.bench.systolic import SYSTOLIC, systolic_plan
from meshsim.machine import DISCIPLINES
from meshsim.recording import record
from meshsim.retiming import retime

MACHINES = 256
"""For which a recording is re-timed."""


def _mesh(trace: bool, n: int) -> Callable[[], Any]:
    return partial(mesh_plan(n).run, MACHINE, trace=trace)


def _systolic(trace: bool, size: int) -> Callable[[], Any]:
    return partial(systolic_plan(size).run, SYSTOLIC, trace=trace)


def _recording(n: int) -> Callable[[], Any]:
    return partial(record, mesh_plan(n))


def _schedule(n: int) -> Callable[[], Any]:
    return partial(retime, record(mesh_plan(n))[0], [MACHINE])  # for one machine, which takes next to nothing


def _retiming(n: int) -> Callable[[], Any]:
    recording, _ = record(mesh_plan(n))
    table = [each for each in random_machines(len(DISCIPLINES) * MACHINES) if each.links.discipline == "overlap"]
    retime(recording, table[:1])
    return partial(retime, recording, table)


STAGES: Mapping[str, Callable[[int], Callable[[], Any]]] = {
    "engine": partial(_mesh, False),
    "traced": partial(_mesh, True),
    "recording": _recording,
    "schedule": _schedule,
    "retiming": _retiming,
    "systolic": partial(_systolic, False),
    "systolic traced": partial(_systolic, True),
}
"""Prepares something of a size, and gives what is measured."""


def apart(stage: str, size: int) -> dict[str, float]:
    """The seconds that a stage takes, the bytes by which it makes memory grow at most, and the messages of a run.

    Bytes are told on Linux only.
    """
    command = [sys.executable, "-m", "meshsim.experiments.studies.bench.apart", stage, str(size)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]
        raise MeshSimError(f"{stage} of size {size} cannot be measured: {reason}")
    found: dict[str, float] = json.loads(done.stdout)
    return found


def _measured(stage: str, size: int) -> dict[str, float]:
    with compiled_from(ALWAYS):
        STAGES[stage](2)()  # loads what is loaded once
        function = STAGES[stage](size)
        gc.collect()
        before = _memory("VmRSS")
        start = time.process_time()
        result = function()
        found = {"seconds": time.process_time() - start, "messages": getattr(result, "messages", 0)}
    if before is not None:
        found["bytes"] = (_memory("VmHWM") or before) - before
    return found


def _memory(name: str) -> int | None:
    """Bytes of memory that this process has, or had at most since it was last asked what it has; None if not told."""
    try:
        if name == "VmRSS":
            Path("/proc/self/clear_refs").write_text("5")  # forgets the most
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return None
    return next((1024 * int(line.split()[1]) for line in lines if line.startswith(name)), None)


if __name__ == "__main__":
    print(json.dumps(_measured(sys.argv[1], int(sys.argv[2]))))
