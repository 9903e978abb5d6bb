"""Results never change with network, placement or number of processors, and every word takes its route.

Samples are drawn by a seed: schemes (chains, trees, loops) and solvers, networks, placements and machines.
"""

import hashlib
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from tools.bits import bits
from tools.engine import machine, plan, recv, send
from tools.placed_checks import check_all
from tools.placed_samples import sample

from meshsim.deadlock import DeadlockError
from meshsim.topologies.named import load_network

BLOCK = 25
BLOCKS, MORE = range(6), range(6, 130)


def check_sample(seed):
    """Equal bits, or a deadlock that tells of links where routers have a limit; all else must hold of every run."""
    drawn = sample(seed)
    plain = drawn.plan.run(drawn.machine, trace=False)
    limit = drawn.machine.links.router_buffers
    run, refusal = ended(drawn)
    if run is None:
        assert limit, refusal
        assert "cycle of links: " in refusal
        assert f"({limit} of {limit} messages held)" in refusal
        return
    assert bits(run.value) == bits(plain.value)
    assert (run.messages, run.words) == (plain.messages, plain.words)
    check_all(run, drawn.network)
    if run.levels and not limit and drawn.machine.links.wire(1):  # what takes no time stays nowhere
        check_levels(drawn, run)


def ended(drawn):
    """The run, or what the report of its deadlock says."""
    try:
        return drawn.placed().run(drawn.machine), ""
    except DeadlockError as error:
        return None, str(error)


def check_levels(drawn, run):
    """A limit of the highest level that buffers had holds up nothing."""
    links = replace(drawn.machine.links, router_buffers=max(run.levels.values()))
    limited = drawn.placed().run(replace(drawn.machine, links=links), trace=False)
    assert limited.finish == run.finish
    assert limited.marks == run.marks


def check_block(block):
    for seed in range(block * BLOCK, (block + 1) * BLOCK):
        try:
            check_sample(seed)
        except Exception as failure:
            failure.add_note(sample(seed).label)
            raise


@pytest.mark.parametrize("block", BLOCKS)
def test_results_never_change(block):
    check_block(block)


@pytest.mark.slow
@pytest.mark.parametrize("block", MORE)
def test_results_never_change_in_many_more_samples(block):
    check_block(block)


# A limit on buffers


def around(routing):
    """Eight programs on a ring, each of which sends to the one opposite: all four links of the way lead east."""
    programs = {f"p{i}": [send(f"p{(i + 4) % 8}"), recv(f"p{(i + 4) % 8}")] for i in range(8)}
    network = load_network("ring:8")
    eight = network.processors
    ways = {(eight[i], eight[(i + 4) % 8]): [eight[(i + k) % 8] for k in range(5)] for i in range(8)}
    network = replace(network, table=ways)
    places = {f"p{i}": eight[i] for i in range(8)}
    return lambda limit: (
        plan(programs)
        .placed(network, places)
        .run(machine("overlap", per_word=1, routing=routing, router_buffers=limit))
    )


@pytest.mark.parametrize("routing", ["router", "processor"])
def test_a_cycle_of_full_routers_is_a_deadlock_that_names_its_links(routing):
    run = around(routing)
    with pytest.raises(DeadlockError) as caught:
        run(1)
    text = str(caught.value)
    cycle = text[text.index("cycle of links: ") :]
    assert cycle.count(" -> ") == 8
    assert sum(f"{i} to {i % 8 + 1}" in cycle for i in range(1, 9)) == 8
    assert max(run(0).levels.values()) == 2
    assert run(2).finish == run(0).finish


# The same run is the same


def digest(seeds):
    """Of all that the traces of samples tell."""
    found = hashlib.sha256()
    for seed in seeds:
        run, refusal = ended(sample(seed))
        if run is None:
            found.update(refusal.encode())
            continue
        steps = [(step.kind, step.start, step.end, step.node, step.to) for step in run.critical_path.walked]
        for row in (*run.trace.rows(), *run.loads, *run.levels.items(), *steps):
            found.update(str(row).encode())
    return found.hexdigest()


def test_hashes_decide_nothing():
    """A run tells the same again, and in another process that hashes texts otherwise."""
    seeds = tuple(range(3, 250, 41))
    first = digest(seeds)
    assert digest(seeds) == first
    here = [str(Path(__file__).parent), *sys.path]
    code = f"import sys; sys.path[:0] = {here!r}; from test_placed_results import digest; print(digest({seeds}))"
    hashes = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    env = {**os.environ, "PYTHONHASHSEED": hashes}
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env, check=False)
    assert (out.stdout.strip(), out.stderr) == (first, "")
