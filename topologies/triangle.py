"""The thesis's triangular meshes (Wong ch. 4): rows are joints, columns are bodies."""

import networkx as nx

from meshsim.topologies.mesh import link_neighbours
from meshsim.topologies.ports import add_link, check_size, link_count


def triangular_mesh(n: int) -> nx.MultiGraph:
    """Return the upper triangle of a square mesh.

    Parameters
    ----------
    n : int
        Number of rows, at least 1.

    Returns
    -------
    networkx.MultiGraph
        Nodes (k, i), row by row, k = 1..n, i = k..n: n(n+1)/2 processors; links as in `square_mesh`.
    """
    n = check_size("number of rows", n)
    graph = nx.MultiGraph(name=f"triangular-mesh({n})")
    graph.add_nodes_from((k, i) for k in range(1, n + 1) for i in range(k, n + 1))
    link_neighbours(graph)
    return graph


def solver_array(n: int) -> nx.MultiGraph:
    """Return the triangle of the feedforward solver, standing alone (Wong Fig. 4.4).

    Parameters
    ----------
    n : int
        Number of unknowns, at least 1.

    Returns
    -------
    networkx.MultiGraph
        Nodes (k, i), row by row, k = 1..n, i = k..n+1: n(n+1)/2 + n processors, of which column n+1 handles
        the right-hand side; mesh links ``east`` to ``west`` and ``south`` to ``north``.
    """
    n = check_size("number of unknowns", n)
    graph = nx.MultiGraph(name=f"solver-array({n})")
    graph.add_nodes_from((k, i) for k in range(1, n + 1) for i in range(k, n + 2))
    link_neighbours(graph)
    return graph


def open_cone(n: int) -> nx.MultiGraph:
    """Return the triangular mesh with its force row and host, not wrapped (Wong Fig. 4.1).

    Parameters
    ----------
    n : int
        Number of joints, at least 1.

    Returns
    -------
    networkx.MultiGraph
        In this order: the host's processor (0, 0); the force row (0, 1)..(0, n); the triangle (k, i), row by
        row, k = 1..n, i = k..n; mesh links alone. The host's processor has two external links, ``host`` and
        ``control``.
    """
    n = check_size("number of joints", n)
    graph = nx.MultiGraph(name=f"open-cone({n})")
    graph.add_node((0, 0), external=("host", "control"))
    graph.add_nodes_from((0, i) for i in range(1, n + 1))
    graph.add_nodes_from((k, i) for k in range(1, n + 1) for i in range(k, n + 1))
    link_neighbours(graph)
    return graph


def cone(n: int) -> nx.MultiGraph:
    """Return the triangular mesh wrapped to a cone (Wong Figs. 4.1 and 4.5, sec. 4.5.1).

    Parameters
    ----------
    n : int
        Number of joints, at least 1.

    Returns
    -------
    networkx.MultiGraph
        The processors of `open_cone`: n(n+1)/2 + n + 1, none with more than four links. Besides the mesh
        links, (0, 0) west goes to (0, n) east, and (k, n) east to (0, n+1-k) north: (0, n) and (1, n) share
        two links.
    """
    graph = open_cone(n)
    graph.graph["name"] = f"cone({n})"
    add_link(graph, (0, 0), "west", (0, n), "east")
    for k in range(1, n + 1):
        add_link(graph, (k, n), "east", (0, n + 1 - k), "north")
    # A transputer has four links: a cone that needs a fifth could not have been built.
    assert all(link_count(graph, node) <= 4 for node in graph)
    return graph


def homed_triangle(n: int) -> nx.MultiGraph:
    """Return the triangular mesh with its force row, each processor of which has a link to the diagonal.

    Parameters
    ----------
    n : int
        Number of joints, at least 1.

    Returns
    -------
    networkx.MultiGraph
        In this order: the force row (0, 1)..(0, n); the triangle (k, i), row by row, k = 1..n, i = k..n:
        n(n+1)/2 + n processors, none with more than four links. Besides the mesh links, (0, i) ``home`` goes to
        (i, i) ``home`` for i > 1; (0, 1) and (1, 1) are neighbours.
    """
    n = check_size("number of joints", n)
    graph = nx.MultiGraph(name=f"homed-triangle({n})")
    graph.add_nodes_from((k, i) for k in range(n + 1) for i in range(max(k, 1), n + 1))
    link_neighbours(graph)
    for i in range(2, n + 1):
        add_link(graph, (0, i), "home", (i, i), "home")
    assert all(link_count(graph, node) <= 4 for node in graph)
    return graph
