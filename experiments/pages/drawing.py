"""A network as a small drawing that stands still."""

from collections.abc import Sequence
from html import escape
from typing import Any

from meshsim.experiments.pages.scene import drawing
from meshsim.network import Link, Network

NEAR = 70.0
"""Pixels between neighbours, at most."""
WIDEST = 720.0
SMALLEST = 6.0
"""Pixels; smaller letters are left out, and told when pointed at."""
INK, FAINT = "#1b1f24", "#9aa4af"
DASHED = ' stroke-dasharray="3 4"'


def network_svg(network: Network) -> str:
    """Processors with their names, switch elements in grey; what does not work is dashed."""
    return _Drawing(network).svg()


class _Drawing:
    def __init__(self, network: Network) -> None:
        processors = [node for node in network.graph if not network.is_switch(node)]
        self.found, self.edges = drawing(network, processors)
        self.dead = set(network.dead)
        nodes = self.found["nodes"]
        again = [node["again"] for node in nodes if "again" in node]
        points = [(each["x"], each["y"]) for each in [*nodes, *again, *self.found["hubs"], *self.found["titles"]]]
        points += [(x, y) for way in self.found["links"] for x, y in way]
        self.left, self.top = (min(point[axis] for point in points) for axis in (0, 1))
        self.wide, self.high = max(x for x, _ in points) - self.left, max(y for _, y in points) - self.top
        self.scale = min(NEAR / self.found["nearest"], WIDEST / max(self.wide, 1.0))
        self.half = 0.3 * self.scale * self.found["nearest"]
        self.margin = self.half + 16

    def svg(self) -> str:
        """All of it."""
        marks = [self._link(edge, way) for edge, way in zip(self.edges, self.found["links"], strict=True)]
        marks += [self._bus(bus) for bus in self.found["hubs"]]
        marks += [self._node(node) for node in self.found["nodes"]]
        marks += [self._text(title, title["label"], 13) for title in self.found["titles"]]
        wide, high = (round(self.scale * size + 2 * self.margin) for size in (self.wide, self.high))
        # A light ground, also where the notebook is dark.
        about = f'width="{wide}" height="{high}" role="img" style="background: #ffffff; max-width: 100%"'
        view = f'viewBox="0 0 {wide} {high}" font-family="sans-serif" text-anchor="middle"'
        return f'<svg xmlns="http://www.w3.org/2000/svg" {about} {view}>{"".join(marks)}</svg>'

    def _at(self, x: float, y: float) -> tuple[float, float]:
        return round(self.margin + self.scale * (x - self.left), 1), round(self.margin + self.scale * (y - self.top), 1)

    def _link(self, edge: tuple[Any, Any, int], way: Sequence[Sequence[float]]) -> str:
        points = " ".join(f"{x},{y}" for x, y in (self._at(*point) for point in way))
        dash = DASHED if {Link(*edge), edge[0], edge[1]} & self.dead else ""
        return f'<polyline points="{points}" fill="none" stroke="{FAINT}"{dash}/>'

    def _bus(self, bus: dict[str, Any]) -> str:
        x, y = self._at(bus["x"], bus["y"])
        half = self.scale * self.wide / 2 if self.found["bar"] else self.half
        bar = f'<rect x="{x - half:.1f}" y="{y - 8}" width="{2 * half:.1f}" height="16" fill="{FAINT}"/>'
        return bar + self._text(bus, bus["label"], 11)

    def _node(self, node: dict[str, Any]) -> str:
        x, y = self._at(node["x"], node["y"])
        half = self.half * (0.7 if node.get("switch") else 1.0)
        look = f'fill="{FAINT if node.get("switch") else "#ffffff"}" stroke="{INK}"' + (
            DASHED if "dead" in node else ""
        )
        box = f'x="{x - half:.1f}" y="{y - half:.1f}" width="{2 * half:.1f}" height="{2 * half:.1f}"'
        name = node.get("short", node["label"])
        text = self._text(node, name, min(12.0, 3 * half / max(len(name), 2)))
        if "again" in node:  # where it receives
            there = self._at(node["again"]["x"], node["again"]["y"])
            text += f'<circle cx="{there[0]}" cy="{there[1]}" r="{0.5 * half:.1f}" {look}/>'
        return f"<g><title>{escape(node['label'])}</title><rect {box} {look}/>{text}</g>"

    def _text(self, place: dict[str, Any], text: str, size: float) -> str:
        if size < SMALLEST:
            return ""
        x, y = self._at(place["x"], place["y"])
        return f'<text x="{x}" y="{y + 0.35 * size:.1f}" font-size="{size:.1f}" fill="{INK}">{escape(text)}</text>'
