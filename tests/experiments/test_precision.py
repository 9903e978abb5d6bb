"""Number formats on the command line and in Python: digits, words, tables, refusals."""

import csv
import json

import pytest
from tools.command import call, run_json

import meshsim as ms
from meshsim.algorithms.schemes.catalogue import LOGARITHMIC
from meshsim.algorithms.schemes.takers import takers
from meshsim.experiments.front.resolve import format_of
from meshsim.experiments.studies.baseline import subject
from meshsim.formats import load_format

T800 = ("--robot", "puma600", "--machine", "t800")
FORMATS = {"double": 14.0, "single": 5.5, "half": 1.5, "bfloat16": 0.5, "fixed:20.30": 6.0}
"""At least so many digits of chain:4:1: those of the format's unit, less two to three for the condition of M."""
INVERTED = {*LOGARITHMIC}
LESS = 1.5
"""So many digits fewer where inertias are inverted: docs/findings.md has why."""


def said(capsys, *words, status=0):
    """What a command prints, or its error."""
    found, out, error = call(capsys, *words, "--quiet")
    assert found == status
    return error if status else out


@pytest.mark.sampled(2)
@pytest.mark.parametrize("scheme", [each.name for each in takers(subject("chain:4:1")[0])])
@pytest.mark.parametrize("name", FORMATS)
def test_every_scheme_computes_in_every_format(scheme, name):
    own = ms.run("chain:4:1", scheme, "t800", precision=name, trace=False)
    assert min(own.digits.values()) > FORMATS[name] - LESS * (scheme in INVERTED)
    placed = ms.run("chain:4:1", scheme, "t800", precision=name, trace=False, network="ring:3", placement="blocks")
    assert placed.value.qdd.tobytes() == own.value.qdd.tobytes()
    assert placed.run.words == own.run.words
    plain = ms.run("chain:4:1", scheme, "t800", trace=False)
    assert (plain.value.qdd.tobytes() == own.value.qdd.tobytes()) == (name == "double")
    if name == "single":  # on a machine of 32 bits a number is a word either way
        assert (own.ticks, own.run.words) == (plain.ticks, plain.run.words)
    if name == "double":
        assert own.run.words == 2 * plain.run.words


def test_a_run_tells_its_format_and_digits(capsys):
    found = run_json(capsys, "run", "wong-mesh", *T800, "--precision", "single")
    assert found["precision"] == "single"
    assert set(found["digits"]) == {"M", "h", "qdd"}
    assert 6.0 < min(found["digits"].values()) < 8.0
    assert "precision" not in run_json(capsys, "run", "wong-mesh", *T800)
    text = said(capsys, "run", "wong-mesh", *T800, "--precision", "half")
    assert (
        "\ncomputed in half, numbers of 16 bits in words of 32; decimal digits as a dense solver's in double: M "
        in text
    )
    alone = said(capsys, "run", "one-wong", *T800, "--precision", "half")
    assert "\ncomputed in half; decimal digits" in alone


def test_sensitivities_and_the_best_order_in_a_format():
    plain, double = (ms.run("chain:3:1", "wong-mesh", "t800", precision=name) for name in (None, "double"))
    assert double.slopes["per_word"].up > plain.slopes["per_word"].up
    best = ms.run("chain:3:1", "wong-mesh", "t800", precision="single", order="best")
    assert best.value.qdd.tobytes() == ms.run("chain:3:1", "wong-mesh", "t800", precision="single").value.qdd.tobytes()


def test_solve_and_inverse(capsys, tmp_path):
    solved = run_json(capsys, "solve", "faddeev", "--system", "random:4:1", "--machine", "t800", "--precision", "half")
    assert 2.0 < solved["digits"]["x"] < 5.0
    words = (
        "inverse",
        "wong-mesh",
        "--robot",
        "stanford",
        "--machine",
        "t800",
        "--samples",
        "3",
        "--precision",
        "single",
    )
    found = run_json(capsys, *words, "--out", str(tmp_path / "out"), "--quiet")
    assert 5.5 < found["digits"]["tau"] < 8.0
    assert found["precision"] == "single"


def test_compare_writes_digits_and_goes_on(capsys, tmp_path, monkeypatch):
    words = ("compare", "--schemes", "wong-mesh,one-wong", "--n", "2,3", "--machine", "t800", "--try", "default")
    words = (*words, "--precision", "single,fixed:4.20", "--jobs", "1", "--out", str(tmp_path / "out"))
    text = said(capsys, *words)
    assert "digits of qdd in single, on t800\n" in text
    assert "wong-mesh in fixed:4.20, t800: fixed:4.20 must be wide enough for every number, not overflow: " in text
    assert (tmp_path / "out" / "precision.png").exists()
    with open(tmp_path / "out" / "compare.csv") as file:
        rows = list(csv.DictReader(file))
    assert {(row["scheme"], row["n"], row["precision"]) for row in rows} >= {("wong-mesh", "3", "single")}
    assert all(float(row["digits_qdd"]) > 5.0 for row in rows if row["precision"] == "single")
    monkeypatch.setattr("meshsim.experiments.studies.compare.evaluate", None)  # all is in the journal
    assert said(capsys, *words) == text


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("run", "wong-mesh", *T800, "--precision", "quad"), "number format must be double, single, half, bfloat16 or"),
        (("run", "wong-mesh", *T800, "--precision", "fixed:0.0"), "format fixed:I.F must have I >= 1 bits before"),
        (("run", "wong-mesh", *T800, "--precision", "fixed:60.60"), "format fixed:I.F must have I >= 1 bits before"),
        (("run", "wong-mesh", *T800, "--precision", "fixed:3.20"), "fixed:3.20 must be wide enough for every number"),
        (("compare", "--n", "2", "--precision", "half", "--networks", "ring:3"), "number formats must be compared on"),
    ],
)
def test_refusals(capsys, words, why, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    error = said(capsys, *words, status=2)
    assert error.startswith(f"meshsim: error: {why}")
    assert error.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_what_a_format_may_be_in_python(tmp_path):
    with pytest.raises(ms.MeshSimError, match=r"^number formats of a comparison must be different, not half twice$"):
        ms.compare(n=[2], precision=["half", "half"], out=tmp_path)
    assert format_of(None) is None
    assert format_of(load_format("half")) is format_of("half")
    assert (
        json.loads(json.dumps(ms.run("puma600", "one-wong", "t800", precision="half").to_dict()))["precision"] == "half"
    )
