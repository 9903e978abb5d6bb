"""`meshsim best`: the winner against every combination of options; what is ranked, kept, resumed and refused."""

import json
import math
import random
from itertools import product

import pytest
from tools.command import call, run_json
from tools.example_robots import ROBOTS
from tools.paths import DATA, EXAMPLES

import meshsim as ms
from meshsim.algorithms.schemes.catalogue import SCHEMES
from meshsim.errors import MeshSimError
from meshsim.experiments.reports.best import COLUMNS
from meshsim.experiments.studies import best as searching
from meshsim.experiments.studies import candidates
from meshsim.experiments.studies.baseline import APPROXIMATE, subject
from meshsim.experiments.studies.best import OBJECTIVES, Entry
from meshsim.presets import THESIS, load_machine

WHOLE = {"jobs": 1, "seconds": math.inf}
"""All candidates, in this process."""
SOME = ("wong-mesh", "hwang", "one-bae")
PRICED = "epiphany-iii"
"""A machine that tells energy."""


# The winner


@pytest.fixture(scope="module")
def plain():
    """All candidates of some schemes for two joints."""
    return ms.best("chain:2:1", "t800", schemes=SOME, **WHOLE)


def every_combination(mechanism, state):
    """Plans of all schemes with all values of all options; but for springs, which close loops roughly."""
    for scheme in SCHEMES.values():
        if scheme.make is None or (mechanism.cuts and scheme.name == APPROXIMATE):
            continue
        offered = {name: values for name, values in scheme.options.items() if isinstance(values, tuple)}
        for values in product(*offered.values()):
            try:
                yield scheme.plan(mechanism, state, **dict(zip(offered, values, strict=True)))
            except MeshSimError:
                continue


PANDA = f"{ROBOTS}/panda_description/urdf/panda.urdf"
REAL = {
    "iiwa": str(DATA / "iiwa14.urdf"),
    "panda": PANDA,
    "panda-without-gripper": f"{PANDA}@lock:panda_finger_joint1=0",
    "talos": f"floating:{ROBOTS}/talos_data/robots/talos_full_v2.urdf",
    "ur5": str(EXAMPLES / "ur5.urdf"),
}
QUICK = [("four-bar", "t800-overlap"), ("chain:2:1", "t800")]
BRUTE = [
    *QUICK,
    *(
        pytest.param(robot, name, marks=pytest.mark.slow)
        for robot in ("chain:3:1", "excavator", "four-bar", "puma600", "torso")
        for name in THESIS
        if (robot, name) not in QUICK
    ),
    *(pytest.param(robot, "t800", marks=pytest.mark.slow, id=f"{name}-t800") for name, robot in sorted(REAL.items())),
]


@pytest.mark.parametrize(("robot", "name"), BRUTE)
def test_nothing_is_quicker_than_the_winner(robot, name):
    """What is never tried, since it is known to be slower or to mean nothing, is never quicker."""
    machine = load_machine(name)
    least, count = math.inf, 0
    for plan in every_combination(*subject(robot)):
        least, count = min(least, plan.run(machine, trace=False).ticks), count + 1
    report = ms.best(robot, machine, **WHOLE)
    assert report.search.best().ticks == least
    meshes = {"wong-mesh", "wong-mesh-loops"} & {row["scheme"] for row in report.rows()}
    assert 20 < len(report.rows()) <= count
    assert (len(report.rows()) < count) is bool(meshes)  # of these alone choices are left out


ANYMAL = f"floating:{ROBOTS}/anymal_b_simple_description/robots/anymal.urdf"


@pytest.mark.slow
def test_the_winner_is_found_soon():
    """Of the 279 candidates for a quadruped, long before time is up; nothing that was worth trying is quicker."""
    mechanism, state = subject(ANYMAL)
    machine = load_machine("t800")
    search = ms.best(ANYMAL, machine, **WHOLE).search
    tried = [entry.candidate for entry in search.found]
    assert len(tried) == len(search.every) > 250
    assert tried.index(search.best().candidate) < 40
    plans = (SCHEMES[each.scheme].plan(mechanism, state, **dict(each.options)) for each in tried)
    assert search.best().ticks == min(plan.run(machine, trace=False).ticks for plan in plans)


