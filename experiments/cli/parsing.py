"""What the command line's parsers share. Nothing here, nor in any verb's parser, imports what takes time to import."""

import argparse
import math
import re
from collections.abc import Callable
from typing import Any, NoReturn


class Parser(argparse.ArgumentParser):
    """Takes whole option names only, and says what is wrong in one line."""

    def __init__(self, **settings: Any) -> None:
        formatter = argparse.RawDescriptionHelpFormatter
        super().__init__(allow_abbrev=False, formatter_class=formatter, **settings)

    def error(self, message: str) -> NoReturn:
        if message.endswith("expected one argument"):
            message += "; one that begins with a minus is written with =, as --drive=-1,2"
        self.exit(2, f"{self.prog}: error: {one_line(message)} (try {self.prog} --help)\n")


def one_line(text: object) -> str:
    """A message on one line of bearable length, whatever names it quotes."""
    line = "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in str(text))
    return line if len(line) <= 2000 else line[:2000] + " ..."


def examples(*commands: str) -> str:
    """The end of a help page."""
    return "\n".join(["example:" if len(commands) == 1 else "examples:", *(f"  {command}" for command in commands)])


def later(name: str) -> Callable[[argparse.Namespace], None]:
    """A function of `commands`, which is imported when its verb has been chosen."""

    def call(arguments: argparse.Namespace) -> None:
        from meshsim.experiments.cli import commands

        getattr(commands, name)(arguments)

    return call


def names(text: str) -> tuple[str, ...]:
    """Different names, with commas between them."""
    found = tuple(name for name in text.split(",") if name)
    if not found or len(set(found)) < len(found):
        raise argparse.ArgumentTypeError(f"must be different names with commas between them, not {text!r}")
    return found


def sizes(text: str) -> tuple[int, ...]:
    """A range or a list of sizes."""
    try:
        bounds = re.fullmatch(r"(\d+)(?:\.\.|-|:)(\d+)", text)
        if bounds:
            low, high = map(int, bounds.groups())
            sizes = list(range(low, high + 1))
        else:
            sizes = sorted({int(part) for part in text.split(",")})
    except ValueError:
        sizes = []
    if not sizes or sizes[0] < 1:
        raise argparse.ArgumentTypeError(f"must be a range such as 2..24 or a list such as 2,4,8, not {text!r}")
    return tuple(sizes)


def jobs(text: str) -> int:
    """How many worker processes; the default is one a processor."""
    if text == "all":
        from meshsim.experiments.store.workers import default_jobs

        return default_jobs()
    return int(text)


def times(text: str) -> tuple[float, ...]:
    """Times in seconds, with commas between them."""
    try:
        times = tuple(float(part) for part in text.split(","))
    except ValueError:
        times = ()
    if not 1 <= len(times) <= 12 or not all(map(math.isfinite, times)):
        raise argparse.ArgumentTypeError(f"must be one to twelve times in seconds such as 0,2.5,5, not {text!r}")
    return times


def add_machine(parser: argparse.ArgumentParser) -> None:
    """Every simulation's machine."""
    parser.add_argument("--machine", required=True, help="one that `meshsim list` names, or a TOML file")


def add_jobs(parser: argparse.ArgumentParser) -> None:
    """How many processes share long work."""
    parser.add_argument("--jobs", type=jobs, default="all", help="worker processes (default: one a processor)")


def add_json(parser: argparse.ArgumentParser) -> None:
    """One object for programs, in place of what people read."""
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
