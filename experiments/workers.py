"""Worker processes that leave interrupts to their parent, and do not outlive it."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import TypeVar

from meshsim.errors import MeshSimError

P = TypeVar("P")
R = TypeVar("R")


def evaluated(function: Callable[[P], R], parts: Iterable[P], jobs: int) -> Iterator[tuple[P, R]]:
    """Every part with what the function makes of it, as they are finished."""
    if jobs == 1:
        for part in parts:
            yield part, function(part)
        return
    with local_pool(jobs) as pool:
        waiting = {pool.submit(function, part): part for part in parts}
        while waiting:
            for done in wait(waiting, return_when=FIRST_COMPLETED).done:
                yield waiting.pop(done), done.result()


@contextmanager
def local_pool(jobs: int) -> Iterator[ProcessPoolExecutor]:
    """Worker processes of this machine."""
    with ProcessPoolExecutor(jobs, initializer=_begin, initargs=(os.getpid(),)) as pool:
        try:
            yield pool
        except BrokenProcessPool:
            raise MeshSimError("a worker process died; the same command goes on with what is missing") from None
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def default_jobs() -> int:
    """As many workers as this process may use processors."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _begin(parent: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    """A parent that was killed cannot say so: ask who it is."""
    while os.getppid() == parent:
        time.sleep(0.2)
    os._exit(1)