@pytest.mark.parametrize("seed", range(5))
def test_choices_that_add_up_are_found_at_once(seed):
    """Where each choice changes as much as it does alone, the best comes after the defaults and one change each."""
    machine, chance = load_machine("t800"), random.Random(seed)
    search = searching.Search(candidates.Question(*subject("torso"), (machine,)), schemes=("wong-mesh",))
    alone = [each.options[0] for each in search.every if len(each.options) == 1]
    changes = {choice: chance.randint(-50, 50) for choice in alone}
    ticks = {each: 1000 + sum(changes[choice] for choice in each.options) for each in search.every}
    order = []
    for candidate, _ in searching.Waiting(search.every, search):
        order.append(candidate)
        here = {"ticks": ticks[candidate], "processors": 1}
        search._add(candidate, {"machines": {"t800": here}, "failed": {}})
    assert set(ticks) == set(order)
    best = min(ticks.values())
    assert min(ticks[each] for each in order[: 2 + len(alone)]) == best < min(ticks[each] for each in order[:2])


# What is the best of it


@pytest.fixture(scope="module")
def priced():
    """A report with energies and intervals."""
    return ms.best("chain:3:1", (PRICED, "t800"), schemes=SOME, objective="interval", **WHOLE)


def beats(other, entry):
    """No worse in anything, and better in something."""
    pairs = list(zip(other.measures()[1:], entry.measures()[1:], strict=True))
    return all(a <= b for a, b in pairs) and any(a < b for a, b in pairs)


def test_the_pareto_set_is_what_no_other_beats(priced):
    for machine in priced.search.question.machines:
        entries = priced.search.entries(machine)
        kept = priced.search.pareto(machine)
        naive = {entry.measures()[1:] for entry in entries if not any(beats(other, entry) for other in entries)}
        assert {entry.measures()[1:] for entry in kept} == naive
        assert len(kept) == len(naive)  # one of equals
        assert kept == sorted(kept, key=Entry.measures)
        assert 1 < len(kept) < len(entries)
    assert {entry.energy_nj is None for entry in priced.search.pareto(priced.search.machines["t800"])} == {True}


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_ranks(objective):
    report = ms.best("chain:2:1", PRICED, schemes=SOME, objective=objective, **WHOLE)
    column = {"time": "time_us", "energy": "energy_nj", "interval": "interval_us"}.get(objective, objective)
    values = [row[column] for row in report.rows()]
    assert values == sorted(values)
    assert len(set(values)) > 2
    assert [row["rank"] for row in report.rows()] == list(range(1, len(values) + 1))
    assert report.to_dict()["machines"][0]["best"][column] == values[0]


def test_equals_are_told_in_one_order(plain, monkeypatch):
    """Whoever is finished first."""
    before = plain.rows()
    right = searching.Waiting.__iter__
    monkeypatch.setattr(searching.Waiting, "__iter__", lambda waiting: iter([*right(waiting)][::-1]))
    assert ms.best("chain:2:1", "t800", schemes=SOME, **WHOLE).rows() == before
    assert len({row["ticks"] for row in before}) < len(before)


def test_an_objective_among_those_in_time():
    """The fewest processors that meet a deadline; the quickest, if none does."""
    settings = {"objective": "processors", "schemes": ("lee-chang", "wong-mesh", "one-bae"), **WHOLE}
    every = ms.best("chain:3:1", "t800", **settings).search
    one, quickest = every.best(), min(every.entries(), key=Entry.measures)
    assert one.processors == 1 < quickest.processors
    between = (quickest.time_us + one.time_us) / 2e6
    in_time = ms.best("chain:3:1", "t800", deadline=between, **settings).search.best()
    assert in_time.processors == min(each.processors for each in every.entries() if each.time_us <= 1e6 * between) > 1
    late = ms.best("chain:3:1", "t800", deadline=quickest.time_us * 0.5e-6, **settings)
    assert not late.met
    assert late.search.best().ticks == quickest.ticks


def test_the_time_of_a_step():
    """An integration step takes longer than its evaluations' arithmetic, and its time is that of the engine."""
    report = ms.best("chain:2:1", "t800", order=4, schemes=("wong-mesh", "one-wong"), **WHOLE)
    once = ms.best("chain:2:1", "t800", schemes=("wong-mesh", "one-wong"), **WHOLE)
    assert 3 * once.search.best().ticks < report.search.best().ticks < 5 * once.search.best().ticks
    assert report.to_dict()["order"] == 4
    assert " for an integration step of order 4 of chain:2:1" in report.sentence
    for entry in report.search.entries()[:5]:
        assert report.search.traced(entry).ticks == entry.ticks


