"""Where subsystems live, and how their processors exchange numbers: alone, around a centre, or all with all."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import networkx as nx

from meshsim.errors import MeshSimError
from meshsim.program import Cpu, Steps
from meshsim.topologies.complete import complete
from meshsim.topologies.pipeline import pipeline
from meshsim.topologies.star import star

NETWORKS = ("one", "star", "complete")

Numbers = tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class Network:
    """Processors and the subsystems that live on them.

    Attributes
    ----------
    name : str
        One of `NETWORKS`.
    topology : networkx.MultiGraph
        Its graph.
    nodes : tuple
        The processors; a processor is identified by its index in this tuple, its site.
    parties : tuple of tuple of int
        The subsystems on each.
    master : int
        The site that computes for all: the star's centre.
    """

    name: str
    topology: nx.MultiGraph
    nodes: tuple[Any, ...]
    parties: tuple[tuple[int, ...], ...]
    master: int

    @property
    def others(self) -> tuple[int, ...]:
        """All sites but the master's."""
        return tuple(site for site in range(len(self.nodes)) if site != self.master)

    def port(self, other: int) -> str:
        """The port by which a site's neighbours know it."""
        return "centre" if self.name == "star" and other == self.master else str(self.nodes[other])

    def gather(self, cpu: Cpu, site: int, mine: Numbers) -> Steps[list[Numbers]]:
        """Gather: the master gets the values of all sites; the others get nothing."""
        if site != self.master:
            yield cpu.send(self.port(self.master), mine)
            return []
        got = yield cpu.par(*(cpu.recv(self.port(other)) for other in self.others))
        return self._in_order(site, mine, got)

    def scatter(self, cpu: Cpu, site: int, parts: Sequence[Numbers]) -> Steps[Numbers]:
        """The master has a part for every site; each gets its own."""
        if site != self.master:
            got: Numbers = yield cpu.recv(self.port(self.master))
            return got
        yield cpu.par(*(cpu.send(self.port(other), parts[other]) for other in self.others))
        return parts[site]

    def all_gather(self, cpu: Cpu, site: int, mine: Numbers) -> Steps[list[Numbers]]:
        """Every site gets what every site has."""
        if self.name != "star":
            others = [other for other in range(len(self.nodes)) if other != site]
            sends = [cpu.send(self.port(other), mine) for other in others]
            got = yield cpu.par(*sends, *(cpu.recv(self.port(other)) for other in others))
            return self._in_order(site, mine, got[len(others) :])
        gathered = yield from self.gather(cpu, site, mine)
        parts = [(*gathered[:i], *gathered[i + 1 :]) for i in range(len(gathered))]
        got = yield from self.scatter(cpu, site, parts)
        return gathered if site == self.master else self._in_order(site, mine, got)

    def _in_order(self, site: int, mine: Numbers, got: Sequence[Numbers]) -> list[Numbers]:
        return [*got[:site], mine, *got[site:]]


def lay_out(name: str, count: int, hub: int | None) -> Network:
    """Put so many subsystems on a network; in a star, the one that all others are joined to lives in the centre."""
    if name == "one":
        return Network(name, pipeline(1), (1,), (tuple(range(count)),), 0)
    if name == "complete":
        nodes = tuple(range(1, count + 1))
        return Network(name, complete(count), nodes, tuple((k,) for k in range(count)), hub or 0)
    if name == "star":
        leaves = [k for k in range(count) if k != hub]
        parties = (() if hub is None else (hub,), *((k,) for k in leaves))
        return Network(name, star(len(leaves)), tuple(range(len(leaves) + 1)), parties, 0)
    raise MeshSimError(f"network must be {', '.join(NETWORKS)}, not {name!r}")
