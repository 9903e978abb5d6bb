"""Coils, dills and straight chains: how many bodies, how heavy, and where they are."""

import math
from itertools import pairwise

import numpy as np
import pytest
from tools.command import call

from meshsim.algorithms.robots.benchmarks import FAMILIES
from meshsim.algorithms.robots.catalogue import load_robot, robot_path
from meshsim.algorithms.robots.kinematics import skeleton
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.state import default_state
from meshsim.errors import MeshSimError


def hinges(text):
    robot = load_robot(text)
    return skeleton(robot, default_state(robot).q)[0]


@pytest.mark.parametrize("n", [1, 2, 8, 64, 512])
@pytest.mark.parametrize("name", FAMILIES)
def test_every_size_is_named_as_it_was_asked_for(name, n):
    robot = load_robot(f"{name}:{n}")
    assert (robot.name, robot.n, len(robot.posture)) == (f"{name}:{n}", n, n)
    assert robot.is_twist
    assert robot.is_chain == (name != "dill" or n <= 2)
    assert robot_path(f"{name}:{n}") is None


@pytest.mark.parametrize("text", ["straight:16", "coil:16", "coil:16:thin", "coil:3"])
def test_chains_are_a_metre_and_a_kilogram(text):
    robot = load_robot(text)
    assert robot.loads[0] == pytest.approx(1.0)
    lengths = np.linalg.norm(np.diff(hinges(text), axis=0), axis=1)
    assert lengths == pytest.approx([1 / robot.n] * (robot.n - 1))


def test_a_straight_chain_is_straight_and_bends_in_a_vertical_plane():
    x = hinges("straight:8")
    assert x[:, 0] == pytest.approx(np.arange(8) / 8)
    assert x[:, 1:] == pytest.approx(0.0)
    plane = load_robot("straight:8").plane
    assert plane is not None
    assert abs(plane.normal) == pytest.approx([0, 1, 0])


def test_a_coil_lies_on_a_helix():
    x = hinges("coil:128")
    steps = np.diff(x, axis=0)
    twist, angle = 5 * math.pi / 128, 10 * math.pi / 128
    turn = 2 * math.acos(math.cos(twist / 2) * math.cos(angle / 2))  # of one link against the one before
    along = [float(a @ b) * 128**2 for a, b in pairwise(steps)]
    assert along == pytest.approx([math.cos(angle)] * 126)
    assert 127 * turn == pytest.approx(2 * math.pi * 5.546, rel=1e-3)  # so many turns
    assert np.ptp(x, axis=0).max() < 0.5  # of 1 m of chain


def test_thin_cylinders():
    for text, radius in (("coil:64", 0.01), ("coil:64:thin", 0.1 / 64)):
        body = load_robot(text).bodies[7]
        assert body.inertia[0][0] == pytest.approx(body.mass * radius**2 / 2)
        assert body.inertia[1][1] == pytest.approx(body.mass * (3 * radius**2 + 1 / 64**2) / 12)


def test_a_dill_is_like_its_branches():
    small, large = load_robot("dill:8").bodies, load_robot("dill:16").bodies
    last = large[8:]  # of a dill of 16, the last branch is one of 8
    assert [(body.parent - 8, body.mass, body.inertia, body.com) for body in last][1:] == [
        (body.parent, body.mass, body.inertia, body.com) for body in small
    ][1:]
    assert [body.position for body in last[1:]] == [body.position for body in small[1:]]
    carried = [i for i, body in enumerate(large) if body.parent == 0]
    assert carried == [1, 2, 4, 8]
    assert [large[i].position[0] for i in carried] == pytest.approx([0.1, 0.2, 0.3, 0.4])
    assert [large[i].position[2] for i in carried] == pytest.approx([0.04, 0.04, 0.04, 0.0])
    assert large[0].mass == pytest.approx(6.4)
    assert large[0].inertia[0][0] == pytest.approx(4**5 / 0.2e6)
    across = large[0].inertia[1][1] + large[0].mass * large[0].com[0] ** 2  # about the joint
    assert across == pytest.approx(4**5 * 403 / 1.2e6)


def test_reduced_systems_keep_the_posture_of_what_is_left():
    robot = load_robot("coil:8@lock:joint3=0.1@drop:joint7")
    assert robot.n == 5
    assert default_state(robot).q == (10 * math.pi / 8,) * 5


REFUSED = [
    ("coil:0", "joints of coil:N must be a whole number from 1 to 512, not '0'"),
    ("dill:x", "joints of dill:N must be a whole number from 1 to 512, not 'x'"),
    ("straight:513", "joints of straight:N must be a whole number from 1 to 512, not '513'"),
    ("dill:12", "a dill must have 1, 2, 4, 8, .. joints, a power of two, not 12"),
    ("coil:4:fat", "a system must be straight:N, coil:N, dill:N or coil:N:thin, not 'coil:4:fat'"),
    ("dill:4:thin", "a system must be straight:N, coil:N, dill:N or coil:N:thin, not 'dill:4:thin'"),
]


@pytest.mark.parametrize(("text", "why"), REFUSED)
def test_refusals(text, why):
    with pytest.raises(MeshSimError) as error:
        load_robot(text)
    assert str(error.value) == why


def test_a_posture_has_a_number_for_each_joint():
    bodies = load_robot("coil:2").bodies
    for posture in ((0.0,), (0.0, math.nan)):
        with pytest.raises(MeshSimError, match="must be a finite number for each joint"):
            Mechanism("m", bodies, posture=posture)


def test_they_are_listed(capsys):
    status, out, _ = call(capsys, "list", "robots")
    assert status == 0
    assert all(f"{name}:N" in out for name in FAMILIES)
