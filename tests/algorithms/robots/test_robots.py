"""Robots by name equal the published data and the generator's stored chains."""

import json
import math

import numpy as np
import pytest
from tools.paths import DATA

from meshsim.algorithms.reference.newton_euler import inverse_dynamics
from meshsim.algorithms.robots.body import rotation_x
from meshsim.algorithms.robots.catalogue import ROBOTS, chain, excavator, load_robot, puma600
from meshsim.algorithms.robots.compound import COMPOUND
from meshsim.algorithms.types.splitmix import SplitMix64
from meshsim.errors import MeshSimError

CHAINS = json.loads((DATA / "random_chains_1_16.json").read_text())["items"]


def oracle(name):
    return json.loads((DATA / name).read_text())


def assert_bodies_equal(mechanism, bodies, tolerance):
    """Equal to `tolerance`, absolutely below 1 and relatively above."""
    close = {"rel": tolerance, "abs": tolerance}
    assert mechanism.n == len(bodies)
    for body, expected in zip(mechanism.bodies, bodies, strict=True):
        assert body.parent == expected["parent"]
        assert body.mass == pytest.approx(expected["mass"], **close)
        assert body.position == pytest.approx(expected["p"], **close)
        assert body.com == pytest.approx(expected["com"], **close)
        for row in range(3):
            assert body.rotation[row] == pytest.approx(expected["R"][row], **close)
            assert body.inertia[row] == pytest.approx(expected["I"][row], **close)


def test_splitmix64_published_sequence():
    # First outputs for seed 1234567, from the reference C program.
    random = SplitMix64(1234567)
    assert [random.next() for _ in range(3)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
    ]


def test_uniform_stays_inside_its_bounds():
    random = SplitMix64(1)
    values = [random.uniform(-2.0, 3.0) for _ in range(1000)]
    assert -2.0 <= min(values) < -1.9
    assert 2.9 < max(values) < 3.0


def test_puma600_is_the_thesis_robot():
    mechanism = puma600()
    assert_bodies_equal(mechanism, oracle("wong_puma600.json")["bodies"], 1e-15)
    assert mechanism.joints == ("joint1", "joint2", "joint3", "joint4", "joint5", "joint6")
    assert mechanism.is_chain
    assert mechanism.is_twist


def test_puma600_hinges_follow_from_the_denavit_hartenberg_table():
    # Wong Table 3.4 and eq. 3.40: hinge i+1 lies at (a, b sin alpha, -b cos alpha); b is minus Craig's d.
    table = [(-90, 0, -0.149), (0, 0.432, 0), (90, 0.02, -0.432), (-90, 0, 0), (90, 0, -0.056)]
    for body, (alpha, a, b) in zip(puma600().bodies[1:], table, strict=True):
        alpha = math.radians(alpha)
        assert body.position == pytest.approx((a, b * math.sin(alpha), -b * math.cos(alpha)), abs=1e-15)


def test_excavator_is_the_thesis_robot():
    mechanism = excavator()
    assert_bodies_equal(mechanism, oracle("wong_excavator.json")["bodies"], 1e-15)
    assert mechanism.joints == ("cab", "boom", "stick", "bucket")
    assert mechanism.is_chain
    assert mechanism.is_twist


@pytest.mark.parametrize("make", [puma600, excavator])
def test_k_and_l_come_back_as_printed(make):
    mechanism = make()
    raw = oracle(f"wong_{mechanism.name}.json")["raw"]
    for i in range(mechanism.n):
        assert mechanism.k(i) == pytest.approx(raw["k"][i], abs=1e-15)
    for i in range(mechanism.n - 1):
        assert mechanism.l(i) == pytest.approx(raw["l"][f"{i + 1},{i + 2}"], abs=1e-15)


@pytest.mark.parametrize("item", CHAINS, ids=lambda item: f"n={item['n']}")
def test_random_chains_equal_the_stored_ones(item):
    mechanism = chain(item["n"], item["seed"])
    assert_bodies_equal(mechanism, item["bodies"], 1e-15)
    assert [body.twist for body in mechanism.bodies] == [body["alpha"] for body in item["bodies"]]
    assert mechanism.bodies[0].rotation == rotation_x(item["bodies"][0]["alpha"])


