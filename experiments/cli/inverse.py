"""`meshsim inverse`."""

import argparse
from typing import Any

from meshsim.experiments.cli.outputs import add_pictures, check_pictures, show_run
from meshsim.experiments.cli.parsing import (
    add_common,
    add_machine,
    add_options,
    add_out,
    add_precision,
    add_robot,
    add_scheme,
    add_where,
    add_wrench,
    examples,
    pairs,
    where_in,
    wrenches,
)


def add(parsers: Any) -> None:
    """Its arguments."""
    parser = parsers.add_parser(
        "inverse",
        help="compute the torques that a motion of a robot takes",
        description="Compute the torques of all joints along a motion, with loops those of the actuated joints, with a "
        "scheme that has inverse dynamics, on one processor or several; check them against a dense solver, and say "
        "what they take: a table (torques.csv) and figures.",
        epilog=examples(
            "meshsim inverse one-saha --robot stanford --machine t800 --profile own",
            "meshsim inverse wong-mesh --robot puma600 --machine t800 --profile cycloid:10 --gantt mesh.png",
            "meshsim inverse one-luh-walker-paul --robot arm.urdf --machine mine.toml --profile motion.csv",
            "meshsim inverse wong-mesh --robot puma600 --machine t800 --profile cycloid:10 --network torus:3x3",
            "meshsim inverse noc --robot 3prr --machine t800 --option layout=star",
            "meshsim inverse subsystems --robot scraper --machine t800 --option layout=complete --reactions",
        ),
    )
    add_scheme(parser)
    add_robot(parser)
    add_machine(parser)
    parser.add_argument(
        "--profile",
        default="own",
        metavar="P",
        help="the motion: own, cycloid:SECONDS[:DEGREES[:METRES]], or FILE.csv with columns t and, of each joint, "
        "q_JOINT, qd_JOINT and qdd_JOINT; with loops of the actuated joints, or of all (default own)",
    )
    parser.aliases["--motion"] = "--profile"
    parser.add_argument(
        "--samples", type=int, metavar="N", help="at how many times (default: those of the file, or 101)"
    )
    parser.add_argument(
        "--reactions",
        action="store_true",
        help="find the force and moment of every joint as well (reactions.csv): subsystems for robots with loops in a "
        "plane, one-saha and one-luh-walker-paul for others",
    )
    add_wrench(parser)
    add_options(parser)
    add_where(parser)
    add_precision(parser)
    add_out(parser, "out/inverse", "out/inverse")
    add_pictures(parser)
    add_common(parser)
    parser.set_defaults(function=_inverse)


def _inverse(arguments: argparse.Namespace) -> None:
    from meshsim.experiments.front.inverse import inverse
    from meshsim.experiments.studies.inverse import PICTURES, REACTIONS, TABLE

    inputs = arguments.scheme, arguments.robot, arguments.machine, arguments.profile
    files = arguments.network, arguments.placement
    check_pictures(arguments, *inputs, *files, results=(TABLE, REACTIONS, *PICTURES))
    result = inverse(
        robot=arguments.robot,
        scheme=arguments.scheme,
        machine=arguments.machine,
        profile=arguments.profile,
        samples=arguments.samples,
        out=arguments.out,
        force=arguments.force,
        reactions=arguments.reactions,
        wrenches=wrenches(arguments.wrench),
        options=pairs(arguments.option),
        precision=arguments.precision,
        **where_in(arguments),
    )
    show_run(arguments, result)
