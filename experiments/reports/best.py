"""What `meshsim best` has found: a verdict in a sentence, ranked tables, the Pareto set, and what would do."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_UP, Context
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from meshsim.experiments.reports.costs import path_shares
from meshsim.experiments.reports.result import Result
from meshsim.experiments.studies.best import Entry, Limit, Search
from meshsim.experiments.studies.candidates import TOLD
from meshsim.experiments.studies.limits import NEVER
from meshsim.experiments.studies.refusals import refusal, sentences
from meshsim.machine import Machine

if TYPE_CHECKING:
    from meshsim.experiments.pages.page import Page

COLUMNS = (
    "machine", "rank", "scheme", "options", "placement", "processors", "ticks", "time_us", "interval_us", "energy_nj",
    "in_time", "pareto", "exact", "messages", "words", "error", "digits",
)  # fmt: skip
COSTS = {"startup": "start-up of a message", "per_word": "word on a link"}
"""What a newcomer calls a cost."""
MOST_PAGES = 3
"""Of more machines each gets a line, not a page."""
MOST_LEFT = 5
"""Of candidates that were left out, so many are named."""


@dataclass(frozen=True, repr=False, eq=False)
class BestReport(Result):
    """The answer.

    Attributes
    ----------
    search : Search
        What was tried, and found.
    table : path or None
        Its file, if a folder was given.
    figures : sequence of path
        What was drawn.
    """

    search: Search
    table: Path | None = None
    figures: Sequence[Path] = ()

    @property
    def title(self) -> str:
        """What was asked."""
        return f"best for {self.search.question.mechanism.name}"

    @property
    def met(self) -> bool:
        """Whether a candidate meets the deadline, or there is none."""
        best = self.search.best()
        return best is not None and self.search.meets(best)

    @cached_property
    def sentence(self) -> str:
        """The answer, on the machine that is the best."""
        best = self.search.best()
        if best is None:
            return self._nothing()
        return self.verdict(best.machine)

    def _nothing(self) -> str:
        search, name = self.search, self.search.question.mechanism.name
        if search.left:
            return f"No candidate for {name} was finished in time; more of it is needed, by --seconds"
        if search.inaccurate:
            return f"No candidate for {name} is accurate enough: {next(iter(search.inaccurate.values()))}"
        return f"No scheme computes {name} under these conditions"

    def verdict(self, machine: Machine) -> str:
        """The answer on one machine."""
        search, best = self.search, self.search.best(machine)
        if best is None:
            return f"On {machine.name} nothing was found"
        question = search.question
        what = f"an integration step of order {question.order}" if question.order else "one evaluation"
        told = ", ".join(f"{name}={value}" for name, value in best.candidate.told.items())
        parts = [f"{_who(best, search)} takes {shown(best.time_us)} for {what} of {question.mechanism.name}"]
        if search.objective == "energy" and best.energy_nj is not None:
            parts[0] += f" and {best.energy_nj:.4g} nJ"
        if search.objective == "interval" and best.interval_us is not None:
            parts[0] += f", and a result every {shown(best.interval_us)} in a stream"
        parts[0] += f" ({told})" if told else ""
        one = search.on_one(machine)
        if one is not None and not best.is_one:
            parts.append(f"one processor takes {shown(one.time_us)} ({one.candidate.scheme})")
        if question.deadline is not None:
            parts.append(self._deadline(best))
        return "; ".join(parts) + "."

    def _deadline(self, best: Entry) -> str:
        deadline = self.search.question.deadline
        assert deadline is not None
        allowed = float(deadline * 10**6)
        if self.search.meets(best):
            return f"{shown(allowed)} is met, with {100 * (1 - best.time_us / allowed):.0f} % to spare"
        ways = [f"processors and links {_at_least(best.time_us / allowed)} times as fast"]
        for limit in self.limits[best.machine.name]:
            if limit.entry is not None and limit.name in COSTS and limit.value is not None:
                ways.append(f"a {COSTS[limit.name]} of at most {_cost(best.machine, limit)}")
        return f"{shown(allowed)} needs {', or '.join(ways)}"

    @cached_property
    def limits(self) -> Mapping[str, Sequence[Limit]]:
        """By machine, what would still meet the deadline."""
        return {machine.name: self.search.limits(machine) for machine in self.search.question.machines}

    @cached_property
    def shares(self) -> Mapping[str, float]:
        """Where the time of the best goes: shares of its critical path."""
        best = self.search.best()
        if best is None:
            return {}
        run = self.search.traced(best)
        if run.ticks != best.ticks:
            raise AssertionError(f"{best.candidate.label} takes {run.ticks} ticks simulated, {best.ticks} re-timed")
        return path_shares(run)

    def page(self, command: str = "") -> "Page":
        """The answer as a page."""
        from meshsim.experiments.reports.pages import best_page  # here: it needs matplotlib, which is slow to import

        return best_page(self.search, self.title, self.sentence, self.as_text(), self.rows(), command)

    def to_dict(self) -> Mapping[str, Any]:
        """The object that `--json` prints."""
        search, question = self.search, self.search.question
        return {
            "robot": question.mechanism.name,
            "joints": len(question.mechanism.joints),
            "objective": search.objective,
            "deadline_s": None if question.deadline is None else float(question.deadline),
            "order": question.order or None,
            "met": self.met,
            "sentence": self.sentence,
            "shares": dict(self.shares),
            "machines": [self._machine(machine) for machine in question.machines],
            "rows": self.rows(),
            "tried": len({entry.candidate for entry in search.found}),
            "left_out": [candidate.key for candidate in search.left],
            "refused": dict(search.refused),
            "inaccurate": dict(search.inaccurate),
            "failed": dict(search.failed),
            "precision": None if question.format is None else question.format.name,
            "table": None if self.table is None else str(self.table),
            "figures": [str(path) for path in self.figures],
        }

    def _machine(self, machine: Machine) -> dict[str, Any]:
        best, one = self.search.best(machine), self.search.on_one(machine)
        return {
            "machine": machine.name,
            "verdict": self.verdict(machine),
            "best": None if best is None else self._row(best),
            "one_processor": None if one is None else self._row(one),
            "pareto": [self._row(entry) for entry in self.search.pareto(machine)],
            "limits": [
                {
                    "cost": limit.name,
                    "value": None if limit.value == NEVER else limit.value,
                    "unit": "ns a tick" if limit.name == "clock" else "ticks",
                    "possible": limit.value != NEVER,
                    "by": None if limit.entry is None else limit.entry.candidate.label,
                    "exact": limit.exact,
                }
                for limit in self.limits[machine.name]
            ],
            "depends_on": [
                {"assumption": corner, "then": entry.candidate.label, "ticks": ticks, "instead_of": before}
                for corner, (entry, ticks, before) in self.upsets[machine.name].items()
            ],
        }

    def _row(self, entry: Entry) -> dict[str, Any]:
        row = {name: entry.row.get(name) for name in ("scheme", "options", "placement", "error", "digits")}
        return {
            "machine": entry.machine.name,
            **row,
            **{name: entry.here[name] for name in ("processors", "messages", "words")},
            "ticks": entry.ticks,
            "time_us": entry.time_us,
            "interval_us": entry.interval_us,
            "energy_nj": entry.energy_nj,
            "exact": entry.here["exact"],
            "in_time": self.search.meets(entry),
        }

    def rows(self) -> list[dict[str, Any]]:
        """Every candidate on every machine, the best first."""
        found = []
        for machine in self.search.question.machines:
            pareto = {entry.candidate for entry in self.search.pareto(machine)}
            for rank, entry in enumerate(self.search.entries(machine), start=1):
                row = {**self._row(entry), "rank": rank, "pareto": entry.candidate in pareto}
                found.append({column: row[column] for column in COLUMNS})
        return found

    # For people

    def as_text(self) -> str:
        """The text that people read."""
        search = self.search
        lines = [self.sentence]
        if self.shares:
            shares = ", ".join(f"{100 * share:.0f} % {name}" for name, share in self.shares.items() if share)
            lines.append(f"Where its time goes: {shares}.")
        machines = search.question.machines
        if len(machines) > MOST_PAGES:
            lines += ["", "the best on each machine:", *self._summary()]
        else:
            for machine in machines:
                lines += ["", *self._page(machine)]
        for machine in machines:
            lines += self._dependence(machine)
        lines += ["", *self._remarks()]
        if self.table is not None:
            lines += [f"table: {self.table}", f"figures: {', '.join(map(str, self.figures)) or 'none'}"]
        return "\n".join(lines)

    def _page(self, machine: Machine) -> list[str]:
        search = self.search
        entries, best = search.entries(machine), search.best(machine)
        if best is None:
            return [self.verdict(machine)]
        ranked: dict[str, Entry] = {}
        for entry in [best, *entries]:
            ranked.setdefault(entry.candidate.scheme, entry)
        overall = search.best()
        head = [] if overall is None or overall.machine is machine else [self.verdict(machine)]
        lines = [*head, f"{machine.name}, the best of each scheme:", *_table(list(ranked.values()), search)]
        pareto = search.pareto(machine)
        if len(pareto) > 1:
            fewer = "fewer processors or less energy" if pareto[0].energy_nj is not None else "fewer processors"
            lines += ["", f"nothing else is as quick with {fewer} (the Pareto set):", *_table(pareto, search)]
        deadline = search.question.deadline
        if deadline is not None:
            lines += ["", f"to end within {shown(float(deadline * 10**6))}, all else equal:"]
            lines += [f"  {_limit_line(machine, limit)}" for limit in self.limits[machine.name]]
        return lines

    def _summary(self) -> list[str]:
        """A line for each machine, the quickest first."""
        search = self.search
        found = [each for machine in search.question.machines if (each := search.best(machine)) is not None]
        lines = [["machine", "processors", "time", "on one", "candidate"]]
        for entry in sorted(found, key=lambda entry: entry.measures(search.objective)):
            one = search.on_one(entry.machine)
            late = "" if search.meets(entry) else " (too late)"
            alone = "" if one is None else shown(one.time_us)
            line = [
                entry.machine.name,
                str(entry.processors),
                shown(entry.time_us),
                alone,
                entry.candidate.label + late,
            ]
            lines.append(line)
        return _aligned(lines)

    def _dependence(self, machine: Machine) -> list[str]:
        """Whether the winner on a machine hangs on what is assumed of it."""
        upsets, best = self.upsets[machine.name], self.search.best(machine)
        if not upsets or best is None:
            return []
        others: dict[str, list[str]] = {}
        for corner, (entry, _, _) in upsets.items():
            others.setdefault(entry.candidate.scheme, []).append(corner)
        quicker = "; ".join(f"{who} would be quicker with {' or '.join(where)}" for who, where in others.items())
        return [f"{machine.name}: that {best.candidate.scheme} wins depends on assumptions; {quicker}"]

    @cached_property
    def upsets(self) -> Mapping[str, Mapping[str, tuple[Entry, int, int]]]:
        """By machine, where assumptions decide."""
        return {machine.name: self.search.upsets(machine) for machine in self.search.question.machines}

    def _remarks(self) -> list[str]:
        search = self.search
        tried = len({entry.candidate for entry in search.found})
        all_of_them = ", all that fit" if search.failed else ", all that there are"
        lines = [f"{tried} candidates were tried{'' if search.left else all_of_them}"]
        if search.left:
            named = "; ".join(candidate.label for candidate in search.left[:MOST_LEFT])
            more = f"; and {len(search.left) - MOST_LEFT} more" if len(search.left) > MOST_LEFT else ""
            lines.append(f"time was up for {len(search.left)} others, which --seconds may give: {named}{more}")
        simulated = {entry.candidate for entry in search.found if not entry.here["exact"]}
        if simulated:
            lines.append(f"{len(simulated)} of them were simulated: the order of their events depends on times")
        if search.inaccurate:
            whose = dict.fromkeys(key.partition(",")[0] for key in search.inaccurate)
            few = f"{len(search.inaccurate)} are not accurate enough, of {', '.join(whose)}"
            lines.append(f"{few}; the first: {next(iter(search.inaccurate.values()))}")
        if search.failed:
            who, why = next(iter(search.failed.items()))
            lines.append(f"{len(search.failed)} do not fit, or fail; the first: {who}: {why}")
        name = search.question.mechanism.name
        refused = sentences([refusal(name, scheme, why) for scheme, why in search.refused.items()])
        return [*lines, *(f"not tried for {line}" for line in refused)]


def shown(us: float) -> str:
    """A time, in the unit that suits it."""
    for unit, size in (("s", 1e6), ("ms", 1e3), ("us", 1.0)):
        if us >= size:
            return f"{us / size:.4g} {unit}"
    return f"{1e3 * us:.4g} ns"


def _at_least(value: float) -> str:
    """A number of three digits that is no less."""
    return f"{float(Context(prec=3, rounding=ROUND_UP).create_decimal(value)):g}"


def _who(entry: Entry, search: Search) -> str:
    """A candidate and its processors, as a sentence begins."""
    scheme, machine, count = entry.candidate.scheme, entry.machine.name, entry.processors
    if entry.is_one:
        return f"{scheme} on one {machine} processor"
    if not entry.candidate.placement:
        return f"{scheme} on its own network of {count} {machine} processors"
    folded = "folded onto" if entry.row["programs"] > count else "on"
    how = "as told" if entry.candidate.placement == TOLD else f"by {entry.candidate.placement} placement"
    network = search.question.where.load().name
    return f"{scheme}, {folded} {count} {machine} processors of {network} {how},"


def _cost(machine: Machine, limit: Limit) -> str:
    assert limit.value is not None
    return f"{shown(machine.microseconds(int(limit.value))) if limit.value else 'nothing'}"


def _limit_line(machine: Machine, limit: Limit) -> str:
    what = "tick" if limit.name == "clock" else COSTS[limit.name]
    local = "" if limit.exact else ", by simulation near here: a local limit"
    if limit.value == NEVER:
        return f"{what}: not even nothing would do{local}"
    assert limit.entry is not None
    by = f"by {limit.entry.candidate.label}"
    if limit.name == "clock":
        return f"{what} of at most {limit.value:.6g} ns, now {machine.tick_ns:g} ({by})"
    now = getattr(machine.links, limit.name)
    if limit.value is None:
        return f"{what}: whatever it costs ({by}){local}"
    return f"{what} of at most {int(limit.value)} ticks ({_cost(machine, limit)}), now {now} ({by}){local}"


def _table(entries: Sequence[Entry], search: Search) -> list[str]:
    """Entries as aligned lines."""
    heads = ["", "processors", "time"]
    interval = any(entry.interval_us is not None for entry in entries)
    energy = any(entry.energy_nj is not None for entry in entries)
    heads += ["interval"] * interval + ["energy"] * energy + ["error", "candidate"]
    lines = [heads]
    for rank, entry in enumerate(entries, start=1):
        line = [str(rank), str(entry.processors), shown(entry.time_us)]
        line += [shown(entry.interval_us or 0.0)] * interval
        line += ["" if entry.energy_nj is None else f"{entry.energy_nj:.4g} nJ"] * energy
        late = "" if search.meets(entry) else " (too late)"
        lines.append([*line, f"{entry.row['error']:.0e}", entry.candidate.label + late])
    return _aligned(lines)


def _aligned(lines: Sequence[Sequence[str]]) -> list[str]:
    """Lines with their columns below one another; the last is ragged."""
    last = len(lines[0]) - 1
    widths = [max(len(line[column]) for line in lines) for column in range(last)]
    return [
        "  " + "  ".join([*(text.rjust(width) for text, width in zip(line, widths, strict=False)), line[last]])
        for line in lines
    ]
