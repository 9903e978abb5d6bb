"""The picture of schemes against networks: how many times as long as on a scheme's own network."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.colors import TwoSlopeNorm
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from meshsim.experiments.figures.compare import WIDTH, charged
from meshsim.experiments.figures.lettering import head, panel_title
from meshsim.experiments.figures.saving import save_figure
from meshsim.experiments.store.journal import Row
from meshsim.experiments.studies.matrix import OF_COLUMN, OF_ROW, Matrix, matrices
from meshsim.machine import Machine

MOST = 4.0
"""The factor that has the darkest colour."""
NOTE = "above: time over that on the scheme's own network; below: time in us\n"
NOTE += "bold: the quickest scheme on a network; framed: where a scheme is the quickest"
LACKING = "; hatched: it cannot run there"


def draw_matrices(rows: Sequence[Row], machines: Sequence[Machine], folder: Path) -> list[Path]:
    """A picture for each robot, with a panel for each machine."""
    found = list(matrices(rows))
    files = []
    for robot, name in file_names(rows).items():
        mine = [matrix for matrix in found if matrix.robot == robot]
        wide = max(WIDTH, 1.9 + 0.95 * max(len(matrix.networks) for matrix in mine))
        tall = sum(1.0 + 0.42 * len(matrix.labels) for matrix in mine)
        figure = Figure(figsize=(wide, 1.0 + tall), layout="constrained")
        heights = [1.0 + 0.42 * len(matrix.labels) for matrix in mine]
        panels = figure.subplots(len(mine), 1, squeeze=False, gridspec_kw={"height_ratios": heights})[:, 0]
        for axes, matrix in zip(panels, mine, strict=True):
            machine = next(each for each in machines if each.name == matrix.machine)
            draw_matrix(axes, matrix)
            panel_title(axes, f"{machine.name}: {charged(machine)}", loc="left")
        head(figure, f"{name}: schemes on networks that are not their own")
        whole = all(len(matrix.cells) == len(matrix.labels) * len(matrix.networks) for matrix in mine)
        figure.supxlabel(NOTE + ("" if whole else LACKING), fontsize=8)
        files.append(folder / f"networks-{name}.png")
        save_figure(figure, files[-1])
    return files


def draw_matrix(axes: Any, matrix: Matrix) -> None:
    """Cells with their numbers; what could not run is hatched."""
    labels, networks, marks = matrix.labels, matrix.networks, matrix.marks
    factors = np.full((len(labels), len(networks)), np.nan)
    norm, colours = TwoSlopeNorm(0.0, -np.log(MOST), np.log(MOST)), mpl.colormaps["PuOr_r"]
    for i, label in enumerate(labels):
        for j, network in enumerate(networks):
            row = matrix.cells.get((label, network))
            if row is None:
                axes.add_patch(Rectangle((j - 0.5, i - 0.5), 1, 1, facecolor="white", edgecolor="#999999", hatch="///"))
                continue
            factor = 1.0 if row["factor"] is None else row["factor"]
            factors[i, j] = np.log(min(max(factor, 1 / MOST), MOST))
            mark = marks[label, network]
            red, green, blue, _ = colours(norm(factors[i, j]))
            ink = "black" if 0.3 * red + 0.59 * green + 0.11 * blue > 0.5 else "white"
            text = f"{factor:.2f}\n{row['time_us']:.1f}"
            weight = "bold" if OF_COLUMN in mark else "normal"
            axes.text(j, i, text, ha="center", va="center", fontsize=7.5, color=ink, fontweight=weight)
            if OF_ROW in mark:
                axes.add_patch(Rectangle((j - 0.45, i - 0.42), 0.9, 0.84, fill=False, edgecolor=ink, linewidth=1.4))
    axes.imshow(factors, norm=norm, cmap=colours, aspect="auto")
    axes.set_xticks(range(len(networks)), networks, fontsize=8)
    axes.set_yticks(range(len(labels)), labels, fontsize=8)
    axes.set_xticks(np.arange(0.5, len(networks) - 1), minor=True)
    axes.set_yticks(np.arange(0.5, len(labels) - 1), minor=True)
    axes.grid(which="minor", color="white", linewidth=1.5)
    axes.tick_params(which="both", length=0)
    axes.set_xlabel("network", fontsize=9)
    axes.set_ylabel("scheme", fontsize=9)


def file_names(rows: Sequence[Row]) -> dict[str, str]:
    """What each robot's picture is called: without folders, and no two alike."""
    names: dict[str, str] = {}
    for robot in dict.fromkeys(row["robot"] for row in rows):
        name = robot.rpartition(".py:")[2] if ".py:" in robot else Path(robot).name
        name = name.removesuffix(".urdf").removesuffix(".xml").removesuffix(".toml").replace(":", "-")
        names[robot] = name if name not in names.values() else f"{name}-{len(names) + 1}"
    return names
