"""A run at one moment as a screen of text: the network, the last event, messages, and what a processor holds."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from meshsim.experiments.figures.network_layout import Layout, lay_out
from meshsim.experiments.reports.watched import event_words, hand_lines, message_words
from meshsim.experiments.studies.watching import ENDED, Watch
from meshsim.trace import label

SMALLEST = (60, 18)
"""Letters and lines that a screen needs at least."""
LETTERS = {
    "compute": "C",
    "send": "S",
    "receive": "R",
    "wait": "w",
    "switch": "X",
    "copy": "K",
    "forward": "F",
    ENDED: ".",
}
"""What a processor does, by a letter."""
LEGEND = "C compute  S send  R receive  w wait  . ended"
SHARED_LEGEND = f"{LEGEND}  X switch  K copy  F forward"
KEYS = "n next  b back  tab processor  p its next  o its last  g go to  ? help  q quit"
HELP = """keys

n, right, space   next event             b, left      back
p                 next event of the      o            its event before
                  chosen processor
j, tab, down      choose the next        k, up        the one before
                  processor              f            that of this event
g                 go to a tick (120) or to a time (12.5us)
home, end         before the first event, after the last
?                 this page              q            quit

A processor's letter tells what it does from this tick on. * > < ^ v on a link
are messages under way; those that wait to be taken stand before their receiver.
Events of one tick come after their causes, and otherwise in node order.