def test_the_best_order_is_never_slower(plain):
    ordered = ms.best("chain:2:1", "t800", schemes=SOME, orders=True, **WHOLE).search
    assert ordered.best().ticks <= plain.search.best().ticks
    for scheme in ("wong-mesh", "hwang"):
        before, after = (
            min(entry.ticks for entry in search.entries() if entry.candidate.scheme == scheme)
            for search in (plain.search, ordered)
        )
        assert after <= before
    assert [entry for entry in ordered.entries() if entry.candidate.told.get("order") == "best"]


def test_a_winner_that_depends_on_assumptions():
    """Cheap arithmetic with dear messages may change it where neither does alone."""
    report = ms.best("puma600", PRICED, schemes=("wong-mesh", "one-featherstone"), **WHOLE)
    assert report.search.best().candidate.scheme == "wong-mesh"
    ((corner, (entry, ticks, mesh)),) = report.upsets[PRICED].items()
    assert corner == "arithmetic lowest with messages highest"
    assert f"one-featherstone would be quicker with {corner}" in report.as_text()
    there = candidates.assumptions(entry.machine)[corner]
    assert (there.operations["mul"], there.links.setup) == (
        entry.machine.assumed["mul"][0],
        entry.machine.assumed["setup"][1],
    )
    assert ms.run("puma600", "one-featherstone", there).ticks == ticks < mesh


@pytest.mark.parametrize(
    "where", [{}, {"precision": "half"}, {"precision": "double"}, {"network": "ring:5", "placement": "blocks"}]
)
def test_rows_tell_what_a_run_tells(where):
    report = ms.best("chain:2:1", PRICED, schemes=("hwang", "one-bae"), **where, **WHOLE)
    for row in report.rows()[::5]:
        options = dict(each.split("=") for each in row["options"].split())
        run = ms.run("chain:2:1", row["scheme"], PRICED, options=options, **where).run
        told = (row["ticks"], row["messages"], row["words"], row["energy_nj"])
        assert told == (run.ticks, run.messages, run.words, run.energy.nanojoules)


# Where it runs


def test_so_many_processors():
    """What has more on its own network is folded; one processor is tried on both."""
    rows = ms.best("chain:2:1", "t800", processors=4, schemes=("lee-chang", "one-wong"), **WHOLE).rows()
    assert {row["scheme"] for row in rows} == {"lee-chang", "one-wong"}
    assert all(row["processors"] <= 4 for row in rows)
    assert {row["placement"] for row in rows if row["scheme"] == "lee-chang"} == {"auto"}
    assert {row["placement"] for row in rows if row["scheme"] == "one-wong"} == {"", "auto"}


def test_a_network_that_is_told():
    settings = {"network": "ring:3", "placement": "blocks", "schemes": ("hwang", "one-wong")}
    report = ms.best("chain:2:1", "t800", **settings, **WHOLE)
    assert {row["placement"] for row in report.rows()} == {"blocks"}
    best = report.search.best()
    name, *options = best.candidate.label.removesuffix(", blocks placement").split(", ")
    run = ms.run(
        "chain:2:1", name, "t800", network="ring:3", placement="blocks", options=dict(o.split("=") for o in options)
    )
    assert run.ticks == best.ticks


# Time that is up, and work that goes on


def test_time_that_is_up(capsys):
    """It ends soon, and tells what was left out; nothing was finished, so that no deadline is met."""
    words = ("best", "--robot", "puma600", "--machine", "t800", "--seconds", "0.001", "--jobs", "1", "--quiet")
    status, out, err = call(capsys, *words)
    assert (status, err) == (1, "")
    assert out.startswith("No candidate for puma600 was finished in time; more of it is needed, by --seconds\n")
    assert " others, which --seconds may give: " in out
    status, out, err = call(capsys, *words, "--json")
    found = json.loads(out)
    assert (status, found["tried"], found["met"], found["rows"]) == (1, 0, False, [])
    assert len(found["left_out"]) > 100


@pytest.fixture
def counted(monkeypatch):
    """Candidates that are computed, in turn; after `stop` of them the user interrupts."""
    right = searching.evaluate
    found = {"keys": [], "stop": math.inf}

    def evaluate(task, question):
        if len(found["keys"]) == found["stop"]:
            raise KeyboardInterrupt
        found["keys"].append(task[0].key)
        return right(task, question)

    monkeypatch.setattr(searching, "evaluate", evaluate)
    return found


