"""How far long work is: one line, overwritten, on a terminal; a few lines in a log, or nothing."""

import sys
import time
from shutil import get_terminal_size

_quiet = False


def hush(quiet: bool) -> None:
    """Whether nothing is told."""
    global _quiet
    _quiet = quiet


def tell(stage: str) -> None:
    """Say what is being done, on one line that is written over and at last cleared; only to somebody who watches."""
    if sys.stderr.isatty() and not _quiet:
        room = min(get_terminal_size().columns - 1, 78)  # a line that is full goes on below, and stays there
        stage = stage[: max(room, 1)]
        print(f"\r{stage:<{room}}\r{stage}", end="", file=sys.stderr, flush=True)


def say(line: str) -> None:
    """Say what stays to be read, whatever line is being written over."""
    tell("")
    if not _quiet:
        print(line, file=sys.stderr, flush=True)


class Progress:
    """Counts finished parts out of `total`; `done` of them were finished before."""

    def __init__(self, what: str, total: int, done: int = 0) -> None:
        self.what = what
        self.total = total
        self.done = self.before = done
        self.start = time.monotonic()
        self.watched = sys.stderr.isatty()
        self.told = -1
        if done:
            say(f"{what}: {done} of {total} were finished before")

    def advance(self, parts: int = 1) -> None:
        """So many more parts are finished."""
        self.done += parts
        seconds = time.monotonic() - self.start
        rate = (self.done - self.before) / max(seconds, 1e-9)
        left = (self.total - self.done) / rate
        line = f"{self.what}: {self.done}/{self.total}, {rate:.1f} per second, {left:.0f} s left"
        tenth = 10 * self.done // self.total
        if self.watched and self.done < self.total:
            tell(line)
        elif self.watched or tenth > self.told:
            say(line)
        self.told = tenth
