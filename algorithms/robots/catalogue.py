"""Robots by name: those of the thesis and of Saha's paper, random chains, URDF and MJCF files, and robot files."""

import math
import os.path
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from meshsim.algorithms.robots.benchmarks import family_of, is_family
from meshsim.algorithms.robots.body import Body, rotation_x
from meshsim.algorithms.robots.linkages import FIVE_BAR, LINKAGES, five_bar_of
from meshsim.algorithms.robots.mechanism import Mechanism, Unweighed
from meshsim.algorithms.robots.reduced import reduced_by, split_text
from meshsim.algorithms.robots.stewart import stewart
from meshsim.algorithms.robots.toml_file import read_robot
from meshsim.algorithms.robots.xml_file import BEFORE, read_xml, split
from meshsim.algorithms.types.splitmix import SplitMix64, check_spec, parse_spec
from meshsim.algorithms.types.vectors import Matrix, Vector
from meshsim.catalogue import Catalogue, gives, in_file
from meshsim.errors import MeshSimError

CHAIN = "chain:"
_ZERO: Vector = (0.0, 0.0, 0.0)


def puma600() -> Mechanism:
    """PUMA 600, six joints (Wong Table 3.4 and eqs. 3.41, 3.42)."""
    return _thesis_robot(
        "puma600",
        parents=range(-1, 5),
        joints=("joint1", "joint2", "joint3", "joint4", "joint5", "joint6"),
        twists=(0, -90, 0, 90, -90, 90),  # Wong Table 3.4
        masses=(10.521, 15.781, 8.767, 1.052, 1.052, 0.351),  # Wong eq. 3.41
        k=(
            (0, 0.054, 0),
            (-0.14, 0, 0),
            (0, 0.197, 0),
            (0, 0, 0.057),
            (0, 0.007, 0),
            (0, 0, 0.019),
        ),
        l=(_ZERO, (0, 0.203, 0), (0.292, 0, 0), (0.02, -0.235, 0), (0, 0, 0.057), (0, -0.049, 0)),
        moments=(  # Wong eq. 3.42
            (1.6120, 0.5091, 1.6120),
            (0.4898, 8.0783, 8.2672),
            (3.3768, 0.3009, 3.3768),
            (0.1810, 0.1810, 0.1273),
            (0.0735, 0.0735, 0.1273),
            (0.0071, 0.0071, 0.0141),
        ),
    )


def excavator() -> Mechanism:
    """Caterpillar 215B excavator, four joints (Wong sec. 5.2)."""
    return _thesis_robot(
        "excavator",
        parents=range(-1, 3),
        joints=("cab", "boom", "stick", "bucket"),
        twists=(0, 90, 0, 0),
        masses=(8031, 1830, 688, 512),
        k=((-1.05, 0.04, -0.5), (-2.3, -0.2, 0), (-0.9, -0.1, 0), (-0.5, -0.5, 0)),
        l=(_ZERO, (0.35, -0.12, 0.5), (2.9, -0.2, 0), (0.9, -0.1, 0)),
        moments=((8000, 8000, 15700), (100, 15400, 15400), (10, 600, 600), (130, 130, 130)),
    )


def torso(variant: str = "") -> Mechanism:
    """Human torso, six joints on three branches (Wong sec. 3.5.2).

    Parameters
    ----------
    variant : str
        Empty for the moments as printed; ``l6`` with the forearm's own length in J_6; ``axes`` with the small moments
        of J_1, J_5 and J_6 about the bodies' long axes besides.
    """
    upper, lower = _rod(2.8, 0.45), _rod(1.4, 0.4)
    along_y = [(across, along, across) for along, across in (upper, lower)]
    along_x = [(along, across, across) for along, across in (upper, _rod(1.4, 0.4 if variant == "l6" else 0.45))]
    return _thesis_robot(
        f"torso:{variant}" if variant else "torso",
        parents=(-1, 0, 0, 2, 0, 4),  # Wong eq. 3.48
        joints=("trunk", "head", "upper_arm_1", "lower_arm_1", "upper_arm_2", "lower_arm_2"),
        twists=(0, -90, 90, 0, -90, 0),  # Wong eq. 3.47
        masses=(41.0, 5.0, 2.8, 1.4, 2.8, 1.4),  # Wong eq. 3.45
        k=((0, 0, -0.42), (0, 0.12, 0), (0, 0.2, 0), (0, 0.2, 0), (0, -0.2, 0), (0, -0.2, 0)),
        l=(_ZERO, (0, 0, 0.242), (0.15, 0, 0.15), (0, -0.25, 0), (-0.15, 0, 0.15), (0, 0.25, 0)),
        moments=(
            (2.7, 2.7, 0.4) if variant == "axes" else (2.7, 0.4, 2.7),
            (2 * 5.0 * 0.12**2 / 5,) * 3,  # a sphere
            *along_y,
            *(along_y if variant == "axes" else along_x),
        ),
    )


