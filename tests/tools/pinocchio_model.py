"""The independent library: Pinocchio's dynamics of our mechanisms."""

import numpy as np
import pinocchio as pin

from meshsim.algorithms.reference.dense import Dynamics

X, Y, Z = np.eye(3)


def build_model(mechanism):
    """Pinocchio model of any tree: a joint of its own, about or along z, for every body."""
    model = pin.Model()
    model.gravity.linear = np.array(mechanism.gravity)
    for body in mechanism.bodies:
        placement = pin.SE3(np.array(body.rotation), np.array(body.position))
        kind = pin.JointModelPZ() if body.kind == "prismatic" else pin.JointModelRZ()
        joint = model.addJoint(body.parent + 1, kind, placement, body.joint)
        inertia = pin.Inertia(body.mass, np.array(body.com), np.array(body.inertia))
        model.appendBodyToJoint(joint, inertia, pin.SE3.Identity())
    return model


def model_dynamics(model, q, qd, tau):
    """M, h and qdd of a model; the angles `q` may belong to joints that Pinocchio keeps as cosine and sine.

    M comes from RNEA column by column, because CRBA is wrong on trees that are not numbered depth-first; qdd
    comes from ABA, which does not use M.
    """
    configuration = pin.integrate(model, pin.neutral(model), np.array(q))
    qd, tau = np.array(qd), np.array(tau)
    h = pin.rnea(model, model.createData(), configuration, qd, 0 * qd).copy()
    qdd = pin.aba(model, model.createData(), configuration, qd, tau).copy()
    return mass_matrix(model, configuration), h, qdd


def mass_matrix(model, configuration):
    weightless = model.copy()
    weightless.gravity.linear = np.zeros(3)
    data = weightless.createData()
    still = np.zeros(model.nv)
    columns = [pin.rnea(weightless, data, configuration, still, e).copy() for e in np.eye(model.nv)]
    return np.column_stack(columns)


def reference_dynamics(mechanism, state):
    """M, h and qdd of a mechanism in a state."""
    return model_dynamics(build_model(mechanism), state.q, state.qd, state.tau)


def native_model(links, joints, gravity=(0.0, 0.0, -9.81)):
    """Pinocchio model of links and joints as `robots/tree.py` takes them, with joints of Pinocchio's own kinds."""
    model = pin.Model()
    model.gravity.linear = np.array(gravity)
    (root,) = set(links) - {joint.child for joint in joints}
    frames = {root: (0, pin.SE3.Identity())}  # of each link: the joint that carries it, and its frame there
    waiting = list(joints)
    while waiting:
        joint = next(joint for joint in waiting if joint.parent in frames)
        waiting.remove(joint)
        carrier, frame = frames[joint.parent]
        frame = frame * pin.SE3(joint.origin.rotation, joint.origin.position)
        if joint.kind != "fixed":
            carrier = model.addJoint(carrier, _native_joint(joint), frame, joint.name)
            frame = pin.SE3.Identity()
        frames[joint.child] = carrier, frame
        part = links[joint.child]
        if part is not None:
            placed = frame * pin.SE3(part.pose.rotation, part.pose.position)
            model.appendBodyToJoint(carrier, pin.Inertia(part.mass, np.zeros(3), part.inertia), placed)
    return model


def _native_joint(joint):
    if joint.kind == "revolute":
        return pin.JointModelRevoluteUnaligned(joint.axis)
    if joint.kind == "prismatic":
        return pin.JointModelPrismaticUnaligned(joint.axis)
    assert np.array_equal(joint.axis, Z)
    if joint.kind == "cylindrical":
        both = pin.JointModelComposite()
        both.addJoint(pin.JointModelPZ())
        both.addJoint(pin.JointModelRZ())
        return both
    if joint.kind == "universal":
        return pin.JointModelUniversal(Z, Y)
    kinds = {"planar": pin.JointModelPlanar, "spherical": pin.JointModelSpherical, "floating": pin.JointModelFreeFlyer}
    return kinds[joint.kind]()


