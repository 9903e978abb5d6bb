"""Programs on small networks, timed by hand: data for the engine and for the reference (`tick_reference.py`).

Each timeline gives the finish of every program, and of all else (processors, switches, ticks of copies, transfers by
link, highest levels of routers' buffers) what its story is about. A transfer is (start, end, words, channel).
"""

from dataclasses import dataclass
from itertools import permutations

from tools.engine import do, par, recv, send
from tools.placed import Costs, Net, line, one_way_ring


@dataclass(frozen=True)
class Timeline:
    """As a `PlacedCase`, with what is expected: numbers by the name of the field of `Times`, or "deadlock"."""

    name: str
    programs: dict
    net: Net
    placement: dict
    costs: Costs
    expected: dict | str


WIRE = {"startup": 2, "per_word": 1}
TWO_SENDERS = {"a": [send("c", 3)], "b": [do(1), send("d", 4)], "c": [recv("a")], "d": [recv("b")]}
ON_TWO = {"a": "P", "b": "P", "c": "Q", "d": "Q"}
THREE_HOPS = {"a": [send("d", 4), do(1)], "d": [recv("a"), do(2)]}
ENDS = {"a": "P", "d": "S"}
FOUR = line("P", "Q", "R", "S")

TWO_MESSAGES = Timeline(
    "two messages over one link",
    TWO_SENDERS,
    line("P", "Q"),
    ON_TWO,
    # P holds a and b, Q holds c and d; a switch is free.
    # 0   P takes a, which asks Q for 3 words; a waits: P takes b.
    #     Q takes c, which asks for them; c waits: Q takes d, which asks b.
    #     Both sides of a -> c are ready: its message has the link for 2 + 3 ticks, to 5.
    # 1   b has computed and sends. Both sides of b -> d are ready, and the link is busy.
    # 5   a's message has arrived: a and c end. b's message has the link for 2 + 4 ticks, to 11.
    # 11  b and d end.
    # Switches: P a -> b, b -> a (at 5), a -> b (at 11); Q c -> d, d -> c, c -> d.
    Costs("rendezvous", **WIRE),
    {
        "finish": {"a": 5, "b": 11, "c": 5, "d": 11},
        "processors": {"P": 11, "Q": 11},
        "switches": {"P": 3, "Q": 3},
        "copies": {"P": 0, "Q": 0},
        "transfers": {("P", "Q"): [(0, 5, 3, ("a", "c")), (5, 11, 4, ("b", "d"))]},
    },
)

TWO_MESSAGES_TIED = Timeline(
    "two messages over one link, asked for at the same tick",
    {
        "b": [send("d", 4)],
        "a": [recv("e"), send("c", 3)],
        "c": [recv("a")],
        "d": [recv("b")],
        "e": [send("a", 1)],
    },
    line("X", "P", "Q"),
    {"b": "X", "a": "P", "c": "Q", "d": "Q", "e": "P"},
    # b's message goes X, P, Q and meets a's at P. Overlap: whoever sends goes on at once.
    # 0   b sends: X -> P from 0, 2 + 4 ticks, to 6. b ends.
    #     P takes a (before e in node order); a waits for e. P takes e, which finds a waiting and copies one word for 6
    #     ticks.
    # 6   e has copied and goes on: it ends. a is ready, P changes to it, and a asks for P -> Q at 6.
    #     b's message has arrived whole at P, and with no hop asks for P -> Q at 6 as well.
    #     Both asked at 6: b comes first in node order. P -> Q is b's from 6 to 12.
    #     a ends: a buffer at c has room.
    # 12  d ends. P -> Q is a's for 2 + 3 ticks, to 17.
    # 17  c ends.
    # Switches: P a -> e, e -> a. Q takes c at 0, which waits, then d (1); c at 17 (2).
    Costs("overlap", **WIRE, local_startup=5, local_per_word=1),
    {
        "finish": {"b": 0, "a": 6, "c": 17, "d": 12, "e": 6},
        "processors": {"X": 0, "P": 6, "Q": 17},
        "switches": {"X": 0, "P": 2, "Q": 2},
        "copies": {"X": 0, "P": 6, "Q": 0},
        "transfers": {
            ("X", "P"): [(0, 6, 4, ("b", "d"))],
            ("P", "Q"): [(6, 12, 4, ("b", "d")), (12, 17, 3, ("a", "c"))],
        },
        "levels": {("P", "Q"): 1},
    },
)

