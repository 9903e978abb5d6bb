"""`meshsim stream`."""

import argparse
from typing import Any

from meshsim.experiments.cli.outputs import show
from meshsim.experiments.cli.parsing import (
    add_common,
    add_jobs,
    add_machine,
    add_options,
    add_out,
    add_robot,
    add_scheme,
    add_where,
    examples,
    pairs,
    where_in,
)


def add(parsers: Any) -> None:
    """Its arguments."""
    parser = parsers.add_parser(
        "stream",
        help="find the latency of evaluations against the rate at which they are offered",
        description="Offer evaluations at a fixed interval, from a light load to more than saturation, and find how "
        "long each takes from its offer to its end. The saturated rate is that of a stream that goes as fast as it "
        "can. Several networks may be named with commas between them; own is the scheme's own. An interrupted run "
        "resumes where it stopped.",
        epilog=examples(
            "meshsim stream wong-mesh --robot puma600 --machine t800",
            "meshsim stream wong-mesh --robot puma600 --machine t800 --network own,square-mesh:4x4,ring:8,bus:8",
            "meshsim stream hwang --robot chain:8:1 --machine t800 --network mine.json --evaluations 48 --out out/mine",
        ),
    )
    add_scheme(parser)
    add_robot(parser)
    add_machine(parser)
    add_options(parser)
    add_where(parser)
    parser.add_argument(
        "--evaluations", type=int, default=24, metavar="K", help="evaluations offered at each load (default 24)"
    )
    add_out(parser, "out/stream", "out/stream")
    add_jobs(parser)
    add_common(parser)
    parser.set_defaults(function=_stream)


def _stream(arguments: argparse.Namespace) -> None:
    from meshsim.experiments.front.stream import stream

    result = stream(
        arguments.robot,
        arguments.scheme,
        arguments.machine,
        **where_in(arguments),
        evaluations=arguments.evaluations,
        out=arguments.out,
        jobs=arguments.jobs,
        force=arguments.force,
        options=pairs(arguments.option),
    )
    show(arguments, result)
