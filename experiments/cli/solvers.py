"""`meshsim solvers`."""

import argparse
from typing import Any

from meshsim.experiments.cli.outputs import show
from meshsim.experiments.cli.parsing import add_common, examples
from meshsim.experiments.store.files import PICTURES, check_ending, check_outputs


def add(parsers: Any) -> None:
    """Its arguments."""
    parser = parsers.add_parser(
        "solvers",
        help="compare the parallel solvers: processors, cycles, messages, errors",
        description="Compare the parallel solvers on symmetric positive definite systems of growing condition number.",
        epilog=examples("meshsim solvers --n 8 --figure out/conditioning.png"),
    )
    parser.add_argument("--n", type=int, default=8, help="unknowns (default 8)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the random systems (default 1)")
    parser.add_argument("--figure", metavar="FILE.png", help="draw error against condition number (png, svg or pdf)")
    add_common(parser)
    parser.set_defaults(function=_solvers)


def _solvers(arguments: argparse.Namespace) -> None:
    from meshsim.experiments.front.solvers import solvers

    check_outputs([arguments.figure], [])
    check_ending("picture", arguments.figure, PICTURES)
    result = solvers(arguments.n, arguments.seed)
    if arguments.figure is not None:
        result.save_figure(arguments.figure)
    show(arguments, result)
