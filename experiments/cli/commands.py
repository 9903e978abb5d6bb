"""What each command of `meshsim` does, given its arguments."""

import argparse
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import fill
from typing import Any

from meshsim.algorithms.motion.drives import Driving, load_drive, load_motion, numbers_of
from meshsim.algorithms.motion.loop_stepping import Stepping

from meshsim.algorithms.motion.profiles import load_profile
from meshsim.algorithms.reference.dense import forward_dynamics
from meshsim.algorithms.robots.catalogue import ROBOTS, load_robot, robot_path
from meshsim.algorithms.robots.closure import assemble
from meshsim.algorithms.robots.linkages import LINKAGES
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.state import default_state, read_state
from meshsim.algorithms.schemes.catalogue import PARALLEL, SCHEMES, load_scheme
from meshsim.algorithms.schemes.loops import mesh_loops
from meshsim.algorithms.schemes.loops.inverse import INVERSES, load_inverse
from meshsim.algorithms.schemes.loops.methods import METHODS, closed_settings, load_method
from meshsim.algorithms.solvers.catalogue import SOLVERS, dense_solution, load_solver, load_system
from meshsim.algorithms.types.arrays import Array, check_finite
from meshsim.algorithms.types.splitmix import check_spec
from meshsim.errors import MeshSimError
from meshsim.experiments.reports.step import SolveReport, StepReport
from meshsim.experiments.store.files import check_outputs, write_csv
from meshsim.experiments.store.progress import tell
from meshsim.experiments.studies.bench import run_benches
from meshsim.experiments.studies.compare import Comparison, run_comparison
from meshsim.experiments.studies.crossover import crossovers, ratios
from meshsim.experiments.studies.machines import known_machine
from meshsim.machine import Machine
from meshsim.outcome import Run
from meshsim.plan import Plan
from meshsim.presets import PRESETS
from meshsim.recording import record
from meshsim.retiming import check_kahn, is_kahn
from meshsim.sensitivity import Slope, slopes
from meshsim.topologies import NETWORKS
from meshsim.trace import Row, label


def run_command(arguments: argparse.Namespace) -> None:
    """`meshsim run`."""
    scheme = load_scheme(arguments.scheme)
    options = scheme.choose(_options(arguments.option))
    machine = known_machine(arguments.machine)
    mechanism = load_robot(arguments.robot)
    given = arguments.state is not None
    state = read_state(arguments.state, mechanism) if given else default_state(mechanism)
    _check_picture(arguments.gantt)
    inputs = [robot_path(arguments.robot), arguments.machine, arguments.state]
    check_outputs([arguments.gantt, arguments.trace], inputs)
    reference = forward_dynamics(mechanism, state)
    tell(f"simulating {scheme.name}, {len(mechanism.joints)} joints")
    plan = scheme.plan(mechanism, state, **options)
    run = plan.run(machine)
    check_finite(f"computed by {scheme.name}", **run.value.formed)
    saving = _saving(run, scheme.plan(mechanism, state, **{**options, "zeros": "kept"})) if _skips(options) else ""
    report = StepReport(scheme, options, mechanism, run, reference, _slopes(run, plan), saving)
    if arguments.trace is not None:
        tell("writing the trace")
        rows = (row._replace(processor=label(row.processor), peer=label(row.peer)) for row in run.trace.rows())
        write_csv(arguments.trace, Row._fields, rows)
    if arguments.gantt is not None:
        from meshsim.experiments.figures.gantt import draw_gantt

        tell("drawing the picture")
        draw_gantt(run, report.title, arguments.gantt)
    tell("")
    _print(arguments, report)
    for what, path in (("picture", arguments.gantt), ("trace", arguments.trace)):
        if path is not None and not arguments.json:
            print(f"{what}: {path}")


def _skips(options: Mapping[str, str]) -> bool:
    return options.get("zeros") == "skipped"


