"""Exhibits recomputed: by several processes, each exhibit kept as it is finished, then judged and written down."""

import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from meshsim.errors import MeshSimError
from meshsim.experiments.exhibits.base.exhibit import Appendix, Exhibit, Judgement, load_exhibits
from meshsim.experiments.reports.scorecard import NUMBERS, as_markdown, number_rows
from meshsim.experiments.reports.scorecard_page import as_html
from meshsim.experiments.store.files import check_writable, temporary_name, whole_file, write_csv
from meshsim.experiments.store.journal import Row, open_journal, take_over
from meshsim.experiments.store.progress import Progress
from meshsim.experiments.store.workers import evaluated


def chosen_exhibits(identifiers: Sequence[str]) -> list[Exhibit]:
    """The exhibits asked for, or all."""
    exhibits = load_exhibits()
    for identifier in identifiers:
        if identifier not in exhibits:
            raise MeshSimError(f"unknown exhibit {identifier!r}; known: {', '.join(exhibits)}")
    return [exhibits[identifier] for identifier in exhibits if not identifiers or identifier in identifiers]


def reproduce(identifiers: Sequence[str], folder: Path, jobs: int = 1, force: bool = False) -> list[Judgement]:
    """Recompute the exhibits that a folder does not have yet, and write page, table and scorecard.

    `force` takes a folder that holds other work, and recomputes all.
    """
    exhibits = chosen_exhibits(identifiers)
    identity = {"reproduce": [exhibit.id for exhibit in exhibits]}
    check_writable(folder / "scorecard.html")
    if force:
        take_over(folder, identity, afresh=True)
    with open_journal(folder, identity, "exhibits") as journal:
        todo = [each.id for each in exhibits if each.id not in journal.rows or _undrawn(each, folder)]
        progress = Progress("exhibits", len(exhibits), len(exhibits) - len(todo))
        try:
            for identifier, row in evaluated(partial(recomputed, folder), todo, jobs, kind_of):
                journal.add(identifier, row)
                progress.advance()
        finally:
            _sweep(exhibits, folder)
        judgements = [_judged(exhibit, journal.rows[exhibit.id]) for exhibit in exhibits]
    write_scorecard(judgements, folder)
    return judgements


def _undrawn(exhibit: Exhibit, folder: Path) -> bool:
    return exhibit.draw is not None and not _picture(exhibit, folder).exists()


def _picture(exhibit: Exhibit, folder: Path) -> Path:
    return folder / f"{exhibit.id}.png"


def _sweep(exhibits: Sequence[Exhibit], folder: Path) -> None:
    """Remove pictures that a process was drawing when it was ended."""
    for exhibit in exhibits:
        for half in folder.glob(f"{temporary_name(_picture(exhibit, folder))}*.png"):
            half.unlink(missing_ok=True)


def kind_of(identifier: str) -> str:
    """Exhibits of one chapter share runs."""
    return identifier.rpartition("." if "." in identifier else "-")[0]


def recomputed(folder: Path, identifier: str) -> Row:
    """An exhibit's numbers and tables; its figure is drawn into the folder."""
    exhibit = load_exhibits()[identifier]
    computed, appendices = exhibit.compute(), exhibit.appendices
    if exhibit.draw:
        exhibit.draw(exhibit.judge(computed), _picture(exhibit, folder))
    return {
        "computed": {
            label: [each if each is None or isinstance(each, int) else float(each) for each in row]
            for label, row in computed.items()
        },
        "appendices": [[each.title, list(each.header), [list(row) for row in each.rows]] for each in appendices],
    }


def _judged(exhibit: Exhibit, row: Row) -> Judgement:
    return exhibit.judge(row["computed"], [Appendix(*each) for each in row["appendices"]])


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
