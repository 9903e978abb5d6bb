"""The scorecard: six classes of cells, a page that opens with their numbers, and work that goes on where it stopped."""

import csv
import json
import re
from html.parser import HTMLParser

import pytest

from meshsim.errors import MeshSimError
from meshsim.experiments.cli.main import main
from meshsim.experiments.exhibits.base.exhibit import (
    CLASSES,
    COUNTED,
    EQUAL,
    NOT_COMPARABLE,
    UNEXPLAINED,
    WITHIN,
    WRONG,
    Appendix,
    Exhibit,
    Line,
    load_exhibits,
)
from meshsim.experiments.reports import recomputing
from meshsim.experiments.reports.scorecard import as_markdown, as_text, cell_text, deviation_text, totals
from meshsim.experiments.reports.scorecard_page import as_html
from meshsim.experiments.store.workers import in_kinds


def judge(published, computed, **facts):
    exhibit = Exhibit("some-table-1", "A table", ("a", "b"), [Line("x", published, **facts)], dict)
    return exhibit.judge({"x": computed})


def verdicts(*args, **facts):
    return [cell.verdict for cell in judge(*args, **facts).cells]


def told(published, computed, **facts):
    return [cell_text(cell) for cell in judge(published, computed, **facts).lines[0].cells]


# Classes


def test_the_six_classes():
    assert verdicts((1.0, None), (1.0, None)) == [EQUAL]
    assert verdicts((1.0, 2.0), (1.0, 2.05), tolerance=0.05, reason="so it was read") == [EQUAL, WITHIN]
    assert verdicts((1.0, 2.0), (1.0, 3.0), corrected=(1.0, 3.0), source="eq. 1") == [EQUAL, WRONG]
    assert verdicts((1.0, 2.0), (4.0, 2.0), counted=(3, 0), reason="three more") == [COUNTED, EQUAL]
    assert verdicts((1.0, 2.0), (4.0, None)) == [UNEXPLAINED] * 2
    assert verdicts((1.0, 2.0), (1.0, 2.0), not_comparable="an input") == [NOT_COMPARABLE] * 2
    assert verdicts((1.0, 2.0), (1.0, None), not_comparable=("", "lost")) == [EQUAL, NOT_COMPARABLE]
    assert verdicts((None, None), (None, 7.0), not_comparable="drawn alone") == [NOT_COMPARABLE] * 2


def test_a_reason_explains_nothing_without_numbers():
    assert verdicts((1.0, 2.0), (1.0, 2.2), reason="ours is another method") == [EQUAL, UNEXPLAINED]
    assert verdicts((1.0, 2.0), (4.0, 2.5), counted=(3, 0), reason="three more") == [COUNTED, UNEXPLAINED]
    assert verdicts((1.0, 2.0), (4.1, 2.0), counted=(3, 0), tolerance=0.1, reason="more") == [UNEXPLAINED, EQUAL]
    assert judge((1.0, 2.0), (1.0, 2.2), reason="it is").reason == "x: unexplained: it is."


def test_a_wrong_print_counted_otherwise_is_wrong_print():
    slip = judge(
        (851.0, 2.0), (862.0, 2.0), corrected=(859.0, 2.0), source="eq. 1", counted=(3, 0), reason="three more"
    )
    assert slip.mix == {EQUAL: 1, WRONG: 1}
    assert cell_text(slip.cells[0]) == "862 (859 for 851* + 3)"
    assert slip.reason == "x: print is wrong, by eq. 1: 851 for 859; counted differently: three more."
    by_chance = judge((851.0, 2.0), (851.0, 2.0), corrected=(859.0, 2.0), source="eq. 1")
    assert by_chance.mix == {EQUAL: 1, UNEXPLAINED: 1}
    assert cell_text(by_chance.cells[0]) == "851 (859 for 851*: -0.9 %)"


@pytest.mark.parametrize(
    ("facts", "missing"),
    [
        ({"tolerance": 0.1}, "reason for its tolerance"),
        ({"counted": (1, 0)}, "reason for what it counts differently"),
        ({"corrected": (1.0, 3.0)}, "source of its corrected numbers"),
    ],
)
def test_facts_have_reasons(facts, missing):
    with pytest.raises(MeshSimError, match=f"^line 'x' must have a {missing}, not none$"):
        Line("x", (1.0, 2.0), **facts)
    with pytest.raises(MeshSimError, match=r"^line 'x' must have a not_comparable, as nothing is printed, not none$"):
        Line("x", (None, None))


