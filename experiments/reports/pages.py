"""The pages of results, for a browser: what each holds."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from meshsim.algorithms.schemes.base.scheme import Published
from meshsim.experiments.figures.styles import style_of
from meshsim.experiments.pages.page import Page
from meshsim.experiments.pages.story import story
from meshsim.experiments.reports.costs import path_shares, percent
from meshsim.machine import Machine
from meshsim.outcome import Run
from meshsim.version import __version__

HOW = (
    "Each square is a processor that runs a program of its own; lines are links between processors. The colour of a "
    "square says what it does at the time that the clock shows, and the dots on links are messages. Play the run, go "
    "from event to event with Step, drag the clock, or click a processor to see which numbers are in its hands."
)
NO_CHANCE = "none: nothing was drawn by chance but what a name such as chain:N:SEED says"
MOST_ROWS = 500
"""A page shows so many rows of a table."""


def footer(machine: str, command: str, seed: str = NO_CHANCE, more: Iterable[tuple[str, str]] = ()) -> list[tuple[str, str]]:
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


def told(value: object) -> str | float | int:
    """A cell of a table."""
    if value is None:
        return ""
    if isinstance(value, float):
        return float(f"{value:.6g}")
    return value if isinstance(value, int) and not isinstance(value, bool) else str(value)


def table_of(title: str, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Rows of a result; the first of many."""
    heads = list(rows[0]) if rows else []
    cut = f", the first {MOST_ROWS} of {len(rows)} rows" if len(rows) > MOST_ROWS else ""
    shown = [[told(row[head]) for head in heads] for row in rows[:MOST_ROWS]]
    return {"title": f"{title}{cut}", "heads": heads, "rows": shown}


def plain_page(title: str, rows: Sequence[Mapping[str, Any]], command: str) -> Page:
    """A page of a table."""
    return Page(title, tables=[table_of("Table", rows)], footer=footer("", command))


# Comparisons


def curve(name: str, scheme: str, points: Sequence[Sequence[Any]], **more: Any) -> dict[str, Any]:
    """A curve in the style of its scheme."""
    style = style_of(scheme)
    return {
        "name": name, "colour": style.colour, "marker": style.marker, "dash": [2 * each for each in style.dash],
        "points": list(points), **more,
    }  # fmt: skip


def time_chart(machine: Machine, rows: Sequence[Mapping[str, Any]], column: str, what: str) -> dict[str, Any] | None:
    """Times of schemes against joints on one machine, with published lines where a machine counts as they do."""
    here = [row for row in rows if row["machine"] == machine.name and row.get(column) is not None]
    curves = []
    for scheme in dict.fromkeys(row["scheme"] for row in here):
        mine = sorted((row["n"], row[column]) for row in here if row["scheme"] == scheme)
        curves.append(curve(scheme, scheme, mine))
        line = _published(scheme, column, [n for n, _ in mine], machine)
        if line:
            curves.append(curve(f"{scheme}, published", scheme, line, thin=True))
    if not curves:
        return None
    wide = max(y for each in curves for _, y, *_ in each["points"]) > 50 * max(
        min(y for each in curves for _, y, *_ in each["points"]), 1e-9
    )
    return {
        "title": f"{what} on {machine.name}",
        "x": {"label": "joints", "whole": True},
        "y": {"label": "time (us)", "log": wide},
        "curves": curves,
        "remark": "Markers are simulated; thin lines are published counts." if any("thin" in c for c in curves) else "",
    }


def _published(scheme: str, column: str, sizes: Sequence[int], machine: Machine) -> list[tuple[int, float]]:
    """Published counts of a phase, in microseconds."""
    from meshsim.algorithms.schemes.catalogue import SCHEMES

    phase = column.removesuffix("_us")
    if machine.links.discipline != "free" or scheme not in SCHEMES or phase == "time":
        return []
    found = []
    for n in sizes:
        count: Published | None = SCHEMES[scheme].published(n, SCHEMES[scheme].defaults).get(phase)
        if count is not None:
            ticks = count.mul * machine.operations["mul"] + count.add * machine.operations["add"]
            found.append((n, machine.microseconds(ticks)))
    return found
