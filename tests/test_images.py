"""The pictures of the documents are what their commands make today."""

import importlib.util
import json
import re

import pytest
from tools.paths import ROOT


def make_images():
    """The script as a module: it stands beside the documents, not in the package."""
    spec = importlib.util.spec_from_file_location("make_images", ROOT / "docs" / "make_images.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


MADE = make_images()


def test_every_picture_is_made_by_a_command_and_shown():
    files = {path.name for path in MADE.IMAGES.iterdir()} - {MADE.SOURCES.name}
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("**/*.md")]
    shown = {name for page in pages for name in re.findall(r"images/([\w.-]+\.(?:png|gif))\)", page.read_text())}
    assert files == set(MADE.PICTURES) == shown == set(json.loads(MADE.SOURCES.read_text()))


@pytest.mark.parametrize("name", MADE.PICTURES)
@pytest.mark.usefixtures("forgotten")
def test_no_picture_is_stale(name):
    found = "; ".join(MADE.reasons(name))
    assert not found, f"docs/images/{name} is stale: {found}. `make images ONLY={name}` makes it anew"


def test_what_makes_a_picture_stale(tmp_path, monkeypatch):
    name = "puma600-t800.png"
    sources = json.loads(MADE.SOURCES.read_text())
    changes = {"command": "another", "drawing": "other", "probes": {"wong-mesh puma600 t800": 1}, "bytes": "none"}
    monkeypatch.setattr(MADE, "SOURCES", tmp_path / "sources.json")
    for key, value in changes.items():
        MADE.SOURCES.write_text(json.dumps({**sources, name: {**sources[name], key: value}}))
        assert len(MADE.reasons(name)) == 1, key
    MADE.SOURCES.write_text("{}")
    assert MADE.reasons(name) == ["it was never made by `make images`"]


def test_a_hash_knows_what_a_picture_is_drawn_by_and_nothing_else(monkeypatch):
    beyond, orders = (MADE.PICTURES[name] for name in ("beyond.png", "orders.png"))
    before = MADE.drawing_of(beyond), MADE.drawing_of(orders)
    compare = MADE._definitions("meshsim.experiments.figures.compare")
    monkeypatch.setitem(compare, "_draw_orders", compare["_draw_orders"] + "\nprint()")
    assert MADE.drawing_of(beyond) == before[0]
    assert MADE.drawing_of(orders) != before[1]
    axes = MADE._definitions("meshsim.experiments.figures.axes")
    monkeypatch.setitem(axes, "log_ticks", axes["log_ticks"] + "\nprint()")
    assert MADE.drawing_of(beyond) != before[0]


def test_an_unknown_picture_is_refused(capsys):
    assert MADE.main(["nothing.png"]) == 2
    assert capsys.readouterr().err.startswith("a picture must be one of 3rrr.png, ")


def test_animations_are_small():
    """So that a page loads at once, and the repository stays light."""
    for path in MADE.IMAGES.glob("*.gif"):
        assert path.stat().st_size < 400_000, path.name
