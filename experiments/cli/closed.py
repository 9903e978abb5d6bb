"""`meshsim closed`: the old name of `run` and `simulate` for mechanisms with loops."""

import argparse
from typing import Any

from meshsim.experiments.cli.outputs import add_pictures, check_pictures, show_run
from meshsim.experiments.cli.parsing import (
    add_common,
    add_machine,
    add_options,
    add_out,
    add_robot,
    add_scheme,
    examples,
    pairs,
)
from meshsim.experiments.cli.units import seconds


def add(parsers: Any) -> None:
    """Its arguments."""
    parser = parsers.add_parser(
        "closed",
        help="an old name of run and simulate, for mechanisms with loops",
        description="An old name. Type `meshsim run SCHEME --profile own` for one evaluation, and `meshsim simulate "
        "SCHEME --profile own` for a motion, instead: they take mechanisms with loops, too. --network NAME is --option "
        "layout=NAME there, --distribution HOW is --option distribution=HOW, --drive D is --profile D, --start A,B is "
        "a --state, and the method mesh is the scheme wong-mesh-loops.",
        epilog=examples(
            "meshsim run projection --robot 3rrr --machine t800 --option layout=star --profile own",
            "meshsim simulate denoc --robot 3rrr --machine t800 --option layout=star --profile own --step 0.01",
            "meshsim closed denoc --robot 3rrr --machine t800 --network star --step 0.01",
        ),
    )
    add_scheme(parser)
    parser.aliases["--method"] = ""
    add_robot(parser)
    add_machine(parser)
    parser.add_argument("--network", metavar="NAME", help="one, star or complete: --option layout=NAME")
    parser.add_argument("--distribution", metavar="HOW", help="full, partly or held: --option distribution=HOW")
    add_options(parser)
    parser.add_argument("--drive", default="own", metavar="D", help="what drives it (default own)")
    parser.add_argument("--start", metavar="A,B", help="where the actuated joints start, in rad or m")
    parser.add_argument("--duration", type=seconds, metavar="T", help="how long the motion lasts, such as 2s")
    parser.add_argument("--step", type=seconds, metavar="H", help="fixed steps, such as 10ms; default: adaptive")
    parser.add_argument("--rtol", type=float, default=1e-6, help="tolerance of adaptive steps (default 1e-6)")
    add_out(parser, "out/closed", "out/closed; for a motion only")
    add_pictures(parser)
    add_common(parser)
    parser.set_defaults(function=_closed)


def _closed(arguments: argparse.Namespace) -> None:
    from meshsim.experiments.front.run import run
    from meshsim.experiments.front.simulate import simulate

    check_pictures(arguments, arguments.scheme, arguments.robot, arguments.machine)
    scheme = "wong-mesh-loops" if arguments.scheme == "mesh" else arguments.scheme
    only = (scheme, arguments.distribution) == ("denoc", "partly")
    distribution = None if only else arguments.distribution
    options: dict[str, object] = {**pairs(arguments.option, layout=arguments.network, distribution=distribution)}
    state = _start(arguments) if arguments.start is not None else None
    start = _driven(arguments, state)
    once = run(arguments.robot, scheme, arguments.machine, start, options)
    if arguments.duration is None and arguments.step is None:
        show_run(arguments, _Old(once, once))
        return
    result = simulate(
        arguments.robot,
        scheme,
        arguments.machine,
        arguments.step,
        arguments.drive,
        arguments.duration,
        state=None if state is None else start,  # with the rates that the drive wants
        rtol=arguments.rtol,
        out=arguments.out,
        force=arguments.force,
        options=options,
    )
    show_run(arguments, _Old(once, result))


OF_MOTION = (
    "steps", "step_s", "rtol", "evaluations", "restarts", "largest_constraint_error", "us_per_step", "final",
    "largest_error",
)  # fmt: skip


class _Old:
    """A result by the names that `meshsim closed` had: one evaluation, and a motion if there is one."""

    def __init__(self, once: Any, result: Any) -> None:
        self.once, self.result = once, result

    def __getattr__(self, name: str) -> Any:
        return getattr(self.result, name)

    def to_dict(self) -> dict[str, Any]:
        """All that there is of the evaluation, the old names besides, and what a motion adds."""
        found = dict(self.once.to_dict())
        options = found["options"]
        layout = options.get("layout", "one")
        usual = {"k": 1e5, "d": 0.0, "sigma": 10.0}
        old = {
            "method": found["scheme"],
            "network": layout,
            "distribution": options.get("distribution") if layout != "one" else None,
            "settings": {name: float(options.get(name, value)) for name, value in usual.items()},
            "error": max(found["error"].values()),
        }
        moved = self.result.to_dict() if self.result is not self.once else {}
        return {**found, **old, **{key: moved[key] for key in OF_MOTION if key in moved}}


def _start(arguments: argparse.Namespace) -> Any:
    """A state at rest, the actuated joints where the user wants them."""
    from meshsim.algorithms.robots.catalogue import load_robot
    from meshsim.algorithms.robots.state import assembled
    from meshsim.errors import MeshSimError
    from meshsim.reading import numbers_in

    robot = load_robot(arguments.robot)
    numbers, count = numbers_in(arguments.start.split(",")), len(robot.actuated)
    if len(numbers) != count or not robot.cuts:
        text = repr(arguments.start)
        raise MeshSimError(f"--start must be {count} finite numbers, one for each actuated joint, not {text}")
    guess = list(robot.guess)
    for joint, position in zip(robot.actuated, numbers, strict=True):
        guess[joint] = position
    return assembled(robot, guess, [0.0] * count, [0.0] * robot.n)


def _driven(arguments: argparse.Namespace, state: Any) -> Any:
    """The state in which the drive begins."""
    from meshsim.algorithms.motion.profiles import load_profile
    from meshsim.algorithms.robots.catalogue import load_robot

    return load_profile(arguments.drive, load_robot(arguments.robot), state).start