BUS = Timeline(
    "three processors on a bus",
    {
        "a": [send("b", 2), recv("c")],
        "b": [recv("a"), send("c", 1)],
        "c": [par(send("a", 3), recv("b")), do(2)],
    },
    Net(
        ["P", "Q", "R"],
        [("P", "Q", {"bus": "bus"}), ("Q", "R", {"bus": "bus"}), ("P", "R", {"bus": "bus"})],
        {way: list(way) for way in permutations("PQR", 2)},
    ),
    {"a": "P", "b": "Q", "c": "R"},
    # Overlap, set-up 1, receive 1; a message of w words takes 2 + w ticks.
    # 1   a and c have set up. Both ask for the bus; a comes first: a -> b from 1 to 5. a goes on and asks c.
    # 5   b's message has come; b spends a tick to receive it. The bus is c's, 2 + 3 ticks, to 10.
    # 6   b sends: a tick of set-up.
    # 7   b has set up and ends. It asks for the bus, which is busy.
    # 10  a's message has come: it receives for a tick, and ends at 11. The bus is b's, 2 + 1 ticks, to 13.
    # 13  c's message has come: a tick to receive, 14, and two of arithmetic: 16.
    Costs("overlap", **WIRE, setup=1, receive=1),
    {
        "finish": {"a": 11, "b": 7, "c": 16},
        "processors": {"P": 11, "Q": 7, "R": 16},
        "switches": {"P": 0, "Q": 0, "R": 0},
        "transfers": {
            ("P", "Q"): [(1, 5, 2, ("a", "b"))],
            ("R", "P"): [(5, 10, 3, ("c", "a"))],
            ("Q", "R"): [(10, 13, 1, ("b", "c"))],
        },
        "levels": {},
    },
)

STORED = Timeline(
    "store-and-forward over three hops",
    THREE_HOPS,
    FOUR,
    ENDS,
    # 0   both are ready: P -> Q for 2 + 4 ticks, to 6. A hop of 3: it asks at 9.
    # 9   Q -> R to 15, and a hop to 18.
    # 18  R -> S to 24. Both go on: a computes for a tick, d for two.
    Costs("rendezvous", **WIRE, hop=3),
    {
        "finish": {"a": 25, "d": 26},
        "processors": {"P": 25, "Q": 0, "R": 0, "S": 26},
        "transfers": {
            ("P", "Q"): [(0, 6, 4, ("a", "d"))],
            ("Q", "R"): [(9, 15, 4, ("a", "d"))],
            ("R", "S"): [(18, 24, 4, ("a", "d"))],
        },
        "levels": {("Q", "R"): 1, ("R", "S"): 1},
    },
)

CUT = Timeline(
    "cut-through over three hops",
    THREE_HOPS,
    FOUR,
    ENDS,
    # 0   P -> Q for 2 + 4 ticks, to 6. Its head asks for Q -> R after start-up and hop, 2 + 3, at 5.
    # 5   Q -> R for 4 ticks, to 9; that is also 3 after P -> Q was done. The head asks for R -> S at 5 + 3.
    # 8   R -> S for 4 ticks, to 12 = 2 + 2 * 3 + 4. a computes for a tick, d for two.
    Costs("rendezvous", **WIRE, hop=3, switching="cut-through"),
    {
        "finish": {"a": 13, "d": 14},
        "transfers": {
            ("P", "Q"): [(0, 6, 4, ("a", "d"))],
            ("Q", "R"): [(5, 9, 4, ("a", "d"))],
            ("R", "S"): [(8, 12, 4, ("a", "d"))],
        },
        "levels": {("Q", "R"): 1, ("R", "S"): 1},
    },
)

