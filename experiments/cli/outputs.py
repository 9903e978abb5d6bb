"""What commands write of a result: pictures, traces, animations, pages, and what they print.

Nothing here imports at once what takes time to import.
"""

import argparse
import json
import re
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from meshsim.errors import MeshSimError
from meshsim.experiments.cli.parsing import Parser
from meshsim.experiments.store.animations import FRAMES, check_animation
from meshsim.experiments.store.files import PAGES, PICTURES, check_ending, check_outputs
from meshsim.experiments.traces.endings import check_trace


def add_pictures(parser: Parser) -> None:
    """What may be kept of a run."""
    parser.add_argument("--gantt", metavar="FILE.png", help="draw what every processor does when (png, svg or pdf)")
    parser.add_argument(
        "--trace",
        metavar="FILE.csv",
        help="write every compute span, message and wait: .csv and .parquet are tables, .pftrace is for Perfetto's "
        "viewer, .json for chrome://tracing",
    )
    add_report(parser)


def add_report(parser: Parser) -> None:
    """A page of a result."""
    parser.add_argument(
        "--report", metavar="FILE.html", help="write a page that opens in any browser, from disk: all that was found"
    )


def add_animation(parser: Parser) -> None:
    """What moves."""
    parser.add_argument(
        "--animate",
        metavar="FILE.gif",
        help="draw the network with what processors do and messages that move, as gif or mp4 (mp4 takes ffmpeg)",
    )
    parser.add_argument("--frames", type=int, metavar="N", help=f"pictures that it has at most (default {FRAMES})")


def check_pictures(arguments: argparse.Namespace, *inputs: str | None, results: Sequence[str] = ()) -> None:
    """Refuse, before any work, pictures and traces that cannot be written, or would be written over something else.

    `results` are the files that the verb writes into its folder.
    """
    outputs = [arguments.gantt, arguments.trace, arguments.report, getattr(arguments, "animate", None)]
    check_outputs(outputs, inputs_of(*inputs), [Path(arguments.out, name) for name in results])
    check_ending("page", arguments.report, PAGES)
    check_ending("picture", arguments.gantt, PICTURES)
    check_trace(arguments.trace)
    animation = getattr(arguments, "animate", None)
    if getattr(arguments, "frames", None) is not None and animation is None:
        raise MeshSimError("--frames must come with --animate, which it belongs to")
    check_animation(animation, _frames(arguments))


def _frames(arguments: argparse.Namespace) -> int:
    """How many pictures an animation has at most."""
    told: int | None = getattr(arguments, "frames", None)
    return FRAMES if told is None else told


def check_report(arguments: argparse.Namespace, *inputs: str | None) -> None:
    """Refuse, before any work, a page that cannot be written, or would be written over an input."""
    check_ending("page", arguments.report, PAGES)
    check_outputs([arguments.report], inputs_of(*inputs))


def inputs_of(*inputs: str | None) -> list[str]:
    """The files that arguments may name."""
    return [re.sub(r"^(floating|armature):|(?<=\.py):.*|@(lock|drop):.*", "", text) for text in inputs if text]


def show_run(arguments: argparse.Namespace, result: Any) -> None:
    """Write what was asked for of a run, then print."""
    from meshsim.experiments.store.progress import tell

    if arguments.trace is not None:
        tell("writing the trace")
        result.save_trace(arguments.trace)
    if arguments.gantt is not None:
        tell("drawing the picture")
        result.save_gantt(arguments.gantt)
    animation = getattr(arguments, "animate", None)
    if animation is not None:
        tell("drawing the animation")
        result.animate(animation, _frames(arguments))
    tell("")
    show(arguments, result)
    for what, path in (("picture", arguments.gantt), ("trace", arguments.trace), ("animation", animation)):
        if path is not None and not arguments.json:
            print(f"{what}: {path}")


def show(arguments: argparse.Namespace, result: Any) -> None:
    """Print a result for programs or for people, and write its page if that was asked for."""
    path = getattr(arguments, "report", None)
    if path is not None:
        from meshsim.experiments.store.progress import tell

        tell("writing the page")
        result.report(path, shlex.join(["meshsim", *sys.argv[1:]]))
        tell("")
    print(json.dumps(result.to_dict()) if arguments.json else result.as_text())
    if path is not None and not arguments.json:
        print(f"page: {path}")