def test_it_goes_on_where_it_was(counted, tmp_path):
    settings = {"schemes": SOME, "deadline": 1e-3, **WHOLE}
    plain = ms.best("chain:2:1", "t800", **settings)
    total = len(counted["keys"])
    counted.update(keys=[], stop=total // 2)
    with pytest.raises(KeyboardInterrupt, match=f"candidates finished: {total // 2}, kept in "):
        ms.best("chain:2:1", "t800", **settings, out=tmp_path)
    assert not (tmp_path / "best.csv").exists()
    first, counted["stop"] = counted["keys"], math.inf
    counted["keys"] = []
    resumed = ms.best("chain:2:1", "t800", **settings, out=tmp_path)
    assert len(counted["keys"]) == total - total // 2
    assert not set(first) & set(counted["keys"])
    told = {name: value for name, value in resumed.to_dict().items() if name not in ("table", "figures")}
    assert told == {name: value for name, value in plain.to_dict().items() if name not in ("table", "figures")}
    counted["keys"] = []
    assert ms.best("chain:2:1", "t800", **settings, out=tmp_path).rows() == resumed.rows()
    assert counted["keys"] == []
    names = {"best.csv", "best-t800.png", "rows.jsonl", "settings.json"}
    assert {path.name for path in tmp_path.iterdir()} == names
    assert (tmp_path / "best.csv").read_text().splitlines()[0] == ",".join(COLUMNS)
    with pytest.raises(MeshSimError, match="holds other work"):
        ms.best("chain:2:1", "ideal", **settings, out=tmp_path)
    assert ms.best("chain:2:1", "ideal", **settings, out=tmp_path, force=True).rows()[0]["machine"] == "ideal"


# The command


def test_json(capsys):
    words = ("--robot", "chain:2:1", "--machine", "t800,ideal", "--schemes", "wong-mesh,one-bae,denoc", "--jobs", "1")
    found = run_json(capsys, "best", *words, "--rate", "2kHz", "--quiet")
    assert set(found) == {
        *("robot", "joints", "objective", "deadline_s", "order", "met", "sentence", "shares", "machines", "rows"),
        *("tried", "left_out", "refused", "inaccurate", "failed", "precision", "table", "figures"),
    }
    assert (found["robot"], found["joints"], found["objective"], found["deadline_s"]) == ("chain:2:1", 2, "time", 5e-4)
    assert (found["order"], found["met"], found["left_out"], found["table"], found["figures"]) == (
        None,
        True,
        [],
        None,
        [],
    )
    assert sum(found["shares"].values()) == pytest.approx(1.0)
    assert found["refused"] == {"denoc": "denoc is for mechanisms with loops, and chain:2:1 has none"}
    machine, free = found["machines"]
    assert set(machine) == {"machine", "verdict", "best", "one_processor", "pareto", "limits", "depends_on"}
    assert (machine["machine"], free["machine"]) == ("t800", "ideal")
    assert [limit["cost"] for limit in machine["limits"]] == ["clock", "startup", "per_word"]
    assert set(machine["limits"][0]) == {"cost", "value", "unit", "possible", "by", "exact"}
    assert machine["one_processor"]["scheme"] == "one-bae"
    assert all(set(row) == set(COLUMNS) for row in found["rows"])
    assert found["tried"] == len(found["rows"]) / 2
    assert machine["best"]["ticks"] == found["rows"][0]["ticks"]


def test_a_rate_is_a_deadline(capsys):
    words = ("best", "--robot", "chain:2:1", "--machine", "t800", "--schemes", "wong-mesh", "--jobs", "1", "--quiet")
    for told in (("--rate", "1kHz"), ("--deadline", "1ms")):
        status, out, _ = call(capsys, *words, *told)
        assert status == 0
        assert "1 ms is met, with " in out
    status, out, _ = call(capsys, *words, "--rate", "10kHz")
    assert status == 1
    assert "100 us needs processors and links " in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--objective", "beauty"), "argument --objective: invalid choice: 'beauty'"),
        (("--deadline", "-1"), "a deadline must be a number from 1e-15 to 1e+15 s, not -1.0"),
        (("--deadline=-1ms",), "a deadline must be a number from 1e-15 to 1e+15 s, not -0.001"),
        (("--deadline", "1e308"), "a deadline must be a number from 1e-15 to 1e+15 s, not 1e+308"),
        (("--deadline", "nan"), "a deadline must be a number from 1e-15 to 1e+15 s, not nan"),
        (("--rate", "0"), "a rate must be a number from 1e-15 to 1e+15 Hz, not 0.0"),
        (("--rate", "1e-320"), "a rate must be a number from 1e-15 to 1e+15 Hz, not 1e-320"),
        (("--digits", "nan"), "digits must be a finite number, at least 0, not nan"),
        (("--digits=-1",), "digits must be a finite number, at least 0, not -1.0"),
        (("--schemes", "one-luh-walker-paul"), "one-luh-walker-paul computes inverse dynamics alone"),
        (("--deadline", "1ms", "--rate", "1kHz"), "a deadline and a rate must not both be given"),
        (("--machine", "t800,t800"), "argument --machine: must be different names"),
        (("--objective", "energy"), "t800 must have a table [energy] to look for the least energy, and has none; "),
        (("--schemes", "wong-mush"), "unknown scheme 'wong-mush'"),
        (("--order", "3"), "order must be 1, 2 or 4, or 0 for one evaluation, not 3"),
        (("--order", "4", "--orders"), "the best order must be looked for of one evaluation"),
        (("--seconds", "0ms"), "seconds must be a positive number, or inf, not 0.0"),
        (("--processors", "0"), "processors must be "),
        (("--jobs", "0"), "--jobs must be a positive integer, not 0"),
    ],
)
def test_mistakes(capsys, words, message):
    status, out, err = call(capsys, "best", "--robot", "chain:2:1", *words)
    assert (status, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_mistakes_in_python():
    with pytest.raises(MeshSimError, match=r"the objective must be one of time, .*, not 'beauty'"):
        ms.best("puma600", objective="beauty")
    with pytest.raises(MeshSimError, match=r"machines must have different names, not 't800' twice"):
        ms.best("puma600", [load_machine("t800"), load_machine("t800")])


def test_a_robot_that_no_scheme_takes(capsys, tmp_path):
    words = ("--robot", "four-bar", "--machine", "t800", "--schemes", "wong-mesh,hwang", "--out", tmp_path / "out")
    status, out, err = call(capsys, "best", *words)
    assert (status, out) == (2, "")
    assert err == (
        "meshsim: error: no scheme is left: four-bar: wong-mesh, hwang each takes no loops, and joint 'pin' of "
        "four-bar closes one\n"
    )
    assert not (tmp_path / "out").exists()


def test_a_candidate_that_fails_on_one_machine(monkeypatch):
    """It is told on the others."""
    right = candidates._on

    def on(plan, recording, machine, *rest):
        if machine.name == "t800" and len(plan.programs) > 1:
            raise MeshSimError("deadlock: nobody moves")
        return right(plan, recording, machine, *rest)

    monkeypatch.setattr(candidates, "_on", on)
    report = ms.best("chain:2:1", ("t800", "ideal"), schemes=("lee-chang", "one-bae"), **WHOLE)
    found = {(row["scheme"], row["machine"]) for row in report.rows()}
    assert found == {("lee-chang", "ideal"), ("one-bae", "t800"), ("one-bae", "ideal")}
    assert report.to_dict()["failed"]["lee-chang on t800"] == "deadlock: nobody moves"
    assert " do not fit, or fail; the first: lee-chang on t800: deadlock: nobody moves" in report.as_text()


INERTIAL = """<inertial><mass value="1"/><inertia ixx="0.1" iyy="{}" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>"""
TURNTABLE = f"""<robot name="turntable"><link name="base"/>
<link name="plate">{INERTIAL.format(0.1)}</link><link name="upper">{INERTIAL.format(0.17)}</link>
<joint name="turn" type="continuous"><origin rpy="1.5707963267948966 0 0"/>
<parent link="base"/><child link="plate"/><axis xyz="0 1 0"/></joint>
<joint name="turn2" type="continuous"><parent link="plate"/><child link="upper"/><axis xyz="0 1 0"/></joint></robot>"""


def test_numbers_that_are_zero_but_for_rounding_leave_nobody_out(tmp_path, capsys):
    """Its bias force is nothing; a scheme that finds 1e-17 has no digit of that right, and is right all the same."""
    path = tmp_path / "turntable.urdf"
    path.write_text(TURNTABLE)
    status, out, _ = call(capsys, "best", "--robot", path, "--schemes", "hwang,one-bae", "--seconds", "inf", "--json")
    found = json.loads(out, parse_constant=pytest.fail)
    assert (status, found["inaccurate"]) == (0, {})
    assert {row["scheme"] for row in found["rows"]} == {"hwang", "one-bae"}
    assert any(row["digits"] is None for row in found["rows"])
