"""The command `meshsim`."""

import os
import sys
from collections.abc import Sequence
from typing import Any

from meshsim.errors import MeshSimError
from meshsim.experiments.cli.example import add_example
from meshsim.experiments.cli.loops import add_closed, add_inverse
from meshsim.experiments.cli.parsing import (
    Parser,
    add_jobs,
    add_json,
    add_machine,
    examples,
    later,
    names,
    one_line,
    sizes,
    times,
)
from meshsim.experiments.store.progress import tell
from meshsim.version import __version__

ROBOT_HELP = (
    "one that `meshsim list` names, chain:N:SEED, a URDF file (floating:FILE.urdf for a floating base) or a TOML file"
)
SCHEME_HELP = "one that `meshsim list` names"
PROFILES = "free, cycloid:SECONDS[:DEGREES[:METRES]], the excavator's own or FILE.csv"


def build_parser() -> Parser:
    """The whole command line."""
    parser = Parser(
        prog="meshsim",
        description="Simulate parallel robot-dynamics algorithms on networks of processors: real numbers, exact times.",
        epilog=examples("meshsim compare", "meshsim run wong-mesh --robot puma600 --machine t800 --gantt puma600.png"),
    )
    parser.add_argument("--version", action="version", version=f"meshsim {__version__}")
    parsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=Parser)
    _add_run(parsers)
    _add_solve(parsers)
    _add_solvers(parsers)
    _add_list(parsers)
    _add_compare(parsers)
    _add_explain(parsers)
    _add_sweep(parsers)
    _add_simulate(parsers)
    _add_realtime(parsers)
    add_closed(parsers)
    add_inverse(parsers)
    _add_reproduce(parsers)
    _add_bench(parsers)
    add_example(parsers)
    return parser


def _add_run(parsers: Any) -> None:
    run = parsers.add_parser(
        "run",
        help="compute one forward-dynamics step of a robot with a scheme on a machine",
        description="Compute one forward-dynamics step of a robot with a scheme on a machine, check it against a dense "
        "solver, and tell where the time goes.",
        epilog=examples(
            "meshsim run wong-mesh --robot puma600 --machine ideal",
            "meshsim run wong-mesh --robot arm.urdf --machine mine.toml --state s.json --gantt arm.png --trace arm.csv",
            "meshsim run hwang --robot chain:12:7 --machine t800-overlap --option solver=feedforward-lu --json",
        ),
    )
    run.add_argument("scheme", metavar="SCHEME", help=SCHEME_HELP)
    run.add_argument("--robot", required=True, help=ROBOT_HELP)
    add_machine(run)
    run.add_argument(
        "--state",
        metavar="FILE.json",
        help='{"q": .., "qd": .., "tau": ..}, each a list in joint order or an object by joint name; '
        "without it joint i is at 0.1 i rad (or m), turning at 0.2 rad/s, without torque",
    )
    run.add_argument("--option", action="append", default=[], metavar="KEY=VALUE", help="an option of the scheme")
    add_json(run)
    run.add_argument("--gantt", metavar="FILE.png", help="draw what every processor does when (png, svg or pdf)")
    run.add_argument("--trace", metavar="FILE.csv", help="write every compute span, message and wait")
    run.set_defaults(function=later("run_command"))


def _add_solve(parsers: Any) -> None:
    solve = parsers.add_parser(
        "solve",
        help="solve a dense linear system with a parallel method",
        description="Solve a dense linear system A x = b with a parallel method on a machine.",
        epilog=examples(
            "meshsim solve feedforward-lu --system random:8:1 --machine ideal",
            "meshsim solve liu-young --system symmetric:8:1 --machine t800 --json",
        ),
    )
    solve.add_argument("method", metavar="METHOD", help="a solver that `meshsim list` names")
    solve.add_argument(
        "--system",
        required=True,
        metavar="FILE.json|random:N:SEED|symmetric:N:SEED",
        help='{"A": [[..]], "b": [..]}, or a random system, general or symmetric positive definite',
    )
    add_machine(solve)
    add_json(solve)
    solve.set_defaults(function=later("solve_command"))


def _add_solvers(parsers: Any) -> None:
    solvers = parsers.add_parser(
        "solvers",
        help="compare the parallel solvers: processors, cycles, messages, errors",
        description="Compare the parallel solvers on symmetric positive definite systems of growing condition number.",
        epilog=examples("meshsim solvers --n 8 --figure out/conditioning.png"),
    )
    solvers.add_argument("--n", type=int, default=8, help="unknowns (default 8)")
    solvers.add_argument("--seed", type=int, default=1, help="seed of the random systems (default 1)")
    solvers.add_argument("--figure", metavar="FILE.png", help="draw error against condition number")
    add_json(solvers)
    solvers.set_defaults(function=later("solvers_command"))


