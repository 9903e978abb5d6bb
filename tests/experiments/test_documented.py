"""Every command that a page shows is one that the command line takes, and starts without delay."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from tools.command import call

from meshsim.algorithms.schemes.catalogue import PLACES
from meshsim.experiments.cli.main import build_parser
from meshsim.experiments.front.example import EXAMPLES

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))]
HEAVY = {"matplotlib", "networkx", "numpy", "scipy", "simpy"}


def shown(text):
    """Commands on lines of their own, without remarks and where their output goes; also those of help pages."""
    lines = [line.partition(" > ")[0] for line in text.replace("\\\n", " ").splitlines()]
    return [" ".join(shlex.split(line, comments=True)) for line in lines if re.match(r"(    |  )meshsim [a-z]", line)]


def mentioned(text):
    """Commands that stand in a sentence, which need not be whole."""
    return [" ".join(each.split()) for each in re.findall(r"`(meshsim [a-z][^`]*)`", text)]


def verbs():
    out = build_parser().format_help()
    return re.findall(r"^    (\w+)", out, flags=re.MULTILINE)


def whole(command):
    """Whether it can be typed so: not where a page shows what may be left out."""
    return "[" not in command


PARSED = sorted({command for page in PAGES for command in shown(page.read_text()) if whole(command)})
NAMED = sorted(
    {command for page in PAGES for command in mentioned(page.read_text())}
    | {command for page in PAGES for command in shown(page.read_text()) if not whole(command)}
)


def test_pages_show_commands():
    assert len(PARSED) > 15
    assert len(NAMED) > 20
    assert set(verbs()) >= {"run", "simulate", "compare", "example"}


@pytest.mark.parametrize("command", [*PARSED, *(example.command for example in EXAMPLES.values())])
def test_what_a_page_shows_is_taken(command):
    build_parser().parse_args(shlex.split(command)[1:])


@pytest.mark.parametrize("verb", verbs())
def test_the_examples_of_a_help_page_are_taken(verb, capsys):
    commands = shown(call(capsys, verb, "--help")[1])
    assert commands
    for command in commands:
        build_parser().parse_args(shlex.split(command)[1:])


@pytest.mark.parametrize("command", NAMED)
def test_what_a_page_mentions_is_there(command, capsys):
    verb = command.split()[1]
    status, out, _ = call(capsys, verb, "--help")
    assert status == 0
    assert set(re.findall(r"--[\w-]+", command)) <= set(re.findall(r"--[\w-]+", out))


@pytest.mark.parametrize("name", [name for name, example in EXAMPLES.items() if " sweep " not in example.command])
@pytest.mark.usefixtures("forgotten")
def test_an_example_runs_where_it_was_copied(name, capsys, tmp_path, monkeypatch):
    if name == "mjcf":
        pytest.importorskip("mujoco")
    monkeypatch.chdir(tmp_path)
    _, out, err = call(capsys, "example", name)
    assert (out, err) == (f"files: {', '.join(EXAMPLES[name].files)}\ntry: {EXAMPLES[name].command}\n", "")
    assert call(capsys, *EXAMPLES[name].command.split()[1:])[0] == 0


def test_examples_are_all_there_is():
    assert {name for example in EXAMPLES.values() for name in example.files} == {
        path.name for path in (ROOT / "docs" / "examples").iterdir()
    }


def test_an_example_spares_what_is_there(capsys, tmp_path):
    arm, state = tmp_path / "new" / "arm.urdf", tmp_path / "new" / "state.json"
    for words in (["latin"], ["arm"]):  # both bring the arm: the same file again is no loss
        assert call(capsys, "example", *words, "--out", tmp_path / "new")[0] == 0
    state.unlink()
    arm.write_text("mine")
    status, _, err = call(capsys, "example", "arm", "--out", tmp_path / "new")
    assert status == 2
    assert "must be the example's own or not be there; --force writes over it" in err
    assert arm.read_text() == "mine"
    assert not state.exists()
    assert call(capsys, "example", "arm", "--out", tmp_path / "new", "--force")[0] == 0
    assert arm.read_bytes() == (ROOT / "docs" / "examples" / "arm.urdf").read_bytes()
    assert state.exists()
    assert "unknown example 'leg'; known: ur5, arm, " in call(capsys, "example", "leg")[2]
    assert "--out must name a folder, not nothing" in call(capsys, "example", "arm", "--out", "")[2]


def loaded(*words):
    """Heavy modules, and schemes, that a command imports in a process of its own."""
    code = "import sys; from meshsim.experiments.cli.main import main\ntry: main()\nfinally: print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code, *words], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    modules = done.stdout.splitlines()[-1].split()
    schemes = {each.partition(":")[0] for each in PLACES.values()}
    return {name.partition(".")[0] for name in modules} & HEAVY, {each for each in modules if each in schemes}


@pytest.mark.parametrize(
    ("command", "heavy"),
    [
        ("--help", set()),
        ("--version", set()),
        ("run --help", set()),
        ("list", {"numpy", "networkx"}),
        ("list machines", {"numpy", "networkx"}),
        ("list exhibits", {"numpy", "networkx", "simpy"}),
        ("realtime one-wong --robot chain:1:1 --machine t800 --step 1ms", {"numpy", "networkx", "simpy"}),
        (
            "place one-wong --robot puma600 --network ring:2 --placement round-robin --machine t800",
            {"numpy", "networkx", "simpy"},
        ),
        ("solve feedforward-lu --system random:3:1 --machine t800", {"numpy", "networkx", "simpy"}),
    ],
)
def test_verbs_import_when_they_are_chosen(command, heavy):
    assert loaded(*command.split())[0] <= heavy


def test_a_run_imports_its_own_scheme():
    heavy, schemes = loaded(*["run", "one-wong", "--robot", "puma600", "--machine", "t800"])
    assert heavy == {"networkx", "numpy", "simpy"}
    assert schemes == {"meshsim.algorithms.schemes.one.one_wong"}


def test_a_shell_is_told_what_may_come_next(tmp_path):
    pytest.importorskip("argcomplete")
    answer, line = tmp_path / "answer", "meshsim run wong-mesh --robot exc"
    asked = {"_ARGCOMPLETE": "1", "_ARGCOMPLETE_STDOUT_FILENAME": str(answer), "_ARGCOMPLETE_IFS": "\n"}
    asked |= {"COMP_LINE": line, "COMP_POINT": str(len(line)), "PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, "-m", "meshsim"], cwd=tmp_path, env=asked, check=True)
    assert answer.read_text().strip() == "excavator"
