"""`meshsim example`."""

import argparse
from typing import Any

from meshsim.experiments.cli.outputs import show
from meshsim.experiments.cli.parsing import add_common, examples


def add(parsers: Any) -> None:
    """`meshsim example`."""
    example = parsers.add_parser(
        "example",
        help="list the example files, or copy one out",
        description="List the example files that come with meshsim, or copy one, with what it needs, into a folder.",
        epilog=examples("meshsim example", "meshsim example links", "meshsim example arm --out mine"),
    )
    example.add_argument("example", nargs="?", metavar="NAME", help="which to copy; default: list all")
    example.add_argument("--out", default=".", metavar="DIR", help="the folder to copy to (default: this one)")
    example.add_argument("--force", action="store_true", help="write over files that are there")
    add_common(example)
    example.set_defaults(function=_example)


def _example(arguments: argparse.Namespace) -> None:
    from meshsim.experiments.front.example import example

    show(arguments, example(arguments.example, arguments.out, arguments.force))
