"""The command `meshsim`."""

import argparse
import json
import os
import re
import sys
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from textwrap import fill
from typing import Any, NoReturn

from algorithms.reference import check_finite, forward_dynamics
from algorithms.robots import ROBOTS, load_robot
from algorithms.schemes import SCHEMES, load_scheme
from algorithms.solvers import SOLVERS, dense_solution, load_solver, load_system
from algorithms.splitmix import check_spec
from algorithms.state import default_state, read_state
from experiments.bench import BENCHES, run_benches
from experiments.compare import Comparison, run_comparison
from experiments.crossover import crossovers, ratios
from experiments.files import check_outputs, write_csv
from experiments.machines import known_machine
from experiments.progress import tell
from experiments.report import SolveReport, StepReport
from experiments.workers import default_jobs
from meshsim.errors import MeshSimError
from meshsim.plan import Plan
from meshsim.presets import PRESETS
from meshsim.recording import record
from meshsim.retiming import check_kahn, is_kahn
from meshsim.run import Run
from meshsim.sensitivity import Range, critical_ranges, path_counts
from meshsim.trace import Row, label
from topologies import NETWORKS


class Parser(argparse.ArgumentParser):
    """Takes whole option names only, and says what is wrong in one line."""

    def __init__(self, **settings: Any) -> None:
        formatter = argparse.RawDescriptionHelpFormatter
        super().__init__(allow_abbrev=False, formatter_class=formatter, **settings)

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: error: {one_line(message)} (try {self.prog} --help)\n")


def one_line(text: object) -> str:
    """A message on one line of bearable length, whatever names it quotes."""
    line = str(text).replace("\n", "\\n").replace("\r", "\\r")
    return line if len(line) <= 2000 else line[:2000] + " ..."


def examples(*commands: str) -> str:
    """The end of a help page."""
    return "\n".join(["example:" if len(commands) == 1 else "examples:", *(f"  {command}" for command in commands)])


