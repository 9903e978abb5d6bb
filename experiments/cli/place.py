"""`meshsim place`."""

import argparse
from typing import Any

from meshsim.experiments.cli.outputs import inputs_of, show
from meshsim.experiments.cli.parsing import (
    add_common,
    add_machine,
    add_options,
    add_robot,
    add_scheme,
    add_where,
    examples,
    pairs,
    where_in,
)
from meshsim.experiments.store.files import PICTURES, check_ending, check_outputs


def add(parsers: Any) -> None:
    """Its arguments."""
    parser = parsers.add_parser(
        "place",
        help="show where the programs of a scheme go on a network, and what that costs",
        description="Show where the programs of a scheme go on a network: work of each processor, traffic of each "
        "link, distances, switches, copies, conflicts, and the time against the scheme's own network. Without a "
        "network, the scheme's own.",
        epilog=examples(
            "meshsim place wong-mesh --robot puma600 --machine t800 --network square-mesh:4x4 --picture placed.png",
            "meshsim place wong-mesh --robot puma600 --machine t800 --network ring:8 --placement snake --no-run",
            "meshsim place hwang --robot chain:8:1 --machine t800 --network hypercube:3 --dead 5 --save mine.json",
            "meshsim place hwang --robot chain:8:1 --machine t800 --network hypercube:3 --placement mine.json",
        ),
    )
    add_scheme(parser)
    add_robot(parser)
    add_machine(parser)
    add_options(parser)
    add_where(parser)
    parser.add_argument("--no-run", action="store_true", help="do not run it: no times and no conflicts, but quick")
    parser.add_argument("--picture", metavar="FILE.png", help="draw the network, loads and traffic (png, svg or pdf)")
    parser.add_argument("--save", metavar="FILE.json", help="write the placement as --placement reads it")
    add_common(parser)
    parser.set_defaults(function=_place)


def _place(arguments: argparse.Namespace) -> None:
    read = arguments.robot, arguments.scheme, arguments.machine, arguments.network, arguments.placement
    check_outputs([arguments.picture, arguments.save], inputs_of(*read))
    check_ending("picture", arguments.picture, PICTURES)
    check_ending("placement file", arguments.save, (".json",))
    from meshsim.experiments.front.place import place

    where = where_in(arguments)
    page = place(*read[:3], **where, simulate=not arguments.no_run, options=pairs(arguments.option))
    if arguments.save is not None:
        page.save(arguments.save)
    if arguments.picture is not None:
        page.save_picture(arguments.picture)
    show(arguments, page)
    for what, path in (("placement", arguments.save), ("picture", arguments.picture)):
        if path is not None and not arguments.json:
            print(f"{what}: {path}")
