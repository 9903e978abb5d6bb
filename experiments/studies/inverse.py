"""Inverse dynamics along a motion: torques by a scheme on a machine, and what they take."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np

from meshsim.algorithms.motion.profiles import driven_joints
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.wrenches import borne, borne_lines
from meshsim.algorithms.schemes.base.evaluation import Inversion
from meshsim.algorithms.schemes.base.scheme import Scheme
from meshsim.algorithms.schemes.loops.inverse import SiteInversion
from meshsim.algorithms.schemes.loops.subsystems import OrderedLayout
from meshsim.algorithms.schemes.takers import inverters
from meshsim.algorithms.types.arrays import MOST_DIGITS, Array, check_finite, digits, relative_error
from meshsim.errors import MeshSimError
from meshsim.experiments.store.files import GrowingTable, telling_what_is_kept
from meshsim.experiments.store.progress import Progress
from meshsim.experiments.studies.baseline import on_one
from meshsim.experiments.studies.precision import digit_line
from meshsim.experiments.studies.where import Location, Where
from meshsim.formats import Format
from meshsim.machine import Machine
from meshsim.outcome import Run

At = tuple[Array, Array, Array]
"""Positions, rates and accelerations of all joints."""
SAMPLES = 101
"""Unless told, or known."""
MOST_SAMPLES = 10_000
TABLE, REACTIONS = "torques.csv", "reactions.csv"
PICTURES = ("torques.png", "subsystems.png")


@dataclass(frozen=True, eq=False)
class InverseReport:
    """Torques along a motion, and the run of the first of them; `alone` is who takes how long on one processor.

    `reactions`, by time, joint (`holders`) and number (`Inversion.exerted`), are None unless they were asked for.
    """

    scheme: Scheme
    settings: Mapping[str, str]
    inversion: Inversion
    run: Run[Array]
    alone: tuple[str, int]
    t: Array
    torques: Array
    error: float
    reactions: Array | None = None
    location: Location | None = None  # on which network, if not its own
    format: Format | None = None  # of numbers, if one was chosen
    digits: float = 0.0  # decimal digits as the dense solver's, at the worst time

    @property
    def title(self) -> str:
        """Method, mechanism and machine in one line."""
        who = ", ".join([self.scheme.name, *filter(None, map(self.settings.get, ("layout", "recursion")))])
        return f"{who}: {self.mechanism.name} on {self.run.machine.name}"

    @property
    def mechanism(self) -> Mechanism:
        """The robot."""
        return self.inversion.mechanism

    @property
    def joints(self) -> list[str]:
        """Those whose torques are found: all, or with loops the actuated ones."""
        return joints_of(self.mechanism)

    def to_dict(self) -> Mapping[str, Any]:
        """The object that `--json` prints."""
        run = self.run
        return {
            "scheme": self.scheme.name,
            "robot": self.mechanism.name,
            "machine": run.machine.name,
            "options": dict(self.settings),
            "processors": run.processors,
            "ticks": run.ticks,
            "time_us": run.machine.microseconds(run.ticks),
            "one_processor": self.alone[0],
            "one_processor_us": run.machine.microseconds(self.alone[1]),
            "exchanges": run.exchanges,
            "messages": run.messages,
            "words": run.words,
            "operations": dict(run.operations),
            "joints": self.joints,
            "t": self.t.tolist(),
            "torques": self.torques.tolist(),
            "error": self.error,
            **({"precision": self.format.name, "digits": {"tau": self.digits}} if self.format else {}),
            **self._exerted(),
            **borne(self.mechanism),
            **({"network": asdict(self.location)} if self.location else {}),
        }

    def _exerted(self) -> Mapping[str, Any]:
        """What joints exert, if that was asked for."""
        if self.reactions is None:
            return {}
        names = {"holders": holders(self.mechanism), "exerted": list(self.inversion.exerted)}
        return {**names, "frame": self.frame, "reactions": self.reactions.tolist()}

    @property
    def frame(self) -> str:
        """In which axes reactions are."""
        plane = self.mechanism.plane if self.mechanism.cuts else None
        if plane is None:
            return "the axes of the body that the joint carries, moments about its hinge"
        x, y = (", ".join(f"{number + 0.0:g}" for number in axis.round(12)) for axis in (plane.x, plane.y))
        return f"the plane's axes x = ({x}) and y = ({y}) of the ground, moments about the hinge"

    def rows(self) -> list[dict[str, Any]]:
        """A row for each time and joint."""
        return [
            {"t": float(t), "joint": joint, "tau": float(tau)}
            for t, torques in zip(self.t, self.torques, strict=True)
            for joint, tau in zip(self.joints, torques, strict=True)
        ]

    def as_text(self) -> str:
        """What people read."""
        run = self.run
        us, alone = (run.machine.microseconds(ticks) for ticks in (run.ticks, self.alone[1]))
        many = run.processors > 1
        lines = [f"{self.title}, {run.processors} processor{'s' if many else ''}", ""]
        width = max(12, *(len(joint) + 2 for joint in self.joints))
        lines.append(f"{'joint':<{width}}{'least':>14}{'at (s)':>10}{'largest':>14}{'at (s)':>10}")
        for i, joint in enumerate(self.joints):
            low, high = self.torques[:, i].argmin(), self.torques[:, i].argmax()
            ends = (
                f"{self.torques[low, i]:>14.6g}{self.t[low]:>10.3g}{self.torques[high, i]:>14.6g}{self.t[high]:>10.3g}"
            )
            lines.append(f"{joint:<{width}}{ends}")
        lines += ["(N m; N of joints that slide)", "", *borne_lines(self.mechanism)]
        beside = f"; on one processor {alone:.1f} us{self._other}" if many else ""
        lines.append(f"torques once take {us:.1f} us{beside}")
        if many:
            often = f"{run.exchanges} exchanges, " if run.exchanges else ""
            lines.append(f"{often}{run.messages} messages, {run.words} words")
        lines += [str(self.location)] if self.location else []
        lines.append(f"largest difference from a dense solver: {self.error:.1e} (relative where it exceeds 1)")
        if self.format:
            lines.append(digit_line(self.format, {"tau": self.digits}, run))
        return "\n".join([*lines, *self._reaction_lines(), *self.subsystems])

    def _reaction_lines(self) -> list[str]:
        """The largest force and moment of every joint."""
        if self.reactions is None:
            return []
        names, half = holders(self.mechanism), 2 if len(self.inversion.exerted) == 3 else 3
        width = max(12, *(len(name) + 2 for name in names))
        lines = ["", f"{'joint exerts':<{width}}{'force (N)':>14}{'at (s)':>10}{'moment (N m)':>14}{'at (s)':>10}"]
        for i, name in enumerate(names):
            sizes = [np.linalg.norm(part, axis=1) for part in np.split(self.reactions[:, i], [half], axis=1)]
            ends = "".join(f"{size.max():>14.6g}{self.t[size.argmax()]:>10.3g}" for size in sizes)
            lines.append(f"{name:<{width}}{ends}")
        second = ", and a cut joint on its second body" if self.mechanism.cuts else ""
        return [*lines, f"(largest, on the body that it carries{second};", f" {REACTIONS} is in {self.frame})"]

    @property
    def _other(self) -> str:
        return "" if self.alone[0] == self.scheme.name else f" ({self.alone[0]}, the quickest there)"

    @property
    def ordered(self) -> OrderedLayout | None:
        """The layout of subsystems that are solved in an order."""
        layout = self.inversion.places()[0].layout if isinstance(self.inversion, SiteInversion) else None
        return layout if isinstance(layout, OrderedLayout) else None

    @property
    def subsystems(self) -> list[str]:
        """In which order subsystems are solved, where they are."""
        layout = self.ordered
        if layout is None:
            return []
        lines = ["", "subsystems, as they become determinate:"]
        for group in layout.groups:
            bodies = [self.mechanism.bodies[i].name for k in group.chains for i in self.mechanism.subsystems[k]]
            forces = [self.mechanism.cuts[cut].name for cut in group.cuts]
            found = f"forces of {', '.join(forces)}" if forces else "torques"
            lines.append(f"  {group.level + 1}: {', '.join(bodies)}: {found}")
        return lines


def joints_of(mechanism: Mechanism) -> list[str]:
    """The joints whose torques are found."""
    return [mechanism.joints[j] for j in driven_joints(mechanism)]


def holders(mechanism: Mechanism) -> list[str]:
    """The joints that exert something: all, those that mimic others too, and those that were cut."""
    return [*(body.joint for body in mechanism.bodies), *(cut.name for cut in mechanism.cuts)]


def with_reactions(scheme: Scheme, inversion: Inversion) -> Inversion:
    """The same with what joints exert, or a refusal that names who knows it."""
    found = inversion.with_reactions()
    if found is None:
        mechanism = inversion.mechanism
        able = [each.name for each in inverters(mechanism) if each.inversion(mechanism).with_reactions() is not None]
        others = f"{' or '.join(able)} finds both" if able else "no scheme finds both"
        raise MeshSimError(f"{scheme.name} finds the torques of {mechanism.name} and not what joints exert; {others}")
    return found


def sample_times(duration: float, known: Array | None, samples: int | None) -> Array:
    """When torques are computed: as often as told; else when the motion is known, or 101 times."""
    count = samples if samples is not None else SAMPLES if known is None else len(known)
    if samples is not None and samples < 2:
        raise MeshSimError(f"--samples must be from 2 to {MOST_SAMPLES}, not {samples}")
    if count > MOST_SAMPLES:
        rows = "" if samples is not None else ": a motion of so many rows needs --samples"
        raise MeshSimError(f"--samples must be from 2 to {MOST_SAMPLES}, not {count}{rows}")
    return known if known is not None and samples is None else np.linspace(0.0, duration, count)


def run_inverse(
    scheme: Scheme,
    settings: Mapping[str, str],
    inversion: Inversion,
    motion: Callable[[float], At],
    times: Array,
    machine: Machine,
    folder: Path,
    where: Where,
    form: Format | None = None,
) -> InverseReport:
    """Compute torques at some times, and write them as they come."""
    progress = Progress("torques", len(times))
    found, worst, least = [], 0.0, MOST_DIGITS
    first: Run[Array] | None = None
    alone, location, placement = (scheme.name, 0), None, None
    with Tables(inversion, folder) as tables, telling_what_is_kept(folder / TABLE, lambda: tables.last):
        for t in times:
            with np.errstate(all="ignore"):  # what overflows is refused by name
                at = motion(float(t))
            plan = inversion.plan(*at).in_format(form)
            plan = where.placed(plan, machine) if first is None else replace(plan, placement=placement)
            run = plan.run(machine, trace=first is None)
            check_finite(f"computed by {scheme.name} at t = {t:g} s", tau=run.value)
            if first is None:
                first, alone = run, on_one_processor(scheme, inversion, at, run)
                location, placement = where.location(plan), plan.placement
            found.append(tables.add(float(t), run.value))
            reference = inversion.reference(*at)
            worst = max(worst, relative_error(run.value, reference))
            least = min(least, digits(run.value, reference))
            progress.advance()
    assert first is not None
    torques, exerted = (np.array(part) for part in zip(*found, strict=True))
    reactions = exerted if inversion.exerted else None
    kept = scheme, settings, inversion, first, alone, times, torques, worst, reactions, location
    return InverseReport(*kept, form, least)


class Tables:
    """The tables of a motion, which grow with it: torques, and what joints exert if that was asked for."""

    def __init__(self, inversion: Inversion, folder: Path) -> None:
        self.joints, self.holders = joints_of(inversion.mechanism), holders(inversion.mechanism)
        self.exerted = inversion.exerted
        self.torques = GrowingTable(folder / TABLE, ("t", "joint", "tau"))
        self.last: float | None = None
        for name in (REACTIONS, *PICTURES):  # left by an earlier motion
            (folder / name).unlink(missing_ok=True)
        self.reactions = GrowingTable(folder / REACTIONS, ("t", "joint", *self.exerted)) if self.exerted else None

    def __enter__(self) -> Self:
        self.torques.__enter__()
        if self.reactions is not None:
            self.reactions.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self.torques.__exit__(*error)
        if self.reactions is not None:
            self.reactions.__exit__(*error)

    def add(self, t: float, value: Array) -> tuple[Array, Array]:
        """A time's rows; the torques, and what each joint exerts."""
        torques, self.last = value[: len(self.joints)], t
        self.torques.add([(t, joint, tau) for joint, tau in zip(self.joints, torques, strict=True)])
        if self.reactions is None:
            return torques, np.zeros(0)
        exerted = value[len(self.joints) :].reshape(-1, len(self.exerted))
        self.reactions.add([(t, joint, *row.tolist()) for joint, row in zip(self.holders, exerted, strict=True)])
        return torques, exerted


def on_one_processor(scheme: Scheme, inversion: Inversion, at: At, run: Run[Array]) -> tuple[str, int]:
    """Who takes how long on one processor: the scheme itself, where it runs there, or the quickest that does."""
    machine = run.machine
    if run.processors == 1:
        return scheme.name, run.ticks
    if isinstance(inversion, SiteInversion):
        return scheme.name, inversion.alone().plan(*at).run(machine, trace=False).ticks
    ticks = {
        each.name: each.inversion(inversion.mechanism).plan(*at).run(machine, trace=False).ticks
        for each in inverters(inversion.mechanism)
        if on_one(each)
    }
    return min(ticks.items(), key=lambda item: item[1])
