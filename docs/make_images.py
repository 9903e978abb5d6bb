"""Make pictures and animations of the documents anew, and know which are stale: `make images`, or with ONLY=beyond.png.

`images/sources.json` keeps, for each picture, the command that made it and what it was made from: a hash of the code
that draws it, and a few times, computed in moments, of what it shows. A test compares these with today's; neither
other code nor a new scheme makes a picture stale.
"""

import ast
import hashlib
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from PIL import Image

import meshsim as ms
from meshsim.experiments.figures.styles import style_of

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
SOURCES = IMAGES / "sources.json"
DRAWING = "meshsim.experiments.figures."
"""Modules whose names are followed; what they draw is computed elsewhere, and probed."""
TABLE = ("styles", "STYLES")
"""The table of styles: only the rows of schemes that a picture shows are in its hash."""


@dataclass(frozen=True)
class Picture:
    """What a picture is made by.

    Attributes
    ----------
    command : str
        Words of the command line; OUT is a folder.
    file : str
        The picture in that folder.
    draws : str
        The function that draws it, in a module of figures or exhibits.
    schemes : str
        Schemes whose styles it shows.
    probes : tuple of str
        Runs whose ticks stand for its numbers: scheme, robot and machine, or `solve`, method, system and machine; then
        options.
    """

    command: str
    file: str
    draws: str
    schemes: str = ""
    probes: tuple[str, ...] = ()


