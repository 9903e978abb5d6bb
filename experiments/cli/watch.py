"""`meshsim watch`."""

import argparse
import json
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

from meshsim.errors import MeshSimError
from meshsim.experiments.cli import run, solve
from meshsim.experiments.cli.parsing import Parser, add_common, examples

MOST_EVENTS = 1000
"""Events that are printed, unless told."""


def add(parsers: Any) -> None:
    """Its arguments: those of `run` or `solve`, and how to look at it."""
    parser = parsers.add_parser(
        "watch",
        help="step through a small run, event by event",
        description="Step through a run event by event on a screen of text: the network, what every processor does, "
        "messages under way, and what a processor holds, with the line of its program. Keys: n next, b back, tab "
        "choose a processor, p its next event, g go to a tick or time, ? help, q quit. With --plain, or where there "
        "is no terminal, events are printed as lines (--until TICK, --events N), and with --show NODE what a "
        "processor holds at the last of them.",
        epilog=examples(
            "meshsim watch solve feedforward-lu --system random:4:1 --machine ideal",
            "meshsim watch run wong-mesh --robot chain:3:1 --machine t800 --until 120us --show 1,2",
            "meshsim watch solve feedforward-lu --system random:2:1 --machine t800 --plain --events 20",
        ),
    )
    inner = parser.add_subparsers(dest="watched", required=True, metavar="run|solve", parser_class=Parser)
    _add(inner, "run", "a step of a robot's forward dynamics, as `meshsim run` takes it", run)
    _add(inner, "solve", "a linear system, as `meshsim solve` takes it", solve)


def _add(parsers: Any, name: str, text: str, verb: Any) -> None:
    inputs = {"run": "wong-mesh --robot chain:3:1", "solve": "feedforward-lu --system random:4:1"}[name]
    parser = parsers.add_parser(
        name,
        help=text,
        description=f"Step through {text}.",
        epilog=examples(f"meshsim watch {name} {inputs} --machine t800"),
    )
    verb.add_inputs(parser)
    parser.add_argument("--plain", action="store_true", help="print events as lines, as where there is no terminal")
    parser.add_argument(
        "--until", metavar="TICK|TIME", help="begin there, or print what happens up to there: 120, or 12.5us"
    )
    parser.add_argument(
        "--events", type=int, default=MOST_EVENTS, metavar="N", help=f"print so many at most (default {MOST_EVENTS})"
    )
    parser.add_argument("--show", metavar="NODE", help="the processor to look at, such as 2,3 (default the first)")
    add_common(parser)
    parser.set_defaults(function=partial(_watch, partial(verb.result_of, values=True)))


def _watch(result_of: Callable[[argparse.Namespace], Any], arguments: argparse.Namespace) -> None:
    if arguments.events < 1:
        raise MeshSimError(f"--events must be at least 1, not {arguments.events}")
    plain = arguments.plain or arguments.json or not (sys.stdin.isatty() and sys.stdout.isatty())
    from meshsim.experiments.cli.terminal import need_curses, step_through, tick_of
    from meshsim.experiments.store.progress import tell
    from meshsim.experiments.studies.watching import Watch

    if not plain:
        need_curses()
    result = result_of(arguments)
    tell("")
    watch = Watch(result.run)
    shown = None if arguments.show is None else watch.find(arguments.show)
    until = None if arguments.until is None else tick_of(arguments.until, watch)
    if plain:
        _print(arguments, result.title, watch, until, shown)
        return
    step_through(watch, result.title, until or 0, shown or 0)


def _print(arguments: argparse.Namespace, title: str, watch: Any, until: int | None, shown: int | None) -> None:
    """Events as lines, or as one JSON object."""
    from meshsim.experiments.reports.watched import event_lines, event_rows, hand_lines

    wanted = len(watch.events) if until is None else watch.count(until)
    count = min(wanted, arguments.events)
    tick = until if until is not None and count == wanted else watch.events[count - 1].tick if count else 0
    hands = [] if shown is None else hand_lines(watch, shown, count, tick, 120)
    if arguments.json:
        more = {"hands": hands} if hands else {}
        print(json.dumps({"title": title, "events": event_rows(watch, count), "of": len(watch.events), **more}))
        return
    print(title)
    for line in event_lines(watch, count):
        print(line)
    if count < wanted:
        print(f"and {wanted - count} more (--events {wanted} prints all)")
    for line in hands:
        print(line.rstrip())
