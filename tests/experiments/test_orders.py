"""The same work in any order, as users ask for it: `compare --orders`, `explain` and the option order=best."""

import csv
import json

import meshsim as ms
from meshsim.experiments.cli.main import main
from meshsim.experiments.studies.baseline import subject
from meshsim.experiments.studies.orders import order_free
from meshsim.experiments.studies.sweep import run_sweep
from meshsim.experiments.studies.sweep_spec import read_sweep


def test_any_scheme_runs_in_the_best_order(capsys):
    for scheme in ("wong-mesh", "hwang", "one-wong"):
        written = ms.run("chain:3:1", scheme, "t800")
        best = ms.run("chain:3:1", scheme, "t800", order="best")
        assert best.value.qdd.tobytes() == written.value.qdd.tobytes()
        assert best.ticks <= written.ticks
        assert (best.ticks < written.ticks) == (scheme != "one-wong")
        assert best.phases.keys() == written.phases.keys()
    assert main(["run", "hwang", "--robot", "chain:3:1", "--machine", "t800", "--option", "order=best"]) == 0
    assert "\noptions: network=hypercube, solver=liu-young, order=best\n" in capsys.readouterr().out


def test_the_best_is_not_slower_than_any_order_by_name():
    robot, state = subject("chain:4:1")
    machine = ms.load_machine("t800")
    scheme = ms.load_scheme("wong-mesh")
    found = order_free(scheme, robot, state, {}, machine)
    named = [scheme.plan(robot, state, order=order).run(machine, trace=False).ticks for order in ("early", "published")]
    assert found.bound <= found.ticks <= min(named)
    assert found.written == named[0]
    assert found.plan.run(machine, trace=False).ticks == found.ticks
    assert found.decides in ("path", "processor", "wire")


def test_orders_that_do_not_go_with_other_options_are_passed_by(tmp_path):
    robot, state = subject("torso")
    found = order_free(ms.load_scheme("wong-mesh"), robot, state, {"carry": "forward"}, ms.load_machine("t800"))
    assert found.found.startswith("order=early, ")
    text = (
        'schemes = ["wong-mesh"]\nrobots = ["torso"]\ntry = "best"\n'
        '[options.wong-mesh]\ncarry = "forward"\n[grid]\nstartup = [51]\n'
    )
    (tmp_path / "spec.toml").write_text(text)
    (row,), failures, _ = run_sweep(read_sweep(tmp_path / "spec.toml"), tmp_path / "out")
    assert failures == []
    assert row["options"].startswith("order=early ")


def test_robots_with_loops_in_any_order(tmp_path, capsys):
    words = ["--robots", "four-bar", "--schemes", "denoc,wong-mesh-loops", "--machine", "t800", "--jobs", "1"]
    assert main(["compare", *words, "--orders", "--out", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "    wong-mesh-loops, small " in out
    with (tmp_path / "compare.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 5
    assert all(float(row["bound_us"]) <= float(row["best_order_us"]) <= float(row["time_us"]) for row in rows)


def test_a_comparison_in_any_order(tmp_path, capsys):
    words = ["--schemes", "wong-mesh,hwang", "--n", "2,3", "--machine", "t800", "--jobs", "1", "--orders"]
    assert main(["compare", *words, "--out", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    with (tmp_path / "compare.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 4
    for row in rows:
        assert float(row["bound_us"]) <= float(row["best_order_us"]) <= float(row["time_us"])
    assert "the whole step in any order of the same work, us:" in out
    assert "    the fastest in its best order on t800: wong-mesh 2..3\n" in out
    assert (tmp_path / "orders.png").exists()


def test_a_defeat_is_explained_by_order_and_work(capsys):
    words = ["explain", "wong-mesh", "lee-chang", "--robot", "chain:4:1", "--machine", "t800"]
    assert main([*words, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    for each in answer["schemes"]:
        assert each["bound_us"] <= each["best_order_us"] <= each["time_us"]
    assert main(words) == 0
    out = capsys.readouterr().out
    one, other = (each["time_us"] for each in answer["schemes"])
    assert f"wong-mesh against lee-chang: {one - other:+.1f} us as written, " in out
    assert "us in the best order found (order=" in out