CUT_HELD_UP = Timeline(
    "cut-through, held up in a router, with a slow last link",
    {**THREE_HOPS, "b": [do(4), send("c", 6)], "c": [recv("b")]},
    Net(FOUR.nodes, [("P", "Q", {}), ("Q", "R", {}), ("R", "S", {"per_word": 5, "hop": 1})], FOUR.routes),
    {**ENDS, "b": "Q", "c": "R"},
    # 0   a -> d: P -> Q for 2 + 4 ticks, to 6; its head asks for Q -> R at 2 + 3 = 5.
    # 4   b -> c: Q -> R for 2 + 6 ticks, to 12. b's message came first.
    # 12  b and c end. Q -> R is a's for 4 ticks, to 16; hop after P -> Q would be 9, earlier. Its head asks for R -> S
    #     after that link's own hop of 1, at 13.
    # 13  R -> S takes 5 ticks for each of 4 words, to 33; a hop of 1 after Q -> R would be 17.
    # 33  a computes to 34, d to 35.
    Costs("rendezvous", **WIRE, hop=3, switching="cut-through"),
    {
        "finish": {"a": 34, "d": 35, "b": 12, "c": 12},
        "transfers": {
            ("P", "Q"): [(0, 6, 4, ("a", "d"))],
            ("Q", "R"): [(4, 12, 6, ("b", "c")), (12, 16, 4, ("a", "d"))],
            ("R", "S"): [(13, 33, 4, ("a", "d"))],
        },
        "levels": {("Q", "R"): 1, ("R", "S"): 1},
    },
)

SWITCHED = Timeline(
    "a switch element cuts through where processors store",
    {"a": [send("c", 4)], "c": [recv("a")]},
    Net(
        ["P", "X", "Q", "R"],
        [("P", "X", {}), ("X", "Q", {}), ("Q", "R", {})],
        {("P", "R"): ["P", "X", "Q", "R"], ("R", "P"): ["R", "Q", "X", "P"]},
        frozenset("X"),
    ),
    {"a": "P", "c": "R"},
    # 0   P -> X for 2 + 4 ticks, to 6. X is a switch: the head asks for X -> Q at 2 + 1 = 3.
    # 3   X -> Q for 4 ticks, to 7. Q stores it, and asks for Q -> R a hop later, at 8.
    # 8   Q -> R for 2 + 4 ticks, to 14.
    Costs("rendezvous", **WIRE, hop=1),
    {
        "finish": {"a": 14, "c": 14},
        "transfers": {
            ("P", "X"): [(0, 6, 4, ("a", "c"))],
            ("X", "Q"): [(3, 7, 4, ("a", "c"))],
            ("Q", "R"): [(8, 14, 4, ("a", "c"))],
        },
        "levels": {("X", "Q"): 1, ("Q", "R"): 1},
    },
)

TURNS = Timeline(
    "two programs taking turns",
    {"a": [do(5), send("b", 2), recv("b"), do(1)], "b": [do(3), recv("a"), do(4), send("a", 3)]},
    line("P"),
    {"a": "P", "b": "P"},
    # A switch takes 10 ticks, a copy 2 + words.
    # 0   P takes a, the first in node order: no switch. It computes to 5.
    # 5   a sends: b is not there, a waits. b has been ready since 0: P changes, to 15.
    # 15  b computes to 18, then receives: a waits there, so b makes the copy, 2 + 2 ticks.
    # 22  both can go on: b does, and computes to 26. a is ready since 22.
    # 26  b sends: a is not there (it has yet to ask). b waits, P changes to a.
    # 36  a asks for b's message; b waits there: a makes the copy, 2 + 3 ticks.
    # 41  both can go on. a computes to 42 and ends; P changes to b, ready since 41, to 52. b ends.
    Costs("rendezvous", switch=10, local_startup=2, local_per_word=1),
    {
        "finish": {"a": 42, "b": 52},
        "processors": {"P": 52},
        "switches": {"P": 3},
        "copies": {"P": 9},
        "transfers": {},
        "levels": {},
    },
)

