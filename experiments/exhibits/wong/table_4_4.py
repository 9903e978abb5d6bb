"""Vectors between cpu03, cpu04 and cpu14, cycles 10 to 15, and whether arithmetic hides them."""

from collections.abc import Mapping
from dataclasses import replace

from meshsim.experiments.exhibits.base.exhibit import Computed, Exhibit, Line
from meshsim.experiments.exhibits.base.schedules import ROW_ZERO, Schedule, counted, row_one, step
from meshsim.presets import PRESETS
from meshsim.trace import Message

N = 4
ROOM = (
    "with one buffer a vector waits in its sender till the one before it is taken, and our cells take a vector only "
    "when they need it, not while they compute; that delays row 0, and p'' with it"
)
EARLY = "sent as soon as it exists, where the table sends it when cpu14 has time to receive it"
LATE = "cpu14 hands J w over when it has J w' as well, because without buffers the table's order deadlocks"
PLACES = {name: place for place, name in enumerate(ROW_ZERO)}
VECTORS: Mapping[str, tuple[tuple[int, int], tuple[int, int], int, int]] = {
    "p''_2, cpu02 to cpu03": ((0, 2), (0, 3), PLACES["p''"], 1),
    "rho_41, cpu14 to cpu04": ((1, N), (0, N), PLACES["W"], 0),
    "W_3 l_3, cpu03 to cpu04": ((0, 3), (0, N), PLACES["p''"], 0),
    "p''_3, cpu03 to cpu04": ((0, 3), (0, N), PLACES["p''"], 1),
    "w_4, cpu04 to cpu14": ((0, N), (1, N), row_one(N)["J w"], 0),
    "w'_4, cpu04 to cpu14": ((0, N), (1, N), row_one(N)["J w'"], 0),
    "a_4 = J w, cpu14 to cpu04": ((1, N), (0, N), PLACES["w x J w, m p''"], 0),
    "b_4 = J w', cpu14 to cpu04": ((1, N), (0, N), PLACES["L'"], 0),
}
"""Sender, receiver, for which of the receiver's operations it comes, and as which of the sender's vectors."""


def _message(schedule: Schedule, label: str) -> Message | None:
    sender, receiver, place, which = VECTORS[label]
    came = schedule.atoms[receiver][place].received
    came = [message for message in came if message.channel.sender.cpu.node == sender]
    return came[which] if which < len(came) else None


def _waited(schedule: Schedule, label: str) -> float | None:
    """How long sender and receiver stood still for a message alone, in us; not for the arithmetic before it."""
    message = _message(schedule, label)
    if message is None:
        return None
    ticks = message.left - message.sent + message.taken - max(message.asked, message.sent)
    return schedule.run.machine.microseconds(ticks)


def compute() -> Computed:
    """Words and cycles from a run on `ideal`, waits from runs on `t800-overlap`."""
    ideal, overlap = counted("wong-mesh", N), PRESETS["t800-overlap"]
    timed = [step("wong-mesh", N, replace(overlap, links=replace(overlap.links, buffers=each))) for each in (1, 2)]
    found = {}
    for label in VECTORS:
        message = _message(ideal, label)
        crossing = [message.words, ideal.crossing(message)] if message else [0, None]
        found[label] = [*crossing, *(_waited(schedule, label) for schedule in timed)]
    return found


EXHIBIT = Exhibit(
    "wong-table-4.4",
    f"Vectors that pass between cpu03, cpu04 and cpu14 in cycles 10 to 15, n = {N}, and what they keep waiting",
    ["floats", "cycle", "waited, us", "waited, us, two buffers"],
    [
        Line("p''_2, cpu02 to cpu03", [3, 10, 0, 0], ROOM),
        Line(
            "rho_41, cpu14 to cpu04",
            [3, 10, 0, 0],
            "row 1 hands c and rho x c (or rho) over in the product phase: the table's order, while row 0 waits for "
            "its own neighbours, deadlocks without buffers",
        ),
        Line("W_3 l_3, cpu03 to cpu04", [3, 11, 0, 0], ROOM),
        Line("p''_3, cpu03 to cpu04", [3, 12, 0, 0], ROOM),
        Line("w_4, cpu04 to cpu14", [3, 11, 0, 0], EARLY),
        Line("w'_4, cpu04 to cpu14", [3, 12, 0, 0], f"{EARLY}; {ROOM}"),
        Line("a_4 = J w, cpu14 to cpu04", [3, 13, 0, 0], LATE),
        Line("b_4 = J w', cpu14 to cpu04", [3, 14, None, None], f"it follows J w: {LATE}"),
    ],
    compute,
    "A vector crosses in the cycle after the operation it follows (section 4.3). Waited: for how long sender and "
    "receiver stood still for the transfer alone on `t800-overlap`, where a vector takes 12 us; then the same with two "
    "buffers a channel. "
    "Published is 0 for all that section 4.4 calls hidden; the exception is read as b_4, after which cpu14 has "
    "nothing left to compute.",
)
