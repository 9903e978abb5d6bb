"""Placements by work and traffic: that they are good, that the quickest is kept, and that chance has no part in it."""

import os
import subprocess
import sys
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from tools.engine import do, machine, network, plan, recv, send

from meshsim import auto_placement as module
from meshsim.algorithms.robots.catalogue import chain
from meshsim.algorithms.robots.state import default_state
from meshsim.algorithms.schemes.catalogue import SCHEMES
from meshsim.auto_placement import assigned, auto_candidates, auto_placement, make_task, quickest
from meshsim.errors import MeshSimError
from meshsim.machine import LocalCosts
from meshsim.network import Network
from meshsim.partition import by_growth
from meshsim.placement import NAMED, place
from meshsim.placement_report import placement_report, workload
from meshsim.presets import PRESETS
from meshsim.topologies import pipeline, ring, square_mesh

T800 = PRESETS["t800"]
MESH = Network(square_mesh(4, 4))


def scheme_plan(name, joints):
    robot = chain(joints, 1)
    return SCHEMES[name].plan(robot, default_state(robot))


def ticks(made, on, placement, costs=T800):
    return made.placed(on, placement).run(costs, trace=False).ticks


# Word-hops. The bounds are halves of what placements by chance have, as the project asked: 4 x 4 mesh, 16 parts.


@pytest.mark.parametrize(
    ("name", "joints", "chance"), [("wong-mesh", 6, 3356), ("wong-mesh", 12, 21619), ("hwang", 8, 6370)]
)
def test_words_cross_less_than_half_the_links_that_they_cross_by_chance(name, joints, chance):
    made = scheme_plan(name, joints)
    task = make_task(made, workload(made, T800), MESH, MESH.processors)
    parts = by_growth(task.loads, task.both_ways, 16, 0.1)
    found = task.placement(assigned(task, parts, 0.1, seed=1))
    assert placement_report(made, MESH, found, T800).word_hops < chance / 2


def test_parts_go_where_an_exhaustive_search_puts_them():
    between = np.array(
        [[0, 9, 1, 0, 4], [9, 0, 5, 0, 0], [1, 5, 0, 7, 0], [0, 0, 7, 0, 2], [4, 0, 0, 2, 0]], dtype=float
    )
    distances = np.array([[abs(a - b) for b in range(5)] for a in range(5)], dtype=float)
    least = min((between * distances[np.ix_(p, p)]).sum() for p in map(list, permutations(range(5))))
    found = module._best_assignment(between, distances, seed=1)
    assert (between * distances[np.ix_(found, found)]).sum() == least


# The choice


def test_candidates_tell_how_they_were_found_and_what_they_take():
    made, on = scheme_plan("wong-mesh", 4), Network(ring(4))
    found = auto_candidates(made, on, T800)
    assert len({each.how for each in found}) == len(found) > 4
    assert {"rows", "columns", "blocks"} & {each.how for each in found}
    for each in found:
        if each.ticks is not None:
            assert each.ticks == ticks(made, on, each.placement)
    best = quickest(found)
    assert best.ticks == min(each.ticks for each in found if each.ticks is not None)
    assert auto_placement(made, on, T800) == best.placement


def test_a_candidate_whose_work_alone_takes_longer_is_not_simulated():
    """Apart, 100 ticks each and two messages without cost; together 200 ticks at least."""
    found = auto_candidates(talk(2), Network(pipeline(2)), machine("overlap"))
    assert {len(set(each.placement.values())): each.ticks for each in found} == {2: 100, 1: None}


def test_without_a_choice_there_is_one_candidate():
    (only,) = auto_candidates(plan({"a": [do(3)]}), MESH, T800)
    assert (only.ticks, quickest([only])) == (None, only)


@pytest.mark.parametrize("on", [Network(ring(8)), Network(square_mesh(2, 2))], ids=lambda on: on.name)
def test_it_is_no_slower_than_any_placement_with_a_name(on):
    made = scheme_plan("wong-mesh", 4)
    found = auto_placement(made, on, T800)
    named = [place(made.topology, made.programs, on, name) for name in NAMED if name != "identity"]
    assert ticks(made, on, found) <= min(ticks(made, on, each) for each in named)


def test_every_node_is_placed_in_node_order_on_the_processors_that_are_allowed():
    made = scheme_plan("hwang", 3)
    found = auto_placement(made, MESH, T800, processors=3)
    assert list(found) == list(made.topology)
    assert set(found.values()) <= set(MESH.processors[:3])