ROOM = Timeline(
    "a receiver makes the copy of a sender that found no room",
    {"a": [send("b", 1), send("b", 2), do(1)], "b": [do(2), recv("a"), do(3), recv("a")]},
    line("P"),
    {"a": "P", "b": "P"},
    # One buffer, a switch of 10, a copy of 2 + words.
    # 0   a sends its first word: there is room, it copies to 3. The second finds no room: a waits. P changes to b.
    # 13  b computes to 15 and takes the first message at no cost. That makes room: b copies a's second, 2 + 2, to 19.
    # 19  a is ready. b computes to 22, takes the second message at no cost, and ends.
    # 22  P changes to a, which computes from 32 to 33.
    Costs("overlap", switch=10, local_startup=2, local_per_word=1),
    {
        "finish": {"a": 33, "b": 22},
        "processors": {"P": 33},
        "switches": {"P": 2},
        "copies": {"P": 7},
    },
)

OWN_TIME = Timeline(
    "receive ticks and a switch are paid when the program goes on",
    {"a": [recv("c"), do(1)], "b": [do(20)], "c": [send("a", 1), do(4)]},
    line("P", "Q"),
    {"a": "P", "b": "P", "c": "Q"},
    # Set-up 2, receive 3, switch 10; one word is 3 ticks on the wire.
    # 0   P takes a, which waits for c; P changes to b, 10 ticks. c sets up to 2, and computes to 6.
    # 2   the link is busy to 5, when the message has come: a is ready.
    # 10  b computes to 30 and ends.
    # 30  P changes to a, to 40; it receives for 3 ticks and computes for one: 44.
    Costs("overlap", **WIRE, setup=2, receive=3, switch=10),
    {
        "finish": {"a": 44, "b": 30, "c": 6},
        "processors": {"P": 44, "Q": 6},
        "switches": {"P": 2, "Q": 0},
        "transfers": {("Q", "P"): [(2, 5, 1, ("c", "a"))]},
    },
)

AT_THAT_TICK = Timeline(
    "an operation that ends with the processor's own part needs no switch",
    {
        "a": [par(send("c", 1), send("d", 1), recv("c")), do(1)],
        "b": [do(2)],
        "c": [send("a", 2), recv("a")],
        "d": [recv("a")],
    },
    line("Q", "P", "R"),
    {"a": "P", "b": "P", "c": "Q", "d": "R"},
    # Set-up 4, in turn; switch 10.
    # 0   P takes a, which sets up c's message to 4 and d's to 8. c sets up to 4.
    # 4   a -> c from 4 to 7. c -> a, 2 + 2 ticks, to 8. c asks for a's message.
    # 7   c's message has come: c ends.
    # 8   a's own part is done, and c's message has come at this very tick: a goes on, to 9. a -> d from 8 to 11.
    # 9   P changes to b, to 19; b ends at 21.
    Costs("overlap", **WIRE, setup=4, setups="in-turn", switch=10),
    {
        "finish": {"a": 9, "b": 21, "c": 7, "d": 11},
        "switches": {"Q": 0, "P": 1, "R": 0},
        "transfers": {
            ("P", "Q"): [(4, 7, 1, ("a", "c"))],
            ("Q", "P"): [(4, 8, 2, ("c", "a"))],
            ("P", "R"): [(8, 11, 1, ("a", "d"))],
        },
    },
)

