"""The scorecard: every exhibit recomputed and judged, as JSON, a table of all numbers, and a page to read or print."""

import json
import re
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from string import Template

from meshsim.errors import MeshSimError
from meshsim.experiments.exhibits.base.exhibit import (
    DIFFERS,
    EQUAL,
    NOT_REPRODUCIBLE,
    WITHIN,
    Appendix,
    Cell,
    Exhibit,
    Judgement,
    load_exhibits,
    number,
)
from meshsim.experiments.store.files import check_writable, whole_file, write_csv
from meshsim.experiments.store.progress import Progress

TITLE = "Published claims, recomputed"
LEGEND = (
    "A cell shows the computed number; where the published one is another, it follows in brackets with the ratio of "
    "computed to published. A star marks a slip in print; the number meant, where it is not the computed one, stands "
    "before it, and is what the computed one is compared with. A dash stands where nothing can be computed. Computed "
    "numbers come from arithmetic that ran; long ones are rounded to five digits."
)
MEANING = {
    EQUAL: "every number that can be computed is the published one, slips corrected",
    WITHIN: "every number is within the stated tolerance",
    DIFFERS: "some number differs; the reason says why",
    NOT_REPRODUCIBLE: "what would be needed is not published",
}

NUMBERS = ("id", "line", "column", "published", "corrected", "computed", "deviation", "verdict")
SUMMARY = ("exhibit", "what it shows", "verdict", "largest deviation", "numbers")


def chosen_exhibits(identifiers: Sequence[str]) -> list[Exhibit]:
    """The exhibits asked for, or all."""
    known = load_exhibits()
    for identifier in identifiers:
        if identifier not in known:
            raise MeshSimError(f"unknown exhibit {identifier!r}; known: {', '.join(known)}")
    return [exhibit for identifier, exhibit in known.items() if not identifiers or identifier in identifiers]


def reproduce(identifiers: Sequence[str], folder: Path) -> list[Judgement]:
    """Recompute exhibits, and write figures, page, table and scorecard into a folder."""
    exhibits = chosen_exhibits(identifiers)
    check_writable(folder / "scorecard.html")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise MeshSimError(f"cannot use the folder {str(folder)!r}: {error.strerror or error}") from None
    progress = Progress("exhibits", len(exhibits))
    judgements = []
    for exhibit in exhibits:
        judgement = exhibit.judge(exhibit.compute())
        if exhibit.draw:
            exhibit.draw(judgement, folder / f"{exhibit.id}.png")
        judgements.append(judgement)
        progress.advance()
    write_scorecard(judgements, folder)
    return judgements


def write_scorecard(judgements: Sequence[Judgement], folder: Path) -> None:
    """Write what was judged."""
    objects = [judgement.to_dict() for judgement in judgements]
    texts = {
        "scorecard.json": json.dumps(objects, indent=2) + "\n",
        "scorecard.md": as_markdown(judgements),
        "scorecard.html": as_html(judgements),
    }
    for name, text in texts.items():
        with whole_file(folder / name) as temporary:
            temporary.write_text(text, encoding="utf-8")
    write_csv(folder / "numbers.csv", NUMBERS, (row for judgement in judgements for row in number_rows(judgement)))


def number_rows(judgement: Judgement) -> list[tuple[object, ...]]:
    """A row for each number of an exhibit, by the columns `NUMBERS`."""
    return [
        (
            judgement.exhibit.id,
            line.line.label,
            column,
            cell.published,
            cell.corrected,
            cell.computed,
            cell.deviation,
            cell.verdict,
        )
        for line in judgement.lines
        for column, cell in zip(judgement.exhibit.columns, line.cells, strict=True)
        if cell.verdict is not None
    ]


def as_text(judgements: Sequence[Judgement]) -> str:
    """What the command prints."""
    width = max(len(judgement.exhibit.id) for judgement in judgements)
    lines = [
        f"{judgement.exhibit.id:<{width}}  {judgement.verdict:<17}{percent(judgement.deviation):>10}  {judgement.tally}"
        for judgement in judgements
    ]
    return "\n".join(
        [f"{'exhibit':<{width}}  {'verdict':<17}{'deviation':>10}  numbers", *lines, "", tally(judgements)]
    )


def tally(judgements: Sequence[Judgement]) -> str:
    """How many exhibits got which verdict."""
    verdicts = [judgement.verdict for judgement in judgements]
    counts = ", ".join(f"{verdicts.count(verdict)} {verdict}" for verdict in MEANING if verdict in verdicts)
    return f"{len(verdicts)} exhibit{'s' if len(verdicts) > 1 else ''}: {counts}"


def percent(deviation: float | None) -> str:
    """A deviation in print."""
    return "-" if deviation is None else f"{100 * deviation:+.1f} %" if deviation else "0 %"


