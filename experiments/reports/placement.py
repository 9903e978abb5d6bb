"""What `meshsim place` finds: which program runs where, and what that means for processors and links."""

import json
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.schemes.base.scheme import Scheme
from meshsim.experiments.reports.result import Result
from meshsim.experiments.store.files import check_ending, whole_file
from meshsim.experiments.studies.placing import Carried, Look
from meshsim.experiments.studies.where import OWN_NETWORK
from meshsim.placement import PLACEMENTS, as_texts
from meshsim.trace import label

MOST_LINES = 20
"""Of a table that a page shows."""
PLACEMENT_FILES = (".json",)


@dataclass(frozen=True, repr=False, eq=False)
class PlacementPage(Result):
    """A placement in print."""

    scheme: Scheme
    options: Mapping[str, str]
    mechanism: Mechanism
    look: Look

    @property
    def title(self) -> str:
        """Who, on what machine, where, and how it was placed."""
        look, how = self.look, self.look.how
        told = (
            "its own network" if how == OWN_NETWORK else f"{how} placement" if how in PLACEMENTS else how or "as told"
        )
        name = f"{self.scheme.name}: {self.mechanism.name} on {look.machine.name}"
        count = f"{len(look.plan.programs)} program{'s' if len(look.plan.programs) > 1 else ''}"
        return f"{name}, {count} on {look.network.name}, {told}"

    @property
    def placement(self) -> Mapping[Any, Hashable]:
        """The processor of each node of the scheme's own network."""
        return self.look.places

    @property
    def ticks(self) -> int | None:
        """How long the placed plan's run takes; None if it was not run."""
        return self.look.run.ticks if self.look.run else None

    @cached_property
    def wires(self) -> list[Carried]:
        """What each wire carries, most words first."""
        return self.look.wires()

    def save(self, path: str | Path) -> None:
        """Write the placement as the JSON file that `--placement FILE` reads."""
        check_ending("placement file", path, PLACEMENT_FILES)
        with whole_file(path) as temporary:
            temporary.write_text(json.dumps(as_texts(self.placement), indent=1) + "\n", encoding="utf-8")

    def save_picture(self, path: str | Path) -> None:
        """Draw the network with loads and traffic to a file whose ending names the format."""
        from meshsim.experiments.figures.placement import draw_placement

        draw_placement(self.look, self.title, path)

    def rows(self) -> list[dict[str, Any]]:
        """A row for every processor."""
        ticks, us = self.ticks, self.look.machine.microseconds
        return [
            {
                "processor": label(node),
                "programs": len(self.look.report.programs[node]),
                "kernel_us": us(load),
                "share": load / ticks if ticks else None,
            }
            for node, load in self.look.report.loads.items()
        ]

    def to_dict(self) -> Mapping[str, Any]:
        """The object that `--json` prints."""
        look = self.look
        return {
            "scheme": self.scheme.name,
            "options": dict(self.options),
            "robot": self.mechanism.name,
            "n": len(self.mechanism.joints),
            "machine": look.machine.name,
            "network": look.network.name,
            "placement": look.how,
            "processors": len(look.network.processors),
            "placed": as_texts(look.places),
            "loads": self.rows(),
            "links": self._link_rows(),
            "channels_by_links": {str(links): count for links, count in look.distances.items()},
            "mean_distance": look.report.mean_distance,
            "word_hops": look.report.word_hops,
            "copies": look.copies,
            "run": self._run_row(),
            "candidates": [
                {
                    "how": each.how,
                    "ticks": each.ticks,
                    "failure": None if each.failure is None else str(each.failure),
                    "kept": each is look.winner,
                }
                for each in look.candidates
            ],
        }

    def _link_rows(self) -> list[dict[str, Any]]:
        us, ticks = self.look.machine.microseconds, self.ticks
        return [
            {
                "link": wire.name,
                "words": wire.words,
                "messages": wire.messages,
                "busy": wire.ticks / ticks if ticks and wire.ticks is not None else None,
                "conflicts": wire.conflicts,
                "waited_us": None if wire.waited is None else us(wire.waited),
            }
            for wire in self.wires
        ]

    def _run_row(self) -> dict[str, Any] | None:
        """What the run took; None without one."""
        run, own, us = self.look.run, self.look.alone, self.look.machine.microseconds
        if run is None or own is None:
            return None
        return {
            "ticks": run.ticks,
            "time_us": us(run.ticks),
            "own_ticks": own,
            "own_time_us": us(own),
            "factor": run.ticks / own if own else None,
            "switches": run.switches,
            "switching_us": us(run.switches * run.machine.switch),
            "copying_us": us(run.copying),
            "conflicts": run.conflicts,
            "waited_us": us(sum(wire.waited for wire in run.wires)),
        }

    # For people

    def as_text(self) -> str:
        """The text that people read."""
        lines = [self.title, "", *self._processor_table(), "", *self._link_table(), ""]
        lines += [self._distance_line(), *self._run_lines(), *self._candidate_table()]
        return "\n".join(lines)

    def _processor_table(self) -> list[str]:
        rows = sorted(self.rows(), key=lambda row: -row["kernel_us"])
        width = max(12, *(len(row["processor"]) + 2 for row in rows))
        lines = [f"{'processor':<{width}}{'programs':>10}{'kernels, us':>14}{'share':>9}"]
        for row in rows[:MOST_LINES]:
            share = f"{100 * row['share']:.1f} %" if row["share"] is not None else "-"
            lines.append(f"{row['processor']:<{width}}{row['programs']:>10}{row['kernel_us']:>14.1f}{share:>9}")
        return lines + _more(len(rows), "processors, with less to do")

    def _link_table(self) -> list[str]:
        if not self.wires:
            return ["no word crosses a link"]
        width = max(20, *(len(wire.name) + 2 for wire in self.wires[:MOST_LINES]))
        lines = [f"{'link':<{width}}{'words':>8}{'messages':>10}{'busy':>9}{'conflicts':>11}{'waited, us':>12}"]
        for row in self._link_rows()[:MOST_LINES]:
            line = f"{row['link']:<{width}}{row['words']:>8}{row['messages']:>10}"
            if row["busy"] is None:
                lines.append(f"{line}{'-':>9}{'-':>11}{'-':>12}")
            else:
                lines.append(f"{line}{100 * row['busy']:>7.1f} %{row['conflicts']:>11}{row['waited_us']:>12.1f}")
        return lines + _more(len(self.wires), "links, with fewer words")

    def _distance_line(self) -> str:
        counts = ", ".join(f"{links}: {count}" for links, count in self.look.distances.items())
        report = self.look.report
        return (
            f"channels by the links that they cross: {counts or 'none'}; a word crosses {report.mean_distance:.2f} in "
            f"the mean, {report.word_hops} word-hops in all"
        )

    def _run_lines(self) -> list[str]:
        row, copies = self._run_row(), self.look.copies
        if row is None:
            return [f"messages within a processor: {copies}; it was not run"]
        factor = f"{row['factor']:.2f} times that" if row["factor"] is not None else "more than nothing"
        return [
            f"switches: {row['switches']} ({row['switching_us']:.1f} us); copies: {copies} ({row['copying_us']:.1f} "
            f"us); conflicts: {row['conflicts']} messages waited for a link, {row['waited_us']:.1f} us in all",
            f"time: {row['time_us']:.1f} us, {factor} on the scheme's own network ({row['own_time_us']:.1f} us, "
            f"{len(self.look.plan.topology)} processor{'s' if len(self.look.plan.topology) > 1 else ''})",
        ]

    def _candidate_table(self) -> list[str]:
        look = self.look
        if not look.candidates:
            return []
        width = max(len(each.how) for each in look.candidates) + 2
        lines = [f"auto placement looked at {len(look.candidates)} candidates:" if len(look.candidates) > 1 else ""]
        for each in look.candidates:
            us = "not simulated" if each.ticks is None else f"{look.machine.microseconds(each.ticks):.1f} us"
            time = us if each.failure is None else "cannot run"
            lines.append(f"  {each.how:<{width}}{time:>14}{'  kept' if each is look.winner else ''}")
        return lines if len(look.candidates) > 1 else [f"auto placement had one candidate: {look.candidates[0].how}"]


def _more(count: int, what: str) -> list[str]:
    return [f"and {count - MOST_LINES} more {what}: see --json"] if count > MOST_LINES else []
