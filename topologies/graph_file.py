"""Networks in files: networkx graphs as node-link JSON or as GraphML.

A JSON file has what `networkx.node_link_data` gives::

    {"graph": {"name": "two boards"},
     "nodes": [{"id": 1}, {"id": 2}, {"id": "bridge", "switch": true}],
     "edges": [{"source": 1, "target": "bridge"}, {"source": 2, "target": "bridge", "startup": 500, "per_word": 80}]}

The links may stand under ``edges`` or ``links``. A node that is a list becomes a tuple: [2, 3] is (2, 3). In GraphML
all nodes are texts: those that read as integers or as tuples of integers become such, "2" and "(2, 3)" alike; and the
table ``routes`` is a text of JSON. The attributes that matter are those of `meshsim.network`; others are kept and do
nothing, but ``ports`` are left out, since routed messages need none. Several links between two nodes are numbered 0, 1,
... as they come in the file.
"""

import json
import re
import warnings
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any

import networkx as nx

from meshsim.errors import MeshSimError
from meshsim.nodes import as_node
from meshsim.reading import load_json, read_text, shown, table

ENDINGS = (".json", ".graphml")
"""Of files of networks."""
MOST_BYTES = 20_000_000
"""Of a GraphML file."""
MOST_NODES = 20_000
"""Of a network."""
MOST_LINKS = 150_000
"""Of a network."""
INTEGERS = re.compile(r"\(?\s*-?[0-9]{1,9}(\s*,\s*-?[0-9]{1,9})*\s*\)?")
"""A text that is a node of one integer or several."""


def read_graph(path: str) -> nx.MultiGraph:
    """Read the graph of a network from a file.

    Parameters
    ----------
    path : str
        A file whose name ends in ``.json`` or ``.graphml``.

    Raises
    ------
    MeshSimError
        If it cannot be read, is too large, or is no undirected graph.
    """
    return _read_json(path) if path.lower().endswith(".json") else _read_graphml(path)


def check_size_of(graph: nx.Graph) -> None:
    """Refuse a graph that has too many nodes or links."""
    _check_counts(graph.number_of_nodes(), graph.number_of_edges())


def _check_counts(nodes: int, links: int) -> None:
    for what, found, most in (("nodes", nodes, MOST_NODES), ("links", links, MOST_LINKS)):
        if found > most:
            raise MeshSimError(f"a network must have at most {most} {what}, not {found}")


def _read_json(path: str) -> nx.MultiGraph:
    data = table("the network", load_json(path, "network file"), required=("nodes",), kind="a node-link object")
    if data.get("directed", False):
        raise MeshSimError("the network must be undirected, not one with directed = true")
    keys = [key for key in ("edges", "links") if key in data]
    if len(keys) > 1:
        raise MeshSimError("the network must have its links under edges or under links, not under both")
    nodes = [_object(f"node {i} of nodes", each, ("id",)) for i, each in enumerate(_list("nodes", data["nodes"]))]
    found = _list(keys[0], data[keys[0]]) if keys else []
    links = [_object(f"link {i} of {keys[0]}", each, ("source", "target")) for i, each in enumerate(found)]
    _check_counts(len(nodes), len(links))
    return _graph(
        table("graph", data.get("graph", {}), kind="an object"),
        ((as_node(each.pop("id")), each) for each in nodes),
        ((as_node(each.pop("source")), as_node(each.pop("target")), each) for each in links),
    )


def _list(what: str, value: object) -> list[Any]:
    if not isinstance(value, list):
        raise MeshSimError(f"{what} must be a list, not {shown(value)}")
    return value


def _object(what: str, value: object, required: tuple[str, ...]) -> dict[str, Any]:
    return dict(table(what, value, required=required, kind="an object"))


def _read_graphml(path: str) -> nx.MultiGraph:
    written = read_text(path, "GraphML", MOST_BYTES)
    for declaration in ("<!DOCTYPE", "<!ENTITY"):  # a few lines of entities can expand to gigabytes
        if declaration in written:
            raise MeshSimError(f"GraphML must be plain XML, not XML with a {declaration}> declaration")
    _check_counts(written.count("<node"), written.count("<edge"))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of keys without types, which are texts
            read = nx.parse_graphml(written)
    except Exception as error:  # whatever the reader meets in what is no GraphML
        raise MeshSimError(f"the network must be GraphML, not text that fails with: {error}") from None
    if read.is_directed():
        raise MeshSimError('the network must be undirected, not one with edgedefault="directed"')
    about = dict(read.graph)
    if isinstance(about.get("routes"), str):
        about["routes"] = _listed(about["routes"])
    return _graph(
        about,
        ((_from_text(node), data) for node, data in read.nodes(data=True)),
        ((_from_text(u), _from_text(v), data) for u, v, data in read.edges(data=True)),
        _from_text,
    )


def _listed(written: str) -> object:
    """Routes as GraphML has them: a text of JSON."""
    try:
        return json.loads(written)
    except (ValueError, RecursionError) as error:
        raise MeshSimError(
            f"routes must be a list of lists of nodes in JSON, not text that fails with: {error}"
        ) from None


def _from_text(written: object) -> Hashable:
    """A node of GraphML."""
    if not isinstance(written, str):
        return as_node(written)
    if not INTEGERS.fullmatch(written):
        return written
    numbers = tuple(int(number) for number in written.strip("() ").split(","))
    return numbers if "," in written else numbers[0]


def _graph(
    about: Mapping[str, Any],
    nodes: Iterable[tuple[Hashable, dict[str, Any]]],
    links: Iterable[tuple[Hashable, Hashable, dict[str, Any]]],
    name_of: Callable[[object], Hashable] = as_node,
) -> nx.MultiGraph:
    """A graph of nodes and links that a file has, in the order of the file."""
    graph = nx.MultiGraph()
    graph.graph.update(about)
    for node, data in nodes:
        if node in graph:
            raise MeshSimError(f"nodes must be distinct, and {node!r} comes twice")
        graph.add_node(node)
        graph.nodes[node].update(data)
    if not graph:
        raise MeshSimError("the network must have at least one node, not 0")
    for u, v, data in links:
        for node in (u, v):
            if node not in graph:
                raise MeshSimError(f"link {u!r} - {v!r} must join two nodes of the file, and {node!r} is none")
        own = {name: value for name, value in data.items() if name not in ("key", "ports", "id")}
        if "oneway" in own:
            own["oneway"] = name_of(own["oneway"])
        graph.edges[u, v, graph.add_edge(u, v)].update(own)
    if "routes" in graph.graph:
        graph.graph["routes"] = _routes(graph.graph["routes"], name_of)
    return graph


def _routes(routes: object, name_of: Callable[[object], Hashable]) -> object:
    """The nodes of routes as those of the graph are; what is no list of lists is left for the network to refuse."""
    if not isinstance(routes, list) or not all(isinstance(nodes, list) for nodes in routes):
        return routes
    return [[name_of(node) for node in nodes] for nodes in routes]
