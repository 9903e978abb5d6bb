"""Random programs on random networks: the engine against the slow reference, every number of both.

Ties. Rules that order what happens within one tick are listed in `tick_reference.py`. Every transfer drawn here takes a
tick at least: transfers of no ticks can follow one another within a tick, and who comes first then is a matter of
taste. Computes, switches, copies, set-ups and hops are often nought.
"""

from dataclasses import fields

import pytest
from tools.engine import do, par, recv, send
from tools.placed import Costs, Net, PlacedCase, line
from tools.placed_cases import placed_case
from tools.placed_engine import engine_times
from tools.tick_reference import Reference, Times


def numbers(times):
    """All fields as plain data; transfers of a link by time."""
    if times == "deadlock":
        return times
    found = {field.name: dict(getattr(times, field.name)) for field in fields(Times)}
    found["transfers"] = {link: sorted(transfers) for link, transfers in found["transfers"].items()}
    return found


def check(seeds):
    for seed in seeds:
        case = placed_case(seed)
        assert numbers(engine_times(case)) == numbers(Reference(case).run()), f"seed {seed}"


@pytest.mark.parametrize("first", range(0, 300, 50))
def test_engine_and_reference_agree_to_the_tick(first):
    check(range(first, first + 50))


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 11000, 1000))
def test_engine_and_reference_agree_in_thousands_of_cases(first):
    check(range(first, first + 1000))


# Where engine and reference have differed: each case is as small as it could be made.


def bus(*nodes, routes):
    """Every two nodes joined by a link of one bus."""
    edges = [(u, v, {"bus": "bus"}) for i, u in enumerate(nodes) for v in nodes[i + 1 :]]
    return Net(list(nodes), edges, routes)


PAIR = line("P", "Q")
THREE = line("P", "Q", "R")
STAR = Net(
    ["X", "P", "Q", "R"],
    [("X", "P", {}), ("X", "Q", {}), ("X", "R", {})],
    {(u, v): [u, "X", v] for u in "PQR" for v in "PQR" if u != v},
    frozenset("X"),
)
SMALL = {
    "a bus has own costs of its links": PlacedCase(
        {"a": [send("b", 1)], "b": [recv("a"), send("c", 1)], "c": [recv("b")]},
        Net(["P", "Q", "R"], [("P", "Q", {"bus": "bus"}), ("Q", "R", {"bus": "bus", "startup": 3})], THREE.routes),
        {"a": "P", "b": "Q", "c": "R"},
        Costs("rendezvous", per_word=1),
    ),
    "a level has the name of the link out of its router": PlacedCase(
        {"a": [send("b", 1), recv("b")], "b": [recv("a"), send("a", 1)]},
        THREE,
        {"a": "P", "b": "R"},
        Costs("overlap", per_word=1, duplex="half"),
    ),
    "room on a bus is counted for each link": PlacedCase(
        {"a": [par(send("b", 1), recv("b"))], "b": [par(send("a", 1), recv("a"))]},
        bus("P", "Q", "R", "S", routes={("P", "S"): list("PQRS"), ("S", "P"): list("SRQP")}),
        {"a": "P", "b": "S"},
        Costs("overlap", per_word=1, router_buffers=1),
    ),
    "of one channel the earlier message goes first": PlacedCase(
        {"b": [recv("a"), recv("a")], "a": [send("b", 1), send("b", 1)]},
        bus("P", "Q", "R", routes={("P", "R"): list("PQR"), ("R", "P"): list("RQP")}),
        {"a": "P", "b": "R"},
        Costs("overlap", per_word=1, setup=1, buffers=2),
    ),
    "room goes to who asked first": PlacedCase(
        {
            "a": [send("d", 1), send("b", 1)],
            "b": [recv("a")],
            "c": [send("e", 1)],
            "d": [recv("a")],
            "e": [recv("c")],
        },
        STAR,
        {"a": "P", "b": "Q", "c": "R", "d": "Q", "e": "Q"},
        Costs("rendezvous", per_word=1, router_buffers=1),
    ),
    "an operation that ends within the tick needs no switch": PlacedCase(
        {"a": [recv("b")], "b": [send("a", 1)], "c": [], "d": []},
        PAIR,
        {"a": "P", "b": "Q", "c": "P", "d": "Q"},
        Costs("free", switch=1),
    ),
    "in turn, too, a receive asks at the begin of its par": PlacedCase(
        {
            "a": [send("b", 1), send("b", 1)],
            "b": [do(2), par(send("d", 1), recv("a")), recv("a")],
            "c": [],
            "d": [recv("b")],
        },
        PAIR,
        {"a": "P", "b": "Q", "c": "Q", "d": "P"},
        Costs("overlap", per_word=1, setup=1, setups="in-turn"),
    ),
    "a buffer frees when its message has been received": PlacedCase(
        {"a": [send("b", 1), send("b", 1)], "b": [recv("a"), recv("a")], "c": []},
        PAIR,
        {"a": "P", "b": "Q", "c": "Q"},
        Costs("overlap", per_word=1, receive=1),
    ),
}


@pytest.mark.parametrize("case", SMALL.values(), ids=SMALL)
def test_small_cases(case):
    assert numbers(engine_times(case)) == numbers(Reference(case).run())
