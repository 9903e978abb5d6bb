"""Animations: each picture is a tick of the run."""

import gc
import shutil
import time
from itertools import pairwise

import matplotlib as mpl
import numpy as np
import pytest
from PIL import Image
from tools.command import call

import meshsim as ms
from meshsim.errors import MeshSimError
from meshsim.experiments.figures.animation import COLOURS, FADED, REST, Film, ticks_of
from meshsim.experiments.store import animations

pytestmark = pytest.mark.usefixtures("in_full")
SOLVE = ("solve", "feedforward-lu", "--system", "random:2:1", "--machine", "t800")


@pytest.fixture(scope="module")
def solved():
    return ms.solve("random:2:1", "feedforward-lu", "t800")


def test_ticks_are_spread_over_the_run(solved):
    assert ticks_of(solved.run, 10_000) == list(range(solved.run.ticks + 1))
    some = ticks_of(solved.run, 5)
    assert (some[0], some[-1], len(some)) == (0, solved.run.ticks, 5)


def test_a_picture_shows_what_processors_do_and_where_messages_are(solved):
    film = Film(solved.run, "title")
    for tick in ticks_of(solved.run, 6):
        film.show(tick, -1)
        wanted = [mpl.colors.to_rgba(COLOURS[state]) for state in film.watch.states(tick)]
        assert np.allclose(film.discs.get_facecolor(), wanted)
        assert f"tick {tick} of {solved.run.ticks}" in film.clock.get_text()
    messages = film.watch.columns.messages
    tick = int(messages.depart[0] + messages.arrive[0]) // 2
    film.show(tick, tick)
    way = (messages.depart <= tick) & (tick < messages.taken)
    assert len(film.dots.get_offsets()) == way.sum() > 0


def test_a_gif_of_so_many_pictures(solved, tmp_path):
    solved.animate(tmp_path / "run.gif", 7)
    with Image.open(tmp_path / "run.gif") as found:
        assert found.n_frames == 7
        shown = []
        for frame in range(7):
            found.seek(frame)
            shown.append(np.asarray(found.convert("RGB")))
    assert all((one != other).any() for one, other in pairwise(shown))


@pytest.mark.skipif(shutil.which("ffmpeg") is None, reason="ffmpeg is not installed: no mp4 is written")
def test_an_mp4(solved, tmp_path):
    solved.animate(tmp_path / "run.mp4", 5)
    assert (tmp_path / "run.mp4").stat().st_size > 1000


@pytest.fixture
def slow_ffmpeg(tmp_path, monkeypatch):
    """A program of that name which opens its file some time after it has had all pictures."""
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "ffmpeg"
    program.write_text('#!/bin/sh\ncat > /dev/null\nfor last; do :; done\nsleep 0.2\necho film > "$last"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")


@pytest.mark.usefixtures("slow_ffmpeg")
def test_an_mp4_is_handed_to_ffmpeg(solved, tmp_path):
    solved.animate(tmp_path / "out" / "run.mp4", 3)
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["run.mp4"]


@pytest.mark.usefixtures("slow_ffmpeg")
def test_an_interrupted_mp4_leaves_nothing_behind(solved, tmp_path, monkeypatch):
    def interrupted(film, ticks):
        yield pictures(film, ticks[:1]).__next__()
        raise KeyboardInterrupt

    pictures = Film.pictures
    monkeypatch.setattr(Film, "pictures", interrupted)
    with pytest.raises(KeyboardInterrupt):
        solved.animate(tmp_path / "out" / "run.mp4", 3)
    gc.collect()
    time.sleep(0.6)
    assert list((tmp_path / "out").iterdir()) == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--animate", "run.avi"), "an animation must end with .gif, .mp4, not 'run.avi'"),
        (("--animate", "run.mp4"), "an mp4 takes the program ffmpeg, which is not installed; run.gif does not"),
        (("--animate", "run.gif", "--frames", "1"), "frames must be 2 to 5000, not 1"),
        (("--animate", "run.gif", "--frames", "0"), "frames must be 2 to 5000, not 0"),
        (("--frames", "9"), "--frames must come with --animate, which it belongs to"),
    ],
)
def test_refusals_before_any_work(words, message, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(animations.shutil, "which", lambda _: None)
    status, out, err = call(capsys, *SOLVE, *words)
    assert (status, out) == (2, "")
    assert message in err
    assert list(tmp_path.iterdir()) == []


def test_an_animation_is_of_one_run():
    with pytest.raises(MeshSimError, match="an animation must be of one run, not of 2"):
        ms.explain("wong-mesh", "hwang", robot="chain:2:1", machine="t800").animate("x.gif")


# For those who see it for the first time


@pytest.fixture(scope="module")
def free():
    """On a machine whose messages cost nothing: 24 ticks."""
    return ms.solve("random:2:1", "feedforward-lu", "ideal")


def test_a_film_of_few_pictures_is_slow_and_rests_at_its_end(free, tmp_path):
    free.animate(tmp_path / "few.gif", 16)
    with Image.open(tmp_path / "few.gif") as film:
        lasts = []
        for number in range(film.n_frames):
            film.seek(number)
            lasts.append(film.info["duration"])
    assert lasts == [500] * 15 + [REST]


def test_a_picture_tells_who_computes_and_who_has_ended(free):
    film = Film(free.run, free.title)
    cores = [core.node for core in free.run.cores]
    for tick, computes, ended in ((0, {(1, 2)}, {(1, 1)}), (24, set(), set(cores))):
        film.show(tick, -1)
        states = dict(zip(cores, film.watch.states(tick), strict=True))
        assert {node for node, state in states.items() if state == "compute"} == computes
        assert film.clock.get_text().endswith(f"{len(computes)} of 5 compute")
        assert {node for node, name in zip(cores, film.names, strict=True) if name.get_color() == FADED} == ended


def test_rows_have_names_where_there_are_few(free):
    axes = Film(free.run, free.title).figure.axes[-1]
    assert [text.get_text() for text in axes.get_yticklabels()] == ["(1,1)", "(1,2)", "(1,3)", "(2,2)", "(2,3)"]
    many = ms.run("puma600", "wong-mesh", "ideal")
    assert not Film(many.run, many.title).figure.axes[-1].get_yticklabels()
