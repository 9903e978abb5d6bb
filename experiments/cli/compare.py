"""`meshsim compare`."""

import argparse
from typing import Any

from meshsim.experiments.cli.parsing import add_common, add_jobs, add_machines, add_out, examples, names, show, sizes


def add(parsers: Any) -> None:
    """Its arguments."""
    parser = parsers.add_parser(
        "compare",
        help="run every scheme side by side over a range of joints and machines",
        description="Run every scheme on every machine for every number of joints, on random chains; write a table "
        "(compare.csv) and figures, and tell for which n the mesh is the fastest. A run that was interrupted goes on "
        "where it was.",
        epilog=examples(
            "meshsim compare",
            "meshsim compare --schemes wong-mesh,hwang --machine ideal,mine.toml --n 2..12 --out out/small --stream 8",
            "meshsim compare --closed --robots 3rrr --machine ideal,t800 --out out/3rrr",
        ),
    )
    parser.add_argument(
        "--schemes", type=names, metavar="A,B", help="default: every parallel scheme for chains, and one-wong"
    )
    add_machines(parser, "ideal,t800-overlap,t800")
    parser.add_argument("--n", type=sizes, metavar="2..24", help="joints: a range or a list (2,4,8)")
    parser.add_argument("--solver", metavar="NAME", help="see `meshsim list solvers`; default: each scheme's own")
    parser.add_argument("--seed", type=int, default=1, help="seed of the random chains (default 1)")
    parser.add_argument(
        "--stream", type=int, default=0, metavar="K", help="also time K evaluations that follow one another"
    )
    parser.add_argument(
        "--closed",
        action="store_true",
        help="compare the methods for mechanisms with loops instead; takes --robots, --machine, --goal, --duration",
    )
    parser.add_argument(
        "--robots", type=names, metavar="A,B", help="with --closed: default all that are built in, without variants"
    )
    parser.add_argument(
        "--goal", type=float, help="with --closed: how far joints may be off, in rad or m (default 1e-3)"
    )
    parser.add_argument("--duration", type=float, help="with --closed: seconds of motion (default 1)")
    add_out(parser, None, "out/compare, or out/compare-closed")
    add_jobs(parser)
    add_common(parser)
    parser.set_defaults(function=_compare)


def _compare(arguments: argparse.Namespace) -> None:
    from meshsim.experiments.front.compare import compare

    result = compare(
        schemes=arguments.schemes,
        machine=arguments.machine,
        n=arguments.n,
        solver=arguments.solver,
        seed=arguments.seed,
        stream=arguments.stream,
        closed=arguments.closed,
        robots=arguments.robots,
        goal=arguments.goal,
        duration=arguments.duration,
        out=arguments.out,
        jobs=arguments.jobs,
        force=arguments.force,
    )
    show(arguments, result)
