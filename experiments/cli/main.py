"""The command `meshsim`: its verbs, each a file in this folder."""

import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from meshsim.errors import MeshSimError, MeshSimWarning
from meshsim.experiments.cli.parsing import Parser, examples, one_line
from meshsim.experiments.store.progress import hush, tell
from meshsim.version import __version__

VERBS = (
    "best",
    "run",
    "simulate",
    "inverse",
    "compare",
    "sweep",
    "accuracy",
    "explain",
    "realtime",
    "place",
    "stream",
    "solve",
    "solvers",
    "watch",
    "reproduce",
    "list",
    "bench",
    "compile",
    "example",
    "closed",
)
"""Files that define `add(parsers)`, each for the verb of its name, in the order of the help page."""
GROUP = "meshsim.verbs"
"""Entry points of installed packages that add verbs of their own, by name: functions like `add`."""


def build_parser(argv: Sequence[str] = ()) -> Parser:
    """The command line: all of it, or what a command needs that begins with a verb; a verb may be an installed one."""
    parser = Parser(
        prog="meshsim",
        description="Simulate parallel robot-dynamics algorithms on networks of processors: real numbers, exact times.",
        epilog=examples(
            "meshsim best --robot puma600 --machine t800",
            "meshsim run wong-mesh --robot puma600 --machine t800 --gantt puma600.png",
        ),
    )
    parser.add_argument("--version", action="version", version=f"meshsim {__version__}")
    parsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=Parser)
    verb = argv[0] if argv else ""
    for name in [verb] if verb in VERBS else VERBS:
        import_module(f"meshsim.experiments.cli.{name}").add(parsers)
    if verb and not verb.startswith("-") and verb not in parsers.choices:
        for point in entry_points(group=GROUP, name=verb):
            point.load()(parsers)
    return parser


@contextmanager
def _noting() -> Iterator[None]:
    """Make one line on standard error of every warning of ours, once."""

    def show(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
        if issubclass(category, MeshSimWarning):
            tell("")
            print(f"meshsim: note: {one_line(message)}", file=sys.stderr)
        else:
            others(message, category, *where, **more)

    with warnings.catch_warnings():
        warnings.simplefilter("default", MeshSimWarning)
        others = warnings.showwarning
        warnings.showwarning = show
        yield


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its status; a user's mistake is one line on standard error and status 2."""
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        parser = build_parser(words)
        if "_ARGCOMPLETE" in os.environ:  # the shell asks what may come next
            from meshsim.experiments.cli.completion import complete

            complete(parser)
        arguments = parser.parse_args(words)
        hush(arguments.quiet)
        with _noting():
            status = arguments.function(arguments) or 0
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except (MeshSimError, OSError, MemoryError, RecursionError) as error:
        reason = error if isinstance(error, MeshSimError) else f"{type(error).__name__}: {error or 'not enough memory'}"
        tell("")
        print(f"meshsim: error: {one_line(reason)}", file=sys.stderr)
        return 2
    return int(status)
