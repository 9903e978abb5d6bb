"""Worker processes that leave interrupts to their parent, and do not outlive it.

Each has a pipe of its own: a worker that is killed, even while it writes, is noticed at once, and nothing waits for it.
"""

import os
import signal
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator
from multiprocessing import Pipe, Process
from multiprocessing.connection import Connection, wait
from typing import Any, TypeVar

from meshsim.errors import MeshSimError, MeshSimWarning

P = TypeVar("P")
R = TypeVar("R")


class Worker:
    """A process that calls a function on what it is sent."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self.pipe, other = Pipe()
        self.process = Process(target=_serve, args=(other, function, os.getpid()), daemon=True)
        self.process.start()
        other.close()  # so that the pipe ends when the worker does
        self.part: Any = None

    def give(self, part: Any) -> None:
        """Send a part to work on."""
        self.part = part
        self._guarded(self.pipe.send, part)

    def take(self) -> Any:
        """The function's result for the part; raises what it raised."""
        done, result = self._guarded(self.pipe.recv)
        if not done:
            raise result
        return result

    def _guarded(self, operation: Callable[..., Any], *args: Any) -> Any:
        try:
            return operation(*args)
        except (EOFError, OSError):
            raise MeshSimError("a worker process died; give the same command again") from None

    def end(self) -> None:
        """Stop it, whatever it does."""
        self.process.kill()
        self.process.join()
        self.pipe.close()


def in_kinds(parts: Iterable[P], kind: Callable[[P], Hashable]) -> Callable[[P | None], Iterator[P]]:
    """What a worker does after a part: the next of its kind, then of a kind that nobody began, then of any.

    What a worker remembers of one part may serve the next of its kind.
    """
    left: dict[Hashable, deque[P]] = {}
    for part in parts:
        left.setdefault(kind(part), deque()).append(part)
    fresh = list(left)

    def following(last: P | None) -> Iterator[P]:
        wanted = None if last is None else kind(last)
        if not left.get(wanted):
            wanted = fresh[0] if fresh else max(left, key=lambda each: len(left[each]), default=None)
        if wanted in fresh:
            fresh.remove(wanted)
        if left.get(wanted):
            yield left[wanted].popleft()

    return following


def evaluated(
    function: Callable[[P], R],
    parts: Iterable[P],
    jobs: int,
    kind: Callable[[P], Hashable] | None = None,
    until: float | None = None,
) -> Iterator[tuple[P, R]]:
    """Every part with what the function makes of it, as they are finished; parts of a kind go to one worker if told.

    When the clock `time.monotonic` has come to `until`, whatever is not finished is given up.
    """
    if jobs == 1 and until is None:
        for part in parts:
            yield part, function(part)
        return
    in_order = iter(parts)
    following = (lambda _: in_order) if kind is None else in_kinds(in_order, kind)
    busy: dict[Any, Worker] = {}
    workers: list[Worker] = []
    try:
        for _ in range(jobs):
            for part in following(None):
                workers.append(Worker(function))
                workers[-1].give(part)
                busy[workers[-1].pipe] = workers[-1]
                break
        while busy and (until is None or time.monotonic() < until):
            for pipe in wait(list(busy), None if until is None else max(0.0, until - time.monotonic())):
                worker = busy.pop(pipe)
                part, result = worker.part, worker.take()
                for next_part in following(part):
                    worker.give(next_part)
                    busy[pipe] = worker
                    break
                yield part, result
    finally:
        for worker in workers:
            worker.end()


def default_jobs() -> int:
    """As many workers as this process may use processors."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def jobs_of(jobs: int | None) -> int:
    """As many workers as a user wants, or as many as there may be."""
    if jobs is not None and jobs < 1:
        raise MeshSimError(f"--jobs must be a positive integer, not {jobs}")
    return default_jobs() if jobs is None else jobs


def _serve(pipe: "Connection[Any, Any]", function: Callable[[Any], Any], parent: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    warnings.simplefilter("ignore", MeshSimWarning)  # the parent has told
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    while True:
        part = pipe.recv()
        try:
            pipe.send((True, function(part)))
        except Exception as error:
            pipe.send(
                (False, error if isinstance(error, MeshSimError) else RuntimeError(f"{type(error).__name__}: {error}"))
            )


def _end_with(parent: int) -> None:
    """A killed parent sends no signal, so compare the parent's process id."""
    while os.getppid() == parent:
        time.sleep(0.2)
    os._exit(1)
