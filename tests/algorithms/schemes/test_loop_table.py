"""Every scheme for loops, robot and layout runs and agrees, or is refused in a sentence: docs/closed.md has the table."""

import json
import re
from functools import partial
from itertools import groupby
from pathlib import Path

import numpy as np
import pytest

from meshsim.algorithms.collectives.exchange import NETWORKS
from meshsim.algorithms.reference.loops import actuated_torques
from meshsim.algorithms.robots.catalogue import load_robot
from meshsim.algorithms.robots.closure import assemble, consistent_rates, loops
from meshsim.algorithms.robots.linkages import LINKAGES
from meshsim.algorithms.robots.state import State
from meshsim.algorithms.schemes.catalogue import SCHEMES
from meshsim.algorithms.schemes.loops.inverse import INVERSES
from meshsim.algorithms.schemes.loops.mesh_loops import MESH_LOOPS, OPTIONS
from meshsim.algorithms.schemes.loops.methods import METHODS
from meshsim.algorithms.schemes.loops.projection import TECHNIQUES
from meshsim.algorithms.types.arrays import relative_error
from meshsim.errors import MeshSimError
from meshsim.experiments.cli.main import main
from meshsim.simulation import NOWHERE

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "closed.md"
EXAMPLES = {f"{name}.toml": str(ROOT / "docs" / "examples" / f"{name}.toml") for name in ("fourbar", "fivebar")}
ROBOTS = {**dict(zip(LINKAGES, LINKAGES, strict=True)), **EXAMPLES}
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


def forward(name, mechanism, given, **options):
    """The error of one evaluation, the largest of all techniques."""
    q, qd, tau, _ = given
    at, errors = State(tuple(q.tolist()), tuple(qd.tolist()), tuple(tau.tolist())), []
    for technique in TECHNIQUES if "technique" in SCHEMES[name].options else ("",):
        more = {"technique": technique} if technique else {}
        found = SCHEMES[name].evaluation(mechanism, **options, **more)
        errors.append(found.plan(at).run(NOWHERE, trace=False).value.errors(found.reference(at))["qdd"])
    return max(errors)


def backward(name, mechanism, given, layout):
    q, qd, _, qdd = given
    found = SCHEMES[name].inversion(mechanism, layout=layout).plan(q, qd, qdd).run(NOWHERE, trace=False).value
    return relative_error(found, actuated_torques(mechanism, q, qd, qdd))


def ways():
    """Command, scheme, where, and what gives the error on a mechanism in a state."""
    for name in METHODS:
        yield "run", name, "one", partial(forward, name, layout="one")
        for layout in NETWORKS[1:]:
            for how in SCHEMES[name].options.get("distribution", ("",)):
                chosen = {"layout": layout, **({"distribution": how} if how else {})}
                yield "run", name, f"{layout} {how}".strip(), partial(forward, name, **chosen)
    for variant in OPTIONS["variant"]:
        yield "run", MESH_LOOPS.name, variant, partial(forward, MESH_LOOPS.name, variant=variant)
    for name in INVERSES:
        for layout in NETWORKS:
            yield "inverse", name, layout, partial(backward, name, layout=layout)


@pytest.fixture(scope="module")
def found():
    """By command, scheme and where: what came of it for each robot, `RUNS` or a refusal."""
    given = {
        name: (mechanism, state(mechanism)) for name, mechanism in ((name, load_robot(ROBOTS[name])) for name in ROBOTS)
    }
    cells = {}
    for command, scheme, where, run in ways():
        for robot, (mechanism, at) in given.items():
            try:
                error = run(mechanism, at)
            except MeshSimError as refusal:
                told = str(refusal)
            else:
                assert error < AGREED, (command, scheme, where, robot)
                told = RUNS
            cells.setdefault((command, scheme, where), []).append(told)
    return cells


def table(found):
    """Ways of a scheme that come out alike share a line; refusals are told below."""
    notes = {}
    lines = [f"| command | scheme | where | {' | '.join(ROBOTS)} |", "|---" * (len(ROBOTS) + 3) + "|"]
    for (command, scheme), rows in groupby(found.items(), key=lambda item: item[0][:2]):
        alike = {}
        for (_, _, where), cells in rows:
            alike.setdefault(tuple(map(_general, cells)), []).append(where)
        for cells, places in alike.items():
            marks = [each if each == RUNS else f"({notes.setdefault(each, len(notes) + 1)})" for each in cells]
            lines.append(f"| `{command}` | `{scheme}` | {', '.join(places)} | {' | '.join(marks)} |")
    lines.append("")
    lines += [f"{number}. {note}" for note, number in notes.items()]
    return "\n".join(lines)


def _general(refusal):
    """A refusal with one layout for all that are refused."""
    return re.sub(r"^(option layout .*), not '(star|complete)'$", r"\1", refusal)


def test_all_run_and_agree_or_are_refused(found):
    assert len(found) == 2 * 5 + 2 * 3 + len(OPTIONS["variant"]) + 3 * len(INVERSES)
    for (_, scheme, _), cells in found.items():
        for told in cells:
            assert told == RUNS or told.startswith((f"{scheme} ", f"option layout of {scheme} ")), told
    assert sum(told == RUNS for cells in found.values() for told in cells) > 200
    for key in (
        ("run", "projection", "star partly"),
        ("inverse", "noc", "complete"),
        ("run", "wong-mesh-loops", "small"),
    ):
        assert set(found[key]) == {RUNS}


def test_the_page_has_the_table(found):
    made = table(found)
    page = PAGE.read_text()
    assert made in page, f"docs/closed.md must have this table:\n{made}"


def test_the_page_names_what_there_is():
    page = PAGE.read_text()
    for name in (name for name, scheme in SCHEMES.items() if scheme.wants):
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
