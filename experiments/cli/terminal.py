"""The screen of `meshsim watch`: a thin loop around `Screen`, in curses."""

import argparse
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from meshsim.errors import MeshSimError
from meshsim.experiments.cli.units import seconds
from meshsim.experiments.reports.screen import Screen, View
from meshsim.experiments.studies.watching import Watch

COLOURS = {
    "compute": ("white", "blue"),
    "send": ("black", "yellow"),
    "receive": ("black", "cyan"),
    "wait": ("default", "default"),
    "switch": ("white", "magenta"),
    "copy": ("black", "green"),
    "forward": ("white", "green"),
    "ended": ("default", "default"),
    "message": ("yellow", "default"),
}
"""Of styles, letters and ground: near to those of the Gantt picture, of the eight that every terminal has."""
ESCAPE_MS = 25
"""How long an escape may be the begin of another key."""


def need_curses() -> Any:
    """The module, or a word on what to do without it."""
    try:
        import curses
    except ImportError:  # Windows
        raise MeshSimError(
            "watching on a screen takes Python's curses, which is not here; --plain prints the events"
        ) from None
    return curses


def tick_of(text: str, watch: Watch) -> int:
    """The tick that a text names: a whole number, or a time with its unit."""
    try:
        if text.strip().isdecimal():
            return min(int(text), watch.run.ticks)
        if text.strip()[-1:].isalpha():
            nanoseconds = seconds(text) * 1e9
            if nanoseconds >= 0:
                return min(round(nanoseconds / watch.run.machine.tick_ns), watch.run.ticks)
    except (argparse.ArgumentTypeError, OverflowError, ValueError):
        pass
    raise MeshSimError(f"a moment must be a tick such as 120 or a time such as 12.5us, not {text!r}")


class Session:
    """A person at a keyboard, looking at a moment of a run."""

    def __init__(self, watch: Watch, tick: int, chosen: int) -> None:
        self.watch = watch
        self.view = View(watch.count(tick) if tick else 0, tick, chosen)

    def press(self, key: str) -> None:
        """Go where a key leads; other keys do nothing."""
        count, processors = self.view.passed, len(self.watch.columns.processors)
        moves: Mapping[str, Callable[[], int]] = {
            "next": lambda: count + 1,
            "back": lambda: count - 1,
            "home": lambda: 0,
            "end": lambda: len(self.watch.events),
            "own next": lambda: self.watch.next_of(self.view.chosen, count),
            "own last": lambda: self.watch.previous_of(self.view.chosen, count),
        }
        if key in moves:
            self._go(moves[key]())
        elif key in ("down", "up"):
            step = 1 if key == "down" else -1
            self.view = self.view._replace(chosen=(self.view.chosen + step) % processors)
        elif key == "follow" and count:
            self.view = self.view._replace(chosen=self.watch.events[count - 1].processor)

    def _go(self, count: int) -> None:
        count = max(0, min(count, len(self.watch.events)))
        self.view = self.view._replace(passed=count, tick=self.watch.events[count - 1].tick if count else 0)

    def go_to(self, tick: int) -> None:
        """Go to a tick, after all of its events."""
        self.view = self.view._replace(passed=self.watch.count(tick), tick=tick)


def step_through(watch: Watch, title: str, tick: int, chosen: int) -> None:
    """Show a run until the person quits."""
    curses = need_curses()
    screen, session = Screen(watch, title), Session(watch, tick, chosen)
    try:
        curses.wrapper(_loop, curses, screen, session)
    except curses.error as error:
        raise MeshSimError(f"the terminal cannot show a screen ({error}); --plain prints the events") from None
    except KeyboardInterrupt:
        pass


def _loop(window: Any, curses: Any, screen: Screen, session: Session) -> None:
    """Draw, wait for a key, do what it says."""
    styles, keys = _styles(curses), _keys(curses)
    with suppress(curses.error):
        curses.curs_set(0)
    if hasattr(curses, "set_escdelay"):
        curses.set_escdelay(ESCAPE_MS)
    helping = False
    while True:
        height, width = window.getmaxyx()
        canvas = screen.help(width, height) if helping else screen.draw(session.view, width, height)
        _show(window, curses, canvas, styles)
        pressed = window.getch()
        key = keys.get(pressed, "")
        if key == "resize" or pressed == -1:
            curses.update_lines_cols()
        elif helping:
            helping = False
        elif key == "quit":
            return
        elif key == "help":
            helping = True
        elif key == "go":
            _ask(window, curses, session)
        else:
            session.press(key)


def _ask(window: Any, curses: Any, session: Session) -> None:
    """Ask for a tick or a time; what is none is asked again, nothing at all goes back."""
    about = "go to tick or time: "
    while True:
        height, width = window.getmaxyx()
        window.move(height - 1, 0)
        window.clrtoeol()
        window.addnstr(height - 1, 0, about, width - 1)
        curses.echo()
        try:
            text = window.getstr(height - 1, min(len(about), width - 2), 20).decode(errors="replace").strip()
        finally:
            curses.noecho()
        if not text:
            return
        try:
            session.go_to(tick_of(text, session.watch))
            return
        except MeshSimError:
            about = "a tick such as 120, or a time such as 12.5us: "


def _show(window: Any, curses: Any, canvas: Any, styles: Mapping[str, int]) -> None:
    window.erase()
    for row, column, text, style in canvas.runs():
        with suppress(curses.error):  # the last place of the last line, and a window that has just shrunk
            window.addstr(row, column, text, styles.get(style, 0))
    window.refresh()


def _styles(curses: Any) -> dict[str, int]:
    """What each style looks like; without colours, letters say it."""
    found = {"title": curses.A_BOLD, "event": curses.A_BOLD, "chosen": curses.A_BOLD | curses.A_UNDERLINE}
    if not curses.has_colors():
        return {**found, "message": curses.A_BOLD}
    curses.start_color()
    with suppress(curses.error):
        curses.use_default_colors()
    for number, (style, (letters, ground)) in enumerate(COLOURS.items(), start=1):
        pair = (-1 if each == "default" else getattr(curses, f"COLOR_{each.upper()}") for each in (letters, ground))
        with suppress(curses.error):
            curses.init_pair(number, *pair)
            found[style] = curses.color_pair(number)
    return found


def _keys(curses: Any) -> dict[int, str]:
    """What each key does."""
    letters = {
        "next": "n l",
        "back": "bh",
        "own next": "p",
        "own last": "o",
        "down": "j\t",
        "up": "k",
        "follow": "f",
        "go": "g",
        "help": "?",
        "quit": "qQ",
    }
    found = {ord(letter): name for name, each in letters.items() for letter in each}
    special = {
        "KEY_RIGHT": "next",
        "KEY_LEFT": "back",
        "KEY_DOWN": "down",
        "KEY_UP": "up",
        "KEY_BTAB": "up",
        "KEY_HOME": "home",
        "KEY_END": "end",
        "KEY_RESIZE": "resize",
    }
    return found | {getattr(curses, name): does for name, does in special.items()}
