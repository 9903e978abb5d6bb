"""`meshsim compile`."""

import argparse
from typing import Any

from meshsim.experiments.cli.outputs import show
from meshsim.experiments.cli.parsing import add_common, examples


def add(parsers: Any) -> None:
    """Its arguments."""
    parser = parsers.add_parser(
        "compile",
        help="compile the engine, once: messages pass twice as quickly, at the same ticks",
        description="Compile the engine's innermost modules with mypyc (pip install 'meshsim[fast]') and the C "
        "compiler of this computer. That takes some ten seconds, once for each version of meshsim and of Python; from "
        "then on every command uses them. They are kept beside the modules, in __pycache__. Nothing but time changes. "
        "MESHSIM_PURE=1 leaves them unused.",
        epilog=examples("meshsim compile"),
    )
    add_common(parser)
    parser.set_defaults(function=_compile)


def _compile(arguments: argparse.Namespace) -> None:
    from meshsim.experiments.front.compile import compile

    show(arguments, compile())
