"""What `meshsim run` finds: one step of forward dynamics, and the dense reference it is held against."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from meshsim.algorithms.reference.dense import Dynamics
from meshsim.algorithms.robots.closure import Loops, loops, worst
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.state import TYPED, State
from meshsim.algorithms.robots.wrenches import borne, borne_lines
from meshsim.algorithms.schemes.base.scheme import Scheme, main_phases
from meshsim.experiments.reports.costs import cost_lines, energy_parts, path_ticks, verdict
from meshsim.experiments.reports.network_use import processors_of, use_of
from meshsim.experiments.reports.phase_bars import timeline
from meshsim.experiments.reports.result import RunResult
from meshsim.experiments.reports.slopes import slope_lines
from meshsim.experiments.reports.terminal import columns, page_width, wrapped
from meshsim.experiments.studies.precision import digit_line
from meshsim.experiments.studies.where import Location
from meshsim.formats import Format
from meshsim.outcome import Run
from meshsim.sensitivity import Slope

if TYPE_CHECKING:
    from meshsim.experiments.pages.page import Page

DIGITS = 1e-10
"""A larger difference from the dense solver is reported with M's condition number."""


@dataclass(frozen=True, repr=False, eq=False)
class StepReport(RunResult):
    """One forward-dynamics step, and the dense reference it is held against.

    Attributes
    ----------
    scheme, options, mechanism, state
        Who computed what, where its joints were.
    run : Run
        What came out: operations, messages, traffic, trace, critical path.
    reference : Dynamics
        What a dense solver makes of the same.
    slopes : mapping of str to Slope
        What each cost of the machine does to the finish; none where they were not asked for.
    saving : str
        What an option saves.
    alone : int or None
        Ticks of the same on one processor, where that is another layout.
    derived : bool
        Whether accelerations of all joints follow from those of some that were computed.
    location : Location or None
        On which network, if not its own.
    inexact : str
        Why sensitivities are not known.
    format : Format or None
        Of numbers, if one was chosen.
    """

    scheme: Scheme
    options: Mapping[str, str]
    mechanism: Mechanism
    state: State
    run: Run[Dynamics]
    reference: Dynamics
    slopes: Mapping[str, Slope] = field(default_factory=dict)
    saving: str = ""
    alone: int | None = None
    derived: bool = False
    location: Location | None = None
    inexact: str = ""
    format: Format | None = None

    @property
    def phases(self) -> Mapping[str, int]:
        """The tick at which the last processor ended each phase: the five of a step, or the scheme's own."""
        return main_phases(self.run.phases)

    @property
    def errors(self) -> Mapping[str, float]:
        """Largest difference from the dense reference, relative where the reference exceeds 1."""
        return self.run.value.errors(self.reference)

    @property
    def digits(self) -> Mapping[str, float]:
        """How many decimal digits are those of the dense reference."""
        return self.run.value.digits(self.reference)

    def to_dict(self) -> Mapping[str, Any]:
        """The object that `--json` prints."""
        run = self.run
        return {
            "scheme": self.scheme.name,
            "robot": self.mechanism.name,
            "n": len(self.mechanism.joints),
            "joints": list(self.mechanism.joints),
            "machine": run.machine.name,
            "processors": run.processors,
            **dict.fromkeys(("M", "h")),
            **{name: value.tolist() for name, value in run.value.formed.items()},
            "tick_ns": run.machine.tick_ns,
            "ticks": run.ticks,
            "time_us": run.machine.microseconds(run.ticks),
            "phases": dict(self.phases),
            "operations": dict(run.operations),
            "messages": run.messages,
            "words": run.words,
            "utilisation": run.utilisation,
            "critical_path": path_ticks(run),
            "energy_pj": energy_parts(run),
            "error": dict(self.errors),
            "sensitivity": {name: asdict(slope) for name, slope in self.slopes.items()},
            "buses": {name: asdict(bus) for name, bus in run.buses.items()},
            "options": dict(self.options),
            "kinds": [self.mechanism.bodies[i].kind for i in self.mechanism.freedoms],
            "saving": self.saving,
            **({"precision": self.format.name, "digits": dict(self.digits)} if self.format else {}),
            **self._loops(),
            **borne(self.mechanism),
            **use_of(run, self.location),
        }

    def _loops(self) -> Mapping[str, Any]:
        """What there is to say of loops."""
        if not self.mechanism.cuts:
            return {}
        return {
            "actuated": [self.mechanism.joints[j] for j in self.mechanism.actuated],
            "q": list(self.state.q),
            "qd": list(self.state.qd),
            "constraint_error": float(np.abs(self._constraints.c).max()),
            "exchanges": self.run.exchanges,
            "one_processor_us": self.run.machine.microseconds(self.run.ticks if self.alone is None else self.alone),
        }

    @cached_property
    def _constraints(self) -> Loops:
        return loops(self.mechanism, self.state.q, self.state.qd)

    def _open_lines(self) -> list[str]:
        """Which loop is open, if any is."""
        if not self.mechanism.cuts or np.abs(self._constraints.c).max() <= TYPED:
            return []
        name, size = worst(self.mechanism, self._constraints, self._constraints.c)
        return [f"loops are open here, most of all that through {name!r}: by {size}"]

    def rows(self) -> list[dict[str, Any]]:
        """One row: who computed, what it took, and how far the numbers are off."""
        us = self.run.machine.microseconds
        return [
            {
                "scheme": self.scheme.name,
                **self.options,
                "robot": self.mechanism.name,
                "n": len(self.mechanism.joints),
                "machine": self.run.machine.name,
                "processors": self.run.processors,
                "ticks": self.ticks,
                "time_us": self.time_us,
                **{f"{phase}_us": us(tick) for phase, tick in self.phases.items()},
                "messages": self.run.messages,
                "words": self.run.words,
                "utilisation": self.run.utilisation,
                "error": max(self.errors.values()),
                "energy_nj": None if self.energy is None else self.energy.nanojoules,
                **({"precision": self.format.name, "digits": min(self.digits.values())} if self.format else {}),
                **({"network": self.location.network, "placement": self.location.placement} if self.location else {}),
            }
        ]

    def page(self, command: str = "") -> "Page":
        """The run as a page."""
        # Here, since they need matplotlib, which is slow to import.
        from meshsim.experiments.reports.pages import run_page, table_of

        error = ", ".join(f"{what} {error:.1e}" for what, error in self.errors.items())
        options = ", ".join(f"{option}={value}" for option, value in self.options.items())
        return run_page(
            self.run,
            command,
            title=f"{self.scheme.name}: {self.mechanism.name} on {self.run.machine.name}, "
            f"{processors_of(self.run, self.location)}",
            verdict=self._verdict,
            summary=f"{self.scheme.name}: {self.scheme.summary}.",
            phases=self.phases,
            published=self._published(),
            error=error,
            tables=[table_of("Joints", self._joint_rows())],
            settings=[("options", options)] if options else [],
        )

    def as_text(self) -> str:
        """The text that people read."""
        run = self.run
        options = ", ".join(f"{option}={value}" for option, value in self.options.items())
        lines = [*wrapped([self._verdict, *([f"options: {options}"] if options else [])]), ""]
        picture = timeline(run, self.phases)
        lines += [*picture, ""] if picture else []
        lines += [*self._phase_table(), "", *self._joint_table(), "", *wrapped(self._remarks())]
        lines += ["", *slope_lines(run, self.slopes, self.inexact)] if run.traced and run.ticks else []
        return "\n".join(lines)

    @property
    def _verdict(self) -> str:
        return verdict(f"{self.scheme.name} computes {self.mechanism.name}", self.run, self.location)

    def _remarks(self) -> list[str]:
        """Whose numbers these are, what they cost, and how good they are."""
        run, name, n = self.run, self.mechanism.name, len(self.mechanism.joints)
        lines = [
            f"{name} has {n} joint{'s' if n > 1 else ''}; {self._origin}",
            *borne_lines(self.mechanism),
            *self._open_lines(),
            *cost_lines(run, self.location),
            *([self.saving] if self.saving else []),
            *self._layout_lines(),
            "difference from a dense solver: "
            + ", ".join(f"{what} {error:.1e}" for what, error in self.errors.items()),
        ]
        if self.format:
            lines.append(digit_line(self.format, self.digits, run))
        if max(self.errors.values()) > DIGITS and self.reference.M is not None:
            condition = np.linalg.cond(self.reference.M)
            lines.append(f"mind the digits: M has the condition number {condition:.1e} in this state")
        return lines

    @property
    def _origin(self) -> str:
        """Where the numbers come from."""
        if self.derived:
            return "accelerations of all joints follow from the independent ones, which the processors computed."
        between = "between their programs" if self.location else "over their links"
        where = f"s, from what travelled {between}" if self.run.messages else ""
        return f"every number above was computed by the simulated processor{where}."

    def _layout_lines(self) -> list[str]:
        """What several processors gain over one."""
        if self.alone is None:
            return []
        gain = f"{self.alone / self.run.ticks:.2f} times as fast" if self.run.ticks else "takes no time"
        alone = self.run.machine.as_us(self.alone)
        return [f"on one processor {alone}: this is {gain}, with {self.run.exchanges} exchanges"]

    @property
    def title(self) -> str:
        """Scheme, robot, machine and processors in one line."""
        chosen = "".join(f", {option}={value}" for option, value in self.options.items())
        return (
            f"{self.scheme.name}{chosen}: {self.mechanism.name} on {self.run.machine.name}, "
            f"{processors_of(self.run, self.location)}"
        )

    def _phase_table(self) -> list[str]:
        machine, published = self.run.machine, self._published()
        wide = max(12, *(len(phase) + 2 for phase in self.phases)) if self.phases else 12
        lines = [[f"{'phase':<{wide}}{'ends at tick':>14}{'us':>12}", "published" if published else ""]]
        for phase, tick in self.phases.items():
            row = f"{phase:<{wide}}{tick:>14}{machine.microseconds(tick):>12.{machine.decimals}f}"
            lines.append([row, published.get(phase, "")])
        whole = [f"{row}   {more}".rstrip() for row, more in lines]
        if max(map(len, whole)) <= page_width():
            return whole
        below = [[row, *wrapped([f"  published: {more}"] if more else [], "    ")] for row, more in lines[1:]]
        return [lines[0][0], *(line for each in below for line in each)]

    def _published(self) -> Mapping[str, str]:
        """What is published of phases, where a machine counts as publications do, and how far the run is from it."""
        machine = self.run.machine
        counted = (
            machine.links.discipline == "free"
            and not machine.operations["sincos"]
            and not (machine.kernel_overhead or machine.kernels)
        )
        own = self.location is None  # published counts are of a scheme's own network
        published = self.scheme.published(self.mechanism.n, self.options) if counted and own else {}
        found = {}
        for phase, count in published.items():
            if phase in self.phases:
                ticks = count.mul * machine.operations["mul"] + count.add * machine.operations["add"]
                off = self.phases[phase] - ticks
                judged = f"{off:+d} ticks" if off else "equal"
                found[phase] = f"{machine.microseconds(ticks):.{machine.decimals}f} ({count.source}): {judged}"
        return found

    def _joint_rows(self) -> list[dict[str, str | None]]:
        """What was computed of each joint."""
        value, names = self.run.value, self.mechanism.joints
        driven = {names[j] for j in self.mechanism.actuated}
        forces = ["not formed"] * len(value.qdd) if value.h is None else [f"{h:.6f}" for h in value.h]
        slides = [self.mechanism.bodies[i].kind == "prismatic" for i in self.mechanism.freedoms]
        return [
            {
                "joint": f"{joint}*" if joint in driven else joint,
                "h (N m)": h,
                "qdd (rad/s^2)": f"{qdd:.6f}",
                "": "in N and m/s^2" if slide else None,
            }
            for joint, slide, h, qdd in zip(names, slides, forces, value.qdd, strict=True)
        ]

    def _joint_table(self) -> list[str]:
        found = self._joint_rows()
        rows = [tuple(found[0]), *(tuple(value or "" for value in row.values()) for row in found)]
        width = max(16, *(len(joint) + 2 for joint in self.mechanism.joints))
        lines = [f"{name:<{width}}{h:>16}{qdd:>18}  {note}".rstrip() for name, h, qdd, note in rows]
        if max(map(len, lines)) > page_width():
            lines = columns(rows)
        return [*lines, "(*: actuated)"] if self.mechanism.actuated else lines
