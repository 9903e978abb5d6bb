"""The scorecard: verdicts follow from numbers, and the 1991 machine is predicted before it is compared."""

import ast
import csv
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from experiments import exhibits
from experiments.cli import main
from experiments.excavator_1991 import LINES, predict, prediction, unknowns
from experiments.exhibit import DIFFERS, EQUAL, NOT_REPRODUCIBLE, UNEXPLAINED, WITHIN, Exhibit, Line, load_exhibits
from experiments.exhibits.wong_table_5_4 import MEASURED
from experiments.scorecard import as_html, as_markdown, reproduce
from meshsim.presets import PRESETS

ROOT = Path(__file__).parents[1]
EXHIBITS = load_exhibits()
COVERED = {
    *(f"wong-table-{number}" for number in ("2.1", "3.1", "3.2", "3.3", "3.5", "5.4", "5.5")),
    *(f"wong-table-4.{number}" for number in range(1, 10)),
    *(f"wong-fig-{number}" for number in ("3.11", "4.8", "4.9")),
    "saha-table-1",
    "saha-table-2",
}


@pytest.fixture(scope="module")
def judged():
    return {name: exhibit.judge(exhibit.compute()) for name, exhibit in EXHIBITS.items()}


def test_what_is_covered():
    assert set(EXHIBITS) == COVERED
    assert all(name == exhibit.id for name, exhibit in EXHIBITS.items())


def test_every_difference_has_a_reason(judged):
    for judgement in judged.values():
        for line in judgement.lines:
            worst = {cell.verdict for cell in line.cells}
            assert UNEXPLAINED not in line.reason, (judgement.exhibit.id, line.line.label)
            assert bool(line.reason) == bool(worst & {WITHIN, DIFFERS, NOT_REPRODUCIBLE})
            assert "  " not in line.reason
        assert bool(judgement.reason) == (judgement.verdict != EQUAL)


def as_published(exhibit):
    return {line.label: list(line.published) for line in exhibit.lines}


@pytest.mark.parametrize("exhibit", EXHIBITS.values(), ids=EXHIBITS)
def test_verdicts_are_derived(exhibit):
    """With the published numbers every exhibit is equal; move any one of them, and it is not."""
    assert exhibit.judge(as_published(exhibit)).verdict == EQUAL
    assert exhibit.judge(as_published(exhibit)).deviation == 0
    for line in exhibit.lines:
        place = next(i for i, number in enumerate(line.published) if number is not None)
        computed = as_published(exhibit)
        computed[line.label][place] = computed[line.label][place] * 1.5 + 1
        moved = exhibit.judge(computed)
        assert moved.verdict == DIFFERS
        assert moved.deviation is None or line.published[place] == 0 or moved.deviation > 0.4
        assert line.label in moved.reason
    nothing = {line.label: [None] * len(exhibit.columns) for line in exhibit.lines}
    assert exhibit.judge(nothing).verdict == NOT_REPRODUCIBLE
    assert exhibit.judge(nothing).deviation is None


def test_moving_a_computed_number_changes_what_is_said(judged):
    for name, judgement in judged.items():
        computed = {line.line.label: [cell.computed for cell in line.cells] for line in judgement.lines}
        line = next(line for line in judgement.lines if line.cells[-1].computed or line.cells[0].computed)
        place = 0 if line.cells[0].computed else -1
        computed[line.line.label][place] = 1e6
        assert EXHIBITS[name].judge(computed).deviation != judgement.deviation
        assert EXHIBITS[name].judge(computed).verdict == DIFFERS


def judge(published, computed, **settings):
    exhibit = Exhibit("some-table-1", "A table", ("a", "b"), [Line("x", published, **settings)], dict)
    return exhibit.judge({"x": computed})


def test_the_four_verdicts():
    assert judge((1.0, 2.0), (1.0, 2.0)).verdict == EQUAL
    within = judge((1.0, 2.0), (1.0, 2.05), tolerance=0.05)
    assert (within.verdict, within.reason) == (WITHIN, "x: within 5 %.")
    differs = judge((1.0, 2.0), (1.0, 2.2), tolerance=0.05, reason="for want of luck")
    assert (differs.verdict, differs.reason) == (DIFFERS, "x: for want of luck.")
    assert differs.deviation == pytest.approx(0.1)
    assert judge((1.0, 2.0), (1.0, 2.2)).reason == f"x: {UNEXPLAINED}."
    assert judge((1.0, 2.0), (None, None), reason="lost").verdict == NOT_REPRODUCIBLE
    assert judge((1.0, 2.0), (1.0, None), reason="lost").verdict == EQUAL
    assert judge((1.0, 2.0), (1.0, None), reason="lost").reason == "x: lost."
    nothing = judge((0.0, None), (0.5, None))
    assert (nothing.verdict, nothing.deviation) == (DIFFERS, None)


def test_a_slip_in_print_is_shown_with_the_number_meant():
    slip = judge((851.0, 2.0), (859.0, 2.0), formula=(859.0, 2.0))
    assert (slip.verdict, slip.reason) == (DIFFERS, "x: print has 851 for 859, which its own formula gives.")
    assert "859 (851*: 1.01)" in as_markdown([slip])


