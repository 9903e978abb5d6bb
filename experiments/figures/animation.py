"""A run that moves: the network with what its processors do, messages on their links, a clock and the Gantt picture."""

import math
import subprocess
from collections.abc import Hashable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection, PatchCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, Patch, Rectangle
from PIL.Image import Dither, Image, fromarray, frombytes, new

from meshsim.errors import MeshSimError
from meshsim.experiments.figures.gantt import KINDS, raster
from meshsim.experiments.figures.lettering import wrapped
from meshsim.experiments.figures.link_curves import DISC, box_of, link_curves
from meshsim.experiments.figures.network_layout import Point, hub, lay_out
from meshsim.experiments.store.animations import FFMPEG, FRAMES, check_animation
from meshsim.experiments.store.files import whole_file
from meshsim.experiments.studies.watching import ENDED, Watch
from meshsim.outcome import Run
from meshsim.trace import label

RATE = 15
"""Pictures a second, at most."""
SECONDS = 8
"""A film of few pictures is slower, so that it lasts as long and can be followed."""
REST = 2000
"""Milliseconds for which the last picture of a gif stays before it begins anew."""
DPI = 100
WIDTH = 7.2
"""Inches."""
MESSAGE = "#c1121f"
COLOURS = {**KINDS, ENDED: "#ffffff"}
MOST_LINES = 2
"""Of a title: below it is the clock."""
OUTLINE, FADED = "#333333", "#bbbbbb"
"""Of processors, and of those that have ended."""
ROWS = 20
"""The rows of so many processors have names."""
SMALLEST_LETTERS = 6.0
"""Points; smaller names are left out."""


def save_animation(run: Run[Any], title: str, path: str | Path, frames: int = FRAMES) -> None:
    """Draw a traced run to a gif or mp4 file; ticks that are evenly spaced from its begin to its end."""
    check_animation(path, frames)
    film, ticks = Film(run, title), ticks_of(run, frames)
    write = _write_gif if str(path).lower().endswith(".gif") else _write_mp4
    with whole_file(path) as temporary:
        write(film.pictures(ticks), temporary, min(RATE, len(ticks) / SECONDS))


def ticks_of(run: Run[Any], frames: int) -> list[int]:
    """The ticks that are shown: all, or as many as there may be."""
    return sorted(set(np.linspace(0, run.ticks, min(frames, run.ticks + 1)).round().astype(int).tolist()))


def _write_gif(pictures: Iterable[Image], path: Path, rate: float) -> None:
    """Pictures in a few colours; of each but the first only what is not as before, which makes a small file."""
    palette = new("P", (1, 1))
    palette.putpalette(_palette())
    nothing = len(_palette()) // 3 - 1  # a colour that is not in use
    frames: list[Image] = []
    before: Any = None
    for picture in pictures:
        frame = picture.convert("RGB").quantize(palette=palette, dither=Dither.NONE)
        now = np.array(frame)
        if before is not None:
            frame = fromarray(np.where(now == before, nothing, now).astype(np.uint8))
            frame.putpalette(_palette())
        frames.append(frame)
        before = now
    lasts = [int(1000 / rate)] * (len(frames) - 1) + [REST]
    told: dict[str, Any] = {"duration": lasts, "loop": 0, "transparency": nothing, "disposal": 1}
    frames[0].save(path, save_all=True, append_images=frames[1:], optimize=False, **told)


def _palette() -> list[int]:
    """All colours that are drawn, what edges mix of them, greys, and at last one that no picture has."""
    drawn = [mpl.colors.to_rgb(colour) for colour in (*COLOURS.values(), MESSAGE)]
    mixed = [
        tuple(share * part + (1 - share) * other for part in colour)
        for colour in drawn
        for other, shares in ((1.0, (1.0, 0.66, 0.33)), (0.2, (0.6,)))
        for share in shares
    ]
    greys = [(grey / 16,) * 3 for grey in range(17)]
    return [round(255 * part) for colour in (*mixed, *greys, (1.0, 0.0, 1.0)) for part in colour]


