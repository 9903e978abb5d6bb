"""`meshsim realtime`."""

import argparse
from typing import Any

from meshsim.errors import MeshSimError
from meshsim.experiments.cli.outputs import add_pictures, check_pictures, show_run
from meshsim.experiments.cli.parsing import (
    add_common,
    add_feedback,
    add_machine,
    add_options,
    add_robot,
    add_scheme,
    add_where,
    add_wrench,
    examples,
    pairs,
    where_in,
    wrenches,
)
from meshsim.experiments.cli.units import seconds


def add(parsers: Any) -> None:
    """Its arguments."""
    parser = parsers.add_parser(
        "realtime",
        help="say whether a machine keeps up with a robot's motion",
        description="Report whether a step of h seconds is computed within h seconds, with the margin, "
        "the longest chain that still fits, and the slowest machine that still does. Without a scheme, find the one "
        "that keeps up best, as `meshsim best` does with the step as a deadline; exit status 1: none keeps up.",
        epilog=examples(
            "meshsim realtime wong-mesh --robot excavator --machine t800-measured --step 0.01 --order 4",
            "meshsim realtime --robot puma600 --machine t800 --step 10ms",
            "meshsim realtime one-wong --robot puma600 --machine t800 --step 10ms --json",
            "meshsim realtime projection --robot 3rrr --machine t800 --option layout=star --step 0.01",
            "meshsim realtime wong-mesh --robot puma600 --machine t800 --step 0.01 --network square-mesh:2x2",
        ),
    )
    add_scheme(parser, required=False)
    add_robot(parser)
    add_machine(parser)
    parser.add_argument(
        "--step", type=seconds, required=True, metavar="H", help="step of the integration, such as 10ms"
    )
    parser.add_argument("--order", type=int, default=4, help="of the Runge-Kutta rule: 1, 2 or 4 (default 4)")
    parser.add_argument(
        "--profile",
        metavar="P",
        help="as for simulate; default: excavator:joint for the excavator, free for all others",
    )
    add_feedback(parser)
    add_wrench(parser)
    add_options(parser)
    add_where(parser)
    add_pictures(parser)
    add_common(parser)
    parser.set_defaults(function=_realtime)


def _realtime(arguments: argparse.Namespace) -> int:
    from meshsim.experiments.front.realtime import realtime
    from meshsim.experiments.reports.best import BestReport

    inputs = arguments.robot, arguments.scheme, arguments.machine
    options = pairs(arguments.option)
    pictures = {"--gantt": arguments.gantt, "--trace": arguments.trace}
    for name, path in pictures.items():
        if arguments.scheme is None and path is not None:
            raise MeshSimError(f"{name} must be given with a scheme: without one, many are timed")
    check_pictures(arguments, *inputs, arguments.profile, arguments.network, arguments.placement)
    asked = arguments.step, arguments.order, arguments.profile
    borne = wrenches(arguments.wrench)
    result = realtime(*inputs, *asked, options, borne, arguments.feedback, **where_in(arguments))
    show_run(arguments, result)
    return 1 if isinstance(result, BestReport) and not result.met else 0
