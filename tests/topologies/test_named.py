"""Networks by name and size, by a number of processors, and from files."""

import doctest
import re
from math import isqrt

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from meshsim import network as network_module
from meshsim import routing
from meshsim.errors import MeshSimError
from meshsim.network import Link
from meshsim.nodes import NodeTexts, node_text
from meshsim.topologies import BUILT_IN, NETWORKS, named
from meshsim.topologies.named import load_network
from meshsim.topologies.sizes import MEMBERS


def refuses(message, *args, **named):
    with pytest.raises(MeshSimError, match=f"^{re.escape(message)}$"):
        load_network(*args, **named)


@pytest.mark.parametrize("module", [named, network_module, routing])
def test_examples_of_docstrings(module):
    found = doctest.testmod(module)
    assert (found.failed, found.attempted > 2) == (0, True)


@pytest.mark.parametrize(
    ("text", "name", "processors"),
    [
        ("square-mesh:4x4", "square-mesh(4, 4)", 16),
        ("torus:4x5", "torus(4, 5)", 20),
        ("ring:8", "ring(8)", 8),
        ("pipeline:6", "pipeline(6)", 6),
        ("hypercube:4", "hypercube(4)", 16),
        ("binary-tree:4", "binary-tree(4)", 15),
        ("star:5", "star(5)", 6),
        ("complete:9", "complete(9)", 9),
        ("bus:8", "bus(8)", 8),
        ("crossbar:16", "crossbar(16)", 16),
        ("omega:16", "omega(16)", 16),
        ("multistage-cube:8", "multistage-cube(8)", 8),
        ("cone:6", "cone(6)", 28),
        ("faddeev-array:3", "faddeev-array(3)", 15),
    ],
)
def test_names_with_sizes(text, name, processors):
    network = load_network(text)
    assert (network.name, len(network.processors)) == (name, processors)
    assert load_network(text, processors=3).name == name  # a size says all


@pytest.mark.parametrize("family", MEMBERS)
def test_the_formula_of_each_family_gives_its_processors(family):
    for size in [*MEMBERS[family].sizes][:6]:
        assert len(load_network(f"{family}:{size}").processors) == MEMBERS[family].processors(size)


def test_every_built_in_family_has_members_by_number():
    assert {*MEMBERS, "square-mesh", "torus"} == set(BUILT_IN)


@given(st.sampled_from([*BUILT_IN]), st.integers(1, 70))
def test_a_family_has_a_member_of_so_many_or_says_which_are_nearest(family, processors):
    try:
        network = load_network(family, processors=processors)
    except MeshSimError as error:
        near = re.findall(r"\((\S+:\S+)\)|(torus:\S+)", str(error).removesuffix(f", not {processors}"))
        counts = [len(load_network((a or b).rstrip(",")).processors) for a, b in near]
        assert counts
        assert processors not in counts
    else:
        assert len(network.processors) == processors


@pytest.mark.parametrize(
    ("family", "processors", "name"),
    [
        ("square-mesh", 12, "square-mesh(3, 4)"),
        ("square-mesh", 7, "square-mesh(1, 7)"),
        ("torus", 16, "torus(4, 4)"),
        ("torus", 10, "torus(2, 5)"),
        ("star", 6, "star(5)"),
        ("hypercube", 8, "hypercube(3)"),
        ("hypercube", 1, "hypercube(0)"),
        ("hypercube", 6, "incomplete-hypercube(6)"),
        ("binary-tree", 7, "binary-tree(3)"),
        ("omega", 16, "omega(16)"),
        ("cone", 28, "cone(6)"),
        ("bus", 1, "bus(1)"),
    ],
)
def test_members_by_number(family, processors, name):
    assert load_network(family, processors=processors).name == name


@given(st.integers(1, 100))
def test_a_mesh_is_as_square_as_can_be(processors):
    network = load_network("square-mesh", processors=processors)
    rows, columns = network.processors[-1]
    assert rows * columns == processors
    assert not any(processors % other == 0 for other in range(rows + 1, isqrt(processors) + 1))
    assert rows <= columns


