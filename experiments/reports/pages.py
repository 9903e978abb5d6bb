"""The pages of results, for a browser: what each holds."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from meshsim.experiments.figures.compare import quickest
from meshsim.experiments.pages.charts import best_chart, comparison_charts, joint_chart, skeleton_of
from meshsim.experiments.pages.page import Page
from meshsim.experiments.pages.story import story
from meshsim.experiments.reports.costs import path_shares
from meshsim.experiments.reports.terminal import percent
from meshsim.experiments.studies.best import Search
from meshsim.experiments.studies.simulate import MotionReport
from meshsim.machine import Machine
from meshsim.outcome import Run
from meshsim.version import __version__

HOW = (
    "Each square is a processor, with a program of its own or several; lines are links between processors. The colour "
    "of a square says what it does at the time that the clock shows, and the dots on links are messages; a word is one "
    "number in a message. Time is in microseconds (us), and in ticks, the machine's smallest steps. Play the run, go "
    "from event to event with Step, drag the clock, or click a processor to see which numbers are in its hands."
)
NO_CHANCE = "none: nothing was drawn by chance but what a name such as chain:N:SEED says"
MOST_ROWS = 500
"""A page shows so many rows of a table."""


def footer(
    machine: str, command: str, seed: str = NO_CHANCE, more: Iterable[tuple[str, str]] = ()
) -> list[tuple[str, str]]:
    """Where a page comes from."""
    made = ("command", command) if command else ("made by", "a Python program")
    return [("meshsim", __version__), made, ("machine", machine), ("seed", seed), *more]


def run_cards(run: Run[Any]) -> list[tuple[str, str, str]]:
    """What a run took."""
    machine = run.machine
    cards = [
        ("time", machine.as_us(run.ticks), f"{run.ticks} ticks of {machine.tick_ns:g} ns"),
        ("processors", str(run.processors), machine.name),
        ("busy", percent(run.utilisation), "of all processors' time is arithmetic"),
        ("messages", str(run.messages), f"{run.words} words"),
    ]
    shares = path_shares(run)
    if shares:
        parts = ", ".join(f"{percent(share)} {name}" for name, share in shares.items() if share)
        cards.append(("critical path", parts, f"the longest chain of causes: {run.ticks} ticks"))
    if run.energy is not None:
        cards.append(("energy", f"{run.energy.nanojoules:.4g} nJ", "by the machine's prices"))
    return cards


def phase_table(run: Run[Any], phases: Mapping[str, int], published: Mapping[str, str]) -> dict[str, Any]:
    """When phases end, and what is published of them."""
    us = run.machine
    rows = [
        [name, tick, f"{us.microseconds(tick):.{us.decimals}f}", *([published.get(name, "")] if published else [])]
        for name, tick in phases.items()
    ]
    heads = ["phase", "ends at tick", "us", *(["published"] if published else [])]
    return {"title": "Phases", "heads": heads, "rows": rows}


def stories(runs: Sequence[tuple[str, Run[Any]]]) -> list[dict[str, Any]]:
    """Runs that were traced; one that takes no time has nothing to show."""
    return [story(title, run) for title, run in runs if run.traced and run.ticks]


def _how(page: Page) -> list[str]:
    """How to look at what can be played, if anything can."""
    return [HOW] if page.stories else []


def run_page(
    run: Run[Any],
    command: str,
    title: str,
    verdict: str,
    summary: str = "",
    phases: Mapping[str, int] | None = None,
    published: Mapping[str, str] | None = None,
    error: str = "",
    tables: Sequence[dict[str, Any]] = (),
    settings: Sequence[tuple[str, str]] = (),
) -> Page:
    """A run that can be played."""
    played = stories([("", run)])
    cards = run_cards(run)
    if error:
        cards.append(("difference from a dense solver", error, "largest, relative where it exceeds 1"))
    return Page(
        title,
        verdict,
        about=[text for text in (summary, HOW if played else "") if text],
        cards=cards,
        stories=played,
        tables=[*([phase_table(run, phases, published or {})] if phases else []), *tables],
        footer=footer(run.machine.name, command, more=settings),
    )


def told(value: object) -> str | float | int:
    """A cell of a table."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return float(f"{value:.6g}")
    return value if isinstance(value, int) else str(value)


