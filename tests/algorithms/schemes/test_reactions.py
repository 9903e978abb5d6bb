"""What joints exert along a motion: against a dense solver, and body by body against Newton's and Euler's laws."""

import csv
import json

import numpy as np
import pytest
from tools.command import call
from tools.loop_mechanisms import PLANE, closing, moving
from tools.loops import MACHINES
from tools.paths import EXAMPLES

from meshsim.algorithms.motion.profiles import load_motion
from meshsim.algorithms.robots.catalogue import load_robot
from meshsim.algorithms.robots.closure import placed
from meshsim.algorithms.robots.linkages import LINKAGES
from meshsim.algorithms.robots.wrenches import bearing
from meshsim.algorithms.schemes.catalogue import SCHEMES
from meshsim.experiments.studies.inverse import run_inverse
from meshsim.experiments.studies.where import Where
from meshsim.presets import load_machine
from meshsim.simulation import NOWHERE

ROBOTS = {name: load_robot(name) for name in LINKAGES if name != "3rrr:redundant"}
MADE = {name: closing(mechanism, 1) for name, mechanism in PLANE.items()}
EVERY = {**ROBOTS, **{f"plane: {name}": mechanism for name, mechanism in MADE.items()}}
AGREED = 1e-10


def reacting(mechanism, scheme="subsystems", **options):
    return SCHEMES[scheme].inversion(mechanism, **options).with_reactions()


@pytest.mark.parametrize("mechanism", EVERY.values(), ids=EVERY)
@pytest.mark.parametrize("layout", ["one", "complete"])
def test_against_a_dense_solver(mechanism, layout):
    """Pins and fixed joints, joints that slide, trees; the same bits on every machine."""
    at = moving(mechanism, 2)
    inversion = reacting(mechanism, layout=layout)
    found = [inversion.plan(*at).run(load_machine(machine), trace=False).value for machine in MACHINES]
    assert all(each.tolist() == found[0].tolist() for each in found)
    wanted = inversion.reference(*at)
    assert np.abs(found[0] - wanted).max() < AGREED * max(1.0, np.abs(wanted).max())
    torques = SCHEMES["subsystems"].inversion(mechanism, layout=layout).plan(*at).run(NOWHERE, trace=False).value
    assert found[0][: len(torques)].tolist() == torques.tolist()


@pytest.mark.parametrize("mechanism", EVERY.values(), ids=EVERY)
def test_what_a_joint_lets_go_is_what_drives_it(mechanism):
    """The torque of an actuated joint, nothing of a passive one; and nothing at all of one that a body floats on."""
    value = reacting(mechanism).plan(*moving(mechanism, 3)).run(NOWHERE, trace=False).value
    driven = dict(zip(mechanism.actuated, value, strict=False))
    exerted = value[len(driven) :].reshape(-1, 3)
    plane, (rotations, _) = mechanism.plane, mechanism.rest
    bodies = placed(mechanism, moving(mechanism, 3)[0], np.zeros(mechanism.n))
    for i, body in enumerate(mechanism.bodies):
        axis = bodies[i].R[:, 2]
        along = exerted[i, :2] @ [plane.x @ axis, plane.y @ axis]
        felt = along if body.kind == "prismatic" else exerted[i, 2] * np.sign(plane.normal @ rotations[i][:, 2])
        assert felt == pytest.approx(driven.get(i, 0.0), abs=AGREED * max(1.0, np.abs(exerted).max()))
    if mechanism.name == "3rrr":
        assert np.abs(exerted[6:9]).max() < 1e-12 * np.abs(exerted).max()


def places(mechanism, q):
    """Centre of mass, and rotation, of every body."""
    bodies = placed(mechanism, q, np.zeros(mechanism.n))[:-1]
    return [(at.x + at.R @ np.array(body.com), at.R, at.x) for at, body in zip(bodies, mechanism.bodies, strict=True)]