def test_a_longer_chain_begins_with_the_shorter():
    assert chain(9, 5).bodies[:4] == chain(4, 5).bodies


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("torso", "wong_torso_literal"),
        ("torso:l6", "wong_torso_l6"),
        ("torso:axes", "wong_torso_axes_fixed"),
        ("saha-puma", "saha_puma_corrected"),
        ("saha-puma:printed", "saha_puma"),
        ("stanford", "saha_stanford"),
    ],
)
def test_published_robots_equal_the_stored_ones(name, file):
    mechanism, bodies = load_robot(name), oracle(f"{file}.json")["bodies"]
    assert_bodies_equal(mechanism, bodies, 1e-14)
    assert [body.kind[0].upper() for body in mechanism.bodies] == [body["jtype"] for body in bodies]
    assert mechanism.is_twist


def test_saha_puma_is_the_thesis_robot_turned():
    # q_S = s q_W + o, and torques change sign with s.
    s, o = np.array([-1, -1, -1, -1, 1, -1]), np.array([0, np.pi, 0, 0, np.pi, 0])
    q, qd, qdd = np.random.default_rng(1).uniform(-2, 2, (3, 6))
    ours = inverse_dynamics(load_robot("saha-puma"), s * q + o, s * qd, s * qdd)
    assert s * ours == pytest.approx(inverse_dynamics(puma600(), q, qd, qdd), rel=1e-12, abs=1e-12)


def test_load_robot_by_name():
    assert {load_robot(name).name for name in ROBOTS} == set(ROBOTS)
    assert load_robot("puma600") == puma600()


def test_load_robot_random_chain():
    assert load_robot("chain:3:17") == chain(3, 17)
    assert load_robot("chain:3:17").name == "chain:3:17"
    assert load_robot("chain:1:18446744073709551615").n == 1


URDF = """
<robot name="pendulum">
  <link name="base"/>
  <link name="bob">
    <inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
  </link>
  <joint name="pivot" type="revolute"><parent link="base"/><child link="bob"/></joint>
</robot>
"""


@pytest.mark.parametrize("name", ["pendulum.urdf", "pendulum.xml", "pendulum"])
def test_load_robot_from_a_file(tmp_path, name):
    path = tmp_path / name
    path.write_text(URDF)
    assert load_robot(str(path)).name == "pendulum"


def test_load_robot_with_a_floating_base(tmp_path):
    path = tmp_path / "pendulum.urdf"
    path.write_text(URDF)
    assert load_robot(f"floating:{path}").joints == (*(f"base.{name}" for name in COMPOUND["floating"]), "pivot")


LENGTH = "chain length must be a positive integer"
SEED = "chain seed must be an integer from 0 to 2**64 - 1"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("chain:0:1", f"{LENGTH}, not 0"),
        ("chain:-2:1", f"{LENGTH}, not -2"),
        ("chain:two:1", f"{LENGTH}, not 'two'"),
        ("chain:2.0:1", f"{LENGTH}, not '2.0'"),
        ("chain:1_0:1", f"{LENGTH}, not '1_0'"),
        ("chain:2:-1", f"{SEED}, not -1"),
        ("chain:2:18446744073709551616", f"{SEED}, not 18446744073709551616"),
        ("chain:2:", f"{SEED}, not ''"),
        ("chain:2", "random chain must be chain:N:SEED, not 'chain:2'"),
        ("chain:2:3:4", "random chain must be chain:N:SEED, not 'chain:2:3:4'"),
        (
            "puma",
            f"robot must be one of {', '.join(ROBOTS)}, chain:N:SEED, straight:N, coil:N, dill:N or "
            "the path of a URDF, MJCF or TOML file, not 'puma'",
        ),
        (
            "missing.urdf",
            "missing.urdf: URDF must be a readable file, not one that fails with: No such file or directory",
        ),
        (
            "floating:missing",
            "floating: must stand before the path of a URDF file that is there, not 'missing'",
        ),
        (
            "floating:arm.toml",
            "floating: must stand before the path of a URDF file, not 'arm.toml': a TOML file says it",
        ),
        (
            "missing.toml",
            "missing.toml: robot file must be a readable file, not one that fails with: No such file or directory",
        ),
        (
            "nul\0.urdf",
            "nul\0.urdf: URDF must be a readable file, not one that fails with: embedded null byte",
        ),
    ],
)
def test_unknown_robots_are_refused(text, message):
    with pytest.raises(MeshSimError) as error:
        load_robot(text)
    assert str(error.value) == message


def test_a_very_long_text_is_refused():
    with pytest.raises(MeshSimError, match="robot must be one of"):
        load_robot("x" * 10_000)
