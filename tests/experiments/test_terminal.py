"""What `meshsim run` and `solve` print: a verdict, pictures of characters, and tables, as wide as the page is."""

import io
import sys
from dataclasses import replace

import numpy as np
import pytest

import meshsim as ms
from meshsim.experiments.reports.phase_bars import _computes, _in_phases, mean_number, timeline
from meshsim.experiments.reports.slopes import slope_lines
from meshsim.experiments.reports.terminal import ASCII, BLOCKS, bars, columns, percent, shortened, wrapped
from meshsim.sensitivity import Slope

FREE = replace(
    ms.load_machine("ideal"), operations=dict.fromkeys(("mul", "add", "div", "sqrt", "sincos"), 0), name="nothing"
)


def mesh(machine="t800", robot="chain:3:1", **more):
    return ms.run(robot, "wong-mesh", machine, **more)


def test_how_many_there_are_between_edges():
    edges = np.array([0.0, 2.0, 4.0, 8.0, 9.0])
    assert mean_number([(0, 4), (2, 6)], edges).tolist() == [1.0, 2.0, 0.5, 0.0]
    assert mean_number([(1, 2)], np.array([0.0, 1.5, 3.0])).tolist() == pytest.approx([1 / 3, 1 / 3])
    assert mean_number([], edges).tolist() == [0.0] * 4


@pytest.mark.parametrize("where", [{}, {"network": "square-mesh:2x2"}])
def test_the_mean_of_what_is_drawn_is_the_utilisation(where):
    run = mesh(**where).run
    drawn = mean_number(list(_computes(run)), np.linspace(0, run.ticks, 38))
    assert drawn.mean() / run.processors == pytest.approx(run.utilisation, rel=1e-12)


def test_a_program_is_in_a_phase_since_its_mark_before():
    report = mesh()
    run = report.run
    found = _in_phases(run, list(report.phases))
    marks = run.marks[0, 1]
    assert (marks["force"], marks["shift"]) in found["shift"]
    assert (0, marks["force"]) in found["force"]  # what is marked before that is no phase of a step
    assert {name: max(end for _, end in stretches) for name, stretches in found.items()} == report.phases


def test_bars_show_what_is_more_than_nothing(monkeypatch):
    assert bars([0, 1e-6, 0.5, 1]) == " ▁▄█"
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="ascii"))
    assert bars([0, 1e-6, 0.5, 1]) == " .=@"
    assert len(ASCII) == len(BLOCKS)
    assert mesh().as_text().isascii()


def test_a_picture_by_hand(monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    report = ms.run("puma600", "one-bae", "t800")
    lines = timeline(report.run, report.phases)
    assert lines[0].startswith("inertia       ████")
    assert lines[-4] == "computing     " + 46 * "█"
    assert lines[-3] == " " * 14 + "0" + "1748.0 us".rjust(45)
    assert not any(line.startswith("distribute") for line in lines)  # which takes no time on one processor


@pytest.mark.parametrize("width", [60, 80, 160])
def test_all_lines_fit(width, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(width))
    reports = [
        mesh("ideal"),
        mesh(network="square-mesh:2x2", precision="half"),
        mesh("t800-measured", "excavator"),
        ms.run("3rrr", "denoc", "t800", layout="star"),
        ms.run("torso", "one-wong", "t800"),
        ms.solve("random:4:1", "feedforward-lu", "t800"),
    ]
    for report in reports:
        lines = report.as_text().splitlines()
        assert max(map(len, lines)) <= width, report
        assert any(line.startswith("computing ") and len(line) > width - 20 for line in lines), report


def test_a_narrow_page_shortens_names(monkeypatch):
    monkeypatch.setenv("COLUMNS", "30")  # and is 60 wide nevertheless
    rows = [("joint", "h"), ("a_joint_with_" + 60 * "x" + "_its_end", "1.5")]
    lines = columns(rows)
    assert [len(line) for line in lines] == [60, 60]
    assert lines[1].startswith("a_joint_with_xx")
    assert lines[1].endswith("xx_its_end 1.5")
    assert shortened("left_shoulder", 9) == "left..der"
    assert wrapped([58 * "x" + " 100 % of it", "one"]) == [58 * "x", "  100 % of it", "one"]


def test_shares_in_print():
    assert [percent(share) for share in (0, 0.001, 0.31, 0.999, 1)] == [
        "0 %",
        "under 1 %",
        "31 %",
        "over 99 %",
        "100 %",
    ]


def test_verdicts():
    first = [
        report.as_text().replace("\n  ", " ").splitlines()[0]
        for report in (
            mesh(FREE),
            mesh(network="square-mesh:4x4", placement="blocks"),
            mesh(network="pipeline:1"),
            ms.solve("random:1:1", "feedforward-lu", "ideal", trace=False),
        )
    ]
    assert first[0] == "wong-mesh computes chain:3:1 in no time on 10 nothing processors."
    assert first[1].startswith("wong-mesh computes chain:3:1 in ")
    assert " us on 16 t800 processors of square-mesh(4, 4), 6 of them without a program, " in first[1]
    assert " us on one t800 processor of pipeline(1), " in first[2]
    assert " sharing of processors." in first[2]
    assert first[3].startswith("feedforward-lu solves for 1 unknown in ")
    assert first[3].endswith(" % busy.")


def test_a_run_of_no_time_has_no_picture():
    text = mesh(FREE).as_text()
    assert "computing" not in text
    assert "one more" not in text


def test_sensitivities_in_plain_words():
    run = mesh().run
    found = {"mul": Slope(7, 5, 2, 90), "startup": Slope(3, 3, 0, None), "receive": Slope(4, None, 0, 6)}
    lines = slope_lines(run, found)
    assert lines[-4:] == [
        "cost                   now  one more  one less  while it is",
        "multiply                10        +7        -5      2 to 90",
        "start-up of a message   51        +3        -3    0 or more",
        "receipt of a message     0        +4                 0 to 6",
    ]
    assert lines[0].startswith("how often the critical path pays each cost: multiply ")


def test_kernels_with_prices_of_their_own_stand_apart():
    text = "\n".join(slope_lines(mesh("t800-measured").run, {}))
    assert "\nkernels with a price of their own on it: " in text
    assert " axpy " in text
