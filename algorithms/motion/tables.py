"""Tables that drive a robot: torques by time, or a motion, which is positions, rates and accelerations by time."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO
from itertools import pairwise

import numpy as np

from meshsim.algorithms.motion.cycloid import Profile
from meshsim.algorithms.robots.closure import loops, worst
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.state import TYPED
from meshsim.algorithms.types.arrays import Array
from meshsim.errors import MeshSimError
from meshsim.reading import numbers_in, read_text

MOST_BYTES = 100_000_000
"""Of a table."""
PARTS = ("q", "qd", "qdd")
"""What a motion has of each joint: `q_JOINT` and so on are the columns of its table."""

Rows = list[list[str]]


def csv_rows(path: str) -> Rows:
    """The rows of a CSV file that are not empty; the first is the header, which may be empty."""
    stream = StringIO(read_text(path, "profile", MOST_BYTES), newline="")
    try:
        return [row for row in csv.reader(stream) if row] or [[]]
    except csv.Error as error:
        raise MeshSimError(f"profile must be CSV, not text that fails with: {error}") from None


def columns_of(rows: Rows) -> dict[str, Array]:
    """The columns by name, t increasing."""
    header, *lines = rows
    if not lines:
        raise MeshSimError("there must be rows below the header, not none")
    found = []
    for row, words in enumerate(lines, start=1):
        if len(words) != len(header):
            raise MeshSimError(
                f"row {row} must have {len(header)} numbers, as the header has columns, not {len(words)}"
            )
        found.append(numbers_in(words))
        if not found[-1]:
            name, word = next(pair for pair in zip(header, words, strict=True) if not numbers_in(pair[1:]))
            raise MeshSimError(f"{name} of row {row} must be a finite number, not {word!r}")
    table = dict(zip(header, np.array(found).T, strict=True))
    for row, (before, t) in enumerate(pairwise(table["t"].tolist()), start=2):
        if t <= before:
            raise MeshSimError(f"t must increase, and row {row} has {t:g} after {before:g}")
    return table


# Motions


def column(part: str, joint: str) -> str:
    """What a column of a motion is called."""
    return f"{part}_{joint}"


def is_motion(header: Sequence[str], mechanism: Mechanism) -> bool:
    """Whether a table has columns of a motion; else it is one of torques, if any."""
    return any(column(part, joint) in header for part in PARTS for joint in mechanism.joints)


@dataclass(frozen=True, eq=False)
class MotionTable:
    """A motion of some joints, by their places in a state; q, qd and qdd have a row for each time.

    Between its rows it is the polynomial of degree five through their q, qd and qdd, so that rates and accelerations
    are its derivatives; before the first row and after the last these hold.
    """

    joints: tuple[int, ...]
    times: Array
    q: Array
    qd: Array
    qdd: Array

    def __call__(self, t: float) -> tuple[Array, Array, Array]:
        """Positions, rates and accelerations at a time."""
        after = int(np.searchsorted(self.times, t))
        if after == len(self.times) or self.times[after] == t or after == 0:
            row = min(after, len(self.times) - 1)
            return self.q[row], self.qd[row], self.qdd[row]
        return self._between(after - 1, t)

    def _between(self, i: int, t: float) -> tuple[Array, Array, Array]:
        """The polynomial from row i to the next, in s from 0 to 1."""
        h = self.times[i + 1] - self.times[i]
        s = (t - self.times[i]) / h
        a, b, c = self.q[i], h * self.qd[i], h**2 * self.qdd[i] / 2.0
        p, v, w = self.q[i + 1] - a - b - c, h * self.qd[i + 1] - b - 2.0 * c, h**2 * self.qdd[i + 1] / 2.0 - c
        d, e, f = 10.0 * p - 4.0 * v + w, -15.0 * p + 7.0 * v - 2.0 * w, 6.0 * p - 3.0 * v + w
        q = a + s * (b + s * (c + s * (d + s * (e + s * f))))
        qd = (b + s * (2.0 * c + s * (3.0 * d + s * (4.0 * e + s * 5.0 * f)))) / h
        qdd = (2.0 * c + s * (6.0 * d + s * (12.0 * e + s * 20.0 * f))) / h**2
        return q, qd, qdd

    @property
    def profile(self) -> Profile:
        """The same as a profile."""
        return Profile(
            q=lambda t: self(t)[0],
            qd=lambda t: self(t)[1],
            qdd=lambda t: self(t)[2],
            period=float(self.times[-1]),
            times=self.times,
        )

    def of(self, joints: Sequence[int]) -> "MotionTable":
        """That of some of its joints."""
        place = [self.joints.index(joint) for joint in joints]
        return MotionTable(tuple(joints), self.times, self.q[:, place], self.qd[:, place], self.qdd[:, place])


def motion_table(rows: Rows, mechanism: Mechanism) -> MotionTable:
    """The motion that a table holds: of all joints; with loops of the actuated ones, or of all, which is checked."""
    header = rows[0]
    joints = _joints(header, mechanism)
    table = columns_of(rows)
    if table["t"][0] != 0.0:
        raise MeshSimError(f"t must begin at 0, not at {table['t'][0]:g}")
    q, qd, qdd = (np.array([table[column(part, mechanism.joints[j])] for j in joints]).T for part in PARTS)
    motion = MotionTable(joints, table["t"], q, qd, qdd)
    if mechanism.cuts and len(joints) == mechanism.n:
        check_closure(mechanism, motion)
    return motion


def _joints(header: Sequence[str], mechanism: Mechanism) -> tuple[int, ...]:
    """Of which joints a table is, whose columns are checked."""
    every = tuple(range(len(mechanism.joints)))
    known = {column(part, mechanism.joints[j]): j for part in PARTS for j in every}
    for name in header:
        if name != "t" and name not in known:
            names = ", ".join(mechanism.joints)
            raise MeshSimError(f"a column must be t, or q_, qd_ or qdd_ and a joint ({names}), not {name!r}")
    if len(set(header)) < len(header):
        raise MeshSimError(f"columns must have names of their own, not {header!r}")
    given = {known[name] for name in header if name != "t"}
    some = mechanism.actuated if mechanism.cuts and given <= set(mechanism.actuated) else every
    for name in ("t", *(column(part, mechanism.joints[j]) for j in some for part in PARTS)):
        if name not in header:
            one = f", or of the actuated joints alone ({_names(mechanism)})" if mechanism.cuts else ""
            raise MeshSimError(f"there must be columns t, and q_, qd_ and qdd_ of all joints{one}; {name!r} is missing")
    return some


def _names(mechanism: Mechanism) -> str:
    return ", ".join(mechanism.joints[j] for j in mechanism.actuated)


def check_closure(mechanism: Mechanism, motion: MotionTable) -> None:
    """Refuse a motion of all joints in which loops open."""
    for t, q, qd, qdd in zip(motion.times, motion.q, motion.qd, motion.qdd, strict=True):
        now = loops(mechanism, q, qd)
        for what, per, opening, values in (
            ("positions", "", now.c, q),
            ("rates", "/s", now.A @ qd, qd),
            ("accelerations", "/s^2", now.A @ qdd + now.bias, qdd),
        ):
            if not np.abs(opening).max() <= TYPED * max(1.0, float(np.abs(values).max())):
                cut, size = worst(mechanism, now, opening, per)
                raise MeshSimError(
                    f"the loops of {mechanism.name} must be closed all the time; at t = {t:g} s the {what} open that "
                    f"through {cut!r} by {size}"
                )
