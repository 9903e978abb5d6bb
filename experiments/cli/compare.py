"""`meshsim compare`."""

import argparse
from typing import Any

from meshsim.experiments.cli.outputs import add_report, check_report, show
from meshsim.experiments.cli.parsing import (
    Parser,
    add_common,
    add_jobs,
    add_machines,
    add_out,
    add_placement,
    add_precision,
    examples,
    names,
    sizes,
)
from meshsim.experiments.cli.units import seconds


def add(parsers: Any) -> None:
    """Its arguments."""
    parser = parsers.add_parser(
        "compare",
        help="run schemes side by side, over a range of joints or for robots by name, on several machines",
        description="Run schemes side by side on several machines: on random chains of growing length, or on robots by "
        "name, with loops or without. Writes a table (compare.csv) and figures, and says who is the fastest where. "
        "With networks, every scheme is placed on each of them as well, and told beside its own network; with several "
        "numbers of processors, how time falls as they grow. A comparison that was interrupted goes on where it was.",
        epilog=examples(
            "meshsim compare",
            "meshsim compare --schemes wong-mesh,hwang --machine ideal,mine.toml --n 2..12 --out out/small --stream 8",
            "meshsim compare --n 2..32,64,128,256 --out out/large",
            "meshsim compare --schemes hybrid --try all --n 8,16,32,64 --machine t800 --out out/pieces",
            "meshsim compare --orders --n 2,4,6,12 --machine t800 --out out/orders",
            "meshsim compare --robots torso,excavator --machine t800 --out out/robots",
            "meshsim compare --robots 3rrr --machine ideal,t800 --goal 1e-3 --out out/3rrr",
            "meshsim compare --robots puma600 --networks square-mesh:4x4,ring:8,hypercube:4,bus:8 --out out/networks",
            "meshsim compare --n 2..16 --machine t800 --precision single,half,bfloat16 --out out/precision",
            "meshsim compare --n 6 --machine t800 --networks square-mesh,ring --processors 1..16 --out out/scaling",
        ),
    )
    parser.add_argument(
        "--schemes",
        type=names,
        metavar="A,B",
        help="default: every parallel scheme for chains, and one-wong; for robots by name, all that take the robot",
    )
    add_machines(parser, "ideal,t800-overlap,t800")
    parser.add_argument(
        "--n", type=sizes, metavar="2..24", help="joints of random chains: ranges, a list, or both as in 2..32,64"
    )
    parser.add_argument("--robots", type=names, metavar="A,B", help="robots by name or file, in place of random chains")
    parser.add_argument("--solver", metavar="NAME", help="see `meshsim list solvers`; default: each scheme's own")
    parser.add_argument(
        "--try",
        dest="tries",
        choices=("best", "default", "all"),
        default="best",
        help="options of each scheme: the quickest choice at every point (default), its defaults, or a row for each",
    )
    parser.add_argument(
        "--orders", action="store_true", help="also look for the best order of the same work, and what none can beat"
    )
    parser.add_argument("--seed", type=int, default=1, help="seed of the random chains (default 1)")
    parser.add_argument(
        "--stream", type=int, default=0, metavar="K", help="also time K evaluations that follow one another"
    )
    parser.add_argument(
        "--goal",
        type=float,
        help="for robots with loops, also move them: how many evaluations until joints are off by no more (rad or m)",
    )
    _add_networks(parser)
    parser.add_argument(
        "--duration",
        type=seconds,
        default=1.0,
        help="with --goal: how long the motion lasts, such as 500ms (default 1s)",
    )
    parser.add_argument("--closed", action="store_true", help=argparse.SUPPRESS)  # before robots could have loops
    add_out(
        parser,
        None,
        "out/compare, with robots out/compare-robots, with networks out/compare-networks, with "
        "formats out/compare-precision",
    )
    add_jobs(parser)
    add_report(parser)
    add_common(parser)
    parser.set_defaults(function=_compare)


def _add_networks(parser: Parser) -> None:
    """On what else schemes run than on their own networks."""
    parser.add_argument(
        "--networks",
        type=names,
        default=(),
        metavar="A,B",
        help="place every scheme on these too: NAME:SIZE (see `meshsim list networks`), NAME with --processors, a file "
        "of a graph (.json, .graphml), or FILE.py:NAME",
    )
    parser.aliases["--network"] = "--networks"
    parser.add_argument(
        "--processors",
        type=sizes,
        default=(),
        metavar="P",
        help="use only so many processors of each network; a range (1..16) or a list (1,2,4) shows how time falls as "
        "they grow (without --networks: of square-mesh)",
    )
    add_placement(parser)
    add_precision(parser, several=True)


def _compare(arguments: argparse.Namespace) -> None:
    from meshsim.experiments.front.compare import compare

    several = arguments.schemes, arguments.machine, arguments.robots, arguments.networks
    check_report(arguments, *(name for each in several for name in each or ()), arguments.placement)
    robots, goal = arguments.robots, arguments.goal
    if arguments.closed:
        from meshsim.algorithms.robots.linkages import LINKAGES

        robots = robots or tuple(name for name in LINKAGES if ":" not in name)
        goal = 1e-3 if goal is None else goal
    result = compare(
        schemes=arguments.schemes,
        machine=arguments.machine,
        n=arguments.n,
        solver=arguments.solver,
        seed=arguments.seed,
        stream=arguments.stream,
        robots=robots,
        goal=goal,
        duration=arguments.duration,
        tries=arguments.tries,
        orders=arguments.orders,
        networks=arguments.networks,
        processors=arguments.processors,
        placement=arguments.placement,
        dead=arguments.dead,
        precision=arguments.precision,
        out=arguments.out,
        jobs=arguments.jobs,
        force=arguments.force,
    )
    show(arguments, result)
