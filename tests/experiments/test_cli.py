"""The command: what it prints, what it writes, what it refuses."""

import csv
import json
import os
import re
import shlex
import subprocess
import sys

import numpy as np
import pytest
from tools.command import call, run_json
from tools.paths import EXAMPLES, ROOT

from meshsim.algorithms.reference.dense import forward_dynamics
from meshsim.algorithms.robots.catalogue import chain, puma600
from meshsim.algorithms.robots.state import State, default_state
from meshsim.experiments.cli import entry

MACHINE = (EXAMPLES / "machine.toml").read_text()


RUN_KEYS = [
    "scheme", "robot", "n", "joints", "machine", "processors", "M", "h", "qdd", "tick_ns", "ticks",
    "time_us", "phases", "operations", "messages", "words", "utilisation", "critical_path", "energy_pj", "error",
    "sensitivity", "buses", "options", "kinds", "saving",
]  # fmt: skip


def test_run_prints_one_object(capsys):
    answer = run_json(capsys, "run", "wong-mesh", "--robot", "puma600", "--machine", "ideal")
    assert list(answer) == RUN_KEYS
    assert answer["scheme"] == "wong-mesh"
    assert answer["robot"] == "puma600"
    assert answer["joints"] == [f"joint{i}" for i in range(1, 7)]
    assert (answer["n"], answer["processors"]) == (6, 28)
    assert answer["ticks"] * answer["tick_ns"] / 1000 == answer["time_us"] == 268.5
    assert list(answer["phases"]) == ["inertia", "force", "shift", "solve", "distribute"]
    assert answer["phases"]["inertia"] * answer["tick_ns"] / 1000 == (22 * 6 + 24) + 0.5 * (22 * 6 + 5)
    assert list(answer["operations"]) == ["mul", "add", "div", "sqrt", "sincos"]
    assert sum(answer["critical_path"].values()) == answer["ticks"]
    assert 0 < answer["utilisation"] < 1
    reference = forward_dynamics(puma600(), default_state(puma600()))
    assert np.array(answer["M"]) == pytest.approx(reference.M, rel=1e-12)
    assert answer["h"] == pytest.approx(reference.h, rel=1e-12)
    assert answer["qdd"] == pytest.approx(reference.qdd, rel=1e-10)
    assert set(answer["error"]) == {"M", "h", "qdd"}
    assert max(answer["error"].values()) < 1e-12


def test_options_and_state_reach_the_run(capsys, tmp_path):
    state = tmp_path / "state.json"
    state.write_text(json.dumps({"q": [0.1, -1.0], "qd": {"joint2": 2.0, "joint1": 0.5}, "tau": [3.0, 4.0]}))
    words = ("run", "wong-mesh", "--robot", "chain:2:5", "--machine", "t800", "--state", state)
    answer = run_json(capsys, *words, "--option", "rho=recompute")
    reference = forward_dynamics(chain(2, 5), State((0.1, -1.0), (0.5, 2.0), (3.0, 4.0)))
    assert answer["qdd"] == pytest.approx(reference.qdd, rel=1e-12)
    assert answer["messages"] < run_json(capsys, *words)["messages"]


def test_run_tells_people(capsys):
    status, out, err = call(capsys, "run", "wong-mesh", "--robot", "puma600", "--machine", "ideal")
    assert (status, err) == (0, "")
    assert "inertia                449       224.5   224.5 (Wong eq. 4.11): equal" in out
    assert "force                  473       236.5   240.5 (Wong eq. 4.12, an upper bound): -8 ticks" in out
    assert "joint6" in out
    assert "difference from a dense solver: M " in out
    _, out, _ = call(capsys, "run", "one-wong", "--robot", "excavator", "--machine", "t800")
    assert out.startswith("one-wong computes excavator in 934.5 us on one t800 processor, 100 % busy; ")
    assert "published" not in out


