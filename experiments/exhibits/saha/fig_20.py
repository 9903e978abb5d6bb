"""What drives the carpet scraper, by determinate subsystems."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import numpy as np

from meshsim.algorithms.kernels.dense import factor, substitute
from meshsim.algorithms.reference.energy import energy
from meshsim.algorithms.robots.catalogue import load_robot
from meshsim.algorithms.robots.closure import assemble, consistent_rates, loops
from meshsim.algorithms.schemes.catalogue import load_scheme
from meshsim.algorithms.schemes.loops.inverse import INVERSES
from meshsim.algorithms.schemes.loops.subsystems import Group, OrderedLayout
from meshsim.algorithms.types.arrays import Array
from meshsim.experiments.exhibits.base.courses import Course, run_course
from meshsim.experiments.exhibits.base.exhibit import GIVEN, Appendix, Computed, Exhibit, Judgement, Line, number
from meshsim.experiments.exhibits.base.motions import drawn_only
from meshsim.experiments.figures.styles import series
from meshsim.plan import Plan
from meshsim.program import Cpu, Steps
from meshsim.simulation import NOWHERE
from meshsim.topologies.pipeline import pipeline

TITLE = "Driving torque of the carpet scraper at 45 turns a minute"
BRANCHES = {"scraper": "pantograph as taken", "scraper:other": "pantograph the other way"}
NAMES = ("III", "I", "II")
"""The paper's, in the order in which they become determinate."""


@cache
def turn(robot: str) -> Course:
    """One turn of the crank."""
    return run_course(load_robot(robot), "subsystems", samples=201)


@cache
def layout() -> OrderedLayout:
    """The scraper's subsystems."""
    found = INVERSES["subsystems"].places(load_robot("scraper"), "one")[0].layout
    assert isinstance(found, OrderedLayout)
    return found


def unknowns(group: Group) -> int:
    """Forces and torques that a group finds."""
    return sum(layout().chains[k].n for k in group.chains)


def named() -> dict[str, Group]:
    """The groups by the paper's names, recognised by their bodies."""
    bodies = layout().mechanism.bodies
    first = {"III-1": "III", "rocker": "I", "crank": "II"}
    return {first[bodies[layout().mechanism.subsystems[group.leader][0]].name]: group for group in layout().groups}


def cube(n: int) -> float:
    """The order of what n equations take."""
    return n**3 / 3 if n > 1 else 1.0


def compute() -> Computed:
    """Subsystems, their order and size; and how fast the crank is."""
    groups, run = named(), turn("scraper")
    sizes = [unknowns(groups[name]) for name in NAMES]
    rate = float(run.qd[0, run.mechanism.actuated[0]])
    return {
        "solved as number": [*(float(groups[name].level + 1) for name in NAMES), None],
        "unknowns": [*map(float, sizes), float(sum(sizes))],
        "order of complexity": [*map(cube, sizes), sum(map(cube, sizes))],
        "order with uncoupled bodies": [None, None, None, cube(3 * len(layout().mechanism.bodies))],
        "crank (rad/s)": [None, None, round(rate, 3), None],
        "driving torque (N m)": [None] * 4,
    }


# The torque once more: what the crank does goes into energy

STEP = 5e-4
"""Seconds between energies whose differences are taken, six to a point: they leave about 1e-10 N m."""
EVERY = 5
"""Samples from one point to the next."""


@cache
def powers(robot: str) -> tuple[Array, Array]:
    """Times, and the rate of energy over the crank's speed."""
    run = turn(robot)
    w = float(run.qd[0, run.mechanism.actuated[0]])
    rows = range(0, len(run.t), EVERY)
    weights = {1: 3 / 4, 2: -3 / 20, 3: 1 / 60}
    rates = [
        sum(a * (_energy(run, row, k * STEP) - _energy(run, row, -k * STEP)) for k, a in weights.items()) / (STEP * w)
        for row in rows
    ]
    return run.t[list(rows)], np.array(rates)


def _energy(run: Course, row: int, later: float) -> float:
    """The energy some time after a sample, the crank turning on; loops are closed to rounding."""
    mechanism = run.mechanism
    rates = run.qd[row, list(mechanism.actuated)]
    q = assemble(mechanism, run.q[row] + later * run.qd[row])
    now = loops(mechanism, q, np.zeros(mechanism.n))
    passive = [j for j in range(mechanism.n) if j not in mechanism.actuated]
    q[passive] -= np.linalg.solve(now.A[:, passive], now.c)
    return sum(energy(mechanism, q, consistent_rates(mechanism, q, rates)))