@pytest.mark.parametrize("mechanism", ROBOTS.values(), ids=ROBOTS)
def test_every_body_alone_obeys_newton_and_euler(mechanism):
    """Accelerations by differences of positions, off by 1e-6 of the largest; all that acts on a body, summed up."""
    motion, duration = load_motion("cycloid:1:20:0.01", mechanism)
    t, h = 0.3 * duration, 1e-4
    before, at, after = (places(mechanism, motion(time)[0]) for time in (t - h, t, t + h))
    value = reacting(mechanism, layout="complete").plan(*motion(t)).run(NOWHERE, trace=False).value
    exerted = value[len(mechanism.actuated) :].reshape(-1, 3)
    plane, size = mechanism.plane, max(1.0, np.abs(exerted).max())
    flat = np.array([plane.x, plane.y])
    for i, body in enumerate(mechanism.bodies):
        centre, R, _ = at[i]
        force, moment = body.mass * flat @ np.array(mechanism.gravity), 0.0
        for wrench, point in acting(mechanism, exerted, at, i):
            x, y = flat @ (point - centre)
            force = force + wrench[:2]
            moment = moment + wrench[2] + x * wrench[1] - y * wrench[0]
        acceleration = flat @ (before[i][0] - 2.0 * centre + after[i][0]) / h**2
        spin = sum(turn_of(plane, R, each[i][1]) for each in (before, after)) / h**2
        across = R.T @ plane.normal
        assert force == pytest.approx(body.mass * acceleration, abs=3e-6 * size)
        assert moment == pytest.approx(spin * (across @ np.array(body.inertia) @ across), abs=3e-6 * size)


def acting(mechanism, exerted, at, i):
    """What joints and cut joints exert on a body, and where."""
    yield exerted[i], at[i][2]
    for k, other in enumerate(mechanism.bodies):
        if other.parent == i:
            yield -exerted[k], at[k][2]
    for k, cut in enumerate(mechanism.cuts, start=mechanism.n):
        for sign, end in ((-1.0, cut.first), (1.0, cut.second)):
            if end.body == i:
                yield sign * exerted[k], at[i][2] + at[i][1] @ np.array(end.position)


def turn_of(plane, one, other):
    """By how much a body has turned in the plane."""
    R = other @ one.T
    return np.arctan2(plane.y @ R @ plane.x, plane.x @ R @ plane.x)


def test_with_a_wrench_on_the_platform():
    """A force and a moment from outside are among what acts on it."""
    mechanism = bearing(ROBOTS["3rrr"], {"platform": (10.0, -5.0, 0.3)})
    at = moving(mechanism, 2)
    inversion = reacting(mechanism, layout="complete")
    found, wanted = inversion.plan(*at).run(NOWHERE, trace=False).value, inversion.reference(*at)
    assert np.abs(found - wanted).max() < AGREED * max(1.0, np.abs(wanted).max())
    without = reacting(ROBOTS["3rrr"]).plan(*at).run(NOWHERE, trace=False).value
    pins = slice(3 + 3 * mechanism.n, None)  # which bear it together, on the platform
    x, y, _ = (found[pins] - without[pins]).reshape(-1, 3).sum(axis=0)
    assert (x, y) == pytest.approx((-10.0, 5.0), abs=1e-9)


def compared(name):
    """Runs of the torques alone, and of all, each subsystem on a processor of its own."""
    at = moving(ROBOTS[name], 1)
    plain = SCHEMES["subsystems"].inversion(ROBOTS[name], layout="complete")
    return [each.plan(*at).run(load_machine("t800"), trace=False) for each in (plain, plain.with_reactions())]


def test_what_they_take():
    """On the scraper a sixth more; each subsystem finds its own, and nothing more is sent."""
    plain, whole = compared("scraper")
    assert (plain.ticks, whole.ticks) == (3555, 4133)
    assert (plain.messages, plain.words) == (whole.messages, whole.words)
    assert whole.operations["mul"] > plain.operations["mul"]


def test_members_of_a_group_are_told_the_forces_of_their_cut_joints():
    """The 3-RRR is one group: its leader sends each of the others the forces at its pins, with its torques."""
    plain, whole = compared("3rrr")
    assert (plain.words, whole.words) == (35, 35 + 2 * 2 + 3 * 2)
    assert plain.messages == whole.messages


# Robots without loops


