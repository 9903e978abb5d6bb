"""What the verbs' parsers share. Nothing here, nor at the top of a verb's file, imports what takes time to import."""

import argparse
import math
import re
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from meshsim.errors import MeshSimError
from meshsim.experiments.cli.units import seconds
from meshsim.reading import numbers_in

POSITIONAL = ""
"""What an alias may stand for: the first argument."""
NUMBERS = {"int": "whole number", "float": "number"}
"""What `argparse` calls otherwise."""


class Parser(argparse.ArgumentParser):
    """Takes whole option names only, and old names that its help does not show; says what is wrong in one line."""

    def __init__(self, **settings: Any) -> None:
        formatter = argparse.RawDescriptionHelpFormatter
        super().__init__(allow_abbrev=False, formatter_class=formatter, **settings)
        self.aliases: dict[str, str] = {}

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse, with today's names in place of old ones; `parser` is the verb's own."""
        found, unknown = super().parse_known_args(self._renamed(sys.argv[1:] if args is None else args), namespace)
        found.parser = getattr(found, "parser", self)
        return found, unknown

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse all; what is not known is an error of the verb."""
        found, unknown = self.parse_known_args(args, namespace)
        if unknown:
            found.parser.error(f"unrecognized arguments: {' '.join(unknown)}")
        if "lock" in found:
            found.robot = reduced_text(found.robot, found.lock, found.drop)
        return found

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, and where help is."""
        if message.endswith("expected one argument"):
            option = message.split()[1].removesuffix(":").partition("/")[0]
            message += f"; one that begins with a minus is written with =, as {option}=-1,2"
        message = re.sub("invalid (int|float) value:", lambda found: f"must be a {NUMBERS[found[1]]}, not", message)
        self.exit(2, f"{self.prog}: error: {one_line(message)} (see {self.prog} --help)\n")

    def _renamed(self, words: Sequence[str]) -> list[str]:
        first: list[str] = []
        rest: list[str] = []
        left = iter(words)
        for word in left:
            name, equals, value = word.partition("=")
            today = self.aliases.get(name)
            if today is None:
                rest.append(word)
            elif today == POSITIONAL:
                first += [value] if equals else list(next(zip(left, strict=False), ()))
            else:
                rest.append(today + equals + value)
        return first + rest


def one_line(text: object) -> str:
    """A message on one line of limited length, whatever names it quotes; its begin and its end tell most."""
    lines = str(text).replace("\n  ", "; ")  # of a report
    line = "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in lines)
    return line if len(line) <= 2000 else f"{line[:800]} ... {line[-1200:]}"


def examples(*commands: str) -> str:
    """The end of a help page."""
    return "\n".join(["example:" if len(commands) == 1 else "examples:", *(f"  {command}" for command in commands)])


# What an argument says


def names(text: str) -> tuple[str, ...]:
    """Different names, with commas between them."""
    found = tuple(name for name in text.split(",") if name)
    if not found or len(set(found)) < len(found):
        raise argparse.ArgumentTypeError(f"must be different names with commas between them, not {text!r}")
    return found


LARGEST = 10**6
"""Sizes above this are no sizes of robots."""


def sizes(text: str) -> tuple[int, ...]:
    """Sizes and ranges of sizes, with commas between them."""
    found: set[int] = set()
    for part in text.split(","):
        bounds = re.fullmatch(r"([0-9]{1,9})(?:(?:\.\.|-|:)([0-9]{1,9}))?", part)
        low, high = (int(bounds[1]), int(bounds[2] or bounds[1])) if bounds else (0, 0)
        if high > LARGEST:
            raise argparse.ArgumentTypeError(f"must have no size above {LARGEST}, not {high}")
        if not 1 <= low <= high:
            wanted = "a range such as 2..24, a list such as 2,4,8, or both as in 2..32,64"
            raise argparse.ArgumentTypeError(f"must be {wanted}, not {text!r}")
        found.update(range(low, high + 1))
    return tuple(sorted(found))


def times(text: str) -> tuple[float, ...]:
    """Times in seconds, with commas between them."""
    try:
        times = tuple(seconds(part) for part in text.split(","))
    except argparse.ArgumentTypeError:
        times = ()
    if not 1 <= len(times) <= 12 or not all(map(math.isfinite, times)):
        raise argparse.ArgumentTypeError(f"must be one to twelve times such as 0,2.5,5 or 0,50ms, not {text!r}")
    return times


def gains(text: str) -> tuple[float, float]:
    """The gains of feedback."""
    found = numbers_in(text.split(","))
    if len(found) != 2 or min(found) < 0:
        raise argparse.ArgumentTypeError(f"must be two finite numbers, at least 0, such as 2000,200, not {text!r}")
    return found[0], found[1]


def pairs(texts: Sequence[str], **old: str | None) -> dict[str, str]:
    """Options, each KEY=VALUE, with those that were given by an old name."""
    options = {key: value for key, value in old.items() if value is not None}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals:
            raise MeshSimError(f"an option must be KEY=VALUE, not {text!r}")
        if key in options:
            raise MeshSimError(f"option {key!r} must be given once, not twice")
        options[key] = value
    return options


def wrenches(texts: Sequence[str]) -> dict[str, list[float]]:
    """Wrenches, each BODY=FX,FY,.."""
    found: dict[str, list[float]] = {}
    for text in texts:
        body, _, values = text.rpartition("=")
        numbers = numbers_in(values.split(","))
        if not body or not numbers:
            raise MeshSimError(f"--wrench must be BODY=FX,FY,.. with finite numbers, not {text!r}")
        if body in found:
            raise MeshSimError(f"--wrench on {body!r} must be given once, not twice")
        found[body] = numbers
    return found


# Arguments that several verbs have


def add_scheme(parser: Parser, metavar: str = "SCHEME", kind: str = "schemes", required: bool = True) -> None:
    """Who computes: always the first argument."""
    name = metavar.lower()
    settings: dict[str, Any] = {} if required else {"nargs": "?"}
    text = f"a name (see `meshsim list {kind}`), or FILE.py:NAME" + ("" if required else " (default: try all)")
    parser.add_argument(name, metavar=metavar, help=text, **settings)
    parser.aliases[f"--{name}"] = POSITIONAL


def add_robot(parser: Parser) -> None:
    """Whose dynamics."""
    parser.add_argument(
        "--robot",
        required=True,
        help="a name (see `meshsim list robots`), such as chain:N:SEED or coil:N, a URDF file (floating:FILE.urdf for "
        "a floating base), an MJCF file, a TOML file, or FILE.py:NAME",
    )
    parser.add_argument(
        "--lock",
        type=names,
        action="extend",
        default=[],
        metavar="JOINT=POSITION,..",
        help="lock joints, in rad or m or as 30deg (default 0); masses stay; base locks a floating base",
    )
    parser.add_argument(
        "--drop",
        type=names,
        action="extend",
        default=[],
        metavar="JOINT,..",
        help="take joints away, with all that they carry",
    )


def reduced_text(robot: str, lock: Sequence[str], drop: Sequence[str]) -> str:
    """A robot's text, with what is locked and dropped behind it."""
    changes = [f"@{change}:{';'.join(joints)}" for change, joints in (("lock", lock), ("drop", drop)) if joints]
    return robot + "".join(changes)