def draw(_: Judgement, path: Path) -> None:
    """The torque of both branches, and the subsystems below."""
    from matplotlib.figure import Figure

    from meshsim.experiments.figures.loops import subsystems_on
    from meshsim.experiments.figures.motion import WIDTH
    from meshsim.experiments.figures.saving import save_figure

    figure = Figure(figsize=(WIDTH, 5.6), layout="constrained")
    above, below = figure.subplots(2, 1, height_ratios=(3, 1.6))
    for i, (robot, label) in enumerate(BRANCHES.items()):
        run = turn(robot)
        above.plot(run.t, run.torques[:, 0], label=label, linewidth=1.2, **series(i + 1).stroke())
    dots = {"linestyle": "", "marker": "o", "markersize": 3.5, "markerfacecolor": "none", "color": "#000000"}
    above.plot(*powers("scraper"), label="rate of energy over crank speed", **dots)
    above.set_xlabel("time (s)")
    above.set_ylabel("torque (N m)")
    above.grid(color="#dddddd", linewidth=0.5)
    above.legend(fontsize=8, frameon=False)
    above.set_title(TITLE, fontsize=10)
    subsystems_on(below, layout())
    below.set_title("its subsystems as they become determinate", fontsize=10)
    save_figure(figure, path)


# What it takes


def cut_forces() -> dict[str, str]:
    """The largest force of each cut joint over a turn, the unknowns that the subsystems find besides the torque."""
    run, inversion = turn("scraper"), INVERSES["subsystems"]
    sizes = []
    for row in range(0, len(run.t), EVERY):
        motion = run.q[row], run.qd[row], run.qdd[row]
        found = inversion.plan(run.mechanism, "one", motion, reacting=True).run(NOWHERE, trace=False).value
        sizes.append(np.linalg.norm(found[1:].reshape(-1, 3)[run.mechanism.n :, :2], axis=1))
    largest = np.max(sizes, axis=0)
    return {
        f"largest force at {cut.name} (N)": number(float(f"{size:.5g}"))
        for cut, size in zip(run.mechanism.cuts, largest, strict=True)
    }


def solving(n: int) -> int:
    """Multiplications and divisions of n equations with n unknowns, all entries there."""
    A = [[1.0 / (1 + i + j) + float(i == j) for j in range(n)] for i in range(n)]

    def program(cpu: Cpu) -> Steps[list[float]]:
        yield from ()
        return substitute(cpu, factor(cpu, A), [1.0] * n)

    return products(Plan(pipeline(1), {1: program}, lambda results: results[1]).run(NOWHERE, trace=False).operations)


def products(operations: Mapping[str, int]) -> int:
    """Multiplications and divisions."""
    return operations.get("mul", 0) + operations.get("div", 0)


def appendix() -> Appendix:
    """Counted operations; and the torque."""
    run = turn("scraper")
    rows = []
    for robot, label in BRANCHES.items():
        tau, (_, power) = turn(robot).torques[:, 0], powers(robot)
        low, high = int(tau.argmin()), int(tau.argmax())
        ends = f"{number(tau[low])} at {number(run.t[low])} s to {number(tau[high])} at {number(run.t[high])} s"
        rows.append((f"torque, {label} (N m)", ends))
        rows.append(
            ("its difference from the rate of energy over crank speed", f"{np.abs(tau[::EVERY] - power).max():.0e}")
        )
    for what, force in cut_forces().items():
        rows.append((what, force))
    for method in ("subsystems", "noc"):
        plan = load_scheme(method).inversion(run.mechanism).plan(run.q[0], run.qd[0], run.qdd[0])
        counted = plan.run(NOWHERE, trace=False).operations
        rows.append((f"multiplications and divisions of {method}, all in all", number(products(counted))))
    sizes = [unknowns(group) for group in layout().groups]
    parts = [solving(n) for n in sizes]
    rows.append(
        (f"of {', '.join(map(str, sizes))} equations one after another", f"{sum(parts)} ({', '.join(map(str, parts))})")
    )
    for n, what in ((sum(sizes), "all at once"), (3 * sum(sizes), "of the uncoupled bodies")):
        rows.append((f"of {n} equations, {what}", number(solving(n))))
    return Appendix("In numbers", ("", ""), rows)


EXHIBIT = Exhibit(
    "saha-fig-20",
    TITLE,
    (*NAMES, "all"),
    [
        Line("solved as number", (1, 2, 3, None)),
        Line("unknowns", (4, 2, 1, 7)),
        Line(
            "order of complexity",
            (64 / 3, 9, 1, 64 / 3 + 9 + 1),
            corrected=(64 / 3, 8 / 3, 1, 64 / 3 + 8 / 3 + 1),
            source="the two equations of subsystem I",
        ),
        Line("order with uncoupled bodies", (None, None, None, 21**3 / 3)),
        Line("crank (rad/s)", (None, None, 4.712, None), not_comparable=GIVEN),
        drawn_only("driving torque (N m)", columns=4),
    ],
    compute,
    "Subsystems and their order are found by the program. Not published are the direction of gravity (taken along -y), "
    "the crank's angle at first (0), the assembly mode of the pantograph, and the length of its long link "
    "(0.8365 m by its moment of inertia); links are uniform rods, moments of inertia are about link origins. Both ways "
    "agree with independent numbers to 1e-8. `noc` finds the motion of passive joints too, which `subsystems` is told.",
    draw,
    appendix,
)
