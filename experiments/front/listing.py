"""`meshsim list` in Python."""

from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files

from meshsim.algorithms.robots.catalogue import ROBOTS
from meshsim.algorithms.robots.closed_catalogue import CLOSED_ROBOTS
from meshsim.algorithms.schemes.catalogue import SCHEMES
from meshsim.algorithms.schemes.loops import mesh_loops
from meshsim.algorithms.schemes.loops.inverse import INVERSES
from meshsim.algorithms.schemes.loops.methods import METHODS
from meshsim.algorithms.solvers.catalogue import SOLVERS
from meshsim.catalogue import failed
from meshsim.errors import MeshSimError
from meshsim.experiments.exhibits.base.exhibit import load_exhibits
from meshsim.experiments.front.register import CATALOGUES
from meshsim.experiments.reports.listing import ListReport
from meshsim.experiments.store.progress import remark
from meshsim.presets import PRESETS
from meshsim.topologies import NETWORKS

Entries = Mapping[str, str]


def _schemes() -> Entries:
    return {name: _with_options(scheme.summary, scheme.options) for name, scheme in SCHEMES.items()}


def _methods() -> Entries:
    mesh = {mesh_loops.NAME: f"closed: {_with_options(mesh_loops.SUMMARY, mesh_loops.OPTIONS)}"}
    closed = {name: f"closed: {method.summary}" for name, method in METHODS.items()}
    for name, inverse in INVERSES.items():
        closed[name] = "; ".join(filter(None, (closed.get(name), f"inverse: {inverse.summary}")))
    return closed | mesh


def _robots() -> Entries:
    return (
        {name: f"{make().n} joints" for name, make in ROBOTS.items()}
        | {name: f"{make().n} joints and {len(make().cuts)} cut, for `closed`" for name, make in CLOSED_ROBOTS.items()}
        | {
            "chain:N:SEED": "a random chain of N joints",
            "FILE.urdf": "a robot of your own (floating:FILE.urdf: its base floats)",
            "FILE.toml": "a robot of your own, with any joints (docs/robots.md)",
            "FILE.py:NAME": "a robot of your own, or a function that makes one",
        }
    )


def _machines() -> Entries:
    named = {name: machine.description for name, machine in PRESETS.items()}
    return named | {"FILE.toml": "a machine of your own", "FILE.py:NAME": "a machine of your own"}


def _examples() -> Entries:
    folder = files("meshsim") / "examples"
    return {each.name: "" for each in sorted(folder.iterdir(), key=lambda each: each.name)} if folder.is_dir() else {}


KINDS: Mapping[str, Callable[[], Entries]] = {
    "schemes": _schemes,
    "solvers": lambda: {name: solver.summary for name, solver in SOLVERS.items()},
    "methods": _methods,
    "robots": _robots,
    "machines": _machines,
    "networks": lambda: {name: description for name, (_, description) in NETWORKS.items()},
    "exhibits": lambda: {name: exhibit.title for name, exhibit in load_exhibits().items()},
    "examples": _examples,
}


def listing(kind: str | None = None) -> ListReport:
    """What there is by name: built in, registered, or of installed packages.

    Parameters
    ----------
    kind : str, optional
        ``schemes``, ``solvers``, ``robots``, ``machines``, ``networks``, ``exhibits`` or ``examples``; by default all.
    """
    if kind is not None and kind not in KINDS:
        raise MeshSimError(f"what to list must be {', '.join(KINDS)}, not {kind!r}")
    for catalogue in CATALOGUES.values():
        catalogue.add_installed()
    for name, error in failed():
        remark(f"the installed {name} cannot be loaded ({error})")
    return ListReport({each: KINDS[each]() for each in ([kind] if kind else KINDS)})


def _with_options(summary: str, options: Mapping[str, Sequence[str]]) -> str:
    return summary + "".join(f"; --option {option}={'|'.join(values)}" for option, values in options.items())
