"""The commands for mechanisms with loops."""

from typing import Any

from meshsim.experiments.cli.parsing import add_json, add_machine, examples, later

CLOSED_HELP = (
    "one with loops that `meshsim list` names, five-bar:METRES[:up|:down], or a TOML file with loops (docs/robots.md)"
)
METHOD_HELP = "one that `meshsim list` names"
NETWORK_HELP = "one, star or complete (default one)"


def add_closed(parsers: Any) -> None:
    """`meshsim closed`."""
    closed = parsers.add_parser(
        "closed",
        help="compute the dynamics of a mechanism with loops, once or in motion",
        description="Evaluate the dynamics of a mechanism with loops by a method, on one processor or several, and "
        "tell what it takes. With --duration or --step, move it: a table (motion.csv) as it goes, and figures.",
        epilog=examples(
            "meshsim closed projection --robot 3rrr --machine t800 --network star --distribution partly",
            "meshsim closed penalty --robot four-bar --machine t800 --option k=1e5 --duration 2 --rtol 1e-6",
            "meshsim closed denoc --robot 3rrr --machine t800 --network star --step 0.01 --out out/3rrr",
            "meshsim closed multipliers --robot mine.toml --machine ideal --drive cycloid:2:30",
            "meshsim closed mesh --robot 3rrr --machine t800 --option variant=small",
        ),
    )
    closed.add_argument("method", metavar="METHOD", help=METHOD_HELP)
    closed.add_argument("--robot", required=True, help=CLOSED_HELP)
    add_machine(closed)
    closed.add_argument("--network", default="one", help=NETWORK_HELP)
    closed.add_argument(
        "--distribution",
        metavar="HOW",
        help="full: states are exchanged once, what depends on all is repeated; partly: each computes its own part",
    )
    closed.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="k and d of springs (N/m, N s/m), sigma (1/s), technique=gauss|qr; of mesh: variant=tree|small and others",
    )
    closed.add_argument(
        "--drive",
        default="own",
        metavar="D",
        help="own, a torque for each actuated joint, or cycloid:SECONDS[:DEGREES[:METRES]] (default own)",
    )
    closed.add_argument(
        "--start", metavar="A,B", help="where the actuated joints start, in rad or m; default: the robot's own guess"
    )
    closed.add_argument("--duration", type=float, metavar="T", help="seconds of motion; default: the drive's own")
    closed.add_argument("--step", type=float, metavar="H", help="fixed steps of so many seconds; default: adaptive")
    closed.add_argument("--rtol", type=float, default=1e-6, help="tolerance of adaptive steps (default 1e-6)")
    closed.add_argument(
        "--out", default="out/closed", metavar="DIR", help="folder for a motion's results (default out/closed)"
    )
    add_json(closed)
    closed.set_defaults(function=later("closed_command"))


def add_inverse(parsers: Any) -> None:
    """`meshsim inverse`."""
    inverse = parsers.add_parser(
        "inverse",
        help="compute the torques that a motion of a mechanism with loops takes",
        description="Compute the torques of the actuated joints along a motion by a method, on one processor or "
        "several, check them against a dense solver, and tell what they take: a table (torques.csv) and figures.",
        epilog=examples(
            "meshsim inverse noc --robot 3prr --machine t800 --network star",
            "meshsim inverse subsystems --robot scraper --machine t800 --network complete --out out/scraper",
        ),
    )
    inverse.add_argument("method", metavar="METHOD", help=METHOD_HELP)
    inverse.add_argument("--robot", required=True, help=CLOSED_HELP)
    add_machine(inverse)
    inverse.add_argument("--network", default="one", help=NETWORK_HELP)
    inverse.add_argument(
        "--motion", default="own", metavar="P", help="own, or cycloid:SECONDS[:DEGREES[:METRES]] (default own)"
    )
    inverse.add_argument("--samples", type=int, default=101, metavar="N", help="at how many times (default 101)")
    inverse.add_argument("--out", default="out/inverse", metavar="DIR", help="folder for results (default out/inverse)")
    add_json(inverse)
    inverse.set_defaults(function=later("inverse_command"))
