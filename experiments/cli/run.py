"""`meshsim run`."""

import argparse
from typing import Any

from meshsim.experiments.cli.outputs import add_animation, add_pictures, check_pictures, show_run
from meshsim.experiments.cli.parsing import (
    PROFILES,
    Parser,
    add_common,
    add_machine,
    add_options,
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
        "run",
        help="compute the forward dynamics of a robot once, with a scheme on a machine",
        description="Compute the forward dynamics of a robot once, with a scheme on a machine, check it against a "
        "dense solver, and say where the time goes. Robots with loops are taken as all others.",
        epilog=examples(
            "meshsim run wong-mesh --robot puma600 --machine ideal",
            "meshsim run wong-mesh --robot arm.urdf --machine mine.toml --state s.json --gantt arm.png --trace arm.csv",
            "meshsim run wong-mesh --robot chain:3:1 --machine t800 --animate chain.gif --frames 120",
            "meshsim run hwang --robot chain:12:7 --machine t800-overlap --option solver=feedforward-lu --json",
            "meshsim run denoc --robot 3rrr --machine t800 --option layout=star --profile own",
            "meshsim run wong-mesh --robot puma600 --machine t800 --network square-mesh:4x4",
            "meshsim run wong-mesh --robot puma600 --machine t800 --precision single",
            "meshsim run mine.py:MY_SCHEME --robot puma600 --machine t800",
        ),
    )
    add_inputs(parser)
    add_pictures(parser)
    add_animation(parser)
    add_common(parser)
    parser.set_defaults(function=_run)


def add_inputs(parser: Parser) -> None:
    """What is computed, and where."""
    add_scheme(parser)
    add_robot(parser)
    add_machine(parser)
    parser.add_argument(
        "--state",
        metavar="FILE.json",
        help='{"q": .., "qd": .., "tau": ..}, each a list in joint order or an object by joint name; '
        "without it joint i is at 0.1 i rad (or m), turning at 0.2 rad/s, without torque; with loops, joints are where "
        "these close, near the robot's own guess, and the actuated ones turn at 0.2 rad/s; with loops, each list or "
        "object may be of the actuated joints alone, and the others follow",
    )
    parser.add_argument("--profile", metavar="P", help=f"in place of a state, the start of a motion: {PROFILES}")
    add_wrench(parser)
    add_options(parser)
    add_where(parser)
    add_precision(parser)


def _run(arguments: argparse.Namespace) -> None:
    inputs = arguments.robot, arguments.scheme, arguments.machine
    check_pictures(arguments, *inputs, arguments.state, arguments.profile, arguments.network, arguments.placement)
    shown = (arguments.trace, arguments.gantt, arguments.report, arguments.animate)
    trace = True if any(shown) else None
    show_run(arguments, result_of(arguments, arguments.report is not None, trace))


def result_of(arguments: argparse.Namespace, values: bool, trace: bool | None = True) -> Any:
    """Compute it; keep values, which takes nearly as long again, for whoever shows them, and a trace likewise."""
    from meshsim.experiments.front.run import run

    return run(
        arguments.robot,
        arguments.scheme,
        arguments.machine,
        state=arguments.state,
        profile=arguments.profile,
        options=pairs(arguments.option),
        trace=trace,
        wrenches=wrenches(arguments.wrench),
        precision=arguments.precision,
        values=values,
        **where_in(arguments),
    )
