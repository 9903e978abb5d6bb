"""How the error of accelerations grows with the number of joints: schemes on systems of growing size, against decimals.

A system is a robot's text with N in the place of the number of joints. Numbers are those of the simulated programs; no
times are found. An error is the largest difference from the exact accelerations over the largest of these.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from pathlib import Path

from meshsim.algorithms.reference.exact import exact_accelerations
from meshsim.algorithms.robots.catalogue import load_robot
from meshsim.algorithms.robots.state import default_state
from meshsim.algorithms.schemes.catalogue import load_scheme
from meshsim.errors import MeshSimError
from meshsim.experiments.store.files import write_csv
from meshsim.experiments.store.journal import Row, open_journal
from meshsim.experiments.store.progress import Progress
from meshsim.experiments.store.workers import evaluated
from meshsim.experiments.studies.compare import Compared
from meshsim.experiments.studies.refusals import nothing_left, refusal
from meshsim.formats import load_format
from meshsim.simulation import NOWHERE, Simulation

COLUMNS = ("system", "n", "scheme", "options", "precision", "error")


@dataclass(frozen=True)
class Point:
    """A scheme, with options behind an @ if any, on a system of some size, in a number format."""

    system: str
    n: int
    label: str
    precision: str

    @property
    def key(self) -> str:
        """What tells it from all others of a study."""
        return f"{self.label} {self.robot} in {self.precision}"

    @property
    def robot(self) -> str:
        """The text of the robot."""
        return sized(self.system, self.n)


@dataclass(frozen=True)
class Growth:
    """What is to be studied; schemes may have options: ``hybrid@pieces=4;form=six``."""

    schemes: tuple[str, ...]
    systems: tuple[str, ...]
    sizes: tuple[int, ...]
    precisions: tuple[str, ...]

    def __post_init__(self) -> None:
        for label in self.schemes:
            name, options = named(label)
            load_scheme(name).choose(options)
        for system in self.systems:
            sized(system, 1)
        for precision in self.precisions:
            load_format(precision)

    def points(self) -> Iterator[Point]:
        """All points, in the order of the table."""
        for system in self.systems:
            for precision in self.precisions:
                for label in self.schemes:
                    for n in self.sizes:
                        yield Point(system, n, label, precision)


def named(label: str) -> tuple[str, dict[str, str]]:
    """A scheme's name and options from ``NAME@KEY=VALUE;KEY=VALUE``."""
    name, at, rest = label.partition("@")
    options: dict[str, str] = {}
    for text in rest.split(";") if at else ():
        key, equals, value = text.partition("=")
        if not equals or key in options:
            raise MeshSimError(f"options of a scheme must be NAME@KEY=VALUE;KEY=VALUE, each once, not {label!r}")
        options[key] = value
    return name, options


def sized(system: str, n: int) -> str:
    """The text of a robot of a system."""
    parts = system.split(":")
    if parts.count("N") != 1:
        raise MeshSimError(f"a system must be a robot with N for its size, such as coil:N or chain:N:1, not {system!r}")
    return ":".join(str(n) if part == "N" else part for part in parts)


def evaluate(point: Point) -> Row:
    """The error of one point; `refused` tells why there is none, with `case` if it fails in the format."""
    name, options = named(point.label)
    try:
        mechanism = load_robot(point.robot)
        state = default_state(mechanism)
        exact = exact_accelerations(mechanism, state)
        plan = load_scheme(name).plan(mechanism, state, **options)
    except MeshSimError as error:
        return {"refused": str(error).replace(point.robot, point.system)}
    try:
        found = plan.in_format(load_format(point.precision)).answer(Simulation(NOWHERE)).qdd.tolist()
    except (MeshSimError, ZeroDivisionError) as error:
        return {"refused": str(error).splitlines()[0], "case": point.key}
    off = error_of(found, exact)
    if math.isnan(off):
        nothing = "all exact accelerations are 0, so that no relative error is known"
        return {"refused": "accelerations are not finite" if any(exact) else nothing, "case": point.key}
    chosen = " ".join(f"{key}={value}" for key, value in options.items())
    return {**asdict(point), "scheme": name, "options": chosen, "error": off}


def error_of(found: Sequence[float], exact: Sequence[Decimal]) -> float:
    """The largest difference over the largest exact value; nan if what was found is not finite."""
    if not all(map(math.isfinite, found)):
        return math.nan
    differences = (abs(Decimal(value) - known) for value, known in zip(found, exact, strict=True))
    largest = max(map(abs, exact))
    return float(max(differences) / largest) if largest else math.nan


def run_growth(growth: Growth, folder: Path, jobs: int) -> Compared:
    """Evaluate every point that the folder does not have yet, the largest first, then write the table."""
    points = list(growth.points())
    with open_journal(folder, asdict(growth)) as journal:
        todo = sorted((point for point in points if point.key not in journal.rows), key=lambda point: -point.n)
        progress = Progress("accuracy", len(points), len(points) - len(todo))
        for point, row in evaluated(evaluate, todo, jobs):
            journal.add(point.key, row)
            progress.advance()
        found = [(point, journal.rows[point.key]) for point in points]
        rows = [row for _, row in found if "refused" not in row]
        refused = [
            refusal(point.system, named(point.label)[0], row["refused"], row.get("case"))
            for point, row in found
            if "refused" in row
        ]
        if not rows:
            raise nothing_left(refused)
        write_csv(folder / "accuracy.csv", COLUMNS, ([row[column] for column in COLUMNS] for row in rows))
    return Compared(rows, refused)


def curves(rows: Sequence[Row]) -> Iterator[tuple[str, str, Mapping[str, dict[int, float]]]]:
    """For each system and format, errors by scheme and number of joints."""
    for system, precision in dict.fromkeys((row["system"], row["precision"]) for row in rows):
        found: dict[str, dict[int, float]] = {}
        for row in rows:
            if (row["system"], row["precision"]) == (system, precision):
                found.setdefault(row["label"], {})[row["n"]] = row["error"]
        yield system, precision, found


def as_text(rows: Sequence[Row]) -> list[str]:
    """A table for each system and format; a dash is what was refused."""
    lines = []
    for system, precision, found in curves(rows):
        sizes = sorted({n for errors in found.values() for n in errors})
        wide = max(10, *(len(label) + 2 for label in found))
        lines += ["", f"error of qdd in {precision}, {system}"]
        lines.append(" " * wide + "".join(f"{f'N = {n}':>10}" for n in sizes))
        for label, errors in found.items():
            shown = (f"{errors[n]:.1e}" if n in errors else "-" for n in sizes)
            lines.append(f"{label:<{wide}}" + "".join(f"{each:>10}" for each in shown))
    return lines[1:]
