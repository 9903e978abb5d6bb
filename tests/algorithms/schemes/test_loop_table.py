"""Every method, mechanism and network runs and agrees, or is refused in a sentence; docs/closed.md has the table."""

import json
import re
from itertools import groupby

import numpy as np
import pytest
from tools.paths import EXAMPLES, ROOT

from meshsim.algorithms.collectives.exchange import NETWORKS
from meshsim.algorithms.reference.loops import actuated_torques, constrained_dynamics
from meshsim.algorithms.robots.catalogue import load_robot
from meshsim.algorithms.robots.closure import assemble, consistent_rates, loops
from meshsim.algorithms.robots.linkages import LINKAGES
from meshsim.algorithms.schemes.loops.inverse import INVERSES
from meshsim.algorithms.schemes.loops.mesh_loops import OPTIONS, mesh_loops_plan
from meshsim.algorithms.schemes.loops.method import DISTRIBUTIONS
from meshsim.algorithms.schemes.loops.methods import METHODS, closed_settings
from meshsim.algorithms.schemes.loops.projection import TECHNIQUES
from meshsim.algorithms.types.arrays import relative_error
from meshsim.errors import MeshSimError
from meshsim.experiments.cli.main import main
from meshsim.simulation import NOWHERE

PAGE = ROOT / "docs" / "closed.md"
FILES = {f"{name}.toml": str(EXAMPLES / f"{name}.toml") for name in ("fourbar", "fivebar")}
ROBOTS = {**dict(zip(LINKAGES, LINKAGES, strict=True)), **FILES}
AGREED = 1e-9
RUNS = "runs"


def state(mechanism):
    """Joints in motion as loops allow, driven at random; and how they accelerate if the actuated ones do so."""
    random = np.random.default_rng(7)
    driven = list(mechanism.actuated)
    q = assemble(mechanism)
    qd = consistent_rates(mechanism, q, random.normal(size=len(driven)))
    tau, qdd = np.zeros(mechanism.n), np.zeros(mechanism.n)
    tau[driven], qdd[driven] = 5.0 * random.normal(size=len(driven)), random.normal(size=len(driven))
    now = loops(mechanism, q, qd)
    passive = [j for j in range(mechanism.n) if j not in mechanism.actuated]
    qdd[passive] = np.linalg.solve(now.A[:, passive], -now.A @ qdd - now.bias)
    return q, qd, tau, qdd


def forward(name, network, distribution, mechanism, given):
    """The error of one evaluation, the largest of all techniques."""
    method, (q, qd, tau, _) = METHODS[name], given
    errors = []
    for technique in TECHNIQUES if name == "projection" else ("",):
        options = {"technique": technique} if technique else {}
        settings = closed_settings(method, options, distribution)
        case = Case(method, settings, network, mechanism, q, qd, tau.tolist())
        errors.append(case.error(case.plan().run(NOWHERE, trace=False).value))
    return max(errors)


def on_the_mesh(variant, mechanism, given):
    q, qd, tau, _ = given
    found = mesh_loops_plan(mechanism, q, qd, tau, variant).run(NOWHERE, trace=False).value
    return relative_error(found, constrained_dynamics(mechanism, q, qd, tau)[0])


def backward(name, network, mechanism, given):
    q, qd, _, qdd = given
    found = INVERSES[name].plan(mechanism, network, q, qd, qdd).run(NOWHERE, trace=False).value
    return relative_error(found, actuated_torques(mechanism, q, qd, qdd))


def ways():
    """Command, method, where, and what gives the error on a mechanism in a state."""
    for name in METHODS:
        yield "closed", name, "one", lambda *at, name=name: forward(name, "one", None, *at)
        for network in NETWORKS[1:]:
            for how in DISTRIBUTIONS:
                run = lambda *at, name=name, network=network, how=how: forward(name, network, how, *at)  # noqa: E731
                yield "closed", name, f"{network} {how}", run
    for variant in OPTIONS["variant"]:
        yield "closed", "mesh", variant, lambda *at, variant=variant: on_the_mesh(variant, *at)
    for name in INVERSES:
        for network in NETWORKS:
            run = lambda *at, name=name, network=network: backward(name, network, *at)  # noqa: E731
            yield "inverse", name, network, run


