"""A picture of a placement: the network with loads and traffic, and both as bars beside it."""

from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.cm import ScalarMappable
from matplotlib.collections import LineCollection
from matplotlib.colors import LinearSegmentedColormap, Normalize
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Rectangle

from meshsim.experiments.figures.lettering import head, panel_title
from meshsim.experiments.figures.link_curves import DISC, box_of, link_curve
from meshsim.experiments.figures.network_layout import Layout, Point, hub, lay_out
from meshsim.experiments.figures.saving import save_figure
from meshsim.experiments.studies.placing import Look
from meshsim.network import Link, Network
from meshsim.trace import label

LOADS = LinearSegmentedColormap.from_list("loads", mpl.colormaps["Blues"]([0.0, 0.2, 0.4, 0.6, 0.85]))
WORDS = LinearSegmentedColormap.from_list("words", ["#f6c667", "#e8743b", "#7a0c2e"])
IDLE = "#d5d5d5"
DEAD = "#c1121f"
WIDEST = 6.0
"""Points, of the link with the most words."""
MOST_BARS = 20
"""Links that have a bar."""
FEW = 8
"""Bars that a panel has room for at least, so that a few are not as thick as bricks."""
MOST_NAMED = 32
"""Processors whose bars have names."""
SIZE = 8.0
"""Inches of the network, in the direction in which it is larger."""
LARGEST = 14.0
"""Inches to which it grows, for names that can be read."""
SMALLEST = 6.0
"""Points of the smallest letters; smaller names are left out."""
NAME = 2.6
"""How wide a processor's name may be, in radii of its disc and widths of a letter."""


def draw_placement(look: Look, title: str, path: str | Path) -> None:
    """Draw a placement to a file whose ending names the format."""
    layout = lay_out(look.network)
    box = box_of(layout)
    wide, high = box[2] - box[0], box[3] - box[1]
    longest = max(len(label(node)) for node in look.network.graph)
    readable = SMALLEST * longest / (NAME * 72 * DISC * min(layout.nearest, 1.0))  # inches for each unit of length
    scale = max(SIZE / max(wide, high), min(readable, LARGEST / max(wide, high)))
    width, height = scale * wide, scale * high
    width, height = max(width, 4.5), max(height, 3.0)
    figure = Figure(figsize=(width + 5.2, max(height + 2.0, 8.5)), layout="constrained")
    panels = figure.add_gridspec(2, 2, width_ratios=(width, 4.6))
    axes = figure.add_subplot(panels[:, 0])
    _draw_network(axes, look, layout, box, scale)
    _colour_bars(figure, axes, look)
    _load_bars(figure.add_subplot(panels[0, 1]), look)
    _traffic_bars(figure.add_subplot(panels[1, 1]), look)
    head(figure, title)
    save_figure(figure, path)


def _kernel_us(look: Look) -> Mapping[Hashable, float]:
    return {node: look.machine.microseconds(ticks) for node, ticks in look.report.loads.items()}


def _load_scale(look: Look) -> Normalize:
    return Normalize(0.0, max(_kernel_us(look).values()) or 1.0)


def edge_words(look: Look) -> Mapping[tuple[Hashable, Hashable, int], int]:
    """The words in both directions of each edge of the network's graph; those of a bus are all of the bus."""
    graph, words = look.network.graph, look.report.words
    keyed = graph.edges(keys=True) if graph.is_multigraph() else ((u, v, 0) for u, v in graph.edges)
    found = {(u, v, key): words.get(Link(u, v, key), 0) + words.get(Link(v, u, key), 0) for u, v, key in keyed}
    buses: dict[str, int] = {}
    for edge, count in found.items():
        bus = look.network.bus(Link(*edge))
        if bus is not None:
            buses[bus] = buses.get(bus, 0) + count
    return {edge: buses.get(look.network.bus(Link(*edge)) or "", count) for edge, count in found.items()}


def _word_scale(look: Look) -> Normalize:
    return Normalize(0.0, max(edge_words(look).values(), default=0) or 1)


# The network


