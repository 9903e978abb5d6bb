"""Inverse dynamics along a motion: torques by a scheme on a machine, and what they take."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from meshsim.algorithms.motion.profiles import driven_joints
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.wrenches import borne, borne_lines
from meshsim.algorithms.schemes.base.evaluation import Inversion
from meshsim.algorithms.schemes.base.scheme import Scheme
from meshsim.algorithms.schemes.catalogue import inverters
from meshsim.algorithms.schemes.loops.inverse import SiteInversion
from meshsim.algorithms.schemes.loops.subsystems import OrderedLayout
from meshsim.algorithms.types.arrays import Array, check_finite, relative_error
from meshsim.errors import MeshSimError
from meshsim.experiments.store.files import GrowingTable
from meshsim.experiments.store.progress import Progress
from meshsim.experiments.studies.baseline import on_one
from meshsim.machine import Machine
from meshsim.outcome import Run

At = tuple[Array, Array, Array]
"""Positions, rates and accelerations of all joints."""
SAMPLES = 101
"""Unless told, or known."""
MOST_SAMPLES = 10_000
TABLE = "torques.csv"


@dataclass(frozen=True, eq=False)
class InverseReport:
    """Torques along a motion, and the run of the first of them; `alone` is who takes how long on one processor."""

    scheme: Scheme
    settings: Mapping[str, str]
    inversion: Inversion
    run: Run[Array]
    alone: tuple[str, int]
    t: Array
    torques: Array
    error: float

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
            **borne(self.mechanism),
        }

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
        lines.append(f"largest difference from a dense solver: {self.error:.1e} (relative where it exceeds 1)")
        return "\n".join([*lines, *self.subsystems])

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
) -> InverseReport:
    """Compute torques at some times, and write them as they come."""
    progress = Progress("torques", len(times))
    torques, worst = [], 0.0
    first: Run[Array] | None = None
    alone = scheme.name, 0
    joints = joints_of(inversion.mechanism)
    with GrowingTable(folder / TABLE, ("t", "joint", "tau")) as table:
        for t in times:
            at = motion(float(t))
            run = inversion.plan(*at).run(machine, trace=first is None)
            check_finite(f"computed by {scheme.name}", tau=run.value)
            if first is None:
                first, alone = run, on_one_processor(scheme, inversion, at, run)
            table.add([(t, joint, tau) for joint, tau in zip(joints, run.value, strict=True)])
            torques.append(run.value)
            worst = max(worst, relative_error(run.value, inversion.reference(*at)))
            progress.advance()
    assert first is not None
    return InverseReport(scheme, settings, inversion, first, alone, times, np.array(torques), worst)


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