FIVE = "wong-mesh lee-chang amin-javaheri fijany-bejczy hwang"
TEN = f"{FIVE} triangle dca scan hybrid cfa"
ALL = tuple(f"{scheme} chain:5:1 t800" for scheme in TEN.split())
FILM = "figures.animation.save_animation"
GANTT = "figures.gantt.save_gantt"
SUMS = "docs/examples/doubling.py:DOUBLING"
ODD = "docs/examples/odd.json"
PICTURES = {
    "3rrr.png": Picture(
        "simulate denoc --robot 3rrr --machine t800 --option layout=star --profile own --step 0.01 --out OUT",
        "skeleton.png",
        "figures.loops.draw_loops",
        probes=("denoc 3rrr t800",),
    ),
    "accuracy.png": Picture(
        "accuracy --schemes one-featherstone,one-bae,dca,dca@form=mixed,scan,cfa,hybrid@pieces=4 "
        "--systems chain:N:1,coil:N,coil:N:thin,dill:N --n 4,16,64,256 --out OUT",
        "accuracy.png",
        "figures.error_growth.draw_growth",
        "one-featherstone one-bae dca scan cfa hybrid",
    ),
    "best-ur5.png": Picture(
        "best --robot docs/examples/ur5.urdf --machine t800 --rate 1kHz --out OUT",
        "best-t800.png",
        "figures.best.draw_best",
        f"{TEN} branch-parallel one-wong one-angeles one-walker-orin one-featherstone one-saha one-bae",
        (*ALL, "one-bae chain:5:1 t800"),
    ),
    "beyond.png": Picture(
        "compare --n 2..32,64,128,256 --out OUT", "beyond.png", "figures.compare._draw_beyond", TEN, ALL
    ),
    "doubling-cube.gif": Picture(
        f"solve {SUMS} --system {ODD} --machine t800 --animate OUT/cube.gif --frames 40",
        "cube.gif",
        FILM,
        probes=(f"solve {SUMS} {ODD} t800",),
    ),
    "doubling-mesh.png": Picture(
        f"solve {SUMS} --system {ODD} --machine t800 --network square-mesh:4x4 --placement blocks --gantt OUT/mesh.png",
        "mesh.png",
        GANTT,
        probes=(f"solve {SUMS} {ODD} t800 network=square-mesh:4x4 placement=blocks",),
    ),
    "doubling-row.gif": Picture(
        f"solve {SUMS} --system {ODD} --machine t800 --network pipeline:16 --placement blocks "
        "--animate OUT/row.gif --frames 60",
        "row.gif",
        FILM,
        probes=(f"solve {SUMS} {ODD} t800 network=pipeline:16 placement=blocks",),
    ),
    "excavator-resolved.png": Picture(
        "reproduce wong-fig-5.9 --out OUT",
        "wong-fig-5.9.png",
        "figures.motion.draw_by_joint",
        probes=("wong-mesh excavator t800-measured",),
    ),
    "feedforward-lu.gif": Picture(
        "solve feedforward-lu --system random:4:1 --machine ideal --animate OUT/lu.gif",
        "lu.gif",
        FILM,
        probes=("solve feedforward-lu random:4:1 ideal",),
    ),
    "feedforward-lu.png": Picture(
        "solve feedforward-lu --system random:4:1 --machine ideal --gantt OUT/lu.png",
        "lu.png",
        GANTT,
        probes=("solve feedforward-lu random:4:1 ideal",),
    ),
    "inertia-matrix.png": Picture(
        f"compare --schemes {FIVE.replace(' ', ',')},triangle --out OUT",
        "inertia-matrix.png",
        "figures.compare._draw_times",
        f"{FIVE} triangle",
        ALL[:6],
    ),
    "mesh-orders.png": Picture(
        "explain wong-mesh wong-mesh --robot chain:4:1 --machine t800 --option order=early "
        "--rival-option order=published --gantt OUT/orders.png",
        "orders.png",
        GANTT,
        probes=("wong-mesh chain:4:1 t800 order=early", "wong-mesh chain:4:1 t800 order=published"),
    ),
    "mesh-published.gif": Picture(
        "run wong-mesh --robot chain:4:1 --machine t800 --option order=published --animate OUT/mesh.gif --frames 60",
        "mesh.gif",
        FILM,
        probes=("wong-mesh chain:4:1 t800 order=published",),
    ),
    "networks.png": Picture(
        "compare --n 6 --machine t800,t800-overlap --networks square-mesh:4x4,ring:8,hypercube:4,bus:8 --out OUT",
        "networks-chain-6-1.png",
        "figures.matrix.draw_matrices",
        probes=ALL,
    ),
    "one-processor.png": Picture(
        "reproduce wong-fig-3.11 --out OUT",
        "wong-fig-3.11.png",
        "exhibits.base.curves.draw_curves",
        "one-wong one-angeles one-walker-orin one-featherstone",
        tuple(f"one-{name} chain:5:1 ideal" for name in ("wong", "angeles", "walker-orin", "featherstone")),
    ),
    "orders.png": Picture(
        f"compare --orders --schemes {FIVE.replace(' ', ',')} --n 2,4,6,12 --machine t800,t800-overlap --out OUT",
        "orders.png",
        "figures.compare._draw_orders",
        FIVE,
        ALL[:5],
    ),
    "pieces.png": Picture(
        "compare --schemes hybrid --try all --n 4,8,16,32,64,128 --machine ideal,t800 --out OUT",
        "pieces.png",
        "figures.few_processors.draw_pieces",
        probes=("hybrid chain:5:1 t800",),
    ),
    "placement.png": Picture(
        "place wong-mesh --robot puma600 --machine t800 --network square-mesh:4x4 --picture OUT/placed.png",
        "placed.png",
        "figures.placement.draw_placement",
        probes=("wong-mesh puma600 t800",),
    ),
    "precision.png": Picture(
        "compare --schemes wong-mesh,lee-chang,fijany-bejczy,hwang,one-saha,one-featherstone "
        "--n 2,4,6,8,10,12,14,16,20,24 --machine t800 --precision single,half,bfloat16 --out OUT",
        "precision.png",
        "figures.precision.draw_precision",
        "wong-mesh lee-chang fijany-bejczy hwang one-saha one-featherstone",
    ),
    "puma600-t800.png": Picture(
        "run wong-mesh --robot puma600 --machine t800 --gantt OUT/run.png",
        "run.png",
        GANTT,
        probes=("wong-mesh puma600 t800",),
    ),
    **{
        f"winners-{discipline}.png": Picture(
            "sweep docs/examples/links.toml --out OUT",
            f"winners-{discipline}.png",
            "figures.sweep_maps._draw_winners",
            "wong-mesh lee-chang amin-javaheri hwang",
            (ALL[0], ALL[1], ALL[2], ALL[4]),
        )
        for discipline in ("overlap", "rendezvous")
    },
}


# What a picture was made from


def made_from(name: str) -> dict[str, object]:
    """What `sources.json` says of a picture that is made now, but for its bytes."""
    picture = PICTURES[name]
    return {
        "command": f"meshsim {picture.command}",
        "drawing": drawing_of(picture),
        "probes": {probe: _ticks(probe) for probe in picture.probes},
    }


def reasons(name: str) -> list[str]:
    """Why a picture is stale; empty if it is not."""
    told = json.loads(SOURCES.read_text(encoding="utf-8")).get(name)
    if told is None or not (IMAGES / name).exists():
        return ["it was never made by `make images`"]
    now = made_from(name)
    found = ["its command changed"] if told["command"] != now["command"] else []
    if told["drawing"] != now["drawing"]:
        found.append(f"the code that draws it changed ({PICTURES[name].draws})")
    probes = now["probes"]
    assert isinstance(probes, dict)
    found += [
        f"{probe} took {told['probes'].get(probe)} ticks and takes {ticks}"
        for probe, ticks in probes.items()
        if told["probes"].get(probe) != ticks
    ]
    if told["bytes"] != _digest((IMAGES / name).read_bytes()):
        found.append("the file is not what that command made")
    return found


