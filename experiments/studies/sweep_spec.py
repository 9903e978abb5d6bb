"""What a sweep is: schemes and robots, a machine, and which of its costs take which values. Written as TOML.

schemes = ["wong-mesh", "hwang"]   # as `meshsim list` names them
n = [6, 12]                        # random chains of these lengths, and/or robots = ["puma600", "arm.urdf"]
seed = 1                           # of the random chains
machine = "t800"                   # a preset, or a TOML file beside the spec: what is not swept
fallback = "simulate"              # for machines that cannot be re-timed; without it they are refused

network = "square-mesh:4x4"        # in place of the schemes' own: a name and a size, or a file beside the spec
processors = 8                     # how many of it may be used; of a network without a size, how many it has
placement = "auto"                 # a name, or a JSON file beside the spec; found with the costs of the machine above
dead = ["2,3", "1,1-1,2"]          # processors and links that do not work

try = "best"                       # at every point the quickest of each scheme's options; without it the defaults

[options.wong-mesh]                # of a scheme; they are not tried
rho = "recompute"

[grid]                             # every combination of these values, in ticks of the machine, or:
startup = [0, 20, 50]
per_word = { from = 0, to = 60, count = 13 }
discipline = ["overlap", "posted", "rendezvous"]
setups = ["together", "in-turn"]

[latin]                            # so many points, each cost sampled evenly over its range
points = 200
seed = 7
mul = [1, 40]
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from meshsim.algorithms.robots.catalogue import ROBOTS, load_robot
from meshsim.algorithms.robots.reduced import split_text
from meshsim.algorithms.robots.xml_file import split
from meshsim.algorithms.schemes.catalogue import load_scheme
from meshsim.algorithms.types.splitmix import SplitMix64, check_spec
from meshsim.catalogue import in_file
from meshsim.errors import MeshSimError
from meshsim.experiments.studies.baseline import choices
from meshsim.experiments.studies.machines import known_machine
from meshsim.experiments.studies.where import OWN, Where, where_of
from meshsim.machine import DISCIPLINES, PARAMETERS, SETUPS, Machine, whole_ticks
from meshsim.machine_table import MachineTable, machine_with
from meshsim.reading import entries, load_toml, naming, one_of, shown, table, text, whole

V = TypeVar("V")
Value = int | str

CHOICES: Mapping[str, tuple[str, ...]] = {"discipline": DISCIPLINES, "setups": SETUPS}
"""What takes names, not numbers."""
SWEPT = (*PARAMETERS, "buffers", *CHOICES)
KEYS = ("schemes", "robots", "n", "seed", "machine", "fallback", "try", "options", "grid", "latin")
PLACED = ("network", "processors", "placement", "dead")
"""Keys that tell where plans run."""
NOTHING: Mapping[str, Any] = {}
MOST = 1_000_000
"""The most points of a sweep."""
MOST_BYTES = 10_000_000
"""Of its file."""


@dataclass(frozen=True)
class Sweep:
    """A sweep, checked.

    `sources` gives, for every robot as the spec names it, the text to load it by, with the whole path of a file, and
    `programs` the same for every scheme; `machines` are the points of the grid or the Latin hypercube. `options` are
    the choices of each scheme's options, of which a point takes the quickest. `where` is where plans run.
    """

    schemes: tuple[str, ...]
    sources: Mapping[str, str]
    machine: Machine
    machines: MachineTable
    grid: Mapping[str, tuple[Value, ...]]
    options: Mapping[str, Sequence[Mapping[str, str]]] = field(default_factory=dict)
    simulate: bool = False
    programs: Mapping[str, str] = field(default_factory=dict)
    where: Where = OWN

    @property
    def robots(self) -> tuple[str, ...]:
        """The robots, as the spec names them."""
        return tuple(self.sources)

    @property
    def parameters(self) -> tuple[str, ...]:
        """What is swept, in the order of the spec."""
        return tuple(self.machines.columns)


def read_sweep(path: str | PathLike[str], told: Mapping[str, Any] = NOTHING) -> Sweep:
    """Read a sweep from a TOML file; paths in it are beside the file.

    Parameters
    ----------
    path : str or path
        A file as this module's docstring shows.
    told : mapping
        Some of `PLACED`, in place of what the file has.

    Raises
    ------
    MeshSimError
        If the file cannot be read, or has an invalid value.
    """
    with naming(path):
        return sweep_of(load_toml(path, "sweep", MOST_BYTES), Path(path).parent, told)


def sweep_of(data: Mapping[str, Any], folder: Path, told: Mapping[str, Any] = NOTHING) -> Sweep:
    """A sweep from what its file says; paths are those of files in the folder."""
    table("the sweep", data, (*KEYS, *PLACED), ("schemes",))
    where = where_of(**{**_where(data, folder), **told})
    schemes = _names("schemes", data["schemes"])
    programs = {name: _beside(folder, name) for name in schemes}
    if data.get("try", "best") != "best":
        raise MeshSimError(f'try must be "best" or left out, not {data["try"]!r}')
    options = _options(data.get("options", {}), programs, "try" in data)
    sources = _robots(data, folder)
    machine = known_machine(_beside(folder, text("machine", data.get("machine", "t800"), "a preset or a TOML file")))
    if data.get("fallback", "simulate") != "simulate":
        raise MeshSimError(f'fallback must be "simulate" or left out, not {data["fallback"]!r}')
    if ("grid" in data) == ("latin" in data):
        raise MeshSimError("a sweep must have one table [grid] or [latin]")
    grid = _grid(data["grid"]) if "grid" in data else {}
    columns = {} if grid else _latin(data["latin"])
    count = len(schemes) * len(sources) * (prod(map(len, grid.values())) if grid else data["latin"]["points"])
    if count > MOST:
        raise MeshSimError(f"a sweep must have at most {MOST} points, not {count}")
    columns = columns or _combined(grid)
    for name, column in columns.items():
        for value in {column.min().item(), column.max().item()} if name not in CHOICES else grid[name]:
            machine_with(machine, {name: value})  # which refuses what no machine can have
    machines = MachineTable(machine, columns)
    return Sweep(schemes, sources, machine, machines, grid, options, "fallback" in data, programs, where)


def _where(data: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Where plans run, as the file tells."""
    told = {key: data[key] for key in PLACED if key in data}
    for key in ("network", "placement"):
        if key in told and isinstance(told[key], str):
            told[key] = _beside(folder, told[key])
    if "dead" in told:
        told["dead"] = tuple(text("every entry of dead", each) for each in entries("dead", told["dead"], "names"))
    return told


