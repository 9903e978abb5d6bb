"""Networks in Python: every verb that places programs, on its networks, in the same bits."""

import re

import networkx as nx
import numpy as np
import pytest
from matplotlib.figure import Figure
from tools.paths import ROOT

import meshsim as ms
from meshsim.experiments.studies.realtime import Question, dearest
from meshsim.experiments.studies.where import Where, where_of
from meshsim.presets import PRESETS
from meshsim.topologies.ring import ring

CHAIN = "chain:3:1"
T800 = PRESETS["t800"]
ONCE = {"step": 0.01, "profile": "1,2,3"}


# Where


def test_networks_as_objects_are_those_by_name():
    named = ms.run(CHAIN, "wong-mesh", "t800", network="ring:4", placement="blocks", dead="2")
    for network in (ms.Network(ring(4)), ring(4), ms.load_network("ring:4")):
        found = ms.run(CHAIN, "wong-mesh", "t800", network=network, placement="blocks", dead=[2])
        assert (found.ticks, found.to_dict()["network"]) == (named.ticks, named.to_dict()["network"])


def test_a_plain_graph_is_a_network():
    found = ms.run(CHAIN, "wong-mesh", "t800", network=nx.petersen_graph(), placement="round-robin")
    assert found.location.processors == 10
    assert np.array_equal(found.value.qdd, ms.run(CHAIN, "wong-mesh", "t800").value.qdd)


def test_a_mapping_is_a_placement():
    plan = ms.load_scheme("one-wong").plan(ms.load_robot(CHAIN), ms.run(CHAIN, "one-wong", "t800").state)
    (node,) = plan.programs
    found = ms.run(CHAIN, "one-wong", "t800", network="ring:3", placement={node: 2})
    assert str(found.location) == "on ring(3): 1 program on 1 of 3 processors as you told"
    assert found.run.finish == {1: 0, 2: found.ticks, 3: 0}
    assert found.rows()[0]["network"] == "ring(3)"


def test_what_is_no_network_is_refused():
    with pytest.raises(ms.MeshSimError, match=r"^network must be a text such as square-mesh:4x4, .*, not 7$"):
        ms.run(CHAIN, "wong-mesh", "t800", network=7)
    for count in (2.5, [], "3", True):
        with pytest.raises(
            ms.MeshSimError, match=rf"^processors must be a whole number, not {re.escape(repr(count))}$"
        ):
            ms.run(CHAIN, "wong-mesh", "t800", network="ring:3", processors=count)
    for dead in (7, None):
        with pytest.raises(ms.MeshSimError, match=f"^what is dead must be a text or a list .*, not {dead}$"):
            ms.run(CHAIN, "wong-mesh", "t800", network="ring:3", dead=dead)
    with pytest.raises(ms.MeshSimError, match=r"^placement must be a name or a mapping, not 7$"):
        ms.run(CHAIN, "wong-mesh", "t800", network="ring:3", placement=7)


def test_numbers_of_numpy_and_lists_are_taken():
    assert where_of("ring:3", np.int64(2)).count == 2
    assert where_of("ring:3", dead=[[1, 2]]).load().dead == where_of("ring:3", dead="1-2").load().dead


def test_what_tells_places_apart(tmp_path):
    path = tmp_path / "places.json"
    path.write_text("{}")
    told = [
        where_of("ring:4"),
        where_of("ring:5"),
        where_of("ring:4", dead="1"),
        where_of("ring:4", dead="1-2"),
        where_of("ring:4", 3),
        where_of("ring:4", placement="rows"),
        where_of("ring:4", placement={1: 1}),
        where_of("ring:4", placement=path),
    ]
    before = [where.identity for where in told]
    assert all(one != other for i, one in enumerate(before) for other in before[:i])
    assert where_of(ring(4)).identity == before[0]
    path.write_text('{"1": 1}')
    assert told[-1].identity != before[-1]
    assert Where().identity == {}


