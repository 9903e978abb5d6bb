"""`meshsim simulate`."""

import argparse
from typing import Any

from meshsim.experiments.cli.outputs import add_animation, add_pictures, check_pictures, show_run
from meshsim.experiments.cli.parsing import (
    PROFILES,
    add_common,
    add_feedback,
    add_machine,
    add_options,
    add_out,
    add_robot,
    add_scheme,
    add_where,
    add_wrench,
    examples,
    pairs,
    times,
    where_in,
    wrenches,
)
from meshsim.experiments.cli.units import seconds


def add(parsers: Any) -> None:
    """Its arguments."""
    parser = parsers.add_parser(
        "simulate",
        help="move a robot: integrate its dynamics in time on a machine",
        description="Integrate a robot's dynamics in time with a scheme on a machine: torques, "
        "evaluations, Runge-Kutta steps and their messages. Writes a table (motion.csv) as it goes, and figures. Where "
        "a step repeats exactly, the times of the rest are taken from it; all numbers are computed.",
        epilog=examples(
            "meshsim simulate wong-mesh --robot puma600 --machine t800 --profile cycloid:10 --step 0.01",
            "meshsim simulate one-wong --robot arm.urdf --machine t800 --profile free --step 1ms --duration 2s",
            "meshsim simulate denoc --robot 3rrr --machine t800 --option layout=star --profile own --step 0.01",
            "meshsim simulate wong-mesh --robot excavator --machine t800-measured --profile excavator:joint --step .01",
            "meshsim simulate wong-mesh --robot puma600 --machine t800 --step 0.01 --network ring:8 --placement blocks",
        ),
    )
    add_scheme(parser)
    add_robot(parser)
    add_machine(parser)
    parser.add_argument("--profile", default="free", metavar="P", help=f"what drives it: {PROFILES} (default free)")
    parser.add_argument("--step", type=seconds, metavar="H", help="fixed steps, such as 10ms; default: adaptive")
    parser.add_argument("--rtol", type=float, default=1e-6, help="tolerance of adaptive steps (default 1e-6)")
    parser.add_argument("--duration", type=seconds, metavar="T", help="such as 2s; default: the profile's own, or 1s")
    parser.add_argument("--order", type=int, default=4, help="of the Runge-Kutta rule: 1, 2 or 4 (default 4)")
    parser.add_argument(
        "--friction", type=float, default=0.0, metavar="B", help="viscous, of every joint, in N m s/rad (default 0)"
    )
    parser.add_argument(
        "--dry-friction",
        default="0",
        metavar="F[:BREAKAWAY],..",
        help="Coulomb's, in N m, of every joint or one after the other; it sticks until BREAKAWAY, which is F unless "
        "told (default 0)",
    )
    parser.add_argument("--state", metavar="FILE.json", help="where it starts, as for run; default: the profile's own")
    add_feedback(parser)
    add_wrench(parser)
    add_options(parser)
    add_where(parser)
    parser.add_argument(
        "--timing",
        choices=("steady", "every"),
        default="steady",
        help="steady: simulate every message until a step repeats exactly; every: simulate all steps (default steady)",
    )
    parser.add_argument(
        "--strip", type=times, default=(), metavar="T1,T2", help="when to draw the skeleton, such as 0,0.5s"
    )
    add_out(parser, "out/motion", "out/motion")
    add_pictures(parser)
    add_animation(parser)
    add_common(parser)
    parser.set_defaults(function=_simulate)


def _simulate(arguments: argparse.Namespace) -> None:
    from meshsim.experiments.front.simulate import simulate
    from meshsim.experiments.studies.simulate import PICTURES, SUMMARY, TABLE, TIMES

    inputs = arguments.scheme, arguments.robot, arguments.machine, arguments.profile, arguments.state
    files = arguments.network, arguments.placement
    check_pictures(arguments, *inputs, *files, results=(TABLE, TIMES, SUMMARY, *PICTURES))
    result = simulate(
        robot=arguments.robot,
        scheme=arguments.scheme,
        machine=arguments.machine,
        step=arguments.step,
        rtol=arguments.rtol,
        profile=arguments.profile,
        duration=arguments.duration,
        order=arguments.order,
        friction=arguments.friction,
        dry_friction=arguments.dry_friction,
        state=arguments.state,
        timing=arguments.timing,
        strip=arguments.strip,
        out=arguments.out,
        force=arguments.force,
        wrenches=wrenches(arguments.wrench),
        feedback=arguments.feedback,
        options=pairs(arguments.option),
        **where_in(arguments),
    )
    show_run(arguments, result)
