"""The scorecard: what was judged, cell by cell, as text, as Markdown and as a table of all numbers."""

from collections.abc import Mapping, Sequence

from meshsim.experiments.exhibits.base.exhibit import (
    CLASSES,
    EQUAL,
    NOT_COMPARABLE,
    UNEXPLAINED,
    Cell,
    Exhibit,
    Judgement,
    mixed,
    number,
    value_of,
)
from meshsim.experiments.exhibits.base.papers import PAPERS, reference

TITLE = "Published claims, recomputed"
LEGEND = (
    "Every cell is of one class, which follows from its numbers and from what its line declares. A cell shows the "
    "computed number; where the published one is another, it follows in brackets, with what our rule counts more or "
    "less, or with how far the computed one is from it. A star marks a number that is wrong in print; the number "
    "meant, where it is not the computed one, stands before it. A dash stands where nothing was computed. Computed "
    "numbers come from arithmetic that ran; long ones are rounded to five digits."
)
NUMBERS = (
    "id", "line", "column", "published", "corrected", "counted", "computed", "deviation", "verdict"
)  # fmt: skip
TOTALS = ("class", "cells", "exhibits with such cells", "exhibits of no other", "meaning")
SUMMARY = ("exhibit", "what it shows", "cells", "largest deviation that is not accounted for")
FAR = 100.0
"""From so many times the published number on, or as small a part of it, a computed one is called far off."""


def number_rows(judgement: Judgement) -> list[tuple[object, ...]]:
    """A row for each number of an exhibit, by the columns `NUMBERS`."""
    return [
        (
            judgement.exhibit.id,
            line.line.label,
            column,
            cell.published,
            cell.corrected,
            cell.counted or None,
            cell.computed,
            cell.deviation,
            cell.verdict,
        )
        for line in judgement.lines
        for column, cell in zip(judgement.exhibit.columns, line.cells, strict=True)
        if cell.verdict is not None
    ]


def totals(judgements: Sequence[Judgement]) -> list[tuple[str, int, int, int]]:
    """Of each class: its cells, the exhibits that have some, and those that have no others."""
    cells = mixed([cell.verdict for judgement in judgements for cell in judgement.cells])
    mixes = [judgement.mix for judgement in judgements]
    return [
        (name, cells.get(name, 0), sum(name in mix for mix in mixes), sum(set(mix) == {name} for mix in mixes))
        for name in CLASSES
    ]


def by_paper(judgements: Sequence[Judgement]) -> Mapping[str, list[Judgement]]:
    """The judgements of each document, in the order in which documents are listed."""
    found: dict[str, list[Judgement]] = {paper: [] for paper in PAPERS}
    for judgement in judgements:
        found.setdefault(judgement.exhibit.paper, []).append(judgement)
    return {paper: each for paper, each in found.items() if each}


def tally(judgements: Sequence[Judgement]) -> str:
    """How many cells are of which class."""
    cells = [cell.verdict for judgement in judgements for cell in judgement.cells]
    return f"{_many(len(judgements), 'exhibit')}, {_many(len(cells), 'cell')}: {mix_text(mixed(cells))}"


def mix_text(mix: Mapping[str, int]) -> str:
    """How many of which class, in words."""
    return ", ".join(f"{count} {name}" for name, count in mix.items())


def _many(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def deviation_text(deviation: float | None) -> str:
    """A deviation in print: in percent while that says something, then how many times, then that it is far off."""
    if deviation is None:
        return "-"
    if not deviation:
        return "0 %"
    if abs(deviation) < 1:
        return f"{100 * deviation:+.1f} %" if abs(deviation) >= 5e-4 else f"{100 * deviation:+.1g} %"
    return f"x {1 + deviation:.3g}" if 1 <= deviation < FAR else "far off"


def cell_text(cell: Cell) -> str:
    """One cell of a table."""
    if cell.verdict is None:
        return ""
    computed = value_of(cell, cell.computed)
    if cell.verdict == EQUAL or cell.published is None:
        return computed
    printed = value_of(cell, cell.published)
    if cell.verdict == NOT_COMPARABLE:
        return computed if cell.computed == cell.published else f"{computed} ({printed})"
    if cell.corrected is not None:
        printed += "*"
        if cell.computed != cell.corrected:
            printed = f"{value_of(cell, cell.corrected)} for {printed}"
    if cell.counted and cell.verdict != UNEXPLAINED:
        printed += f" {'+' if cell.counted > 0 else '-'} {number(abs(cell.counted))}"
    elif cell.deviation:
        printed += f": {deviation_text(cell.deviation)}"
    return f"{computed} ({printed})"


# Plain text


def as_text(judgements: Sequence[Judgement]) -> str:
    """What the command prints."""
    width = max(len(judgement.exhibit.id) for judgement in judgements)
    lines = [f"{'exhibit':<{width}}  {'deviation':>9}  cells"]
    for paper, each in by_paper(judgements).items():
        lines += ["", reference(paper)]
        lines += [f"{one.exhibit.id:<{width}}  {deviation_text(one.deviation):>9}  {mix_text(one.mix)}" for one in each]
    heads = f"{'class':<20}{'cells':>6}{'exhibits with such':>20}{'of no other':>13}"
    found = [f"{name:<20}{cells:>6}{some:>20}{only:>13}" for name, cells, some, only in totals(judgements)]
    return "\n".join([*lines, "", heads, *found, "", tally(judgements)])


# Markdown


def as_markdown(judgements: Sequence[Judgement]) -> str:
    """The page for readers of plain text."""
    counts = [(name, str(cells), str(some), str(only), CLASSES[name]) for name, cells, some, only in totals(judgements)]
    lines = [f"# {TITLE}", "", tally(judgements) + ".", "", *_table(TOTALS, counts), "", LEGEND]
    for paper, each in by_paper(judgements).items():
        rows = [
            (
                f"[{one.exhibit.id}](#{anchor(one.exhibit)})",
                one.exhibit.title,
                mix_text(one.mix),
                deviation_text(one.deviation),
            )
            for one in each
        ]
        lines += ["", f"**{reference(paper)}.** {tally(each)}.", "", *_table(SUMMARY, rows)]
    for judgement in judgements:
        lines += ["", *_section(judgement)]
    return "\n".join(lines) + "\n"


def anchor(exhibit: Exhibit) -> str:
    """The identifier as page addresses have it."""
    return exhibit.id.replace(".", "")


def bar_free(text: str) -> str:
    """Text that may stand in a Markdown table."""
    return text.replace("|", "\\|")


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    lines = ["| " + " | ".join(map(bar_free, cells)) + " |" for cells in (header, *rows)]
    return [lines[0], "|---" * len(header) + "|", *lines[1:]]


def _section(judgement: Judgement) -> list[str]:
    exhibit = judgement.exhibit
    lines = [f"## {exhibit.id}", "", f"{exhibit.title}. **{mix_text(judgement.mix)}**.", ""]
    if exhibit.note:
        lines += [exhibit.note, ""]
    rows = [(line.line.label, *map(cell_text, line.cells), mix_text(line.mix)) for line in judgement.lines]
    lines += _table(("", *exhibit.columns, "cells"), rows)
    for reason, labels in judgement.reasons.items():
        lines += ["", f"- {', '.join(labels)}: {reason}."]
    for appendix in judgement.appendices:
        lines += ["", f"{appendix.title}:", "", *_table(appendix.header, appendix.rows)]
    if exhibit.draw:
        lines += ["", f"![{exhibit.title}]({exhibit.id}.png)"]
    return lines