# The other verbs


def test_the_kinds_of_a_picture():
    from meshsim.experiments.figures.gantt import plot_gantt

    own, placed = (ms.run(CHAIN, "wong-mesh", "t800", processors=count) for count in (None, 2))
    axes = Figure().subplots()
    assert not {"switch", "copy"} & plot_gantt(axes, own.run, own.title)
    assert {"switch", "copy"} <= plot_gantt(axes, placed.run, placed.title)
    assert [label.get_text() for label in axes.get_yticklabels()] == ["(1,1)", "(1,2)"]


def test_a_placed_solver():
    own, placed = (ms.solve("random:5:1", "feedforward-lu", "t800", network=net) for net in (None, "ring:3"))
    assert np.array_equal(own.value, placed.value)
    assert placed.title.endswith("3 processors of ring(3)")
    assert placed.to_dict()["network"]["name"] == "ring(3)"
    assert set(placed.to_dict()) - set(own.to_dict()) == {"network"}


@pytest.mark.parametrize(
    ("robot", "scheme", "options"),
    [(CHAIN, "wong-mesh", {}), ("3rrr", "projection", {"layout": "star"})],
)
def test_a_placed_motion_has_the_same_numbers(robot, scheme, options, tmp_path):
    settings = {**ONCE, **options, "duration": 0.05}
    own = ms.simulate(robot, scheme, "t800", out=tmp_path / "own", **settings)
    placed = ms.simulate(robot, scheme, "t800", out=tmp_path / "placed", processors=2, **settings)
    texts = [(tmp_path / folder / "motion.csv").read_text() for folder in ("own", "placed")]
    assert texts[0] == texts[1]
    found = placed.to_dict()
    assert found["network"]["network"] == "square-mesh(1, 2)"
    assert found["processors"] == 2
    assert found["us_per_step"] > own.to_dict()["us_per_step"]
    assert "\non square-mesh(1, 2): " in placed.as_text()
    assert set(found) - set(own.to_dict()) == {"network"}


def test_one_program_takes_as_long_anywhere(tmp_path):
    settings = {"duration": 0.05, "step": 0.01}
    own, placed = (
        ms.simulate(CHAIN, "one-wong", "t800", out=tmp_path / str(net), network=net, **settings).to_dict()
        for net in (None, "ring:3")
    )
    assert placed["ticks"] == own["ticks"]
    adaptive = ms.simulate(CHAIN, "one-wong", "t800", out=tmp_path / "adaptive", network="ring:3", duration=0.05)
    assert adaptive.to_dict()["us_per_evaluation"] == ms.run(CHAIN, "one-wong", "t800").time_us


def test_a_motion_keeps_its_folder(tmp_path):
    settings = {"duration": 0.02, "step": 0.01, "out": tmp_path / "out"}
    ms.simulate(CHAIN, "one-wong", "t800", network="ring:3", **settings)
    with pytest.raises(ms.MeshSimError, match="holds"):
        ms.simulate(CHAIN, "one-wong", "t800", network="ring:4", **settings)


def test_a_control_program_is_placed_with_the_others(tmp_path):
    settings = {"step": 0.01, "profile": "excavator:joint", "duration": 0.02}
    own, placed = (
        ms.simulate("excavator", "wong-mesh", "t800", out=tmp_path / str(count), processors=count, **settings)
        for count in (None, 3)
    )
    assert placed.to_dict()["final"] == own.to_dict()["final"]
    assert placed.to_dict()["network"]["programs"] == own.to_dict()["processors"]


def test_placed_inverse_dynamics(tmp_path):
    settings = {"profile": "cycloid:1", "samples": 3}
    own, placed = (
        ms.inverse(CHAIN, "wong-mesh", "t800", out=tmp_path / str(net), network=net, **settings).to_dict()
        for net in (None, "ring:3")
    )
    assert placed["torques"] == own["torques"]
    assert (own["processors"], placed["processors"]) == (9, 3)
    assert placed["network"]["network"] == "ring(3)"