def table_of(title: str, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Rows of a result; the first of many."""
    heads = [head for head in (rows[0] if rows else ()) if any(row[head] is not None for row in rows)]
    cut = f", the first {MOST_ROWS} of {len(rows)} rows" if len(rows) > MOST_ROWS else ""
    shown = [[told(row[head]) for head in heads] for row in rows[:MOST_ROWS]]
    return {"title": f"{title}{cut}", "heads": heads, "rows": shown}


def plain_page(title: str, rows: Sequence[Mapping[str, Any]], command: str) -> Page:
    """A page of a table."""
    machines = ", ".join(dict.fromkeys(str(row["machine"]) for row in rows if "machine" in row))
    return Page(title, tables=[table_of("Table", rows)], footer=footer(machines or "as told", command))


def traced_page(
    title: str, runs: Sequence[tuple[str, Run[Any]]], rows: Sequence[Mapping[str, Any]], text: str, command: str
) -> Page:
    """Runs that can be played, and a table."""
    page = plain_page(title, rows, command)
    page.stories, page.remarks = stories(runs), text
    page.about = _how(page)
    machines = dict.fromkeys(run.machine.name for _, run in runs)
    page.footer = footer(", ".join(machines), command)
    return page


def filed_page(report: Any, run: Run[Any], command: str) -> Page:
    """A motion, or torques along one: what moves, and the first steps message by message."""
    part = "The part that is drawn"
    if isinstance(report, MotionReport):
        part = "The first steps, message by message" if report.motion.h else "One evaluation"
    page = Page(report.title, stories=stories([(part, run)]))
    page.about = _how(page)
    (name, value, note), *cards = run_cards(run)
    page.cards = [(f"{name} of what can be played", value, note), *cards]
    page.footer = footer(run.machine.name, command)
    page.remarks = report.as_text()
    if isinstance(report, MotionReport):
        mechanism, moved = report.motion.mechanism, report.moved
        page.motion = skeleton_of(mechanism, moved)
        page.charts = [chart for unit in ("deg", "m") if (chart := joint_chart(mechanism, moved, unit)) is not None]
        page.verdict = "; ".join(report.time_lines()[:2])
    return page


def best_page(
    search: Search, title: str, sentence: str, text: str, rows: Sequence[Mapping[str, Any]], command: str
) -> Page:
    """What nothing else beats, and the best as a run that can be played."""
    best = search.best()
    machines = search.question.machines
    page = Page(title, sentence, remarks=text, tables=[table_of("All candidates", rows)])
    page.footer = footer(", ".join(machine.name for machine in machines), command)
    page.charts = [chart for machine in machines if (chart := best_chart(search, machine)) is not None]
    if best is not None:
        run = search.traced(best, values=True)
        page.cards = run_cards(run)
        page.stories = stories([(f"The best: {best.candidate.label} on {best.machine.name}", run)])
        page.about = _how(page)
    return page


def table_page(
    title: str,
    rows: Sequence[Mapping[str, Any]],
    text: str,
    machines: Sequence[Machine],
    seed: int | None,
    command: str,
) -> Page:
    """A table with what is to be said of it, and curves where it has any."""
    page = plain_page(title, rows, command)
    page.remarks = text
    schemes, names = (dict.fromkeys(str(row.get(key, "")) for row in rows) for key in ("scheme", "machine"))
    if all(schemes) and all(names):
        page.title = f"{title.partition(',')[0]}: {', '.join(schemes)} on {', '.join(names)}"
    page.charts = comparison_charts(quickest(rows), machines) if machines else []
    if seed is not None:
        page.footer = footer(", ".join(machine.name for machine in machines), command, str(seed))
    return page
