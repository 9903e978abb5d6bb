"""Networks as users name them: ``square-mesh:4x4``, ``file.py:NAME``, a file of a graph, or a family of so many.

>>> load_network("square-mesh:2x3").name
'square-mesh(2, 3)'
>>> load_network("square-mesh", processors=6).name
'square-mesh(2, 3)'
>>> load_network("ring:4", dead=["2"]).distance(1, 3)
2
"""

import inspect
import re
from collections.abc import Callable, Hashable, Iterable
from contextlib import nullcontext

import networkx as nx

from meshsim.catalogue import in_file, object_in_file
from meshsim.errors import MeshSimError
from meshsim.network import Network
from meshsim.nodes import NodeTexts, as_dead
from meshsim.reading import naming
from meshsim.topologies import NETWORKS
from meshsim.topologies.graph_file import ENDINGS, MOST_NODES, check_size_of, read_graph
from meshsim.topologies.ports import check_size
from meshsim.topologies.sizes import check_count, member

SIZE = re.compile(r"[0-9]{1,9}(x[0-9]{1,9})*")
"""Arguments of a function that makes networks, as in ``square-mesh:4x4``."""


def load_network(text: str, processors: int | None = None, dead: Iterable[Hashable] = ()) -> Network:
    """Make the network that a text names.

    Parameters
    ----------
    text : str
        One of:

        - ``NAME:SIZE``, a family that `meshsim list networks` shows, built in or a user's own, and the arguments of its
          function with an ``x`` between them: ``square-mesh:4x4``, ``ring:8``, ``hypercube:4`` (its dimension);
        - ``NAME`` alone, together with `processors`;
        - ``file.py:NAME``, a function without arguments, or a graph, of a Python file; ``file.py:NAME:SIZE``, or
          ``file.py:NAME`` with `processors`, for a function with arguments;
        - a file of a graph that ends in ``.json`` (node-link) or ``.graphml``; see `meshsim.topologies.graph_file`.
    processors : int, optional
        How many processors the network must have, if `text` is a family without a size. A mesh or torus is then as
        square as can be, and a hypercube is incomplete if it must. It does nothing to a network that has a size.
    dead : iterable
        What does not work. Texts of nodes, ``2,3`` or ``(2, 3)``, or of links: two nodes with a hyphen between them,
        ``1,1-1,2``. What is no text is taken as `Network` takes it.

    Returns
    -------
    Network
        The network, with the routing of its graph.

    Raises
    ------
    MeshSimError
        If there is no such network, or if it would be too large; the message says what would be right.
    """
    if not isinstance(text, str) or not text:
        raise MeshSimError(f"network must be a text such as square-mesh:4x4, not {text!r}")
    with naming(text) if text.lower().endswith(ENDINGS) else nullcontext():
        graph = _graph(text, processors)
        check_size_of(graph)
        return Network(graph, dead=dead_things(graph, dead))


def dead_things(graph: nx.Graph, told: Iterable[Hashable]) -> tuple[Hashable, ...]:
    """Nodes and links of a graph that do not work, of which texts may be told; see `load_network`."""
    names = NodeTexts(graph, f"node of {graph.graph.get('name') or 'the network'}")
    return tuple(names.find_or_pair(thing) if isinstance(thing, str) else thing for thing in as_dead(told))


def _graph(text: str, processors: int | None) -> nx.Graph:
    if text.lower().endswith(ENDINGS):
        graph = read_graph(text)
        graph.graph.setdefault("name", text)
        return graph
    if in_file(text):
        path, _, rest = text.rpartition(".py:")
        name, _, size = rest.partition(":")
        thing = object_in_file(f"{path}.py:{name}")
        if isinstance(thing, nx.Graph):
            graph = thing.copy()
            graph.graph.setdefault("name", name)
            return graph
        if not size and processors is not None and callable(thing) and _needed(thing):
            return _of_count(f"{path}.py:{name}", thing, _count(processors))
        return _made(f"{path}.py:{name}", thing, _arguments(size))
    name, colon, size = text.partition(":")
    if not colon and processors is not None:
        return _with_processors(name, _count(processors))
    arguments = _arguments(size) if colon else ()
    check_count(name, arguments)
    return _made(name, _family(name), arguments)


def written(name: str) -> str:
    """How a family is named on the command line: ``ring:N``, ``square-mesh:ROWSxCOLUMNS``."""
    return ":".join([name, *filter(None, ["x".join(each.upper() for each in _needed(_family(name)))])])


def _family(name: str) -> Callable[..., nx.Graph]:
    found = NETWORKS.find(name)
    if found is None:
        raise MeshSimError(
            f"network must be one of {NETWORKS.names}, with a size as in square-mesh:4x4, or file.py:NAME, or a file "
            f"that ends in {' or '.join(ENDINGS)}, not {name!r}"
        )
    return found[0]


def _with_processors(name: str, processors: int) -> nx.Graph:
    """The member of a family that has so many processors."""
    function = _family(name)
    if name not in NETWORKS.built_in:
        return _of_count(name, function, processors)
    name, arguments = member(name, processors)
    check_count(name, arguments)
    return _made(name, _family(name), arguments)


def _of_count(name: str, function: Callable[..., object], processors: int) -> nx.Graph:
    """What a user's function makes of a number of processors, if it has so many."""
    graph = _made(name, function, (processors,) if _needed(function) else ())
    found = sum(not switch for _, switch in graph.nodes(data="switch"))
    if found != processors:
        raise MeshSimError(f"{name} must have {processors} processors, and has {found}: give its size, as in {name}:4")
    return graph


def _count(processors: int) -> int:
    count = check_size("processors", processors)
    if count > MOST_NODES:
        raise MeshSimError(f"processors must be at most {MOST_NODES}, not {count}")
    return count


def _arguments(size: str) -> tuple[int, ...]:
    if not size:
        return ()
    if not SIZE.fullmatch(size):
        raise MeshSimError(
            "the size of a network must be whole numbers of at most nine digits with an x between them, as in 4x4, "
            f"not {size!r}"
        )
    return tuple(map(int, size.split("x")))


def _needed(function: Callable[..., object]) -> list[str]:
    """The arguments that a function cannot do without."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # some functions of C have none to show
        return []
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return [each.name for each in parameters if each.kind in kinds and each.default is inspect.Parameter.empty]


def _made(name: str, function: object, arguments: tuple[int, ...]) -> nx.Graph:
    """What a function makes of its arguments."""
    if not callable(function):
        raise MeshSimError(f"{name} must be a graph or a function that makes one, not {function!r}")
    try:
        inspect.signature(function).bind(*arguments)
    except (TypeError, ValueError):
        needed = _needed(function)
        form = "x".join(each.upper() for each in needed)
        wanted = f"{form}, as in {name}:{'x'.join('4' * len(needed))}" if needed else "left out"
        also = ", or come from a number of processors" if needed and not arguments else ""
        given = "x".join(map(str, arguments)) or "nothing"
        raise MeshSimError(f"the size of {name} must be {wanted}{also}, not {given}") from None
    try:
        graph = function(*arguments)
    except MeshSimError:
        raise
    except Exception as error:  # whatever a user's function does
        raise MeshSimError(f"{name} cannot be made: {type(error).__name__}: {error}") from None
    if not isinstance(graph, nx.Graph):
        raise MeshSimError(f"{name} must make a networkx graph, not {type(graph).__name__}")
    return graph