def test_realtime_where_it_can_be_retimed():
    scheme, robot = ms.load_scheme("wong-mesh"), ms.load_robot("chain:2:1")
    own = Question(scheme, scheme.choose({}), T800, 0.01, 4)
    placed = ms.realtime("chain:2:1", "wong-mesh", "t800", 0.01, network="cone:2", placement="identity")
    found = placed.to_dict()
    assert (found["most_ticks"], found["us_per_step"]) == (dearest(own, robot), own.us(own.pace(robot)))
    assert (found["why_no_limits"], found["largest_n"]) == ("", None)
    assert "largest n: not looked for, since the placement is of this robot's programs alone" in placed.as_text()


def test_realtime_where_it_must_be_simulated():
    placed = ms.realtime("chain:2:1", "wong-mesh", "t800", 0.0001, processors=1)
    found = placed.to_dict()
    assert not found["real_time"]
    assert found["network"]["processors"] == 1
    assert "share processor (1,1), and whose turn it is depends on times" in found["why_no_limits"]
    assert "how large single costs may be is not looked for: " in placed.as_text()
    assert found["us_per_step"] > ms.run("chain:2:1", "wong-mesh", "t800", processors=1).time_us


def test_explain_tells_what_sharing_costs():
    report = ms.explain("wong-mesh", "hwang", CHAIN, "t800", network="ring:3", placement="blocks")
    found = report.to_dict()
    for side, scheme in zip(found["schemes"], ("wong-mesh", "hwang"), strict=True):
        run = ms.run(CHAIN, scheme, "t800", network="ring:3", placement="blocks")
        assert side["ticks"] == run.ticks
        paid = side["on_critical_path"]
        assert paid["switch"]["ticks"] == paid["switch"]["count"] * T800.switch == run.run.critical_path.switch
        assert side["network"] == run.to_dict()["network"]
    assert found["crossings"] == []
    assert "whose turn it is depends on times" in found["why_no_crossings"]
    text = report.as_text()
    assert "costs at which the other would be the faster are not looked for: " in text
    assert re.search(r"\nswitches +\d+ \([\d.]+ us\) +\d+ \([\d.]+ us\)\n", text)
    assert len(report.rows()) == len({row["cost"] for row in report.rows()})


def test_explain_where_it_can_be_retimed():
    rivals = {"rival_options": {"rho": "recompute"}}
    own = ms.explain("wong-mesh", "wong-mesh", CHAIN, "t800", **rivals).to_dict()
    placed = ms.explain("wong-mesh", "wong-mesh", CHAIN, "t800", **rivals, network="cone:3", placement="identity")
    found = placed.to_dict()
    assert found["crossings"] == own["crossings"]
    assert [each["critical_path"] for each in found["schemes"]] == [each["critical_path"] for each in own["schemes"]]


def test_a_half_duplex_machine_is_explained_where_a_network_is_told(tmp_path):
    text = (ROOT / "docs/examples/machine.toml").read_text().replace('duplex = "full"', 'duplex = "half"')
    (tmp_path / "half.toml").write_text(text)
    with pytest.raises(ms.MeshSimError, match="half duplex"):
        ms.explain("wong-mesh", "hwang", "chain:2:1", tmp_path / "half.toml")
    report = ms.explain("wong-mesh", "hwang", "chain:2:1", tmp_path / "half.toml", network="ring:3")
    assert report.to_dict()["why_no_crossings"]


# Sweeps

SPEC = {"schemes": ["wong-mesh", "one-wong"], "n": [3], "machine": "t800", "grid": {"startup": [10, 51]}}


def swept(tmp_path, spec, **settings):
    return ms.sweep(spec, tmp_path / "out", jobs=1, **settings).rows()


