"""Networks on the command line: where programs are placed, what is told of it, and what is refused."""

import csv
import json
import os
import re
import shlex
import subprocess
import sys

import pytest
from tools.command import call, run_json
from tools.paths import ROOT

from meshsim.experiments.cli.main import build_parser
from meshsim.machine import read_machine
from meshsim.placement import PLACEMENTS
from meshsim.presets import PRESETS
from meshsim.topologies import NETWORKS
from meshsim.topologies.named import load_network, written

RUN = ("run", "wong-mesh", "--robot", "chain:3:1", "--machine", "t800")
FOLDED = ("--network", "square-mesh:2x2", "--placement", "blocks")
PLACING = ("run", "simulate", "inverse", "solve", "explain", "realtime", "sweep")


def refused(capsys, *words):
    """What a refusal says."""
    status, out, err = call(capsys, *words)
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    return err.removeprefix("meshsim: error: ").strip()


# What a placed run tells


def test_numbers_are_the_same_and_times_are_told_apart(capsys):
    own, placed = run_json(capsys, *RUN), run_json(capsys, *RUN, *FOLDED)
    assert "network" not in own
    assert set(own["critical_path"]) == {"compute", "wire", "wait"}
    for key in ("M", "h", "qdd", "operations", "messages", "words"):
        assert placed[key] == own[key]
    use, path = placed["network"], placed["critical_path"]
    named = [use[key] for key in ("name", "placement", "programs", "used", "processors")]
    assert named == ["square-mesh(2, 2)", "blocks", 10, 4, 4]
    assert placed["processors"] == 4
    assert use["switching"] == use["switches"] * PRESETS["t800"].switch > 0
    assert use["copying"] >= use["copies"] * PRESETS["t800"].local.startup > 0
    assert use["conflicts"] > 0 < use["waited"]
    assert use["highest_level"] > 0
    assert use["forwarding"] == use["forwarded"] * PRESETS["t800"].links.hop > 0
    assert sum(path.values()) == placed["ticks"]
    assert path["switch"] > 0 < path["copy"]
    assert use["busiest_processor"]["ticks"] <= placed["ticks"]
    assert use["busiest_link"]["ticks"] <= placed["ticks"]


def test_on_one_processor_time_is_the_sum(capsys):
    placed = run_json(capsys, *RUN, "--processors", "1")
    use = placed["network"]
    assert use["kernels"] + use["switching"] + use["copying"] == placed["ticks"]
    assert use["copies"] == placed["messages"]
    assert use["busiest_link"] is None


def test_the_page_of_a_placed_run(capsys):
    out = call(capsys, *RUN, *FOLDED)[1].replace("\n  ", " ")  # where the page ends
    use = run_json(capsys, *RUN, *FOLDED)["network"]
    assert re.match(
        r"wong-mesh computes chain:3:1 in [\d.]+ us on 4 t800 processors of square-mesh\(2, 2\), \d+ % busy", out
    )
    assert "from what travelled between their programs" in out
    assert "\non square-mesh(2, 2): 10 programs on 4 processors by blocks placement\n" in out
    assert f"{use['switches']} switches {use['switching'] / 10:.1f} us, {use['copies']} copies" in out
    assert re.search(r"critical path: .* % wait, .* % switch, .* % copy\n", out)
    assert re.search(r"busiest processor: \(\d,\d\), [\d.]+ us of its own work, [\d.]+ % of the time\n", out)
    assert re.search(r"busiest link: \(\d,\d\) - \(\d,\d\), \d+ messages, \d+ words, busy [\d.]+ % of the time\n", out)
    assert f"conflicts: {use['conflicts']} messages found a link busy and waited {use['waited'] / 10:.1f} us" in out
    assert f"a router held at most {use['highest_level']} for a link\n" in out
    assert "sensitivities are not computed: (0,0) and (0,1) share processor (1,1), and whose turn" in out


def test_the_page_of_a_run_on_its_own_network_is_as_it_was(capsys):
    _, out, _ = call(capsys, *RUN)
    assert " us on 10 t800 processors, " in out.splitlines()[0]
    assert not {"placement", "switch", "copy", "conflicts", "busiest"} & set(re.findall(r"\w+", out))


def test_a_placement_with_a_processor_for_each_has_sensitivities(capsys):
    own, placed = run_json(capsys, *RUN), run_json(capsys, *RUN, "--network", "cone:3", "--placement", "identity")
    assert placed["ticks"] == own["ticks"]
    assert placed["sensitivity"] == own["sensitivity"]
    assert placed["critical_path"] == own["critical_path"]


