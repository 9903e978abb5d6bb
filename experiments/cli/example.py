"""`meshsim example`: files to begin with, copied out of the package."""

import argparse
from typing import Any, NamedTuple

from meshsim.experiments.cli.parsing import add_common, examples


class Example(NamedTuple):
    """Files of `docs/examples` that belong together, the first by name, and a command that takes them."""

    summary: str
    files: tuple[str, ...]
    command: str


EXAMPLES = {
    "arm": Example(
        "a robot as URDF, and a state by joint name",
        ("arm.urdf", "state.json"),
        "meshsim run wong-mesh --robot arm.urdf --state state.json --machine t800",
    ),
    "crane": Example(
        "a robot as TOML: joints that slide, swing two ways and turn",
        ("crane.toml",),
        "meshsim run one-wong --robot crane.toml --machine t800",
    ),
    "fourbar": Example(
        "a mechanism with a loop, as TOML",
        ("fourbar.toml",),
        "meshsim run projection --robot fourbar.toml --machine t800",
    ),
    "fivebar": Example(
        "a loop added to a URDF file",
        ("fivebar.toml", "fivebar.urdf"),
        "meshsim run projection --robot fivebar.toml --machine t800",
    ),
    "machine": Example(
        "a machine of your own, with every key",
        ("machine.toml",),
        "meshsim run wong-mesh --robot puma600 --machine machine.toml",
    ),
    "links": Example(
        "a sweep over link costs: who wins where, mesh or cubes",
        ("links.toml",),
        "meshsim sweep links.toml",
    ),
    "buffers": Example(
        "a sweep over buffers: what deeper ones buy as links get slower",
        ("buffers.toml",),
        "meshsim sweep buffers.toml",
    ),
    "latin": Example(
        "a sweep over a Latin hypercube of six costs",
        ("latin.toml", "arm.urdf"),
        "meshsim sweep latin.toml",
    ),
}


def add(parsers: Any) -> None:
    """`meshsim example`."""
    example = parsers.add_parser(
        "example",
        help="list the example files, or copy one out",
        description="List the example files that come with meshsim, or copy one, with what it needs, into a folder.",
        epilog=examples("meshsim example", "meshsim example links", "meshsim example arm --out mine"),
    )
    example.add_argument("example", nargs="?", metavar="NAME", help="which to copy; default: list all")
    example.add_argument("--out", default=".", metavar="DIR", help="the folder to copy to (default: this one)")
    example.add_argument("--force", action="store_true", help="write over files that are there")
    add_common(example)
    example.set_defaults(function=_example)


def _example(arguments: argparse.Namespace) -> None:
    import json

    if arguments.example is None:
        if arguments.json:
            print(json.dumps({name: example._asdict() for name, example in EXAMPLES.items()}))
            return
        for name, example in EXAMPLES.items():
            print(f"{name:<9} {example.summary} ({', '.join(example.files)})")
        return
    files, command = copy_example(arguments.example, arguments.out, arguments.force)
    if arguments.json:
        print(json.dumps({"files": files, "command": command}))
        return
    print(f"files: {', '.join(files)}")
    print(f"try: {command}" if arguments.out == "." else f"try, in {arguments.out}: {command}")


def copy_example(name: str, folder: str, force: bool) -> tuple[list[str], str]:
    """Copy an example's files into a folder, all or none; returns their paths and the command that takes them."""
    from importlib.resources import files
    from pathlib import Path

    from meshsim.errors import MeshSimError
    from meshsim.experiments.store.files import check_writable, whole_file

    if name not in EXAMPLES:
        raise MeshSimError(f"unknown example {name!r}; known: {', '.join(EXAMPLES)}")
    if not folder:
        raise MeshSimError("--out must name a folder, not nothing")
    source = files("meshsim") / "examples"
    texts = {Path(folder) / each: (source / each).read_bytes() for each in EXAMPLES[name].files}
    for target, text in texts.items():
        check_writable(target)
        if target.exists() and target.read_bytes() != text and not force:
            raise MeshSimError(f"{target} must be the example's own or not be there; --force writes over it")
    for target, text in texts.items():
        with whole_file(target) as temporary:
            temporary.write_bytes(text)
    return list(map(str, texts)), EXAMPLES[name].command