def test_lines_are_as_long_as_the_table():
    for bad in ({"counted": (1,), "reason": "r"}, {"not_comparable": ("a",)}, {"tolerance": (0.1,), "reason": "r"}):
        with pytest.raises(MeshSimError, match=r"^some-table-1 must have 2 numbers in every line, not so in 'x'$"):
            judge((1.0, 2.0), (1.0, 2.0), **bad)
    with pytest.raises(MeshSimError, match=r"^some-table-1 must have 2 numbers in every line, not so in 'x'$"):
        judge((1.0, 2.0), (1.0,))
    with pytest.raises(MeshSimError, match=r"^some-table-1 must be computed line by line, not "):
        Exhibit("some-table-1", "A table", ("a",), [Line("x", (1.0,))], dict).judge({"y": (1.0,)})


# What is shown


def test_how_a_cell_is_printed():
    assert told((4.0, 2.0), (5.0, None)) == ["5 (4: +25.0 %)", "- (2)"]
    assert told((4.0, 2.0), (7.0, 1.0), counted=(3, -1), reason="so") == ["7 (4 + 3)", "1 (2 - 1)"]
    assert told((1, 0), (0.0, 0.0), yes_no=True) == ["no (yes)", "no"]
    assert told((1, 0), (0.0, 0.0), yes_no=True, not_comparable="ours") == ["no (yes)", "no"]
    assert told((1, None), (1, None)) == ["1", ""]
    assert told((None, None), (3.5, None), not_comparable="drawn alone") == ["3.5", "-"]


@pytest.mark.parametrize(
    ("deviation", "text"),
    [(None, "-"), (0.0, "0 %"), (0.123, "+12.3 %"), (-0.5, "-50.0 %"), (2.0, "x 3"), (98.0, "x 99"), (5e4, "far off")],
)
def test_deviations_are_short(deviation, text):
    assert deviation_text(deviation) == text


def test_answers_have_no_deviation():
    assert judge((1, 1), (0.0, 1.0), yes_no=True).deviation is None
    assert judge((4.0, 2.0), (3.0, 2.2)).deviation == -0.25
    assert judge((4.0, 2.0), (40.0, 2.2), not_comparable=("an input", "")).deviation == pytest.approx(0.1)


def test_no_summary_has_long_percentages_or_a_hundred_for_no():
    page = as_text([judge((1, 1e-6), (0.0, 1.0))])
    assert "-100" not in page
    assert not re.search(r"\d{4,} %", page)


def test_the_mix_is_told_and_no_cell_colours_the_exhibit():
    mixed = judge((4.0, 2.0), (5.0, 2.0), reason="`so`")
    page = as_html([mixed])
    assert '<td class="unexplained">5<small>(4: +25.0 %)</small></td>' in page
    assert '<i class="equal" style="width:50%"></i><i class="unexplained" style="width:50%"></i>' in page
    assert "<li>x: unexplained: <code>so</code>.</li>" in page
    assert "1 equal, 1 unexplained" in as_markdown([mixed])
    assert totals([mixed, judge((1.0, 2.0), (1.0, 2.0))])[0] == (EQUAL, 3, 2, 1)


