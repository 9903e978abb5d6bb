"""Rows of sweeps in columns: their keys, their parts, and what is left to do after an interrupt."""

import hashlib
import json

import numpy as np
import pytest
from tools.sweeps import SMALL, spec

from meshsim.experiments.figures.sweep_maps import FINE, _depth, _refined
from meshsim.experiments.studies import sweep as sweeping
from meshsim.experiments.studies import sweep_spec
from meshsim.experiments.studies.sweep import Source, groups_of, plan_of, run_sweep, tasks_of, workers_for
from meshsim.experiments.studies.sweep_spec import read_sweep
from meshsim.experiments.studies.sweep_table import Timed, keys_of
from meshsim.machine_table import MachineTable, machine_with
from meshsim.presets import PRESETS


@pytest.mark.parametrize("name", ["t800-measured", "epiphany-iii"])  # one has priced kernels, one energy
def test_a_key_is_a_hash_of_the_machine_in_full(name):
    columns = {
        "per_word": np.array([0, 5, 10**12]),
        "mul": np.array([3, 0, 7]),
        "kernel_overhead": np.array([1, 2, 3]),
        "buffers": np.array([1, 9, 4]),
        "discipline": np.array(["free", "overlap", "posted"]),
    }
    machines = MachineTable(PRESETS[name], columns)
    texts = [f"100 %s\nb\n{json.dumps(each.as_json(), sort_keys=True)}" for each in machines]
    assert keys_of("100 %s\nb", machines) == [hashlib.sha256(text.encode()).hexdigest()[:16] for text in texts]


def test_energies_are_those_of_runs(tmp_path):
    text = SMALL.replace('"t800"', '"epiphany-iii"').replace("n = [2, 3]", "n = [3]")
    sweep = read_sweep(spec(tmp_path, text))
    rows, *_ = run_sweep(sweep, tmp_path / "out")
    for row in rows[::7]:
        machine = machine_with(sweep.machine, {name: row[name] for name in sweep.parameters})
        run = plan_of(Source(row["scheme"], (), row["robot"])).run(machine)
        assert row["energy_nj"] == run.energy.nanojoules
    assert len({row["energy_nj"] for row in rows}) > 2


def test_the_quicker_choice_counts_and_of_two_as_quick_the_first():
    whole, everywhere = Timed(4), np.arange(4)
    whole.refuse(np.array([3]), {"why": "stuck"})
    whole.offer(np.array([0, 1]), {"options": "a"}, np.array([5, 9]), {"solve": np.array([1, 2])})
    whole.offer(everywhere, {"options": "b"}, np.array([5, 7, 8, 9]), {})
    whole.refuse(everywhere, {"why": "too late"})
    assert (whole.choice.tolist(), whole.ticks.tolist()) == ([0, 1, 1, 1], [5, 7, 8, 9])
    assert whole.phases["solve"].tolist() == [1, -1, -1, -1]


def test_parts_make_the_whole():
    part, other = Timed(2), Timed(3)
    part.offer(np.array([0]), {"options": "a"}, np.array([5]), {"solve": np.array([1])})
    part.refuse(np.array([1]), {"why": "one"})
    other.offer(np.array([1]), {"options": "b"}, np.array([6]), {})
    other.refuse(np.array([0]), {"why": "one"})
    other.refuse(np.array([2]), {"why": "two"})
    whole = Timed(5)
    for places, each in (([4, 0], part), ([1, 2, 3], other)):
        whole.put(np.array(places), Timed.of_json(json.loads(json.dumps(each.as_json()))))
    options, reasons = ([dict(each) for each in told] for told in (whole.made, whole.refused))
    found = [options[choice]["options"] if choice >= 0 else reasons[~choice]["why"] for choice in whole.choice]
    assert found == ["one", "one", "b", "two", "a"]
    assert (whole.ticks[[4, 2]].tolist(), whole.phases["solve"][[4, 2]].tolist()) == ([5, 6], [1, -1])


