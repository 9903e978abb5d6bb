"""`meshsim list`."""

import argparse
from typing import Any

from meshsim.experiments.cli.outputs import show
from meshsim.experiments.cli.parsing import add_common, examples


def add(parsers: Any) -> None:
    """Its arguments."""
    parser = parsers.add_parser(
        "list",
        help="show schemes, solvers, robots, machines, networks, exhibits and examples",
        description="Show what there is by name: built in, or added by installed packages.",
        epilog=examples("meshsim list", "meshsim list schemes"),
    )
    parser.add_argument(
        "kind",
        nargs="?",
        metavar="KIND",
        help="schemes, solvers, robots, machines, networks, exhibits or examples; default: all, names only",
    )
    add_common(parser)
    parser.set_defaults(function=_list)


def _list(arguments: argparse.Namespace) -> None:
    from meshsim.experiments.front.listing import listing

    show(arguments, listing(arguments.kind))
