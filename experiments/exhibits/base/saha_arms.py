"""Saha's two arms: what the paper prints of them and what it means, their torques along a profile and their falls."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from meshsim.algorithms.motion.cycloid import Profile, cycloid
from meshsim.algorithms.motion.motion import Moved
from meshsim.algorithms.motion.profiles import load_profile
from meshsim.algorithms.motion.written import computed
from meshsim.algorithms.robots.catalogue import load_robot
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.state import State
from meshsim.algorithms.schemes.catalogue import load_scheme
from meshsim.algorithms.types.arrays import Array
from meshsim.experiments.exhibits.base.exhibit import Appendix, Exhibit, Judgement, number
from meshsim.experiments.exhibits.base.motions import drawn_only, torque_figure
from meshsim.simulation import NOWHERE


@dataclass(frozen=True)
class Case:
    """One reading of the paper's data: a robot, and where eqs 22 and 23 start and end."""

    robot: str
    start: tuple[float, ...]
    end: tuple[float, ...]

    @property
    def mechanism(self) -> Mechanism:
        """The robot."""
        return load_robot(self.robot)

    @property
    def profile(self) -> Profile:
        """Saha's eqs 22 and 23, with T = 10 s."""
        return cycloid(list(self.start), list(self.end), 10.0)


_ZEROS, _HALF_TURN = (0.0,) * 6, (np.pi,) * 6
_REACHED = (np.pi / 3, np.pi / 3, 0.1, np.pi / 3, np.pi / 3, np.pi / 3)
PUMA = {
    "Table 3, m_2 and b_6 corrected": Case("saha-puma", _ZEROS, _HALF_TURN),
    "Table 3 as printed": Case("saha-puma:printed", _ZEROS, _HALF_TURN),
}
"""m_2 = 15.781 kg and b_6 = 0.056 m make it the PUMA 600 of the thesis; printed are 15.761 and 0.05."""
STANFORD = {
    "theta_2(0) = pi/2, as in sec. 2.5.2": Case("stanford", (0.0, np.pi / 2, 0.0, 0.0, 0.0, 0.0), _REACHED),
    "theta_2(0) = 0, as in Table 4": Case("stanford", _ZEROS, _REACHED),
}
"""The text and the table differ in where joint 2 starts."""
Cases = Mapping[str, Case]
"""Readings by name, the one that is meant first."""


@cache
def torques(case: Case) -> tuple[Array, Array]:
    """Times, and torques along the profile by the paper's inverse dynamics."""  # Saha sec. 2.4.1
    inversion, profile = load_scheme("one-saha").inversion(case.mechanism), case.profile
    times = np.linspace(0.0, 10.0, 201)
    return times, np.array([inversion.plan(*profile(t)).run(NOWHERE, trace=False).value for t in times])


@cache
def fall(case: Case, seconds: float = 1.0) -> Moved:
    """Free fall from rest, by the paper's forward dynamics."""
    mechanism, start = case.mechanism, State(case.start, _ZEROS, _ZEROS)
    motion = load_profile("free", mechanism).motion(mechanism, 0.001, start=start, duration=seconds)
    return computed(load_scheme("one-saha").evaluation(mechanism), motion)


def _curves(cases: Cases) -> Callable[[], tuple[Array, Mapping[str, Array]]]:
    def curves() -> tuple[Array, Mapping[str, Array]]:
        found = {name: torques(case) for name, case in cases.items()}
        times = next(iter(found.values()))[0]
        return times, {name: values for name, (_, values) in found.items()}

    return curves


def inverse_figure(identifier: str, arm: str, cases: Cases) -> Exhibit:
    """Torques along the profile, a curve for each reading."""
    title = f"Joint torques of the {arm} along eqs 22 and 23"
    note = (
        "By the paper's inverse dynamics (`one-saha`: the recursions of sec. 2.4.1, with A_{i,i-1} where the forward "
        "one lacks it) along the profile; the torques agree with independent numbers to 1e-8."
    )
    return torque_figure(identifier, title, lambda: next(iter(cases.values())).mechanism, _curves(cases), note)


def fall_figure(identifier: str, arm: str, cases: Cases) -> Exhibit:
    """Free fall, a curve for each reading, with the end values in a table."""
    title = f"Free fall of the {arm}"

    def draw(_: Judgement, path: Path) -> None:
        from meshsim.experiments.figures.motion import draw_by_joint, units_of

        falls = {name: fall(case) for name, case in cases.items()}
        mechanism = next(iter(cases.values())).mechanism
        factors, units, _forces = units_of(mechanism)
        curves = [(name, moved.q * factors) for name, moved in falls.items()]
        times = next(iter(falls.values())).t
        draw_by_joint(mechanism.joints, times, curves, units, "position", title, path)

    def appendix() -> Appendix:
        rows = [
            (name, joint, number(moved.q[-1, i]), number(moved.qd[-1, i]))
            for name, case in cases.items()
            for moved in [fall(case)]
            for i, joint in enumerate(case.mechanism.joints)
        ]
        return Appendix("After a second, in rad and m", ("data", "joint", "position", "rate"), rows)

    line = drawn_only("curves of positions")
    note = (
        "By the paper's forward dynamics (`one-saha`: eqs 17 to 21, slips corrected), from rest, in fourth-order steps "
        "of 0.001 s; the paper's rule is of order 5/6. The positions agree with independent numbers to 1e-7."
    )
    return Exhibit(identifier, title, ("value",), [line], lambda: {line.label: [None]}, note, draw, appendix)
