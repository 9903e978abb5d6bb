"""Nodes of a graph as users write them: in texts, and in JSON, which has lists but no tuples."""

import re
from collections.abc import Hashable, Iterable

from meshsim.errors import MeshSimError
from meshsim.reading import shown
from meshsim.trace import label

IGNORED = re.compile(r"[\s()\[\]'\"]")
"""What a text of a node may have or not: spaces, brackets and quotes."""
MOST_DEEP = 8
"""Lists in lists that are still a node."""
MOST_SHOWN = 6
"""Nodes that an error shows."""


def as_node(value: object, depth: int = MOST_DEEP) -> Hashable:
    """A node from a value of JSON: lists become tuples, and so do lists in lists, at most so deep.

    Raises
    ------
    MeshSimError
        If it is neither a text that can be printed nor a number nor a list of such; nan is no number.
    """
    if isinstance(value, list | tuple) and depth:
        return tuple(as_node(each, depth - 1) for each in value)
    if value is None or isinstance(value, bool | list) or not isinstance(value, Hashable) or value != value:
        raise MeshSimError(f"a node must be a number, a text or a list of these, not {shown(value)}")
    if isinstance(value, str) and not value.isprintable():
        raise MeshSimError(f"a node must have a name that can be printed, not {value!a}")
    return value


def as_dead(told: object) -> tuple[Hashable, ...]:
    """Nodes and links that a user tells to be dead, or texts of them; one text may stand alone."""
    if isinstance(told, str):
        return (told,)
    if not isinstance(told, Iterable):
        raise MeshSimError(f"what is dead must be a text or a list of nodes and links, not {told!r}")
    return tuple(as_node(each) for each in told)


def node_text(node: Hashable) -> str:
    """A node as short as a user may write it: ``2,3`` for (2, 3), ``7`` for 7."""
    return ",".join(node_text(part) for part in node) if isinstance(node, tuple) else str(node)


class NodeTexts:
    """Finds nodes by what users write.

    A node's name in print (`label`) comes first. Else spaces, brackets and quotes do not matter: ``2,3``, ``2, 3`` and
    ``(2, 3)`` all name the node (2, 3), and ``7`` names the node 7 or "7".

    Parameters
    ----------
    nodes : iterable of hashable
        The nodes that there are.
    what : str
        What they are, for errors: "processor of square-mesh(4, 4)".
    """

    def __init__(self, nodes: Iterable[Hashable], what: str) -> None:
        self.nodes = dict.fromkeys(nodes)
        self.what = what
        self.by_label = {label(node): node for node in self.nodes}
        self.by_text: dict[str, list[Hashable]] = {}
        for node in self.nodes:
            self.by_text.setdefault(_bare(node_text(node)), []).append(node)

    def find(self, value: object) -> Hashable:
        """The node that a text names, or a number or a list of JSON; an error if there is none or several."""
        text = value if isinstance(value, str) else shown(value)
        found = self._found(text)
        if len(found) == 1:
            return found[0]
        if found:
            raise MeshSimError(f"{text!r} must name one {self.what}, not {len(found)}: {', '.join(map(repr, found))}")
        raise MeshSimError(f"{text!r} must be a {self.what}: {self._listed()}")

    def find_or_pair(self, text: str) -> Hashable:
        """The node that a text names, or the two nodes that it names with a hyphen between them."""
        if self._found(text):
            return self.find(text)
        halves = [(text[:at], text[at + 1 :]) for at, letter in enumerate(text) if letter == "-"]
        pairs = [half for half in halves if all(map(self._found, half))]
        if len(pairs) == 1:
            return tuple(map(self.find, pairs[0]))
        if pairs:
            raise MeshSimError(f"{text!r} must name one link, and can be read in {len(pairs)} ways")
        raise MeshSimError(f"{text!r} must be a {self.what}, or two with a hyphen between them: {self._listed()}")

    def _found(self, text: str) -> list[Hashable]:
        if text in self.nodes:
            return [text]
        printed = text.replace(", ", ",")
        return [self.by_label[printed]] if printed in self.by_label else self.by_text.get(_bare(text), [])

    def _listed(self) -> str:
        names = [node_text(node) for node in self.nodes]
        return " ".join(names[:MOST_SHOWN]) + (f" .. {names[-1]}" if len(names) > MOST_SHOWN else "")


def _bare(text: str) -> str:
    return IGNORED.sub("", text)
