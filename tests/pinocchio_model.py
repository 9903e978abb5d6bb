"""The independent library: Pinocchio's dynamics of our mechanisms."""

import numpy as np
import pinocchio as pin


def build_model(mechanism):
    """Pinocchio model of any tree of revolute joints about z."""
    model = pin.Model()
    model.gravity.linear = np.array(mechanism.gravity)
    for body in mechanism.bodies:
        placement = pin.SE3(np.array(body.rotation), np.array(body.position))
        joint = model.addJoint(body.parent + 1, pin.JointModelRZ(), placement, body.joint)
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
    weightless = model.copy()
    weightless.gravity.linear = np.zeros(3)
    data = weightless.createData()
    columns = [pin.rnea(weightless, data, configuration, 0 * qd, e).copy() for e in np.eye(len(qd))]
    return np.column_stack(columns), h, qdd


def reference_dynamics(mechanism, state):
    """M, h and qdd of a mechanism in a state."""
    return model_dynamics(build_model(mechanism), state.q, state.qd, state.tau)
