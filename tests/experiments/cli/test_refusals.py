"""What the command says of mistakes: one line that is true, before anything is written over."""

import csv
import json

import pytest
from tools.command import call, run_json

from meshsim.algorithms.motion.profiles import load_profile
from meshsim.algorithms.robots.catalogue import load_robot
from meshsim.algorithms.schemes.catalogue import SCHEMES
from meshsim.algorithms.schemes.takers import inverters, movers, takers
from meshsim.errors import MeshSimError
from meshsim.experiments.front.resolve import mover_of

FOUR_BAR = ("--robot", "four-bar", "--machine", "t800")
RRR = ("--robot", "3rrr", "--machine", "t800")
PUMA = ("--robot", "puma600", "--machine", "t800")


def refused(capsys, *words):
    """What an error says; nothing else is said."""
    status, out, err = call(capsys, *words, "--quiet")
    assert (status, out) == (2, "")
    assert err.startswith("meshsim: error: ")
    assert err.count("\n") == 1
    return err.removeprefix("meshsim: error: ").rstrip()


# Who could take a robot

STILL = ("wong-mesh-loops", "dca")
"""Schemes that evaluate a mechanism with loops once, and do not move it."""


@pytest.mark.parametrize("robot", ["four-bar", "3rrr", "3rrr:redundant", "scraper", "stewart", "puma600"])
def test_only_schemes_with_states_are_named_to_those_who_move_a_robot(robot):
    mechanism = load_robot(robot)
    named = [scheme.name for scheme in movers(mechanism)]
    assert named == [scheme.name for scheme in takers(mechanism) if scheme.name not in STILL or not mechanism.cuts]
    for scheme in movers(mechanism):
        assert mover_of(scheme, mechanism, {})


@pytest.mark.parametrize("verb", ["simulate", "realtime"])
@pytest.mark.parametrize("scheme", ["one-saha", "wong-mesh-loops"])
def test_verbs_that_move_a_robot_name_schemes_that_do(verb, scheme, capsys, tmp_path):
    out = ("--out", tmp_path) if verb == "simulate" else ()
    said = refused(capsys, verb, scheme, *FOUR_BAR, "--step", "0.01", *out)
    assert said.endswith("; penalty or projection or denoc or multipliers or elimination could take it")
    assert not list(tmp_path.iterdir())


def test_who_inverts_is_named_to_those_who_ask_for_torques(capsys, tmp_path):
    mechanism = load_robot("four-bar")
    for scheme in SCHEMES.values():
        if scheme not in inverters(mechanism):
            said = refused(capsys, "inverse", scheme.name, *FOUR_BAR, "--profile", "cycloid:1", "--out", tmp_path)
            assert said.endswith("; denoc or noc or subsystems could take it")


# Numbers that are too large


@pytest.mark.parametrize("verb", ["run", "simulate"])
def test_a_sigma_whose_square_overflows(verb, capsys, tmp_path):
    moving = ("--step", "0.01", "--duration", "0.02", "--out", tmp_path / "out") if verb == "simulate" else ()
    said = refused(capsys, verb, "projection", *FOUR_BAR, "--option", "sigma=1e200", *moving)
    assert said.startswith("qdd of 'four-bar' in this state must be finite")


@pytest.mark.parametrize(("scheme", "option", "said"), [
    ("penalty", "k=1e30", "smaller steps, or softer springs, may help"),
    ("projection", "sigma=1e150", "smaller steps, or a smaller sigma, may help"),
])  # fmt: skip
def test_what_may_help_is_an_option_that_the_scheme_has(scheme, option, said, capsys, tmp_path):
    words = ("--step", "0.01", "--duration", "0.1", "--out", tmp_path, "--option", option, "--profile", "6")
    assert f"; {said}; what was computed, up to" in refused(capsys, "simulate", scheme, *FOUR_BAR, *words)


def test_a_motion_that_is_too_quick_says_when_and_what_is_kept(capsys, tmp_path, recwarn):
    said = refused(capsys, "inverse", "one-saha", *PUMA, "--profile", "cycloid:1e-300", "--out", tmp_path)
    assert said.startswith("tau computed by one-saha at t = 1e-302 s must be finite; ")
    assert said.endswith(f"; what was computed, up to t = 0 s, is in {tmp_path / 'torques.csv'}")
    assert not recwarn.list


# Cycloids, options and feedback


@pytest.mark.parametrize("profile", ["cycloid:-1", "cycloid:nan", "cycloid:1:inf", "cycloid:1:2:3:4"])
def test_a_cycloid_that_is_none_is_told_how_to_be_one(profile, capsys):
    said = refused(capsys, "inverse", "one-saha", *PUMA, "--profile", profile)
    form = "cycloid:SECONDS[:DEGREES[:METRES]], finite numbers of which the first is positive"
    assert said == f"profile must be {form}, not {profile!r}"


def test_a_motion_of_one_row_drives_no_loops(capsys, tmp_path):
    path = tmp_path / "motion.csv"
    path.write_text("t,q_crank,qd_crank,qdd_crank\n0,0.1,0,0\n")
    said = refused(capsys, "run", "penalty", *FOUR_BAR, "--profile", path)
    assert said == f"{path}: a motion must have two rows or more to drive four-bar, not one"


