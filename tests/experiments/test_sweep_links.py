"""Sweeps over what links cost at their ends: receiving, and set-ups in turn."""

from meshsim.algorithms.robots.catalogue import chain
from meshsim.algorithms.robots.state import default_state
from meshsim.algorithms.schemes.catalogue import SCHEMES
from meshsim.experiments.figures.sweep_maps import _slices, draw_maps, drawn_of
from meshsim.experiments.studies.sweep import run_sweep
from meshsim.experiments.studies.sweep_spec import read_sweep
from meshsim.machine_table import machine_with

SPEC = """
schemes = ["wong-mesh", "hwang"]
n = [3]

[grid]
receive = [0, 30]
setup = [0, 20, 40]
discipline = ["overlap", "posted"]
setups = ["together", "in-turn"]
"""


def test_receiving_and_turns_against_the_engine(tmp_path):
    (tmp_path / "ends.toml").write_text(SPEC)
    sweep = read_sweep(tmp_path / "ends.toml")
    rows, failures, _ = run_sweep(sweep, tmp_path / "out")
    assert (len(rows), failures) == (2 * 2 * 3 * 2 * 2, [])
    robot = chain(3, 1)
    plans = {name: SCHEMES[name].plan(robot, default_state(robot)) for name in sweep.schemes}
    for row in rows:
        machine = machine_with(sweep.machine, {name: row[name] for name in sweep.parameters})
        assert row["ticks"] == plans[row["scheme"]].run(machine, trace=False).ticks
    assert len({row["ticks"] for row in rows}) > len(rows) / 2  # these costs do something


def test_pictures_by_discipline_and_turns(tmp_path):
    (tmp_path / "ends.toml").write_text(SPEC)
    sweep = read_sweep(tmp_path / "ends.toml")
    rows, *_ = run_sweep(sweep, tmp_path / "out")
    titles = ["overlap-together", "overlap-in-turn", "posted-together", "posted-in-turn"]
    columns = rows.columns(drawn_of(sweep))
    assert [title for title, _ in _slices(columns, sweep, ["receive", "setup"])] == titles
    files = {path.name for path in draw_maps(columns, sweep, tmp_path)}
    assert {f"winners-{title}.png" for title in titles} <= files
