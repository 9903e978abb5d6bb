"""The scorecard as a page for a browser or a printer; it needs nothing but the pictures beside it."""

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from string import Template

from meshsim.experiments.exhibits.base.exhibit import CLASSES, Appendix, Cell, Judgement
from meshsim.experiments.exhibits.base.papers import reference
from meshsim.experiments.reports.scorecard import (
    LEGEND,
    SUMMARY,
    TITLE,
    TOTALS,
    anchor,
    by_paper,
    cell_text,
    deviation_text,
    mix_text,
    tally,
    totals,
)

WIDE = 14
"""With more columns a table is printed small."""


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


_, *_PARTS = re.split(r"<!-- (\w+) -->\n", Path(__file__).with_name("scorecard.html").read_text(encoding="utf-8"))
PARTS = {name: Template(part.removesuffix("\n")) for name, part in zip(_PARTS[::2], _PARTS[1::2], strict=True)}
"""The page and what is repeated in it, by name."""


def fill(part: str, **values: str) -> Markup:
    """A part of the page with its values, of which all are escaped that are not markup."""
    safe = {name: value if isinstance(value, Markup) else escape(value) for name, value in values.items()}
    return Markup(PARTS[part].substitute(safe))


def in_turn(parts: Iterable[Markup], between: str = "\n") -> Markup:
    """Several parts after one another."""
    return Markup(between.join(parts))


def prose(text: str) -> Markup:
    """Text as HTML, words between backquotes as code."""
    return Markup(re.sub(r"`([^`]*)`", r"<code>\1</code>", escape(text)))


def as_html(judgements: Sequence[Judgement]) -> str:
    """The whole page."""
    papers = by_paper(judgements)
    page = fill(
        "page",
        title=TITLE,
        tally=tally(judgements),
        legend=LEGEND,
        total_heads=_heads(("", *TOTALS)),
        totals=in_turn(
            fill("total", style=style(name), name=name, cells=str(cells), some=str(some), only=str(only), meaning=told)
            for (name, cells, some, only), told in zip(totals(judgements), CLASSES.values(), strict=True)
        ),
        papers=in_turn(fill("choice", paper=paper, told=reference(paper).partition(",")[0]) for paper in papers),
        picks=in_turn(fill("pick", style=style(name), name=name) for name in CLASSES),
        summaries=in_turn(_summary(paper, each) for paper, each in papers.items()),
        sections=in_turn(_section(each) for group in papers.values() for each in group),
    )
    return "\n".join(line for line in page.splitlines() if line) + "\n"  # what was left out leaves empty lines


def style(verdict: str) -> str:
    """A class of cells as style sheets name it."""
    return verdict.replace(" ", "-")


def _bar(mix: Mapping[str, int]) -> Markup:
    """The mix of classes, as wide as there are cells of each."""
    whole = sum(mix.values())
    parts = (fill("part", style=style(name), share=f"{100 * count / whole:.4g}") for name, count in mix.items())
    return fill("bar", told=mix_text(mix), parts=in_turn(parts, ""))


def _summary(paper: str, judgements: Sequence[Judgement]) -> Markup:
    rows = in_turn(
        fill("summary", **_told(each), bar=_bar(each.mix), deviation=deviation_text(each.deviation))
        for each in judgements
    )
    return fill(
        "paper", paper=paper, reference=reference(paper), tally=tally(judgements), heads=_heads(SUMMARY), rows=rows
    )


def _told(judgement: Judgement) -> dict[str, str]:
    """What the summary and the heading of a section tell of an exhibit."""
    exhibit = judgement.exhibit
    return {
        "anchor": anchor(exhibit),
        "id": exhibit.id,
        "paper": exhibit.paper,
        "classes": " ".join(map(style, judgement.mix)),
        "title": prose(exhibit.title),
        "mix": mix_text(judgement.mix),
    }


def _heads(texts: Sequence[str]) -> Markup:
    return in_turn((fill("head", text=text) for text in texts), "")


def _section(judgement: Judgement) -> Markup:
    exhibit, nothing = judgement.exhibit, Markup()
    reasons = in_turn(
        fill("reason", labels=", ".join(labels), reason=prose(reason)) for reason, labels in judgement.reasons.items()
    )
    return fill(
        "section",
        **_told(judgement),
        bar=_bar(judgement.mix),
        note=fill("note", note=prose(exhibit.note)) if exhibit.note else nothing,
        wide=fill("wide") if len(exhibit.columns) > WIDE else nothing,
        heads=_heads(("", *exhibit.columns, "cells")),
        rows=in_turn(
            fill("line", label=line.line.label, cells=in_turn(map(_cell, line.cells), ""), mix=mix_text(line.mix))
            for line in judgement.lines
        ),
        because=fill("because", reasons=reasons) if reasons else nothing,
        appendix=in_turn(map(_appendix, judgement.appendices)),
        picture=fill("picture", id=exhibit.id, title=exhibit.title) if exhibit.draw else nothing,
    )


def _cell(cell: Cell) -> Markup:
    if cell.verdict is None:
        return fill("blank")
    first, _, rest = cell_text(cell).partition(" ")
    return fill("cell", style=style(cell.verdict), first=first, rest=fill("rest", text=rest) if rest else "")


def _appendix(appendix: Appendix) -> Markup:
    rows = (in_turn((fill("entry", text=text) for text in row), "") for row in appendix.rows)
    return fill(
        "appendix",
        title=appendix.title,
        heads=_heads(appendix.header),
        rows=in_turn(fill("row", cells=cells) for cells in rows),
    )