any key goes back"""
MOST_MESSAGES = 4
"""Messages under way that have a line, where the screen is small."""

Place = tuple[int, int]


class View(NamedTuple):
    """A moment: how many events have been, the tick, and the processor that was chosen."""

    passed: int
    tick: int
    chosen: int


@dataclass
class Canvas:
    """Letters on a screen, each with the name of its style: one of `LETTERS`, title, event, chosen, message or none."""

    width: int
    height: int
    letters: list[list[str]] = field(init=False)
    styles: list[list[str]] = field(init=False)

    def __post_init__(self) -> None:
        self.letters = [[" "] * self.width for _ in range(self.height)]
        self.styles = [[""] * self.width for _ in range(self.height)]

    def write(self, row: int, column: int, text: str, style: str = "") -> None:
        """Put a text somewhere; what does not fit is left out."""
        if not 0 <= row < self.height:
            return
        for place, letter in enumerate(text, start=column):
            if 0 <= place < self.width:
                self.letters[row][place] = letter if letter.isprintable() else "?"
                self.styles[row][place] = style

    def lines(self) -> list[str]:
        """The text alone."""
        return ["".join(letters).rstrip() for letters in self.letters]

    def runs(self) -> Iterable[tuple[int, int, str, str]]:
        """Row, column, text and style of what has one style."""
        for row, (letters, styles) in enumerate(zip(self.letters, self.styles, strict=True)):
            changes = [0, *(place for place in range(1, self.width) if styles[place] != styles[place - 1]), self.width]
            for low, high in pairwise(changes):
                yield row, low, "".join(letters[low:high]), styles[low]


class Screen:
    """Draws moments of a run."""

    def __init__(self, watch: Watch, title: str) -> None:
        self.watch = watch
        self.title = title
        self.layout: Layout = lay_out(watch.network)
        self.numbers = {core.node: number for number, core in enumerate(watch.columns.processors)}
        self.legend = SHARED_LEGEND if any(core.shared for core in watch.columns.processors) else LEGEND

    def draw(self, view: View, width: int, height: int) -> Canvas:
        """One moment, at a size."""
        canvas = Canvas(width, height)
        if width < SMALLEST[0] or height < SMALLEST[1]:
            canvas.write(0, 0, f"The terminal is {width}x{height}; please make it")
            canvas.write(1, 0, f"{SMALLEST[0]}x{SMALLEST[1]} or larger (q quits).")
            return canvas
        watch, machine = self.watch, self.watch.run.machine
        count = f"event {view.passed} of {len(watch.events)}"
        canvas.write(0, 0, _cut(self.title, width - len(count) - 2), "title")
        canvas.write(0, width - len(count), count, "title")
        time = f"tick {view.tick} of {watch.run.ticks}, {machine.as_us(view.tick)}"
        canvas.write(1, 0, time)
        canvas.write(1 if len(time) + len(self.legend) < width - 1 else 2, width - len(self.legend), self.legend)
        bottom = height - 9
        under_way = watch.under_way(view.passed)
        listed = min(len(under_way), max(MOST_MESSAGES, (height - 20) // 3))
        self._network(canvas, view, 3, bottom - max(listed, MOST_MESSAGES) - 1, under_way)
        self._messages(canvas, bottom - max(listed, MOST_MESSAGES), listed, under_way, view.tick)
        words = (
            event_words(watch, watch.events[view.passed - 1], width - 52) if view.passed else "before the first event"
        )
        canvas.write(bottom, 0, f"> {words}", "event")
        for row, line in enumerate(hand_lines(watch, view.chosen, view.passed, view.tick, width), start=bottom + 1):
            canvas.write(row, 0, line, "chosen" if row == bottom + 1 else "")
        canvas.write(height - 1, 0, KEYS[:width], "title")
        return canvas

    def help(self, width: int, height: int) -> Canvas:
        """The page of keys."""
        canvas = Canvas(width, height)
        for row, line in enumerate(HELP.splitlines()):
            canvas.write(row, 1, line, "" if row else "title")
        return canvas

    # Messages

    def _messages(self, canvas: Canvas, row: int, listed: int, under_way: Sequence[int], tick: int) -> None:
        """Those under way, newest first; the last line tells how many more there are."""
        for place, message in enumerate(reversed(under_way[len(under_way) - listed :])):
            more = len(under_way) - listed
            text = message_words(self.watch, message, tick)
            if place == listed - 1 and more:
                text += f" (and {more} more under way)"
            canvas.write(row + place, 2, text, "message")

    # The network

    def _network(self, canvas: Canvas, view: View, top: int, bottom: int, under_way: Sequence[int]) -> None:
        """Cells where the layout has them, joined by links; in rows where there is no room for that."""
        states = self.watch.states(view.tick)
        room = bottom - top + 1
        cells = {node: self._cell(node, states) for node in self.layout.points}
        wide = max(map(len, cells.values()))
        places = _placed(self.layout, canvas.width, room, wide)
        if not places:
            self._rows(canvas, view, top, room, states)
            return
        drawn = {node: (top + row, column + (wide - len(cells[node])) // 2) for node, (row, column) in places.items()}
        ways = self._ways(drawn, cells)
        for way in ways.values():
            for row, column, letter in way:
                canvas.write(row, column, letter)
        self._dots(canvas, ways, view.tick, under_way)
        for node, (row, column) in drawn.items():
            number = self.numbers.get(node, -1)
            style = states[number] if number >= 0 else ""
            canvas.write(row, column, cells[node], style)
            if number == view.chosen:
                canvas.write(row, column, "[", "chosen")
                canvas.write(row, column + len(cells[node]) - 1, "]", "chosen")

    def _cell(self, node: Hashable, states: Sequence[str]) -> str:
        """A processor with its letter; a switch or a bus by its name alone."""
        if node in self.numbers:
            return f" {label(node)} {LETTERS[states[self.numbers[node]]]} "
        return f"={label(node)}=" if node not in self.watch.network.graph else f"<{label(node)}>"

    def _rows(self, canvas: Canvas, view: View, top: int, room: int, states: Sequence[str]) -> None:
        """Processors in node order, those around the chosen one where not all fit."""
        cells = [self._cell(node, states) for node in self.numbers]
        wide = max(map(len, cells))
        across = max(1, canvas.width // wide)
        first = max(0, min(view.chosen // across - room // 2, -(-len(cells) // across) - room))
        for number in range(first * across, min(len(cells), (first + room) * across)):
            row, column = top + number // across - first, number % across * wide
            canvas.write(row, column, cells[number], states[number])
            if number == view.chosen:
                canvas.write(row, column, "[", "chosen")
                canvas.write(row, column + len(cells[number]) - 1, "]", "chosen")

    def _ways(
        self, drawn: Mapping[Hashable, Place], cells: Mapping[Hashable, str]
    ) -> Mapping[frozenset[Hashable], list[tuple[int, int, str]]]:
        """The letters of each link from one node to the other, outside of cells; none of a link behind other cells."""
        taken = {
            (row, column + place): node for node, (row, column) in drawn.items() for place in range(len(cells[node]))
        }
        found = {}
        for u, v in self.layout.graph.edges:
            start, end = ((drawn[node][0], drawn[node][1] + len(cells[node]) // 2) for node in (u, v))
            way = list(_letters(start, end))
            hidden = {taken.get((row, column)) for row, column, _ in way} - {u, v, None}
            if not hidden:
                found[frozenset((u, v))] = [each for each in way if each[:2] not in taken]
        self._first = {frozenset((u, v)): u for u, v in self.layout.graph.edges}
        return found

    def _dots(
        self,
        canvas: Canvas,
        ways: Mapping[frozenset[Hashable], list[tuple[int, int, str]]],
        tick: int,
        under_way: Sequence[int],
    ) -> None:
        """Messages on links."""
        for message in under_way:
            spot = self.watch.spot(message, tick)
            ends = frozenset(spot.link[:2]) if spot else frozenset()
            way = ways.get(ends)
            if spot is None or not way:
                continue
            forth = self._first[ends] == spot.link.source
            share = spot.share if forth else 1 - spot.share
            row, column, letter = way[min(int(share * len(way)), len(way) - 1)]
            arrow = {"-": "><", "|": "v^"}.get(letter, "**")
            back = (way[0][:2] > way[-1][:2]) == forth
            canvas.write(row, column, arrow[back], "message")


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 2]}.."


def _letters(start: Place, end: Place) -> Iterable[tuple[int, int, str]]:
    """A line of letters between two places."""
    down, across = end[0] - start[0], end[1] - start[1]
    letter = "-" if not down else "|" if abs(across) <= 1 else "."
    steps = max(abs(down), abs(across) if letter == "-" else abs(across) // 2, 1)
    for step in range(steps + 1):
        yield start[0] + round(down * step / steps), start[1] + round(across * step / steps), letter


def _placed(layout: Layout, width: int, height: int, wide: int) -> Mapping[Hashable, Place]:
    """Rows and columns of all cells, as the layout's points stand; nothing if two would meet."""
    if height < 1:
        return {}
    xs, ys = ([point[axis] for point in layout.points.values()] for axis in (0, 1))
    near = min(layout.nearest, 1.0) or 1.0
    across = min((width - wide) / ((max(xs) - min(xs)) or 1.0), (wide + 8) / near)
    down = min((height - 1) / ((max(ys) - min(ys)) or 1.0), 4 / near)
    if all(value == int(value) for value in (*xs, *ys)):
        across, down = float(int(across)), float(int(down))
    left = (width - wide - int(across * (max(xs) - min(xs)))) // 2
    found = {
        node: (round(down * (max(ys) - y)), left + round(across * (x - min(xs))))
        for node, (x, y) in layout.points.items()
    }
    ranked = sorted(found.values())
    meet = any(one[0] == other[0] and other[1] - one[1] < wide for one, other in pairwise(ranked))
    return {} if meet else found
