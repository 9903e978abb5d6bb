"""Placements by name and from files, and what they mean: work, words and distances."""

import json

import networkx as nx
import pytest
from tools.engine import do, machine, network, plan, recv, send

from meshsim.auto_placement import auto_placement
from meshsim.errors import MeshSimError
from meshsim.network import Link, Network
from meshsim.placement import NAMED, PLACEMENTS, as_texts, from_texts, place, read_placement
from meshsim.placement_report import placement_report, workload
from meshsim.topologies import crossbar, pipeline, square_mesh, triangular_mesh

TRIANGLE = triangular_mesh(4)  # rows of 4, 3, 2 and 1 programs
SEVEN = nx.path_graph(7)
MESH = Network(square_mesh(2, 3))
ROW = [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3)]


def groups(topology, name, on=MESH, programs=None, processors=None):
    """The nodes on each processor that has any."""
    found = {}
    programs = topology if programs is None else programs
    for node, processor in place(topology, programs, on, name, processors).items():
        found.setdefault(processor, []).append(node)
    return found


def refusal(topology, placement, on=MESH, processors=None, programs=None):
    with pytest.raises(MeshSimError) as caught:
        place(topology, topology if programs is None else programs, on, placement, processors)
    return str(caught.value)


def test_identity_is_the_processor_of_the_same_name():
    assert place(MESH.graph, MESH.graph, MESH, "identity") == {node: node for node in ROW}


def test_identity_names_the_first_program_without_a_namesake():
    assert refusal(TRIANGLE, "identity") == (
        "placement identity must find a processor with the name of each program, not miss (1,4); "
        "rows, columns, blocks, snake, round-robin or auto would do"
    )


def test_blocks_are_consecutive_and_as_equal_as_can_be():
    assert groups(SEVEN, "blocks", processors=3) == {(1, 1): [0, 1, 2], (1, 2): [3, 4], (1, 3): [5, 6]}
    assert groups(SEVEN, "blocks") == {ROW[0]: [0, 1], **{ROW[k]: [k + 1] for k in range(1, 6)}}


def test_blocks_leave_the_last_processors_idle_where_there_are_few_programs():
    assert groups(nx.path_graph(2), "blocks") == {(1, 1): [0], (1, 2): [1]}


def test_a_snake_turns_at_the_end_of_each_row():
    assert list(groups(nx.path_graph(6), "snake")) == [(1, 1), (1, 2), (1, 3), (2, 3), (2, 2), (2, 1)]
    assert list(groups(nx.path_graph(5), "snake", processors=5)) == [(1, 1), (1, 2), (1, 3), (2, 2), (2, 1)]


def test_a_snake_is_blocks_where_processors_have_no_rows():
    on = Network(pipeline(3))
    assert place(SEVEN, SEVEN, on, "snake") == place(SEVEN, SEVEN, on, "blocks")


def test_round_robin_deals_one_by_one():
    assert groups(SEVEN, "round-robin", processors=3) == {(1, 1): [0, 3, 6], (1, 2): [1, 4], (1, 3): [2, 5]}


def test_rows_and_columns_stay_together():
    rows = groups(TRIANGLE, "rows", processors=2)
    assert {p: sorted({r for r, _ in nodes}) for p, nodes in rows.items()} == {(1, 1): [1], (1, 2): [2, 3, 4]}
    columns = groups(TRIANGLE, "columns", processors=2)
    assert {p: sorted({c for _, c in nodes}) for p, nodes in columns.items()} == {(1, 1): [1, 2, 3], (1, 2): [4]}


def test_rows_are_dealt_as_equally_as_can_be():
    rows = groups(triangular_mesh(7), "rows", processors=4)  # 7, 6, 5 + 4, 3 + 2 + 1: no other way has at most 9
    assert [len(nodes) for nodes in rows.values()] == [7, 6, 9, 6]


def test_there_are_no_more_parts_than_rows():
    assert [len(nodes) for nodes in groups(TRIANGLE, "rows").values()] == [4, 3, 2, 1]


def test_rows_of_nodes_with_a_part_count_and_a_node_without_a_row_is_one():
    topology = nx.path_graph([("M", (1, 1)), ("h", 1), ("M", (2, 1)), ("M", (1, 2))])
    assert groups(topology, "rows") == {
        (1, 1): [("M", (1, 1)), ("M", (1, 2))],
        (1, 2): [("h", 1)],
        (1, 3): [("M", (2, 1))],
    }


