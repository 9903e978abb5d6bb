"""`meshsim best`."""

import argparse
from typing import Any

from meshsim.experiments.cli.outputs import add_report, check_report, show
from meshsim.experiments.cli.parsing import (
    add_common,
    add_jobs,
    add_machines,
    add_out,
    add_precision,
    add_robot,
    add_where,
    examples,
    names,
    where_in,
)
from meshsim.experiments.cli.units import hertz, seconds


def add(parsers: Any) -> None:
    """Its arguments."""
    parser = parsers.add_parser(
        "best",
        help="find which scheme on which network computes a robot's dynamics fastest, and where the time goes",
        description="Try every scheme that takes the robot, with its options and solvers, on each machine named; "
        "algorithms for one processor are among them. Say in a sentence which is the best, then rank all, show what "
        "nothing else beats in time, processors and energy, and tell what would still meet a deadline. Exit status 1: "
        "nothing meets the deadline.",
        epilog=examples(
            "meshsim best --robot docs/examples/ur5.urdf --machine t800 --out out/ur5",
            "meshsim best --robot puma600 --machine t800,t800-overlap --rate 1kHz",
            "meshsim best --robot puma600 --machine t800 --processors 16 --network square-mesh:4x4 --deadline 1ms",
            "meshsim best --robot torso --machine all --objective energy --json",
            "meshsim best --robot puma600 --machine versal-ai-engine --precision single --digits 4",
        ),
    )
    add_robot(parser)
    add_machines(parser, "t800", "; all for every preset")
    add_where(parser, "use at most so many processors: schemes that have more are placed on a square mesh of so many")
    parser.add_argument("--deadline", type=seconds, metavar="T", help="the longest that it may take, such as 250us")
    parser.add_argument(
        "--rate", type=hertz, metavar="F", help="how often in a second it must be done, such as 1kHz: sets the deadline"
    )
    parser.add_argument(
        "--order",
        type=int,
        default=0,
        metavar="K",
        help="time an integration step by the Runge-Kutta rule of this order, 1, 2 or 4, not one evaluation",
    )
    parser.add_argument(
        "--objective",
        choices=("time", "processors", "energy", "interval"),
        default="time",
        help="what is to be least; interval: the time between results in a stream (default time)",
    )
    parser.add_argument("--schemes", type=names, default=(), metavar="A,B", help="try these alone (default: all)")
    parser.add_argument(
        "--orders", action="store_true", help="also put each scheme's quickest into the best order that is found"
    )
    add_precision(parser)
    parser.add_argument(
        "--digits",
        type=float,
        default=0.0,
        metavar="D",
        help="leave out what has fewer decimal digits right than this, against a dense solver in double",
    )
    parser.add_argument(
        "--seconds",
        type=seconds,
        metavar="S",
        help="stop then, with the best so far, and say what was left out; inf for no end (default 20, on a network 45)",
    )
    add_out(parser, None, "none: nothing is written")
    add_jobs(parser)
    add_report(parser)
    add_common(parser)
    parser.set_defaults(function=_best)


def _best(arguments: argparse.Namespace) -> int:
    from meshsim.experiments.front.best import best

    check_report(arguments, arguments.robot, *arguments.machine, arguments.network, arguments.placement)
    result = best(
        arguments.robot,
        arguments.machine,
        deadline=arguments.deadline,
        rate=arguments.rate,
        order=arguments.order,
        objective=arguments.objective,
        schemes=arguments.schemes,
        orders=arguments.orders,
        precision=arguments.precision,
        digits=arguments.digits,
        seconds=arguments.seconds,
        out=arguments.out,
        jobs=arguments.jobs,
        force=arguments.force,
        **where_in(arguments),
    )
    show(arguments, result)
    return 0 if result.met else 1
