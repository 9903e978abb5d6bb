"""What recursive doubling costs on a mesh, where data go from neighbour to neighbour."""

from collections.abc import Sequence
from dataclasses import replace
from math import log2

from meshsim.algorithms.collectives.recursive_doubling import CUBE, HYPERCUBE, LINE, PIPELINE, Doubling
from meshsim.experiments.exhibits.base.exhibit import Appendix, Computed, Exhibit, Line
from meshsim.experiments.studies.doubling_alone import (
    COMPOSITE_BODIES,
    EACH_MESSAGE,
    communication,
    doubling,
    message_hops,
    placed_doubling,
    without_arithmetic,
)
from meshsim.machine import SWITCHING, Machine
from meshsim.presets import PRESETS

SIZES = (2, 4, 6, 8, 12, 16)
LARGER = (*SIZES, 32)
STAGES = [(n - 1).bit_length() for n in SIZES]
ROW = Line("hops one after the other, row of a mesh", [2**stages - 1 for stages in STAGES])
ONE_END = Line(
    "the same, hypercube where one end computes", [stages * (stages + 1) // 2 for stages in STAGES]
)  # Wong sec. 4.7.2
BOTH_ENDS = Line(
    "the same, hypercube where both ends compute, links of half duplex",
    [2 * stages for stages in STAGES],
    "an exchange over a link of half duplex is two messages, one after the other. Ours adds one in each stage but the "
    "first and the last, in which one end alone forms what both need next, so that a stage takes one product; and one "
    "where n is 6 or 12, to corners that lack a partner",
    counted=[0, 0, 2, 1, 3, 2],
)  # Wong sec. 4.7.2
MORE = Line(
    "more on the row than on the hypercube, links of full duplex, %",
    [150] * len(SIZES),
    not_comparable="the text gives no n, and not what was counted; it cites Fijany 1989, which is not among the "
    "documents",
)
Place = tuple[str, str] | None
"""A family of networks and a placement; None for the network that programs are written for."""
HERE: Place = None
CASES: tuple[tuple[str, Doubling, Place], ...] = (
    ("hypercube's, on it", HYPERCUBE, HERE),
    ("row's, on it", PIPELINE, HERE),
    ("row's without doubling, on it", LINE, HERE),
    ("hypercube's, on a row", HYPERCUBE, ("pipeline", "identity")),
    ("hypercube's, on a square mesh, snake", HYPERCUBE, ("square-mesh", "snake")),
    ("hypercube's, on a square mesh, rows", HYPERCUBE, ("square-mesh", "rows")),
    ("generalised cube's, on a row", CUBE, ("pipeline", "identity")),
    ("generalised cube's, on a square mesh, snake", CUBE, ("square-mesh", "snake")),
)
T800 = PRESETS["t800"]
LINKS = without_arithmetic(T800)
HALF = replace(EACH_MESSAGE, links=replace(EACH_MESSAGE.links, duplex="half"))


def hops(way: Doubling, n: int, place: Place = HERE, machine: Machine = EACH_MESSAGE) -> int:
    """How many messages follow one another in one doubling of a vector."""
    plan = doubling(way, n)
    return (placed_doubling(plan, *place) if place else plan).run(machine, trace=False).ticks


def percent(more: float, than: float) -> float:
    """By how many per cent one number is larger than another."""
    return 100.0 * (more / than - 1.0)


def compute() -> Computed:
    """From runs with a tick a message, store-and-forward, arithmetic free."""
    row = [hops(PIPELINE, n) for n in SIZES]
    both = [hops(HYPERCUBE, n) for n in SIZES]
    return {
        ROW.label: row,
        ONE_END.label: [hops(CUBE, n, ("incomplete-hypercube", "identity")) for n in SIZES],
        BOTH_ENDS.label: [hops(HYPERCUBE, n, machine=HALF) for n in SIZES],
        MORE.label: [round(percent(more, than), 9) for more, than in zip(row, both, strict=True)],
    }


def readings() -> Appendix:
    """By how many per cent hops on the row are more, by what is counted."""
    stages = [(n - 1).bit_length() for n in LARGER]
    row = [2**each - 1 for each in stages]  # the sum of 2^(i-1)
    counts: dict[str, tuple[Sequence[float], Sequence[float]]] = {
        "one hop a stage, log2 n rounded up": (row, stages),
        "one hop a stage, log2 n as it is, and n - 1 on the row": ([n - 1 for n in LARGER], [log2(n) for n in LARGER]),
        "two hops a stage (sec. 4.7.2)": (row, [2 * each for each in stages]),
        "simulated, both ends compute, links of full duplex": (row, [hops(HYPERCUBE, n) for n in LARGER]),
        "simulated, both ends compute, links of half duplex": (row, [hops(HYPERCUBE, n, machine=HALF) for n in LARGER]),
        "sum of i, one end computes (sec. 4.7.2)": (row, [each * (each + 1) // 2 for each in stages]),
    }
    rows = [
        [label, *(f"{percent(more, than):+.0f}" for more, than in zip(*pair, strict=True))]
        for label, pair in counts.items()
    ]
    return Appendix(
        "What 150 % could mean: by how many % hops on a row are more",
        ["hops on the hypercube", *(f"n = {n}" for n in LARGER)],
        rows,
    )


def forwarded(machine: Machine, switching: str) -> Machine:
    """A machine with routers that take no time beside its processors; the machine as it is where they forward."""
    if switching not in SWITCHING:
        return machine
    return replace(machine, links=replace(machine.links, switching=switching, routing="router", hop=0))


def times(way: Doubling, n: int, place: Place, switching: str) -> dict[str, str]:
    """What the doublings of composite bodies take on `t800`, all four of them."""
    plan = doubling(way, n, COMPOSITE_BODIES)
    plan = placed_doubling(plan, *place) if place else plan
    alone, whole = (plan.run(forwarded(machine, switching)) for machine in (LINKS, T800))
    return {
        "arithmetic free, us": f"{LINKS.microseconds(alone.ticks):.1f}",
        "communication, us": f"{T800.microseconds(communication(whole)):.1f}",
        "all, us": f"{T800.microseconds(whole.ticks):.1f}",
        "links crossed": str(message_hops(whole)),
    }


def appendix() -> Appendix:
    """Times of the four doublings that the scheme has."""
    rows = []
    for label, way, place in CASES:
        for switching in ("processors forward", *SWITCHING) if place else ("neighbours",):
            found = [times(way, n, place, switching) for n in SIZES]
            for what in found[0]:
                rows.append([label, switching, what, *(each[what] for each in found)])
    return Appendix(
        "The doublings of rotations, positions, first and second moments on t800",
        ["programs", "on the way", "what", *(f"n = {n}" for n in SIZES)],
        rows,
    )


EXHIBIT = Exhibit(
    "wong-sec-4.7.3",
    "Recursive doubling on a row of a mesh and on a hypercube: messages that follow one another",
    [f"n = {n}" for n in SIZES],
    [ROW, ONE_END, BOTH_ENDS, MORE],
    compute,
    "From runs in which a message takes a tick a hop and arithmetic none: the programs of a row, which pass data from "
    "neighbour to neighbour; those of a generalised cube, placed on a hypercube whose routers store and forward; those "
    "of a hypercube on it. The text says that the row's sum of 2^(i-1) increases the cost by 150 %. Of the readings "
    "below, that is exactly so in one: 16 processors, links of full duplex, both ends compute, and nothing is sent "
    "that nobody needs (15 hops against 6). It is a factor of 1.5 for 4 processors with a hop a stage (3 against 2), "
    "and for 16 with the sum of i or with links of half duplex (15 against 10). With a hop a stage it is 133 % for 5 "
    "to 8 processors, which may have been rounded.",
    appendix=appendix,
    readings=readings,
)
