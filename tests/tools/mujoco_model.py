"""MuJoCo's own dynamics in the coordinates of our mechanisms, and models as text."""

import numpy as np
import pytest

from meshsim.algorithms.reference.dense import Dynamics
from meshsim.algorithms.robots.catalogue import load_robot

mujoco = pytest.importorskip("mujoco")
mujoco.set_mju_user_warning(lambda _: None)  # so that it writes no file of warnings where tests run

OFF = ("CONTACT", "LIMIT", "FRICTIONLOSS", "EQUALITY", "ACTUATION", "PASSIVE", "SPRING", "DAMPER")
"""What of MuJoCo's forces has no place in M and h; some versions have no such flag."""
X, Y, Z = np.eye(3)
KINDS = ("free", "ball", "slide", "hinge")
"""By MuJoCo's numbers (mjtJoint)."""
STEP = 1e-5
"""Seconds: the error of a central difference is about the square of this, and rounding over this."""


def joint(name, kind="hinge", **more):
    attributes = " ".join(f"{key}='{value}'" for key, value in more.items())
    return f"<joint name='{name}' type='{kind}' {attributes}/>"


def mjcf(inside, after="", before=""):
    """A model with these bodies."""
    return f"<mujoco>{before}<worldbody>{inside}</worldbody>{after}</mujoco>"


def body(name, inside="", place="", mass=1.3):
    """A body with an inertia of no symmetry."""
    inertial = f"<inertial pos='.1 -.05 .2' euler='20 -30 50' mass='{mass}' diaginertia='.02 .03 .04'/>"
    return f"<body name='{name}' {place}>{inertial}{inside}</body>"


def read_text(folder, text, before=""):
    path = folder / "robot.xml"
    path.write_text(text)
    return load_robot(f"{before}{path}")


def model_of(text, armature=False):
    """MuJoCo's model of the same text, without the forces that are left out."""
    model = mujoco.MjModel.from_xml_string(text)
    for name in OFF:
        model.opt.disableflags |= int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{name}", 0))
    if not armature:
        for field in ("dof_armature", "actuator_armature", "tendon_armature"):
            if hasattr(model, field):
                getattr(model, field)[:] = 0.0
    return model


def placed(model, joints, q, qd):
    """MuJoCo's data in a state of ours, and S and its rate times the rates: v = S qd, v' = S qdd + rest.

    `joints` are our coordinates; those of joints that MuJoCo has no name for go by the name of the body.
    """
    data, index = mujoco.MjData(model), {joint: i for i, joint in enumerate(joints)}
    S, rest = np.zeros((model.nv, len(joints))), np.zeros(model.nv)
    for k in range(model.njnt):
        name = model.joint(k).name or model.body(model.jnt_bodyid[k]).name
        at, dof, kind = model.jnt_qposadr[k], model.jnt_dofadr[k], KINDS[model.jnt_type[k]]
        if kind in ("hinge", "slide"):
            data.qpos[at], S[dof, index[name]] = q[index[name]], 1.0
            continue
        if kind == "free":
            for i, axis in enumerate("xyz"):
                data.qpos[at + i], S[dof + i, index[f"{name}.{axis}"]] = q[index[f"{name}.{axis}"]], 1.0
            at, dof = at + 3, dof + 3
        turns = [index[f"{name}.{turn}"] for turn in ("rz", "ry", "rx")]
        data.qpos[at : at + 4], S[dof : dof + 3, turns], rest[dof : dof + 3] = turned(q[turns], qd[turns])
    data.qvel[:] = S @ qd
    return data, S, rest


def turned(q, qd):
    """Quaternion of Rz Ry Rx, the matrix from rates to the angular velocity in body axes, and its rate times qd."""
    about = [np.array([np.cos(a / 2), *(np.sin(a / 2) * axis)]) for a, axis in zip(q, (Z, Y, X), strict=True)]
    quaternion, R = np.array([1.0, 0, 0, 0]), []
    for each in about:
        quaternion = product(quaternion, each)
        matrix = np.zeros(9)
        mujoco.mju_quat2Mat(matrix, each)
        R.append(matrix.reshape(3, 3))
    about_y, about_z = R[2].T @ Y, R[2].T @ R[1].T @ Z
    dz, dy, dx = qd
    rest = -dy * dx * np.cross(X, about_y) - dz * (R[2].T @ np.cross(Y, R[1].T @ Z) * dy + dx * np.cross(X, about_z))
    return quaternion, np.column_stack((about_z, about_y, X)), rest


def product(one, other):
    result = np.zeros(4)
    mujoco.mju_mulQuat(result, one, other)
    return result


def full_matrix(model, data):
    M = np.zeros((model.nv, model.nv))
    for k, unit in enumerate(np.eye(model.nv)):
        mujoco.mj_mulM(model, data, M[k], unit)
    return M


def mujoco_dynamics(model, joints, state):
    """M, h and qdd as MuJoCo computes them; qdd by its own solution."""
    q, qd, tau = (np.array(each) for each in (state.q, state.qd, state.tau))
    data, S, rest = placed(model, joints, q, qd)
    data.qfrc_applied[:] = np.linalg.solve(S.T, tau)
    mujoco.mj_forward(model, data)
    M = full_matrix(model, data)
    return Dynamics(S.T @ M @ S, S.T @ (data.qfrc_bias + M @ rest), np.linalg.solve(S, data.qacc - rest))


def constrained(model, joints, state):
    """Accelerations under MuJoCo's equality constraints, held rigidly: by its own Jacobian, however redundant.

    The rate of the Jacobian is a central difference. Also what is left of the constraints, and their rates.
    """
    q, qd, tau = (np.array(each) for each in (state.q, state.qd, state.tau))
    data, S, rest = placed(model, joints, q, qd)
    model.opt.disableflags &= ~int(mujoco.mjtDisableBit.mjDSBL_EQUALITY)
    model.opt.jacobian = int(mujoco.mjtJacobian.mjJAC_DENSE)
    ahead, J, behind = (_rows(model, data, step) for step in (STEP, 0.0, -STEP))
    mujoco.mj_forward(model, data)
    M = full_matrix(model, data)
    free = np.linalg.solve(M, np.linalg.solve(S.T, tau) - data.qfrc_bias)
    drift = (ahead - behind) @ data.qvel / (2 * STEP)
    forces = np.linalg.lstsq(J @ np.linalg.solve(M, J.T), -drift - J @ free, rcond=1e-10)[0]
    qdd = np.linalg.solve(S, free + np.linalg.solve(M, J.T @ forces) - rest)
    return qdd, data.efc_pos.copy(), J @ data.qvel


def _rows(model, data, step):
    moved = mujoco.MjData(model)
    moved.qpos[:] = data.qpos
    mujoco.mj_integratePos(model, moved.qpos, data.qvel, step)
    mujoco.mj_forward(model, moved)
    return moved.efc_J.reshape(moved.nefc, model.nv).copy()
