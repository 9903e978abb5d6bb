"""One name for one thing, whatever the verb; old names still work; nothing is written over by mistake."""

import argparse
import csv
import json

import pytest
from tools.command import call, run_json

from meshsim.experiments.cli.main import VERBS, build_parser
from meshsim.experiments.cli.parsing import Parser
from meshsim.experiments.store.folders import claimed


def parsers():
    """By their words: `run`, and `watch run` of a verb that has others below it."""
    found = {}
    for verb, parser in below(build_parser()).items():
        found |= {f"{verb} {name}": inner for name, inner in below(parser).items()} or {verb: parser}
    return found


def below(parser):
    (found,) = [each.choices for each in parser._actions if isinstance(each, argparse._SubParsersAction)] or [{}]
    return found


PARSERS = parsers()
SMALL = ("--robot", "chain:2:1", "--machine", "t800")
SWEEP = 'schemes = ["hwang"]\nn = [2]\n[grid]\nmul = [1, 2]\n'


@pytest.mark.parametrize("verb", PARSERS)
def test_every_verb_has_what_all_have(verb):
    options = PARSERS[verb]._option_string_actions
    assert {"--json", "--quiet", "--help"} <= set(options)
    assert ("--out" in options) == ("--force" in options)
    assert ("--gantt" in options) == ("--trace" in options)
    shown = {name for name, action in options.items() if action.help != argparse.SUPPRESS}
    assert not shown & {"--scheme", "--machines", "--method", "--motion"}
    if "--machine" in options:
        assert PARSERS[verb].aliases["--machines"] == "--machine"
    if PARSERS[verb]._get_positional_actions()[:1] and "--robot" in options:
        assert PARSERS[verb]._get_positional_actions()[0].dest == "scheme"
        assert PARSERS[verb].aliases["--scheme"] == ""


def test_the_verbs_stand_in_one_line_each():
    assert len({words.split()[0] for words in PARSERS}) == len(VERBS) == len(set(VERBS))
    assert all(parser.description and parser.epilog for parser in PARSERS.values())


@pytest.mark.parametrize("verb", PARSERS)
def test_an_unknown_argument_points_to_the_verbs_own_help(verb, capsys):
    given = {"solve": ["faddeev", "--system", "random:2:1", "--machine", "t800"], "sweep": ["spec.toml"]}
    words = given.get(verb.split()[-1], [])
    if "--robot" in PARSERS[verb]._option_string_actions:
        schemes = {"best": [], "explain": ["one-wong", "hwang"]}.get(verb, ["one-wong"])
        words = [*schemes, *SMALL]
        words += ["--step", "0.1"] if verb == "realtime" else []
    status, out, err = call(capsys, *verb.split(), *words, "--wrong")
    assert (status, out) == (2, "")
    assert err == f"meshsim {verb}: error: unrecognized arguments: --wrong (see meshsim {verb} --help)\n"


# Old names


OLD = [
    (
        ("realtime", "--robot", "chain:2:1", "--scheme", "one-wong", "--machine", "t800", "--step", "0.01"),
        ("realtime", "one-wong", *SMALL, "--step", "0.01"),
    ),
    (("run", "--scheme=one-wong", *SMALL), ("run", "one-wong", *SMALL)),
    (("run", "one-wong", "--robot", "chain:2:1", "--machines", "t800"), ("run", "one-wong", *SMALL)),
    (
        ("solve", "--method", "faddeev", "--system", "random:2:1", "--machines=t800"),
        ("solve", "faddeev", "--system", "random:2:1", "--machine", "t800"),
    ),
    (("explain", "hwang", "--scheme", "one-wong", *SMALL), ("explain", "one-wong", "hwang", *SMALL)),
]


@pytest.mark.parametrize(("old", "new"), OLD)
def test_old_names_still_work(old, new, capsys):
    assert run_json(capsys, *old) == run_json(capsys, *new)


