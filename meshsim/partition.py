"""Programs divided into parts that work about equally long and say little to one another.

By METIS where `pymetis` is installed, and by numpy and scipy alone: halves grown from a program outwards, halved again
until there are enough, each refined by moves as Fiduccia and Mattheyses make them. All is whole numbers, and ties go by
node order: the same programs give the same parts everywhere.
"""

from importlib.util import find_spec

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

Ints = npt.NDArray[np.int64]

LARGEST_WEIGHT = 1_000_000
"""What all weights for METIS add up to, about: it counts in 32 bits."""
STARTS = 16
"""From how many programs, at most, a half is grown."""
REFINED = 3
"""How many of those halves are refined, the best ones."""
PASSES = 8
"""Of refinement, at most."""
PATIENCE = 40
"""Moves without gain after which a pass of refinement ends."""


def has_metis() -> bool:
    """Whether METIS can be used."""
    return find_spec("pymetis") is not None


def by_metis(loads: Ints, words: csr_array, parts: int, tolerance: float, seed: int) -> Ints:
    """The part of each program, by METIS.

    Parameters
    ----------
    loads : array
        The work of each program.
    words : sparse array
        What every two programs say to one another; symmetric, without a diagonal.
    parts : int
        How many parts, no more than programs.
    tolerance : float
        By how much of an equal share the work of a part may exceed it.
    seed : int
        What METIS draws its random numbers from.
    """
    import pymetis

    if parts == 1:
        return np.zeros(len(loads), dtype=np.int64)
    _, found = pymetis.part_graph(
        parts,
        pymetis.CSRAdjacency(words.indptr.tolist(), words.indices.tolist()),
        vweights=_scaled(
            np.minimum(loads, max(1, int(loads.sum()) // parts))
        ).tolist(),  # it fails on a part in one program
        eweights=_scaled(words.data).tolist(),
        recursive=False,
        options=pymetis.Options(seed=seed, ufactor=max(1, round(1000 * tolerance)), ncuts=8),
    )
    return np.array(found, dtype=np.int64)


def _scaled(weights: Ints) -> Ints:
    """Weights that METIS can add up, none of them 0."""
    return np.maximum(1, weights // max(1, int(weights.sum()) // LARGEST_WEIGHT))


def by_growth(loads: Ints, words: csr_array, parts: int, tolerance: float) -> Ints:
    """The part of each program, without METIS; see `by_metis` for the arguments."""
    found = np.zeros(len(loads), dtype=np.int64)
    waiting = [(np.arange(len(loads)), 0, parts)]
    while waiting:
        nodes, first, count = waiting.pop()
        if count == 1:
            found[nodes] = first
            continue
        left = count // 2
        halves = _halves(loads[nodes], words[nodes][:, nodes], left / count, tolerance)
        waiting.append((nodes[halves == 0], first, left))
        waiting.append((nodes[halves == 1], first + left, count - left))
    apart = 1 - np.eye(parts, dtype=np.int64)
    return refined(found, loads, words, apart, _most(loads, np.full(parts, 1 / parts), tolerance))


def _most(loads: Ints, shares: npt.NDArray[np.float64], tolerance: float) -> Ints:
    """How much work a part may have."""
    most: Ints = np.ceil((1 + tolerance) * shares * loads.sum()).astype(np.int64)
    return most


def _halves(loads: Ints, words: csr_array, share: float, tolerance: float) -> Ints:
    """0 for the programs of the first half, which has that share of the work; 1 for the others."""
    apart = 1 - np.eye(2, dtype=np.int64)
    most = _most(loads, np.array([share, 1 - share]), tolerance / 2)
    starts = np.unique(np.linspace(0, len(loads) - 1, STARTS).astype(np.int64))
    grown = [_grown(int(start), loads, words, share) for start in starts]
    grown.sort(key=lambda halves: cost(halves, words, apart))
    better = [refined(halves, loads, words, apart, most) for halves in grown[:REFINED]]
    return min(better, key=lambda halves: cost(halves, words, apart))


def _grown(start: int, loads: Ints, words: csr_array, share: float) -> Ints:
    """A half that begins with one program and takes those that bind it most and the others least."""
    halves = np.ones(len(loads), dtype=np.int64)
    wanted = share * loads.sum()
    gains = -np.asarray(words.sum(axis=0), dtype=np.int64)
    work, node = 0, start
    for _ in range(len(loads) - 1):
        halves[node] = 0
        work += int(loads[node])
        row = slice(words.indptr[node], words.indptr[node + 1])
        gains[words.indices[row]] += 2 * words.data[row]
        node = int(np.argmax(np.where(halves == 1, gains, np.iinfo(np.int64).min)))
        if work + loads[node] / 2 > wanted:  # nearer to what is wanted without it
            break
    return halves


def cost(where: Ints, words: csr_array, distances: Ints) -> int:
    """Words times distances, over all pairs of programs; each pair counts twice."""
    rows = np.repeat(np.arange(len(where)), np.diff(words.indptr))
    return int((words.data * distances[where[rows], where[words.indices]]).sum())


def refined(where: Ints, loads: Ints, words: csr_array, distances: Ints, most: Ints) -> Ints:
    """Better places for programs, by moves of one program each (Fiduccia and Mattheyses).

    Parameters
    ----------
    where : array
        The place of each program: a part, or a processor.
    loads, words
        As for `by_metis`.
    distances : array
        Between places; symmetric.
    most : array
        How much work a place may have; one that has more keeps that as its limit. 0: it is not used.

    Returns
    -------
    array
        The places, at no higher cost.
    """
    for _ in range(PASSES):
        better = _one_pass(where, loads, words, distances, most)
        if better is None:
            break
        where = better
    return where


def relieved(where: Ints, loads: Ints, words: csr_array, distances: Ints, most: Ints) -> Ints:
    """The places, after programs have left those that have more work than they may, for as little cost as can be.

    The busiest place gives a program to another that then has less work than it had; where no program can go, or no
    place has too much, all is done. See `refined` for the arguments.
    """
    where = where.copy()
    work = np.bincount(where, weights=loads, minlength=len(distances)).astype(np.int64)
    costs = words @ distances[where]
    while (work > most).any():
        source = int(np.argmax(np.where(work > most, work, -1)))
        nodes = np.flatnonzero((where == source) & (loads > 0))
        losses = costs[nodes] - costs[nodes, source][:, None]
        after = work[None, :] + loads[nodes, None]
        able = (after < work[source]) & (most > 0)
        if not able.any():
            break
        node, target = np.unravel_index(int(np.argmin(np.where(able, losses, np.iinfo(np.int64).max))), able.shape)
        _move(int(nodes[node]), int(target), where, work, costs, loads, words, distances)
    return where


def _move(
    node: int, target: int, where: Ints, work: Ints, costs: Ints, loads: Ints, words: csr_array, distances: Ints
) -> None:
    """Put a program in another place, and keep the work of places and the costs of programs up to date."""
    source = where[node]
    where[node] = target
    work[source] -= loads[node]
    work[target] += loads[node]
    row = slice(words.indptr[node], words.indptr[node + 1])
    costs[words.indices[row]] += words.data[row, None] * (distances[target] - distances[source])


def _one_pass(where: Ints, loads: Ints, words: csr_array, distances: Ints, most: Ints) -> Ints | None:
    """Move each program once at most, the best move first even if it is a loss; keep the best of all states."""
    where = where.copy()
    everyone = np.arange(len(where))
    work = np.bincount(where, weights=loads, minlength=len(distances)).astype(np.int64)
    room = np.maximum(most, work)
    costs = words @ distances[where]
    free = np.ones(len(where), dtype=bool)
    total = best = 0
    moves: list[tuple[int, int]] = []
    kept = 0
    while len(moves) < kept + PATIENCE and free.any():
        gains = costs[everyone, where][:, None] - costs
        able = free[:, None] & (work[None, :] + loads[:, None] <= room[None, :])
        able[everyone, where] = False
        node, target = np.unravel_index(int(np.argmax(np.where(able, gains, np.iinfo(np.int64).min))), gains.shape)
        if not able[node, target]:
            break
        total += int(gains[node, target])
        moves.append((int(node), int(where[node])))
        free[node] = False
        _move(int(node), int(target), where, work, costs, loads, words, distances)
        if total > best:
            best, kept = total, len(moves)
    for moved, before in reversed(moves[kept:]):
        where[moved] = before
    return where if best else None


def symmetric(words: csr_array) -> csr_array:
    """What every two say to one another, from what each says to each other; nothing to itself."""
    both = (words + words.T).tocoo()
    others = both.row != both.col
    found = csr_array((both.data[others], (both.row[others], both.col[others])), shape=words.shape)
    found.sort_indices()
    return found
