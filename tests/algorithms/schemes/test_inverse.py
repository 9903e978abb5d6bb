"""Inverse dynamics of closed mechanisms by every method, and the order in which determinate subsystems are solved."""

import csv
import json
import math
from dataclasses import replace

import numpy as np
import pytest
from tools.loop_mechanisms import PLANE, SPACE, closing, moving
from tools.loops import MACHINES, linkage, parallelogram, rod
from tools.paths import EXAMPLES, ROOT

from meshsim.algorithms.reference.loops import actuated_torques
from meshsim.algorithms.robots.catalogue import load_robot
from meshsim.algorithms.robots.closure import assemble
from meshsim.algorithms.robots.cuts import Anchor, Cut
from meshsim.algorithms.robots.linkages import LINKAGES
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.schemes.catalogue import SCHEMES, load_scheme
from meshsim.algorithms.schemes.loops.inverse import INVERSES
from meshsim.algorithms.schemes.loops.layout import layout_of
from meshsim.algorithms.schemes.loops.subsystems import order_of
from meshsim.errors import MeshSimError
from meshsim.experiments.cli.main import main
from meshsim.presets import load_machine

ROUNDING = 1e-10
"""Of the largest torque, or of 1: systems with condition numbers up to some thousand are solved in different orders."""


def agrees(mechanism, method, network, motion, machines=("ideal",)):
    """Whether a method finds the torques of the dense solver, the same bits on every machine."""
    wanted = actuated_torques(mechanism, *motion)
    plan = SCHEMES[method].inversion(mechanism, layout=network).plan(*motion)
    found = [plan.run(load_machine(machine), trace=False).value for machine in machines]
    assert all(each.tolist() == found[0].tolist() for each in found)
    return np.abs(found[0] - wanted).max() < ROUNDING * max(1.0, np.abs(wanted).max())


# Numbers

WAYS = [(method, network) for method, inverse in INVERSES.items() for network in inverse.layouts]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", [*LINKAGES, "stewart"])
@pytest.mark.parametrize(("method", "network"), WAYS)
def test_mechanisms_that_are_built_in(name, method, network):
    mechanism = load_robot(name)
    if method != "noc" and name == "3rrr:redundant":
        with pytest.raises(MeshSimError, match=rf"^{method} takes as many actuated joints as freedoms, and "):
            INVERSES[method].places(mechanism, network)
        return
    if method == "denoc" and name.startswith("scraper"):
        with pytest.raises(MeshSimError, match=r"^denoc takes legs without branches, and joint 'III-2' branches off; "):
            INVERSES[method].places(mechanism, network)
        return
    for seed in range(3):
        assert agrees(mechanism, method, network, moving(mechanism, seed), MACHINES if seed == 0 else MACHINES[:1])


REFUSED = {
    "denoc": r"^denoc takes legs (without branches|that end in a revolute or sph.* joint), and .*; noc could take it$",
    "subsystems": r"^subsystems takes cut joints that hold points, and 'cut\d' holds axes in space; noc could take it$",
}
ANY = [*SPACE.values(), *PLANE.values()]
NAMES = [*(f"space: {name}" for name in SPACE), *(f"plane: {name}" for name in PLANE)]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("name", "mechanism"), list(zip(NAMES, ANY, strict=True)), ids=NAMES)
@pytest.mark.parametrize("seed", [1, 2])
def test_loops_of_all_kinds(name, mechanism, seed):
    made = closing(mechanism, seed)
    motion = moving(made, seed)
    run = set()
    for method, network in WAYS:
        try:
            INVERSES[method].places(made, network)
        except MeshSimError as error:
            with pytest.raises(MeshSimError, match=REFUSED[method]):
                raise error
        else:
            assert agrees(made, method, network, motion)
            run.add(method)
    assert "noc" in run
    holds_axes = any(cut.kind != "spherical" for cut in made.cuts)
    assert ("subsystems" in run) == (made.plane is not None or not holds_axes)
    whole = all(cut.kind != "fixed" for cut in made.cuts)
    assert ("denoc" in run) == (whole and "within one tree" not in name)


@pytest.mark.parametrize("name", ["fourbar", "fivebar"])
@pytest.mark.parametrize(("method", "network"), WAYS)
def test_robots_of_the_users(name, method, network):
    mechanism = load_robot(str(EXAMPLES / f"{name}.toml"))
    assert agrees(mechanism, method, network, moving(mechanism, 1))


