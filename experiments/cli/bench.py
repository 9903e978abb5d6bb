"""`meshsim bench`."""

import argparse
from typing import Any

from meshsim.experiments.cli.outputs import show
from meshsim.experiments.cli.parsing import add_common, examples


def add(parsers: Any) -> None:
    """Its arguments."""
    parser = parsers.add_parser(
        "bench",
        help="measure the simulator's speed",
        description="Measure how quick the simulator is, against simpler implementations, measured in the same run; or "
        "how quick this computer is: articulated bodies by Pinocchio on one core.",
        epilog=examples("meshsim bench systolic --json", "meshsim bench core --save mine.toml"),
    )
    parser.add_argument(
        "name",
        nargs="?",
        metavar="NAME",
        help="systolic, mesh, placed, retime, written or page (default: all of these); or core: this computer's own "
        "core",
    )
    parser.add_argument("--save", metavar="FILE.toml", help="with core: write a machine that costs what was measured")
    add_common(parser)
    parser.set_defaults(function=_bench)


def _bench(arguments: argparse.Namespace) -> None:
    from meshsim.experiments.front.bench import bench

    show(arguments, bench(arguments.name, arguments.save))