def test_an_option_and_its_old_name_are_not_both_taken(capsys):
    twice = ("--network", "star", "--option", "layout=one")
    assert refused(capsys, "inverse", "denoc", *RRR, *twice) == "option 'layout' must be given once, not twice"
    twice = ("--distribution", "held", "--option", "distribution=full")
    assert refused(capsys, "closed", "penalty", *RRR, *twice) == "option 'distribution' must be given once, not twice"


def test_an_argument_with_a_minus_is_told_by_its_own_name(capsys):
    err = call(capsys, "simulate", "penalty", *FOUR_BAR, "--feedback", "-1,2")[2]
    assert "written with =, as --feedback=-1,2 (see" in err


def test_feedback_of_redundant_joints_is_refused_by_name():
    driving = load_profile("cycloid:1:1", load_robot("3rrr:redundant"))
    with pytest.raises(MeshSimError, match=r"^feedback must be of as many .*, and 3rrr:redundant has 3 more$"):
        driving.feedback(100.0, 10.0)


# Open loops


def test_rates_that_do_not_close_open_loops_at_sigma(capsys, tmp_path):
    path = tmp_path / "state.json"
    path.write_text(json.dumps({"q": [0.1, 0.2, 0.3], "qd": [0, 0, 0], "tau": [0]}))
    said = refused(capsys, "run", "projection", *FOUR_BAR, "--state", path)
    assert '"qd" must close the loops of four-bar at the rate of sigma (A q\' = - sigma c), and is off by' in said
    assert "opens" not in said


def test_actuated_joints_that_let_no_loop_close_are_not_recommended(capsys, tmp_path):
    path = tmp_path / "state.json"
    path.write_text(json.dumps({"q": [0.1] * 9, "qd": [0] * 9, "tau": [0] * 9}))
    said = refused(capsys, "run", "multipliers", *RRR, "--state", path)
    assert "they do not close at all (penalty" in said
    assert "the others follow" not in said


def test_a_motion_begins_at_the_rates_that_were_given(capsys, tmp_path):
    path = tmp_path / "state.json"
    path.write_text(json.dumps({"q": [0.3], "qd": [5.0], "tau": [0]}))
    words = ("--profile", "cycloid:1:10", "--state", path, "--step", "0.001", "--duration", "0.001")
    run_json(capsys, "simulate", "denoc", *FOUR_BAR, *words, "--out", tmp_path / "out", "--quiet")
    with (tmp_path / "out" / "motion.csv").open() as table:
        row = next(row for row in csv.DictReader(table) if row["joint"] == "crank")
    assert (float(row["q"]), float(row["qd"])) == pytest.approx((0.3, 5.0))


# Files


@pytest.mark.parametrize(("verb", "scheme", "more"), [
    ("inverse", "one-saha", ("--trace", "torques.csv")),
    ("inverse", "one-saha", ("--gantt", "torques.png")),
    ("simulate", "one-saha", ("--trace", "motion.csv")),
    ("simulate", "one-saha", ("--gantt", "positions.png")),
])  # fmt: skip
def test_pictures_and_traces_are_not_written_over_results(verb, scheme, more, capsys, tmp_path):
    option, name = more
    said = refused(capsys, verb, scheme, *PUMA, option, tmp_path / name, "--out", tmp_path, "--profile", "cycloid:1")
    assert said == f"output {str(tmp_path / name)!r} must be a file of its own, and is a result as well"
    assert not list(tmp_path.iterdir())


def test_a_trace_is_not_written_over_the_profile_of_a_run(capsys, tmp_path):
    path = tmp_path / "motion.csv"
    path.write_text("t,q_crank,qd_crank,qdd_crank\n0,0.1,0,0\n1,0.4,0,0\n")
    said = refused(capsys, "run", "penalty", *FOUR_BAR, "--profile", path, "--trace", path)
    assert said.endswith("must be a file of its own, and is an input as well")
    assert path.read_text().startswith("t,q_crank")


def test_torques_that_end_early_leave_nothing_of_an_earlier_motion(capsys, tmp_path):
    left = [tmp_path / name for name in ("torques.png", "subsystems.png", "reactions.csv")]
    for path in left:
        path.write_text("of an earlier motion")
    words = ("--profile", "cycloid:1:360", "--samples", "20", "--out", tmp_path, "--force")
    said = refused(capsys, "inverse", "noc", *RRR, *words)
    assert said.startswith("3rrr leaves its workspace at t = 0.309")
    assert said.endswith(f"; what was computed, up to t = 0.263158 s, is in {tmp_path / 'torques.csv'}")
    assert not any(path.exists() for path in left)


def test_a_folder_below_a_file(capsys, tmp_path):
    (tmp_path / "file").write_text("")
    folder = tmp_path / "file" / "out"
    said = refused(capsys, "inverse", "one-saha", *PUMA, "--profile", "cycloid:1", "--out", folder)
    assert said == f"cannot write {str(folder / 'torques.csv')!r}: Not a directory"


# What is said of numbers


@pytest.mark.parametrize(("layout", "said"), [
    ("one", "every number above was computed by the simulated processor."),
    ("star", "every number above was computed by the simulated processors, from what travelled over their links."),
])  # fmt: skip
def test_accelerations_that_stay_where_they_are_computed_did_not_travel(layout, said, capsys):
    out = call(capsys, "run", "penalty", *FOUR_BAR, "--option", f"layout={layout}")[1]
    assert said in out.replace("\n  ", " ")