def _saving(run: Run[Any], kept: Plan[Any]) -> str:
    """What skipping zeros saves, against a run that keeps them."""
    whole = kept.run(run.machine, trace=False)
    operations = sum(whole.operations.values()) - sum(run.operations.values())
    us = run.machine.microseconds(whole.ticks) - run.machine.microseconds(run.ticks)
    return (
        f"skipping zeros saves {operations} operations, {whole.messages - run.messages} messages and {us:.1f} us of "
        f"{run.machine.microseconds(whole.ticks):.1f}"
    )


def _slopes(run: Run[Any], plan: Plan[Any]) -> Mapping[str, Slope]:
    """What each cost does to the finish: not for the largest runs, which would take long, nor where a bus is shared."""
    if run.messages > 100_000 or run.buses or not is_kahn(run.machine):
        return {}
    tell("what each cost does to the finish")
    return slopes(record(plan)[0], run.machine)


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
    from meshsim.experiments.studies import solvers as solver_study

    check_spec("system", arguments.n, arguments.seed)
    _check_picture(arguments.figure)
    check_outputs([arguments.figure], [])
    rows = solver_study.study(arguments.n, arguments.seed)
    if arguments.figure is not None:
        solver_study.draw_study(rows, arguments.figure)
    print(json.dumps(rows) if arguments.json else solver_study.as_text(rows))