def add_machine(parser: Parser) -> None:
    """The machine it runs on."""
    form = "a name (see `meshsim list machines`), a TOML file, or FILE.py:NAME"
    parser.add_argument("--machine", required=True, metavar="MACHINE", help=form)
    parser.aliases["--machines"] = "--machine"


def add_machines(parser: Parser, default: str, more: str = "") -> None:
    """The machines that are compared; `more` is what else may be said."""
    parser.add_argument(
        "--machine",
        type=names,
        default=names(default),
        metavar="A,B",
        help=f"names (see `meshsim list machines`), TOML files, or FILE.py:NAME{more} (default {default})",
    )
    parser.aliases["--machines"] = "--machine"


PROFILES = (
    "free, own (what a document drives its mechanism by), cycloid:SECONDS[:DEGREES[:METRES]], a torque for each driven "
    "joint (6 or 1,0,-2), excavator:joint, excavator:resolved, or FILE.csv of torques or of a motion"
)


def add_options(parser: Parser) -> None:
    """What a scheme may be told."""
    parser.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="an option of the scheme (see `meshsim list schemes`)",
    )


def add_wrench(parser: Parser) -> None:
    """What acts on bodies from outside."""
    parser.add_argument(
        "--wrench",
        action="append",
        default=[],
        metavar="BODY=FX,FY,..",
        help="a constant force at a body's centre of mass, FX,FY,FZ in N in the ground's axes, or with a moment, "
        "FX,FY,FZ,MX,MY,MZ in N m; for a mechanism in a plane also FX,FY or FX,FY,MZ in that plane's axes; may be "
        "given for several bodies",
    )