def cell_text(cell: Cell) -> str:
    """One cell of a table."""
    if cell.verdict is None:
        return ""
    printed = f"{number(cell.published)}*" if cell.slip else number(cell.published)
    if cell.slip and cell.computed != cell.corrected:
        printed = f"{number(cell.corrected)} for {printed}"
    if cell.computed is None:
        return f"- ({printed})"
    if cell.computed == cell.published and not cell.slip:
        return number(cell.computed)
    ratio = f": {cell.computed / cell.meant:.2f}" if cell.meant and cell.computed != cell.meant else ""
    return f"{number(cell.computed)} ({printed}{ratio})"


# Markdown


def as_markdown(judgements: Sequence[Judgement]) -> str:
    """The page for readers of plain text."""
    lines = [f"# {TITLE}", "", tally(judgements) + ".", "", LEGEND, ""]
    rows = [
        (
            f"[{each.exhibit.id}](#{anchor(each.exhibit)})",
            each.exhibit.title,
            each.verdict,
            percent(each.deviation),
            each.tally,
        )
        for each in judgements
    ]
    lines += _table(SUMMARY, rows)
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
    lines = [f"## {exhibit.id}", "", f"{exhibit.title}. **{judgement.verdict}**, {percent(judgement.deviation)}.", ""]
    if exhibit.note:
        lines += [exhibit.note, ""]
    rows = [(line.line.label, *map(cell_text, line.cells), line.verdict) for line in judgement.lines]
    lines += _table(("", *exhibit.columns, "verdict"), rows)
    for reason, labels in judgement.reasons.items():
        lines += ["", f"- {', '.join(labels)}: {reason}."]
    for appendix in exhibit.appendices:
        lines += ["", f"{appendix.title}:", "", *_table(appendix.header, appendix.rows)]
    if exhibit.draw:
        lines += ["", f"![{exhibit.title}]({exhibit.id}.png)"]
    return lines


# HTML


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


_, *_PARTS = re.split(r"<!-- (\w+) -->\n", Path(__file__).with_suffix(".html").read_text(encoding="utf-8"))
PARTS = {name: Template(part.removesuffix("\n")) for name, part in zip(_PARTS[::2], _PARTS[1::2], strict=True)}
"""The page and what is repeated in it, by name."""
WIDE = 14
"""With more columns a table is printed small."""


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
    """The page for a browser or a printer; it needs nothing but the pictures beside it."""
    page = fill(
        "page",
        title=TITLE,
        tally=tally(judgements),
        legend=LEGEND,
        meanings=in_turn(fill("meaning", verdict=verdict, meaning=meaning) for verdict, meaning in MEANING.items()),
        heads=_heads(SUMMARY),
        rows=in_turn(fill("summary", **_told(each), tally=each.tally) for each in judgements),
        sections=in_turn(map(_html_section, judgements)),
    )
    return "\n".join(line for line in page.splitlines() if line) + "\n"  # what was left out leaves empty lines


def _told(judgement: Judgement) -> dict[str, str]:
    """What the summary and the heading of a section tell of an exhibit."""
    exhibit = judgement.exhibit
    return {
        "anchor": anchor(exhibit),
        "id": exhibit.id,
        "title": prose(exhibit.title),
        "verdict": judgement.verdict,
        "deviation": percent(judgement.deviation),
    }


def _heads(texts: Sequence[str]) -> Markup:
    return in_turn((fill("head", text=text) for text in texts), "")


def _html_section(judgement: Judgement) -> Markup:
    exhibit, nothing = judgement.exhibit, Markup()
    reasons = in_turn(
        fill("reason", labels=", ".join(labels), reason=prose(reason)) for reason, labels in judgement.reasons.items()
    )
    return fill(
        "section",
        **_told(judgement),
        note=fill("note", note=prose(exhibit.note)) if exhibit.note else nothing,
        wide=fill("wide") if len(exhibit.columns) > WIDE else nothing,
        heads=_heads(("", *exhibit.columns, "verdict")),
        rows=in_turn(
            fill("line", label=line.line.label, cells=in_turn(map(_html_cell, line.cells), ""), verdict=line.verdict)
            for line in judgement.lines
        ),
        because=fill("because", reasons=reasons) if reasons else nothing,
        appendix=in_turn(map(_html_appendix, exhibit.appendices)),
        picture=fill("picture", id=exhibit.id, title=exhibit.title) if exhibit.draw else nothing,
    )


def _html_cell(cell: Cell) -> Markup:
    if cell.verdict is None:
        return fill("blank")
    first, _, rest = cell_text(cell).partition(" ")
    return fill("cell", verdict=cell.verdict, first=first, rest=fill("rest", text=rest) if rest else "")


def _html_appendix(appendix: Appendix) -> Markup:
    rows = (in_turn((fill("entry", text=text) for text in row), "") for row in appendix.rows)
    return fill(
        "appendix",
        title=appendix.title,
        heads=_heads(appendix.header),
        rows=in_turn(fill("row", cells=cells) for cells in rows),
    )
