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
        "how quick this computer is: articulated bodies by Pinocchio on one core. A figure is the median of several "
        "repeats; its spread is how far the upper quartile is from the lower one. All takes some 15 minutes.",
        epilog=examples(
            "meshsim bench systolic --json > old.json",
            "meshsim bench systolic --compare old.json",
            "meshsim bench --figures new.json --compare old.json",
            "meshsim bench --page docs/performance.md",
            "meshsim bench core --save mine.toml",
        ),
    )
    parser.add_argument(
        "name",
        nargs="?",
        metavar="NAME",
        help="systolic, mesh, placed, retime, written, growth, memory, peers or page (default: all of these); or core: "
        "this computer's own core",
    )
    parser.add_argument("--save", metavar="FILE.toml", help="with core: write a machine that costs what was measured")
    parser.add_argument("--figures", metavar="FILE.json", help="take what --json printed before, and measure nothing")
    parser.add_argument("--compare", metavar="OLD.json", help="compare with what --json printed before")
    parser.add_argument(
        "--page", metavar="FILE.md", help="replace the tables of a page that has the marks of docs/performance.md"
    )
    add_common(parser)
    parser.set_defaults(function=_bench)


def _bench(arguments: argparse.Namespace) -> None:
    from meshsim.experiments.front.bench import bench

    result = bench(arguments.name, arguments.save, arguments.figures, arguments.compare, arguments.page)
    show(arguments, result)
    if result.missing:
        raise KeyboardInterrupt(f"not measured: {', '.join(result.missing)}")
