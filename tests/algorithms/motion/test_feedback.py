"""Feedback of driven joints: made where each joint's state lives, counted, and the same numbers on every network."""

from dataclasses import replace

import numpy as np
import pytest
from tools.command import call
from tools.loops import closed_state

from meshsim.algorithms.motion.motion import Feedback, Motion
from meshsim.algorithms.motion.pace import moving, simulate
from meshsim.algorithms.motion.profiles import load_profile
from meshsim.algorithms.motion.written import computed
from meshsim.algorithms.robots.catalogue import chain, load_robot
from meshsim.algorithms.robots.state import State, default_state
from meshsim.algorithms.schemes.base.effort import Regulated
from meshsim.algorithms.schemes.catalogue import SCHEMES
from meshsim.algorithms.schemes.loops.method import evaluation
from meshsim.algorithms.types.arrays import relative_error
from meshsim.errors import MeshSimError
from meshsim.presets import load_machine
from meshsim.simulation import NOWHERE

RRR = load_robot("3rrr")
KP, KD = 700.0, 30.0
ROUNDING = 1e-10
"""Sums are formed in another order where work is distributed; feedback of this stiffness makes that grow tenfold."""
WAYS = [
    ("penalty", "full"),
    ("penalty", "partly"),
    ("projection", "full"),
    ("projection", "partly"),
    ("denoc", "composite"),
    ("denoc", "paper"),
]
"""Methods, and how they are distributed; of denoc, which recursion."""


def evaluated_by(name, how, layout):
    more = {"k": "1e3", "d": "5"} if name == "penalty" else {}
    more |= {"recursion" if name == "denoc" else "distribution": how} if how else {}
    return SCHEMES[name].evaluation(RRR, layout=layout, **more)


def swing(steps=3):
    """From a state off what is wanted, for some steps."""
    q, qd, _ = closed_state(RRR, 2)
    start = State(tuple(q.tolist()), tuple(qd.tolist()), (0.0,) * 9)
    near = q[list(RRR.actuated)] + 0.01
    wanted = lambda t: (near + 0.3 * t, np.full(3, 0.3) - near * t)  # noqa: E731
    return Motion(
        RRR,
        start,
        0.005,
        steps,
        torque=lambda joint, t, _q, _qd: 2.0 + joint - t,
        feedback=Feedback(KP, KD, wanted),
    )


@pytest.mark.parametrize("layout", ["star", "complete"])
@pytest.mark.parametrize(("name", "how"), WAYS)
def test_several_processors_find_the_motion_of_one(name, how, layout):
    motion = swing()
    alone = computed(evaluated_by(name, how, "one"), motion)
    found = moving(evaluated_by(name, how, layout), motion).run(NOWHERE, trace=False).value
    assert relative_error(found.q, alone.q) < ROUNDING
    assert relative_error(found.qd, alone.qd) < ROUNDING
    assert relative_error(found.tau, alone.tau) < 1e3 * ROUNDING  # the gains
    without = computed(evaluated_by(name, how, "one"), replace(motion, feedback=None))
    assert np.abs(without.q - alone.q).max() > 1e-4
    moved, _ = simulate(evaluated_by(name, how, layout), motion, load_machine("t800"))
    assert moved.q.tolist() == found.q.tolist()


@pytest.mark.parametrize(("name", "how"), [*WAYS, ("multipliers", None)])
def test_it_is_what_is_added_to_the_torques(name, how):
    """Against a dense solver that is given the torque, what is wanted less what is, times the gains."""
    motion = swing()
    found = evaluated_by(name, how, "one")
    q, qd, t = np.array(motion.state.q), np.array(motion.state.qd), 0.25
    tau, driven = np.array(motion.torques(t)), list(RRR.actuated)
    wanted, rates = motion.feedback.wanted(t)
    tau[driven] += KP * (wanted - q[driven]) + KD * (rates - qd[driven])
    assert motion.applied(t, q.tolist(), qd.tolist()) == pytest.approx(tau.tolist(), rel=1e-12)
    places, method = found.places(q), found.method
    efforts = method.torques(places, motion.efforts(motion.orders(t)))
    assert sum(isinstance(each, Regulated) for each in efforts[0]) == 3
    made = evaluation(method, places, method.begin(places, q, qd), efforts).run(NOWHERE, trace=False).value
    qdd = method.finish(places, made)[1] if method.accelerations is None else method.accelerations(places, made, q, qd)
    assert relative_error(qdd, method.reference(RRR, found.settings, q, qd, tau)) < 1e-9