def _names(what: str, value: object) -> tuple[str, ...]:
    return _different(what, [text(f"every entry of {what}", each) for each in entries(what, value, "names")])


def _different(what: str, values: Sequence[V]) -> tuple[V, ...]:
    if len(set(values)) < len(values):
        raise MeshSimError(f"{what} must be different, not {shown(list(values))}")
    return tuple(values)


def _options(value: object, schemes: Mapping[str, str], best: bool) -> Mapping[str, Sequence[Mapping[str, str]]]:
    """The choices of every scheme's options: all that are worth trying, or one."""
    found = table("options", value, schemes, kind="tables by scheme")
    for name, chosen in found.items():
        for key, each in table(f"[options.{name}]", chosen).items():
            text(f"{key} of [options.{name}]", each)
    chosen = {}
    for name, source in schemes.items():
        scheme, given = load_scheme(source), found.get(name, {})
        chosen[name] = [scheme.choose(each) for each in (choices(scheme, given) if best else [given])]
    return chosen


def _robots(data: Mapping[str, Any], folder: Path) -> Mapping[str, str]:
    named = _names("robots", data["robots"]) if "robots" in data else ()
    seed = data.get("seed", 1)
    lengths = data.get("n", [])
    if lengths != []:
        entries("n", lengths, "lengths")
    for n in lengths:
        check_spec("chain", n, seed)
    robots = _different("robots of a sweep", (*named, *(f"chain:{n}:{seed}" for n in lengths)))
    if not robots:
        raise MeshSimError("a sweep must have robots, or lengths n of random chains")
    sources = {name: _beside(folder, name) for name in robots}
    for source in sources.values():
        load_robot(source)
    return sources