def test_a_placed_sweep_is_simulated_where_that_is_allowed(tmp_path):
    spec = {**SPEC, "network": "ring:3", "placement": "blocks", "fallback": "simulate"}
    rows = swept(tmp_path, spec)
    for row in rows:
        links = ms.LinkCosts("rendezvous", startup=row["startup"], per_word=T800.links.per_word)
        machine = ms.Machine(**{**T800.as_dict(), "links": links})
        run = ms.run(CHAIN, row["scheme"], machine, network="ring:3", placement="blocks", trace=False)
        assert (row["ticks"], row["processors"]) == (run.ticks, 3)
        assert (row["network"], row["placement"]) == ("ring(3)", "blocks")
    assert swept(tmp_path, spec) == rows
    with pytest.raises(ms.MeshSimError, match="holds"):
        swept(tmp_path, {**spec, "placement": "rows"})


def test_a_placed_sweep_is_refused_where_it_is_not_allowed(tmp_path):
    """One program is re-timed anywhere; several have a line, which is an error where nothing else is left."""
    spec = {**SPEC, "network": "ring:3"}
    report = ms.sweep(spec, tmp_path / "out", jobs=1)
    assert {row["scheme"] for row in report.rows()} == {"one-wong"}
    (line,) = report.lines
    reason = r'whose turn it is depends on times; .*: fallback = "simulate" allows'
    assert re.search(reason, line)
    with pytest.raises(ms.MeshSimError, match=f"^no scheme is left: .*{reason}"):
        ms.sweep({**spec, "schemes": ["wong-mesh"]}, tmp_path / "alone", jobs=1)


def test_a_placed_sweep_is_retimed_where_that_is_exact(tmp_path):
    spec = {**SPEC, "schemes": ["wong-mesh"]}
    own = ms.sweep(spec, tmp_path / "own", jobs=1).rows()
    placed = swept(tmp_path, spec, network="cone:3", placement="identity")
    assert [row["ticks"] for row in placed] == [row["ticks"] for row in own]


def test_what_is_told_beside_a_sweeps_file_replaces_what_it_says(tmp_path):
    spec = {**SPEC, "schemes": ["one-wong"], "network": "ring:3", "dead": ["1"]}
    assert [row["processors"] for row in swept(tmp_path, spec)] == [2, 2]
    rows = swept(tmp_path, spec, network=ring(6), dead=[2, 3], force=True)
    assert [(row["network"], row["processors"]) for row in rows] == [("ring(6)", 4)] * 2


def test_files_beside_a_spec(tmp_path):
    (tmp_path / "boards.json").write_text((ROOT / "docs/examples/boards.json").read_text())
    text = 'schemes = ["one-wong"]\nn = [2]\nnetwork = "boards.json"\n[grid]\nadd = [1, 2]\n'
    (tmp_path / "spec.toml").write_text(text)
    assert [row["network"] for row in swept(tmp_path, tmp_path / "spec.toml")] == ["two boards"] * 2
    (tmp_path / "spec.toml").write_text(text.replace("boards.json", "nowhere.json"))
    with pytest.raises(ms.MeshSimError, match=r"nowhere\.json: network file must be a readable file"):
        swept(tmp_path, tmp_path / "spec.toml", force=True)


# The page


def test_the_example_by_hand(capsys):
    text = (ROOT / "docs/networks.md").read_text()
    ((code, printed),) = re.findall(r"```python\n([^`]*)```\n\n    ([^\n]*)\n", text)
    exec(code, {})
    assert capsys.readouterr().out.strip() == printed


def test_the_network_of_ones_own(tmp_path):
    text = (ROOT / "docs/networks.md").read_text()
    (code,) = re.findall(r"```python\n([^`]*def ladder[^`]*)```", text)
    (tmp_path / "mine.py").write_text(code)
    network = ms.load_network(f"{tmp_path}/mine.py:ladder:4")
    assert (network.name, len(network.processors)) == ("ladder(4)", 8)