@pytest.mark.parametrize("scheme", ["one-saha", "one-luh-walker-paul"])
@pytest.mark.parametrize("robot", ["puma600", "stanford", "torso", f"floating:{EXAMPLES / 'arm.urdf'}"])
def test_open_robots(scheme, robot):
    mechanism = load_robot(robot)
    random = np.random.default_rng(1)
    at = [random.uniform(-1.0, 1.0, len(mechanism.joints)) for _ in range(3)]
    inversion = reacting(mechanism, scheme)
    found, wanted = inversion.plan(*at).run(NOWHERE, trace=False).value, inversion.reference(*at)
    assert len(found) == len(mechanism.joints) + 6 * mechanism.n
    assert np.abs(found - wanted).max() < AGREED * max(1.0, np.abs(wanted).max())
    torques = SCHEMES[scheme].inversion(mechanism).plan(*at).run(NOWHERE, trace=False).value
    assert np.abs(found[: len(torques)] - torques).max() < AGREED * max(1.0, np.abs(torques).max())


def test_the_ground_carries_the_weight():
    """At rest the first joint bears all of it, in whatever axes."""
    mechanism = load_robot("puma600")
    still = np.zeros(len(mechanism.joints))
    value = reacting(mechanism, "one-saha").plan(still + 0.3, still, still).run(NOWHERE, trace=False).value
    force = value[len(still) :].reshape(-1, 6)[0, :3]
    assert np.linalg.norm(force) == pytest.approx(9.81 * sum(body.mass for body in mechanism.bodies), rel=1e-12)


# The command


def test_the_table(capsys, tmp_path):
    command = ("inverse", "subsystems", "--robot", "scraper", "--machine", "t800", "--samples", "2")
    status, out, _ = call(capsys, *command, "--reactions", "--out", tmp_path / "out", "--json")
    assert status == 0
    found = json.loads(out)
    assert found["holders"] == [*ROBOTS["scraper"].joints, "A", "B1", "B3"]
    assert found["exerted"] == ["fx", "fy", "m"]
    assert "x = (1, 0, 0) and y = (0, 0, 1) of the ground" in found["frame"]
    with (tmp_path / "out" / "reactions.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    assert [row["joint"] for row in rows] == 2 * found["holders"]
    numbers = np.array([[float(row[name]) for name in found["exerted"]] for row in rows])
    assert numbers.tolist() == np.array(found["reactions"]).reshape(-1, 3).tolist()
    status, out, _ = call(capsys, *command, "--out", tmp_path / "out", "--force")
    assert status == 0
    assert "joint exerts" not in out
    assert not (tmp_path / "out" / "reactions.csv").exists()  # which was of another motion


def test_what_is_told(tmp_path):
    """The largest of each joint, and in which axes the table is."""
    mechanism = ROBOTS["scraper"]
    motion, _ = load_motion("own", mechanism)
    times = np.array([0.0, 0.5])
    found = run_inverse(
        SCHEMES["subsystems"], {}, reacting(mechanism), motion, times, load_machine("t800"), tmp_path, Where()
    )  # fmt: skip
    text = found.as_text()
    assert "joint exerts     force (N)    at (s)  moment (N m)    at (s)\nrocker " in text
    largest = np.linalg.norm(found.reactions[:, -1, :2], axis=1).max()
    assert f"\nB3{largest:>24.6g}" in text
    assert (
        "(largest, on the body that it carries, and a cut joint on its second body;\n reactions.csv is in the " in text
    )


@pytest.mark.parametrize(
    ("scheme", "robot", "message"),
    [
        ("noc", "3rrr", "noc finds the torques of 3rrr and not what joints exert; subsystems finds both"),
        ("denoc", "3rrr", "denoc finds the torques of 3rrr and not what joints exert; subsystems finds both"),
        ("noc", "3rrr:redundant", "3rrr:redundant and not what joints exert; no scheme finds both"),
        ("wong-mesh", "puma600", "and not what joints exert; one-saha or one-luh-walker-paul finds both"),
    ],
)  # fmt: skip
def test_who_does_not_know(capsys, tmp_path, scheme, robot, message):
    profile = ("--profile", "cycloid:1")
    status, _, error = call(
        capsys,
        "inverse",
        scheme,
        "--robot",
        robot,
        "--machine",
        "t800",
        *profile,
        "--reactions",
        "--out",
        tmp_path / "o",
    )
    assert status == 2
    assert message in error