def test_an_old_name_needs_its_value(capsys):
    status, _, err = call(capsys, "run", *SMALL, "--scheme")
    assert status == 2
    assert "the following arguments are required: SCHEME (see meshsim run --help)" in err
    assert Parser()._renamed(["--", "a=b"]) == ["--", "a=b"]


# Pictures, traces, endings


RUNS = {
    "run": ("wong-mesh", *SMALL),
    "solve": ("faddeev", "--system", "random:2:1", "--machine", "t800"),
    "explain": ("wong-mesh", "one-wong", *SMALL),
    "realtime": ("one-wong", *SMALL, "--step", "0.01"),
    "simulate": ("wong-mesh", *SMALL, "--step", "0.01", "--duration", "0.02"),
    "inverse": ("noc", "--robot", "3prr", "--machine", "t800", "--samples", "2"),
    "closed": ("denoc", "--robot", "four-bar", "--machine", "t800"),
}


@pytest.mark.parametrize("verb", RUNS)
@pytest.mark.usefixtures("in_full")
def test_whatever_runs_can_be_drawn_and_traced(verb, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status, out, err = call(capsys, verb, *RUNS[verb], "--gantt", "new/run.svg", "--trace", "run.csv", "--quiet")
    assert (status, err) == (0, "")
    assert out.endswith("picture: new/run.svg\ntrace: run.csv\n")
    assert "critical path" in (tmp_path / "new" / "run.svg").read_text()
    with (tmp_path / "run.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    assert {row["kind"] for row in rows} >= {"compute"}
    assert ("run" in rows[0]) == (verb == "explain")


def test_every_verb_that_runs_is_tried():
    assert {verb for verb, parser in PARSERS.items() if "--gantt" in parser._option_string_actions} == set(RUNS)


@pytest.mark.parametrize("verb", RUNS)
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--gantt", "run.doc"), "a picture must end with .png, .svg, .pdf, not 'run.doc'"),
        (("--trace", "run.xlsx"), "a trace must end with .csv, .parquet, .json, .pftrace, not 'run.xlsx'"),
        (("--gantt", ""), "an output file must have a name, not an empty one"),
    ],
)
def test_endings_that_are_not_understood_are_refused_before_any_work(
    verb, words, message, capsys, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    assert call(capsys, verb, *RUNS[verb], *words) == (2, "", f"meshsim: error: {message}\n")
    assert list(tmp_path.iterdir()) == []


# Folders


def folder_words(tmp_path):
    """For each verb that fills a folder, two kinds of work."""
    for name, text in (("one", SWEEP), ("other", SWEEP.replace("2]\n", "3]\n"))):
        (tmp_path / f"{name}.toml").write_text(text)
    simulate = ("simulate", "one-wong", *SMALL, "--step", "0.01", "--duration")
    inverse = ("inverse", "noc", "--robot", "3prr", "--machine", "ideal", "--samples")
    stream = ("stream", "wong-mesh", *SMALL, "--jobs", "1", "--evaluations")
    best = ("best", *SMALL, "--jobs", "1", "--seconds", "inf", "--schemes")
    compare = ("compare", "--schemes", "hwang", "--machine", "ideal", "--try", "default", "--jobs", "1", "--n")
    accuracy = ("accuracy", "--systems", "coil:N", "--schemes", "one-bae", "--jobs", "1", "--n")
    return {
        "accuracy": ((*accuracy, "2"), (*accuracy, "3")),
        "best": ((*best, "hwang"), (*best, "one-wong")),
        "simulate": ((*simulate, "0.02"), (*simulate, "0.03")),
        "inverse": ((*inverse, "2"), (*inverse, "3")),
        "compare": ((*compare, "2"), (*compare, "3")),
        "sweep": tuple(("sweep", tmp_path / f"{name}.toml", "--jobs", "1") for name in ("one", "other")),
        "stream": tuple((*stream, f"{count}") for count in (8, 10)),
        "reproduce": (("reproduce", "wong-table-4.2"), ("reproduce", "wong-table-4.3")),
    }


FILLING = [verb for verb, parser in PARSERS.items() if "--out" in parser._option_string_actions]


@pytest.mark.parametrize("verb", [verb for verb in FILLING if verb not in ("closed", "example")])
def test_other_work_is_not_written_over_unless_forced(verb, capsys, tmp_path):
    one, other = folder_words(tmp_path)[verb]
    out = ("--out", tmp_path / "out", "--quiet")

    def held():
        return {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}

    for _ in range(2):  # the same work may be done again
        status, _, err = call(capsys, *one, *out)
        assert (status, err) == (0, "")
    before = held()
    status, _, err = call(capsys, *other, *out)
    assert status == 2
    assert f"{tmp_path / 'out'} holds other work" in err
    assert held() == before
    assert call(capsys, *other, *out, "--force")[0] == 0
    assert held()["settings.json"] != before["settings.json"]
    assert "holds other work" in call(capsys, *one, *out)[2]
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "thesis.tex").write_text("mine")
    status, _, err = call(capsys, *one, "--out", mine, "--quiet")
    assert (status, [path.name for path in mine.iterdir()]) == (2, ["thesis.tex"])
    assert "must be empty or hold this work; choose another folder with --out, or write over it with --force" in err
    assert call(capsys, *one, "--out", mine, "--quiet", "--force")[0] == 0
    assert (mine / "thesis.tex").read_text() == "mine"