def test_one_processor_has_all():
    made = scheme_plan("wong-mesh", 2)
    assert set(auto_placement(made, MESH, T800, processors=1).values()) == {(1, 1)}


def test_a_plan_of_one_program_or_none_needs_no_choice():
    assert auto_placement(plan({"a": [do(3)]}), MESH, T800) == {"a": (1, 1)}
    idle = plan({"a": [], "b": []}, network(["a", "b"]))
    assert auto_placement(replace(idle, programs={}), MESH, T800) == {"a": (1, 1), "b": (1, 1)}


def talk(words):
    """Two programs that do 100 ticks each, and then send one another something."""
    steps = {"a": [do(100), send("b", words), recv("b")], "b": [do(100), recv("a"), send("a", words)]}
    return plan(steps, network(steps))


def test_work_is_shared_if_words_are_cheap_and_kept_together_if_they_are_dear():
    costs = machine("overlap", startup=1, per_word=1)
    on = Network(pipeline(2))
    assert len(set(auto_placement(talk(2), on, costs).values())) == 2
    assert len(set(auto_placement(talk(2000), on, costs).values())) == 1


def test_moves_are_to_processors_that_a_program_talks_to():
    # a and b on one processor, c on another, d alone: c may join a, and a may join c
    steps = {"a": [send("b", 1), send("c", 1)], "b": [recv("a")], "c": [recv("a")], "d": [do(1)]}
    made, on = plan(steps, network(steps)), Network(pipeline(3))
    task = make_task(made, workload(made, T800), on, on.processors)
    trials = module.Trials(made, task, T800, 9, print)
    assert sorted(trials._moves(np.array([0, 0, 1, 2]), np.random.default_rng(1))) == [(0, 1), (2, 0)]


def test_no_more_runs_are_made_than_allowed(monkeypatch):
    made, on, told = scheme_plan("wong-mesh", 4), Network(ring(4)), []
    monkeypatch.setattr(module, "MESSAGES", 1)
    found = auto_candidates(made, on, T800, tell=told.append)
    assert [each for each in told if each.startswith("simulating")] == [
        f"simulating placements, {left} to go" for left in range(module.LEAST_RUNS - 1, -1, -1)
    ]
    assert (told[0], told[-1]) == ("dividing the programs into parts", "")
    assert any(each.how == "all on one processor" for each in found)


def test_moves_of_single_programs_make_the_quickest_quicker():
    """The bound was found before there were moves, where changing programs, copies and forwarding cost nothing."""
    free = replace(T800, switch=0, local=LocalCosts(), links=replace(T800.links, routing="router", hop=0))
    *others, last = auto_candidates(scheme_plan("wong-mesh", 6), MESH, free)
    before = quickest(others)
    assert last.how.startswith(f"{before.how}; then ")
    assert last.ticks < before.ticks
    assert last.ticks <= 15460


def test_processors_out_of_reach_are_left_out():
    on = Network(pipeline(4), dead=[(2, 3)])
    assert set(auto_placement(talk(2), on, machine("overlap")).values()) in ({1, 2}, {3, 4})


def test_what_no_placement_can_run_is_told():
    steps = {"a": [recv("b")], "b": [recv("a")]}
    with pytest.raises(MeshSimError, match="deadlock"):
        auto_placement(plan(steps, network(steps)), MESH, T800)


# No chance

PROGRAM = """
from meshsim.algorithms.robots.catalogue import chain
from meshsim.algorithms.robots.state import default_state
from meshsim.algorithms.schemes.catalogue import SCHEMES
from meshsim.auto_placement import auto_placement
from meshsim.network import Network
from meshsim.presets import PRESETS
from meshsim.topologies import square_mesh
robot = chain(3, 1)
plan = SCHEMES["hwang"].plan(robot, default_state(robot))
print(auto_placement(plan, Network(square_mesh(2, 2)), PRESETS["t800"]))
"""


def test_it_is_the_same_whatever_the_hash_seed(capsys):
    """Here, and in a process that hashes texts otherwise."""
    exec(PROGRAM, {})
    env = {**os.environ, "PYTHONHASHSEED": "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"}
    other = subprocess.run([sys.executable, "-c", PROGRAM], env=env, capture_output=True, text=True, check=True).stdout
    assert other == capsys.readouterr().out
