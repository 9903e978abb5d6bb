"""Random programs on random networks: a placement changes neither what they compute nor whether they end."""

from dataclasses import replace
from random import Random

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from tools.engine import network, plan
from tools.placed_checks import check_all
from tools.placed_samples import a_network
from tools.strategies import cases, machines

from meshsim.deadlock import DeadlockError
from meshsim.machine import DISCIPLINES, LocalCosts
from meshsim.program import ProgramError


def verdict(made, machine):
    """How a run ends, and the run if it ends in an answer. Any other error is a failure."""
    try:
        return "answer", made.run(machine)
    except DeadlockError as error:
        assert "cycle of links" not in str(error)
        return "deadlock", None
    except ProgramError as error:
        if " unread on port " not in str(error):
            raise
        return "unread", None


def with_costs(machine, random):
    switching, routing = random.choice(
        [("store-and-forward", "router"), ("cut-through", "router"), ("store-and-forward", "processor")]
    )
    hop, duplex = random.choice([0, 0, 1, 7]), random.choice(["full", "full", "half"])
    links = replace(machine.links, switching=switching, routing=routing, hop=hop, duplex=duplex)
    local = LocalCosts(random.choice([0, 0, 3]), random.choice([0, 0, 2]))
    return replace(machine, links=links, switch=random.choice([0, 0, 4]), local=local)


def agrees(case, machine, seed):
    random = Random(seed)
    machine = with_costs(machine, random)
    made = plan(case.programs, network(case.programs, case.links))
    told, where = a_network(random)
    able = random.sample(where.processors, random.randint(1, len(where.processors)))
    placed = made.placed(where, {node: random.choice(able) for node in made.topology})
    (ended, plain), (as_well, run) = verdict(made, machine), verdict(placed, machine)
    event(ended)
    assert as_well == ended, told
    if run is not None:
        assert run.value == plain.value
        check_all(run, where)


@pytest.mark.parametrize("discipline", DISCIPLINES)
def test_a_placement_changes_only_times(discipline):
    settings(deadline=None, max_examples=60, derandomize=True)(
        given(cases(), machines([discipline]), st.integers(0, 2**32))(agrees)
    )()


@pytest.mark.slow
@pytest.mark.parametrize("matched", [True, False])
@pytest.mark.parametrize("discipline", DISCIPLINES)
def test_a_placement_changes_only_times_of_many_more(discipline, matched):
    settings(deadline=None, max_examples=3000, derandomize=True)(
        given(cases(matched), machines([discipline]), st.integers(0, 2**32))(agrees)
    )()
