"""`meshsim run`."""

import argparse
from typing import Any

from meshsim.experiments.cli.parsing import (
    add_common,
    add_machine,
    add_options,
    add_pictures,
    add_robot,
    add_scheme,
    check_pictures,
    examples,
    pairs,
    show_run,
)


def add(parsers: Any) -> None:
    """Its arguments."""
    parser = parsers.add_parser(
        "run",
        help="compute one forward-dynamics step of a robot with a scheme on a machine",
        description="Compute one forward-dynamics step of a robot with a scheme on a machine, check it against a dense "
        "solver, and tell where the time goes.",
        epilog=examples(
            "meshsim run wong-mesh --robot puma600 --machine ideal",
            "meshsim run wong-mesh --robot arm.urdf --machine mine.toml --state s.json --gantt arm.png --trace arm.csv",
            "meshsim run hwang --robot chain:12:7 --machine t800-overlap --option solver=feedforward-lu --json",
            "meshsim run mine.py:MY_SCHEME --robot puma600 --machine t800",
        ),
    )
    add_scheme(parser)
    add_robot(parser)
    add_machine(parser)
    parser.add_argument(
        "--state",
        metavar="FILE.json",
        help='{"q": .., "qd": .., "tau": ..}, each a list in joint order or an object by joint name; '
        "without it joint i is at 0.1 i rad (or m), turning at 0.2 rad/s, without torque",
    )
    add_options(parser)
    add_pictures(parser)
    add_common(parser)
    parser.set_defaults(function=_run)


def _run(arguments: argparse.Namespace) -> None:
    from meshsim.experiments.front.run import run

    options = pairs(arguments.option)
    check_pictures(arguments, arguments.scheme, arguments.robot, arguments.machine, arguments.state)
    result = run(arguments.robot, arguments.scheme, arguments.machine, state=arguments.state, options=options)
    show_run(arguments, result)
