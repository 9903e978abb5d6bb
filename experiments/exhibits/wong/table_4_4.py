"""Vectors between cpu03, cpu04 and cpu14, cycles 10 to 15, and whether arithmetic hides them."""

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from meshsim.experiments.exhibits.base.exhibit import Computed, Exhibit, Line
from meshsim.experiments.exhibits.base.schedules import ROW_ZERO, Schedule, counted, row_one, step
from meshsim.presets import PRESETS
from meshsim.trace import Message

N = 4
FIRST = "in the published order a cell has a cycle's communications before its computation, so that nothing hides them"
ROOM = (
    "with one buffer a vector waits in its sender till the one before it is taken, and a cell of order=early takes a "
    "vector when it needs it, not while it computes; that delays row 0, and p'' with it"
)
EARLY = "order=early hands rho over in the product phase, and only where rho x c is recomputed"
LATE = "in order=early cpu14 hands J w over after J w', and cpu04 needs it at once"
PLACES = {name: place for place, name in enumerate(ROW_ZERO)}
ROW_ONE = row_one(N)


class Vector(NamedTuple):
    """Sender, receiver, and before which of the receiver's operations it comes.

    In the published order that is the one of the same cycle. In order=early it is the one that needs it, for which the
    sender may send several.
    """

    sender: tuple[int, int]
    receiver: tuple[int, int]
    beside: int
    needed: int
    which: int = 0

    def found(self, schedule: Schedule) -> Message | None:
        """Its message in a run."""
        place, which = (self.beside, 0) if schedule.published else (self.needed, self.which)
        came = schedule.atoms[self.receiver][place].received
        came = [message for message in came if message.channel.sender.cpu.node == self.sender]
        return came[which] if which < len(came) else None


VECTORS: Mapping[str, Vector] = {
    "p''_2, cpu02 to cpu03": Vector((0, 2), (0, 3), PLACES["W l"], PLACES["p''"], 1),
    "rho_41, cpu14 to cpu04": Vector((1, N), (0, N), PLACES["W"], PLACES["W"]),
    "W_3 l_3, cpu03 to cpu04": Vector((0, 3), (0, N), PLACES["-W k"], PLACES["p''"]),
    "p''_3, cpu03 to cpu04": Vector((0, 3), (0, N), PLACES["W l"], PLACES["p''"], 1),
    "w_4, cpu04 to cpu14": Vector((0, N), (1, N), ROW_ONE["m (rho x c)_i,1"], ROW_ONE["J w"]),
    "w'_4, cpu04 to cpu14": Vector((0, N), (1, N), ROW_ONE["J w"], ROW_ONE["J w'"]),
    "a_4 = J w, cpu14 to cpu04": Vector((1, N), (0, N), PLACES["p''"], PLACES["w x J w, m p''"]),
    "b_4 = J w', cpu14 to cpu04": Vector((1, N), (0, N), PLACES["w x J w, m p''"], PLACES["L'"]),
}


def _waited(schedule: Schedule, vector: Vector) -> float | None:
    """How long sender and receiver stood still for a message alone, in us; not for the arithmetic before it."""
    message = vector.found(schedule)
    if message is None:
        return None
    ticks = message.left - message.sent + message.taken - max(message.asked, message.sent)
    return schedule.run.machine.microseconds(ticks)


def compute() -> Computed:
    """Words and cycles from a run on `ideal`, waits from runs on `t800-overlap`.

    In the published order rho x c is recomputed: the table hands rho to row 0 as well as c, which is for that.
    """
    ideal, overlap = counted("wong-mesh", N, order="published", rho="recompute"), PRESETS["t800-overlap"]
    deeper = replace(overlap, links=replace(overlap.links, buffers=2))
    timed = [
        step("wong-mesh", N, overlap),
        step("wong-mesh", N, deeper),
        step("wong-mesh", N, overlap, order="published", rho="recompute"),
    ]
    found = {}
    for label, vector in VECTORS.items():
        message = vector.found(ideal)
        crossing = [message.words, ideal.crossing(message)] if message else [0, None]
        found[label] = [*crossing, *(_waited(schedule, vector) for schedule in timed)]
    return found


EXHIBIT = Exhibit(
    "wong-table-4.4",
    f"Vectors that pass between cpu03, cpu04 and cpu14 in cycles 10 to 15, n = {N}, and what they keep waiting",
    ["floats", "cycle", "waited, us", "waited, us, two buffers", "waited, us, published order"],
    [
        Line("p''_2, cpu02 to cpu03", [3, 10, 0, 0, 0], f"{ROOM}; {FIRST}"),
        Line(
            "rho_41, cpu14 to cpu04",
            [3, 10, 0, 0, 0],
            not_comparable=("", "", EARLY, EARLY, ""),
        ),
        Line("W_3 l_3, cpu03 to cpu04", [3, 11, 0, 0, 0], FIRST),
        Line("p''_3, cpu03 to cpu04", [3, 12, 0, 0, 0], f"{ROOM}; {FIRST}"),
        Line("w_4, cpu04 to cpu14", [3, 11, 0, 0, 0], FIRST),
        Line("w'_4, cpu04 to cpu14", [3, 12, 0, 0, 0], f"{ROOM}; {FIRST}"),
        Line("a_4 = J w, cpu14 to cpu04", [3, 13, 0, 0, 0], f"{LATE}; {FIRST}"),
        Line("b_4 = J w', cpu14 to cpu04", [3, 14, None, None, None]),
    ],
    compute,
    "Floats and cycles are of a run in the published order, where a vector crosses in the cycle after the operation it "
    "follows (section 4.3). Waited: for how long sender and receiver stood still for the transfer alone on "
    "`t800-overlap`, where a vector takes 12 us: in order=early, with one buffer a channel and with two, and in the "
    "published order. "
    "Published is 0 for all that section 4.4 calls hidden; the exception is read as b_4, after which cpu14 has "
    "nothing left to compute.",
)