def _draw_network(axes: Any, look: Look, layout: Layout, box: Sequence[float], scale: float) -> None:
    """Links below, nodes above them; `scale` is inches for each unit of length."""
    network, radius = look.network, DISC * min(layout.nearest, 1.0)
    disc = 72 * scale * radius  # in points
    _draw_links(axes, look, layout, disc)
    font, edge = min(13.0, 0.8 * disc), min(0.8, 0.1 * disc)
    colour, loads = _load_scale(look), _kernel_us(look)
    for node in network.graph:
        centre = layout.points[node]
        if network.is_switch(node):
            side = 0.7 * radius
            square = Rectangle((centre[0] - side / 2, centre[1] - side / 2), side, side, zorder=3)
            square.set(facecolor="#555555", edgecolor="black", linewidth=edge)
            axes.add_patch(square)
        else:
            _draw_processor(axes, look, node, centre, radius, LOADS(colour(loads.get(node, 0.0))), disc)
        if node in network.dead:
            _cross(axes, centre, 1.1 * radius)
    for node, centre in layout.again.items():
        axes.add_patch(Circle(centre, 0.6 * radius, facecolor="white", edgecolor="#888888", linewidth=edge, zorder=3))
        if 0.7 * font >= SMALLEST:
            text = {"fontsize": 0.7 * font, "ha": "center", "va": "center", "color": "#666666", "parse_math": False}
            axes.text(*centre, label(node), **text, zorder=4)
    axes.set_xlim(box[0], box[2])
    axes.set_ylim(box[1], box[3])
    axes.set_aspect("equal")
    axes.set_axis_off()


def _draw_processor(
    axes: Any, look: Look, node: Hashable, centre: Point, radius: float, colour: Any, disc: float
) -> None:
    """A disc with the number of programs, and below it the processor's name; `disc` is its radius in points."""
    lives, font, edge = node in look.report.programs, min(13.0, 0.8 * disc), min(0.8, 0.1 * disc)
    shown = colour if lives else "white"
    axes.add_patch(Circle(centre, radius, facecolor=shown, edgecolor="#333333", linewidth=edge, zorder=3))
    if font < SMALLEST or not lives:
        return
    ink = _ink(colour)
    name = label(node)
    x, y = centre
    count = len(look.report.programs[node])
    axes.text(x, y + 0.2 * radius, str(count), fontsize=font, color=ink, ha="center", va="center", zorder=4)
    small = min(7.5, 0.7 * font, NAME * disc / max(len(name), 1))
    if small >= SMALLEST - 0.01:
        y -= 0.5 * radius
        axes.text(x, y, name, fontsize=small, color=ink, ha="center", va="center", zorder=4, parse_math=False)


def _ink(colour: Sequence[float]) -> str:
    """What can be read on a colour."""
    return "white" if sum(colour[:3]) < 1.5 else "black"