def test_processors_that_forward(capsys, tmp_path):
    path = tmp_path / "mine.toml"
    text = (ROOT / "docs/examples/machine.toml").read_text()
    path.write_text(re.sub(r'routing = "router" ', 'routing = "processor" ', text).replace("\nhop = 0 ", "\nhop = 7 "))
    words = ("run", "hwang", "--robot", "chain:3:1", "--machine", path, "--network", "ring:5")
    _, out, _ = call(capsys, *words, "--placement", "round-robin")
    use = run_json(capsys, *words, "--placement", "round-robin")["network"]
    assert use["forwarding"] == 7 * use["forwarded"] > 0
    assert f", forwarding {use['forwarded']} messages {use['forwarding'] / 10:.1f} us\n" in out


@pytest.mark.usefixtures("in_full")
def test_trace_and_picture(capsys, tmp_path):
    trace, picture = tmp_path / "run.csv", tmp_path / "run.png"
    call(capsys, *RUN, *FOLDED, "--trace", trace, "--gantt", picture)
    rows = list(csv.DictReader(trace.read_text().splitlines()))
    assert {row["processor"] for row in rows} == {"(1,1)", "(1,2)", "(2,1)", "(2,2)"}
    assert {row["kind"] for row in rows} == {"compute", "send", "receive", "wait", "switch", "copy", "forward"}
    assert {row["program"] for row in rows if row["kind"] == "compute"} <= {
        f"({i},{j})" for i in "0123" for j in "0123"
    }
    assert all(row["program"] for row in rows if row["kind"] in ("compute", "copy"))
    assert picture.read_bytes().startswith(b"\x89PNG")


# How it is told


def test_a_placement_file(capsys, tmp_path):
    path = tmp_path / "places.json"
    path.write_text(json.dumps({f"({i},{j})": f"1,{1 + (i > 0)}" for i in range(4) for j in range(i, 4)}))
    status, out, _ = call(capsys, *RUN, "--network", "square-mesh:1x2", "--placement", path)
    assert status == 0
    assert f"on square-mesh(1, 2): 10 programs on 2 processors as {path} told\n" in out.replace("\n  ", " ")


def test_a_bare_name_is_a_schemes_own_option(capsys):
    bus = ("run", "hwang", "--robot", "chain:3:1", "--machine", "t800")
    own = run_json(capsys, *bus, "--option", "network=bus")
    assert run_json(capsys, *bus, "--network", "bus") == own
    assert run_json(capsys, *bus, "--network", "bus", "--processors", "4")["network"]["name"] == "bus(4)"
    star = ("run", "denoc", "--robot", "3rrr", "--machine", "t800")
    assert run_json(capsys, *star, "--network", "star") == run_json(capsys, *star, "--option", "layout=star")


@pytest.mark.parametrize("name", sorted(NETWORKS.built_in))
def test_every_network_that_is_listed_is_taken(name, capsys):
    _, out, _ = call(capsys, "list", "networks")
    form = written(name)
    assert form in re.sub(r"\s+", " ", out)
    text = re.sub("[A-Z]+", "4", form)
    count = len(load_network(text).processors)
    placed = run_json(capsys, *RUN, "--network", text, "--placement", "round-robin")
    assert (placed["network"]["used"], placed["network"]["processors"]) == (min(10, count), count)


@pytest.mark.parametrize("placement", [each for each in PLACEMENTS if each != "identity"])
def test_every_placement_is_taken(placement, capsys):
    own = run_json(capsys, *RUN)
    placed = run_json(capsys, *RUN, "--processors", "3", "--placement", placement)
    assert (placed["network"]["placement"], placed["qdd"]) == (placement, own["qdd"])


def test_dead_links_and_processors(capsys):
    dead = ("--dead", "1,2", "--dead", "2,1-2,2")
    placed = run_json(capsys, *RUN, "--network", "square-mesh:3x3", *dead, "--placement", "round-robin")
    assert placed["network"]["processors"] == 8
    assert placed["qdd"] == run_json(capsys, *RUN)["qdd"]


@pytest.mark.parametrize("verb", PLACING)
def test_every_help_page_shows_a_network(verb, capsys):
    _, out, _ = call(capsys, verb, "--help")
    shown = [line.strip() for line in out.splitlines() if line.startswith(f"  meshsim {verb}") and "--network" in line]
    assert shown
    for command in shown:
        assert build_parser().parse_args(shlex.split(command)[1:]).network


def test_the_example_of_a_machine_has_every_key():
    keys = set(re.findall(r"^(\w+) = ", (ROOT / "docs/examples/machine.toml").read_text(), flags=re.MULTILINE))
    machine = read_machine(ROOT / "docs/examples/machine.toml").as_json()
    known = {*machine, *machine["links"], *machine["local"], *machine["operations"], *machine["energy"]}
    assert known - keys == {"operations", "links", "local", "kernels", "description", "energy", "assumed"}


def test_transputers_switch_in_a_microsecond():
    family = [machine for name, machine in PRESETS.items() if name.startswith("t800")]
    assert len(family) == 4
    for machine in family:
        assert machine.microseconds(machine.switch) == 1.0
        assert machine.microseconds(machine.local.copy(10)) == 2.0


