"""Pictures tell schemes apart: by colour, and without it."""

from itertools import combinations

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.markers import MarkerStyle
from tools.pictures import defects

from meshsim.algorithms.schemes.catalogue import ONE_PROCESSOR, PARALLEL, SCHEMES
from meshsim.experiments.figures import sweep_maps, sweep_pareto
from meshsim.experiments.figures.axes import size_ticks
from meshsim.experiments.figures.motion import plot_curves
from meshsim.experiments.figures.styles import (
    SPARE,
    STYLES,
    coinciding,
    interleaved,
    series,
    spaced,
    style_of,
    styles_of,
)
from meshsim.experiments.studies.sweep_spec import read_sweep


def light(colour):
    """The relative luminance of a colour (WCAG 2.1)."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))


def test_every_scheme_of_the_catalogue_has_a_style_unlike_all_others():
    assert set(STYLES) == set(SCHEMES)
    for part in ("colour", "marker", "hatch"):
        found = [getattr(style, part) for style in (*STYLES.values(), *SPARE)]
        assert len(set(found)) == len(found), part
    for group in (PARALLEL, ONE_PROCESSOR):
        dashes = [style_of(scheme).dash for scheme in group]
        assert len(set(dashes)) == len(dashes)


def test_styles_can_be_drawn_and_seen_on_white():
    for style in (*STYLES.values(), *SPARE, *map(series, range(12))):
        assert len(style.colour) == 7
        assert 1.05 / (light(style.colour) + 0.05) > 2.0
        assert 1.05 / (light(style.tint) + 0.05) < 1.8  # and black letters on its areas
        assert MarkerStyle(style.line()["marker"]).get_path().vertices.size
        assert len(style.dash) % 2 == 0


def test_series_differ_without_colour():
    for first, second in combinations(range(12), 2):
        assert series(first).marker != series(second).marker


def test_variants_have_the_colour_of_their_scheme_and_users_schemes_none_of_ours():
    found = styles_of(["dca", "dca@form=mixed", "projection, qr, star", "mine", "other", "dca"])
    assert list(found) == ["dca", "dca@form=mixed", "projection, qr, star", "mine", "other"]
    assert found["dca"] == STYLES["dca"]
    assert found["projection, qr, star"] == STYLES["projection"]
    assert found["dca@form=mixed"].colour == STYLES["dca"].colour
    assert len({style.marker for style in found.values()}) == 5
    many = styles_of([f"{scheme}@option={place}" for scheme in ("dca", "cfa") for place in range(9)])
    assert len({style.marker for style in many.values()}) == 18
    assert found["mine"] in SPARE
    assert style_of("mine") in SPARE
    assert style_of("mine") == style_of("mine")


def test_curves_that_look_like_one_are_found():
    t = np.linspace(0.0, 1.0, 50)
    curves = [t, t**2, t + 1e-4, t**2 + 0.5, np.full(50, np.nan)]
    assert coinciding(curves) == [[0, 2]]
    assert set(interleaved(curves)) == {0, 2}
    (first, on), (second, off) = interleaved(curves).values()
    assert on == off
    assert second - first == on[0]  # where one has its gap the other has its dash
    assert coinciding([]) == []


@pytest.mark.parametrize(("count", "samples"), [(6, 21), (3, 1000), (8, 7), (1, 5), (14, 40)])
def test_markers_stand_apart(count, samples):
    places = [set(range(samples)[slice(*_slice(number, count, samples))]) for number in range(count)]
    assert all(places)
    if samples >= count:
        assert not any(first & second for first, second in combinations(places, 2))


def _slice(number, count, samples):
    start, every = spaced(number, count, samples)
    return start, None, every


def test_six_joints_that_move_alike_are_seen_to_be_six():
    axes = Figure().subplots()
    t = np.linspace(0.0, 1.0, 30)
    plot_curves(axes, t, [t] * 6, range(6), 6)
    assert len({line.get_marker() for line in axes.lines}) == 6
    assert len({line._dash_pattern[0] for line in axes.lines}) == 6


@pytest.mark.parametrize(
    ("sizes", "ticks"), [([7], ["7"]), ([2, 3, 4, 16], ["2", "3", "4", "16"]), ([2, 3, 256], ["2", "256"])]
)
def test_ticks_stand_at_what_was_computed(sizes, ticks):
    axes = Figure().subplots()
    size_ticks(axes, sizes)
    assert [label.get_text() for label in axes.get_xticklabels()] == ticks


# Sweeps with eight schemes

EIGHT = ["wong-mesh", "lee-chang", "amin-javaheri", "fijany-bejczy", "hwang", "triangle", "dca", "one-featherstone"]
COUNTS = [28, 39, 39, 54, 39, 27, 6, 1]


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    """The pictures of a sweep in which each of eight schemes is the fastest somewhere, by name."""
    folder = tmp_path_factory.mktemp("eight")
    spec = folder / "eight.toml"
    spec.write_text(f"schemes = {EIGHT}\nn = [4, 5, 6]\n[grid]\nstartup = [0, 40, 80, 120]\nper_word = [0, 10, 20]\n")
    sweep = read_sweep(spec)
    rows = [
        {"scheme": scheme, "robot": f"chain:{n}:1", "n": n, "startup": a, "per_word": b, "processors": COUNTS[k],
         "time_us": 100.0 + n + abs(a - 40 * (k % 4)) + 2 * abs(b - 20 * (k // 4))}
        for k, scheme in enumerate(EIGHT) for n in (4, 5, 6) for a in sweep.grid["startup"] for b in (0, 10, 20)
    ]  # fmt: skip
    found = {}
    with pytest.MonkeyPatch.context() as patch:
        for module in (sweep_maps, sweep_pareto):
            patch.setattr(module, "save_figure", lambda figure, path: found.setdefault(path.name, figure))
        columns = {name: np.array([row[name] for row in rows]) for name in sweep_maps.drawn_of(sweep)}
        sweep_maps.draw_maps(columns, sweep, folder)
    return found


@pytest.mark.usefixtures("in_full")
def test_maps_of_eight_schemes(drawn):
    figure = drawn["winners.png"]
    (legend,) = figure.legends
    assert {text.get_text() for text in legend.get_texts()} == set(EIGHT)
    looks = {(patch.get_facecolor(), patch.get_hatch()) for patch in legend.get_patches()}
    assert len(looks) == 8
    for name in ("winners.png", "time.png", "pareto.png"):
        assert defects(drawn[name]) == []
        (legend,) = drawn[name].legends
        box, page = legend.get_window_extent(), drawn[name].bbox
        assert page.x0 <= box.x0 < box.x1 <= page.x1, name
        assert page.y0 <= box.y0 < box.y1 <= page.y1, name


def test_pareto_pictures_label_every_number_of_processors_and_tell_of_lines_that_there_are(drawn):
    figure = drawn["pareto.png"]
    labels = [text.get_text().strip() for text in figure.axes[0].get_xticklabels()]
    assert labels == ["1", "6", "27", "28", "39", "54"]
    steps = [line for line in figure.axes[0].lines if line.get_drawstyle() == "steps-post"]
    told = [text.get_text() for text in figure.legends[0].get_texts()]
    assert bool(steps) == ("beaten in neither" in told)


def test_pictures_say_which_cost_is_held(drawn):
    assert "word held at 1 us" in drawn["crossover.png"].axes[0].get_title()
    assert "word held at 1 us" in drawn["time.png"].get_suptitle()
