"""Equality constraints of a model of MuJoCo: joints that mimic others, and loops.

MuJoCo holds them by soft forces, which may be redundant; a mechanism by rigid joints, which may not. So two `connect`s
of the same two bodies are one revolute joint. A loop whose joints all turn about parallel axes, in a robot that does
not move in one plane as a whole, gets a joint along these axes, which the loop then holds at 0: without it, the loop
would be held along them twice.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import mujoco
import numpy as np

from meshsim.algorithms.robots.closure import SINGULAR, OpenError, assemble, loops
from meshsim.algorithms.robots.compound import freedoms_of
from meshsim.algorithms.robots.cuts import Anchor, Cut
from meshsim.algorithms.robots.loop_file import check_loops, check_size
from meshsim.algorithms.robots.mechanism import PARALLEL, Mechanism
from meshsim.algorithms.robots.mjcf_left_out import driven_joints
from meshsim.algorithms.robots.mjcf_parts import KINDS, Model, Parts, distinct, name_of, pose_of
from meshsim.algorithms.robots.tree import (
    ORIGIN,
    Inertial,
    Joint,
    Mimic,
    Mount,
    Pose,
    build_with_mounts,
    fixed_at,
    frame_along,
)
from meshsim.algorithms.types.arrays import Array
from meshsim.algorithms.types.vectors import to_matrix, to_vector
from meshsim.errors import MeshSimError

_JOINT, _CONNECT, _WELD = (
    int(each) for each in (mujoco.mjtEq.mjEQ_JOINT, mujoco.mjtEq.mjEQ_CONNECT, mujoco.mjtEq.mjEQ_WELD)
)
_TOUCHING = 1e-9
"""Metres: by how much two distances that should be equal may differ."""


@dataclass(frozen=True, eq=False)
class _Hold:
    """A cut joint to be: its kind, and on which of MuJoCo's bodies it sits where."""

    name: str
    kind: str
    bodies: tuple[int, int]
    poses: tuple[Pose, Pose]


# Joints that mimic others


def tie_joints(parts: Parts) -> None:
    """Let joints mimic others as the file's equality constraints of joints say; one with a constant is fixed."""
    model = parts.model
    where = {joint.name: k for k, joint in enumerate(parts.tree)}
    for i in _active(model):
        if model.eq_type[i] != _JOINT:
            continue
        owner, (constant, factor, *higher) = _owner(model, i), map(float, model.eq_data[i, :5])
        if any(higher):
            raise MeshSimError(f"polycoef of {owner} must be linear, its last three numbers 0, not {higher}")
        follower, leader = int(model.eq_obj1id[i]), int(model.eq_obj2id[i])
        k = where[parts.joints[follower]]
        joint, start = parts.tree[k], float(model.qpos0[model.jnt_qposadr[follower]])
        if joint.mimic is not None or joint.kind == "fixed":
            raise MeshSimError(f"{owner} must be the only one of joint {parts.joints[follower]!r}, and another is")
        if leader < 0:
            parts.tree[k] = fixed_at(joint, start + constant)
            continue
        offset = start + constant - factor * float(model.qpos0[model.jnt_qposadr[leader]])
        parts.tree[k] = replace(joint, mimic=Mimic(parts.joints[leader], factor, offset))


def _active(model: Model) -> list[int]:
    if model.opt.disableflags & int(mujoco.mjtDisableBit.mjDSBL_EQUALITY):
        return []
    return [i for i in range(model.neq) if model.eq_active0[i]]


def _owner(model: Model, i: int) -> str:
    return f"equality constraint {name_of(model, mujoco.mjtObj.mjOBJ_EQUALITY, i) or i!r}"


# Loops


def is_closed(parts: Parts) -> bool:
    """Whether constraints close loops; refuses those that are neither of joints nor of points or frames of bodies."""
    known = {_JOINT: "joint", _CONNECT: "connect", _WELD: "weld"}
    for i in _active(parts.model):
        if parts.model.eq_type[i] not in known:
            kind = mujoco.mjtEq(parts.model.eq_type[i]).name.removeprefix("mjEQ_").lower()
            raise MeshSimError(f"{_owner(parts.model, i)} must be {', '.join(known.values())}, not {kind}")
    return any(parts.model.eq_type[i] != _JOINT for i in _active(parts.model))