@cache
def _ticks(probe: str) -> int:
    words = [f"{ROOT}/{word}" if word.startswith("docs/") else word for word in probe.split()]
    options = dict(word.split("=") for word in words if "=" in word)
    *solves, method, given, machine = [word for word in words if "=" not in word]
    return int((ms.solve if solves else ms.run)(given, method, machine, **options).ticks)


def drawing_of(picture: Picture) -> str:
    """A hash of the code that draws a picture: a function, and all that it uses of modules that draw."""
    module, _, function = f"meshsim.experiments.{picture.draws}".rpartition(".")
    parts = sorted(_used(module, function))
    texts = [f"{where}.{name} {_definitions(where)[name]}" for where, name in parts]
    texts += [repr(style_of(scheme)) for scheme in picture.schemes.split()]
    return _digest("\n".join(texts).encode())


def _used(module: str, name: str) -> set[tuple[str, str]]:
    """The definitions that one uses, itself among them."""
    found: set[tuple[str, str]] = set()
    waiting = [(module, name)]
    while waiting:
        where, what = waiting.pop()
        if (where, what) in found or (where.rpartition(".")[2], what) == TABLE:
            continue
        if what in _definitions(where):
            found.add((where, what))
            waiting += _names(where, what)
    return found


def _names(module: str, definition: str) -> Iterator[tuple[str, str]]:
    """Where each name that a definition uses is defined, in this module or in another that draws."""
    imported = _imported(module)
    for node in ast.walk(ast.parse(_definitions(module)[definition])):
        if isinstance(node, ast.Name):
            yield imported.get(node.id, (module, node.id))


@cache
def _tree(module: str) -> ast.Module:
    path = ROOT.joinpath(*module.split(".")[1:]).with_suffix(".py")
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        body = getattr(node, "body", [])
        if isinstance(body, list) and len(body) > 1 and _is_text(body[0]):
            del body[0]
    return tree


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


@cache
def _definitions(module: str) -> dict[str, str]:
    """The code of each name that a module defines, in one form whatever its comments and lines."""
    found: dict[str, str] = {}
    for node in _tree(module).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found[node.name] = ast.unparse(node)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                found |= {each.id: ast.unparse(node) for each in ast.walk(target) if isinstance(each, ast.Name)}
    return found


@cache
def _imported(module: str) -> dict[str, tuple[str, str]]:
    """What a module takes from other modules that draw."""
    return {
        alias.asname or alias.name: (node.module, alias.name)
        for node in ast.walk(_tree(module))
        if isinstance(node, ast.ImportFrom) and node.module is not None and node.module.startswith(DRAWING)
        for alias in node.names
    }


def _digest(whole: bytes) -> str:
    return hashlib.sha256(whole).hexdigest()[:16]


# Making


def make(names: list[str]) -> None:
    """Make pictures, those of one command together, and write what each was made from.

    What was computed stays in `out/images`, by command and probes, so that long work goes on where it was interrupted;
    what other code computed is begun anew.
    """
    commands: dict[tuple[str, str], list[str]] = {}
    for name in names:
        command = PICTURES[name].command
        told = json.dumps([command, made_from(name)["probes"]])
        commands.setdefault((command, _digest(told.encode())), []).append(name)
    for (command, digest), some in commands.items():
        print(f"meshsim {command}: {', '.join(some)}", flush=True)
        folder = ROOT / "out" / "images" / digest
        folder.mkdir(parents=True, exist_ok=True)
        words = [word.replace("OUT", str(folder)) for word in command.split()]
        words += ["--force"] if "--out" in words else []
        subprocess.run([sys.executable, "-m", "meshsim", *words], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        for name in some:
            keep(name, folder / PICTURES[name].file)


def keep(name: str, drawn: Path) -> None:
    """Put a picture among those of the documents, in few bytes, and write what it was made from."""
    if drawn.suffix == ".gif":
        (IMAGES / name).write_bytes(drawn.read_bytes())
    else:
        with Image.open(drawn) as image:
            few = image.convert("RGB").quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
            few.save(IMAGES / name, optimize=True)
    made = {**made_from(name), "bytes": _digest((IMAGES / name).read_bytes())}
    known = {**(json.loads(SOURCES.read_text(encoding="utf-8")) if SOURCES.exists() else {}), name: made}
    kept = {each: known[each] for each in sorted(known) if each in PICTURES}
    SOURCES.write_text(json.dumps(kept, indent=2) + "\n", encoding="utf-8")


def main(words: list[str]) -> int:
    """Make the pictures that are named, or those that are stale; `all` makes every one."""
    unknown = [word for word in words if word not in (*PICTURES, "all")]
    if unknown:
        print(f"a picture must be one of {', '.join(PICTURES)}, or all, not {unknown[0]!r}", file=sys.stderr)
        return 2
    stale = [name for name in PICTURES if "all" in words or (name in words if words else reasons(name))]
    make(stale)
    print(f"{len(stale)} of {len(PICTURES)} pictures were made")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