@pytest.mark.parametrize("name", [name for name in NAMED if name != "identity"])
def test_nodes_without_programs_are_placed_and_take_no_share(name):
    found = place(SEVEN, {1: None, 4: None, 6: None}, MESH, name)
    assert list(found) == list(SEVEN)
    assert [found[1], found[4], found[6]] == [(1, 1), (1, 2), (1, 3)]


def test_a_node_without_a_program_goes_where_the_one_before_it_went():
    assert place(nx.path_graph(4), [1, 3], MESH, {1: (2, 2), 3: (1, 3)}) == {0: (1, 1), 1: (2, 2), 2: (2, 2), 3: (1, 3)}


def test_a_mapping_is_kept_in_node_order():
    found = place(nx.path_graph(3), [0, 1, 2], MESH, {2: (1, 1), 0: (2, 3), 1: (1, 1)})
    assert list(found.items()) == [(0, (2, 3)), (1, (1, 1)), (2, (1, 1))]


def test_what_is_refused():
    two = nx.path_graph(2)
    assert refusal(two, "block") == (
        "placement must be identity, rows, columns, blocks, snake, round-robin, auto or a mapping, not 'block'"
    )
    assert "machine" in refusal(two, "auto")
    assert refusal(two, 3) == "placement must be a name or a mapping, not 3"
    assert refusal(two, {0: (1, 1)}) == "placement must have a processor for every program, not lack 1"
    assert refusal(two, {0: (1, 1), 1: (1, 1), 2: (1, 1)}) == (
        "placement must place nodes of the plan's topology, not 2"
    )
    assert refusal(two, {0: (1, 1), 1: (3, 1)}) == (
        "processor of 1 must be one that square-mesh(2, 3) has to offer, not (3, 1), which it has not"
    )
    assert refusal(two, {0: (1, 1), 1: [1, 1]}).endswith("not [1, 1], which it has not")
    assert refusal(two, "blocks", "ring:4") == (
        "network must be a Network, such as load_network(\"ring:4\") makes, not 'ring:4'"
    )
    assert refusal(two, {0: (1, 1), 1: (2, 1)}, processors=3).endswith(
        "not (2,1), which is not among the first ones that may be used"
    )
    with_dead = Network(square_mesh(2, 3), dead=[(1, 2)])
    assert refusal(two, {0: (1, 1), 1: (1, 2)}, with_dead).endswith("not (1,2), which is dead")
    switches = Network(crossbar(2))
    switch = next(node for node in switches.graph if switches.is_switch(node))
    assert refusal(two, {0: switch, 1: switch}, switches).endswith("which is a switch element and runs no programs")


@pytest.mark.parametrize("processors", [0, 7, 2.0, True])
def test_the_number_of_processors_must_be_one_that_there_is(processors):
    assert refusal(SEVEN, "blocks", processors=processors) == (
        f"processors must be a whole number from 1 to 6, all that square-mesh(2, 3) has, not {processors!r}"
    )


def test_dead_processors_and_switches_get_no_programs():
    assert list(groups(SEVEN, "blocks", Network(square_mesh(2, 3), dead=[(1, 2)]))) == [ROW[0], *ROW[2:]]
    switches = Network(crossbar(3))
    assert set(groups(SEVEN, "round-robin", switches)) == set(switches.processors)


# Files

PARTS = nx.path_graph([("M", (1, 2)), 3, (1, 1)])


def written(tmp_path, value):
    path = tmp_path / "placement.json"
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


@pytest.mark.parametrize("first", ["M (1,2)", "M (1, 2)", "('M', (1, 2))"])
def test_a_file_names_nodes_as_they_are_printed(tmp_path, first):
    path = written(tmp_path, {first: "(1,1)", "3": "(2, 3)", "(1, 1)": [1, 1]})
    assert read_placement(path, PARTS, MESH) == {("M", (1, 2)): (1, 1), 3: (2, 3), (1, 1): (1, 1)}


def test_a_file_may_number_processors(tmp_path):
    assert read_placement(written(tmp_path, {"0": 2, "1": "3"}), nx.path_graph(2), Network(pipeline(3))) == {0: 2, 1: 3}


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"4": "(1, 1)"}, "'4' must be a program of the plan"),
        ({"3": "(3, 1)"}, "'(3, 1)' must be a processor of square-mesh(2, 3)"),
        ({"3": None}, "'null' must be a processor of square-mesh(2, 3)"),
        ({"(1, 1)": "(1, 1)", "(1,1)": "(1, 2)"}, 'program (1,1) must appear once, not again as "(1,1)"'),
        (["3"], "the placement must be an object of programs and processors"),
        ("{", "placement file must be JSON"),
    ],
)
def test_a_file_that_is_refused_is_named(tmp_path, value, message):
    path = written(tmp_path, value)
    with pytest.raises(MeshSimError) as caught:
        read_placement(path, PARTS, MESH)
    assert str(caught.value).startswith(f"{path}: {message}")


