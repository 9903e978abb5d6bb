"""`meshsim sweep`."""

import argparse
from typing import Any

from meshsim.experiments.cli.outputs import show
from meshsim.experiments.cli.parsing import add_common, add_jobs, add_out, add_where, examples, where_in


def add(parsers: Any) -> None:
    """Its arguments."""
    parser = parsers.add_parser(
        "sweep",
        help="time schemes on a whole table of machines, and map who wins where",
        description="Record every scheme once, re-time it on every machine of a grid or Latin hypercube, and write a "
        "table (sweep.csv) and maps. An interrupted sweep resumes where it stopped. docs/sweeps.md says how SPEC "
        "is written.",
        epilog=examples(
            "meshsim sweep docs/examples/links.toml",
            "meshsim sweep docs/examples/links.toml --out out/links --cluster tcp://127.0.0.1:8786",
            "meshsim sweep docs/examples/folded.toml --network torus:3x3 --placement snake",
        ),
    )
    parser.add_argument("spec", metavar="SPEC.toml", help="what to sweep")
    add_out(parser, None, "out/ and the spec's name")
    add_jobs(parser)
    parser.add_argument("--cluster", metavar="ADDRESS", help="a running Dask scheduler, in place of local processes")
    add_where(parser)
    add_common(parser)
    parser.set_defaults(function=_sweep)


def _sweep(arguments: argparse.Namespace) -> None:
    from meshsim.experiments.front.sweep import sweep

    asked = arguments.spec, arguments.out, arguments.jobs, arguments.cluster, arguments.force
    show(arguments, sweep(*asked, **where_in(arguments)))
