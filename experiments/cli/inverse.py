"""`meshsim inverse`."""

import argparse
from typing import Any

from meshsim.experiments.cli.closed import add_loop_robot
from meshsim.experiments.cli.parsing import add_common, add_machine, add_out, add_scheme, examples, show


def add(parsers: Any) -> None:
    """Its arguments."""
    parser = parsers.add_parser(
        "inverse",
        help="compute the torques that a motion of a mechanism with loops takes",
        description="Compute the torques of the actuated joints along a motion by a method, on one processor or "
        "several, check them against a dense solver, and tell what they take: a table (torques.csv) and figures.",
        epilog=examples(
            "meshsim inverse noc --robot 3prr --machine t800 --network star",
            "meshsim inverse subsystems --robot scraper --machine t800 --network complete --out out/scraper",
        ),
    )
    add_scheme(parser, "METHOD", "methods")
    add_loop_robot(parser)
    add_machine(parser)
    parser.add_argument("--network", default="one", help="one, star or complete (default one)")
    parser.add_argument(
        "--motion", default="own", metavar="P", help="own, or cycloid:SECONDS[:DEGREES[:METRES]] (default own)"
    )
    parser.add_argument("--samples", type=int, default=101, metavar="N", help="at how many times (default 101)")
    add_out(parser, "out/inverse", "out/inverse")
    add_common(parser)
    parser.set_defaults(function=_inverse)


def _inverse(arguments: argparse.Namespace) -> None:
    from meshsim.experiments.front.inverse import inverse

    result = inverse(
        robot=arguments.robot,
        method=arguments.method,
        machine=arguments.machine,
        network=arguments.network,
        motion=arguments.motion,
        samples=arguments.samples,
        out=arguments.out,
        force=arguments.force,
    )
    show(arguments, result)