TORUS = "torus must have at least 2 rows and 2 columns, and"


@pytest.mark.parametrize(
    ("family", "processors", "message"),
    [
        ("torus", 7, f"{TORUS} 7 processors fill one row only: use ring:7, or torus:2x3 or torus:2x4"),
        ("torus", 1, f"{TORUS} 1 processors fill one row only: use pipeline:1, or torus:2x2"),
        ("binary-tree", 10, "processors of binary-tree must be 7 (binary-tree:3) or 15 (binary-tree:4), not 10"),
        ("omega", 1, "processors of omega must be 2 (omega:2), not 1"),
        ("ring", 1, "processors of ring must be 2 (ring:2), not 1"),
        ("multistage-cube", 4096, "processors of multistage-cube must be 2048 (multistage-cube:2048), not 4096"),
        ("cone", 27, "processors of cone must be 21 (cone:5) or 28 (cone:6), not 27"),
        ("complete", 501, "complete must have at most 500 processors, not 501"),
        ("ring", 20_001, "processors must be at most 20000, not 20001"),
        ("ring", 0, "processors must be a positive integer, not 0"),
        ("ring", 2.5, "processors must be a positive integer, not 2.5"),
    ],
)
def test_numbers_that_a_family_has_not(family, processors, message):
    refuses(message, family, processors=processors)


KNOWN = ", ".join(BUILT_IN)


NO_SIZE = "the size of a network must be whole numbers of at most nine digits with an x between them, as in 4x4"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ring", "the size of ring must be N, as in ring:4, or come from a number of processors, not nothing"),
        ("ring:", "the size of ring must be N, as in ring:4, or come from a number of processors, not nothing"),
        ("square-mesh:4", "the size of square-mesh must be ROWSxCOLUMNS, as in square-mesh:4x4, not 4"),
        ("ring:4x4", "the size of ring must be N, as in ring:4, not 4x4"),
        ("ring:-4", f"{NO_SIZE}, not '-4'"),
        ("ring:4x", f"{NO_SIZE}, not '4x'"),
        ("ring:1", "ring size must be an integer >= 2, not 1"),
        ("torus:1x4", "torus rows must be an integer >= 2, not 1"),
        ("omega:12", "number of processors must be a power of two, not 12"),
        ("hypercube:15", "hypercube must have at most 20000 processors, not 32768"),
        ("hypercube:20000", "hypercube must have at most 20000 processors, not more"),
        ("binary-tree:99999", "a size of binary-tree must be at most 20000, not 99999"),
        ("square-mesh:200x200", "square-mesh must have at most 20000 processors, not 40000"),
        ("bus:501", "bus must have at most 500 processors, not 501"),
        ("triangular-mesh:300", "triangular-mesh must have at most 20000 processors, not 45150"),
        ("", "network must be a text such as square-mesh:4x4, not ''"),
        (3, "network must be a text such as square-mesh:4x4, not 3"),
        (
            "mesh:4x4",
            f"network must be one of {KNOWN}, with a size as in square-mesh:4x4, or file.py:NAME, or a file that ends "
            "in .json or .graphml, not 'mesh'",
        ),
    ],
)
def test_names_and_sizes_that_are_none(text, message):
    refuses(message, text)


def test_switches_count_among_nodes():
    refuses("a network must have at most 20000 nodes, not 28672", "omega:4096")


@pytest.mark.parametrize("dead", [("2,3", "1,1-1,2"), ("(2, 3)", "(1, 1) - (1, 2)"), ((2, 3), ((1, 1), (1, 2)))])
def test_what_is_dead_by_texts(dead):
    network = load_network("square-mesh:4x4", dead=dead)
    assert network.dead == ((2, 3), Link((1, 1), (1, 2), 0))
    assert len(network.processors) == 15


def test_one_text_is_one_dead_thing():
    assert load_network("ring:12", dead="12").dead == (12,)