def _write_mp4(pictures: Iterable[Image], path: Path, rate: float) -> None:
    """Hand pictures to ffmpeg as they are drawn."""
    left = iter(pictures)
    first = next(left)
    raw = ["-f", "rawvideo", "-pix_fmt", "rgba", "-s", f"{first.width}x{first.height}", "-r", f"{rate:g}", "-i", "-"]
    command = [FFMPEG, "-y", "-loglevel", "error", *raw, "-pix_fmt", "yuv420p", str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as film:
        assert film.stdin is not None
        try:
            for picture in chain([first], left):
                with suppress(BrokenPipeError):  # it says why below
                    film.stdin.write(picture.tobytes())
            _, told = film.communicate()
        except BaseException:
            film.kill()  # or it would write its file when all others are gone
            raise
    if film.returncode:
        reason = told.decode(errors="replace").strip().splitlines()[-1:] or ["it did not say why"]
        raise MeshSimError(f"{FFMPEG} could not write the animation: {reason[0]}")


class Film:
    """A figure of which every picture is a tick of the run."""

    def __init__(self, run: Run[Any], title: str) -> None:
        self.run = run
        self.watch = Watch(run)
        self.layout = lay_out(self.watch.network)
        self.radius = DISC * min(self.layout.nearest, 1.0)
        self.ways = {link: _Way(curve) for link, curve in link_curves(self.layout, self.watch.network).items()}
        box = box_of(self.layout)
        height = min(max(WIDTH * (box[3] - box[1]) / (box[2] - box[0]), 2.4), 4.4)
        strip = 0.4 + 0.1 * run.processors if run.processors <= ROWS else min(0.4 + 0.06 * run.processors, 1.6)
        whole = _even(height + strip + 1.5)
        self.figure = Figure(figsize=(WIDTH, whole), dpi=DPI)
        lines = wrapped(title, WIDTH - 0.5, 8.0).split("\n")
        told = "\n".join(lines[:MOST_LINES]) + (" ..." if len(lines) > MOST_LINES else "")
        self.figure.text(0.02, 1 - 0.14 / whole, told, fontsize=8, va="top", parse_math=False)
        self.clock = self.figure.text(0.98, 1 - 0.5 / whole, "", fontsize=10, ha="right", va="top", family="monospace")
        axes = self.figure.add_axes((0.01, (strip + 0.85) / whole, 0.98, height / whole))
        self._draw_network(axes, box, min(0.98 * WIDTH / (box[2] - box[0]), height / (box[3] - box[1])))
        self.hand = self._draw_strip(self.figure.add_axes((0.07, 0.68 / whole, 0.9, strip / whole)))
        self.moving = [self.dots, self.discs, *self.names, self.clock, self.hand]
        for artist in self.moving:
            artist.set_animated(True)
        self.figure.legend(
            handles=self._legend(), loc="lower center", ncols=9, frameon=False, fontsize=7, borderpad=0.1
        )

    def pictures(self, ticks: Iterable[int]) -> Iterator[Image]:
        """A picture of each tick; what does not move is drawn once."""
        canvas = FigureCanvasAgg(self.figure)
        canvas.draw()
        still = canvas.copy_from_bbox(self.figure.bbox)
        before = -1
        for tick in ticks:
            canvas.restore_region(still)
            self.show(tick, before)
            for artist in self.moving:
                self.figure.draw_artist(artist)
            yield frombytes("RGBA", canvas.get_width_height(), bytes(canvas.buffer_rgba()))
            before = tick

    def show(self, tick: int, before: int) -> None:
        """Draw a tick; messages that have come and gone since the picture before stand in the middle of their link."""
        machine = self.run.machine
        states = self.watch.states(tick)
        colours = [mpl.colors.to_rgba(COLOURS[state]) for state in states]
        self.discs.set_facecolor(colours)
        self.discs.set_edgecolor([FADED if state == ENDED else OUTLINE for state in states])
        for name, state, colour in zip(self.names, states, colours, strict=True):
            name.set_color(FADED if state == ENDED else "white" if sum(colour[:3]) < 1.5 else "black")
        messages = self.watch.columns.messages
        under_way = np.flatnonzero((messages.depart <= tick) & (tick < messages.taken)).tolist()
        passed = np.flatnonzero((before < messages.depart) & (messages.depart <= tick) & (messages.taken <= tick))
        points = [self._point(message, tick) for message in under_way]
        points += [self._point(message, None) for message in passed.tolist()]
        shown = {point for point in points if point is not None}
        self.dots.set_offsets(np.array(sorted(shown)).reshape(-1, 2))
        busy = f"{states.count('compute'):>{len(str(len(states)))}} of {len(states)} compute"
        self.clock.set_text(f"tick {tick} of {self.run.ticks}, {machine.as_us(tick):>9}\n{busy}")
        self.hand.set_xdata([machine.microseconds(tick)] * 2)

    def _point(self, message: int, tick: int | None) -> Point | None:
        """Where a message is drawn; without a tick, in the middle of the last link that it took."""
        last = int(self.watch.columns.messages.arrive[message])
        spot = self.watch.spot(message, last if tick is None else tick)
        if spot is None:
            return None
        return self.ways[spot.link].at(0.5 if tick is None else spot.share, self.radius)

    # What is drawn once

    def _draw_network(self, axes: Any, box: Sequence[float], scale: float) -> None:
        """Links, nodes, messages; `scale` is inches for each unit of length."""
        curves = [way.points for way in self.ways.values()]
        axes.add_collection(LineCollection(curves, colors="#b0b0b0", linewidths=1.0, zorder=1))
        size = min((72 * scale * self.radius * 0.55) ** 2, 60.0)
        self.dots = axes.scatter([], [], s=size, color=MESSAGE, edgecolors="white", linewidths=0.5, zorder=4)
        self._draw_others(axes)
        disc = 72 * scale * self.radius
        cores = [core.node for core in self.watch.columns.processors]
        circles = [Circle(self.layout.points[node], self.radius) for node in cores]
        self.discs = PatchCollection(circles, edgecolors=OUTLINE, linewidths=min(0.8, 0.1 * disc), zorder=3)
        axes.add_collection(self.discs)
        letters = min(9.0, 2.6 * disc / max(len(label(node)) for node in cores))
        named = letters >= SMALLEST_LETTERS
        self.names = [_name(axes, self.layout.points[node], label(node) if named else "", letters) for node in cores]
        for node, centre in self.layout.again.items():
            axes.add_patch(Circle(centre, 0.6 * self.radius, facecolor="white", edgecolor="#888888", zorder=3))
            _name(axes, centre, label(node) if disc >= SMALLEST_LETTERS else "", min(7.0, disc))
        axes.set(xlim=(box[0], box[2]), ylim=(box[1], box[3]))
        axes.set_aspect("equal")
        axes.set_axis_off()

    def _draw_others(self, axes: Any) -> None:
        """Switches, buses, and processors that do not work."""
        network, side = self.watch.network, 0.7 * self.radius
        working: set[Hashable] = {core.node for core in self.watch.columns.processors}
        for node, (x, y) in self.layout.points.items():
            if node in working:
                continue
            square = Rectangle(
                (x - side / 2, y - side / 2), side, side, facecolor="#555555", edgecolor="black", zorder=3
            )
            if node in network.graph and not network.is_switch(node):
                square.set(facecolor="white", edgecolor="#bbbbbb")
            axes.add_patch(square)
        for bus in sorted({bus for *_, bus in network.graph.edges(data="bus") if bus is not None}):
            x, y = self.layout.points[hub(bus)]
            axes.text(x, y - side, bus, fontsize=7, ha="center", va="top", zorder=4, parse_math=False)

    def _draw_strip(self, axes: Any) -> Any:
        """All of the run, and a hand that tells where the picture is."""
        run = self.run
        end = run.machine.microseconds(run.ticks) or 1.0
        look: dict[str, Any] = {"aspect": "auto", "interpolation": "nearest", "vmin": 0, "vmax": len(KINDS)}
        cmap = mpl.colors.ListedColormap(["#ffffff", *KINDS.values()])
        axes.imshow(raster(run), cmap=cmap, extent=(0.0, end, run.processors - 0.5, -0.5), **look)
        named = range(run.processors if run.processors <= ROWS else 0)
        axes.set_yticks(named, [label(run.cores[row].node) for row in named])
        axes.tick_params(labelsize=7, length=2, pad=1)
        axes.tick_params(axis="y", labelsize=6.0, length=0)
        axes.set_xlabel("time (us); a row for each processor, the line is now", fontsize=7, labelpad=1)
        return axes.axvline(0.0, color="black", linewidth=1.2)

    def _legend(self) -> list[Any]:
        spent = self.watch.columns.spent().sum(axis=0)
        kinds = dict(zip(KINDS, spent.tolist(), strict=True))
        handles: list[Any] = [
            Patch(facecolor=colour, edgecolor="#888888", label=kind)
            for kind, colour in COLOURS.items()
            if kind == ENDED or kinds[kind]
        ]
        return [*handles, Line2D([], [], color=MESSAGE, marker="o", markersize=4, linestyle="", label="message")]


class _Way:
    """The way of a link, and how far its points are from its start."""

    def __init__(self, points: Sequence[Point]) -> None:
        self.points = points
        self.far = np.concatenate([[0.0], np.cumsum([math.dist(*ends) for ends in pairwise(points)])])

    def at(self, share: float, radius: float) -> Point:
        """The point behind which lies a share of what is to be seen: without the discs at both ends."""
        length = float(self.far[-1])
        far = min(radius, length / 2) * 1.3 + share * max(length - 2.6 * radius, 0.0)
        xs, ys = zip(*self.points, strict=True)
        return float(np.interp(far, self.far, xs)), float(np.interp(far, self.far, ys))


def _name(axes: Any, centre: Point, text: str, letters: float) -> Any:
    return axes.text(*centre, text, fontsize=letters, ha="center", va="center", zorder=5, parse_math=False)


def _even(inches: float) -> float:
    """A height of an even number of dots, as films must have."""
    return 2 * round(inches * DPI / 2) / DPI