def test_forced_work_is_the_work_itself(capsys, tmp_path):
    """A comparison that takes a folder over keeps no row of the one before."""
    one, other = folder_words(tmp_path)["compare"]
    for folder, works in (("taken", (one, other)), ("fresh", (other,))):
        for words in works:
            assert call(capsys, *words, "--out", tmp_path / folder, "--force")[0] == 0
    for name in ("compare.csv", "rows.jsonl", "settings.json"):
        assert (tmp_path / "taken" / name).read_bytes() == (tmp_path / "fresh" / name).read_bytes()


# Quiet


def test_quiet_says_nothing_but_results_and_mistakes(capsys, tmp_path):
    one, _ = folder_words(tmp_path)["compare"]
    loud = call(capsys, *one, "--out", tmp_path / "a")
    quiet = call(capsys, *one, "--out", tmp_path / "b", "--quiet")
    assert loud[2].startswith("compare: 1/1, ")
    assert quiet[2] == ""
    assert quiet[1] == loud[1].replace(str(tmp_path / "a"), str(tmp_path / "b"))
    assert call(capsys, *one, "--out", tmp_path / "a")[2] != ""  # it does not last
    status, out, err = call(capsys, "run", "nobody", *SMALL, "--quiet")
    assert (status, out) == (2, "")
    assert err.startswith("meshsim: error: unknown scheme 'nobody'")


@pytest.mark.parametrize(
    "words", [("compare", "--n", "2", "--schemes", "hwang", "--machine", "ideal"), ("reproduce", "wong-table-4.2")]
)
def test_long_work_too_prints_one_object(words, capsys, tmp_path):
    status, out, _ = call(capsys, *words, "--out", tmp_path / "out", "--json")
    assert (status, out.count("\n")) == (0, 1)
    assert json.loads(out)


# Interrupts


@pytest.mark.parametrize(("written", "kept"), [((), ""), (("a.csv",), "what was written so far is in ")])
def test_an_interrupt_says_how_to_go_on(written, kept, tmp_path):
    folder = tmp_path / "out"

    def work():
        with claimed(folder, {"work": 1}):
            for name in written:
                folder.mkdir()
                (folder / name).touch()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as stopped:
        work()
    assert str(stopped.value) == (f"{kept}{folder}; the same command begins anew" if written else "")
    assert folder.exists() == bool(written)
    with (
        pytest.raises(KeyboardInterrupt, match=r"^3 steps; the same command begins anew$"),
        claimed(folder, {"work": 1}),
    ):
        raise KeyboardInterrupt("3 steps")