@pytest.mark.parametrize(
    ("dead", "message"),
    [
        ("9", "'9' must be a node of ring(4), or two with a hyphen between them: 1 2 3 4"),
        ("1-9", "'1-9' must be a node of ring(4), or two with a hyphen between them: 1 2 3 4"),
        ("1-3", "what is dead must be a node or a link (two neighbours) of ring(4), not (1, 3)"),
    ],
)
def test_what_is_dead_must_be_there(dead, message):
    refuses(message, "ring:4", dead=[dead])


def test_all_nodes_of_every_family_have_texts_of_their_own():
    for text in ("cone:3", "omega:8", "crossbar:3", "hypercube:3", "square-mesh:12x12"):
        graph = load_network(text).graph
        texts = NodeTexts(graph, "node")
        for node in graph:
            assert texts.find(node_text(node)) == texts.find(str(node)) == texts.find(f" {node!r}") == node
        for u, v in graph.edges():
            assert texts.find_or_pair(f"{node_text(u)}-{node_text(v)}") == (u, v)


def test_texts_of_names_with_hyphens_and_of_negative_numbers():
    texts = NodeTexts(["a-b", "a", "b", -1, 1, "1", "a b"], "node")
    assert texts.find_or_pair("a-b") == "a-b"
    assert texts.find_or_pair("a-a-b") == ("a", "a-b")
    assert texts.find_or_pair("b--1") == ("b", -1)
    assert texts.find("a b") == "a b"
    assert texts.find("1") == "1"  # exactly as it is written
    with pytest.raises(MeshSimError, match=r"^'\(1\)' must name one node, not 2: 1, '1'$"):
        texts.find("(1)")
    with pytest.raises(MeshSimError, match=r"^'x' must be a node: a-b a b -1 1 1 \.\. a b$"):
        texts.find("x")
    twice = NodeTexts(["a", "a-b", "b-c", "c"], "node")
    with pytest.raises(MeshSimError, match=r"^'a-b-c' must name one link, and can be read in 2 ways$"):
        twice.find_or_pair("a-b-c")


# Python files


def test_functions_and_graphs_of_a_python_file(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(
        "import networkx as nx\n"
        "def fan():\n    return nx.star_graph(3)\n"
        "def line(n):\n    return nx.path_graph(n)\n"
        "square = nx.cycle_graph(4)\n"
        "def broken():\n    return 1 / 0\n"
        "def wrong():\n    return 3\n"
        "two_way = nx.DiGraph([(1, 2)])\n"
        "number = 3\n"
    )
    assert load_network(f"{path}:fan").processors == (0, 1, 2, 3)
    assert load_network(f"{path}:line:5").distance(0, 4) == 4
    assert load_network(f"{path}:line", processors=6).distance(0, 5) == 5
    assert load_network(f"{path}:fan", processors=2).processors == (0, 1, 2, 3)
    square = load_network(f"{path}:square", dead=["1"])
    assert (square.name, square.distance(0, 2)) == ("square", 2)
    form = "N, as in {0}:line:4, or come from a number of processors, not nothing"
    refuses(f"the size of {path}:line must be {form.format(path)}", f"{path}:line")
    refuses(f"the size of {path}:fan must be left out, not 3", f"{path}:fan:3")
    refuses(f"{path}:broken cannot be made: ZeroDivisionError: division by zero", f"{path}:broken")
    refuses(f"{path}:wrong must make a networkx graph, not int", f"{path}:wrong")
    refuses(f"{path}:number must be a graph or a function that makes one, not 3", f"{path}:number")
    refuses("network must be an undirected networkx graph, not a DiGraph", f"{path}:two_way")


def test_registered_families(monkeypatch):
    def doubled(n: int) -> nx.Graph:
        """Twice n in a row."""
        return nx.path_graph(2 * n)

    monkeypatch.setitem(NETWORKS, "doubled", (doubled, "twice n"))
    monkeypatch.setitem(NETWORKS, "line", (nx.path_graph, "n in a row"))
    assert len(load_network("doubled:3").processors) == 6
    assert len(load_network("line", processors=5).processors) == 5
    refuses("doubled must have 3 processors, and has 6: give its size, as in doubled:4", "doubled", processors=3)
