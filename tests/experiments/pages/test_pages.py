"""What goes into a page, without a browser."""

import base64
import itertools
import json
import re
import zlib

import numpy as np
import pytest
from tools.command import call

import meshsim as ms
from meshsim.experiments.figures.gantt import KINDS
from meshsim.experiments.pages.charts import time_chart
from meshsim.experiments.pages.packing import Packer, Values
from meshsim.experiments.pages.page import SCRIPTS, Page, _web, as_html, save_page
from meshsim.experiments.pages.story import story
from meshsim.experiments.studies.waits import longest_waits
from meshsim.machine import OPERATIONS, LinkCosts, Machine


def unpacked(packer):
    """What the page's script makes of packed columns."""
    data = zlib.decompress(base64.b64decode(packer.packed()))
    found, first = {}, 0
    for name, kind, length, steps in packer.columns:
        size = int(kind[1])
        planes = np.frombuffer(data[first : first + size * length], np.uint8).reshape(size, length)
        first += size * length
        numbers = planes.T.copy().reshape(-1).view(kind)
        found[name] = np.cumsum(numbers.astype(np.int64)) if steps else numbers
    assert first == len(data)
    return found


def test_columns_are_packed_without_loss():
    packer = Packer()
    columns = {
        "small": [0, 1, -1, 127],
        "middle": [0, 300, -20000],
        "large": [2**31 - 1, -(2**31)],
        "huge": [2**40, 3],
        "empty": [],
    }
    for name, values in columns.items():
        packer.add(name, values)
    packer.add("times", [5, 5, 7, 2**33], steps=True)
    packer.add_floats("numbers", np.array([0.1, -2.5e300]), single=False)
    found = unpacked(packer)
    for name, values in columns.items():
        assert found[name].tolist() == values
    assert found["times"].tolist() == [5, 5, 7, 2**33]
    assert found["numbers"].tolist() == [0.1, -2.5e300]
    assert [kind for _, kind, *_ in packer.columns] == ["i1", "i2", "i4", "f8", "i1", "f8", "f8"]


def test_values_are_kept_once_with_their_shapes():
    values = Values()
    vector, pair = (1.0, 2.0, 3.0), ((1.0, 2.0), (3.0, 4.0))
    mixed = (1.0, (2.0, 3.0), ())
    assert values.places([vector, 7.0, vector, pair, mixed, np.eye(2)]) == [0, 1, 0, 2, 3, 4]
    assert list(values.shapes) == ["3", "", "2x2", "(,2,())"]
    assert values.shape_of == [0, 1, 2, 3, 2]
    assert values.numbers == [1.0, 2.0, 3.0, 7.0, 1.0, 2.0, 3.0, 4.0, 1.0, 2.0, 3.0, 1.0, 0.0, 0.0, 1.0]


@pytest.mark.parametrize("where", [{}, {"network": "ring:4", "placement": "blocks"}])
def test_a_story_holds_every_part_and_message(where):
    run = ms.run("chain:3:1", "wong-mesh", "t800", **where).run
    told = story("x", run)
    packer = Packer()
    packer.columns, packer.packed = told["columns"], lambda: told["packed"]
    found = unpacked(packer)
    parts, messages = run.trace.columns.parts, run.trace.columns.messages
    assert found["part.ticks"].tolist() == (parts.end - parts.start).tolist()
    assert found["part.kind"].tolist() == parts.kind.tolist()
    assert ("part.program" in found) == bool(where)
    assert found.get("part.program", parts.program).tolist() == parts.program.tolist()
    assert found["message.sent"].tolist() == messages.sent.tolist()
    arrive = found["message.sent"] + found["message.depart"] + found["message.arrive"]
    assert arrive.tolist() == messages.arrive.tolist()
    taken = found["message.taken"] + np.maximum(arrive, arrive + found["message.asked"])
    assert taken.tolist() == messages.taken.tolist()
    assert len(told["nodes"]) == run.processors
    for (sender, _, receiver, _, route), channel in zip(told["channels"], run.channels, strict=True):
        assert told["programs"][sender][0] == str(channel.sender.cpu.node).replace(", ", ",")
        if run.network is not None:
            assert len(route) == len(channel.path)
        assert sender != receiver
        for link in route:
            assert 1 <= abs(link) <= len(told["links"])


