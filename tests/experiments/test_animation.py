"""Animations: what a picture shows, and how long it is shown."""

import pytest
from PIL import Image

import meshsim as ms
from meshsim.experiments.figures.animation import FADED, OUTLINE, REST, Film, ticks_of


@pytest.fixture(scope="module")
def solved():
    return ms.solve("random:2:1", "feedforward-lu", "ideal")


def test_a_film_of_few_pictures_is_slow_and_rests_at_its_end(solved, tmp_path):
    solved.animate(tmp_path / "few.gif", 16)
    with Image.open(tmp_path / "few.gif") as film:
        lasts = []
        for number in range(film.n_frames):
            film.seek(number)
            lasts.append(film.info["duration"])
    assert lasts == [500] * 15 + [REST]


def test_a_picture_tells_who_computes_and_who_has_ended(solved):
    film = Film(solved.run, solved.title)
    cores = [core.node for core in solved.run.cores]
    for tick, computes, ended in ((0, {(1, 2)}, {(1, 1)}), (24, set(), set(cores))):
        film.show(tick, -1)
        states = dict(zip(cores, film.watch.states(tick), strict=True))
        assert {node for node, state in states.items() if state == "compute"} == computes
        assert film.clock.get_text().endswith(f"{len(computes)} of 5 compute")
        assert {node for node, name in zip(cores, film.names, strict=True) if name.get_color() == FADED} == ended
    assert FADED != OUTLINE


def test_rows_have_names_where_there_are_few(solved):
    axes = Film(solved.run, solved.title).figure.axes[-1]
    assert [text.get_text() for text in axes.get_yticklabels()] == ["(1,1)", "(1,2)", "(1,3)", "(2,2)", "(2,3)"]
    many = ms.run("puma600", "wong-mesh", "ideal")
    assert not Film(many.run, many.title).figure.axes[-1].get_yticklabels()


def test_ticks_are_spread_evenly(solved):
    assert ticks_of(solved.run, 3) == [0, 12, 24]
    assert ticks_of(solved.run, 1000) == list(range(25))
