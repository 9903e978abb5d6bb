"""Exhibits of a robot that follows a profile under open-loop torques: profile, torques, errors."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from meshsim.algorithms.robots.catalogue import load_robot
from meshsim.algorithms.types.arrays import Array
from meshsim.experiments.exhibits.base.exhibit import Computed, Exhibit, Judgement, Line
from meshsim.experiments.exhibits.base.motions import followed, inverse_note, torque_figure

DEGREES = ("angle (deg)", "rate (deg/s)", "acceleration (deg/s²)")


def profile_figure(identifier: str, robot: str, period: float, h: float) -> Exhibit:
    """Where joint 6 went, against the equation of the profile."""
    spec = f"cycloid:{period:g}"
    title = f"Profiles of {robot}, and the response of joint 6"

    def compute() -> Computed:
        moved = followed(robot, spec, h).moved
        peaks = moved.q[-1, 5], moved.qd[:, 5].max(), np.nanmax(moved.qdd[:, 5])
        return {"joint 6": [float(np.degrees(peak)) for peak in peaks]}

    def draw(_: Judgement, path: Path) -> None:
        from meshsim.experiments.figures.motion import draw_positions

        run = followed(robot, spec, h)
        draw_positions(run.mechanism, run.moved, title, path, run.wanted("q"))

    w = 360.0 / period
    published = (180.0, w, float(np.radians(w) * w / 2))
    why = "the profile of eq. 3.43, an input; of the response print says that it cannot be distinguished from it"
    line = Line("joint 6", published, not_comparable=why)
    heads = ("angle at the end (deg)", "largest rate (deg/s)", "largest acceleration (deg/s²)")
    note = f"Open-loop torques of inverse dynamics, fourth-order steps of {h:g} s, `one-wong`."
    return Exhibit(identifier, title, heads, [line], compute, note, draw)


def torques_of(identifier: str, robot: str, period: float, h: float) -> Exhibit:
    """The torques of that profile."""

    def curves() -> tuple[Array, Mapping[str, Array]]:
        moved = followed(robot, f"cycloid:{period:g}", h).moved
        return moved.t[:-1], {"torque": moved.tau[:-1]}

    title = f"Torques of inverse dynamics, {robot}"
    return torque_figure(identifier, title, lambda: load_robot(robot), curves, inverse_note(robot))


def draw_error_curves(
    robot: str, spec: str, h: float, title: str, path: Path, printed: Sequence[float] | None = None
) -> None:
    """Wanted less actual of joint 6, and the largest in print, if it is."""
    from meshsim.experiments.figures.motion import draw_by_joint

    run = followed(robot, spec, h)
    errors = np.stack([run.errors(what)[:, 5] for what in ("q", "qd", "qdd")], axis=1)
    curves = [("joint 6", errors)]
    if printed is not None:
        curves.append(("largest in print", np.broadcast_to(np.array(printed), errors.shape)))
    units = ("deg", "deg/s", "deg/s²")
    draw_by_joint(("angle", "rate", "acceleration"), run.moved.t, curves, units, "error", title, path)


def extreme(values: Array) -> float:
    """The value of largest size, with its sign."""
    known = values[np.isfinite(values)]
    return float(known[np.abs(known).argmax()])