def test_an_example_is_the_four_bar_that_is_built_in():
    example, known = load_robot(str(EXAMPLES / "fourbar.toml")), load_robot("four-bar")
    motion = moving(known, 4)
    assert actuated_torques(example, *motion) == pytest.approx(actuated_torques(known, *motion), rel=1e-12)


# Subsystems


def bodies_of(mechanism):
    """Which bodies are solved together and when, and the names of the joints whose forces they find and are told."""
    names = lambda cuts: [mechanism.cuts[cut].name for cut in cuts]  # noqa: E731
    return [
        (
            group.level,
            [mechanism.bodies[i].name for k in group.chains for i in mechanism.subsystems[k]],
            names(group.cuts),
            names(group.told),
        )
        for group in order_of(layout_of(mechanism))
    ]


@pytest.mark.parametrize("name", ["scraper", "scraper:other"])
def test_the_scraper_is_solved_as_saha_has_it(name):
    """III, whose four unknowns are its own; then I, then II with the torque."""  # Saha sec. 4.4
    assert bodies_of(load_robot(name)) == [
        (0, ["III-1", "III-2", "III-3", "III-1-1"], ["B1", "B3"], []),
        (1, ["rocker", "coupler"], ["A"], ["B1", "B3"]),
        (2, ["crank"], [], ["A"]),
    ]


def test_subsystems_that_wait_for_one_another_are_solved_together():
    assert [(level, cuts) for level, _, cuts, _ in bodies_of(load_robot("3rrr"))] == [(0, ["pin1", "pin2", "pin3"])]
    (whole,) = bodies_of(load_robot("five-bar"))
    assert whole == (0, ["crank1", "arm1", "crank2", "arm2"], ["pin"], [])


def dyad(ground, reach):
    """The angles of two rods, 3 m each, from a point of the ground to another; the second's is to the first."""
    apart, slope = math.dist(ground, reach), math.atan2(reach[1] - ground[1], reach[0] - ground[0])
    bend = math.acos(apart / 6.0)
    return slope + bend, -2 * bend


def branched(count):
    """A four-bar, its crank apart; to its coupler are pinned as many dyads of rods that stand on the ground."""
    q = assemble(linkage("four-bar", (3.0, 1.0, 4.0, 2.5), (1.5708, -1.2175, 1.2649)))
    crank, rocker, slope = q[0], q[2], q[0] + q[1] + math.pi  # of the coupler, from the rocker's end
    tree = [rod("rocker", -1, 2.5, (3.0, 0.0, 0.0)), rod("coupler", 0, 4.0, (2.5, 0.0, 0.0)), rod("crank", -1, 1.0)]
    guess = [rocker, slope - rocker, crank]
    cuts = [Cut("A", "revolute", Anchor(2, (1.0, 0.0, 0.0)), Anchor(1, (4.0, 0.0, 0.0)))]
    knee = 3.0 + 2.5 * math.cos(rocker), 2.5 * math.sin(rocker)
    for k in range(count):
        at = 1.0 + k
        x, first = 6.0 - 2.0 * k, len(tree)
        reach = knee[0] + at * math.cos(slope), knee[1] + at * math.sin(slope)
        tree += [rod(f"thigh{k}", -1, 3.0, (x, 0.0, 0.0)), rod(f"shin{k}", first, 3.0, (3.0, 0.0, 0.0))]
        guess += dyad((x, 0.0), reach)
        cuts.append(Cut(f"B{k}", "revolute", Anchor(first + 1, (3.0, 0.0, 0.0)), Anchor(1, (at, 0.0, 0.0))))
    return Mechanism("branched", tuple(tree)).closed_by(tuple(cuts), (2,), tuple(map(float, guess)))


@pytest.mark.parametrize("count", [1, 2, 3])
def test_subsystems_that_do_not_wait_for_one_another(count):
    mechanism = branched(count)
    dyads = [(0, [f"thigh{k}", f"shin{k}"], [f"B{k}"], []) for k in range(count)]
    between = (1, ["rocker", "coupler"], ["A"], [f"B{k}" for k in range(count)])
    found = bodies_of(mechanism)
    assert sorted(found[:count]) == dyads
    assert found[count:] == [between, (2, ["crank"], [], ["A"])]
    for method, network in WAYS:
        if method != "denoc":
            assert agrees(mechanism, method, network, moving(mechanism, 1), MACHINES)


