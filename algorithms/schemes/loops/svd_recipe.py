"""Projection by a recipe of Yun and Sarkar, as it was printed: S and gamma that the state does not agree with.

State (q, v), q' = S v + eta, and q'' = S v' + gamma with                                         # Khan eqs 2.13, 2.15

    S = the first n - m columns of U, H = 1 - A^+ A = U Delta V^T;  eta = - sigma A^+ c           # Khan eq. 2.20
    gamma = A^+ (- sigma A - A') q'                                                              # Khan eq. 2.22

H is a projector, so its first n - m singular values are all 1, and any rotation of the columns of U that belong to them
is equally valid: from one position to the next S may rotate arbitrarily, and v with it. And gamma has no part in the
null space of A, where S' v has one (S^T gamma = 0): but for columns that never turn about one another, v' is wrong even
where S is smooth. So ``gauss``, rates of some joints for v, with this same gamma, is another recipe that can be tried.
In numpy, since it is not meant to be distributed; `projection.py` is.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from meshsim.algorithms.collectives.exchange import lay_out
from meshsim.algorithms.kernels.dense import full
from meshsim.algorithms.robots.closure import Loops, loops
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.schemes.loops.independent import independent_joints
from meshsim.algorithms.schemes.loops.layout import layout_of
from meshsim.algorithms.types.arrays import Array
from meshsim.errors import MeshSimError
from meshsim.plan import Plan
from meshsim.program import Cpu, Steps
from meshsim.tape import Tape

COMPLEMENTS = ("svd", "gauss")


class TreeTerms:
    """M and h of a closed mechanism's tree, from the chains' own programs, written out: quicker than numpy by far."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.n = mechanism.n
        self.subsystems = mechanism.subsystems
        chains = layout_of(mechanism).chains
        network = lay_out("one", len(chains), None)

        def make(values: Sequence[float]) -> Plan[Sequence[float]]:
            rates = values[mechanism.n :]

            def program(cpu: Cpu) -> Steps[list[float]]:
                found: list[float] = []
                for chain, joints in zip(chains, mechanism.subsystems, strict=True):
                    qd = [rates[joint] for joint in joints]
                    at = chain.place(cpu, [values[joint] for joint in joints])
                    chain.move(cpu, at, qd)
                    chain.drift(cpu, at, qd)
                    found.extend(each for row in full(chain.inertia(cpu, at)) for each in row)
                    found.extend(chain.force(cpu, at))
                yield cpu.par()
                return found

            return Plan(network.topology, dict.fromkeys(network.nodes, program), lambda got: next(iter(got.values())))

        self.tape = Tape(make)

    def __call__(self, q: Array, qd: Array) -> tuple[Array, Array]:
        """M and h."""
        left = np.array(self.tape([*q.tolist(), *qd.tolist()]))
        M, h = np.zeros((self.n, self.n)), np.zeros(self.n)
        for joints in self.subsystems:
            k = len(joints)
            M[np.ix_(joints, joints)], h[list(joints)] = left[: k * k].reshape(k, k), left[k * k : k * k + k]
            left = left[k * k + k :]
        return M, h


class Recipe:
    """A closed mechanism by the recipe; `complement` says where S comes from."""

    def __init__(self, mechanism: Mechanism, q: Array, sigma: float, complement: str = "svd") -> None:
        if complement not in COMPLEMENTS:
            raise MeshSimError(f"complement must be {' or '.join(COMPLEMENTS)}, not {complement!r}")
        self.mechanism, self.sigma = mechanism, sigma
        self.terms = TreeTerms(mechanism)
        self.independent = (
            independent_joints(loops(mechanism, q, np.zeros(mechanism.n)).A) if complement == "gauss" else ()
        )
        self.count = 0

    def basis(self, A: Array) -> Array:
        """S."""
        m, n = A.shape
        if not self.independent:
            U, _, _ = np.linalg.svd(np.eye(n) - np.linalg.pinv(A) @ A)
            first: Array = U[:, : n - m]
            return first
        free, held = list(self.independent), [j for j in range(n) if j not in self.independent]
        S = np.zeros((n, n - m))
        S[free] = np.eye(n - m)
        S[held] = -np.linalg.solve(A[:, held], A[:, free])
        return S

    def joint_rates(self, q: Array, v: Array) -> tuple[Array, Array, Array]:
        """q' = S v + eta; with S, and A^+."""
        now = self._loops(q, np.zeros(self.mechanism.n))
        S = self.basis(now.A)
        inverse: Array = np.linalg.pinv(now.A).astype(np.float64)
        return S @ v - self.sigma * inverse @ now.c, S, inverse

    def _loops(self, q: Array, qd: Array) -> Loops:
        return loops(self.mechanism, q, qd)

    def rates(self, t: float, y: Array, drive: Callable[[float], Sequence[float]]) -> Array:
        """How fast (q, v) changes."""  # Khan eq. 2.23
        self.count += 1
        mechanism = self.mechanism
        q = y[: mechanism.n]
        qd, S, inverse = self.joint_rates(q, y[mechanism.n :])
        now = self._loops(q, qd)
        gamma = inverse @ (-self.sigma * (now.A @ qd) - now.bias)
        M, h = self.terms(q, qd)
        tau = np.zeros(mechanism.n)
        tau[list(mechanism.actuated)] = drive(t)
        vd = np.linalg.solve(S.T @ M @ S, S.T @ (tau - h - M @ gamma))
        return np.concatenate([qd, vd])


@dataclass(frozen=True, eq=False)
class Trail:
    """What a recipe made of a motion: a row for the beginning and for each step's end.

    `turned` is how far the columns of S are from those of the step before, the largest entry of their difference;
    `complete` says whether it came to the end before it ran out of evaluations or the state stopped being finite.
    """

    t: Array
    q: Array
    qd: Array
    v: Array
    turned: Array
    evaluations: int
    complete: bool


def follow(
    recipe: Recipe,
    q: Array,
    drive: Callable[[float], Sequence[float]],
    duration: float,
    rtol: float,
    atol: float,
    limit: int,
) -> Trail:
    """Integrate from rest with adaptive steps until the end, or until so many evaluations were made."""
    from scipy.integrate import RK45

    n = recipe.mechanism.n
    _, S, _ = recipe.joint_rates(q, np.zeros(n - len(loops(recipe.mechanism, q, np.zeros(n)).c)))
    y = np.concatenate([q, np.zeros(S.shape[1])])
    solver = RK45(lambda t, y: recipe.rates(t, y, drive), 0.0, y, duration, rtol=rtol, atol=atol)
    rows = [(0.0, q, np.zeros(n), y[n:], 0.0)]
    while solver.status == "running" and recipe.count < limit:
        try:
            solver.step()
        except np.linalg.LinAlgError:
            break
        if solver.status == "failed":
            break
        qd, now, _ = recipe.joint_rates(solver.y[:n], solver.y[n:])
        rows.append((float(solver.t), solver.y[:n].copy(), qd, solver.y[n:].copy(), float(np.abs(now - S).max())))
        S = now
    t, qs, qds, vs, turned = (np.array(column) for column in zip(*rows, strict=True))
    return Trail(t, qs, qds, vs, turned, recipe.count, solver.status == "finished")


def singular_values(mechanism: Mechanism, q: Array) -> Array:
    """Those of H in a position: as many ones as there are freedoms, and zeros."""
    A = loops(mechanism, q, np.zeros(mechanism.n)).A
    values: Array = np.linalg.svd(np.eye(mechanism.n) - np.linalg.pinv(A) @ A, compute_uv=False).astype(np.float64)
    return values