@pytest.fixture(scope="module")
def found():
    """By command, method and where: what came of it for each robot, `RUNS` or a refusal."""
    given = {
        name: (mechanism, state(mechanism)) for name, mechanism in ((name, load_robot(ROBOTS[name])) for name in ROBOTS)
    }
    cells = {}
    for command, method, where, run in ways():
        for robot, (mechanism, at) in given.items():
            try:
                error = run(mechanism, at)
            except MeshSimError as refusal:
                told = str(refusal)
            else:
                assert error < AGREED, (command, method, where, robot)
                told = RUNS
            cells.setdefault((command, method, where), []).append(told)
    return cells


def table(found):
    """Ways of a method that come out alike share a line; refusals are told below."""
    notes = {}
    lines = [f"| command | method | where | {' | '.join(ROBOTS)} |", "|---" * (len(ROBOTS) + 3) + "|"]
    for (command, method), rows in groupby(found.items(), key=lambda item: item[0][:2]):
        alike = {}
        for (_, _, where), cells in rows:
            alike.setdefault(tuple(map(_general, cells)), []).append(where)
        for cells, places in alike.items():
            marks = [each if each == RUNS else f"({notes.setdefault(each, len(notes) + 1)})" for each in cells]
            lines.append(f"| `{command}` | `{method}` | {', '.join(places)} | {' | '.join(marks)} |")
    lines.append("")
    lines += [f"{number}. {note}" for note, number in notes.items()]
    return "\n".join(lines)


def _general(refusal):
    """A refusal with one network for all of its kind."""
    return re.sub(r"not on '(star|complete)'$", "not elsewhere", refusal)


def test_all_run_and_agree_or_are_refused(found):
    assert len(found) == 5 * len(METHODS) + len(OPTIONS["variant"]) + 3 * len(INVERSES)
    for (_, method, _), cells in found.items():
        for told in cells:
            assert told == RUNS or told.startswith(f"{method} "), told
    assert sum(told == RUNS for cells in found.values() for told in cells) > 200
    for key in (("closed", "projection", "star partly"), ("inverse", "noc", "complete"), ("closed", "mesh", "small")):
        assert set(found[key]) == {RUNS}


def test_the_page_has_the_table(found):
    made = table(found)
    page = PAGE.read_text()
    assert made in page, f"docs/closed.md must have this table:\n{made}"


def test_the_page_names_what_there_is():
    page = PAGE.read_text()
    for name in (*METHODS, "mesh", *INVERSES):
        assert f"- `{name}`" in page


ZEROS = {"four-bar": 1, "3rrr": 3, "3prr": 3, "five-bar": 2, "scraper": 1}


@pytest.mark.parametrize("robot", ZEROS)
@pytest.mark.parametrize("method", [*METHODS, "mesh"])
def test_commands_run_or_are_refused_in_a_line(method, robot, capsys):
    """Without torques, which are quick to have."""
    command = [
        "closed",
        method,
        "--robot",
        robot,
        "--machine",
        "t800",
        "--json",
        "--drive",
        ",".join("0" * ZEROS[robot]),
    ]
    network = [] if method in ("mesh", "multipliers") else ["--network", "star", "--distribution", "partly"]
    status = main([*command, *network])
    out, err = capsys.readouterr()
    if (method, robot) == ("denoc", "scraper"):
        assert (status, out) == (2, "")
        assert err.startswith("meshsim: error: denoc takes legs without branches, and joint 'III-2' branches off; ")
        assert err.count("\n") == 1
    else:
        assert status == 0
        assert json.loads(out)["error"] < AGREED


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["multipliers", "--network", "star"], "multipliers runs on one, not on 'star'"),
        (["denoc", "--network", "star", "--distribution", "full"], "denoc is distributed partly, not 'full'"),
        (["projection", "--network", "ring"], "projection runs on one or star or complete, not on 'ring'"),
        (
            ["mesh", "--network", "star"],
            "mesh has a network of its own: --network and --distribution must not be given",
        ),
    ],
)
def test_refused_places(command, message, capsys):
    assert main(["closed", *command, "--robot", "four-bar", "--machine", "ideal"]) == 2
    assert capsys.readouterr().err == f"meshsim: error: {message}\n"
