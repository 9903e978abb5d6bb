"""`meshsim solve`."""

import argparse
from typing import Any

from meshsim.experiments.cli.outputs import add_animation, add_pictures, check_pictures, show_run
from meshsim.experiments.cli.parsing import (
    Parser,
    add_common,
    add_machine,
    add_precision,
    add_scheme,
    add_where,
    examples,
    where_in,
)


def add(parsers: Any) -> None:
    """Its arguments."""
    parser = parsers.add_parser(
        "solve",
        help="solve a dense linear system with a parallel method",
        description="Solve a dense linear system A x = b with a parallel method on a machine.",
        epilog=examples(
            "meshsim solve feedforward-lu --system random:8:1 --machine ideal",
            "meshsim solve liu-young --system symmetric:8:1 --machine t800 --gantt liu-young.png --json",
            "meshsim solve feedforward-lu --system random:4:1 --machine t800 --animate solver.gif",
            "meshsim solve feedforward-lu --system random:8:1 --machine t800 --network torus:3x3",
        ),
    )
    add_inputs(parser)
    add_pictures(parser)
    add_animation(parser)
    add_common(parser)
    parser.set_defaults(function=_solve)


def add_inputs(parser: Parser) -> None:
    """What is solved, and where."""
    add_scheme(parser, "METHOD", "solvers")
    parser.add_argument(
        "--system",
        required=True,
        metavar="FILE.json|random:N:SEED|symmetric:N:SEED",
        help='{"A": [[..]], "b": [..]}, or a random system, general or symmetric positive definite',
    )
    add_machine(parser)
    add_where(parser)
    add_precision(parser)


def _solve(arguments: argparse.Namespace) -> None:
    inputs = arguments.system, arguments.method, arguments.machine
    check_pictures(arguments, *inputs, arguments.network, arguments.placement)
    show_run(arguments, result_of(arguments, values=arguments.report is not None))


def result_of(arguments: argparse.Namespace, values: bool) -> Any:
    """Compute it; keep values, which takes nearly as long again, for whoever shows them."""
    from meshsim.experiments.front.solve import solve

    inputs = arguments.system, arguments.method, arguments.machine
    return solve(*inputs, precision=arguments.precision, values=values, **where_in(arguments))
