"""The ways of links in a picture of a network."""

import math
from collections.abc import Hashable, Mapping, Sequence
from itertools import product

import numpy as np

from meshsim.experiments.figures.network_layout import Layout, Point, hub
from meshsim.network import Link, Network

DISC = 0.28
"""The radius of a processor, as a share of the distance to its nearest neighbour."""
BENDS = (0.6, 0.9, 1.3, 1.8)
"""How far the controls of a bent link may stand aside, likewise; the link itself goes three quarters of that."""


def box_of(layout: Layout) -> tuple[float, float, float, float]:
    """Left, low, right and high end of a picture, with room around the nodes."""
    points = [*layout.points.values(), *layout.again.values()]
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return min(xs) - 0.75, min(ys) - 0.75, max(xs) + 0.75, max(ys) + 0.75


def link_curves(layout: Layout, network: Network) -> Mapping[Link, Sequence[Point]]:
    """The way of every link in both directions; over a bus by way of it."""
    graph = network.graph
    found: dict[Link, Sequence[Point]] = {}
    seen: dict[frozenset[Hashable], int] = {}
    keyed = graph.edges(keys=True) if graph.is_multigraph() else ((u, v, 0) for u, v in graph.edges)
    for u, v, key in keyed:
        bus = network.bus(Link(u, v, key))
        if bus is not None:
            way = _over_bus(layout, layout.points[hub(bus)], layout.points[u], layout.points[v])
        else:
            number = seen[frozenset((u, v))] = seen.get(frozenset((u, v)), -1) + 1
            way = link_curve(layout, network, u, v, number)
            if way[0] != layout.points[u]:  # it is drawn as messages go
                way = way[::-1]
        found[Link(u, v, key)], found[Link(v, u, key)] = way, way[::-1]
    return found


def _over_bus(layout: Layout, middle: Point, start: Point, end: Point) -> Sequence[Point]:
    if layout.bar:
        return [start, (start[0], middle[1]), (end[0], middle[1]), end]
    return [start, middle, end]


def link_curve(layout: Layout, network: Network, u: Hashable, v: Hashable, number: int) -> Sequence[Point]:
    """The way of a link: straight to a near node, else bent so that it passes nodes between; others of two beside."""
    start, end = layout.points[u], layout.points[v]
    if layout.again:  # the last stage leads to where processors receive
        data = network.graph.get_edge_data(u, v)
        source = next(iter(data.values()))["oneway"]
        target = v if source == u else u
        return [layout.points[source], layout.again.get(target, layout.points[target])]
    beside = 0.25 * layout.nearest * number
    if not _passes(layout, start, end):
        return _bent(start, end, beside)
    side = -1 if _inwards(layout, start, end) else 1
    best: Sequence[Point] = [start, end]
    most = -1.0
    for bend, sign in product(BENDS, (side, -side)):
        curve = _bent(start, end, sign * (bend * layout.nearest + beside))
        room = _room(layout, curve, start, end)
        if room > 1.05 * DISC * layout.nearest:
            return curve
        if room > most:
            best, most = curve, room
    return best


def _bent(start: Point, end: Point, bend: float) -> Sequence[Point]:
    """A cubic whose controls stand so far to the left of its ends; a straight line if that is nothing."""
    if not bend:
        return [start, ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2), end]
    length = math.dist(start, end)
    across = (start[1] - end[1]) / length, (end[0] - start[0]) / length
    steps = [place / 30 for place in range(31)]
    along = [t * t * (3 - 2 * t) for t in steps]
    aside = [3 * bend * t * (1 - t) for t in steps]
    return [
        (start[0] + s * (end[0] - start[0]) + a * across[0], start[1] + s * (end[1] - start[1]) + a * across[1])
        for s, a in zip(along, aside, strict=True)
    ]


def _room(layout: Layout, curve: Sequence[Point], start: Point, end: Point) -> float:
    """How far a curve stays from all nodes but its ends."""
    ends = (layout.places == start).all(axis=1) | (layout.places == end).all(axis=1)
    others = layout.places[~ends]
    way = np.array(curve)
    far = (way[:, 0, None] - others[:, 0]) ** 2 + (way[:, 1, None] - others[:, 1]) ** 2
    return math.sqrt(far.min())


def _passes(layout: Layout, start: Point, end: Point) -> bool:
    """Whether a straight line would touch a node between the two."""
    way = np.subtract(end, start)
    length = math.hypot(*way)
    from_start = layout.places - start
    along = from_start @ way / length**2
    off = np.abs(from_start[:, 0] * way[1] - from_start[:, 1] * way[0]) / length
    return bool(((along > 1e-6) & (along < 1 - 1e-6) & (off < DISC * layout.nearest)).any())


def _inwards(layout: Layout, start: Point, end: Point) -> bool:
    """Whether a bend to the left of the way would go towards the middle of the picture."""
    middle = (layout.places.min(axis=0) + layout.places.max(axis=0)) / 2
    half = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2
    across = start[1] - end[1], end[0] - start[0]
    return bool(across[0] * (middle[0] - half[0]) + across[1] * (middle[1] - half[1]) > 1e-9)