def test_a_channel_s_route_begins_at_its_sender_and_ends_at_its_receiver():
    run = ms.run("chain:3:1", "wong-mesh", "t800", network="square-mesh:2x3", placement="blocks").run
    told = story("x", run)
    at = [(node["x"], node["y"]) for node in told["nodes"]]
    for sender, _, receiver, _, route in told["channels"]:
        ways = [told["links"][abs(link) - 1][:: 1 if link > 0 else -1] for link in route]
        if ways:
            assert tuple(ways[0][0]) == at[told["programs"][sender][1]]
            assert tuple(ways[-1][-1]) == at[told["programs"][receiver][1]]
        for before, following in itertools.pairwise(ways):
            assert before[-1] == following[0]


def test_sizes_of_pages(tmp_path):
    ms.solve("random:4:1", "feedforward-lu", "ideal").report(tmp_path / "small.html")
    assert (tmp_path / "small.html").stat().st_size < 300_000
    ms.run("chain:32:1", "wong-mesh", "ideal").report(tmp_path / "large.html")
    assert (tmp_path / "large.html").stat().st_size < 3_000_000


def test_the_longest_waits_and_whom_they_are_for():
    """Worked out by hand: b computes 10 ticks before it sends to a, and c waits for a."""
    import networkx as nx
    from tools.engine import do, machine, plan, recv, send

    graph = nx.MultiGraph()
    graph.add_edge("a", "b", ports={"a": "b", "b": "a"})
    graph.add_edge("a", "c", ports={"a": "c", "c": "a"})
    programs = {"a": [recv("b"), send("c")], "b": [do(10), send("a")], "c": [recv("a")]}
    run = plan(programs, graph).run(machine("rendezvous", startup=3))
    waits = [tuple(wait)[:4] for wait in longest_waits(run)]
    assert waits == [(2, 0, 13, 0), (0, 0, 10, 1)]
    first, second = (wait.cause for wait in longest_waits(run))
    assert first.startswith("until a sends to port a: a waits too, and behind it all b computes (")
    assert first.endswith("for 77 % of that time")
    assert second.startswith("until b sends to port b: b computes (")
    assert second.endswith("for 100 % of that time")


def test_waits_between_messages_of_one_par_are_each_for_whoever_ends_it():
    """By hand: b sends at 10 and c at 30, each for 3 ticks; a receives from both at once."""
    import networkx as nx
    from tools.engine import do, machine, par, plan, recv, send

    graph = nx.MultiGraph()
    graph.add_edge("a", "b", ports={"a": "b", "b": "a"})
    graph.add_edge("a", "c", ports={"a": "c", "c": "a"})
    programs = {"a": [par(recv("b"), recv("c"))], "b": [do(10), send("a")], "c": [do(30), send("a")]}
    run = plan(programs, graph).run(machine("rendezvous", startup=3))
    waits = [(*tuple(wait)[:4], wait.cause.partition(":")[0]) for wait in longest_waits(run)]
    assert waits == [(0, 13, 30, 2, "until c sends to port c"), (0, 0, 10, 1, "until b sends to port b")]


def test_a_wait_for_a_wire_that_is_busy_says_so():
    """By hand: a and b send at 0, for 10 ticks each, over a wire that carries one message at a time, a's first."""
    import networkx as nx
    from tools.engine import machine, plan, recv, send

    graph = nx.MultiGraph()
    graph.add_edge("a", "b", ports={"a": "b", "b": "a"})
    programs = {"a": [send("b"), recv("b")], "b": [send("a"), recv("a")]}
    (wait,) = longest_waits(plan(programs, graph).run(machine("overlap", startup=10, duplex="half")))
    assert tuple(wait)[:4] == (0, 0, 10, 1)
    assert wait.cause == "until the wire is free for what b sends to port b: b receives for 100 % of that time"


def test_every_long_wait_of_a_run_elsewhere_has_a_cause():
    """Processors that forward wait for messages of others as well."""
    run = ms.run("puma600", "wong-mesh", "t800", network="square-mesh:3x3", placement="blocks").run
    causes = [wait.cause for wait in longest_waits(run, 40)]
    assert any("which passes it" in cause for cause in causes)
    assert not any("can go on" in cause for cause in causes)
    assert all(wait.peer >= 0 for wait in longest_waits(run, 40))