@pytest.mark.parametrize("machine", MACHINES)
def test_they_run_at_the_same_time(machine):
    """Every dyad has done with its forces at the same tick, however many there are; alone, one comes after another."""
    ends, alone = [], []
    for count in (1, 2, 3):
        mechanism = branched(count)
        motion = moving(mechanism, 1)
        run = INVERSES["subsystems"].plan(mechanism, "complete", motion).run(load_machine(machine))
        assert run.processors == count + 2
        names = [[mechanism.bodies[i].name for i in bodies] for bodies in mechanism.subsystems]
        dyads = [k + 1 for k, bodies in enumerate(names) if bodies[0].startswith("thigh")]
        assert len(dyads) == count
        busy = {cpu.node: account.busy for cpu, account in zip(run.cpus, run.trace.accounts().values(), strict=True)}
        ends.append({busy[node] for node in dyads})
        first = [
            next(start for start, _, what in cpu.core.spans if isinstance(what, tuple))
            for cpu in run.cpus
            if cpu.node in dyads
        ]
        assert len(set(first)) == 1  # when they send what they found
        alone.append(INVERSES["subsystems"].plan(mechanism, "one", motion).run(load_machine(machine)).ticks)
    assert ends[0] == ends[1] == ends[2]
    assert len(ends[0]) == 1
    assert alone[2] - alone[1] >= alone[1] - alone[0] > next(iter(ends[0]))


# Refusals


def test_what_is_refused():
    four, tied = load_robot("four-bar"), parallelogram(third=True)
    with pytest.raises(MeshSimError, match=r"^subsystems runs on one or complete, not on 'star'$"):
        INVERSES["subsystems"].places(four, "star")
    for method in INVERSES:
        with pytest.raises(MeshSimError, match=rf"^{method} runs on one or .*complete, not on 'ring'$"):
            INVERSES[method].places(four, "ring")
        with pytest.raises(MeshSimError, match=r"^the constraints of tied parallelogram are redundant: a row of"):
            INVERSES[method].places(tied, "one")


def test_what_a_scheme_refuses():
    four, puma = load_robot("four-bar"), load_robot("puma600")
    for message, make in (
        (f"unknown scheme 'cnoc'; known: {', '.join(SCHEMES)}", lambda: load_scheme("cnoc")),
        (
            "option layout of subsystems must be one or complete, not 'star'",
            lambda: SCHEMES["subsystems"].inversion(four, layout="star"),
        ),
        ("unknown option 'k' of noc; known: layout", lambda: SCHEMES["noc"].inversion(four, k="1")),
        ("noc is for mechanisms with loops, and puma600 has none", lambda: SCHEMES["noc"].inversion(puma)),
        (
            "penalty computes accelerations alone, not torques of four-bar",
            lambda: SCHEMES["penalty"].inversion(four),
        ),
        (
            "noc computes inverse dynamics alone, for `meshsim inverse`, not accelerations",
            lambda: SCHEMES["noc"].evaluation(four),
        ),
    ):
        with pytest.raises(MeshSimError) as caught:
            make()
        assert str(caught.value) == message


def test_schemes_that_have_inverse_dynamics():
    with_loops = {name for name, scheme in SCHEMES.items() if scheme.inverse is not None and scheme.wants}
    assert with_loops == set(INVERSES)
    mechanism = load_robot("3rrr")
    motion = moving(mechanism, 2)
    for name in INVERSES:
        found = SCHEMES[name].inversion(mechanism, layout="complete")
        assert found.reference(*motion).tolist() == actuated_torques(mechanism, *motion).tolist()
        assert (len(found.places()) > 1, len(found.alone().places())) == (True, 1)


@pytest.mark.parametrize("method", INVERSES)
def test_actuated_joints_that_do_not_tell_the_motion_are_refused(method):
    """Crank and coupler in one line, and the rocker driven."""
    x, y = 3.0 * math.cos(0.5), 3.0 * math.sin(0.5)
    lengths = 3.0, 1.0, 2.0, math.hypot(x - 3.0, y)
    dead = linkage("dead", lengths, (0.5, 0.0, math.atan2(y, x - 3.0)), actuated=(2,))
    why = "do not determine its motion: with them held, 'crank', 'coupler' can still move"
    with pytest.raises(MeshSimError, match=rf"^the actuated joints of dead \('rocker'\) {why}$"):
        INVERSES[method].places(dead, "one")