def test_the_trace_of_many_processors_is_kept_for_whoever_shows_it(capsys, tmp_path, monkeypatch):
    words = ("run", "wong-mesh", "--robot", "chain:3:1", "--machine", "t800", "--json")
    whole = json.loads(call(capsys, *words)[1])
    monkeypatch.setattr("meshsim.experiments.front.run.MOST_TRACED", whole["processors"] - 1)
    status, out, err = call(capsys, *words)
    assert (status, err.startswith("no trace is kept of more than 9 processors, and so no critical path; ")) == (
        0,
        True,
    )
    assert json.loads(out) == {**whole, "critical_path": None, "sensitivity": {}}
    assert call(capsys, *words, "--trace", tmp_path / "run.csv")[1:] == (json.dumps(whole) + "\n", "")


@pytest.mark.usefixtures("in_full")
def test_picture_and_trace(capsys, tmp_path):
    picture, trace = tmp_path / "new" / "run.png", tmp_path / "run.csv"
    words = ("run", "wong-mesh", "--robot", "chain:3:1", "--machine", "t800", "--gantt", picture, "--trace", trace)
    answer = run_json(capsys, *words)
    assert picture.read_bytes().startswith(b"\x89PNG")
    rows = list(csv.DictReader(trace.read_text().splitlines()))
    columns = ["processor", "kind", "start", "end", "what", "peer", "words", "depart", "arrive", "program"]
    assert list(rows[0]) == columns
    assert not any(row["program"] for row in rows)  # each is on a processor of its own name
    sends = [row for row in rows if row["kind"] == "send"]
    assert len(sends) == answer["messages"]
    assert sum(int(row["words"]) for row in sends) == answer["words"]
    assert max(int(row["end"]) for row in rows) == answer["ticks"]
    assert {row["processor"] for row in rows} >= {"(0,0)", "(0,3)", "(1,1)", "(3,3)"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new", "run.csv"]  # nothing half-written is left


def test_solve(capsys, tmp_path):
    system = tmp_path / "system.json"
    system.write_text(json.dumps({"A": [[2, 1, 0], [1, 3, 1], [-1, 0, 4]], "b": [1, 2, 3]}))
    answer = run_json(capsys, "solve", "feedforward-lu", "--system", system, "--machine", "ideal")
    assert list(answer) == [
        "method", "n", "machine", "processors", "x", "ticks", "first_unknown", "last_unknown", "operations", "messages",
        "error", "energy_pj",
    ]  # fmt: skip
    assert answer["x"] == pytest.approx(np.linalg.solve([[2, 1, 0], [1, 3, 1], [-1, 0, 4]], [1, 2, 3]))
    assert (answer["n"], answer["processors"]) == (3, 9)
    assert answer["first_unknown"] < answer["last_unknown"] == answer["ticks"]
    status, out, _ = call(capsys, "solve", "feedforward-lu", "--system", "random:4:2", "--machine", "t800")
    assert status == 0
    assert "first unknown after " in out


@pytest.mark.usefixtures("in_full")
def test_solvers_side_by_side(capsys, tmp_path):
    figure = tmp_path / "conditioning.png"
    rows = run_json(capsys, "solvers", "--n", "5", "--figure", figure)
    assert [row["method"] for row in rows] == ["feedforward-lu", "feedforward-qr", "liu-young", "faddeev", "dense"]
    assert [row["processors"] for row in rows] == [20, 20, 20, 35, 1]
    assert [row["last_cycle"] for row in rows[:-1]] == [19, 20, 21, 23]
    for row in rows:
        for exponent, error in enumerate(row["errors"], start=1):
            assert error < 10 * 5 * 2.2e-16 * 10**exponent
    assert figure.read_bytes().startswith(b"\x89PNG")
    assert "liu-young" in call(capsys, "solvers", "--n", "3")[1]
    assert call(capsys, "solvers", "--n", "0")[0] == 2


def test_scale_alone_is_not_singular(capsys, tmp_path):
    path = tmp_path / "system.json"
    path.write_text(json.dumps({"A": [[1e20, 0], [0, 1]], "b": [1e20, 2]}))
    assert run_json(capsys, *SOLVE, path)["x"] == [1.0, 2.0]


LISTED = {
    "schemes": ("wong-mesh", "one-wong", "rho=pass"),
    "solvers": ("feedforward-lu", "faddeev"),
    "robots": ("puma600", "four-bar", "chain:N:SEED", "FILE.py:NAME"),
    "machines": ("t800-measured", "Inmos T800"),
    "networks": ("cone", "hypercube", "2^d processors"),
    "exhibits": ("wong-table-4.8", "saha-fig-6"),
    "examples": ("fourbar", "machine.toml"),
}


@pytest.mark.parametrize("kind", LISTED)
def test_list_names_everything_of_a_kind(capsys, kind):
    status, out, err = call(capsys, "list", kind)
    assert (status, err) == (0, "")
    for word in LISTED[kind]:
        assert word in out
    others = [word for other, words in LISTED.items() if other != kind for word in words[:1]]
    assert not [word for word in others if f"\n{word} " in out]
    listed = run_json(capsys, "list", kind)
    assert list(listed) == [kind]
    assert all(f"{name}" in out for name in listed[kind])


def test_a_bare_list_fits_a_screen(capsys):
    _, out, _ = call(capsys, "list")
    lines = out.splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80
    assert [line.partition(" ")[0] for line in lines if line[0] != " "][:-1] == list(run_json(capsys, "list"))
    assert {*LISTED} <= {*run_json(capsys, "list")}


def test_what_cannot_be_listed(capsys):
    assert "what to list must be schemes, solvers, " in call(capsys, "list", "rabbits")[2]


def test_version_and_help(capsys):
    assert call(capsys, "--version")[1].startswith("meshsim 0.")
    for words in ([], ["run"], ["solve"], ["solvers"], ["list"], ["compare"], ["bench"]):
        status, out, _ = call(capsys, *words, "--help")
        assert status == 0
        assert "example" in out


RUN = ["run", "wong-mesh", "--robot", "puma600", "--machine", "ideal"]
SOLVE = ["solve", "feedforward-lu", "--machine", "ideal", "--system"]
MISTAKES = [
    (["run", "wing-mesh", *RUN[2:]], "unknown scheme 'wing-mesh'; known: wong-mesh, lee-chang, "),
    ([*RUN, "--option", "rho=guess"], "option rho of wong-mesh must be pass or recompute, not 'guess'"),
    ([*RUN, "--option", "row=pass"], "unknown option 'row' of wong-mesh; known: order"),
    ([*RUN, "--option", "rho"], "an option must be KEY=VALUE, not 'rho'"),
    ([*RUN, "--option", "rho=pass", "--option", "rho=pass"], "option 'rho' must be given once, not twice"),
    ([*RUN, "--gantt", "run.doc"], "a picture must end with .png, .svg, .pdf, not 'run.doc'"),
    ([*RUN[:-1], "cray"], "machine must be a .toml file or one of "),
    (["run", "wong-mesh", "--robot", "chain:0:1", *RUN[4:]], "chain length must be a positive integer, not 0"),
    (["run", "wong-mesh", "--robot", "robbie", *RUN[4:]], "robot must be one of puma600, excavator, torso, "),
    ([*RUN, "--state", "missing.json"], "missing.json: state must be a readable file"),
    (
        ["solve", "gauss", "--machine", "ideal", "--system", "random:2:1"],
        "unknown method 'gauss'; known: feedforward-lu, feedforward-qr, liu-young, faddeev",
    ),
    ([*SOLVE, "random:0:1"], "system length must be a positive integer, not 0"),
    ([*SOLVE, "random:2"], "random system must be random:N:SEED, not 'random:2'"),
    ([*SOLVE, "missing.json"], "missing.json: system must be a readable file"),
    (["bench", "speed"], "unknown bench 'speed'; known: systolic, mesh"),
    (["run"], "the following arguments are required: SCHEME, --robot, --machine"),
    ([], "the following arguments are required: COMMAND"),
    (["dance"], "invalid choice: 'dance'"),
]


@pytest.mark.parametrize(("words", "message"), MISTAKES)
def test_mistakes_get_one_line_and_status_two(capsys, words, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status, out, err = call(capsys, *words)
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert message in err
    assert list(tmp_path.iterdir()) == []


BAD_SYSTEMS = [
    ({"A": [[0, 1], [1, 0]], "b": [1, 1]}, "the leading minor of order 1 must not be zero"),
    ({"A": [[1, 2], [2, 4]], "b": [1, 1]}, "the leading minor of order 2 must not be zero"),
    ({"A": [[0.1, 0.3], [0.3, 0.9]], "b": [1, 1]}, "the leading minor of order 2 must not be zero"),
    ({"A": [[1e20, 0], [0, 0]], "b": [1, 1]}, "the leading minor of order 2 must not be zero"),
    ({"A": [[1, 2]], "b": [1, 1]}, "A must be 2 rows, as many as b has numbers, not [[1, 2]]"),
    ({"A": [[1, 2], [3]], "b": [1, 1]}, "row 2 of A must be 2 finite numbers, not [3]"),
    ({"A": [[1, 2], [3, None]], "b": [1, 1]}, "every entry of row 2 of A must be a finite number, not null"),
    ({"A": [[1, 2], [3, float("nan")]], "b": [1, 1]}, "every entry of row 2 of A must be a finite number, not nan"),
    ({"A": [[1]], "b": [10**400]}, "every entry of b must be a finite number, not inf"),
    ({"A": [[1]]}, "system must have the keys A, b, not lack 'b'"),
    ({"A": [[1]], "b": [1], "c": 1}, "key of system must be A, b, not 'c'"),
    ({"A": [], "b": []}, "b must be a list of numbers, not []"),
    ([1], "system must be a JSON object with A and b, not [1]"),
]


@pytest.mark.parametrize(("system", "message"), BAD_SYSTEMS)
def test_bad_systems(capsys, tmp_path, system, message):
    path = tmp_path / "system.json"
    path.write_text(json.dumps(system))
    status, out, err = call(capsys, *SOLVE, path)
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert message in err


def test_a_machine_may_only_price_kernels_that_exist(capsys, tmp_path):
    path = tmp_path / "machine.toml"
    path.write_text(MACHINE + "\n[kernels]\ncros = 34\n")
    status, _, err = call(capsys, *RUN[:-1], path)
    assert status == 2
    assert "unknown kernel 'cros' in [kernels] of " in err


def test_unwritable_output_is_refused(capsys, tmp_path):
    (tmp_path / "file").write_text("")
    status, out, err = call(capsys, *RUN, "--trace", tmp_path / "file" / "run.csv")
    assert (status, out) == (2, "")
    assert "cannot write " in err


def readme_commands():
    for line in (ROOT / "README.md").read_text().replace("\\\n", " ").splitlines():
        match = re.match(r"    (meshsim [^#]*)", line)
        if match:
            yield match[1].strip()


ELSEWHERE = ("bench", "best", "explain", "realtime", "sweep")
"""Commands that tests of their own run, word for word: test_bench.py, test_documented.py, and so on."""
COMMANDS = sorted({command for command in readme_commands() if command.split()[1] not in ELSEWHERE})


def test_readme_has_commands():
    assert len(list(readme_commands())) >= 6


TELLING = ("closed", "compare", "inverse", "reproduce", "simulate", "sweep")
"""Commands that tell their progress."""


@pytest.mark.parametrize("command", COMMANDS)
def test_documented_commands_run(command, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # for results that go where nobody said
    words = [
        word.replace("out/", f"{tmp_path}/").replace("docs/", f"{ROOT}/docs/") for word in shlex.split(command)[1:]
    ]
    if words == ["reproduce"]:  # all exhibits are computed, and their page is written, in test_exhibits.py
        words += ["wong-table-4.2", "kordjazi-fig-5"]
    if "--goal" in words:  # a shorter motion; test_compare_robots.py looks at goals
        words += ["--schemes", "denoc", "--duration", "0.1"]
    status, out, err = call(capsys, *words)
    assert status == 0
    assert out
    assert err == "" or words[0] in TELLING


def test_readme_shows_what_is_printed(capsys):
    readme = (ROOT / "README.md").read_text()
    block = re.search(r"prints, among others:\n\n((?:    .*\n|\n)*)", readme)[1]
    shown = [line[4:] for line in block.strip("\n").splitlines()]
    assert len(shown) > 5
    lines = call(capsys, "run", "wong-mesh", "--robot", "puma600", "--machine", "ideal")[1].splitlines()
    first = lines.index(shown[0])
    assert lines[first : first + len(shown)] == shown
    assert lines[0] == " ".join(re.search(r"opens with\n\n((?:    .*\n)*)", readme)[1].split())


def test_readme_says_what_best_says(capsys, monkeypatch):
    monkeypatch.chdir(ROOT)
    readme = (ROOT / "README.md").read_text()
    said = re.search(r"it says:\n\n((?:    .*\n)*)", readme)[1]
    command = re.search(r"    meshsim (best .*) --out \S+\n", readme)[1]
    status, out, _ = call(capsys, *command.split(), "--seconds", "inf")
    assert status == 0
    assert " ".join(out.splitlines()[:2]) == " ".join(said.split())


@pytest.mark.usefixtures("forgotten")
def test_readme_programs_print_what_they_say(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    programs = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), flags=re.DOTALL)
    assert len(programs) >= 2
    for code in programs:
        exec(compile(code, "README.md", "exec"), {"__name__": "readme"})
        out = capsys.readouterr().out
        said = re.search(r"# ([\d. ]+)$", code)
        assert out
        assert said is None or out.strip() == said[1].strip()
    assert said is not None


def test_a_closed_pipe_and_an_interrupt_end_quietly(monkeypatch, capsys):
    def interrupt():
        raise KeyboardInterrupt

    monkeypatch.setattr("meshsim.experiments.cli.main.main", interrupt)
    assert entry.main() == 130
    assert capsys.readouterr().err == "meshsim: interrupted\n"
    code = "from meshsim.experiments.cli.main import main; raise SystemExit(main(['list']))"
    command = f'{shlex.quote(sys.executable)} -c "{code}" | head -c 1'
    done = subprocess.run(command, shell=True, cwd=ROOT, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("s", "")


def test_the_entry_runs_as_a_module():
    command = [sys.executable, "-m", "meshsim.experiments.cli.entry", "solve", "gauss"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


def one_error(capsys, *words):
    """The one line of a refusal; nothing on standard output."""
    status, out, err = call(capsys, *words)
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    return err


@pytest.mark.parametrize(
    "state",
    [
        {"q": [0, 0, 0, 0], "qd": [1e200, 1, 1, 1], "tau": [0, 0, 0, 0]},
        {"q": [0, 0, 0, 0], "qd": [0, 0, 0, 0], "tau": [1e308, -1e308, 1e308, -1e308]},
    ],
)
def test_overflow_is_refused_by_name(capsys, tmp_path, state):
    path = tmp_path / "state.json"
    path.write_text(json.dumps(state))
    err = one_error(capsys, "run", "wong-mesh", "--robot", "excavator", "--machine", "ideal", "--state", path)
    assert "of 'excavator' in this state must be finite" in err


@pytest.mark.parametrize("system", [{"A": [[1e-5, 0], [0, 1]], "b": [1e308, 1]}, {"A": [[5e-324]], "b": [1]}])
def test_overflow_of_a_solution_is_refused(capsys, tmp_path, system):
    path = tmp_path / "system.json"
    path.write_text(json.dumps(system))
    assert "x of A x = b must be finite" in one_error(capsys, *SOLVE, path)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("tick_ns = 100", "tick_ns = 1e308", "tick_ns must be at most 1000000000000, not more"),
        ("mul = 10", "mul = 1" + "0" * 400, "operations.mul must be at most 1000000000000, not more"),
        ("buffers = 1", "buffers = 99999999999999999999", "links.buffers must be at most 1000000000000, not more"),
        ('name = "my-machine"', "a = " + "[" * 100_000, "machine file must be TOML"),
    ],
)
def test_machines_beyond_reason(capsys, tmp_path, old, new, message):
    path = tmp_path / "machine.toml"
    path.write_text(MACHINE.replace(old, new))
    assert message in one_error(capsys, *RUN[:-1], path)


def test_many_buffers_cost_nothing(capsys, tmp_path):
    path = tmp_path / "machine.toml"
    path.write_text(MACHINE.replace("buffers = 1", "buffers = 1000000000000"))
    assert run_json(capsys, *RUN[:-1], path)["n"] == 6


def test_outputs_harm_nothing(capsys, tmp_path):
    real, link = tmp_path / "real.csv", tmp_path / "link.csv"
    real.write_text("x")
    link.symlink_to(real)
    run_json(capsys, *RUN, "--trace", link)
    assert link.is_symlink()
    assert real.read_text().startswith("processor,")
    robot = tmp_path / "arm.urdf"
    robot.write_bytes((EXAMPLES / "arm.urdf").read_bytes())
    before = robot.read_bytes()
    words = ["run", "wong-mesh", "--robot", robot, "--machine", "ideal"]
    assert "must be a file of its own, and is an input as well" in one_error(capsys, *words, "--trace", robot)
    assert robot.read_bytes() == before
    same = tmp_path / "same.png"
    assert "is another output as well" in one_error(capsys, *RUN, "--gantt", same, "--trace", same)
    assert "must be a regular file" in one_error(capsys, *RUN, "--gantt", same, "--trace", tmp_path)
    assert not same.exists()
    assert "must be a regular file" in one_error(capsys, *RUN, "--trace", os.devnull)
    assert "must have a name" in one_error(capsys, *RUN, "--trace", "")
    assert "state must be a readable file" in one_error(capsys, *RUN, "--state", "")


def test_names_with_line_breaks_stay_on_one_line(capsys):
    one_error(capsys, "run", "wong-mesh", "--robot", "a\nb", "--machine", "ideal")
    one_error(capsys, *RUN, "--option", "rho=a\nb")
    one_error(capsys, *RUN, "--nothing\nat all")
    assert len(one_error(capsys, "run", "wong-mesh", "--robot", "x" * 100_000, "--machine", "ideal")) < 3000


def test_numbers_that_are_none_are_told_in_words(capsys):
    assert "argument --processors: must be a whole number, not '1.5'" in one_error(capsys, *RUN, "--processors", "1.5")


@pytest.mark.parametrize("ending", ["svg", *(pytest.param(each, marks=pytest.mark.slow) for each in ("pdf", "png"))])
@pytest.mark.usefixtures("in_full")
def test_a_picture_drawn_twice_is_the_same_file(capsys, tmp_path, ending):
    robot = tmp_path / "arm.urdf"
    text = (EXAMPLES / "arm.urdf").read_text()
    robot.write_text(text.replace('name="arm"', 'name="a $frac{$ \u6a5f"'))  # neither mathematics nor in the font
    pictures = []
    for name in ("one", "two"):
        path = tmp_path / f"{name}.{ending}"
        run_json(capsys, "run", "wong-mesh", "--robot", robot, "--machine", "t800", "--gantt", path)
        pictures.append(path.read_bytes())
    assert pictures[0] == pictures[1]
    assert len(pictures[0]) > 10_000
