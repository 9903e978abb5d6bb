"""What a shell completes: imported only when it asks."""

import argparse
from collections.abc import Iterable
from contextlib import suppress
from typing import Any


def complete(parser: argparse.ArgumentParser) -> None:
    """Answer the shell and end, if argcomplete is installed."""
    with suppress(ImportError):
        import argcomplete

        argcomplete.autocomplete(parser, default_completer=_values)


def _values(prefix: str, action: argparse.Action, **_: Any) -> Iterable[str]:
    """Names, and files where a file may be given."""
    from argcomplete import FilesCompleter

    from meshsim.algorithms.robots.catalogue import ROBOTS
    from meshsim.algorithms.schemes.catalogue import SCHEMES
    from meshsim.experiments.front.example import EXAMPLES
    from meshsim.placement import PLACEMENTS
    from meshsim.presets import PRESETS
    from meshsim.topologies import NETWORKS

    names: dict[str, Iterable[str]] = {
        "scheme": SCHEMES,
        "rival": SCHEMES,
        "robot": ROBOTS,
        "machine": PRESETS,
        "network": NETWORKS,
        "placement": PLACEMENTS,
        "example": EXAMPLES,
    }
    return [*names.get(action.dest, ()), *FilesCompleter()(prefix)]