def saha_puma(printed: bool = False) -> Mechanism:
    """PUMA of Saha's Table 3: as `printed`, or with the m_2 and b_6 that make it the thesis's PUMA 600."""
    return _saha_arm(
        "saha-puma:printed" if printed else "saha-puma",
        kinds="rrrrrr",
        a=(0, 0.432, 0.02, 0, 0, 0),
        b=(0, 0.149, 0, 0.432, 0, 0.05 if printed else 0.056),
        alpha=(-90, 0, -90, -90, -90, 0),
        masses=(10.521, 15.761 if printed else 15.781, 8.767, 1.052, 1.052, 0.351),
        r=((0, 0, 0.054), (0.292, 0, 0), (0.02, 0, -0.197), (0, -0.057, 0), (0, 0, -0.007), (0, 0, 0.019)),
        moments=(
            (1.612, 1.612, 0.5091),
            (0.4898, 8.0783, 8.2672),
            (3.3768, 3.3768, 0.3009),
            (0.181, 0.1273, 0.181),
            (0.0735, 0.1273, 0.0735),
            (0.0071, 0.0071, 0.0141),
        ),
    )


def stanford() -> Mechanism:
    """Stanford arm of Saha's Table 4: joint 3 is prismatic."""
    return _saha_arm(
        "stanford",
        kinds="rrprrr",
        a=(0, 0, 0, 0, 0, 0),
        b=(0.1, 0.1, 0, 0.6, 0, 0),
        alpha=(-90, -90, 0, 90, -90, 0),
        masses=(9, 6, 4, 1, 0.6, 0.5),
        r=((0, -0.1, 0), _ZERO, _ZERO, (0, -0.1, 0), (0, 0, -0.06), (0, 0, 0.2)),
        moments=(
            (0.01, 0.02, 0.01),
            (0.05, 0.06, 0.01),
            (0.4, 0.4, 0.01),
            (0.001, 0.001, 0.0005),
            (0.0005, 0.0005, 0.0002),
            (0.003, 0.001, 0.002),
        ),
    )


def chain(n: int, seed: int) -> Mechanism:
    """Random chain of `n` revolute joints, the same for the same seed everywhere.

    Parameters
    ----------
    n : int
        Number of bodies, at least 1.
    seed : int
        Seed of the `SplitMix64` generator, from 0 to 2**64 - 1.

    Returns
    -------
    Mechanism
        A chain in twist form, named ``chain:n:seed``.
    """
    check_spec("chain", n, seed)
    random = SplitMix64(seed)
    return Mechanism(f"chain:{n}:{seed}", tuple(_random_body(i, random) for i in range(n)))


def _robot(thing: object) -> Callable[[], Mechanism] | None:
    """What makes a robot: a function, or a robot itself."""
    if isinstance(thing, Mechanism):
        return lambda: thing
    return thing if callable(thing) else None


def _is_robot(thing: object) -> bool:
    return isinstance(thing, Mechanism) or gives(thing, Mechanism)


