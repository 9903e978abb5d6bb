"""`meshsim accuracy`."""

import argparse
from typing import Any

from meshsim.experiments.cli.outputs import show
from meshsim.experiments.cli.parsing import add_common, add_jobs, add_out, examples, names, sizes


def add(parsers: Any) -> None:
    """Its arguments."""
    parser = parsers.add_parser(
        "accuracy",
        help="how the error of accelerations grows with joints, against a reference in 60 digits",
        description="Compute accelerations by schemes, for systems of growing size, in several number formats, and set "
        "them beside exact ones: articulated bodies in decimal arithmetic, 60 digits. Writes a table (accuracy.csv) "
        "and a figure of errors: the largest difference over the largest acceleration. A study that was interrupted "
        "goes on where it was.",
        epilog=examples(
            "meshsim accuracy --schemes one-featherstone,dca,dca@form=mixed --n 4,16,64 --out out/accuracy",
            "meshsim accuracy --schemes dca,hybrid@pieces=4;form=six --systems coil:N,coil:N:thin --precision single",
        ),
    )
    parser.add_argument(
        "--schemes",
        type=names,
        metavar="A,B",
        help="names (see `meshsim list schemes`) or FILE.py:NAME, with options behind an @, as "
        "dca@form=mixed, several with ; between them (default one-featherstone, wong-mesh, dca, dca@form=mixed, scan, "
        "cfa and hybrid)",
    )
    parser.add_argument(
        "--systems",
        type=names,
        metavar="A,B",
        help="robots with N for their number of joints (default chain:N:1,straight:N,coil:N,dill:N)",
    )
    parser.add_argument(
        "--n", type=sizes, metavar="4,8,16", help="joints: a list, ranges, or both as in 2..8,16 (default 4,8,16,32,64)"
    )
    parser.add_argument(
        "--precision", type=names, metavar="A,B", help="number formats, as `meshsim run` has (default double,single)"
    )
    add_out(parser, None, "out/accuracy")
    add_jobs(parser)
    add_common(parser)
    parser.set_defaults(function=_accuracy)


def _accuracy(arguments: argparse.Namespace) -> None:
    from meshsim.experiments.front.accuracy import accuracy

    told = {name: getattr(arguments, name) for name in ("schemes", "systems", "n", "precision")}
    given = {name: value for name, value in told.items() if value is not None}
    show(arguments, accuracy(**given, out=arguments.out, jobs=arguments.jobs, force=arguments.force))
