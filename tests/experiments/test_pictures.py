"""Pictures of every command, of little and of much, of long and odd names: nothing is cut, hidden or unnamed."""

from itertools import combinations

import numpy as np
import pytest
from matplotlib.figure import Figure
from tools.command import call
from tools.pictures import defects, texts_of

from meshsim.experiments.figures.axes import count_ticks, log_ticks
from meshsim.experiments.figures.gantt import KINDS
from meshsim.experiments.figures.lettering import columns_of, head, legend_below, panel_title, width_of, wrapped
from meshsim.experiments.figures.saving import save_figure

ROBOT = r"""
name = "a_robot_with_a_name_of_sixty_letters_$\\q$_and_so_on_and_on"
[[body]]
name = "slider_$\\q$"
joint = "the_first_joint_$\\q$_which_has_a_long_name"
kind = "prismatic"
axis = [1, 0, 0]
mass = 20
inertia = [2, 2.5, 3]
[[body]]
name = "arm"
parent = "slider_$\\q$"
joint = "$\\q$"
axis = [0, 1, 0]
position = [0, 0, 0.5]
mass = 5
com = [0.3, 0, 0]
inertia = [0.1, 0.1, 0.1]
[[body]]
name = "hand"
parent = "arm"
joint = "_hidden_label_$x$"
axis = [0, 1, 0]
position = [0.6, 0, 0]
mass = 3
com = [0.2, 0, 0]
inertia = [0.1, 0.1, 0.1]
"""
MACHINE = """
import dataclasses

import meshsim as ms

ODD = dataclasses.replace(ms.load_machine("t800"), name="my_machine_with_a_very_long_name_$q{$_<script>_and_more")
"""
SWEEP = """
schemes = ["wong-mesh", "one-wong"]
robots = ["robot.toml"]
machine = "machine.py:ODD"
[grid]
startup = [0, 51, 100]
per_word = [5, 10]
"""
COMMANDS = {
    "run": "run wong-mesh --robot ROBOT --machine MACHINE --gantt OUT/run.png",
    "run: one processor": "run one-wong --robot chain:1:1 --machine t800 --gantt OUT/run.png",
    "solve: one unknown": "solve feedforward-lu --system random:1:1 --machine t800 --gantt OUT/solve.png",
    "explain": "explain wong-mesh hwang --robot ROBOT --machine MACHINE --gantt OUT/explain.png",
    "solvers: no errors": "solvers --n 1 --figure OUT/solvers.png",
    "place": "place wong-mesh --robot ROBOT --machine MACHINE --network ring:4 --no-run --picture OUT/place.png",
    "place: own": "place wong-mesh --robot chain:10:1 --machine t800 --no-run --picture OUT/place.png",
    "place: one": "place one-wong --robot chain:2:1 --machine t800 --no-run --picture OUT/place.png",
    "place: stages": "place wong-mesh --robot chain:3:1 --machine t800 --network omega:8 --no-run --picture OUT/a.png",
    "simulate": "simulate one-featherstone --robot ROBOT --machine MACHINE --profile cycloid:0.1 --step 0.02 --out OUT",
    "simulate: rounding": "simulate one-featherstone --robot docs/examples/crane.toml --machine t800 --duration 60ms "
    "--step 0.02 --out OUT",
    "simulate: many joints": "simulate one-featherstone --robot coil:14 --machine t800 --profile cycloid:1 --step 0.01 "
    "--duration 40ms --out OUT",
    "inverse": "inverse one-saha --robot ROBOT --machine MACHINE --profile cycloid:1 --samples 5 --out OUT",
    "best": "best --robot ROBOT --machine MACHINE --schemes one-wong,one-saha --deadline 1s --out OUT --jobs 1",
    "best: energy": "best --robot puma600 --machine raw --schemes one-bae,one-featherstone,one-wong --out OUT --jobs 1",
    "compare: n = 1": "compare --n 1 --schemes wong-mesh --machine MACHINE --out OUT --jobs 1",
    "compare: n = 7": "compare --n 7 --schemes wong-mesh,triangle,one-wong --machine t800 --out OUT --jobs 1",
    "compare: robots": "compare --robots ROBOT --schemes wong-mesh,one-wong --machine MACHINE,raw --out OUT --jobs 1",
    "compare: networks": "compare --robots ROBOT --schemes wong-mesh --networks ring:4 --machine MACHINE --out OUT "
    "--jobs 1",
    "compare: processors": "compare --robots ROBOT --schemes wong-mesh,one-wong --networks ring --processors 1,2 "
    "--machine MACHINE --out OUT --jobs 1",
    "compare: formats": "compare --n 1,2 --schemes one-wong --machine MACHINE --precision single,half --out OUT "
    "--jobs 1",
    "compare: orders": "compare --orders --n 2 --schemes wong-mesh --machine MACHINE --out OUT --jobs 1",
    "accuracy": "accuracy --schemes one-featherstone,one-bae,one-saha,one-wong,one-angeles,one-walker-orin,dca,"
    "scan,cfa --systems coil:N --n 2,4 --out OUT --jobs 1",
    "sweep": "sweep SPEC --out OUT --jobs 1",
    "stream": "stream one-wong --robot ROBOT --machine MACHINE --evaluations 8 --out OUT --jobs 1",
}


