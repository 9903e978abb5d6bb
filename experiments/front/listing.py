"""`meshsim list` in Python. Names come from catalogues alone; what stands for them is imported when it is told of."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from meshsim.algorithms.robots.catalogue import ROBOTS
from meshsim.algorithms.schemes.catalogue import SCHEMES
from meshsim.algorithms.solvers.catalogue import SOLVERS
from meshsim.catalogue import Lazily, failed
from meshsim.errors import MeshSimError
from meshsim.experiments.exhibits.base.exhibit import load_exhibits
from meshsim.experiments.front.example import EXAMPLES
from meshsim.experiments.front.register import CATALOGUES
from meshsim.experiments.reports.listing import ListReport
from meshsim.experiments.store.progress import say
from meshsim.presets import PRESETS
from meshsim.topologies import NETWORKS

if TYPE_CHECKING:
    from meshsim.algorithms.schemes.base.scheme import Option

Entries = Mapping[str, str]
Tell = Callable[[str], str]
"""What is told of a name."""


def _entries(names: Iterable[str], tell: Tell, more: Entries | None = None) -> Entries:
    """Names with what is told of each, and forms of names."""
    makers = {name: partial(tell, name) for name in names}
    return Lazily({**makers, **{form: partial(str, text) for form, text in (more or {}).items()}})


def _scheme(name: str) -> str:
    """What a scheme is, for what, and its options."""
    from meshsim.algorithms.schemes.base.scheme import LOOPS

    scheme = SCHEMES[name]
    loops = "for loops: " if LOOPS in scheme.wants else ""
    inverse = "" if scheme.inverse is None else " (inverse too)" if scheme.make else " (inverse only)"
    options = "".join(f"; --option {name}={_values(option)}" for name, option in scheme.options.items())
    return f"{loops}{scheme.summary}{inverse}{options}"


def _values(option: "Option") -> str:
    from meshsim.algorithms.schemes.base.scheme import Number

    return f"NUMBER ({option.unit}, {option.default})" if isinstance(option, Number) else "|".join(option)


def _robot(name: str) -> str:
    """How many joints a robot has."""
    robot = ROBOTS[name]()
    return f"{robot.n} joints" + (f", loops closed by {len(robot.cuts)} more" if robot.cuts else "")


def _network(name: str) -> str:
    """What a network is, and how it is written."""
    from meshsim.topologies.named import written

    return f"{NETWORKS[name][1]}; --network {written(name)}"


def _example(name: str) -> str:
    """What an example is, and its files."""
    return f"{EXAMPLES[name].summary} ({', '.join(EXAMPLES[name].files)})"


def _exhibits() -> Entries:
    exhibits = load_exhibits()
    return _entries(exhibits, lambda name: exhibits[name].title)


ROBOT_FORMS = {
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
MACHINE_FORMS = {"FILE.toml": "a machine of your own", "FILE.py:NAME": "a machine of your own"}
NETWORK_FORMS = {
    "FILE.json": "a network of your own, as networkx's node-link JSON (docs/networks.md)",
    "FILE.graphml": "a network of your own, as GraphML",
    "FILE.py:NAME": "a network of your own, or a function that makes one (FILE.py:NAME:SIZE if it takes a size)",
}
KINDS: Mapping[str, Callable[[], Entries]] = {
    "schemes": lambda: _entries(SCHEMES, _scheme),
    "solvers": lambda: _entries(SOLVERS, lambda name: SOLVERS[name].summary),
    "robots": lambda: _entries(ROBOTS, _robot, ROBOT_FORMS),
    "machines": lambda: _entries(PRESETS, lambda name: PRESETS[name].description, MACHINE_FORMS),
    "networks": lambda: _entries(NETWORKS, _network, NETWORK_FORMS),
    "exhibits": _exhibits,
    "examples": lambda: _entries(EXAMPLES, _example),
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
