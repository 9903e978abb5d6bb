"""The systolic array on SimGrid's Python binding: `simgrid_array.py PLATFORM SIZE STEPS COMPUTE`.

It prints the seconds that it computed, the time at which it ended, and the sum of what its cells found.
"""

import sys
import time
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any

simgrid: Any = import_module("simgrid") if find_spec("simgrid") else None
"""Without it nothing here is called."""
totals: list[float] = []


def _mailbox(way: str, k: int, i: int) -> Any:
    return simgrid.Mailbox.by_name(f"{way}{k}-{i}")


def _received(asked: Any) -> Any:
    """What an asynchronous get got, once it has ended; SimGrid 3 gives a pair."""
    if isinstance(asked, tuple):
        asked[0].wait()
        return asked[1].get()
    asked.wait()
    return asked.get_payload()


def cell(k: int, i: int, size: int, steps: int, compute: float) -> None:
    """West -> a, north -> b; east <- a, south <- b; keeps the sum of a b."""
    west = _mailbox("e", k, i - 1) if i > 1 else None
    north = _mailbox("s", k - 1, i) if k > 1 else None
    east = _mailbox("e", k, i) if i < size else None
    south = _mailbox("s", k, i) if k < size else None
    total = 0.0
    for step in range(steps):
        asked = [each and each.get_async() for each in (west, north)]
        a = _received(asked[0]) if west else float(step + k)
        b = _received(asked[1]) if north else float(step + i)
        total += a * b
        simgrid.this_actor.sleep_for(compute)
        for sent in [each.put_async(value, 1) for each, value in ((east, a), (south, b)) if each]:
            sent.wait()
    totals.append(total)


def main() -> None:
    """Simulate it once."""
    engine = simgrid.Engine(sys.argv)
    platform, size, steps, compute = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
    engine.load_platform(platform)
    start = time.process_time()
    for k in range(1, size + 1):
        for i in range(1, size + 1):
            name, work = f"{k}-{i}", partial(cell, k, i, size, steps, compute)
            host = simgrid.Host.by_name(name)
            if hasattr(host, "add_actor"):
                host.add_actor(name, work)
            else:  # SimGrid 3
                simgrid.Actor.create(name, host, work)
    engine.run()
    print(time.process_time() - start, simgrid.Engine.clock, sum(totals))


if __name__ == "__main__":
    main()