@pytest.fixture
def drawn(monkeypatch):
    """The figures that were saved, looked at before they are."""
    found = {}

    def look(figure, path, **_):
        found[path.name] = defects(figure)
        path.touch()

    monkeypatch.setattr(Figure, "savefig", look)
    return found


@pytest.mark.usefixtures("forgotten", "in_full")
@pytest.mark.parametrize("name", COMMANDS)
def test_no_picture_has_a_defect(capsys, tmp_path, drawn, name):
    robot, machine, out = tmp_path / "robot.toml", tmp_path / "machine.py", tmp_path / "out"
    robot.write_text(ROBOT)
    machine.write_text(MACHINE)
    out.mkdir()
    spec = tmp_path / "spec.toml"
    spec.write_text(SWEEP)
    words = COMMANDS[name].replace("ROBOT", str(robot)).replace("MACHINE", f"{machine}:ODD").replace("OUT", str(out))
    words = words.replace("SPEC", str(spec))
    status, _, err = call(capsys, *words.split())
    assert status == 0, err
    assert drawn
    assert {file: told for file, told in drawn.items() if told} == {}


# Legends and titles


def test_titles_take_as_many_lines_as_they_need():
    assert wrapped("short", 5.0, 10.0) == "short"
    told = wrapped("two words, one_of_which_is_a_long_name", 1.5, 10.0).split("\n")
    assert "".join(told).replace(" ", "") == "twowords,one_of_which_is_a_long_name"
    assert all(width_of(line, 10.0) <= 1.5 for line in told)
    assert told[1].endswith("_")
    assert wrapped("x" * 40, 1.0, 10.0).replace("\n", "") == "x" * 40
    assert wrapped("a\nb", 5.0, 10.0) == "a\nb"


@pytest.mark.usefixtures("in_full")
def test_a_figure_grows_for_a_long_title_and_a_long_legend():
    figure = Figure(figsize=(5.0, 3.0), layout="constrained")
    axes = figure.subplots()
    lines = [axes.plot([0, 1], [0, place])[0] for place in range(30)]
    axes.set(xlabel="x", ylabel="y")
    head(figure, "a long title " * 12)
    panel_title(axes, "of a panel " * 12)
    higher = figure.get_figheight()
    assert higher > 3.0
    legend_below(figure, {f"_joint_{place}$\\q$": line for place, line in enumerate(lines)}, "a note", most=6)
    assert figure.get_figheight() > higher + 1.0
    assert defects(figure) == []
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == [f"_joint_{place}$\\q$" for place in range(30)]


def test_columns_are_as_many_as_fit():
    assert columns_of([1.0] * 6, 10.0, 4) == 4
    assert columns_of([1.0] * 6, 2.5, 4) == 2
    assert columns_of([9.0, 1.0, 1.0], 5.0, 4) == 1
    assert columns_of([1.0], 5.0, 4) == 1


@pytest.mark.usefixtures("in_full")
def test_names_are_no_formulas_and_powers_of_ten_are(tmp_path):
    figure = Figure()
    axes = figure.subplots()
    axes.semilogy([1, 2], [1e-9, 1.0])
    axes.set_xticks([1, 2], ["$\\q$", "_{$"])
    axes.text(1.5, 1e-3, "$\\alpha$ and $\\q$")
    save_figure(figure, tmp_path / "odd.png")
    assert {text.get_text(): text.get_parse_math() for text in texts_of(figure)}["$\\q$"] is False
    assert all(tick.label1.get_parse_math() for tick in axes.yaxis.get_major_ticks())


# Ticks and greys


@pytest.mark.parametrize("limits", [(0.09, 0.19), (0.8, 1.1), (4.5, 9.0), (1.0, 1e4), (2.0, 2.3)])
def test_a_logarithmic_axis_has_three_labels_at_least(limits):
    axes = Figure().subplots()
    axes.set_yscale("log")
    axes.set_ylim(*limits)
    log_ticks(axes.yaxis)
    shown = [tick for tick in axes.yaxis.get_majorticklocs() if limits[0] <= tick <= limits[1]]
    assert len(shown) >= 3


def test_counts_have_whole_ticks():
    axes = Figure().subplots()
    axes.set_xscale("log")
    axes.plot([1, 6], [1, 1])
    count_ticks(axes.xaxis, [1, 3, 6, 3])
    assert [label.get_text() for label in axes.get_xticklabels()] == ["1", "3", "6"]


def test_what_processors_do_differs_in_grey():
    parts = {kind: [int(colour[place : place + 2], 16) for place in (1, 3, 5)] for kind, colour in KINDS.items()}
    greys = {kind: float(np.dot([0.299, 0.587, 0.114], part)) for kind, part in parts.items()} | {"ended": 255.0}
    for first, second in combinations(greys, 2):
        assert abs(greys[first] - greys[second]) > 20, (first, second)
