"""Energy as commands tell it: the run's own, in every table."""

import csv
import json

import pytest
from tools.sweeps import spec, table

import meshsim as ms
from meshsim.experiments.cli.main import main
from meshsim.experiments.figures.energy import draw_energy

CHIP = "versal-ai-engine"


def test_a_run_tells_it(capsys):
    report = ms.run("chain:3:1", "wong-mesh", CHIP)
    parts = {part: float(pj) for part, pj in report.energy.parts.items()}
    assert report.to_dict()["energy_pj"] == {"total": report.energy.picojoules, **parts}
    assert report.rows()[0]["energy_nj"] == report.energy.nanojoules > 0
    (line,) = [line for line in report.as_text().splitlines() if line.startswith("energy")]
    assert line.startswith(f"energy: {report.energy.nanojoules:.4g} nJ (operations ")
    assert "words" in line
    alone = ms.run("chain:3:1", "one-wong", CHIP).energy
    assert alone.words == alone.messages == 0
    assert main(["solve", "feedforward-lu", "--system", "random:3:1", "--machine", CHIP, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["energy_pj"]["total"] > 0


def test_without_prices_nothing_is_told():
    report = ms.run("chain:2:1", "one-wong", "t800")
    assert (report.energy, report.to_dict()["energy_pj"], report.rows()[0]["energy_nj"]) == (None, None, None)
    assert "energy" not in report.as_text()


def test_a_comparison_has_a_column_and_a_picture(tmp_path):
    words = ("--n", "2", "--try", "default", "--jobs", "1", "--schemes", "wong-mesh,one-wong")
    assert main(["compare", "--machine", f"{CHIP},t800", *words, "--out", str(tmp_path / "new")]) == 0
    for row in csv.DictReader((tmp_path / "new" / "compare.csv").read_text().splitlines()):
        energy = ms.run("chain:2:1", row["scheme"], row["machine"]).energy
        assert row["energy_nj"] == ("" if energy is None else str(energy.nanojoules))
    assert (tmp_path / "new" / "energy.png").exists()
    assert main(["compare", "--machine", "t800", *words, "--out", str(tmp_path / "old")]) == 0
    assert not (tmp_path / "old" / "energy.png").exists()


@pytest.mark.usefixtures("in_full")
def test_the_picture(tmp_path):
    """A panel for the machine whose energy is known, and all its rows in it."""
    row = {"label": "wong-mesh", "robot": "chain:3:1", "machine": CHIP, "time_us": 1.0, "energy_nj": 20.0}
    rows = [row, {**row, "label": "mine", "time_us": 5.0}, {**row, "machine": "t800", "energy_nj": None}]
    machines = [ms.load_machine(name) for name in ("t800", CHIP)]
    (path,) = draw_energy(rows, machines, tmp_path)
    assert path.read_bytes().startswith(b"\x89PNG")
    assert draw_energy(rows[2:], machines, tmp_path) == []


SPEC = f"""schemes = ["wong-mesh", "one-wong"]
n = [3]
machine = "{CHIP}"
[grid]
mul = [1, 5]
hop = [4]
"""


PLACED = 'network = "square-mesh:4x4"\nplacement = "blocks"\nfallback = "simulate"\n'


@pytest.mark.parametrize("where", ["", PLACED], ids=["own", "placed"])
def test_a_sweep_has_the_energy_of_the_runs(where, tmp_path):
    path = spec(tmp_path, where + SPEC)
    assert main(["sweep", str(path), "--out", str(tmp_path / "out"), "--jobs", "1"]) == 0
    for row in table(tmp_path / "out"):
        chip = ms.load_machine(CHIP)
        machine = ms.Machine(**{**chip.as_dict(), "operations": {**chip.operations, "mul": int(row["mul"])}})
        placed = {"network": "square-mesh:4x4", "placement": "blocks"} if where else {}
        report = ms.run("chain:3:1", row["scheme"], machine, trace=False, **placed)
        assert row["energy_nj"] == str(report.energy.nanojoules)
