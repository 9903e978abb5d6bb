"""`meshsim closed`."""

import argparse
from typing import Any

from meshsim.experiments.cli.parsing import (
    Parser,
    add_common,
    add_machine,
    add_out,
    add_scheme,
    examples,
    pairs,
    show,
)


def add_loop_robot(parser: Parser) -> None:
    """A mechanism with loops."""
    parser.add_argument(
        "--robot",
        required=True,
        help="a name (see `meshsim list robots`), five-bar:METRES[:up|:down], or a TOML file with loops "
        "(docs/robots.md)",
    )


def add(parsers: Any) -> None:
    """Its arguments."""
    parser = parsers.add_parser(
        "closed",
        help="compute the dynamics of a mechanism with loops, once or in motion",
        description="Evaluate the dynamics of a mechanism with loops by a method, on one processor or several, and "
        "tell what it takes. With --duration or --step, move it: a table (motion.csv) as it goes, and figures.",
        epilog=examples(
            "meshsim closed projection --robot 3rrr --machine t800 --network star --distribution partly",
            "meshsim closed penalty --robot four-bar --machine t800 --option k=1e5 --duration 2 --rtol 1e-6",
            "meshsim closed denoc --robot 3rrr --machine t800 --network star --step 0.01 --out out/3rrr",
            "meshsim closed multipliers --robot mine.toml --machine ideal --drive cycloid:2:30",
            "meshsim closed mesh --robot 3rrr --machine t800 --option variant=small",
        ),
    )
    add_scheme(parser, "METHOD", "methods")
    add_loop_robot(parser)
    add_machine(parser)
    parser.add_argument("--network", default="one", help="one, star or complete (default one)")
    parser.add_argument(
        "--distribution",
        metavar="HOW",
        help="full: states are exchanged once, what depends on all is repeated; partly: each computes its own part",
    )
    parser.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="k and d of springs (N/m, N s/m), sigma (1/s), technique=gauss|qr; of mesh: variant=tree|small and others",
    )
    parser.add_argument(
        "--drive",
        default="own",
        metavar="D",
        help="own, a torque for each actuated joint (6 or 1,0,-2), or cycloid:SECONDS[:DEGREES[:METRES]] (default own)",
    )
    parser.add_argument(
        "--start", metavar="A,B", help="where the actuated joints start, in rad or m; default: the robot's own guess"
    )
    parser.add_argument("--duration", type=float, metavar="T", help="seconds of motion; default: the drive's own")
    parser.add_argument("--step", type=float, metavar="H", help="fixed steps of so many seconds; default: adaptive")
    parser.add_argument("--rtol", type=float, default=1e-6, help="tolerance of adaptive steps (default 1e-6)")
    add_out(parser, "out/closed", "out/closed; for a motion only")
    add_common(parser)
    parser.set_defaults(function=_closed)


def _closed(arguments: argparse.Namespace) -> None:
    from meshsim.experiments.front.closed import closed

    result = closed(
        robot=arguments.robot,
        method=arguments.method,
        machine=arguments.machine,
        network=arguments.network,
        distribution=arguments.distribution,
        drive=arguments.drive,
        start=arguments.start,
        duration=arguments.duration,
        step=arguments.step,
        rtol=arguments.rtol,
        out=arguments.out,
        force=arguments.force,
        options=pairs(arguments.option),
    )
    show(arguments, result)
