"""The scorecard: every exhibit recomputed and judged, as JSON, a table of all numbers, and a page to read or print."""

import json
import re
from collections.abc import Sequence
from html import escape
from pathlib import Path

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
    "before it, and is what the computed one is held against. A dash stands where nothing can be computed. Computed "
    "numbers come from arithmetic that ran; long ones are rounded to five digits."
)
MEANING = {
    EQUAL: "every number that can be computed is the published one, slips corrected",
    WITHIN: "every number is within the stated tolerance",
    DIFFERS: "some number is another; the reason says why",
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
    if exhibit.appendix:
        appendix = exhibit.appendix()
        lines += ["", f"{appendix.title}:", "", *_table(appendix.header, appendix.rows)]
    if exhibit.draw:
        lines += ["", f"![{exhibit.title}]({exhibit.id}.png)"]
    return lines


# HTML

STYLE = """
body { font: 10pt/1.35 Georgia, serif; color: #111; max-width: 75rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 20pt; } h2 { font-size: 13pt; margin: 2rem 0 .3rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font: 8pt/1.3 Helvetica, Arial, sans-serif; }
th, td { border: 1px solid #bbb; padding: .15rem .4rem; text-align: right; vertical-align: top; white-space: nowrap; }
th:first-child, td:first-child, .summary th, .summary td { text-align: left; }
.summary td { white-space: normal; }
thead th { background: #eee; }
td small { color: #444; display: block; }
.equal { background: #fff; } .within { background: #eef3fa; } .differs { background: #fdeedd; }
.not-reproducible { background: #eee; color: #333; }
.verdict { font-weight: bold; }
figure { margin: 1rem 0; } img { max-width: 100%; width: 44rem; }
ul { margin: .4rem 0; }
tr, figure, h2 { break-inside: avoid; } h2, section > p, thead { break-after: avoid; }
@page { size: A4 landscape; margin: 12mm; }
@media print { body { max-width: none; margin: 0; } table { font-size: 7.5pt; } th, td { padding: .1rem .2rem; }
  .wide { font-size: 6pt; }
  .scroll { overflow: visible; } .equal, .within, .differs, .not-reproducible { print-color-adjust: exact; } }
"""


def as_html(judgements: Sequence[Judgement]) -> str:
    """The page for a browser or a printer; it needs nothing but the pictures beside it."""
    summary = "".join(
        f'<tr class="{each.verdict}"><td><a href="#{anchor(each.exhibit)}">{escape(each.exhibit.id)}</a></td>'
        f'<td>{prose(each.exhibit.title)}</td><td class="verdict">{each.verdict}</td>'
        f"<td>{percent(each.deviation)}</td><td>{each.tally}</td></tr>\n"
        for each in judgements
    )
    heads = "".join(f"<th>{head}</th>" for head in SUMMARY)
    meanings = "".join(f"<li><b>{verdict}</b>: {escape(meaning)}</li>" for verdict, meaning in MEANING.items())
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{TITLE}</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<style>{STYLE}</style>\n</head>\n<body>\n"
        f"<h1>{TITLE}</h1>\n<p>{escape(tally(judgements))}.</p>\n<p>{escape(LEGEND)}</p>\n<ul>{meanings}</ul>\n"
        f'<div class="scroll"><table class="summary"><thead><tr>{heads}</tr></thead>\n'
        f"<tbody>\n{summary}</tbody></table></div>\n"
        + "".join(_html_section(judgement) for judgement in judgements)
        + "</body>\n</html>\n"
    )


def prose(text: str) -> str:
    """Text as HTML, words between backquotes as code."""
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", escape(text))


def _html_section(judgement: Judgement) -> str:
    exhibit = judgement.exhibit
    heads = "".join(f"<th>{escape(column)}</th>" for column in ("", *exhibit.columns, "verdict"))
    rows = "".join(
        f"<tr><td>{escape(line.line.label)}</td>"
        + "".join(_html_cell(cell) for cell in line.cells)
        + f'<td class="{line.verdict} verdict">{line.verdict}</td></tr>\n'
        for line in judgement.lines
    )
    because = "".join(
        f"<li>{escape(', '.join(labels))}: {prose(reason)}.</li>" for reason, labels in judgement.reasons.items()
    )
    wide = ' class="wide"' if len(exhibit.columns) > 14 else ""
    note = f"<p>{prose(exhibit.note)}</p>\n" if exhibit.note else ""
    appendix = _html_appendix(exhibit.appendix()) if exhibit.appendix else ""
    picture = f'<figure><img src="{exhibit.id}.png" alt="{escape(exhibit.title)}"></figure>\n' if exhibit.draw else ""
    return (
        f'<section>\n<h2 id="{anchor(exhibit)}">{escape(exhibit.id)}</h2>\n<p>{prose(exhibit.title)}. '
        f'<span class="verdict">{judgement.verdict}</span>, {percent(judgement.deviation)}.</p>\n{note}'
        f'<div class="scroll"><table{wide}><thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}</tbody></table></div>\n'
        + (f"<ul>{because}</ul>\n" if because else "")
        + f"{appendix}{picture}</section>\n"
    )


def _html_appendix(appendix: Appendix) -> str:
    heads, *rows = (
        "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"
        for tag, cells in (("th", appendix.header), *(("td", row) for row in appendix.rows))
    )
    return (
        f'<p>{escape(appendix.title)}:</p>\n<div class="scroll"><table class="summary"><thead>{heads}</thead>\n<tbody>'
        + "\n".join(rows)
        + "</tbody></table></div>\n"
    )


def _html_cell(cell: Cell) -> str:
    if cell.verdict is None:
        return "<td></td>"
    first, _, rest = cell_text(cell).partition(" ")
    small = f"<small>{escape(rest)}</small>" if rest else ""
    return f'<td class="{cell.verdict}">{escape(first)}{small}</td>'
