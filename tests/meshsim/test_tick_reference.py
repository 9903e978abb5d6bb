"""What must hold of the slow reference whatever is drawn, before the engine is held against it."""

from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest
from tools.engine import lives, machine, plan
from tools.placed import complete
from tools.placed_cases import placed_case
from tools.tick_reference import Reference

from meshsim.machine import DISCIPLINES

LINKS = ("startup", "per_word", "setup", "receive", "buffers", "setups", "duplex")


def messages_of(programs):
    """(sender, receiver, words) of every message."""
    parts = [(name, part) for name, steps in programs.items() for step in steps for part in parts_of(step)]
    return [(name, part[1], part[2]) for name, part in parts if part[0] == "send"]


def parts_of(step):
    return step[1] if step[0] == "par" else [step]


def test_on_a_network_of_their_own_programs_take_the_times_of_the_engine():
    """Every processor and every transfer, where nothing is shared but perhaps the two ways of a link."""
    for seed in range(300):
        case = placed_case(seed, routing="router")
        links = {name: getattr(case.costs, name) for name in LINKS}
        run = plan(case.programs).run(machine(case.costs.discipline, **links))
        times = Reference(
            replace(case, net=complete(case.programs), placement={name: name for name in case.programs})
        ).run()
        assert times.finish == times.processors == run.finish, seed
        expected = {channel: [life[3:5] for life in messages] for channel, messages in lives(run).items() if messages}
        assert {link: [each[:2] for each in transfers] for link, transfers in times.transfers.items()} == expected, seed


@pytest.mark.parametrize("discipline", DISCIPLINES)
def test_one_processor_takes_the_sum_of_computes_switches_and_copies(discipline):
    for seed in range(100):
        case = placed_case(seed, discipline=discipline)
        node = next(iter(case.placement.values()))
        times = Reference(replace(case, placement=dict.fromkeys(case.programs, node))).run()
        computed = sum(
            sum(step[1].values()) for steps in case.programs.values() for step in steps if step[0] == "compute"
        )
        copied = sum(
            case.costs.local_startup + words * case.costs.local_per_word for _, _, words in messages_of(case.programs)
        )
        assert times.copies[node] == copied
        assert max(times.finish.values()) == computed + copied + times.switches[node] * case.costs.switch, seed
        assert not times.transfers


def test_every_message_crosses_the_links_of_its_route_and_no_wire_carries_two():
    deadlocks = 0
    for seed in range(300):
        case = placed_case(seed)
        times = Reference(case).run()
        if times == "deadlock":
            assert case.costs.router_buffers
            deadlocks += 1
            continue
        expected = Counter()
        for sender, receiver, words in messages_of(case.programs):
            ends = case.placement[sender], case.placement[receiver]
            if ends[0] != ends[1]:
                expected.update((link, words, (sender, receiver)) for link in pairwise(case.net.routes[ends]))
        found = Counter((link, *each[2:]) for link, transfers in times.transfers.items() for each in transfers)
        assert found == expected, seed
        for transfers in times.transfers.values():
            assert all(first[1] <= second[0] for first, second in pairwise(transfers)), seed
        if case.costs.router_buffers and times.levels:
            assert max(times.levels.values()) <= case.costs.router_buffers
    assert deadlocks < 30
