"""The machine of 1991 is predicted before it is compared with what was measured; what reasons count is counted."""

import ast
import tomllib
from functools import cache

import pytest
from tools.paths import ROOT

from meshsim.algorithms.kernels.inertial import spatial_dot
from meshsim.algorithms.solvers.catalogue import SOLVERS, load_system
from meshsim.experiments.exhibits.base.exhibit import load_exhibits
from meshsim.experiments.exhibits.wong import sec_3_5_1, sec_5_5_1
from meshsim.experiments.exhibits.wong.table_4_1 import PRODUCT_PARTS
from meshsim.experiments.exhibits.wong.table_5_4 import MEASURED
from meshsim.experiments.studies import display_1991, puma_1991
from meshsim.experiments.studies.excavator_1991 import LINES, predict, prediction, readings, run_mesh, unknowns
from meshsim.presets import FOLDER, PRESETS, THESIS
from meshsim.sensitivity import path_counts


@cache
def nodes(path):
    return [*ast.walk(ast.parse(path.read_text()))]


def imported(path, seen):
    """Every module of the project that a file depends on."""
    for node in nodes(path):
        names = [node.module] if isinstance(node, ast.ImportFrom) else []
        names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [f"{node.module}.{alias.name}" for alias in node.names] if isinstance(node, ast.ImportFrom) else []
        names += [str(node.value).partition(":")[0]] if isinstance(node, ast.Constant) else []  # in a catalogue
        for name in names:
            file = (ROOT / (name.replace(".", "/") + ".py")).resolve()
            if file.exists() and file not in seen:
                seen.add(file)
                imported(file, seen)
    return seen


@cache
def numbers_in(path):
    """All numbers that are written in a Python file, or in a machine's."""
    if path.suffix == ".py":
        values = [node.value for node in nodes(path) if isinstance(node, ast.Constant)]
    else:
        machine = tomllib.loads(path.read_text())
        tables = [machine, *(each for each in machine.values() if isinstance(each, dict))]
        values = [value for each in tables for value in each.values()]
        values += [each for value in values if isinstance(value, list) for each in value]
    return {value for value in values if isinstance(value, int | float)}


@pytest.mark.parametrize("study", ["excavator_1991", "puma_1991", "display_1991"])
def test_the_prediction_does_not_know_what_was_measured(study):
    start = ROOT / "experiments" / "studies" / f"{study}.py"
    files = imported(start, {start})
    assert ROOT / "meshsim" / "presets.py" in files
    assert ROOT / "experiments" / "studies" / "program_1991.py" in files
    assert not [path for path in files if "exhibits" in path.parts]
    in_ms = [*sec_3_5_1.MEASURED.values(), *sec_5_5_1.MEASURED.values()]
    for path in (*files, *(FOLDER / f"{name}.toml" for name in THESIS)):
        numbers = numbers_in(path)
        for measured in (*MEASURED.values(), 2260, 275):
            assert measured not in numbers, path
            assert measured < 1000 or measured / 1000 not in numbers, path  # in ms
        for measured in in_ms:
            assert measured not in numbers, path
            assert round(1000 * measured) not in numbers, path  # in us


def test_the_prediction():
    found = prediction()
    assert tuple(found) == LINES
    assert sum(found[name] for name in LINES[:4]) == pytest.approx(found["total, one processor"])
    assert found["speed-up"] == pytest.approx(found["total, one processor"] / found["total, mesh"])
    assert set(MEASURED) == set(LINES)


def test_every_unknown_moves_the_prediction():
    for unknown in unknowns():
        assert unknown.predict() != predict(PRESETS["t800-measured"]), unknown.instead


def test_every_reading_moves_the_mesh():
    """Two answers to each of three questions; the prediction is the first, and none is the measured time."""
    found = readings()
    assert found[0].us == prediction()["total, mesh"]
    assert len({each.us for each in found}) == len(found) == 8
    for name in ("communications", "prices", "products"):
        assert len({getattr(each, name) for each in found}) == 2
    assert min(abs(each.us - MEASURED["total, mesh"]) for each in found) > 100
    titles = [appendix.title for appendix in load_exhibits()["wong-table-5.4"].appendices]
    assert titles[0].startswith("Readings of the text, none fitted")
    assert titles[1].startswith("Sensitivity: ")


def test_what_the_mesh_counts_lies_in_row_zero():
    """The parts that the reason of Table 5.4 names."""
    actuator, solver = ("valve_flow", "motor_torque", "pressure_rates"), ("axpy", "negative_ratio", "pass_on")
    parts = {"actuator": [0, 0], "f_v": [0, 0], "b": [0, 0], "solver": [0, 0]}
    for step in run_mesh(PRESETS["ideal"]).critical_path.walked:
        if step.kind != "compute":
            continue
        assert step.node[0] == 0
        name = step.what.name
        part = "actuator" if name in actuator else "solver" if name in solver else "b" if name == "subtract" else "f_v"
        cost = step.what.cost
        parts[part][0] += cost.get("mul", 0) + cost.get("div", 0) + cost.get("sqrt", 0)
        parts[part][1] += cost.get("add", 0)
    assert parts == {"actuator": [11, 6], "f_v": [145, 121], "b": [0, 1], "solver": [15, 11]}


def test_a_product_is_the_sum_of_its_parts():
    mul, add = (sum(part[which] for part in PRODUCT_PARTS.values()) for which in (0, 1))
    assert dict(spatial_dot.cost) == {"mul": mul, "add": add}


def test_the_puma_of_1991():
    step = puma_1991.predict()
    assert step["torques"] == pytest.approx(4 * (5.1 + 6 * 2.3))
    assert puma_1991.prediction()["motion"] == pytest.approx(1000 * sum(step.values()) / 1e6)
    assert puma_1991.predict(extra={})["evaluation"] < step["evaluation"]


def test_the_serial_line_of_1991():
    """Sixteen bytes of ten bits at 9600 baud, once in twenty cycles."""
    first, *others = display_1991.READINGS
    assert first.us == pytest.approx(16 * 10 / 9600 * 1e6 / 20)
    assert display_1991.prediction()["cycle"] == pytest.approx(display_1991.predict(first) / 1e3)
    assert len({line.us for line in (first, *others)}) == len(display_1991.READINGS)
    assert all(us > 0 for us in display_1991.parts().values())
    assert display_1991.parts()["evaluation"] == prediction()["total, mesh"]


@pytest.mark.parametrize("n", [4, 7])
def test_what_the_solvers_count_lies_on_their_paths(n):
    """The parts that the reasons of Table 4.8 name: products with an addition, and divisions."""
    expected = {"liu-young": (5 * n - 7, 2), "feedforward-lu": (4 * n - 2, 2 * n - 1)}
    for name, (products, divisions) in expected.items():
        run = SOLVERS[name].plan(*load_system(f"symmetric:{n}:1")).run(PRESETS["ideal"])
        counts = path_counts(run.critical_path, PRESETS["ideal"])
        assert (counts["mul"], counts["add"], counts["div"]) == (products, products, divisions), name
