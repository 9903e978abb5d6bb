"""What `meshsim realtime` finds: whether a machine keeps up, how near, and what would still do."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from meshsim.algorithms.robots.wrenches import borne, borne_lines
from meshsim.experiments.reports.result import TracedResult
from meshsim.experiments.studies.realtime import Answer
from meshsim.outcome import Run
from meshsim.sensitivity import parameter_of


@dataclass(frozen=True, repr=False, eq=False)
class RealtimeReport(TracedResult):
    """An answer in print."""

    found: Answer

    @property
    def robot(self) -> str:
        """Which robot was asked about."""
        return self.found.mechanism.name

    @property
    def real_time(self) -> bool:
        """Whether the machine keeps up."""
        return self.found.yes

    @property
    def time_us(self) -> float:
        """How long a step takes."""
        return self.found.step_us

    @property
    def title(self) -> str:
        """What was asked, and yes or no."""
        question = self.found.question
        where = f", {self.found.location.network}" if self.found.location else ""
        return (
            f"{self.robot}, {question.scheme.name} on {question.machine.name}{where}, steps of {question.h:g} s, order "
            f"{question.order}: {'yes, in real time' if self.found.yes else 'no, not in real time'}"
        )

    @cached_property
    def runs(self) -> Sequence[tuple[str, Run[Any]]]:
        """A few steps, traced."""
        return [(self.title, self.found.question.run(self.found.mechanism))]

    def rows(self) -> list[dict[str, Any]]:
        """One row: what was asked, and the answer without its tables."""
        tables = ("options", "most_ticks", "presets_us", "wrenches", "network")
        return [{key: value for key, value in self.to_dict().items() if key not in tables}]

    def to_dict(self) -> Mapping[str, Any]:
        """The object that `--json` prints."""
        found, question = self.found, self.found.question
        return {
            "robot": self.robot,
            "scheme": question.scheme.name,
            "options": dict(question.options),
            "machine": question.machine.name,
            "step_s": question.h,
            "order": question.order,
            "real_time": found.yes,
            "us_per_step": found.step_us,
            "us_per_evaluation": found.step_us / question.order,
            "us_allowed_per_evaluation": question.allowed_us / question.order,
            "margin": question.allowed_us / found.step_us - 1.0,
            "steady": found.steady,
            "largest_n": found.largest if found.joints else None,
            "slowest_tick_ns": found.slowest_tick_ns,
            "most_ticks": dict(found.most),
            "presets_us": dict(found.presets),
            **borne(found.mechanism),
            **({} if question.gains is None else {"feedback": list(question.gains)}),
            **({"network": asdict(found.location), "why_no_limits": found.inexact} if found.location else {}),
        }

    def as_text(self) -> str:
        """The text that people read."""
        found, question = self.found, self.found.question
        allowed, us = question.allowed_us, found.step_us
        spare = f"{100 * (allowed / us - 1):.1f} % to spare" if found.yes else "too long"
        lines = [
            self.title,
            "",
            f"a step takes {us:.1f} us of {allowed:.0f}, an evaluation {us / question.order:.1f} us of "
            f"{allowed / question.order:.0f}: {spare}, {us / allowed:.3g} of the time",
        ]
        if not found.steady:
            lines.append("(no step repeated exactly: that is the mean of the last few)")
        lines += [
            *([str(found.location)] if found.location else []),
            *borne_lines(found.mechanism),
            *self._joints_lines(),
            self._machine_line(),
            *self._cost_lines(),
            self._preset_line(),
        ]
        return "\n".join(lines)

    def _joints_lines(self) -> list[str]:
        """Nothing of a scheme that takes no chains."""
        joints, largest = self.found.joints, self.found.largest
        if not joints:
            alone = self.found.question.where.own
            return ["largest n: not looked for, since the placement is of this robot's programs alone"] if alone else []
        beyond = min((n for n in joints if n > largest), default=None)
        if not largest:
            return [f"largest n: none; a chain of 1 joint takes {joints[1]:.1f} us a step"]
        text = f"largest n: {largest} joints ({joints[largest]:.1f} us a step of a random chain)"
        return [text + (f"; {beyond} take {joints[beyond]:.1f}" if beyond else "; more were not tried")]

    def _machine_line(self) -> str:
        tick = self.found.question.machine.tick_ns
        what = "slowest machine" if self.found.yes else "it would take"
        return f"{what}: this one with ticks of {self.found.slowest_tick_ns:.4g} ns (now {tick:g} ns)"

    def _cost_lines(self) -> list[str]:
        machine = self.found.question.machine
        parts = [
            f"{name} {'any' if most is None else most} (now {parameter_of(machine, name)})"
            for name, most in self.found.most.items()
        ]
        if self.found.inexact:
            return [f"  how large single costs may be is not looked for: {self.found.inexact}"]
        return [f"  or, one cost at a time, at most so many ticks: {', '.join(parts)}"] if parts else []

    def _preset_line(self) -> str:
        allowed = self.found.question.allowed_us
        parts = (f"{name} {'yes' if us <= allowed else 'no'} ({us:.1f} us)" for name, us in self.found.presets.items())
        return f"machines of the thesis: {', '.join(parts)}"
