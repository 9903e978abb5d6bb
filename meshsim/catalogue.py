"""Things by name: those built in, those that a user registers, those of installed packages and those in users' files.

A name of the form ``file.py:NAME`` stands for an object in a Python file. Installed packages offer objects by entry
points of the group ``meshsim``; they are loaded when a name is not known otherwise, or when all names are listed.
"""

import hashlib
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import Any, Generic, TypeVar, get_type_hints

from meshsim.errors import MeshSimError
from meshsim.reading import read_file

T = TypeVar("T")

GROUP = "meshsim"
"""Of entry points."""
MOST_BYTES = 10_000_000
"""Of a Python file."""
FILES: dict[str, str] = {}
"""Files that user's things came from, with a digest of each: results that depend on one are not those of another."""


class Lazily(Mapping[str, T], Generic[T]):
    """Things by name, each made when it is first asked for: names alone take no time."""

    def __init__(self, makers: Mapping[str, Callable[[], T]]) -> None:
        self._makers = makers
        self._made: dict[str, T] = {}

    def __getitem__(self, name: str) -> T:
        if name not in self._made:
            self._made[name] = self._makers[name]()
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in self._makers

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)


def imported(place: str) -> Any:
    """The object that `package.module:NAME` names."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


class Catalogue(MutableMapping[str, T], Generic[T]):
    """What is built in, by name, and what is added later.

    Parameters
    ----------
    kind : str
        What its things are called in print.
    built_in : mapping
        What no user replaces.
    take : callable
        What is kept of an object that is said to be of the kind; None if it cannot be of it.
    claims : callable, optional
        Whether an object is of the kind beyond doubt; by default whether it is taken.
    """

    def __init__(
        self,
        kind: str,
        built_in: Mapping[str, T],
        take: Callable[[object], T | None],
        claims: Callable[[object], bool] | None = None,
    ) -> None:
        self.kind = kind
        self.built_in = built_in
        self.added: dict[str, T] = {}
        self.take = take
        self.claims = claims or (lambda thing: take(thing) is not None)

    def __getitem__(self, name: str) -> T:
        return self.added[name] if name in self.added else self.built_in[name]

    def __setitem__(self, name: str, thing: T) -> None:
        self.added[name] = thing

    def __delitem__(self, name: str) -> None:
        del self.added[name]

    def __contains__(self, name: object) -> bool:
        return name in self.added or name in self.built_in

    def __iter__(self) -> Iterator[str]:
        return iter({**dict.fromkeys(self.built_in), **dict.fromkeys(self.added)})

    def __len__(self) -> int:
        return len({*self.built_in, *self.added})

    def add(self, thing: object, name: str | None = None) -> None:
        """Keep a thing by its own name, or another; what a user added before by that name is replaced."""
        name = name or name_of(thing)
        if not name:
            raise MeshSimError(f"a {self.kind} must have a name, and {thing!r} has none")
        if name in self.built_in:
            raise MeshSimError(f"the name of a {self.kind} must be new, not {name!r}, which is built in")
        self[name] = self._taken(thing, repr(thing))

    def find(self, text: str) -> T | None:
        """What a user's text names, or None."""
        if in_file(text):
            self[text] = self._taken(object_in_file(text), text)  # so that it is known by this name from now on
        elif text not in self:
            self.add_installed()
        return self[text] if text in self else None  # noqa: SIM401 (`get` would hide a KeyError of whoever makes it)

    def add_installed(self) -> None:
        """Add what installed packages offer of this kind."""
        for name, thing in installed():
            own = name_of(thing) or name
            if self.claims(thing) and own not in self:
                self[own] = self._taken(thing, name)

    @property
    def names(self) -> str:
        """All that a user may ask for by name, in print."""
        broken = "".join(f"; the installed {name} cannot be loaded ({error})" for name, error in failed())
        return ", ".join(name for name in self if not in_file(name)) + broken

    def _taken(self, thing: object, what: str) -> T:
        taken = self.take(thing)
        if taken is None:
            raise MeshSimError(f"{what} must be a {self.kind}, not {type(thing).__name__}")
        return taken


def instances(kind: type[T]) -> Callable[[object], T | None]:
    """Takes objects of a class as they are."""
    return lambda thing: thing if isinstance(thing, kind) else None


def gives(thing: object, kind: type) -> bool:
    """Whether a function says, by its annotation, that it returns objects of a class."""
    if not callable(thing) or isinstance(thing, type):
        return False
    try:
        returned = get_type_hints(thing).get("return")
    except Exception:  # an annotation may be any expression
        return False
    return isinstance(returned, type) and issubclass(returned, kind)


def name_of(thing: object) -> str | None:
    """What a thing calls itself; a function is called as it is written, with hyphens."""
    name = getattr(thing, "name", None)
    if isinstance(name, str):
        return name
    return getattr(thing, "__name__", "").replace("_", "-") or None


@cache
def _loaded() -> tuple[tuple[tuple[str, object], ...], tuple[tuple[str, str], ...]]:
    found: list[tuple[str, object]] = []
    failures: list[tuple[str, str]] = []
    for point in entry_points(group=GROUP):
        try:
            found.append((point.name, point.load()))
        except Exception as error:  # whatever somebody else's code does
            failures.append((f"{point.name!r} ({point.value})", f"{type(error).__name__}: {error}"))
        else:
            remember_file(getattr(sys.modules.get(point.module), "__file__", None))
    return tuple(found), tuple(failures)


def installed() -> Iterable[tuple[str, object]]:
    """What installed packages offer, by the names of their entry points."""
    return _loaded()[0]


def failed() -> Iterator[tuple[str, str]]:
    """Entry points that were tried and could not be loaded, and why."""
    yield from _loaded()[1] if _loaded.cache_info().currsize else ()


def in_file(text: str) -> bool:
    """Whether a text has the form `file.py:NAME`."""
    return ".py:" in text


def object_in_file(text: str) -> Any:
    """The object that `file.py:NAME` names."""
    path, _, name = text.rpartition(":")
    module = _module(path)
    if not hasattr(module, name):
        defined = ", ".join(each for each in vars(module) if not each.startswith("_"))
        raise MeshSimError(f"{path} must define {name!r}; it defines {defined or 'nothing'}")
    return getattr(module, name)


def _module(path: str) -> ModuleType:
    """A Python file as a module; run again when it has changed."""
    source = read_file(path, f"Python file {path!r}", MOST_BYTES)
    whole = str(Path(path).resolve())
    name = f"meshsim_user_{hashlib.sha256(whole.encode()).hexdigest()[:12]}"
    if name in sys.modules and FILES.get(whole) == _digest(source):
        return sys.modules[name]
    module = ModuleType(name)
    module.__file__ = whole
    sys.modules[name] = module  # where dataclasses look for it
    folder = str(Path(whole).parent)
    if folder not in sys.path:
        sys.path.append(folder)  # for what the file imports from beside it
    try:
        exec(compile(source, whole, "exec"), vars(module))
    except Exception as error:
        del sys.modules[name]
        raise MeshSimError(f"{path} cannot be run: {type(error).__name__}: {error}") from None
    FILES[whole] = _digest(source)
    return module


def remember_file(path: str | None) -> None:
    """Note a file that a user's thing came from."""
    if path is not None and Path(path).is_file():
        FILES[str(Path(path).resolve())] = _digest(Path(path).read_bytes())


def _digest(source: bytes) -> str:
    return hashlib.sha256(source).hexdigest()
