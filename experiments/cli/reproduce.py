"""`meshsim reproduce`."""

import argparse
from typing import Any

from meshsim.experiments.cli.outputs import show
from meshsim.experiments.cli.parsing import add_common, add_jobs, add_out, examples


def add(parsers: Any) -> None:
    """Its arguments."""
    parser = parsers.add_parser(
        "reproduce",
        help="recompute published tables and figures, and judge every claim",
        description="Recompute published tables and figures, and write a page that lists, claim by claim, what was "
        "published, what was computed, and cell by cell how they compare: scorecard.html, scorecard.md, "
        "scorecard.json, numbers.csv and figures. Interrupted, the same command goes on with what is missing; --force "
        "recomputes all.",
        epilog=examples("meshsim reproduce", "meshsim reproduce wong-table-4.8 wong-fig-4.9 --out out/mesh"),
    )
    parser.add_argument(
        "exhibits", nargs="*", metavar="ID", help="exhibits, as `meshsim list exhibits` names them; default: all"
    )
    add_out(parser, "out/reproduce", "out/reproduce")
    add_jobs(parser)
    add_common(parser)
    parser.set_defaults(function=_reproduce)


def _reproduce(arguments: argparse.Namespace) -> None:
    from meshsim.experiments.front.reproduce import reproduce

    show(arguments, reproduce(*arguments.exhibits, out=arguments.out, jobs=arguments.jobs, force=arguments.force))