def close_loops(parts: Parts, tree: Mechanism, mounts: Mapping[str, Mount]) -> tuple[Mechanism, list[str]]:
    """The tree with its loops, and what to tell of them.

    Actuated are the joints that have actuators. If these do not determine the motion, others are added that do.
    """
    check_size(tree)
    holds = _pairs_as_hinges(_holds(parts.model))
    closed, told = _cut(parts, tree, mounts, holds), list[str]()
    slides = {} if closed.plane is not None else _slides(closed)
    if slides:
        holds = [replace(hold, kind="spherical") if hold.name in slides else hold for hold in holds]
        links, joints = _with_slides(parts, {closed.bodies[hinge].joint for hinge in slides.values()})
        closed = _cut(parts, *build_with_mounts(tree.name, links, joints, tree.gravity, type(tree)), holds)
        added = [joint for joint in closed.joints if joint not in parts.start]
        told.append(f"added along the axes of plane loops, which hold them at 0: {', '.join(map(repr, added))}")
    closed, helpers = _driven(parts, closed)
    if helpers:
        names = ", ".join(map(repr, helpers))
        told.append(f"taken as actuated though without actuators, so that the motion is determined: {names}")
    check_loops(closed, is_driven=True)
    return closed, told


def _holds(model: Model) -> list[_Hold]:
    found: list[_Hold] = []
    for i in _active(model):
        if model.eq_type[i] == _JOINT:
            continue
        data, kind = model.eq_data[i], int(model.eq_type[i])
        given = name_of(model, mujoco.mjtObj.mjOBJ_EQUALITY, i)
        name = given or distinct(f"loop{i}", {hold.name for hold in found})
        ends = int(model.eq_obj1id[i]), int(model.eq_obj2id[i])
        cut = "fixed" if kind == _WELD and data[10] != 0.0 else "spherical"  # a weld without torques holds a point
        if getattr(model, "eq_objtype", [None] * model.neq)[i] == int(mujoco.mjtObj.mjOBJ_SITE):
            bodies = int(model.site_bodyid[ends[0]]), int(model.site_bodyid[ends[1]])
            first, second = (pose_of(model.site_pos[site], model.site_quat[site]) for site in ends)
        elif kind == _WELD:
            bodies, first, second = ends, pose_of(data[3:6], data[6:10]), pose_of(data[:3])
        else:
            bodies, first, second = ends, pose_of(data[:3]), pose_of(data[3:6])
        found.append(_Hold(name, cut, bodies, (first, second)))
    return found


def _pairs_as_hinges(holds: Sequence[_Hold]) -> list[_Hold]:
    """Two points of the same two bodies that are held together are a hinge, whose axis goes through both."""
    found: dict[tuple[int, ...], _Hold] = {}
    others: list[_Hold] = []
    for hold in holds:
        bodies = tuple(sorted(hold.bodies))
        if hold.kind == "spherical" and bodies in found and found[bodies].kind == "spherical":
            found[bodies] = _hinge(found[bodies], hold)
        elif hold.kind == "spherical" and bodies not in found:
            found[bodies] = hold
        else:
            others.append(hold)
    return [*found.values(), *others]


def _hinge(one: _Hold, other: _Hold) -> _Hold:
    poses = other.poses if other.bodies == one.bodies else other.poses[::-1]
    spans = [end.position - start.position for start, end in zip(one.poses, poses, strict=True)]
    lengths = [float(np.linalg.norm(span)) for span in spans]
    if abs(lengths[0] - lengths[1]) > _TOUCHING or min(lengths) < _TOUCHING:
        raise MeshSimError(
            f"the points that {one.name!r} and {other.name!r} hold must be apart, and as far on one body as on the "
            f"other, not {lengths[0]:.9g} m and {lengths[1]:.9g} m"
        )
    first, second = (
        Pose(frame_along(span / length), pose.position)
        for span, length, pose in zip(spans, lengths, one.poses, strict=True)
    )
    return replace(one, kind="revolute", poses=(first, second))


def _cut(parts: Parts, tree: Mechanism, mounts: Mapping[str, Mount], holds: Sequence[_Hold]) -> Mechanism:
    cuts = []
    for hold in holds:
        first, second = (
            _anchor(mounts[parts.bodies[body]], parts.frames[body] @ pose)
            for body, pose in zip(hold.bodies, hold.poses, strict=True)
        )
        if first.body == second.body:
            names = " and ".join(repr(parts.bodies[body]) for body in hold.bodies)
            raise MeshSimError(
                f"equality constraint {hold.name!r} must join two bodies, not {names}, which move as one"
            )
        cuts.append(Cut(hold.name, hold.kind, first, second))
    return tree.closed_by(tuple(cuts), (), tuple(parts.start.get(joint, 0.0) for joint in tree.joints))


