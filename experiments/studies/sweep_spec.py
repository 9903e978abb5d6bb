"""What a sweep is: schemes and robots, a machine, and which of its costs take which values. Written as TOML.

schemes = ["wong-mesh", "hwang"]   # as `meshsim list` names them
n = [6, 12]                        # random chains of these lengths, and/or robots = ["puma600", "arm.urdf"]
seed = 1                           # of the random chains
machine = "t800"                   # a preset, or a TOML file beside the spec: what is not swept
fallback = "simulate"              # for machines that cannot be re-timed; without it they are refused

[options.wong-mesh]                # of a scheme
rho = "recompute"

[grid]                             # every combination of these values, in ticks of the machine, or:
startup = [0, 20, 50]
per_word = { from = 0, to = 60, count = 13 }
discipline = ["overlap", "rendezvous"]

[latin]                            # so many points, each cost spread evenly between its ends
points = 200
seed = 7
mul = [1, 40]
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from math import prod
from os import PathLike
from pathlib import Path
from typing import Any

from meshsim.algorithms.robots.catalogue import ROBOTS, load_robot
from meshsim.algorithms.robots.urdf import FLOATING
from meshsim.algorithms.schemes.catalogue import load_scheme
from meshsim.algorithms.types.splitmix import SplitMix64, check_spec
from meshsim.catalogue import in_file
from meshsim.errors import MeshSimError
from meshsim.experiments.studies.machines import known_machine
from meshsim.machine import DISCIPLINES, Machine
from meshsim.sensitivity import PARAMETERS, with_parameters
from meshsim.textfile import parse_toml, read_file

Value = int | str
Setting = Mapping[str, Value]
"""Values of the swept parameters."""

SWEPT = (*PARAMETERS, "buffers", "discipline")
KEYS = ("schemes", "robots", "n", "seed", "machine", "fallback", "options", "grid", "latin")
MOST = 1_000_000
"""The most points of a sweep."""
MOST_BYTES = 10_000_000
"""Of its file."""


@dataclass(frozen=True)
class Sweep:
    """A sweep, checked.

    `sources` gives, for every robot as the spec names it, the text to load it by, with the whole path of a file, and
    `programs` the same for every scheme; `settings` are what the machine's costs are set to.
    """

    schemes: tuple[str, ...]
    sources: Mapping[str, str]
    machine: Machine
    settings: tuple[Setting, ...]
    grid: Mapping[str, tuple[Value, ...]]
    options: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    simulate: bool = False
    programs: Mapping[str, str] = field(default_factory=dict)

    @property
    def robots(self) -> tuple[str, ...]:
        """The robots, as the spec names them."""
        return tuple(self.sources)

    @property
    def parameters(self) -> tuple[str, ...]:
        """What is swept, in the order of the spec."""
        return tuple(self.settings[0])

    def machine_at(self, setting: Setting) -> Machine:
        """The machine with the swept costs."""
        costs: dict[str, Any] = {name: value for name, value in setting.items() if name in PARAMETERS}
        links: dict[str, Any] = {name: value for name, value in setting.items() if name not in PARAMETERS}
        machine = with_parameters(self.machine, **costs)
        return replace(machine, links=replace(machine.links, **links))


def read_sweep(path: str | PathLike[str]) -> Sweep:
    """Read a sweep from a TOML file; paths in it are beside the file.

    Parameters
    ----------
    path : str or path
        A file as this module's docstring shows.

    Raises
    ------
    MeshSimError
        If the file cannot be read, or says something that cannot be.
    """
    try:
        data = parse_toml(read_file(path, f"sweep {str(path)!r}", MOST_BYTES).decode())
    except OSError as error:
        raise MeshSimError(f"sweep must be a readable TOML file, not {str(path)!r} ({error.strerror})") from None
    except (ValueError, RecursionError) as error:
        raise MeshSimError(f"sweep must be a TOML file, not {str(path)!r} ({error})") from None
    try:
        return sweep_of(data, Path(path).parent)
    except MeshSimError as error:
        raise MeshSimError(f"{path}: {error}") from None


def sweep_of(data: Mapping[str, Any], folder: Path) -> Sweep:
    """A sweep from what its file says; paths are those of files in the folder."""
    for key in data:
        if key not in KEYS:
            raise MeshSimError(f"unknown key {key!r}; known: {', '.join(KEYS)}")
    schemes = _texts("schemes", data.get("schemes"))
    programs = {text: _beside(folder, text) for text in schemes}
    options = _options(data.get("options", {}), programs)
    sources = _robots(data, folder)
    text = data.get("machine", "t800")
    if not isinstance(text, str):
        raise MeshSimError(f"machine must be a preset or a TOML file, not {text!r}")
    machine = known_machine(_beside(folder, text))
    if data.get("fallback", "simulate") != "simulate":
        raise MeshSimError(f'fallback must be "simulate" or left out, not {data["fallback"]!r}')
    if ("grid" in data) == ("latin" in data):
        raise MeshSimError("a sweep must have one table [grid] or [latin]")
    grid = _grid(data["grid"]) if "grid" in data else {}
    latin = tuple(_latin(data["latin"])) if not grid else ()
    count = len(schemes) * len(sources) * (prod(map(len, grid.values())) if grid else len(latin))
    if count > MOST:
        raise MeshSimError(f"a sweep must have at most {MOST} points, not {count}")
    settings = latin or tuple(_combined(grid))
    sweep = Sweep(schemes, sources, machine, settings, grid, options, "fallback" in data, programs)
    for name in sweep.parameters:
        for value in {setting[name] for setting in sweep.settings}:
            sweep.machine_at({name: value})  # which refuses what no machine can have
    return sweep


def _texts(what: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not value or not all(isinstance(each, str) for each in value):
        raise MeshSimError(f"{what} must be a list of names, not {value!r}")
    if len(set(value)) < len(value):
        raise MeshSimError(f"{what} must be different, not {value!r}")
    return tuple(value)


def _options(value: object, schemes: Mapping[str, str]) -> Mapping[str, Mapping[str, str]]:
    if not isinstance(value, dict):
        raise MeshSimError(f"options must be tables by scheme, not {value!r}")
    for name, chosen in value.items():
        if name not in schemes:
            raise MeshSimError(f"[options.{name}] must be of a scheme of the sweep: {', '.join(schemes)}")
        if not isinstance(chosen, dict) or not all(isinstance(each, str) for each in chosen.values()):
            raise MeshSimError(f"[options.{name}] must give names, not {chosen!r}")
    return {name: load_scheme(source).choose(value.get(name, {})) for name, source in schemes.items()}


def _robots(data: Mapping[str, Any], folder: Path) -> Mapping[str, str]:
    named = _texts("robots", data["robots"]) if "robots" in data else ()
    seed = data.get("seed", 1)
    lengths = data.get("n", [])
    if not isinstance(lengths, list):
        raise MeshSimError(f"n must be a list of lengths, not {lengths!r}")
    for n in lengths:
        check_spec("chain", n, seed)
    robots = (*named, *(f"chain:{n}:{seed}" for n in lengths))
    if not robots:
        raise MeshSimError("a sweep must have robots, or lengths n of random chains")
    if len(set(robots)) < len(robots):
        raise MeshSimError(f"robots of a sweep must be different, not {', '.join(robots)}")
    sources = {text: _beside(folder, text) for text in robots}
    for source in sources.values():
        load_robot(source)
    return sources


def _beside(folder: Path, text: str) -> str:
    """A path beside the spec, if there is such a file."""
    path = text.removeprefix(FLOATING)
    before = text.removesuffix(path)
    path, colon, name = path.rpartition(":") if in_file(path) else (path, "", "")
    beside = (folder / path).resolve()
    return f"{before}{beside}{colon}{name}" if text not in ROBOTS and beside.is_file() else text


def _grid(value: object) -> Mapping[str, tuple[Value, ...]]:
    if not isinstance(value, dict) or not value:
        raise MeshSimError(f"[grid] must give values by parameter, not {value!r}")
    return {name: _values(name, each) for name, each in value.items()}


def _values(name: str, value: object) -> tuple[Value, ...]:
    _check_swept(name, SWEPT)
    if isinstance(value, dict):
        return _spaced(name, value)
    if not isinstance(value, list) or not value:
        raise MeshSimError(f"{name} must be a list, or {{ from, to, count }}, not {value!r}")
    if name == "discipline":
        if not all(each in DISCIPLINES for each in value):
            raise MeshSimError(f"discipline must be of {', '.join(DISCIPLINES)}, not {value!r}")
    else:
        for each in value:
            _check_ticks(name, each)
    if len(set(value)) < len(value):
        raise MeshSimError(f"values of {name} must be different, not {value!r}")
    return tuple(value)


def _spaced(name: str, value: Mapping[str, Any]) -> tuple[Value, ...]:
    if set(value) - {"scale"} != {"from", "to", "count"} or value.get("scale", "linear") not in ("linear", "log"):
        raise MeshSimError(f'{name} must be {{ from, to, count }} and, if wanted, scale = "log", not {dict(value)!r}')
    low, high, count = (value[key] for key in ("from", "to", "count"))
    for each in (low, high, count):
        _check_ticks(name, each)
    if count > MOST:
        raise MeshSimError(f"{name} must have at most {MOST} values, not {count}")
    logarithmic = value.get("scale") == "log"
    if not low < high or count < 2 or (logarithmic and low < 1):
        raise MeshSimError(
            f"{name} must go up from a lower end to a higher one, in two values or more: {dict(value)!r}"
        )
    shares = [step / (count - 1) for step in range(count)]
    ticks = [low * (high / low) ** share if logarithmic else low + (high - low) * share for share in shares]
    return tuple(dict.fromkeys(round(each) for each in ticks))


def _check_swept(name: str, known: tuple[str, ...]) -> None:
    if name not in known:
        raise MeshSimError(f"unknown parameter {name!r}; known: {', '.join(known)}")


def _check_ticks(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise MeshSimError(f"{name} must be whole ticks, zero or more, not {value!r}")


def _combined(grid: Mapping[str, tuple[Value, ...]]) -> Iterator[Setting]:
    for values in product(*grid.values()):
        yield dict(zip(grid, values, strict=True))


def _latin(value: object) -> Iterator[Setting]:
    """A Latin hypercube: every cost takes, once each, a value from every one of so many equal parts of its range."""
    if not isinstance(value, dict):
        raise MeshSimError(f"[latin] must be a table, not {value!r}")
    points, seed = value.get("points"), value.get("seed", 1)
    if isinstance(points, bool) or not isinstance(points, int) or not 1 <= points <= MOST:
        raise MeshSimError(f"points of [latin] must be from 1 to {MOST}, not {points!r}")
    check_spec("latin", 1, seed)
    ends = {name: each for name, each in value.items() if name not in ("points", "seed")}
    if not ends:
        raise MeshSimError("[latin] must give two ends of a parameter at least")
    draw = SplitMix64(seed)
    columns: dict[str, list[int]] = {}
    for name, each in ends.items():
        _check_swept(name, (*PARAMETERS, "buffers"))
        if not isinstance(each, list) or len(each) != 2:
            raise MeshSimError(f"{name} must be two ends, [from, to], not {each!r}")
        low, high = each
        for end in each:
            _check_ticks(name, end)
        if low > high:
            raise MeshSimError(f"{name} must go from a lower end to a higher one, not {each!r}")
        parts = sorted(range(points), key=lambda _: draw.next())
        columns[name] = [low + int((part + draw.uniform(0.0, 1.0)) / points * (high - low + 1)) for part in parts]
    for row in range(points):
        yield {name: column[row] for name, column in columns.items()}
