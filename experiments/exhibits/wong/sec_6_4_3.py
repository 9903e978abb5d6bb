"""Whether n(n+1)/2 processors do for all phases of a closed chain: the thesis's open question."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from meshsim.algorithms.robots.families import legged, stacked
from meshsim.algorithms.robots.linkages import four_bar, three_prr, three_rrr
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.experiments.exhibits.base.exhibit import Appendix, Computed, Exhibit, Judgement, Line
from meshsim.experiments.exhibits.base.mesh_loops import ALONE, Evaluated, ends_of, evaluate
from meshsim.experiments.figures.styles import series
from meshsim.outcome import Run
from meshsim.presets import PRESETS

MECHANISMS: dict[str, Callable[[], Mechanism]] = {
    "four-bar": four_bar,
    "3rrr": three_rrr,
    "3prr": three_prr,
    "6 legs": lambda: legged(6),
    "9 legs": lambda: legged(9),
    "stack of 5": lambda: stacked(5),
    "stack of 7": lambda: stacked(7),
}
VARIANTS = ("tree", "small")
MACHINES = ("ideal", "t800-overlap", "t800")
OPEN = (
    "an open question, not a claim. Of all phases n more, row 0, have H_c and the right-hand side, as for any chain; "
    "the host's processor finds G, which needs the solution of m - n equations: the triangle of n has no part in that"
)
NO_CLAIM = ("", OPEN, OPEN, "our mesh against our dense solver")
LATER = ("inertia", "force", "fold")
SEGMENTS = ("G, on the host", "G' q', on the host", "M, h and folding", "solver", "accelerations")
LOOKS: dict[str, dict[str, Any]] = {
    name: {"facecolor": style.tint if style.hatch else style.colour, "edgecolor": style.colour, "hatch": style.hatch}
    for name, style in zip(SEGMENTS, map(series, (4, 1, 0, 3, 2)), strict=True)
}
"""How each is drawn: told apart without colour, too."""


@cache
def evaluated(name: str, variant: str, machine: str) -> Evaluated:
    """One evaluation on the mesh, all joints moving."""
    return evaluate(MECHANISMS[name](), variant, PRESETS[machine])


def forming(run: Run[Any]) -> int:
    """How many processors form the inertia matrix: those that did arithmetic before they marked its end."""
    return sum(1 for cpu in run.cpus if cpu.calls_by_phase.get("inertia"))


def _lines() -> dict[str, Line]:
    lines = {}
    for name, make in MECHANISMS.items():
        mechanism = make()
        m, n = mechanism.n, len(mechanism.actuated)
        freedoms = n * (n + 1) // 2
        label = f"{name} (m = {m}, n = {n})"
        lines[name] = Line(label, [m * (m + 1) // 2, freedoms, freedoms, 0], not_comparable=NO_CLAIM)
    return lines


LINES = _lines()


def compute() -> Computed:
    """From runs on `ideal`."""
    found = {}
    for name, line in LINES.items():
        tree, small = (evaluated(name, variant, "ideal") for variant in VARIANTS)
        difference = max(report.error for report in (tree, small))
        working = sum(1 for cpu in small.run.cpus if cpu.calls)
        processors = [forming(tree.run), forming(small.run), working]
        found[line.label] = [*processors, round(difference, 9)]
    return found


def appendix() -> Appendix:
    """When each phase ends."""
    phases = ("G", "loops", *LATER, "solve")
    header = ["mechanism", "machine", "variant", "processors", *phases, "all", *(f"{name} on one" for name in ALONE)]
    rows = []
    for name in MECHANISMS:
        for machine in MACHINES:
            for variant in VARIANTS:
                report = evaluated(name, variant, machine)
                ends, whole = ends_of(report.run), report.run.machine.microseconds(report.run.ticks)
                times = [f"{ends[phase]:.1f}" if phase in ends else "-" for phase in phases]
                alone = [f"{us:.1f}" for us in report.alone.values()]
                rows.append([name, machine, variant, str(report.run.processors), *times, f"{whole:.1f}", *alone])
    return Appendix("When each phase ends, us", header, rows)


def segments(report: Evaluated) -> list[float]:
    """How much later each part of an evaluation ended than those before it, in us."""
    ends = ends_of(report.run)
    formed = max(ends[phase] for phase in LATER if phase in ends)
    whole = report.run.machine.microseconds(report.run.ticks)
    times, before = [], 0.0
    for end in (ends["G"], ends["loops"], formed, ends["solve"], whole):
        times.append(max(end - before, 0.0))
        before = max(before, end)
    return times


def draw(judgement: Judgement, path: Path) -> None:
    """Time by phase, as a share of what the projection takes on one processor."""
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

    from meshsim.experiments.figures.lettering import head, legend_below
    from meshsim.experiments.figures.saving import save_figure

    figure = Figure(figsize=(9.0, 4.8), layout="constrained")
    shown = ("ideal", "t800-overlap")
    for axes, machine in zip(figure.subplots(1, len(shown), sharey=True), shown, strict=True):
        labels: list[str] = []
        for name in MECHANISMS:
            for variant in VARIANTS:
                report = evaluated(name, variant, machine)
                alone, left, place = report.alone["projection"], 0.0, -len(labels)
                for us, look in zip(segments(report), LOOKS.values(), strict=True):
                    axes.barh(place, us / alone, left=left, height=0.8, **look)
                    left += us / alone
                box = {"facecolor": "white", "edgecolor": "none", "pad": 0.5}
                axes.text(left + 0.03, place, f"{report.run.processors}", va="center", fontsize=7, bbox=box)
                labels.append(f"{name}, {variant}")
        axes.axvline(1.0, color="black", linewidth=0.8)
        axes.set_yticks([-place for place in range(len(labels))], labels, fontsize=8)
        axes.set_xlabel("time; 1 is the projection's on one processor", fontsize=8)
        axes.set_title(machine, fontsize=9)
        if machine == shown[0]:
            axes.set_ylabel("mechanism, and variant of the mesh", fontsize=8)
        axes.margins(x=0.1)
        axes.set_xlim(left=0.0)
    handles = [Patch(label=label, **look) for label, look in LOOKS.items()]
    legend_below(figure, handles, most=len(handles), handlelength=2.5)
    head(figure, f"{judgement.exhibit.id}: closed chains on the mesh; beside each bar, its processors", 10.0)
    save_figure(figure, path)


EXHIBIT = Exhibit(
    "wong-sec-6.4.3",
    "Processors for closed chains: m joints of the tree, n freedoms",
    ["M_r", "M_c", "all phases", "difference"],
    list(LINES.values()),
    compute,
    "An open question of the thesis: M_r takes m(m+1)/2 processors, the solver n(n+1)/2; can n(n+1)/2 suffice for all "
    "phases, by P = H-bar G? Computed: how many form M_r (`tree`) and M_c (`small`), and how many work at all in "
    "`small`; accelerations differ from a dense solution by no more than the last column, to nine digits. So the "
    "triangle does for M_c and, with row 0, for H_c and the solver, as for any chain.",
    draw,
    appendix,
)