def add_feedback(parser: Parser) -> None:
    """What holds joints to a motion."""
    parser.add_argument(
        "--feedback",
        type=gains,
        metavar="KP,KD",
        help="proportional and differential feedback of every driven joint towards the motion that the profile wants "
        "(N m/rad and N m s/rad, or N/m and N s/m)",
    )


USED = "use so many processors; a network without a size, or a square mesh if none is named, has so many"


def add_where(parser: Parser, processors: str = USED) -> None:
    """Where it runs, if not on the scheme's own network; `processors` is what a number of them means."""
    parser.add_argument(
        "--network",
        metavar="NAME:SIZE|FILE",
        help="run on this network in place of the scheme's own: a name with a size such as square-mesh:4x4 (see "
        "`meshsim list networks`), a node-link JSON or GraphML file, or FILE.py:NAME",
    )
    parser.add_argument("--processors", type=int, metavar="P", help=processors)
    add_placement(parser)


def add_placement(parser: Parser) -> None:
    """Which program runs where on a network, and what of it does not work."""
    parser.add_argument(
        "--placement",
        metavar="NAME|FILE",
        help="which program runs where: auto, identity, rows, columns, blocks, snake, round-robin, or a JSON file of "
        "programs and processors (default auto)",
    )
    parser.add_argument(
        "--dead",
        action="append",
        default=[],
        metavar="NODE|A-B",
        help="a processor such as 2,3, or a link such as 1,1-1,2, that does not work; may be given several times",
    )


def where_in(arguments: argparse.Namespace) -> dict[str, Any]:
    """What was told of that, as the functions of the front door take it."""
    return {
        "network": arguments.network,
        "processors": arguments.processors,
        "placement": arguments.placement,
        "dead": tuple(arguments.dead),
    }


def add_precision(parser: Parser, several: bool = False) -> None:
    """What processors compute in."""
    what = "number formats, each of which" if several else "number format that"
    parser.add_argument(
        "--precision",
        type=names if several else str,
        default=() if several else None,
        metavar="A,B" if several else "FORMAT",
        help=f"{what} every operation rounds to: double, single, half, bfloat16, or fixed:I.F with I bits before the "
        "point, the sign among them, and F behind it; messages take as many words as their bits need, operations cost "
        "what the machine says (default: double, with a word for each number)",
    )


def add_jobs(parser: Parser) -> None:
    """How many processes share long work."""
    parser.add_argument("--jobs", type=int, metavar="N", help="worker processes (default: one a processor)")


def add_out(parser: Parser, default: str | None, text: str) -> None:
    """Where results go."""
    parser.add_argument("--out", default=default, metavar="DIR", help=f"folder for the results (default {text})")
    parser.add_argument("--force", action="store_true", help="write over a folder that holds other work")


def add_common(parser: Parser) -> None:
    """What every verb has."""
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.add_argument("--quiet", action="store_true", help="tell no progress and no remarks on standard error")