def _add_list(parsers: Any) -> None:
    listing = parsers.add_parser(
        "list",
        help="show schemes, solvers, robots, machines and networks",
        description="Show the schemes, solvers, robots, machines and networks that are built in.",
        epilog=examples("meshsim list"),
    )
    listing.set_defaults(function=later("list_command"))


def _add_compare(parsers: Any) -> None:
    compare = parsers.add_parser(
        "compare",
        help="run every scheme side by side over a range of joints and machines",
        description="Run every scheme on every machine for every number of joints, on random chains; write a table "
        "(compare.csv) and figures, and tell for which n the mesh is the fastest. A run that was interrupted goes on "
        "where it was.",
        epilog=examples(
            "meshsim compare",
            "meshsim compare --schemes wong-mesh,hwang --machines ideal,mine.toml --n 2..12 --out out/small --stream 8",
            "meshsim compare --closed --robots 3rrr --machines ideal,t800 --out out/3rrr",
        ),
    )
    compare.add_argument(
        "--schemes",
        type=names,
        metavar="A,B",
        help="default: every parallel scheme for chains, and one-wong",
    )
    compare.add_argument(
        "--machines",
        type=names,
        default=("ideal", "t800-overlap", "t800"),
        metavar="A,B",
        help="presets or TOML files; default: ideal,t800-overlap,t800",
    )
    compare.add_argument("--n", type=sizes, metavar="2..24", help="joints: a range or a list (2,4,8)")
    compare.add_argument("--solver", metavar="NAME", help="default: each scheme's own")
    compare.add_argument("--seed", type=int, default=1, help="seed of the random chains (default 1)")
    compare.add_argument(
        "--out", metavar="DIR", help="folder for the results (default out/compare, or out/compare-closed)"
    )
    add_jobs(compare)
    compare.add_argument(
        "--stream", type=int, default=0, metavar="K", help="also time K evaluations that follow one another"
    )
    compare.add_argument(
        "--closed",
        action="store_true",
        help="compare the methods for mechanisms with loops instead; takes --robots, --machines, --goal, --duration",
    )
    compare.add_argument(
        "--robots",
        type=names,
        metavar="A,B",
        help="with --closed: default all that are built in, without variants",
    )
    compare.add_argument(
        "--goal", type=float, help="with --closed: how far joints may be off, in rad or m (default 1e-3)"
    )
    compare.add_argument("--duration", type=float, help="with --closed: seconds of motion (default 1)")
    compare.set_defaults(function=later("compare_command"))


def _add_explain(parsers: Any) -> None:
    explain = parsers.add_parser(
        "explain",
        help="say why one scheme is faster than another, and what would change that",
        description="Say what the critical paths of two schemes pay, and by how much each cost of the machine would "
        "have to change until the other scheme is the faster.",
        epilog=examples("meshsim explain wong-mesh lee-chang --robot chain:12:1 --machine t800"),
    )
    explain.add_argument("scheme", metavar="SCHEME", help=SCHEME_HELP)
    explain.add_argument("rival", metavar="RIVAL", help="another")
    explain.add_argument("--robot", required=True, help=ROBOT_HELP)
    add_machine(explain)
    explain.set_defaults(function=later("explain_command"))


def _add_sweep(parsers: Any) -> None:
    sweep = parsers.add_parser(
        "sweep",
        help="time schemes on a whole table of machines, and map who wins where",
        description="Record every scheme once, re-time it on every machine of a grid or Latin hypercube, and write a "
        "table (sweep.csv) and maps. A sweep that was interrupted goes on where it was. docs/sweeps.md says how SPEC "
        "is written.",
        epilog=examples(
            "meshsim sweep docs/examples/links.toml",
            "meshsim sweep docs/examples/links.toml --out out/links --cluster tcp://127.0.0.1:8786",
        ),
    )
    sweep.add_argument("spec", metavar="SPEC.toml", help="what to sweep")
    sweep.add_argument("--out", metavar="DIR", help="folder for the results (default out/ and the spec's name)")
    add_jobs(sweep)
    sweep.add_argument("--cluster", metavar="ADDRESS", help="a running Dask scheduler, in place of local processes")
    sweep.set_defaults(function=later("sweep_command"))