class Balance(HTMLParser):
    """Knows which tags are open."""

    def __init__(self):
        super().__init__()
        self.open, self.ids, self.targets, self.sources = [], [], [], []

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.ids += [values["id"]] if tag == "section" else []
        self.targets += [values["href"][1:]] if "href" in values else []
        self.sources += [values["src"]] if "src" in values else []
        if tag not in ("meta", "img", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def judged():
    """All exhibits as if what was computed were what is printed, with an appendix each."""
    more = Appendix("More | than that", ("a", "b"), [("1", "<2>")])
    known = load_exhibits().values()
    return [each.judge({line.label: line.published for line in each.lines}, [more]) for each in known]


def test_the_page(judged):
    page = as_html(judged)
    balance = Balance()
    balance.feed(page)
    assert balance.open == []
    assert sorted(balance.targets) == sorted(balance.ids)
    assert len(balance.ids) == len(judged)
    assert not [source for source in balance.sources if "/" in source]  # pictures beside it, nothing from elsewhere
    assert "http" not in page.replace("http-equiv", "")
    for name in CLASSES:
        assert f'value="{name.replace(" ", "-")}"' in page
    assert page.index("University of British Columbia") < page.index("McGill") < page.index("<section")
    assert "&lt;2&gt;" in page


def test_the_page_for_readers_of_plain_text(judged):
    text = as_markdown(judged)
    for judgement in judged:
        assert f"## {judgement.exhibit.id}\n" in text
    assert text.index("| class | cells |") < text.index("| exhibit |")
    for block in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        widths = {len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}
        assert len(widths) == 1


# The command


def folder_of(path):
    """What a folder has, but for the journal, whose order is that of finishing."""
    return {each.name: each.read_bytes() for each in sorted(path.iterdir()) if each.name != "rows.jsonl"}


@pytest.mark.usefixtures("in_full")
def test_the_files(tmp_path, capsys):
    """Bytes are the same whatever the number of processes."""
    names = ("wong-fig-3.11", "wong-table-3.3", "wong-table-4.2", "ktk-sec-9")
    for folder, jobs in (("one", "1"), ("two", "2")):
        assert main(["reproduce", *names, "--out", str(tmp_path / folder), "--jobs", jobs]) == 0
    out = capsys.readouterr().out
    assert "4 exhibits, " in out
    assert "counted differently" in out
    one, two = (folder_of(tmp_path / folder) for folder in ("one", "two"))
    assert one == two
    assert list(one) == [
        "numbers.csv",
        "scorecard.html",
        "scorecard.json",
        "scorecard.md",
        "settings.json",
        "wong-fig-3.11.png",
    ]
    objects = json.loads(one["scorecard.json"])
    assert [list(each) for each in objects] == [["id", "paper", "title", "cells", "deviation", "reason"]] * 4
    assert {each["id"] for each in objects} == set(names)
    rows = list(csv.DictReader(one["numbers.csv"].decode().splitlines()))
    assert {row["verdict"] for row in rows} <= set(CLASSES)
    (row,) = [row for row in rows if (row["line"], row["column"]) == ("Proposed, mul", "n = 4")]
    assert (row["published"], row["corrected"], row["computed"], row["verdict"]) == ("312", "310", "310", WRONG)


def test_an_interrupt_keeps_what_is_finished(tmp_path, monkeypatch):
    names = ("wong-table-4.2", "wong-table-4.3", "wong-table-4.5", "wong-table-4.6")
    work, made = recomputing.recomputed, []

    def stopping(folder, identifier):
        if len(made) == 2:
            (folder / f".{identifier}-half.png").touch()  # as a worker that is ended while it draws leaves one
            raise KeyboardInterrupt
        made.append(identifier)
        return work(folder, identifier)

    monkeypatch.setattr(recomputing, "recomputed", stopping)
    with pytest.raises(
        KeyboardInterrupt, match=r"^exhibits finished: 2, kept in .*; the same command goes on from there$"
    ):
        recomputing.reproduce(names, tmp_path / "out")
    assert not list((tmp_path / "out").glob(".*"))
    again = []
    monkeypatch.setattr(recomputing, "recomputed", lambda folder, name: (again.append(name), work(folder, name))[1])
    recomputing.reproduce(names, tmp_path / "out")
    assert sorted(made + again) == sorted(names)
    recomputing.reproduce(names, tmp_path / "out")
    assert len(again) == 2
    recomputing.reproduce(names, tmp_path / "out", force=True)
    assert len(again) == 6
    recomputing.reproduce(names, tmp_path / "straight")
    assert folder_of(tmp_path / "out") == folder_of(tmp_path / "straight")


def test_a_lost_picture_is_drawn_again(tmp_path):
    recomputing.reproduce(["wong-fig-3.11"], tmp_path / "out")
    (tmp_path / "out" / "wong-fig-3.11.png").unlink()
    recomputing.reproduce(["wong-fig-3.11"], tmp_path / "out")
    assert (tmp_path / "out" / "wong-fig-3.11.png").exists()


def test_parts_of_a_kind_go_to_one_worker():
    following = in_kinds(["a1", "b1", "a2", "c1", "a3"], lambda part: part[0])
    assert list(following(None)) == ["a1"]
    assert list(following(None)) == ["b1"]
    assert list(following("b1")) == ["c1"]  # nothing of its kind is left, and nobody began this one
    assert list(following("a1")) == ["a2"]
    assert list(following("c1")) == ["a3"]
    assert list(following("a2")) == []


def test_refusals(tmp_path, capsys):
    assert main(["reproduce", "wong-table-9.9", "--out", str(tmp_path)]) == 2
    heard = capsys.readouterr().err
    assert "unknown exhibit 'wong-table-9.9'; known: " in heard
    assert "saha-fig-6, saha-fig-7, saha-fig-8, saha-fig-9, saha-fig-12" in heard
    assert list(load_exhibits())[-4:] == ["wong-table-4.9", "wong-table-5.4", "wong-table-5.5", "wong-table-6.1"]
    (tmp_path / "file").write_text("")
    assert main(["reproduce", "wong-table-5.5", "--out", str(tmp_path / "file")]) == 2
    assert "cannot use the folder" in capsys.readouterr().err
    assert main(["reproduce", "wong-table-5.5", "--jobs", "0", "--out", str(tmp_path / "new")]) == 2
    assert "--jobs must be a positive integer, not 0" in capsys.readouterr().err