def test_published_slips_are_found(judged):
    """ERRATA items 25, 26 and 27."""
    slips = {
        (name, line.line.label, column, cell.published, cell.formula)
        for name, judgement in judged.items()
        for line in judgement.lines
        for column, cell in zip(judgement.exhibit.columns, line.cells, strict=True)
        if cell.slip
    }
    for expected in (
        ("wong-table-3.2", "Proposed, add", "n = 7", 851, 859),
        ("wong-table-3.2", "Walker, mul", "n = 5", 555, 553),
        ("wong-table-3.2", "Fijany, mul", "n = 6", 664, 674),
        ("wong-table-3.3", "Angeles, mul", "n = 6", 536, 531),
        ("wong-table-3.5", "Walker, mul", "n = 3", 631, 654),
        ("wong-table-3.5", "Walker, mul", "n = 12", 4131, 4491),
        ("wong-table-5.4", "total, mesh", "mul", 143, 140),
    ):
        assert expected in slips
    assert sum(name == "wong-table-3.5" for name, *_ in slips) == 10
    assert sum(name == "wong-table-3.2" for name, *_ in slips) == 3


@pytest.mark.parametrize("label", ["Proposed, inertia matrix, mul", "Proposed, inertia matrix, add"])
def test_the_inertia_matrix_of_the_thesis_equals_table_3_1(judged, label):
    (line,) = [line for line in judged["wong-table-3.1"].lines if line.line.label == label]
    assert line.verdict == EQUAL
    assert len(line.cells) == 11


def test_the_files(tmp_path, capsys):
    names = ("wong-fig-4.8", "wong-table-5.4")
    for folder in ("one", "two"):
        assert main(["reproduce", *names, "--out", str(tmp_path / folder)]) == 0
    out = capsys.readouterr().out
    assert "2 exhibits: 2 differs" in out
    one, two = (sorted((tmp_path / folder).iterdir()) for folder in ("one", "two"))
    assert [path.name for path in one] == [
        "numbers.csv",
        "scorecard.html",
        "scorecard.json",
        "scorecard.md",
        "wong-fig-4.8.png",
        "wong-table-5.4.png",
    ]
    assert [path.read_bytes() for path in one] == [path.read_bytes() for path in two]
    objects = json.loads((tmp_path / "one" / "scorecard.json").read_text())
    assert [list(each) for each in objects] == [["id", "title", "verdict", "deviation", "reason"]] * 2
    assert [each["id"] for each in objects] == list(names)
    with (tmp_path / "one" / "numbers.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    assert {row["verdict"] for row in rows} <= {EQUAL, WITHIN, DIFFERS, NOT_REPRODUCIBLE}
    assert {row["id"] for row in rows} == set(names)


class Balance(HTMLParser):
    """Knows which tags are open."""

    def __init__(self):
        super().__init__()
        self.open, self.ids, self.targets = [], [], []

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.ids += [values["id"]] if "id" in values else []
        self.targets += [values["href"][1:]] if "href" in values else []
        if tag not in ("meta", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_page(judged):
    page = as_html(list(judged.values()))
    balance = Balance()
    balance.feed(page)
    assert balance.open == []
    assert balance.targets == balance.ids
    assert len(balance.ids) == len(EXHIBITS)
    assert "<script" not in page
    text = as_markdown(list(judged.values()))
    for exhibit in EXHIBITS.values():
        assert f"## {exhibit.id}\n" in text
    for block in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        assert len({line.count(" | ") + line.count("|---") for line in block.splitlines() if "---" not in line}) == 1


def test_an_exhibit_is_added_by_adding_a_file(tmp_path, monkeypatch):
    source = (
        "from experiments.exhibit import Exhibit, Line\n"
        "EXHIBIT = Exhibit('new-table-1', 'New', ('x',), [Line('y', (3.0,))], lambda: {'y': (3.0,)})\n"
    )
    (tmp_path / "new_table_1.py").write_text(source)
    monkeypatch.setattr(exhibits, "__path__", [*exhibits.__path__, str(tmp_path)])
    assert load_exhibits()["new-table-1"].title == "New"
    (judgement,) = reproduce(["new-table-1"], tmp_path / "out")
    assert judgement.verdict == EQUAL


def test_refusals(tmp_path, capsys):
    assert main(["reproduce", "wong-table-9.9", "--out", str(tmp_path)]) == 2
    assert (
        "unknown exhibit 'wong-table-9.9'; known: saha-table-1, saha-table-2, wong-fig-3.11" in capsys.readouterr().err
    )
    (tmp_path / "file").write_text("")
    assert main(["reproduce", "wong-table-5.5", "--out", str(tmp_path / "file")]) == 2
    assert "cannot use the folder" in capsys.readouterr().err


# The 1991 machine


def imported(path, seen):
    """Every module of the project that a file depends on."""
    for node in ast.walk(ast.parse(path.read_text())):
        names = [node.module] if isinstance(node, ast.ImportFrom) else []
        names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [f"{node.module}.{alias.name}" for alias in node.names] if isinstance(node, ast.ImportFrom) else []
        for name in names:
            file = ROOT / (name.replace(".", "/") + ".py")
            if file.exists() and file not in seen:
                seen.add(file)
                imported(file, seen)
    return seen


def test_the_prediction_does_not_know_what_was_measured():
    start = ROOT / "experiments" / "excavator_1991.py"
    files = imported(start, {start})
    assert ROOT / "meshsim" / "presets.py" in files
    assert not [path for path in files if "exhibit" in path.name or path.parent.name == "exhibits"]
    for path in files:
        numbers = [node.value for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Constant)]
        for measured in MEASURED.values():
            assert measured not in numbers, path
            assert measured < 1000 or measured / 1000 not in numbers, path  # in ms


def test_the_prediction():
    found = prediction()
    assert tuple(found) == LINES
    assert sum(found[name] for name in LINES[:4]) == pytest.approx(found["total, one processor"])
    assert found["speed-up"] == pytest.approx(found["total, one processor"] / found["total, mesh"])
    assert set(MEASURED) == set(LINES)


def test_every_unknown_moves_the_prediction():
    for unknown in unknowns():
        assert predict(unknown.machine, unknown.extra) != predict(PRESETS["t800-measured"]), unknown.instead
