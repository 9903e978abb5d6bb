"""`meshsim sweep`."""

import argparse
from typing import Any

from meshsim.experiments.cli.parsing import add_common, add_jobs, add_out, examples, show


def add(parsers: Any) -> None:
    """Its arguments."""
    parser = parsers.add_parser(
        "sweep",
        help="time schemes on a whole table of machines, and map who wins where",
        description="Record every scheme once, re-time it on every machine of a grid or Latin hypercube, and write a "
        "table (sweep.csv) and maps. A sweep that was interrupted goes on where it was. docs/sweeps.md says how SPEC "
        "is written.",
        epilog=examples(
            "meshsim sweep docs/examples/links.toml",
            "meshsim sweep docs/examples/links.toml --out out/links --cluster tcp://127.0.0.1:8786",
        ),
    )
    parser.add_argument("spec", metavar="SPEC.toml", help="what to sweep")
    add_out(parser, None, "out/ and the spec's name")
    add_jobs(parser)
    parser.add_argument("--cluster", metavar="ADDRESS", help="a running Dask scheduler, in place of local processes")
    add_common(parser)
    parser.set_defaults(function=_sweep)


def _sweep(arguments: argparse.Namespace) -> None:
    from meshsim.experiments.front.sweep import sweep

    show(arguments, sweep(arguments.spec, arguments.out, arguments.jobs, arguments.cluster, arguments.force))
