"""The command `meshsim`."""

import argparse
import json
import os
import sys
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from textwrap import fill
from typing import Any, NoReturn

from algorithms.reference import forward_dynamics
from algorithms.robots import ROBOTS, load_robot
from algorithms.schemes import SCHEMES, load_scheme
from algorithms.solvers import SOLVERS, dense_solution, load_solver, load_system
from algorithms.state import default_state, read_state
from experiments.bench import BENCHES, run_benches
from experiments.files import write_csv
from experiments.gantt import draw_gantt, label
from experiments.report import SolveReport, StepReport
from meshsim.errors import MeshSimError
from meshsim.kernel import KERNELS
from meshsim.machine import Machine
from meshsim.presets import PRESETS, load_machine
from meshsim.trace import Row
from topologies import NETWORKS


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: error: {message} (try {self.prog} --help)\n")


def build_parser() -> Parser:
    """The whole command line."""
    parser = Parser(
        prog="meshsim",
        description="Simulate parallel robot-dynamics algorithms on networks of processors: real numbers, exact times.",
        epilog="example: meshsim run wong-mesh --robot puma600 --machine t800 --gantt puma600.png",
    )
    parser.add_argument("--version", action="version", version=f"meshsim {version('meshsim')}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=Parser)
    _add_run(commands)
    _add_solve(commands)
    _add_list(commands)
    _add_bench(commands)
    return parser


def _add_run(commands: Any) -> None:
    run = commands.add_parser(
        "run",
        help="compute one forward-dynamics step of a robot with a scheme on a machine",
        description="Compute one forward-dynamics step of a robot with a scheme on a machine, check it against a dense "
        "solver, and tell where the time goes.",
        epilog="examples: meshsim run wong-mesh --robot puma600 --machine ideal; "
        "meshsim run wong-mesh --robot arm.urdf --machine mine.toml --state now.json "
        "--option rho=recompute --gantt run.png --trace run.csv",
    )
    run.add_argument("scheme", metavar="SCHEME", help=f"one of: {', '.join(SCHEMES)}")
    run.add_argument("--robot", required=True, help=f"{', '.join(ROBOTS)}, chain:N:SEED, or a URDF file")
    _add_machine(run)
    run.add_argument(
        "--state",
        metavar="FILE.json",
        help='{"q": .., "qd": .., "tau": ..}, each a list in joint order or an object by joint name; '
        "without it joint i is at 0.1 i rad, turning at 0.2 rad/s, without torque",
    )
    run.add_argument("--option", action="append", default=[], metavar="KEY=VALUE", help="an option of the scheme")
    _add_json(run)
    run.add_argument("--gantt", metavar="FILE.png", help="draw what every processor does when (png, svg or pdf)")
    run.add_argument("--trace", metavar="FILE.csv", help="write every compute span, message and wait")
    run.set_defaults(function=run_command)


def _add_solve(commands: Any) -> None:
    solve = commands.add_parser(
        "solve",
        help="solve a dense linear system with a parallel method",
        description="Solve a dense linear system A x = b with a parallel method on a machine.",
        epilog="examples: meshsim solve feedforward-lu --system random:8:1 --machine ideal; "
        "meshsim solve feedforward-lu --system system.json --machine t800 --json",
    )
    solve.add_argument("method", metavar="METHOD", help=f"one of: {', '.join(SOLVERS)}")
    solve.add_argument(
        "--system",
        required=True,
        metavar="FILE.json|random:N:SEED",
        help='{"A": [[..]], "b": [..]}, or a random system',
    )
    _add_machine(solve)
    _add_json(solve)
    solve.set_defaults(function=solve_command)


def _add_list(commands: Any) -> None:
    listing = commands.add_parser(
        "list",
        help="show schemes, solvers, robots, machines and networks",
        description="Show the schemes, solvers, robots, machines and networks that are built in.",
        epilog="example: meshsim list",
    )
    listing.set_defaults(function=list_command)


def _add_bench(commands: Any) -> None:
    bench = commands.add_parser(
        "bench",
        help="measure how quick the simulator is",
        description="Measure how quick the simulator is, against plainer ways to do the same in the same run.",
        epilog="example: meshsim bench systolic --json",
    )
    bench.add_argument("name", nargs="?", metavar="NAME", help=f"one of: {', '.join(BENCHES)} (default: all)")
    _add_json(bench)
    bench.set_defaults(function=bench_command)


def _add_machine(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--machine", required=True, help=f"{', '.join(PRESETS)}, or a TOML file")


def _add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")


def run_command(arguments: argparse.Namespace) -> None:
    """`meshsim run`."""
    scheme = load_scheme(arguments.scheme)
    options = scheme.choose(_options(arguments.option))
    machine = _machine(arguments.machine)
    mechanism = load_robot(arguments.robot)
    state = read_state(arguments.state, mechanism) if arguments.state else default_state(mechanism)
    _check_picture(arguments.gantt)
    run = scheme.plan(mechanism, state, **options).run(machine)
    report = StepReport(scheme, options, mechanism, run, forward_dynamics(mechanism, state))
    if arguments.gantt:
        draw_gantt(run, report.title, arguments.gantt)
    if arguments.trace:
        rows = (row._replace(processor=label(row.processor), peer=label(row.peer)) for row in run.trace.rows())
        write_csv(arguments.trace, Row._fields, rows)
    _print(arguments, report)
    if not arguments.json and arguments.gantt:
        print(f"picture: {arguments.gantt}")


def solve_command(arguments: argparse.Namespace) -> None:
    """`meshsim solve`."""
    solver = load_solver(arguments.method)
    machine = _machine(arguments.machine)
    A, b = load_system(arguments.system)
    run = solver.plan(A, b).run(machine)
    _print(arguments, SolveReport(solver.name, len(b), run, dense_solution(A, b)))


def list_command(_: argparse.Namespace) -> None:
    """`meshsim list`."""
    robots = {name: f"{make().n} joints" for name, make in ROBOTS.items()}
    robots |= {"chain:N:SEED": "a random chain of N joints", "FILE.urdf": "a robot of your own"}
    machines = {name: machine.description for name, machine in PRESETS.items()} | {"FILE.toml": "a machine of your own"}
    sections: Mapping[str, Mapping[str, str]] = {
        "schemes": {name: _with_options(scheme.summary, scheme.options) for name, scheme in SCHEMES.items()},
        "solvers": {name: solver.summary for name, solver in SOLVERS.items()},
        "robots": robots,
        "machines": machines,
        "networks": {name: description for name, (_, description) in NETWORKS.items()},
    }
    for title, entries in sections.items():
        print(f"{title}:")
        for name, description in entries.items():
            print(fill(description, 110, initial_indent=f"  {name:<16} ", subsequent_indent=" " * 19))


def bench_command(arguments: argparse.Namespace) -> None:
    """`meshsim bench`."""
    figures = run_benches(arguments.name)
    if arguments.json:
        print(json.dumps(figures))
        return
    for name, figure in figures.items():
        print(f"{name:<36}{figure:>14.4g}")


def _with_options(summary: str, options: Mapping[str, Sequence[str]]) -> str:
    return summary + "".join(f"; --option {option}={'|'.join(values)}" for option, values in options.items())


def _options(pairs: Sequence[str]) -> dict[str, str]:
    options: dict[str, str] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals:
            raise MeshSimError(f"an option must be KEY=VALUE, not {pair!r}")
        if key in options:
            raise MeshSimError(f"option {key!r} must be given once, not twice")
        options[key] = value
    return options


def _machine(text: str) -> Machine:
    """A machine whose measured kernels all exist."""
    machine = load_machine(text)
    for name in machine.kernels:
        if name not in KERNELS:
            raise MeshSimError(f"unknown kernel {name!r} in [kernels] of {text}; known: {', '.join(sorted(KERNELS))}")
    return machine


def _check_picture(path: str | None) -> None:
    endings = (".png", ".svg", ".pdf")
    if path is not None and not path.lower().endswith(endings):
        raise MeshSimError(f"a picture must end with {', '.join(endings)}, not {path!r}")


def _print(arguments: argparse.Namespace, report: StepReport | SolveReport) -> None:
    print(json.dumps(report.as_json()) if arguments.json else report.as_text())


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; a user's mistake is one line on standard error and status 2."""
    arguments = build_parser().parse_args(argv)
    try:
        arguments.function(arguments)
        sys.stdout.flush()
    except MeshSimError as error:
        print(f"meshsim: error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("meshsim: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    return 0