A_TICK_LATER = Timeline(
    "an operation that ends a tick after the processor's own part needs two",
    {**AT_THAT_TICK.programs, "c": [send("a", 3), recv("a")]},
    AT_THAT_TICK.net,
    AT_THAT_TICK.placement,
    # As before, but c -> a takes 2 + 3 ticks, from 4 to 9.
    # 8   a's own part is done, and c's message has not come: P changes to b, to 18.
    # 9   a is ready.
    # 18  b computes to 20 and ends. P changes to a, to 30, which computes to 31.
    AT_THAT_TICK.costs,
    {"finish": {"a": 31, "b": 20, "c": 7, "d": 11}, "switches": {"Q": 0, "P": 2, "R": 0}},
)

MIXED_PAR = Timeline(
    "set-ups and a copy of one par, together",
    {"a": [par(send("c", 1), send("b", 2), send("d", 1))], "b": [recv("a")], "c": [recv("a")], "d": [recv("a")]},
    line("Q", "P", "R"),
    {"a": "P", "b": "P", "c": "Q", "d": "R"},
    # Set-up 4, copy 2 + words.
    # 0   P takes a. What goes over links begins first: P sets up the messages to c and d together, to 4.
    # 4   a -> c and a -> d from 4 to 7. Then b's message: the channel has room, and P copies 2 + 2 ticks, to 8.
    # 8   a's own part is done and nothing of it waits: it ends. P takes b, which finds its message and ends.
    Costs("overlap", **WIRE, setup=4, local_startup=2, local_per_word=1),
    {
        "finish": {"a": 8, "b": 8, "c": 7, "d": 7},
        "switches": {"Q": 0, "P": 1, "R": 0},
        "copies": {"Q": 0, "P": 4, "R": 0},
    },
)

MIXED_PAR_IN_TURN = Timeline(
    "set-ups and a copy of one par, in turn",
    MIXED_PAR.programs,
    MIXED_PAR.net,
    MIXED_PAR.placement,
    # As before, but d's message is set up from 4 to 8, and goes from 8 to 11.
    # P copies from 8 to 12: a ends then, and P takes b.
    Costs("overlap", **WIRE, setup=4, setups="in-turn", local_startup=2, local_per_word=1),
    {
        "finish": {"a": 12, "b": 12, "c": 7, "d": 11},
        "switches": {"Q": 0, "P": 1, "R": 0},
        "copies": {"Q": 0, "P": 4, "R": 0},
    },
)

FORWARDED = Timeline(
    "a processor that forwards",
    {"a": [send("c", 4)], "b": [do(9), recv("c"), do(2)], "c": [recv("a"), send("b", 1)]},
    line("P", "Q", "R"),
    {"a": "P", "b": "Q", "c": "R"},
    # Hop 3, switch 10.
    # 0   a and c are ready: P -> Q for 2 + 4 ticks, to 6. b computes to 9.
    # 6   the message has arrived whole at Q, which is busy with b.
    # 9   b asks c and waits. Q changes to the message, to 19, and spends a hop on it, to 22.
    # 22  Q -> R for 6 ticks, to 28.
    # 28  a ends. c sends to b, who asked at 9: R -> Q for 2 + 1 ticks, to 31.
    # 31  c ends. b is ready; Q changes from forwarding to b, to 41, which computes to 43.
    Costs("rendezvous", **WIRE, hop=3, switch=10, routing="processor"),
    {
        "finish": {"a": 28, "b": 43, "c": 31},
        "processors": {"P": 28, "Q": 43, "R": 31},
        "switches": {"P": 0, "Q": 2, "R": 0},
        "copies": {"P": 0, "Q": 0, "R": 0},
        "transfers": {
            ("P", "Q"): [(0, 6, 4, ("a", "c"))],
            ("Q", "R"): [(22, 28, 4, ("a", "c"))],
            ("R", "Q"): [(28, 31, 1, ("c", "b"))],
        },
        "levels": {("Q", "R"): 1},
    },
)