def _anchor(mount: Mount, pose: Pose) -> Anchor:
    at = mount.pose @ pose
    return Anchor(mount.body, to_vector(at.position), to_matrix(at.rotation))


# Plane loops in space


def _slides(closed: Mechanism) -> dict[str, int]:
    """Of each cut joint of a plane loop, a hinge of that loop that may slide; one of no other loop, if there is any."""
    paths = {cut.name: _path(closed, cut) for cut in closed.cuts}
    found: dict[str, int] = {}
    for cut in closed.cuts:
        if cut.kind == "fixed" or not _is_flat(closed, cut, paths[cut.name]):
            continue
        hinges = [j for j in paths[cut.name] if closed.bodies[j].kind == "revolute"]
        own = [j for j in hinges if not any(j in path for name, path in paths.items() if name != cut.name)]
        found[cut.name] = (own or hinges)[-1]
    return found


def _path(closed: Mechanism, cut: Cut) -> list[int]:
    """The joints between the two ends of a cut joint."""
    above: list[set[int]] = []
    for anchor in (cut.first, cut.second):
        body, passed = anchor.body, set[int]()
        while body >= 0:
            passed.add(body)
            body = closed.bodies[body].parent
        above.append(passed)
    return sorted(above[0] ^ above[1])


def _is_flat(closed: Mechanism, cut: Cut, path: Sequence[int]) -> bool:
    """Whether what the loop moves keeps to a plane: axes of hinges all alike, and slides across them."""
    rotations = [*closed.rest[0], np.eye(3)]
    normal: Array | None = None
    for j in path:
        if closed.bodies[j].kind == "revolute":
            normal = rotations[j][:, 2]
    if normal is None:
        return False
    along = {"revolute": 1.0, "prismatic": 0.0}
    axes = [(rotations[j][:, 2], along[closed.bodies[j].kind]) for j in path]
    if cut.kind == "revolute":
        axes += [(rotations[end.body] @ np.array(end.rotation)[:, 2], 1.0) for end in (cut.first, cut.second)]
    return all(abs(abs(float(axis @ normal)) - wanted) <= PARALLEL for axis, wanted in axes)


def _with_slides(parts: Parts, hinges: Collection[str]) -> tuple[dict[str, Inertial | None], list[Joint]]:
    """The links and joints, with a joint along the axis of each of these hinges before it."""
    links, joints = dict(parts.links), list[Joint]()
    for joint in parts.tree:
        if joint.name in hinges:
            slide = f"{joint.name}.slide"
            links[slide] = None
            joints.append(Joint(slide, "prismatic", joint.parent, slide, joint.origin, joint.axis))
            joint = replace(joint, parent=slide, origin=ORIGIN)
        joints.append(joint)
    return links, joints


# What is driven


def _driven(parts: Parts, closed: Mechanism) -> tuple[Mechanism, list[str]]:
    """The mechanism with its actuated joints, and those of them that have no actuators."""
    kinds = [KINDS[int(kind)] for kind in parts.model.jnt_type]
    coordinates = [each for i in driven_joints(parts.model) for each in freedoms_of(parts.joints[i], kinds[i])]
    given = [closed.joints.index(each.coordinate) for each in coordinates if each.coordinate in closed.joints]
    closed = replace(closed, actuated=tuple(given))
    try:
        q = assemble(closed, held=())
    except OpenError:
        return closed, []  # which `check_loops` refuses, with the reason
    rows = np.vstack([loops(closed, q, np.zeros(closed.n)).A, np.eye(closed.n)[given]])
    helpers: list[int] = []
    for j, joint in enumerate(closed.joints):
        more = np.vstack([rows, np.eye(closed.n)[j]])
        if joint in parts.start and _rank(more) > _rank(rows):
            rows = more
            helpers.append(j)
    return replace(closed, actuated=(*given, *helpers)), [closed.joints[j] for j in helpers]


def _rank(rows: Array) -> int:
    return int(np.linalg.matrix_rank(rows, 1.0 / SINGULAR))
