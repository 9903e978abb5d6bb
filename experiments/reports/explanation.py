"""What `meshsim explain` finds: why one scheme is faster than another, and what would change that."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from meshsim.experiments.reports.network_use import use_lines, use_of
from meshsim.experiments.reports.result import TracedResult
from meshsim.experiments.studies.explain import SHARING, Crossing, Side
from meshsim.experiments.studies.parameters import PARAMETER_NAMES
from meshsim.machine import Machine
from meshsim.outcome import Run
from meshsim.sensitivity import parameter_of


@dataclass(frozen=True, repr=False, eq=False)
class ExplainReport(TracedResult):
    """Two schemes on a robot and a machine, and the costs that decide between them."""

    robot: str
    machine: Machine
    one: Side
    other: Side
    crossings: Sequence[Crossing]

    @property
    def sides(self) -> tuple[Side, Side]:
        """Both schemes."""
        return self.one, self.other

    @property
    def title(self) -> str:
        """Who is held against whom."""
        times = (f"{side.name} {self.machine.as_us(side.run.ticks)}" for side in self.sides)
        return f"{self.robot} on {self.machine.name}: {' against '.join(times)}"

    def to_dict(self) -> Mapping[str, Any]:
        """The object that `--json` prints."""
        return {
            "robot": self.robot,
            "machine": self.machine.name,
            "schemes": [
                {
                    "scheme": side.name,
                    "ticks": side.run.ticks,
                    "time_us": self.machine.microseconds(side.run.ticks),
                    "critical_path": dict(side.counts),
                    "bound_us": None if side.free is None else self.machine.microseconds(side.free.bound),
                    "best_order_us": None if side.free is None else self.machine.microseconds(side.free.ticks),
                    **self._sharing(side),
                }
                for side in self.sides
            ],
            "crossings": [
                {
                    "cost": each.cost,
                    "ticks_now": parameter_of(self.machine, each.cost),
                    "first_wins_at_zero": each.wins,
                    "changes_at_ticks": list(each.places),
                }
                for each in self.crossings
            ],
            "sentences": self.sentences(),
            **({"why_no_crossings": self._inexact} if self.one.location else {}),
        }

    @property
    def _inexact(self) -> str:
        """Why costs at which the winner changes were not looked for."""
        return self.one.inexact or self.other.inexact

    def _sharing(self, side: Side) -> Mapping[str, Any]:
        """For programs: what became of a network that is not the scheme's own."""
        if side.location is None:
            return {}
        paid = {kind: {"count": count, "ticks": ticks} for kind, (count, ticks) in side.sharing.items()}
        return {"on_critical_path": paid, **use_of(side.run, side.location)}

    def rows(self) -> list[dict[str, Any]]:
        """A row for each cost on a critical path: how often each scheme pays it, and where the winner changes."""
        changes = {each.cost: each.places for each in self.crossings}
        return [
            {
                "cost": cost,
                self.one.name: self.one.counts.get(cost, 0),
                self.other.name: self.other.counts.get(cost, 0),
                "ticks_now": self._now(cost),
                "changes_at_ticks": " ".join(map(str, changes.get(cost, ()))),
            }
            for cost in self._costs
        ]

    def _now(self, cost: str) -> int:
        """What a cost on a critical path is."""
        if cost.startswith("kernels."):
            return self.machine.kernels[cost.removeprefix("kernels.")]
        return parameter_of(self.machine, cost)

    def as_text(self) -> str:
        """The text that people read."""
        one, other = self.sides
        lines = [f"{side.name}: {self.machine.as_us(side.run.ticks)}" for side in self.sides]
        lines += ["", self._line("on the critical path", (one.name, other.name))]
        lines += [self._line(cost, (side.counts.get(cost, 0) for side in self.sides)) for cost in self._costs]
        lines += self._sharing_lines()
        told = self.sentences() or ["no single cost, changed alone, changes which is the faster"]
        if self._inexact:
            told = [f"costs at which the other would be the faster are not looked for: {self._inexact}"]
        if self.one.location:
            uses = [["", f"{side.name}:", *use_lines(side.run, side.location)] for side in self.sides]
            return "\n".join([*lines, "", *told, *(line for use in uses for line in use)])
        return "\n".join([*lines, "", *told, "", *self.order()])

    def _sharing_lines(self) -> list[str]:
        """What the critical paths pay because processors and links are shared."""
        lines = []
        for kind, what in SHARING.items():
            paid = [side.sharing.get(kind, (0, 0)) for side in self.sides]
            if any(ticks for _, ticks in paid):
                lines.append(self._line(what, (f"{count} ({self.machine.as_us(ticks)})" for count, ticks in paid)))
        return lines

    def _line(self, what: str, cells: Iterable[object]) -> str:
        """A line of the table, with a cell for each side."""
        widths = (max(18, len(side.name) + 2) for side in self.sides)
        return f"{what:<24}" + "".join(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))

    def order(self) -> list[str]:
        """How much of the difference is the order's, and how much the work's."""
        if self.one.free is None or self.other.free is None:
            return [
                "the best orders were not looked for, which takes long for so many messages; --orders looks for them"
            ]
        us, lines = self.machine.microseconds, []
        for side, free in ((self.one, self.one.free), (self.other, self.other.free)):
            lines.append(
                f"{side.name}: {us(side.run.ticks):.1f} us as written, {us(free.ticks):.1f} us in the best order found "
                f"({free.found}); no order of its work takes less than {us(free.bound):.1f} us, by its {free.decides}"
            )
        written = us(self.one.run.ticks - self.other.run.ticks)
        work = us(self.one.free.ticks - self.other.free.ticks)
        lines.append(
            f"{self.one.name} against {self.other.name}: {written:+.1f} us as written, {work:+.1f} us with both in "
            f"their best orders; so {written - work:+.1f} us are the order's, and the rest the work's"
        )
        return lines

    def sentences(self) -> list[str]:
        """For every cost that decides between the two, a sentence that says where."""
        return [self._sentence(each) for each in self.crossings]

    def _sentence(self, crossing: Crossing) -> str:
        machine, name = self.machine, crossing.cost
        add = machine.operations["add"]
        article = "an" if PARAMETER_NAMES[name][0] in "aeiou" else "a"
        parts = []
        wins = crossing.wins
        for ticks in crossing.places:
            wins = not wins
            us = f"{machine.microseconds(ticks):g} us"
            cost = f"{ticks / add:.1f} adds ({us})" if add and name != "add" else us
            verb = "is no slower than" if wins else "loses to"
            parts.append(f"{verb} {self.other.name} when {article} {PARAMETER_NAMES[name]} costs {cost} or more")
        now = machine.microseconds(parameter_of(machine, name))
        return f"{self.one.name} {', and '.join(parts)}; now it costs {now:g} us"

    @property
    def _costs(self) -> list[str]:
        return list(dict.fromkeys((*self.one.counts, *self.other.counts)))

    @property
    def runs(self) -> Sequence[tuple[str, Run[Any]]]:
        """Both."""
        where = f", {self.one.location.network}" if self.one.location else ""
        return [(f"{side.name}: {self.robot} on {self.machine.name}{where}", side.run) for side in self.sides]