@pytest.mark.parametrize("spoilt", ["", "[]", '["900", {}]', '["3", {"ticks": [1]}]', '["3", 5]'])
def test_an_interrupt_keeps_what_is_finished(spoilt, tmp_path, monkeypatch):
    monkeypatch.setattr(sweeping, "CHUNK", 5)
    sweep = read_sweep(spec(tmp_path))
    plain = list(run_sweep(sweep, tmp_path / "plain")[0])
    right, evaluated = sweeping.evaluate, []

    def stopped(task):
        if len(evaluated) == 3:
            raise KeyboardInterrupt
        evaluated.append(task.number)
        return right(task)

    monkeypatch.setattr(sweeping, "evaluate", stopped)
    with pytest.raises(KeyboardInterrupt, match=r"blocks of rows finished: 3, kept in .*; the same command goes on"):
        run_sweep(sweep, tmp_path / "out")
    with (tmp_path / "out" / "rows.jsonl").open("a") as journal:
        journal.write(spoilt)  # as a kill may leave it
    monkeypatch.setattr(sweeping, "evaluate", lambda task: (evaluated.append(task.number), right(task))[1])
    assert list(run_sweep(sweep, tmp_path / "out")[0]) == plain
    assert evaluated == list(range(len(tasks_of(sweep, groups_of(sweep)))))  # each once


MANY = """
schemes = ["wong-mesh"]
n = [32]
[grid]
startup = { from = 0, to = 999, count = 1000 }
per_word = { from = 0, to = 999, count = 1000 }
"""


def test_a_million_points_are_columns(tmp_path, monkeypatch):
    made = []
    monkeypatch.setattr(sweep_spec, "machine_with", lambda *asked: made.append(asked) or machine_with(*asked))
    sweep = read_sweep(spec(tmp_path, MANY))
    assert len(sweep.machines) == 10**6
    assert len(made) == 4  # the ends of each range
    assert [sweep.machines.setting(place) for place in (0, 1, 10**6 - 1)] == [
        {"startup": 0, "per_word": 0},
        {"startup": 0, "per_word": 1},
        {"startup": 999, "per_word": 999},
    ]
    tasks = tasks_of(sweep, groups_of(sweep))
    assert np.array_equal(np.sort(np.concatenate([task.places for task in tasks])), np.arange(10**6))
    assert workers_for(tasks, 2) == 2


@pytest.mark.parametrize(("n", "more", "workers"), [(2, "", 1), (24, "", 2), (24, 'fallback = "simulate"\n', 3)])
def test_workers_are_started_where_they_gain(n, more, workers, tmp_path):
    """Two schemes are recorded by two; one that is simulated is shared out."""
    sweep = read_sweep(spec(tmp_path, more + SMALL.replace("[2, 3]", f"[{n}]")))
    assert workers_for(tasks_of(sweep, groups_of(sweep)), 3) == workers


# Pictures


def test_how_deep_a_point_is_inside():
    inside = np.random.default_rng(1).random((40, 23)) < 0.9
    depth, grown = np.zeros(inside.shape, dtype=int), np.pad(inside, 1)
    while grown.any():
        depth += grown[1:-1, 1:-1]
        grown = grown & np.all([np.roll(grown, way, axis) for axis in (0, 1) for way in (1, -1)], axis=0)
    assert depth.max() > 2
    assert np.array_equal(_depth(inside), depth)
    assert _depth(np.ones((3, 5), dtype=bool)).tolist() == [[1, 1, 1, 1, 1], [1, 2, 2, 2, 1], [1, 1, 1, 1, 1]]


@pytest.mark.parametrize("count", [2, 9, 50, 51, 1000])
def test_maps_are_refined_as_far_as_can_be_seen(count):
    given, fine = _refined(range(count))
    assert set(given) <= set(fine)
    assert len(fine) <= max(FINE, count)
    assert len(fine) == 8 * (count - 1) + 1 or count > FINE // 8
