"""Every scheme for loops, with all its options, runs and agrees, or refuses in a sentence; docs/loops.md shows it."""

from itertools import groupby, product

import numpy as np
import pytest
from tools.paths import EXAMPLES, ROOT
from tools.schemes import LOOPS

from meshsim.algorithms.robots.catalogue import load_robot
from meshsim.algorithms.robots.closure import assemble, consistent_rates, leading, loops
from meshsim.algorithms.robots.linkages import LINKAGES
from meshsim.algorithms.robots.state import State
from meshsim.algorithms.types.arrays import relative_error
from meshsim.errors import MeshSimError
from meshsim.simulation import NOWHERE

PAGE = ROOT / "docs" / "loops.md"
FILES = {f"{name}.toml": str(EXAMPLES / f"{name}.toml") for name in ("fourbar", "fivebar")}
ROBOTS = {**{name: name for name in (*LINKAGES, "stewart")}, **FILES}
AGREED = 1e-9
RUNS = "runs"
VARIED = ("variant", "layout", "distribution", "technique", "recursion")


def state(mechanism):
    """Joints in motion as loops allow, driven at random; and how they accelerate if the actuated ones do so."""
    random = np.random.default_rng(7)
    driven, leads = list(mechanism.actuated), list(leading(mechanism))
    q = assemble(mechanism)
    qd = consistent_rates(mechanism, q, random.normal(size=len(driven)))
    tau, qdd = np.zeros(mechanism.n), np.zeros(mechanism.n)
    tau[driven], qdd[leads] = 5.0 * random.normal(size=len(driven)), random.normal(size=len(leads))
    now = loops(mechanism, q, qd)
    passive = [j for j in range(mechanism.n) if j not in leads]
    qdd[passive] = np.linalg.solve(now.A[:, passive], -now.A @ qdd - now.bias)
    return q, qd, tau, qdd


def forward(scheme, options, mechanism, given):
    """The error of one evaluation."""
    at = State(*(tuple(values.tolist()) for values in given[:3]))
    evaluation = scheme.evaluation(mechanism, **options)
    found = evaluation.plan(at).run(NOWHERE, trace=False).value
    return max(found.errors(evaluation.reference(at)).values())


def backward(scheme, options, mechanism, given):
    """The error of torques."""
    q, qd, _, qdd = given
    inversion = scheme.inversion(mechanism, **options)
    found = inversion.plan(q, qd, qdd).run(NOWHERE, trace=False).value
    return relative_error(found, inversion.reference(q, qd, qdd))


def choices(scheme):
    """Every choice of the options that decide how a scheme is laid out."""
    varied = {name: scheme.options[name] for name in VARIED if name in scheme.options}
    return [dict(zip(varied, chosen, strict=True)) for chosen in product(*varied.values())]


def ways():
    """Verb, scheme, options, and what gives the error on a mechanism in a state."""
    for name, scheme in LOOPS.items():
        if scheme.make is not None:
            for options in choices(scheme):
                yield "run", name, options, forward
    for name, scheme in LOOPS.items():
        if scheme.inverse is not None:
            for options in choices(scheme):
                yield "inverse", name, options, backward


@pytest.fixture(scope="module")
def found():
    """By verb, scheme and options: what came of it for each robot, `RUNS` or a refusal."""
    robots = {name: load_robot(text) for name, text in ROBOTS.items()}
    given = {name: (mechanism, state(mechanism)) for name, mechanism in robots.items()}
    cells = {}
    for verb, name, options, run in ways():
        where = " ".join(options.values())
        for robot, (mechanism, at) in given.items():
            try:
                error = run(LOOPS[name], options, mechanism, at)
            except MeshSimError as refusal:
                said = str(refusal)
            else:
                assert error < AGREED, (verb, name, where, robot)
                said = RUNS
            cells.setdefault((verb, name, where), []).append(said)
    return cells


def table(found):
    """Options of a scheme that come out alike share a line; refusals stand below."""
    notes = {}
    lines = [f"| verb | scheme | options | {' | '.join(ROBOTS)} |", "|---" * (len(ROBOTS) + 3) + "|"]
    for (verb, scheme), rows in groupby(found.items(), key=lambda item: item[0][:2]):
        alike = {}
        for (_, _, where), cells in rows:
            alike.setdefault(tuple(cells), []).append(where)
        for cells, places in alike.items():
            marks = [each if each == RUNS else f"({notes.setdefault(each, len(notes) + 1)})" for each in cells]
            lines.append(f"| `{verb}` | `{scheme}` | {', '.join(places)} | {' | '.join(marks)} |")
    lines.append("")
    lines += [f"{number}. {note}" for note, number in notes.items()]
    return "\n".join(lines)


def test_all_run_and_agree_or_refuse(found):
    for (_, scheme, _), cells in found.items():
        for said in cells:
            assert said == RUNS or said.startswith(f"{scheme} "), said
    assert sum(said == RUNS for cells in found.values() for said in cells) > 200
    for key in (("run", "projection", "star partly qr"), ("inverse", "noc", "complete")):
        assert set(found[key]) == {RUNS}
    assert set(found["run", "wong-mesh-loops", "small"]) == {RUNS}


def test_the_page_has_the_table(found):
    made = table(found)
    assert made in PAGE.read_text(), f"docs/loops.md must have this table:\n{made}"


@pytest.mark.parametrize("name", LOOPS)
def test_the_page_names_what_there_is(name):
    assert f"- `{name}`" in PAGE.read_text()
