"""Inverse dynamics along a motion: torques by a scheme on a machine, and what they take."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from meshsim.algorithms.motion.prescribed import Prescribed
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.wrenches import borne, borne_lines
from meshsim.algorithms.schemes.base.scheme import Scheme
from meshsim.algorithms.schemes.loops.inverse import SiteInversion
from meshsim.algorithms.schemes.loops.subsystems import OrderedLayout
from meshsim.algorithms.types.arrays import Array, check_finite, relative_error
from meshsim.errors import MeshSimError
from meshsim.experiments.store.files import GrowingTable
from meshsim.experiments.store.progress import Progress
from meshsim.machine import Machine
from meshsim.outcome import Run

MOST_SAMPLES = 10_000
TABLE = "torques.csv"


@dataclass(frozen=True, eq=False)
class InverseReport:
    """Torques along a motion, and the run of the first of them."""

    scheme: Scheme
    inversion: SiteInversion
    run: Run[Array]
    alone: int
    t: Array
    torques: Array
    error: float

    @property
    def title(self) -> str:
        """Method, mechanism and machine in one line."""
        how = ", ".join((self.inversion.layout, *self.inversion.options.values()))
        return f"{self.scheme.name}, {how}: {self.mechanism.name} on {self.run.machine.name}"

    @property
    def mechanism(self) -> Mechanism:
        """The robot."""
        return self.inversion.mechanism

    @property
    def joints(self) -> list[str]:
        """The actuated ones."""
        return [self.mechanism.joints[j] for j in self.mechanism.actuated]

    def to_dict(self) -> Mapping[str, Any]:
        """The object that `--json` prints."""
        run = self.run
        return {
            "scheme": self.scheme.name,
            "robot": self.mechanism.name,
            "machine": run.machine.name,
            "options": {"layout": self.inversion.layout, **self.inversion.options},
            "processors": run.processors,
            "ticks": run.ticks,
            "time_us": run.machine.microseconds(run.ticks),
            "one_processor_us": run.machine.microseconds(self.alone),
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
        us, alone = (run.machine.microseconds(ticks) for ticks in (run.ticks, self.alone))
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
        lines.append(f"torques once take {us:.1f} us" + (f"; on one processor {alone:.1f} us" if many else ""))
        if many:
            often = f"{run.exchanges} exchanges, " if run.exchanges else ""
            lines.append(f"{often}{run.messages} messages, {run.words} words")
        lines.append(f"largest difference from a dense solver: {self.error:.1e} (relative where it exceeds 1)")
        return "\n".join([*lines, *self.subsystems])

    @property
    def subsystems(self) -> list[str]:
        """In which order subsystems are solved, where they are."""
        layout = self.inversion.places()[0].layout
        if not isinstance(layout, OrderedLayout):
            return []
        lines = ["", "subsystems, as they become determinate:"]
        for group in layout.groups:
            bodies = [self.mechanism.bodies[i].name for k in group.chains for i in self.mechanism.subsystems[k]]
            forces = [self.mechanism.cuts[cut].name for cut in group.cuts]
            found = f"forces of {', '.join(forces)}" if forces else "torques"
            lines.append(f"  {group.level + 1}: {', '.join(bodies)}: {found}")
        return lines


def run_inverse(
    scheme: Scheme,
    inversion: SiteInversion,
    motion: Prescribed,
    duration: float,
    samples: int,
    machine: Machine,
    folder: Path,
) -> InverseReport:
    """Compute torques at so many times, and write them as they come."""
    if not 2 <= samples <= MOST_SAMPLES:
        raise MeshSimError(f"--samples must be from 2 to {MOST_SAMPLES}, not {samples}")
    inversion.places()  # which refuses a mechanism that is not for it, before anything is written
    mechanism = inversion.mechanism
    times = np.linspace(0.0, duration, samples)
    progress = Progress("torques", samples)
    torques, worst = [], 0.0
    first: Run[Array] | None = None
    alone = 0
    joints = [mechanism.joints[j] for j in mechanism.actuated]
    with GrowingTable(folder / TABLE, ("t", "joint", "tau")) as table:
        for t in times:
            at = motion(float(t))
            run = inversion.plan(*at).run(machine, trace=first is None)
            check_finite(f"computed by {scheme.name}", tau=run.value)
            if first is None:
                first = run
                alone = inversion.alone().plan(*at).run(machine, trace=False).ticks
            table.add([(t, joint, tau) for joint, tau in zip(joints, run.value, strict=True)])
            torques.append(run.value)
            worst = max(worst, relative_error(run.value, inversion.reference(*at)))
            progress.advance()
    assert first is not None
    return InverseReport(scheme, inversion, first, alone, times, np.array(torques), worst)