def test_what_is_written_is_read_again():
    placed = {("M", (1, 2)): (1, 1), 3: (2, 3), (1, 1): (1, 1)}
    assert as_texts(placed) == {"M (1,2)": "(1,1)", "3": "(2,3)", "(1,1)": "(1,1)"}
    assert from_texts(as_texts(placed), PARTS, MESH) == placed


@pytest.mark.parametrize("placed", [{1: "a", "1": "a"}, {1: 2, 3: "2"}])
def test_names_that_look_alike_are_not_written(placed):
    with pytest.raises(MeshSimError, match="must have different names in print"):
        as_texts(placed)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(MeshSimError, match="placement file must be a readable file"):
        read_placement(tmp_path / "none.json", PARTS, MESH)


# Placed by name


def test_a_plan_is_placed_by_name():
    made = chain_of_three()
    assert made.placed(MESH, "blocks", processors=2).placement.places == {"a": (1, 1), "b": (1, 1), "c": (1, 2)}
    assert made.placed(MESH, "snake").placement.places == {"a": (1, 1), "b": (1, 2), "c": (1, 3)}


def test_a_machine_must_be_one():
    with pytest.raises(MeshSimError, match=r"^machine must be a Machine, not 3$"):
        plan({"a": []}).placed(MESH, "auto", machine=3)


def test_a_plan_is_placed_by_auto_with_a_machine_alone():
    made = chain_of_three()
    placed = made.placed(MESH, "auto", COSTS, processors=2).placement.places
    assert placed == auto_placement(made, MESH, COSTS, processors=2)
    with pytest.raises(MeshSimError, match="auto must be told the machine"):
        made.placed(MESH, "auto")


# What a placement means

COSTS = machine("overlap", startup=10, per_word=2)


def chain_of_three():
    """a works 5 ticks and sends 4 words, b 3 ticks and sends 2 and 1 words, c 1 tick."""
    steps = {
        "a": [do(5), send("b", 4)],
        "b": [recv("a"), do(3), send("c", 2), send("c", 1)],
        "c": [recv("b"), recv("b"), do(1)],
    }
    return plan(steps, network(steps))


def test_the_workload_is_what_programs_do_and_say():
    found = workload(chain_of_three(), COSTS)
    assert found.loads == {"a": 5, "b": 3, "c": 1}
    assert [(t.sender, t.receiver, t.messages, t.words, t.ticks) for t in found.traffic] == [
        ("a", "b", 1, 4, 18),
        ("b", "c", 2, 3, 26),
    ]


def test_a_report_follows_the_routes():
    placed = {"a": (1, 1), "b": (2, 3), "c": (2, 3)}
    found = placement_report(chain_of_three(), MESH, placed, COSTS)
    assert found.loads == {**dict.fromkeys(ROW, 0), (1, 1): 5, (2, 3): 4}
    assert found.programs == {**dict.fromkeys(ROW, ()), (1, 1): ("a",), (2, 3): ("b", "c")}
    assert found.words == {
        Link((1, 1), (1, 2), 0): 4,
        Link((1, 2), (1, 3), 0): 4,
        Link((1, 3), (2, 3), 0): 4,
    }
    assert found.messages == dict.fromkeys(found.words, 1)
    assert [(channel.sender, distance) for channel, distance in found.distances] == [("a", 3), ("b", 0)]
    assert (found.word_hops, found.mean_distance) == (12, 12 / 7)


def test_words_that_cross_links_are_those_that_are_sent_times_the_links_of_their_routes():
    made = chain_of_three()
    apart = {"a": (1, 1), "b": (1, 2), "c": (2, 3)}
    assert placement_report(made, MESH, dict.fromkeys("abc", (1, 1)), COSTS).word_hops == 0
    assert placement_report(made, MESH, apart, COSTS).word_hops == 4 * 1 + 3 * 2


def test_a_plan_without_messages_has_no_distance():
    found = placement_report(plan({"a": [do(2)]}), MESH, {"a": (1, 1)}, COSTS)
    assert (found.word_hops, found.mean_distance, found.words) == (0, 0.0, {})


def test_the_names_of_placements():
    assert PLACEMENTS == ("identity", "rows", "columns", "blocks", "snake", "round-robin", "auto")