def test_forces_that_cannot_be_found_are_named():
    """With every joint driven there are five unknowns in three equations; some will be left, whichever."""
    four = load_robot("four-bar")
    driven = replace(four, actuated=(0, 1, 2), guess=tuple(assemble(four).tolist()))
    left = r"^the subsystems of four-bar leave the forces of '(pin|an actuated joint)' undetermined$"
    with pytest.raises(MeshSimError, match=left):
        order_of(layout_of(driven))
    with pytest.raises(MeshSimError, match=r"^subsystems takes as many actuated joints as freedoms, and "):
        INVERSES["subsystems"].places(driven, "one")


# The command


def test_command(tmp_path, capsys):
    command = ["inverse", "subsystems", "--robot", "scraper", "--machine", "t800", "--network", "complete"]
    command += ["--samples", "5", "--out", str(tmp_path / "out")]
    assert main(command) == 0
    out = capsys.readouterr().out
    assert "subsystems, complete: scraper on t800, 3 processors" in out
    assert (
        "  1: III-1, III-2, III-3, III-1-1: forces of B1, B3\n  2: rocker, coupler: forces of A\n  3: crank: torques"
        in out
    )
    files = ["settings.json", "subsystems.png", "torques.csv", "torques.png"]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == files
    with (tmp_path / "out" / "torques.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    assert [row["joint"] for row in rows] == ["crank"] * 5
    assert main([*command, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["error"] < ROUNDING
    assert [row[0] for row in found["torques"]] == pytest.approx([float(row["tau"]) for row in rows])
    assert found["torques"][0] == pytest.approx([-6.595974603236741], abs=1e-8)
    assert (found["processors"], found["joints"], found["t"][-1]) == (3, ["crank"], pytest.approx(4 / 3))


@pytest.mark.parametrize("method", ["noc", "denoc", "subsystems"])
@pytest.mark.parametrize("robot", ["four-bar", "docs/examples/fivebar.toml"])
def test_command_along_a_cycloid(method, robot, tmp_path, capsys):
    if robot.endswith(".toml"):
        robot = str(ROOT / robot)
    command = ["inverse", method, "--robot", robot, "--machine", "ideal", "--motion", "cycloid:1:20", "--samples", "3"]
    assert main([*command, "--out", str(tmp_path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["error"] < ROUNDING
    assert (tmp_path / "subsystems.png").exists() == (method == "subsystems")


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (
            ["--robot", "four-bar"],
            "four-bar has no motion of its own; cycloid:SECONDS[:DEGREES[:METRES]] gives it one",
        ),
        (
            ["--motion", "spiral"],
            "profile must be own, cycloid:SECONDS[:DEGREES[:METRES]], or FILE.csv of a motion, not 'spiral'",
        ),
        (
            ["--motion", "cycloid:0"],
            "finite numbers of which the first is positive, not 'cycloid:0'",
        ),
        (
            ["--motion", "cycloid:1:-20:9"],
            "3prr leaves its workspace at t = 0.2346 s of this motion, with joint 'slider1' ",
        ),
        (["--samples", "1"], "--samples must be from 2 to 10000, not 1"),
        (["--network", "ring"], "the size of ring must be N, as in ring:4"),
        (["--robot", "puma600"], "noc is for mechanisms with loops, and puma600 has none; wong-mesh or lee-chang or "),
        (["--robot", "five-bar:9"], "base of the five-bar must let its arms meet, not 9 m"),
        (["--out", ""], "--out must name a folder, not nothing"),
        (["--machine", "none"], "machine must be a .toml file or one of ideal, "),
    ],
)
def test_refused_commands(more, message, tmp_path, capsys):
    command = [
        "inverse",
        "noc",
        "--robot",
        "3prr",
        "--machine",
        "ideal",
        "--samples",
        "3",
        "--out",
        str(tmp_path / "out"),
    ]
    assert main([*command, *more]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    errors = [line for line in err.splitlines() if not line.startswith("torques:")]
    assert len(errors) == 1
    assert message in errors[0]
    kept = tmp_path / "out" / "torques.csv"  # what was computed before the workspace was left
    assert kept.exists() == ("workspace" in message)


def test_refused_methods(capsys):
    assert main(["inverse", "none", "--robot", "3prr", "--machine", "ideal"]) == 2
    assert "unknown scheme 'none'; known: " in capsys.readouterr().err
    assert main(["inverse", "denoc", "--robot", "scraper", "--machine", "ideal"]) == 2
    told = "denoc takes legs without branches, and joint 'III-2' branches off; noc could take it\n"
    assert capsys.readouterr().err.endswith(told)