def _draw_links(axes: Any, look: Look, layout: Layout, disc: float) -> None:
    """Curves, widths and colours by words; `disc` is a processor's radius in points."""
    scale, widest = _word_scale(look), min(WIDEST, 0.8 * disc)
    lines: list[tuple[int, Sequence[Point], bool]] = []
    seen: dict[frozenset[Hashable], int] = {}
    for (u, v, key), words in edge_words(look).items():
        network = look.network
        bus = network.bus(Link(u, v, key))
        dead = not _lives(network, Link(u, v, key))
        if bus is not None:
            middle = layout.points[hub(bus)]
            for node in (u, v):
                if seen.setdefault(frozenset((node, bus)), 0):
                    continue
                seen[frozenset((node, bus))] = 1
                end = layout.points[node]
                lines.append((words, [end, (end[0], middle[1]) if layout.bar else middle], False))
            continue
        number = seen[frozenset((u, v))] = seen.get(frozenset((u, v)), -1) + 1
        lines.append((words, link_curve(layout, look.network, u, v, number), dead))
    if len(layout.graph) - len(look.network.graph) == 1 and not layout.bar:
        widest = min(widest, 2.0)  # the box says how much it carries
    lines.sort(key=lambda line: line[0])
    colours = [WORDS(scale(words)) if words else IDLE for words, _, _ in lines]
    widths = [0.9 + (widest - 0.9) * scale(words) if words else 0.9 for words, _, _ in lines]
    styles = [":" if dead else "-" for *_, dead in lines]
    looks: dict[str, Any] = {"colors": colours, "linewidths": widths, "linestyles": styles, "capstyle": "round"}
    axes.add_collection(LineCollection([curve for _, curve, _ in lines], zorder=1, clip_on=False, **looks))
    for _, curve, dead in lines:
        if dead:
            _cross(axes, curve[len(curve) // 2], 0.1 * layout.nearest)
    _draw_buses(axes, look, layout)


def _draw_buses(axes: Any, look: Look, layout: Layout) -> None:
    """A bar, or a box where processors stand around a bus."""
    words, scale = edge_words(look), _word_scale(look)
    loads = {bus: count for edge, count in words.items() if (bus := look.network.bus(Link(*edge))) is not None}
    for bus, count in loads.items():
        x, y = layout.points[hub(bus)]
        colour = WORDS(scale(count)) if count else mpl.colors.to_rgba(IDLE)
        edge: dict[str, Any] = {"edgecolor": "#333333", "linewidth": 0.8}
        box = {"boxstyle": "round", "facecolor": colour, **edge}
        if layout.bar:
            xs = [point[0] for point in layout.points.values()]
            size = max(xs) - min(xs) + 0.8, 0.2
            axes.add_patch(Rectangle((min(xs) - 0.4, y - 0.1), *size, facecolor=colour, zorder=2, **edge))
        text = {"fontsize": 8, "color": _ink(colour), "ha": "center", "va": "center", "zorder": 4, "parse_math": False}
        axes.text(x, y, f"{bus}: {count} words", bbox=None if layout.bar else box, **text)


def _lives(network: Network, link: Link) -> bool:
    living = network.living
    ends: tuple[Any, ...] = link if living.is_multigraph() else link[:2]
    return bool(living.has_edge(*ends))


def _cross(axes: Any, centre: Point, size: float) -> None:
    x, y = centre
    for sign in (1, -1):
        axes.plot([x - size, x + size], [y - sign * size, y + sign * size], color=DEAD, linewidth=1.8, zorder=5)


# Beside it


def _colour_bars(figure: Figure, axes: Any, look: Look) -> None:
    bars = [("arithmetic of a processor (us); the number in it: programs", _load_scale(look), LOADS)]
    if look.report.words:
        bars.append(("words over a link, both directions", _word_scale(look), WORDS))
    for name, scale, colours in bars:
        bar = figure.colorbar(
            ScalarMappable(scale, colours), ax=axes, location="bottom", shrink=0.7, aspect=40, pad=0.01
        )
        bar.set_label(name, fontsize=8)
        bar.ax.tick_params(labelsize=7)


def _load_bars(axes: Any, look: Look) -> None:
    """In node order with names, or from most to least."""
    loads, scale = _kernel_us(look), _load_scale(look)
    panel_title(axes, "load per processor", loc="left")
    if len(loads) <= MOST_NAMED:
        colours = [LOADS(scale(load)) for load in loads.values()]
        places = range(len(loads))
        axes.barh(places, list(loads.values()), color=colours, edgecolor="#333333", linewidth=0.4)
        axes.set_yticks(places, [label(node) for node in loads], parse_math=False)
        axes.set_ylim(max(len(loads), FEW) - 0.5, -0.5)
        axes.set_xlabel("arithmetic (us)", fontsize=8)
        axes.set_ylabel("processor", fontsize=8)
        axes.tick_params(axis="y", labelsize=max(SMALLEST, min(7.0, 190 / len(loads))))
    else:
        ranked = sorted(loads.values(), reverse=True)
        axes.bar(range(1, len(ranked) + 1), ranked, width=1.0, color="#4a90c2")
        axes.set_xlabel(f"{len(ranked)} processors, from most to least", fontsize=8)
        axes.set_ylabel("arithmetic (us)", fontsize=8)
        axes.tick_params(axis="y", labelsize=7)
    axes.tick_params(axis="x", labelsize=7)


def _traffic_bars(axes: Any, look: Look) -> None:
    wires = look.wires()
    shown = wires[:MOST_BARS]
    more = f", the busiest {MOST_BARS} of {len(wires)}" if len(wires) > MOST_BARS else ""
    panel_title(axes, f"traffic per link{more}", loc="left")
    if not shown:
        axes.set_axis_off()
        axes.text(0.5, 0.5, "no word crosses a link", ha="center", va="center", fontsize=9)
        return
    axes.barh(range(len(shown)), [wire.words for wire in shown], color="#e8743b", edgecolor="#333333", linewidth=0.4)
    axes.set_yticks(range(len(shown)), [wire.name for wire in shown], parse_math=False)
    axes.set_ylim(max(len(shown), FEW) - 0.5, -0.5)
    axes.set_xlabel("words", fontsize=8)
    axes.set_ylabel("link", fontsize=8)
    axes.tick_params(axis="y", labelsize=6.5)
    axes.tick_params(axis="x", labelsize=7)