def list_command(_: argparse.Namespace) -> None:
    """`meshsim list`."""
    from meshsim.experiments.exhibits.base.exhibit import load_exhibits

    robots = {name: f"{make().n} joints" for name, make in ROBOTS.items()}
    robots |= {name: f"{make().n} joints and {len(make().cuts)} cut, for `closed`" for name, make in LINKAGES.items()}
    robots |= {
        "chain:N:SEED": "a random chain of N joints",
        "FILE.urdf": "a robot of your own (floating:FILE.urdf: its base floats)",
        "FILE.toml": "a robot of your own, with any joints (docs/robots.md)",
    }
    machines = {name: machine.description for name, machine in PRESETS.items()} | {"FILE.toml": "a machine of your own"}
    sections: Mapping[str, Mapping[str, str]] = {
        "schemes": {name: _with_options(scheme.summary, scheme.options) for name, scheme in SCHEMES.items()},
        "solvers": {name: solver.summary for name, solver in SOLVERS.items()},
        "methods (closed)": {name: method.summary for name, method in METHODS.items()}
        | {mesh_loops.NAME: _with_options(mesh_loops.SUMMARY, mesh_loops.OPTIONS)},
        "methods (inverse)": {name: inverse.summary for name, inverse in INVERSES.items()},
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
    from meshsim.experiments.figures.compare import draw_comparison

    if arguments.jobs < 1:
        raise MeshSimError(f"--jobs must be a positive integer, not {arguments.jobs}")
    machines = tuple(known_machine(text) for text in arguments.machines)
    for name in ("schemes", "n", "solver") if arguments.closed else ("robots", "goal", "duration"):
        if getattr(arguments, name) is not None:
            raise MeshSimError(f"--{name} must {'not ' if arguments.closed else ''}be given with --closed")
    if arguments.closed:
        _compare_closed(arguments, machines)
        return
    comparison = Comparison(
        arguments.schemes or (*(scheme.name for scheme in PARALLEL), "one-wong"),
        machines,
        arguments.n or tuple(range(2, 25)),
        arguments.solver,
        arguments.seed,
        arguments.stream,
    )
    check_spec("chain", max(comparison.sizes), comparison.seed)
    folder = Path(arguments.out or "out/compare")
    rows = run_comparison(comparison, folder, arguments.jobs, lambda rows, part: draw_comparison(rows, part, folder))
    files = draw_comparison(rows, comparison, folder)
    for line in (*crossovers(rows, comparison.solver), *ratios(rows)):
        print(line)
    print(f"table: {folder / 'compare.csv'}")
    print("figures: " + (", ".join(str(path) for path in files) or "none, for want of a parallel scheme"))


def _compare_closed(arguments: argparse.Namespace, machines: tuple[Machine, ...]) -> None:
    """`meshsim compare --closed`."""
    from meshsim.experiments.figures.compare_loops import draw_closed_comparison

    from meshsim.experiments.studies import compare_loops as work

    robots = arguments.robots or tuple(name for name in LINKAGES if ":" not in name)
    goal = 1e-3 if arguments.goal is None else arguments.goal
    duration = 1.0 if arguments.duration is None else arguments.duration
    comparison = work.ClosedComparison(robots, machines, goal, duration)
    for robot in comparison.robots:
        load_robot(robot)
    folder = Path(arguments.out or "out/compare-closed")
    rows, refused = work.run_closed_comparison(comparison, folder, arguments.jobs)
    print(work.as_text(rows, comparison))
    for line in (*refused, *work.link_costs(comparison)):
        print(line)
    tell("drawing")
    files = draw_closed_comparison(rows, comparison, folder)
    tell("")
    print(f"table: {folder / 'closed.csv'}")
    print("figures: " + ", ".join(str(path) for path in files))


def explain_command(arguments: argparse.Namespace) -> None:
    """`meshsim explain`."""
    from meshsim.experiments.studies import explain

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
    from meshsim.experiments.figures.sweep_maps import draw_maps
    from meshsim.experiments.studies.sweep import cluster, run_sweep
    from meshsim.experiments.studies.sweep_spec import read_sweep

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


def simulate_command(arguments: argparse.Namespace) -> None:
    """`meshsim simulate`."""
    from meshsim.experiments.studies.simulate import run_motion, write_motion

    scheme = load_scheme(arguments.scheme)
    options = scheme.choose(_options(arguments.option))
    machine = known_machine(arguments.machine)
    mechanism = load_robot(arguments.robot)
    driving = load_profile(arguments.profile, mechanism)
    start = read_state(arguments.state, mechanism) if arguments.state is not None else None
    motion = driving.motion(mechanism, arguments.step, arguments.duration, arguments.order, arguments.friction, start)
    last = motion.time(motion.steps)
    for time in arguments.strip:
        if not 0 <= time <= last:
            raise MeshSimError(f"--strip must have times from 0 to {last:g} s, not {time:g} s")
    if not arguments.out:
        raise MeshSimError("--out must name a folder, not nothing")
    folder = Path(arguments.out)
    report = run_motion(scheme, options, machine, motion, driving, arguments.timing, folder)
    tell("drawing")
    files = write_motion(report, folder, arguments.strip)
    tell("")
    if arguments.json:
        print(json.dumps(report.as_json()))
        return
    print(report.as_text())
    print(f"files: {', '.join(map(str, files))}")


def realtime_command(arguments: argparse.Namespace) -> None:
    """`meshsim realtime`."""
    from meshsim.experiments.studies.realtime import Question, answer

    scheme = load_scheme(arguments.scheme)
    options = scheme.choose(_options(arguments.option))
    machine = known_machine(arguments.machine)
    mechanism = load_robot(arguments.robot)
    question = Question(scheme, options, machine, arguments.step, arguments.order, arguments.profile)
    found = answer(question, mechanism)
    print(json.dumps(found.as_json()) if arguments.json else found.as_text())


def closed_command(arguments: argparse.Namespace) -> None:
    """`meshsim closed`."""
    from meshsim.experiments.studies import loops as work

    if arguments.method == mesh_loops.NAME:
        _closed_mesh(arguments)
        return
    method = load_method(arguments.method)
    machine = known_machine(arguments.machine)
    mechanism = load_robot(arguments.robot)
    settings = closed_settings(method, _options(arguments.option), arguments.distribution)
    q = _start(mechanism, arguments.start)
    driving = load_drive(arguments.drive, mechanism, q)
    tau = _torques(mechanism, driving)
    case = work.Case(method, settings, arguments.network, mechanism, q, driving.start(mechanism), tau)
    if arguments.duration is None and arguments.step is None:
        report: Any = work.evaluate(case, machine)
        print(json.dumps(report.as_json()) if arguments.json else report.as_text())
        return
    if not arguments.out:
        raise MeshSimError("--out must name a folder, not nothing")
    duration = driving.duration if arguments.duration is None else arguments.duration
    if not (math.isfinite(duration) and duration > 0):
        raise MeshSimError(f"--duration must be a positive number of seconds, not {duration}")
    stepping = Stepping(arguments.step, arguments.rtol, arguments.rtol * 1e-3)
    folder = Path(arguments.out)
    report = work.run_motion(case, machine, driving, duration, stepping, folder)
    tell("drawing")
    files = work.write_motion(report, folder)
    tell("")
    print(json.dumps(report.as_json()) if arguments.json else report.as_text())
    if not arguments.json:
        print(f"files: {', '.join(map(str, files))}")


def inverse_command(arguments: argparse.Namespace) -> None:
    """`meshsim inverse`."""
    from meshsim.experiments.studies.inverse import run_inverse, write_inverse

    inverse = load_inverse(arguments.method)
    machine = known_machine(arguments.machine)
    mechanism = load_robot(arguments.robot)
    inverse.places(mechanism, arguments.network)
    motion, duration = load_motion(arguments.motion, mechanism, assemble(mechanism))
    if not arguments.out:
        raise MeshSimError("--out must name a folder, not nothing")
    folder = Path(arguments.out)
    report = run_inverse(inverse, arguments.network, mechanism, motion, duration, arguments.samples, machine, folder)
    files = write_inverse(report, folder)
    print(json.dumps(report.as_json()) if arguments.json else report.as_text())
    if not arguments.json:
        print(f"files: {', '.join(map(str, files))}")


def _start(mechanism: Mechanism, text: str | None) -> Array:
    """Joint positions with the loops closed, the actuated ones where the user wants them."""
    if text is None:
        return assemble(mechanism)
    numbers = numbers_of(text.split(","))
    if len(numbers) != len(mechanism.actuated):
        count = len(mechanism.actuated)
        raise MeshSimError(f"--start must be {count} finite numbers, one for each actuated joint, not {text!r}")
    guess = list(mechanism.guess)
    for joint, position in zip(mechanism.actuated, numbers, strict=True):
        guess[joint] = position
    return assemble(mechanism, guess)


def _torques(mechanism: Mechanism, driving: Driving) -> list[float]:
    """Torques of all joints at the start."""
    tau = [0.0] * mechanism.n
    for joint, torque in zip(mechanism.actuated, driving.drive(0.0), strict=True):
        tau[joint] = torque
    return tau


def _closed_mesh(arguments: argparse.Namespace) -> None:
    """`meshsim closed mesh`: one evaluation, on a network of its own."""
    from meshsim.experiments.studies.mesh_loops import MeshState, evaluate_mesh

    options, machine = _options(arguments.option), known_machine(arguments.machine)
    mesh_loops.mesh_options(options)
    if arguments.duration is not None or arguments.step is not None:
        raise MeshSimError("mesh evaluates once and does not move: --duration and --step must not be given")
    if arguments.network != "one" or arguments.distribution is not None:
        raise MeshSimError("mesh has a network of its own: --network and --distribution must not be given")
    mechanism = load_robot(arguments.robot)
    q = _start(mechanism, arguments.start)
    driving = load_drive(arguments.drive, mechanism, q)
    state = MeshState(mechanism, q, driving.start(mechanism), _torques(mechanism, driving))
    report = evaluate_mesh(state, options, machine)
    print(json.dumps(report.as_json()) if arguments.json else report.as_text())


def reproduce_command(arguments: argparse.Namespace) -> None:
    """`meshsim reproduce`."""
    from meshsim.experiments.reports.scorecard import as_text, reproduce

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