def _beside(folder: Path, text: str) -> str:
    """A path beside the spec, if there is such a file."""
    whole, changes = split_text(text)
    before, path = split(whole)
    path, colon, name = path.rpartition(":") if in_file(path) else (path, "", "")
    beside = (folder / path).resolve()
    is_file = whole not in ROBOTS and beside.is_file()
    return f"{before}{beside}{colon}{name}{changes}" if is_file else text


def _grid(value: object) -> Mapping[str, tuple[Value, ...]]:
    found = table("[grid]", value, SWEPT)
    if not found:
        raise MeshSimError("[grid] must give values of a parameter at least")
    return {name: _values(name, each) for name, each in found.items()}


def _values(name: str, value: object) -> tuple[Value, ...]:
    if isinstance(value, dict):
        return _spaced(name, value)
    found = entries(name, value, "values, or { from, to, count }")
    values = [one_of(name, each, CHOICES[name]) if name in CHOICES else whole_ticks(name, each) for each in found]
    return _different(f"values of {name}", values)


def _spaced(name: str, value: Mapping[str, Any]) -> tuple[Value, ...]:
    ends = ("from", "to", "count")
    table(name, value, (*ends, "scale"), ends)
    low, high = (whole_ticks(f"{key} of {name}", value[key]) for key in ("from", "to"))
    count = whole(f"count of {name}", value["count"], 2, MOST)
    logarithmic = one_of(f"scale of {name}", value.get("scale", "linear"), ("linear", "log")) == "log"
    if not low < high or (logarithmic and low < 1):
        raise MeshSimError(f"{name} must go up from a lower end to a higher one, not {shown(value)}")
    shares = [step / (count - 1) for step in range(count)]
    ticks = [low * (high / low) ** share if logarithmic else low + (high - low) * share for share in shares]
    return tuple(dict.fromkeys(round(each) for each in ticks))


def _combined(grid: Mapping[str, tuple[Value, ...]]) -> dict[str, NDArray[Any]]:
    """Every combination, the values of the last parameter changing first."""
    columns = np.meshgrid(*(np.array(values) for values in grid.values()), indexing="ij")
    return {name: column.ravel() for name, column in zip(grid, columns, strict=True)}


def _latin(value: object) -> dict[str, NDArray[Any]]:
    """A Latin hypercube: every cost takes, once each, a value from every one of so many equal parts of its range."""
    found = table("[latin]", value, ("points", "seed", *PARAMETERS, "buffers"), ("points",))
    points = whole("points of [latin]", found["points"], 1, MOST)
    _, seed = check_spec("latin", 1, found.get("seed", 1))
    ends = {name: each for name, each in found.items() if name not in ("points", "seed")}
    if not ends:
        raise MeshSimError("[latin] must give two ends of a parameter at least")
    draw = SplitMix64(seed)
    columns: dict[str, NDArray[Any]] = {}
    for name, each in ends.items():
        low, high = (whole_ticks(name, end) for end in entries(name, each, "ends, [from, to]", 2))
        if low > high:
            raise MeshSimError(f"{name} must go from a lower end to a higher one, not {shown(each)}")
        parts = np.argsort(draw.some(points), kind="stable")
        within = (draw.some(points) >> np.uint64(11)) * 2.0**-53  # from 0 to 1
        columns[name] = low + ((parts + within) / points * (high - low + 1)).astype(np.int64)
    return columns