def native_dynamics(model, mechanism, state, names=None):
    """M, h and qdd of a native model in the coordinates of our mechanism."""
    M, h, (S, bias, configuration, v) = native_forces(model, mechanism.joints, state, names)
    tau = np.linalg.solve(S.T, np.array(state.tau))
    vd = pin.aba(model, model.createData(), configuration, v, tau)
    return Dynamics(M, h, np.linalg.solve(S, vd - bias))


def native_forces(model, joints, state, names=None):
    """M and h of a native model in the coordinates of `joints`, and the map to Pinocchio's.

    With v = S(q) qd, where v are Pinocchio's velocities: M = S^T M S, h = S^T (h + M Sdot qd). `names` maps
    Pinocchio's names of joints to ours where they differ.
    """
    index = {joint: i for i, joint in enumerate(joints)}
    configuration = pin.neutral(model)
    S, bias = np.zeros((model.nv, len(joints))), np.zeros(model.nv)
    for k in range(1, model.njoints):
        joint = model.joints[k]
        ours = (names or {}).get(model.names[k], model.names[k])
        kind = joint.shortname().removeprefix("JointModel")
        which = [index[ours]] if ours in index else [index[f"{ours}.{name}"] for name in _COORDINATES[kind]]
        q, qd = np.array(state.q)[which], np.array(state.qd)[which]
        values, block, rest = _MAPS.get(kind, _same)(joint, q, qd)
        configuration[joint.idx_q : joint.idx_q + joint.nq] = values
        rows = slice(joint.idx_v, joint.idx_v + joint.nv)
        S[rows, which], bias[rows] = block, rest
    v = S @ np.array(state.qd)
    M, h = mass_matrix(model, configuration), pin.rnea(model, model.createData(), configuration, v, bias)
    return S.T @ M @ S, S.T @ h, (S, bias, configuration, v)


_COORDINATES = {
    "Planar": ("x", "y", "rz"),
    "Composite": ("z", "rz"),
    "Universal": ("rz", "ry"),
    "Spherical": ("rz", "ry", "rx"),
    "FreeFlyer": ("x", "y", "z", "rz", "ry", "rx"),
}


def _same(joint, q, qd):
    """Velocities that are rates; a joint that Pinocchio keeps as cosine and sine has one of them."""
    values = [np.cos(q[0]), np.sin(q[0])] if joint.nq == 2 and joint.nv == 1 else q
    return values, np.eye(len(q)), 0 * qd


def _turn(q, qd):
    """Rotation of Rz Ry Rx, the matrix from rates to angular velocity in the body, and Sdot qd."""
    rz, ry, rx = q
    Rz, Ry, Rx = pin.utils.rotate("z", rz), pin.utils.rotate("y", ry), pin.utils.rotate("x", rx)
    about_y, about_z = Rx.T @ Y, Rx.T @ Ry.T @ Z
    dz, dy, dx = qd
    rest = -dy * dx * np.cross(X, about_y) - dz * (Rx.T @ np.cross(Y, Ry.T @ Z) * dy + dx * np.cross(X, about_z))
    return Rz @ Ry @ Rx, np.column_stack((about_z, about_y, X)), rest


def _spherical(_joint, q, qd):
    R, E, rest = _turn(q, qd)
    return pin.Quaternion(R).coeffs(), E, rest


def _floating(_joint, q, qd):
    R, E, rest = _turn(q[3:], qd[3:])
    S = np.zeros((6, 6))
    S[:3, :3], S[3:, 3:] = R.T, E
    linear = -np.cross(E @ qd[3:], R.T @ qd[:3])
    return np.concatenate((q[:3], pin.Quaternion(R).coeffs())), S, np.concatenate((linear, rest))


def _planar(_joint, q, qd):
    c, s = np.cos(q[2]), np.sin(q[2])
    S = np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
    x, y, turn = S @ qd
    return [q[0], q[1], c, s], S, turn * np.array([y, -x, 0.0])


_MAPS = {"Spherical": _spherical, "FreeFlyer": _floating, "Planar": _planar}