_BUILT_IN: dict[str, Callable[[], Mechanism]] = {
    "puma600": puma600,
    "excavator": excavator,
    "torso": torso,
    "torso:l6": partial(torso, "l6"),
    "torso:axes": partial(torso, "axes"),
    "saha-puma": saha_puma,
    "saha-puma:printed": partial(saha_puma, printed=True),
    "stanford": stanford,
    **LINKAGES,
    "stewart": stewart,
}
ROBOTS = Catalogue("robot", _BUILT_IN, _robot, _is_robot)


def load_robot(text: str) -> Mechanism:
    """Return the robot that a user's text names.

    Parameters
    ----------
    text : str
        A name in `ROBOTS`, ``chain:N:SEED`` for a random chain, ``straight:N``, ``coil:N`` (perhaps with ``:thin``) or
        ``dill:N`` for a system of the literature, ``five-bar:METRES`` with perhaps ``:up`` or ``:down``, the path of a
        URDF file (after ``floating:`` if its root link floats) or of an MJCF file (after ``armature:`` if its joints
        are to have their armature), the path of a robot file (``.toml``), the name of a robot that is registered or
        installed, or ``file.py:NAME``, a robot or a function that makes one.
        Behind any of them may stand what is locked or dropped of it, as in ``@lock:elbow=0.5;wrist=0@drop:finger``.

    Returns
    -------
    Mechanism
        The robot. One with loops can be assembled, has no redundant constraints there, and its actuated joints
        determine its motion.
    """
    whole, changes = split_text(text)
    return reduced_by(_whole(whole, Unweighed), changes) if changes else _whole(text, Mechanism)


def _whole(text: str, kind: type[Mechanism]) -> Mechanism:
    """What a text without changes names; a file is read as a mechanism of some kind."""
    if text in ROBOTS.built_in:
        return ROBOTS[text]()
    if text.startswith(CHAIN):
        return chain(*parse_spec("chain", "chain", text))
    if is_family(text):
        return family_of(text)
    if text.startswith(FIVE_BAR):
        return five_bar_of(text)
    path = robot_path(text)
    if path is None:
        return _added_robot(text)
    before, _ = split(text)
    if not before:
        return read_robot(path, kind) if path.endswith(".toml") else read_xml(path, kind=kind)
    if path.endswith(".toml"):
        raise MeshSimError(
            f"{before} must stand before the path of {BEFORE[before]} file, not {path!r}: a TOML file says it"
        )
    if path in ROBOTS or not os.path.isfile(path):
        raise MeshSimError(f"{before} must stand before the path of {BEFORE[before]} file that is there, not {path!r}")
    return read_xml(path, before, kind)


def _added_robot(text: str) -> Mechanism:
    """A robot that is not built in, by its name or as `file.py:NAME`."""
    make = ROBOTS.find(text)
    if make is None:
        raise MeshSimError(
            f"robot must be one of {ROBOTS.names}, chain:N:SEED, straight:N, coil:N, dill:N or the path of a URDF, "
            f"MJCF or TOML file, not {text!r}"
        )
    robot = make()
    if not isinstance(robot, Mechanism):
        raise MeshSimError(f"{text} must make a robot (a Mechanism), not {type(robot).__name__}")
    return robot


def is_random_chain(text: str) -> bool:
    """Whether a text names a whole random chain, whose number of joints tells all that matters."""
    return text.startswith(CHAIN) and not split_text(text)[1]


def robot_path(text: str) -> str | None:
    """The path of the file that a user's text names, or None if it names no file."""
    text = split_text(text)[0]
    if text in ROBOTS or text.startswith((CHAIN, FIVE_BAR)) or is_family(text) or in_file(text):
        return None
    _, path = split(text)
    is_file = text != path or path.endswith((".urdf", ".xml", ".toml")) or os.path.isfile(path)
    return path if is_file else None


