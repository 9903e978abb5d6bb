"""`meshsim explain`."""

import argparse
from typing import Any

from meshsim.experiments.cli.outputs import add_pictures, check_pictures, show_run
from meshsim.experiments.cli.parsing import (
    add_common,
    add_machine,
    add_options,
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
        "explain",
        help="say why one scheme is faster than another, and what would change that",
        description="Say what the critical paths of two schemes pay, and by how much each cost of the machine would "
        "have to change until the other scheme is the faster.",
        epilog=examples(
            "meshsim explain wong-mesh lee-chang --robot chain:12:1 --machine t800",
            "meshsim explain wong-mesh hwang --robot puma600 --machine t800 --gantt out/both.png",
            "meshsim explain denoc denoc --robot 3rrr --machine t800 --option layout=star",
            "meshsim explain wong-mesh hwang --robot puma600 --machine t800 --network square-mesh:4x4",
        ),
    )
    add_scheme(parser)
    parser.add_argument("rival", metavar="RIVAL", help="another")
    add_robot(parser)
    add_machine(parser)
    add_wrench(parser)
    add_options(parser)
    parser.add_argument(
        "--rival-option", action="append", default=[], metavar="KEY=VALUE", help="an option of the other scheme"
    )
    parser.add_argument(
        "--orders", action="store_true", help="look for the best order of the work of both even where that takes long"
    )
    add_where(parser)
    add_pictures(parser)
    add_common(parser)
    parser.set_defaults(function=_explain)


def _explain(arguments: argparse.Namespace) -> None:
    from meshsim.experiments.front.explain import explain

    inputs = arguments.scheme, arguments.rival, arguments.robot, arguments.machine
    check_pictures(arguments, *inputs, arguments.network, arguments.placement)
    options = pairs(arguments.option), pairs(arguments.rival_option)
    borne = wrenches(arguments.wrench)
    show_run(arguments, explain(*inputs, *options, arguments.orders, borne, **where_in(arguments)))