def test_scripts_share_no_name_and_import_only_what_stands_before():
    seen, places = set(), {}
    for name in SCRIPTS:
        text = _web(name)
        for imported in re.findall(r'from "\./([\w.]+)"', text):
            assert imported in seen, f"{name} imports {imported}, which stands behind it"
        seen.add(name)
        for declared in re.findall(r"^(?:export )?(?:async )?(?:function|class|const|let) +(\w+)", text, re.MULTILINE):
            assert declared not in places, f"{declared} is declared in {places[declared]} and in {name}"
            places[declared] = name


def test_a_page_is_one_file_with_a_policy_that_forbids_requests(tmp_path):
    html = as_html(Page("a < b & c", verdict="</script>"))
    assert "default-src 'none'" in html
    assert "<title>a &lt; b &amp; c</title>" in html
    assert "</script>" not in html[html.index('id="data">') : html.index("</script>", html.index('id="data">'))]
    data = re.search(r'id="data">(.*?)</script>', html, re.DOTALL)[1]
    assert json.loads(data)["verdict"] == "</script>"
    assert not re.search(r'(?:src|href)="(?!data:)', html)
    save_page(Page("x"), tmp_path / "x.html")
    assert (tmp_path / "x.html").read_text() == as_html(Page("x"))


def test_a_motion_that_takes_no_time_has_a_page(tmp_path):
    nothing = Machine("nothing", 1, dict.fromkeys(OPERATIONS, 0), LinkCosts("free"))
    page = ms.simulate("chain:1:1", "one-wong", nothing, step=0.05, duration=0.1, out=tmp_path / "motion").page()
    assert (page.stories, page.about) == ([], [])
    assert len(page.motion["times"]) == 3


@pytest.mark.parametrize(("times", "wide"), [([0.0, 900.0], False), ([1.0, 900.0], True), ([500.0, 900.0], False)])
def test_what_takes_no_time_has_no_place_on_a_logarithmic_axis(times, wide):
    rows = [{"machine": "t800", "scheme": "hwang", "n": n, "time_us": time} for n, time in enumerate(times, start=1)]
    assert time_chart(ms.load_machine("t800"), rows, "time_us", "A step")["y"]["log"] == wide


@pytest.mark.parametrize(
    "verb", [["run", "wong-mesh", "--robot", "puma600"], ["compare", "--n", "2"], ["best", "--robot", "puma600"]]
)
def test_a_page_that_cannot_be_written_is_refused_before_any_work(verb, tmp_path, capsys):
    status, _, told = call(capsys, *verb, "--machine", "ideal", "--report", str(tmp_path / "page.txt"))
    assert status == 2
    assert "a page must end with .html, not" in told


@pytest.mark.parametrize("verb", [["best", "--robot", "puma600"], ["compare", "--n", "2"]])
def test_a_page_is_not_written_over_a_placement(verb, tmp_path, capsys):
    (tmp_path / "places.html").write_text("{}")
    where = ["--placement", str(tmp_path / "places.html"), "--report", f"{tmp_path}/../{tmp_path.name}/places.html"]
    status, _, told = call(capsys, *verb, "--machine", "ideal", *where)
    assert status == 2
    assert "must be a file of its own, and is an input as well" in told
    assert (tmp_path / "places.html").read_text() == "{}"


def test_the_command_that_made_a_page_stands_in_it(tmp_path, capsys, monkeypatch):
    words = [
        "solve",
        "feedforward-lu",
        "--system",
        "random:2:1",
        "--machine",
        "ideal",
        "--report",
        str(tmp_path / "p.html"),
    ]
    monkeypatch.setattr("sys.argv", ["meshsim", *words])
    status, printed, _ = call(capsys, *words)
    assert status == 0
    assert f"page: {tmp_path / 'p.html'}" in printed
    assert "meshsim solve feedforward-lu --system random:2:1" in (tmp_path / "p.html").read_text()


def test_colours_are_those_of_pictures_and_differ_in_grey():
    """Light pages have the colours of the Gantt picture; dark ones have their own."""
    light, dark = (
        dict(re.findall(r"--kind-(\w+): (#\w{6})", block)) for block in _web("page.css").split("data-theme", 1)
    )
    assert light == KINDS
    assert dark.keys() == KINDS.keys()
    greys = sorted(
        sum(share * int(colour[k : k + 2], 16) for share, k in ((0.299, 1), (0.587, 3), (0.114, 5)))
        for colour in dark.values()
    )
    assert min(np.diff(greys)) > 20
