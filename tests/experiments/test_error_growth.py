"""`meshsim accuracy`: errors against decimals, options of schemes, refusals, resuming."""

import csv
import math
from decimal import Decimal

import pytest
from tools.command import call, run_json

import meshsim as ms
from meshsim.errors import MeshSimError
from meshsim.experiments.studies.error_growth import Point, error_of, evaluate, named, sized

FEW = ("--n", "4,8", "--schemes", "one-featherstone,lee-chang", "--systems", "coil:N,dill:N", "--jobs", "1")


def study(capsys, folder, *words):
    return run_json(capsys, "accuracy", *words, "--quiet", "--out", str(folder))


def test_a_table_a_figure_and_refusals(capsys, tmp_path):
    found = study(capsys, tmp_path / "out", *FEW)
    assert len(found["rows"]) == 12  # a dill of more than two joints has branches, which lee-chang does not take
    assert {row["scheme"] for row in found["refused"]} == {"lee-chang"}
    assert found["remarks"][-1] == "dill:N: lee-chang takes no branching joints, and joint 'joint3' of dill:N is one"
    with open(found["table"], newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [float(row["error"]) for row in rows] == [row["error"] for row in found["rows"]]
    for row in found["rows"]:
        assert row["error"] < {"double": 1e-14, "single": 1e-5}[row["precision"]]
    assert (tmp_path / "out" / "accuracy.png").exists()


def test_text_and_resuming(capsys, tmp_path):
    out = ("--out", str(tmp_path / "out"))
    status, text, _ = call(capsys, "accuracy", *FEW, *out)
    assert status == 0
    assert "error of qdd in single, coil:N\n" in text
    status, again, told = call(capsys, "accuracy", *FEW, *out)
    assert (status, again) == (0, text)
    assert "accuracy: 16 of 16 were finished before" in told
    assert call(capsys, "accuracy", *FEW[2:], "--n", "4", *out)[0] == 2  # which is other work
    assert call(capsys, "accuracy", *FEW[2:], "--n", "4", *out, "--force")[0] == 0


def test_options_of_a_scheme(tmp_path):
    names = ["one-featherstone", "one-featherstone@bias=inverse"]
    report = ms.accuracy(names, ["coil:N"], [8], ["single"], out=tmp_path / "out", jobs=1)
    first, second = report.rows()
    assert (first["options"], second["options"]) == ("", "bias=inverse")
    assert first["error"] != second["error"]
    assert named("hwang@solver=faddeev;a=b") == ("hwang", {"solver": "faddeev", "a": "b"})


WRONG = [
    (("--schemes", "one-bae@"), "options of a scheme must be NAME@KEY=VALUE;KEY=VALUE, each once, not 'one-bae@'"),
    (("--schemes", "one-featherstone@bias=up"), "option bias of one-featherstone must be inside or inverse"),
    (("--schemes", "nobody"), "unknown scheme 'nobody'; known: "),
    (
        ("--systems", "coil:4"),
        "a system must be a robot with N for its size, such as coil:N or chain:N:1, not 'coil:4'",
    ),
    (("--precision", "quad"), "number format must be double"),
    (("--systems", "dill:N", "--n", "3", "--schemes", "one-bae"), "no scheme is left: dill:N: a dill must have"),
]


@pytest.mark.parametrize(("words", "why"), WRONG)
def test_mistakes_are_one_line(capsys, tmp_path, words, why):
    status, out, error = call(capsys, "accuracy", *words, "--quiet", "--jobs", "1", "--out", str(tmp_path / "out"))
    assert (status, out) == (2, "")
    assert error.startswith(f"meshsim: error: {why}")
    assert error.count("\n") == 1


def test_errors():
    assert sized("chain:N:1", 7) == "chain:7:1"
    assert error_of([1.0, -3.5], [Decimal(1), Decimal(-4)]) == 0.125
    assert math.isnan(error_of([math.inf], [Decimal(1)]))
    assert math.isnan(error_of([0.0], [Decimal(0)]))
    with pytest.raises(MeshSimError):
        sized("N:N", 3)


def test_a_format_that_is_too_narrow_is_told():
    row = evaluate(Point("straight:N", 32, "one-bae", "half"))
    assert row["case"] == "one-bae straight:32 in half"
    assert row["refused"] == "the matrix must be positive definite, and its leading minor of order 3 is not"


@pytest.mark.parametrize("system", ["chain:N:1", "straight:N", "coil:N", "coil:N:thin", "dill:N"])
def test_articulated_bodies_keep_their_digits(system):
    for precision, most in (("double", 2e-14), ("single", 1e-5)):
        assert evaluate(Point(system, 64, "one-featherstone", precision))["error"] < most
    assert evaluate(Point(system, 64, "one-bae", "double"))["error"] > 1e-14  # which forms and solves M