def _add_simulate(parsers: Any) -> None:
    simulate = parsers.add_parser(
        "simulate",
        help="move a robot: integrate its dynamics in time on a machine",
        description="Integrate a robot's dynamics in time with a scheme on a machine: torques, "
        "evaluations, Runge-Kutta steps and their messages. Writes a table (motion.csv) as it goes, and figures. Where "
        "a step repeats exactly, the times of the rest are taken from it; all numbers are computed.",
        epilog=examples(
            "meshsim simulate wong-mesh --robot puma600 --machine t800 --profile cycloid:10 --step 0.01",
            "meshsim simulate one-wong --robot arm.urdf --machine t800 --profile free --step 0.001 --duration 2",
            "meshsim simulate wong-mesh --robot excavator --machine t800-measured --profile excavator:joint --step .01",
        ),
    )
    simulate.add_argument("scheme", metavar="SCHEME", help=SCHEME_HELP)
    simulate.add_argument("--robot", required=True, help=ROBOT_HELP)
    add_machine(simulate)
    simulate.add_argument("--profile", default="free", metavar="P", help=f"what drives it: {PROFILES} (default free)")
    simulate.add_argument("--step", type=float, required=True, metavar="H", help="step of the integration, in seconds")
    simulate.add_argument("--duration", type=float, metavar="T", help="seconds; default: the profile's own, or 1")
    simulate.add_argument("--order", type=int, default=4, help="of the Runge-Kutta rule: 1, 2 or 4 (default 4)")
    simulate.add_argument(
        "--friction", type=float, default=0.0, metavar="B", help="viscous, of every joint, in N m s/rad (default 0)"
    )
    simulate.add_argument(
        "--state", metavar="FILE.json", help="where it starts, as for run; default: the profile's own"
    )
    simulate.add_argument("--option", action="append", default=[], metavar="KEY=VALUE", help="an option of the scheme")
    simulate.add_argument(
        "--timing",
        choices=("steady", "every"),
        default="steady",
        help="steady: message by message until a step repeats exactly; every: to the end (default steady)",
    )
    simulate.add_argument(
        "--strip", type=times, default=(), metavar="T1,T2", help="when to draw the skeleton, in seconds"
    )
    simulate.add_argument(
        "--out", default="out/motion", metavar="DIR", help="folder for the results (default out/motion)"
    )
    add_json(simulate)
    simulate.set_defaults(function=later("simulate_command"))


def _add_realtime(parsers: Any) -> None:
    realtime = parsers.add_parser(
        "realtime",
        help="say whether a machine keeps up with a robot's motion",
        description="Say whether a step of the integration takes no longer than it stands for, with the margin, "
        "the longest chain that still fits, and the slowest machine that still does.",
        epilog=examples(
            "meshsim realtime --robot excavator --scheme wong-mesh --machine t800-measured --step 0.01 --order 4",
            "meshsim realtime --robot puma600 --scheme one-wong --machine t800 --step 0.01 --json",
        ),
    )
    realtime.add_argument("--robot", required=True, help=ROBOT_HELP)
    realtime.add_argument("--scheme", required=True, metavar="SCHEME", help=SCHEME_HELP)
    add_machine(realtime)
    realtime.add_argument("--step", type=float, required=True, metavar="H", help="step of the integration, in seconds")
    realtime.add_argument("--order", type=int, default=4, help="of the Runge-Kutta rule: 1, 2 or 4 (default 4)")
    realtime.add_argument(
        "--profile", metavar="P", help=f"{PROFILES}; default: excavator:joint for the excavator, free for all others"
    )
    realtime.add_argument("--option", action="append", default=[], metavar="KEY=VALUE", help="an option of the scheme")
    add_json(realtime)
    realtime.set_defaults(function=later("realtime_command"))


def _add_reproduce(parsers: Any) -> None:
    command = parsers.add_parser(
        "reproduce",
        help="recompute published tables and figures, and judge every claim",
        description="Recompute published tables and figures, and write a page that lists, claim by claim, what was "
        "published, what was computed, and a verdict: scorecard.html, scorecard.md, scorecard.json, numbers.csv and "
        "figures.",
        epilog=examples("meshsim reproduce", "meshsim reproduce wong-table-4.8 wong-fig-4.9 --out out/mesh"),
    )
    command.add_argument(
        "exhibits", nargs="*", metavar="ID", help="exhibits, as `meshsim list` names them; default: all"
    )
    command.add_argument(
        "--out", default="out/reproduce", metavar="DIR", help="folder for the results (default out/reproduce)"
    )
    command.set_defaults(function=later("reproduce_command"))


def _add_bench(parsers: Any) -> None:
    bench = parsers.add_parser(
        "bench",
        help="measure how quick the simulator is",
        description="Measure how quick the simulator is, against plainer ways to do the same in the same run.",
        epilog=examples("meshsim bench systolic --json"),
    )
    bench.add_argument("name", nargs="?", metavar="NAME", help="default: all")
    add_json(bench)
    bench.set_defaults(function=later("bench_command"))


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; a user's mistake is one line on standard error and status 2."""
    try:
        parser = build_parser()
        if "_ARGCOMPLETE" in os.environ:  # the shell asks what may come next
            from meshsim.experiments.cli.completion import complete

            complete(parser)
        arguments = parser.parse_args(argv)
        arguments.function(arguments)
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except (MeshSimError, OSError, MemoryError, RecursionError) as error:
        reason = error if isinstance(error, MeshSimError) else f"{type(error).__name__}: {error or 'not enough memory'}"
        tell("")
        print(f"meshsim: error: {one_line(reason)}", file=sys.stderr)
        return 2
    return 0
