"""`meshsim list` in Python."""

from collections.abc import Callable, Mapping

from meshsim.algorithms.robots.catalogue import ROBOTS
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.schemes.base.scheme import LOOPS, Number, Option, Scheme
from meshsim.algorithms.schemes.catalogue import SCHEMES
from meshsim.algorithms.solvers.catalogue import SOLVERS
from meshsim.catalogue import failed
from meshsim.errors import MeshSimError
from meshsim.experiments.exhibits.base.exhibit import load_exhibits
from meshsim.experiments.front.example import EXAMPLES
from meshsim.experiments.front.register import CATALOGUES
from meshsim.experiments.reports.listing import ListReport
from meshsim.experiments.store.progress import say
from meshsim.presets import PRESETS
from meshsim.topologies import NETWORKS
from meshsim.topologies.named import written

Entries = Mapping[str, str]


def _schemes() -> Entries:
    return {name: _with_options(_summary(scheme), scheme.options) for name, scheme in SCHEMES.items()}


def _summary(scheme: Scheme) -> str:
    """What a scheme is, and for what."""
    loops = "for loops: " if LOOPS in scheme.wants else ""
    inverse = "" if scheme.inverse is None else " (inverse too)" if scheme.make else " (inverse only)"
    return f"{loops}{scheme.summary}{inverse}"


def _robots() -> Entries:
    return {name: _joints(make()) for name, make in ROBOTS.items()} | {
        "chain:N:SEED": "a random chain of N joints",
        "straight:N": "a straight chain of N equal cylinders",
        "coil:N": "a chain of N equal cylinders, wound up (coil:N:thin: thin ones)",
        "dill:N": "a tree of N joints that is like its branches; N is a power of two",
        "five-bar:METRES": "a five-bar with another base (:up or :down after it)",
        "FILE.urdf": "a robot of your own (floating:FILE.urdf: its base floats)",
        "FILE.xml": "the same as MJCF (armature:FILE.xml: with its joints' armature)",
        "FILE.toml": "a robot of your own, with any joints and loops (docs/robots.md)",
        "FILE.py:NAME": "a robot of your own, or a function that makes one",
        "ROBOT@lock:..@drop:..": "any of these with joints locked or dropped (docs/robots.md)",
    }


def _joints(robot: Mechanism) -> str:
    return f"{robot.n} joints" + (f", loops closed by {len(robot.cuts)} more" if robot.cuts else "")


def _machines() -> Entries:
    named = {name: machine.description for name, machine in PRESETS.items()}
    return named | {"FILE.toml": "a machine of your own", "FILE.py:NAME": "a machine of your own"}


def _networks() -> Entries:
    named = {name: f"{description}; --network {written(name)}" for name, (_, description) in NETWORKS.items()}
    return named | {
        "FILE.json": "a network of your own, as networkx's node-link JSON (docs/networks.md)",
        "FILE.graphml": "a network of your own, as GraphML",
        "FILE.py:NAME": "a network of your own, or a function that makes one (FILE.py:NAME:SIZE if it takes a size)",
    }


def _examples() -> Entries:
    return {name: f"{example.summary} ({', '.join(example.files)})" for name, example in EXAMPLES.items()}


KINDS: Mapping[str, Callable[[], Entries]] = {
    "schemes": _schemes,
    "solvers": lambda: {name: solver.summary for name, solver in SOLVERS.items()},
    "robots": _robots,
    "machines": _machines,
    "networks": _networks,
    "exhibits": lambda: {name: exhibit.title for name, exhibit in load_exhibits().items()},
    "examples": _examples,
}


def listing(kind: str | None = None) -> ListReport:
    """What there is by name: built in, registered, or of installed packages.

    Parameters
    ----------
    kind : str, optional
        ``schemes``, ``solvers``, ``robots``, ``machines``, ``networks``, ``exhibits`` or ``examples``; by default all.

    Returns
    -------
    ListReport
        Names, with a line about each.
    """
    if kind is not None and kind not in KINDS:
        raise MeshSimError(f"what to list must be {', '.join(KINDS)}, not {kind!r}")
    for catalogue in CATALOGUES.values():
        catalogue.add_installed()
    for name, error in failed():
        say(f"the installed {name} cannot be loaded ({error})")
    return ListReport({each: KINDS[each]() for each in ([kind] if kind else KINDS)})


def _with_options(summary: str, options: Mapping[str, Option]) -> str:
    return summary + "".join(f"; --option {name}={_values(option)}" for name, option in options.items())


def _values(option: Option) -> str:
    return f"NUMBER ({option.unit}, {option.default})" if isinstance(option, Number) else "|".join(option)