def test_a_terminal_that_cannot_show_a_name_shows_its_codes(tmp_path):
    path = tmp_path / "net.json"
    path.write_text('{"nodes": [{"id": "\\u6f22"}]}')
    command = [sys.executable, "-m", "meshsim", "run", "one-wong", "--robot", "chain:2:1", "--machine", "t800"]
    plain = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run([*command, "--network", path], cwd=ROOT, env=plain, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert "busiest processor: \\u6f22, " in done.stdout


# What is refused


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            "--network foo:4",
            "network must be one of pipeline, ring, .* with a size as in square-mesh:4x4, or .* not 'foo'",
        ),
        ("--network square-mesh:4", "the size of square-mesh must be ROWSxCOLUMNS, as in square-mesh:4x4, not 4"),
        (
            "--network ring",
            "the size of ring must be N, as in ring:4, or come from a number of processors, not nothing",
        ),
        ("--network ring:x", "the size of a network must be whole numbers .*, not 'x'"),
        ("--network ring:1000000000", "the size .* of at most nine digits with an x .*, not '1000000000'"),
        ("--network= --processors 4", "network must be a text such as square-mesh:4x4, not ''"),
        ("--network ring:99999", "a size of ring must be at most 20000, not 99999"),
        ("--network hypercube:40", "hypercube must have at most 20000 processors, not more"),
        (
            "--network ring:3 --processors 4",
            r"processors must be a whole number from 1 to 3, all that ring\(3\) has, not 4",
        ),
        (
            "--network ring:3 --processors 4 --dead 1",
            r"processors must be a whole number from 1 to 2, all that ring\(3\) has, not 4",
        ),
        ("--processors 0", "processors must be a positive integer, not 0"),
        ("--placement auto", "a placement, or what is dead, must be told with a network or a number of processors"),
        ("--placement rows", "a placement, or what is dead, must be told with a network or a number of processors"),
        ("--dead 1", "a placement, or what is dead, must be told with a network or a number of processors"),
        ("--network ring:3 --placement foo", "placement must be identity, .*, auto or a JSON file, not 'foo'"),
        ("--network ring:3 --placement foo.json", "foo.json: placement file must be a readable file, .*"),
        ("--network ring:3 --placement STATE", ".*state.json: 'q' must be a program of the plan: 0,0 0,1 .*"),
        ("--network foo.json", "foo.json: network file must be a readable file, .*"),
        ("--network ring:2 --dead 1 --dead 2", r"ring\(2\) must have at least one living processor, not 0"),
        ("--network ring:3 --dead 9", r"'9' must be a node of ring\(3\), or two with a hyphen between them: 1 2 3"),
        ("--network ring:3 --placement identity", ".* find a processor with the name of each program, not miss .*"),
        (
            "--network pipeline:3 --dead 2 --placement round-robin",
            r"messages from \(\d,\d\) to \(\d,\d\) must find a way: pipeline\(3\) must have a route from 1 to 3, and "
            "has none; dead: 2",
        ),
    ],
)
def test_refusals(words, message, capsys):
    words = words.replace("STATE", str(ROOT / "docs/examples/state.json"))
    assert re.fullmatch(message, refused(capsys, *RUN, *words.split()))


def test_a_placement_file_that_lacks_a_program_is_named(capsys, tmp_path):
    path = tmp_path / "places.json"
    path.write_text('{"(0,0)": 1}')
    told = refused(capsys, *RUN, "--network", "ring:3", "--placement", path)
    assert told == f"{path}: placement must have a processor for every program, not lack (0,1)"


def test_a_deadlock_ends_with_its_cycle_and_names_links_by_their_direction(capsys, tmp_path):
    """However many programs wait. With half duplex a wire is two links: the one that a message asks for is named."""
    path = tmp_path / "mine.toml"
    text = (ROOT / "docs/examples/machine.toml").read_text()
    path.write_text(
        text.replace('duplex = "full"', 'duplex = "half"').replace("router_buffers = 0", "router_buffers = 1")
    )
    words = ("run", "wong-mesh", "--robot", "puma600", "--machine", path)
    told = refused(capsys, *words, "--network", "ring:8", "--placement", "round-robin")
    assert told.startswith("deadlock: ")
    assert " ... " in told
    asked = re.findall(r" on link (\d) to (\d): no room at (\d) for link (\d) to (\d) \(1 of 1 messages held\);", told)
    assert len(asked) > 1
    assert all(target == router == source for _, target, router, source, _ in asked)
    cycle = re.findall(r"(\d) to (\d)", told.rpartition("; cycle of links: ")[2])
    assert cycle[0] == cycle[-1]
    assert {*cycle} <= {link[:2] for link in asked}


def test_an_input_is_not_written_over(capsys, tmp_path):
    path = tmp_path / "places.json"
    path.write_text("{}")
    told = refused(capsys, *RUN, "--network", "ring:3", "--placement", path, "--trace", path)
    assert "places.json" in told
    assert path.read_text() == "{}"