FORWARDED_TWICE = Timeline(
    "a processor that forwards two messages after one switch",
    {"a": [send("c", 1), send("c", 1)], "b": [do(9)], "c": [recv("a"), recv("a")]},
    line("P", "Q", "R"),
    {"a": "P", "b": "Q", "c": "R"},
    # Hop 3, switch 10, two buffers at c; a message takes 3 ticks on a link.
    # 0   a sends both and ends. P -> Q for the first to 3, for the second to 6. b computes to 9 and ends.
    # 9   Q changes to the first message, to 19, and spends a hop on it, to 22.
    # 22  Q -> R to 25. Q goes on with the second without a switch, and spends a hop on it, to 25.
    # 25  Q -> R for the second, to 28; Q has finished.
    # 28  c has both. From 3 to 25 Q held two messages for R.
    Costs("overlap", **WIRE, hop=3, switch=10, buffers=2, routing="processor"),
    {
        "finish": {"a": 0, "b": 9, "c": 28},
        "processors": {"P": 0, "Q": 25, "R": 28},
        "switches": {"P": 0, "Q": 1, "R": 0},
        "transfers": {
            ("P", "Q"): [(0, 3, 1, ("a", "c")), (3, 6, 1, ("a", "c"))],
            ("Q", "R"): [(22, 25, 1, ("a", "c")), (25, 28, 1, ("a", "c"))],
        },
        "levels": {("Q", "R"): 2},
    },
)

RING = one_way_ring("P", "Q", "R", "S")
ROUND = {
    "a": [par(send("d", 1), recv("b"))],
    "b": [par(send("a", 1), recv("c"))],
    "c": [par(send("b", 1), recv("d"))],
    "d": [par(send("c", 1), recv("a"))],
}
ON_RING = {"a": "P", "b": "Q", "c": "R", "d": "S"}

FULL_RING = Timeline(
    "router buffers of 1 on a ring of 4",
    ROUND,
    RING,
    ON_RING,
    # Each sends three links on, over two routers.
    # 0   a's message has P -> Q to 3, and the only room at Q for Q -> R. So have all others, one place on.
    # 3   a's message asks for Q -> R. It needs room at R for R -> S, which b's message has until it has left R.
    #     That one needs room at S, which c's has; c's needs room at P, which d's has; d's needs room at Q: a's has it.
    Costs("overlap", **WIRE, router_buffers=1),
    "deadlock",
)

ROOMY_RING = Timeline(
    "router buffers of 2 on a ring of 4",
    ROUND,
    RING,
    ON_RING,
    # 3   as above, but R has room for one more: a's message has Q -> R to 6, and both places of R for R -> S are taken.
    # 6   b's message has left R. a's has R -> S, where it ends, to 9.
    Costs("overlap", **WIRE, router_buffers=2),
    {
        "finish": {"a": 9, "b": 9, "c": 9, "d": 9},
        "transfers": {
            ("P", "Q"): [(0, 3, 1, ("a", "d")), (3, 6, 1, ("d", "c")), (6, 9, 1, ("c", "b"))],
            ("Q", "R"): [(0, 3, 1, ("b", "a")), (3, 6, 1, ("a", "d")), (6, 9, 1, ("d", "c"))],
            ("R", "S"): [(0, 3, 1, ("c", "b")), (3, 6, 1, ("b", "a")), (6, 9, 1, ("a", "d"))],
            ("S", "P"): [(0, 3, 1, ("d", "c")), (3, 6, 1, ("c", "b")), (6, 9, 1, ("b", "a"))],
        },
        "levels": {("P", "Q"): 2, ("Q", "R"): 2, ("R", "S"): 2, ("S", "P"): 2},
    },
)

TIMELINES = [each for each in globals().values() if isinstance(each, Timeline)]