def _thesis_robot(
    name: str,
    parents: Sequence[int],
    joints: Sequence[str],
    twists: Sequence[float],
    masses: Sequence[float],
    k: Sequence[Vector],
    l: Sequence[Vector],  # noqa: E741 -- the thesis's name
    moments: Sequence[Vector],
) -> Mechanism:
    """Robot from the thesis's quantities: twists in degrees, k, the l that leads to each hinge, principal moments."""
    bodies = []
    for i, (joint, parent) in enumerate(zip(joints, parents, strict=True)):
        twist = math.radians(twists[i])
        bodies.append(
            Body(
                name=f"link{i + 1}",
                joint=joint,
                kind="revolute",
                parent=parent,
                rotation=rotation_x(twist),
                position=_subtract(l[i], k[parent]) if parent >= 0 else _ZERO,
                mass=float(masses[i]),
                com=_subtract(_ZERO, k[i]),
                inertia=_diagonal(moments[i]),
                twist=twist,
            )
        )
    return Mechanism(name, tuple(bodies))


def _saha_arm(
    name: str,
    kinds: str,
    a: Sequence[float],
    b: Sequence[float],
    alpha: Sequence[float],
    masses: Sequence[float],
    r: Sequence[Vector],
    moments: Sequence[Vector],
) -> Mechanism:
    """Chain from Saha's quantities: frame i+1, in which r_i and I_i are given, is fixed at the end of body i."""
    bodies: list[Body] = []
    inward, position = 0.0, _ZERO  # of the frame that carries the next joint, in the body before it
    for i, kind in enumerate(kinds):
        outward, end = math.radians(alpha[i]), (float(a[i]), 0.0, float(b[i]))
        turn = np.array(rotation_x(outward))
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = (turn @ np.diag(moments[i]) @ turn.T).tolist()
        x, y, z = (np.array(end) - turn @ r[i]).tolist()
        bodies.append(
            Body(
                name=f"link{i + 1}",
                joint=f"joint{i + 1}",
                kind="prismatic" if kind == "p" else "revolute",
                parent=i - 1,
                rotation=rotation_x(inward),
                position=position,
                mass=float(masses[i]),
                com=(x, y, z),
                inertia=((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)),
                twist=inward,
            )
        )
        inward, position = outward, end
    return Mechanism(name, tuple(bodies))


def _random_body(i: int, random: SplitMix64) -> Body:
    """Next body of a random chain; the order of the draws is part of the definition."""
    alpha = random.uniform(-math.pi, math.pi)
    a = random.uniform(-0.5, 0.5)
    b = random.uniform(-0.5, 0.5)
    mass = random.uniform(0.5, 5.0)
    com = (random.uniform(-0.3, 0.3), random.uniform(-0.3, 0.3), random.uniform(-0.3, 0.3))
    return Body(
        name=f"link{i + 1}",
        joint=f"joint{i + 1}",
        kind="revolute",
        parent=i - 1,
        rotation=rotation_x(alpha),
        position=(a, -b * math.sin(alpha), b * math.cos(alpha)) if i > 0 else _ZERO,
        mass=mass,
        com=com,
        inertia=_random_inertia(mass, random),
        twist=alpha,
    )


def _random_inertia(mass: float, random: SplitMix64) -> Matrix:
    """Inertia of a body whose mass is spread with the covariance S = B B^T + 0.005, hence always possible."""
    B = [[random.uniform(-0.3, 0.3) for _ in range(3)] for _ in range(3)]
    S = [[sum(B[i][k] * B[j][k] for k in range(3)) for j in range(3)] for i in range(3)]
    for i in range(3):
        S[i][i] += 0.005
    trace = S[0][0] + S[1][1] + S[2][2]
    xx, yy, zz = (mass * (trace - S[i][i]) for i in range(3))
    xy, xz, yz = -mass * S[0][1], -mass * S[0][2], -mass * S[1][2]
    return ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))


def _rod(mass: float, length: float) -> tuple[float, float]:
    """Moments of an arm of the torso along and across it: a cylinder of radius 0.05."""  # Wong eq. 3.46
    return mass * 0.05**2 / 2, mass * (0.05**2 / 4 + length**2 / 12)


def _subtract(a: Vector, b: Vector) -> Vector:
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def _diagonal(moments: Vector) -> Matrix:
    xx, yy, zz = moments
    return ((float(xx), 0.0, 0.0), (0.0, float(yy), 0.0), (0.0, 0.0, float(zz)))