@pytest.mark.parametrize("layout", ["one", "star", "complete"])
@pytest.mark.parametrize(("name", "how"), WAYS)
def test_it_is_counted_once_for_each_joint_and_evaluation(name, how, layout):
    """Two products and four sums; each site's own joints, so that three sites do it at once, or while they wait."""
    motion, machine = swing(2), load_machine("t800")
    found = evaluated_by(name, how, layout)
    fed, plain = (moving(found, each).run(machine) for each in (motion, replace(motion, feedback=None)))
    more = {what: count - plain.operations[what] for what, count in fed.operations.items()}
    evaluations = 2 * 4
    assert more == {"mul": 2 * 3 * evaluations, "add": 4 * 3 * evaluations, "div": 0, "sqrt": 0, "sincos": 0}
    price = 2 * machine.operations["mul"] + 4 * machine.operations["add"]
    later = fed.ticks - plain.ticks
    assert later == 3 * evaluations * price if layout == "one" else 0 <= later <= evaluations * price


@pytest.mark.parametrize("scheme", ["one-wong", "wong-mesh", "hwang"])
def test_joints_of_trees_have_it_too(scheme):
    """The numbers of a torque from outside that says the same, but counted."""
    robot = chain(3, 1)
    start = default_state(robot)
    gains, wanted = (0.5, 0.1), lambda t: (np.array([0.2, 0.1, 0.4]) + t, np.ones(3))

    def push(joint, t, q, qd):
        target, rates = wanted(t)
        return float(1.0 + joint + (gains[0] * (target[joint] - q) + gains[1] * (rates[joint] - qd)))

    plain = Motion(robot, start, 0.001, 3, torque=push)
    fed = replace(plain, torque=lambda joint, _t, _q, _qd: 1.0 + joint, feedback=Feedback(*gains, wanted))
    one, other = (moving(SCHEMES[scheme].evaluation(robot), each).run(NOWHERE) for each in (fed, plain))
    assert one.value.q.tolist() == other.value.q.tolist()
    assert one.operations["mul"] - other.operations["mul"] == 2 * 3 * 12
    adaptive = [
        computed(SCHEMES[scheme].evaluation(robot), replace(each, h=None, lasting=0.01)) for each in (fed, plain)
    ]
    assert adaptive[0].q.tolist() == adaptive[1].q.tolist()
    assert adaptive[0].tau.tolist() == adaptive[1].tau.tolist()


def test_what_cannot_be_held_to_anything_is_refused(capsys):
    for profile in ("free", "1,2,3"):
        with pytest.raises(MeshSimError, match=r"^feedback must have a motion to hold joints to, as cycloid:SECONDS"):
            load_profile(profile, RRR).motion(RRR, 0.01, gains=(1.0, 1.0))
    for gains in ((-1.0, 0.0), (0.0, np.inf)):
        with pytest.raises(
            MeshSimError, match=r"^(proportional|differential) gain of feedback must be a finite number, at"
        ):
            Feedback(*gains, lambda _t: ())
    words = ("simulate", "projection", "--robot", "3rrr", "--machine", "ideal", "--step", "0.01", "--feedback")
    for text in ("1", "1,2,3", "a,b", "-1,2", ""):
        status, _, err = call(capsys, *words[:-1], f"--feedback={text}")
        assert (status, "must be two finite numbers, at least 0, such as 2000,200, not" in err) == (2, True)
