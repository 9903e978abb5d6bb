"""How a run used the network that its programs were placed on: where the time of processors and links went."""

from collections.abc import Hashable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from meshsim.experiments.studies.where import Location
from meshsim.outcome import Load, Run
from meshsim.sharing import Local, SharedCore
from meshsim.trace import label


@dataclass(frozen=True)
class Processor:
    """What a processor's own time went into; ticks, but for the first three."""

    node: Hashable
    switches: int
    forwarded: int
    kernels: int
    switching: int
    copying: int
    forwarding: int

    @property
    def ticks(self) -> int:
        """All of it."""
        return self.kernels + self.switching + self.copying + self.forwarding


@dataclass(frozen=True)
class NetworkUse:
    """What processors and links of a network did in a run."""

    run: Run[Any]
    location: Location

    @property
    def processors(self) -> list[Processor]:
        """Every processor, in node order."""
        run, forwarded = self.run, self._forwarded()
        found = []
        for core in run.cores:
            shared = core if isinstance(core, SharedCore) else None
            switches = shared.switches if shared else 0
            count, ticks = forwarded.get(core.node, (0, 0))
            found.append(
                Processor(
                    core.node,
                    switches,
                    count,
                    run.busy[core.node],
                    switches * run.machine.switch,
                    shared.copying if shared else 0,
                    ticks,
                )
            )
        return found

    def _forwarded(self) -> Mapping[Hashable, tuple[int, int]]:
        """The messages that each processor forwarded, and for how long."""
        found: dict[Hashable, tuple[int, int]] = {}
        for channel in self.run.channels:
            for leg in channel.route.legs if channel.route is not None else ():
                if leg.forwarder is not None:
                    count, ticks = found.get(leg.router, (0, 0))
                    found[leg.router] = count + channel.messages, ticks + channel.messages * leg.hop
        return found

    @property
    def copies(self) -> int:
        """Messages between programs of one processor."""
        return sum(channel.messages for channel in self.run.channels if isinstance(channel, Local))

    @property
    def waited(self) -> int:
        """The ticks for which messages waited for links that were busy, in all."""
        return sum(load.waited for load in self.run.loads)

    @property
    def highest(self) -> int:
        """The most messages that a router held at a time for a link out of it."""
        return max(self.run.levels.values(), default=0)

    @property
    def busiest(self) -> Load | None:
        """The link that was busy for longest; None if none carried anything."""
        return max(self.run.loads, key=lambda load: (load.ticks, load.words), default=None)

    def lines(self) -> list[str]:
        """For people."""
        us, each = self.run.machine.as_us, self.processors
        spent = {
            "kernels": us(sum(one.kernels for one in each)),
            f"{self.run.switches} switches": us(sum(one.switching for one in each)),
            f"{self.copies} copies": us(sum(one.copying for one in each)),
        }
        forwarded = sum(one.forwarded for one in each)
        if forwarded:
            spent[f"forwarding {forwarded} messages"] = us(sum(one.forwarding for one in each))
        most = max(each, key=lambda one: one.ticks)
        lines = [
            str(self.location),
            "time of all processors: " + ", ".join(f"{what} {time}" for what, time in spent.items()),
            f"busiest processor: {label(most.node)}, {us(most.ticks)} of its own work, "
            f"{self._share(most.ticks)} of the time",
        ]
        link = self.busiest
        if link is None:
            return lines
        lines.append(
            f"busiest link: {link_name(link)}, {link.messages} messages, {link.words} words, busy "
            f"{self._share(link.ticks)} of the time"
        )
        held = f"; a router held at most {self.highest} for a link" if self.highest else ""
        lines.append(
            f"conflicts: {self.run.conflicts} messages found a link busy and waited {us(self.waited)} in all{held}"
        )
        return lines

    def _share(self, ticks: int) -> str:
        return f"{100 * ticks / max(self.run.ticks, 1):.1f} %"

    def to_dict(self) -> dict[str, Any]:
        """For programs, in ticks."""
        each, link = self.processors, self.busiest
        most = max(each, key=lambda one: one.ticks)
        return {
            "name": self.location.network,
            **{key: value for key, value in asdict(self.location).items() if key != "network"},
            "kernels": sum(one.kernels for one in each),
            "switches": self.run.switches,
            "switching": sum(one.switching for one in each),
            "copies": self.copies,
            "copying": sum(one.copying for one in each),
            "forwarded": sum(one.forwarded for one in each),
            "forwarding": sum(one.forwarding for one in each),
            "conflicts": self.run.conflicts,
            "waited": self.waited,
            "highest_level": self.highest,
            "busiest_processor": {"processor": label(most.node), "ticks": most.ticks},
            "busiest_link": link
            and {"link": link_name(link), "messages": link.messages, "words": link.words, "ticks": link.ticks},
        }


def link_name(load: Load) -> str:
    """What a wire is called: by its bus, or by the two that it joins."""
    return load.bus or f"{label(load.link.source)} - {label(load.link.target)}"


def use_lines(run: Run[Any], location: Location | None) -> list[str]:
    """For people: nothing of a run on its own network."""
    return NetworkUse(run, location).lines() if location else []


def use_of(run: Run[Any], location: Location | None) -> dict[str, Any]:
    """For programs: a table `network`; nothing of a run on its own network."""
    return {"network": NetworkUse(run, location).to_dict()} if location else {}


def processors_of(run: Run[Any], location: Location | None) -> str:
    """How many processors, and of which network if it is not their own."""
    count = f"{run.processors} processor{'s' if run.processors > 1 else ''}"
    return f"{count} of {location.network}" if location else count
