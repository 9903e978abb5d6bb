"""The motions behind the exhibits, each computed once: numbers from the machine's arithmetic, written out."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from meshsim.algorithms.motion.cycloid import Profile
from meshsim.algorithms.motion.excavator_control import ExcavatorControl, Memory, end_effector
from meshsim.algorithms.motion.motion import Moved
from meshsim.algorithms.motion.profiles import Driving, load_profile
from meshsim.algorithms.motion.written import computed
from meshsim.algorithms.robots.catalogue import load_robot
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.schemes.catalogue import load_scheme
from meshsim.algorithms.types.arrays import Array
from meshsim.counted import Uncounted
from meshsim.experiments.exhibits.base.exhibit import Appendix, Exhibit, Judgement, Line, number

LOST = 1.0
"""A joint this far from its profile, in rad, has lost it."""


def _move(
    mechanism: Mechanism,
    driving: Driving,
    h: float,
    duration: float | None = None,
    scheme: str = "one-wong",
    **options: str,
) -> Moved:
    return computed(load_scheme(scheme).evaluation(mechanism, **options), driving.motion(mechanism, h, duration))


@dataclass(frozen=True, eq=False)
class Followed:
    """A robot that was driven along a profile."""

    mechanism: Mechanism
    profile: Profile
    moved: Moved

    def wanted(self, what: str) -> Array:
        """What was wanted of every joint: q, qd or qdd."""
        return np.array([getattr(self.profile, what)(t) for t in self.moved.t])

    def errors(self, what: str) -> Array:
        """Wanted less actual, in degrees."""
        actual: Array = getattr(self.moved, what)
        return np.degrees(self.wanted(what) - actual)


@cache
def followed(robot: str, profile: str, h: float, duration: float | None = None) -> Followed:
    """A robot under the torques of inverse dynamics, whatever it does; the profile's duration unless told."""
    mechanism = load_robot(robot)
    driving = load_profile(profile, mechanism)
    assert isinstance(driving.wanted, Profile)
    return Followed(mechanism, driving.wanted, _move(mechanism, driving, h, duration))


def first_loss(run: Followed, limit: float = LOST) -> float | None:
    """When a joint first is further from its profile than a limit, in rad, or None."""
    lost = np.abs(np.radians(run.errors("q"))).max(axis=1) > limit
    return float(run.moved.t[lost.argmax()]) if lost.any() else None


# The excavator


@dataclass(frozen=True, eq=False)
class Dug:
    """The excavator under joystick control: what it did, and what the control transputer wanted and asked for.

    Arrays have a row for each step's end, and a column for each joint.
    """

    moved: Moved
    wanted: Array
    wanted_rates: Array
    voltages: Array

    @property
    def t(self) -> Array:
        """When the steps end."""
        return self.moved.t[1:]

    @property
    def q(self) -> Array:
        """Angles at the steps' ends."""
        return self.moved.q[1:]

    @property
    def qd(self) -> Array:
        """Rates at the steps' ends."""
        return self.moved.qd[1:]

    @property
    def spools(self) -> Array:
        """Openings that were set at the steps' ends."""
        assert self.moved.commands is not None
        return self.moved.commands[1:]

    def window(self, first: float, last: float) -> Any:
        """Which rows lie between two times."""
        return (self.t > first - 1e-9) & (self.t < last + 1e-9)

    def places(self, q: Array) -> Array:
        """Radius, height and bucket angle of each row of angles."""
        return np.array([end_effector(row) for row in q])


@cache
def dug(mode: str) -> Dug:
    """The excavator in JOINT or RESOLVED mode, on the mesh as the thesis's first implementation had it."""
    mechanism = load_robot("excavator")
    moved = _move(mechanism, load_profile(f"excavator:{mode}", mechanism), 0.01, scheme="wong-mesh", rho="recompute")
    control = ExcavatorControl(mode, 0.01)
    memory: Memory | None = None
    notes = []
    for q in moved.q[1:]:
        memory, _ = control.command(Uncounted(), memory, q.tolist())  # type: ignore[arg-type]
        notes.append((memory.wanted, memory.wanted_rates, memory.voltages))
    wanted, rates, voltages = (np.array(column) for column in zip(*notes, strict=True))
    return Dug(moved, wanted, rates, voltages)


# Parts of exhibits

NOT_IN_TEXT = "the curves are in the figure alone, and no number of them is in the text"


def drawn_only(curves: str, more: str = "", columns: int = 1) -> Line:
    """The line of a figure whose values are nowhere in the text; `more` is what else stands in the way."""
    return Line(curves, (None,) * columns, not_comparable=NOT_IN_TEXT + (f"; {more}" if more else ""))


def torque_figure(
    identifier: str,
    title: str,
    robot: Callable[[], Mechanism],
    curves: Callable[[], tuple[Array, Mapping[str, Array]]],
    note: str,
) -> Exhibit:
    """Torque curves, times and one or more by name: drawn, and their extremes told beside."""

    def draw(_: Judgement, path: Path) -> None:
        from meshsim.experiments.figures.motion import draw_by_joint, units_of

        times, drawn = curves()
        mechanism = robot()
        draw_by_joint(mechanism.joints, times, list(drawn.items()), units_of(mechanism)[2], "torque", title, path)

    def appendix() -> Appendix:
        times, drawn = curves()
        rows = []
        for name, values in drawn.items():
            for i, joint in enumerate(robot().joints):
                low, high = values[:, i].argmin(), values[:, i].argmax()
                ends = values[low, i], times[low], values[high, i], times[high]
                rows.append((name, joint, *(number(float(each)) for each in ends)))
        header = ("curve", "joint", "least", "at (s)", "largest", "at (s)")
        return Appendix("Extremes of the computed curves", header, rows)

    line = drawn_only("torque curves")
    return Exhibit(identifier, title, ("value",), [line], lambda: {line.label: [None]}, note, draw, appendix)


def inverse_note(robot: str) -> str:
    """How the torques of a profile were found."""
    return f"Torques by inverse dynamics of `{robot}` along the profile; they agree with independent numbers to 1e-8."