def build_parser() -> Parser:
    """The whole command line."""
    parser = Parser(
        prog="meshsim",
        description="Simulate parallel robot-dynamics algorithms on networks of processors: real numbers, exact times.",
        epilog=examples("meshsim compare", "meshsim run wong-mesh --robot puma600 --machine t800 --gantt puma600.png"),
    )
    parser.add_argument("--version", action="version", version=f"meshsim {version('meshsim')}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=Parser)
    _add_run(commands)
    _add_solve(commands)
    _add_solvers(commands)
    _add_list(commands)
    _add_compare(commands)
    _add_explain(commands)
    _add_sweep(commands)
    _add_reproduce(commands)
    _add_bench(commands)
    return parser


def _add_run(commands: Any) -> None:
    run = commands.add_parser(
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
        epilog=examples(
            "meshsim solve feedforward-lu --system random:8:1 --machine ideal",
            "meshsim solve liu-young --system symmetric:8:1 --machine t800 --json",
        ),
    )
    solve.add_argument("method", metavar="METHOD", help=f"one of: {', '.join(SOLVERS)}")
    solve.add_argument(
        "--system",
        required=True,
        metavar="FILE.json|random:N:SEED|symmetric:N:SEED",
        help='{"A": [[..]], "b": [..]}, or a random system, general or symmetric positive definite',
    )
    _add_machine(solve)
    _add_json(solve)
    solve.set_defaults(function=solve_command)


def _add_solvers(commands: Any) -> None:
    solvers = commands.add_parser(
        "solvers",
        help="compare the parallel solvers: processors, cycles, messages, errors",
        description="Compare the parallel solvers on symmetric positive definite systems of growing condition number.",
        epilog=examples("meshsim solvers --n 8 --figure out/conditioning.png"),
    )
    solvers.add_argument("--n", type=int, default=8, help="unknowns (default 8)")
    solvers.add_argument("--seed", type=int, default=1, help="seed of the random systems (default 1)")
    solvers.add_argument("--figure", metavar="FILE.png", help="draw error against condition number")
    _add_json(solvers)
    solvers.set_defaults(function=solvers_command)


def _add_list(commands: Any) -> None:
    listing = commands.add_parser(
        "list",
        help="show schemes, solvers, robots, machines and networks",
        description="Show the schemes, solvers, robots, machines and networks that are built in.",
        epilog=examples("meshsim list"),
    )
    listing.set_defaults(function=list_command)


def _add_compare(commands: Any) -> None:
    compare = commands.add_parser(
        "compare",
        help="run every scheme side by side over a range of joints and machines",
        description="Run every scheme on every machine for every number of joints, on random chains; write a table "
        "(compare.csv) and figures, and tell for which n the mesh is the fastest. A run that was interrupted goes on "
        "where it was.",
        epilog=examples(
            "meshsim compare",
            "meshsim compare --schemes wong-mesh,hwang --machines ideal,mine.toml --n 2..12 --out out/small --stream 8",
        ),
    )
    parallel = tuple(name for name in SCHEMES if not name.startswith("one-"))
    compare.add_argument(
        "--schemes",
        type=_names,
        default=(*parallel, "one-wong"),
        metavar="A,B",
        help="default: every parallel scheme, and one-wong",
    )
    compare.add_argument(
        "--machines",
        type=_names,
        default=("ideal", "t800-overlap", "t800"),
        metavar="A,B",
        help="presets or TOML files; default: ideal,t800-overlap,t800",
    )
    compare.add_argument(
        "--n", type=_sizes, default=tuple(range(2, 25)), metavar="2..24", help="joints: a range or a list (2,4,8)"
    )
    compare.add_argument("--solver", metavar="NAME", help=f"one of: {', '.join(SOLVERS)}; default: each scheme's own")
    compare.add_argument("--seed", type=int, default=1, help="seed of the random chains (default 1)")
    compare.add_argument(
        "--out", default="out/compare", metavar="DIR", help="folder for the results (default out/compare)"
    )
    compare.add_argument("--jobs", type=int, default=default_jobs(), help="worker processes (default: one a processor)")
    compare.add_argument(
        "--stream", type=int, default=0, metavar="K", help="also time K evaluations that follow one another"
    )
    compare.set_defaults(function=compare_command)


def _names(text: str) -> tuple[str, ...]:
    names = tuple(name for name in text.split(",") if name)
    if not names or len(set(names)) < len(names):
        raise argparse.ArgumentTypeError(f"must be different names with commas between them, not {text!r}")
    return names


def _sizes(text: str) -> tuple[int, ...]:
    try:
        bounds = re.fullmatch(r"(\d+)(?:\.\.|-|:)(\d+)", text)
        if bounds:
            low, high = map(int, bounds.groups())
            sizes = list(range(low, high + 1))
        else:
            sizes = sorted({int(part) for part in text.split(",")})
    except ValueError:
        sizes = []
    if not sizes or sizes[0] < 1:
        raise argparse.ArgumentTypeError(f"must be a range such as 2..24 or a list such as 2,4,8, not {text!r}")
    return tuple(sizes)


def _add_explain(commands: Any) -> None:
    explain = commands.add_parser(
        "explain",
        help="say why one scheme is faster than another, and what would change that",
        description="Say what the critical paths of two schemes pay, and by how much each cost of the machine would "
        "have to change until the other scheme is the faster.",
        epilog=examples("meshsim explain wong-mesh lee-chang --robot chain:12:1 --machine t800"),
    )
    explain.add_argument("scheme", metavar="SCHEME", help=f"one of: {', '.join(SCHEMES)}")
    explain.add_argument("rival", metavar="RIVAL", help="another")
    explain.add_argument("--robot", required=True, help=f"{', '.join(ROBOTS)}, chain:N:SEED, or a URDF file")
    _add_machine(explain)
    explain.set_defaults(function=explain_command)


def _add_sweep(commands: Any) -> None:
    sweep = commands.add_parser(
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
    sweep.add_argument("--jobs", type=int, default=default_jobs(), help="worker processes (default: one a processor)")
    sweep.add_argument("--cluster", metavar="ADDRESS", help="a running Dask scheduler, in place of local processes")
    sweep.set_defaults(function=sweep_command)


def _add_reproduce(commands: Any) -> None:
    command = commands.add_parser(
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
    command.set_defaults(function=reproduce_command)


def _add_bench(commands: Any) -> None:
    bench = commands.add_parser(
        "bench",
        help="measure how quick the simulator is",
        description="Measure how quick the simulator is, against plainer ways to do the same in the same run.",
        epilog=examples("meshsim bench systolic --json"),
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
    machine = known_machine(arguments.machine)
    mechanism = load_robot(arguments.robot)
    given = arguments.state is not None
    state = read_state(arguments.state, mechanism) if given else default_state(mechanism)
    _check_picture(arguments.gantt)
    check_outputs([arguments.gantt, arguments.trace], [arguments.robot, arguments.machine, arguments.state])
    reference = forward_dynamics(mechanism, state)
    tell(f"simulating {scheme.name}, {mechanism.n} joints")
    plan = scheme.plan(mechanism, state, **options)
    run = plan.run(machine)
    check_finite(f"computed by {scheme.name}", **run.value.formed)
    report = StepReport(scheme, options, mechanism, run, reference, _ranges(run, plan))
    if arguments.trace is not None:
        tell("writing the trace")
        rows = (row._replace(processor=label(row.processor), peer=label(row.peer)) for row in run.trace.rows())
        write_csv(arguments.trace, Row._fields, rows)
    if arguments.gantt is not None:
        from experiments.gantt import draw_gantt

        tell("drawing the picture")
        draw_gantt(run, report.title, arguments.gantt)
    tell("")
    _print(arguments, report)
    for what, path in (("picture", arguments.gantt), ("trace", arguments.trace)):
        if path is not None and not arguments.json:
            print(f"{what}: {path}")


def _ranges(run: Run[Any], plan: Plan[Any]) -> Mapping[str, Range]:
    """How far each cost may change while the critical path stays: not for the largest runs, which would take long."""
    if run.messages > 100_000 or not is_kahn(run.machine):
        return {}
    tell("how far the critical path holds")
    return critical_ranges(record(plan)[0], run.machine, path_counts(run.critical_path, run.machine))


def solve_command(arguments: argparse.Namespace) -> None:
    """`meshsim solve`."""
    solver = load_solver(arguments.method)
    machine = known_machine(arguments.machine)
    A, b = load_system(arguments.system)
    plan = solver.plan(A, b)
    reference = dense_solution(A, b)
    run = plan.run(machine)
    check_finite(f"computed by {solver.name}", x=run.value)
    _print(arguments, SolveReport(solver.name, len(b), run, reference))


def solvers_command(arguments: argparse.Namespace) -> None:
    """`meshsim solvers`."""
    from experiments import solver_study

    check_spec("system", arguments.n, arguments.seed)
    _check_picture(arguments.figure)
    check_outputs([arguments.figure], [])
    rows = solver_study.study(arguments.n, arguments.seed)
    if arguments.figure is not None:
        solver_study.draw_study(rows, arguments.figure)
    print(json.dumps(rows) if arguments.json else solver_study.as_text(rows))


def list_command(_: argparse.Namespace) -> None:
    """`meshsim list`."""
    from experiments.exhibit import load_exhibits

    robots = {name: f"{make().n} joints" for name, make in ROBOTS.items()}
    robots |= {"chain:N:SEED": "a random chain of N joints", "FILE.urdf": "a robot of your own"}
    machines = {name: machine.description for name, machine in PRESETS.items()} | {"FILE.toml": "a machine of your own"}
    sections: Mapping[str, Mapping[str, str]] = {
        "schemes": {name: _with_options(scheme.summary, scheme.options) for name, scheme in SCHEMES.items()},
        "solvers": {name: solver.summary for name, solver in SOLVERS.items()},
        "robots": robots,
        "machines": machines,
        "networks": {name: description for name, (_, description) in NETWORKS.items()},
        "exhibits": {name: exhibit.title for name, exhibit in load_exhibits().items()},
    }
    for title, entries in sections.items():
        print(f"{title}:")
        for name, description in entries.items():
            print(
                fill(
                    description,
                    110,
                    initial_indent=f"  {name:<21} ",
                    subsequent_indent=" " * 24,
                    break_on_hyphens=False,
                )
            )


def compare_command(arguments: argparse.Namespace) -> None:
    """`meshsim compare`."""
    from experiments.compare_figures import draw_comparison

    if arguments.jobs < 1:
        raise MeshSimError(f"--jobs must be a positive integer, not {arguments.jobs}")
    machines = tuple(known_machine(text) for text in arguments.machines)
    comparison = Comparison(
        arguments.schemes, machines, arguments.n, arguments.solver, arguments.seed, arguments.stream
    )
    check_spec("chain", max(comparison.sizes), comparison.seed)
    folder = Path(arguments.out)
    rows = run_comparison(comparison, folder, arguments.jobs)
    files = draw_comparison(rows, comparison, folder)
    for line in (*crossovers(rows, comparison.solver), *ratios(rows)):
        print(line)
    print(f"table: {folder / 'compare.csv'}")
    print("figures: " + (", ".join(str(path) for path in files) or "none, for want of a parallel scheme"))


def explain_command(arguments: argparse.Namespace) -> None:
    """`meshsim explain`."""
    from experiments import explain

    schemes = [load_scheme(name) for name in (arguments.scheme, arguments.rival)]
    machine = known_machine(arguments.machine)
    check_kahn(machine)
    mechanism = load_robot(arguments.robot)
    tell("recording")
    one, other = (explain.side(scheme, mechanism, machine) for scheme in schemes)
    tell("looking for crossings")
    text = explain.as_text(one, other, machine)
    tell("")
    print(text)


def sweep_command(arguments: argparse.Namespace) -> None:
    """`meshsim sweep`."""
    from experiments.sweep import cluster, run_sweep
    from experiments.sweep_maps import draw_maps
    from experiments.sweep_spec import read_sweep

    if arguments.jobs < 1:
        raise MeshSimError(f"--jobs must be a positive integer, not {arguments.jobs}")
    sweep = read_sweep(arguments.spec)
    folder = Path(arguments.out or Path("out") / Path(arguments.spec).stem)
    if arguments.cluster:
        with cluster(arguments.cluster) as executor:
            rows, failures = run_sweep(sweep, folder, executor=executor)
    else:
        rows, failures = run_sweep(sweep, folder, arguments.jobs)
    print(f"{len(rows)} rows: {folder / 'sweep.csv'}")
    if failures:
        raise MeshSimError(f"{len(failures)} tasks failed, the rest is written: {'; '.join(failures)}")
    files = draw_maps(rows, sweep, folder)
    print("maps: " + ", ".join(str(path) for path in files))


def reproduce_command(arguments: argparse.Namespace) -> None:
    """`meshsim reproduce`."""
    from experiments.scorecard import as_text, reproduce

    if not arguments.out:
        raise MeshSimError("--out must name a folder, not nothing")
    folder = Path(arguments.out)
    judgements = reproduce(arguments.exhibits, folder)
    print(as_text(judgements))
    print(f"page: {folder / 'scorecard.html'}, and the same as scorecard.md; numbers: {folder / 'numbers.csv'}")


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


def _check_picture(path: str | None) -> None:
    endings = (".png", ".svg", ".pdf")
    if path is not None and not path.lower().endswith(endings):
        raise MeshSimError(f"a picture must end with {', '.join(endings)}, not {path!r}")


def _print(arguments: argparse.Namespace, report: StepReport | SolveReport) -> None:
    print(json.dumps(report.as_json()) if arguments.json else report.as_text())


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; a user's mistake is one line on standard error and status 2."""
    try:
        arguments = build_parser().parse_args(argv)
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
