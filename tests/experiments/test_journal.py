"""The journal of long work: what a kill leaves is cut off, and the work goes on from there."""

import json

import pytest

from meshsim.experiments.store import journal
from meshsim.experiments.store.journal import open_journal

ROWS = {"a": {"x": "\u00fc"}, "b": {"x": 2}, "c": {"x": 3}}
LINES = [json.dumps([key, row], ensure_ascii=False) + "\n" for key, row in ROWS.items()]


@pytest.mark.parametrize(
    "rubbish", ["5\n", '["b", {"x"\n', '["b", 2]\n', "\n", "\u00e4\u00f6\u00fc\n", '["b", {"x": 2}]']
)
@pytest.mark.parametrize("rest", [[], LINES[1:]])
def test_from_rubbish_on_the_file_is_cut_off(rubbish, rest, tmp_path):
    rows = tmp_path / "rows.jsonl"
    with open_journal(tmp_path, {}):
        pass
    rows.write_text("".join([LINES[0], rubbish, *rest]), encoding="utf-8")
    with open_journal(tmp_path, {}) as journal:
        assert journal.rows == {"a": ROWS["a"]}
        for key in ("b", "c"):
            journal.add(key, ROWS[key])
    assert rows.read_text(encoding="utf-8") == "".join(LINES)
    with open_journal(tmp_path, {}) as journal:
        assert journal.rows == ROWS


def test_rows_that_nobody_owns_are_forgotten(tmp_path):
    """A kill between the making of the two files leaves no rows; some that are there are somebody else's."""
    (tmp_path / "rows.jsonl").write_text("".join(LINES), encoding="utf-8")
    with open_journal(tmp_path, {}) as journal:
        assert journal.rows == {}


def test_other_machines_are_other_code(tmp_path, monkeypatch):
    """Rows that were made with a preset are not mixed with those of another by the same name."""
    monkeypatch.setattr(journal, "PACKAGE", tmp_path)
    (tmp_path / "machines").mkdir()
    found = set()
    for text in ("", "mul = 1", "mul = 2"):
        (tmp_path / "machines" / "mine.toml").write_text(text)
        found.add(journal.code_hash())
    assert len(found) == 3
