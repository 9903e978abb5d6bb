"""Operation counts of the one-processor schemes, from runs on random chains."""

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np

from meshsim.algorithms.robots.catalogue import chain
from meshsim.algorithms.robots.state import default_state
from meshsim.algorithms.schemes.catalogue import load_scheme
from meshsim.presets import PRESETS

MAIN = ("inertia", "force", "actuator", "shift", "solve")
Count = tuple[int, int]
"""Multiplies, divisions and roots counted as such; adds."""


@cache
def phases(scheme: str, n: int, **options: str) -> Mapping[str, Count]:
    """Operations up to each mark, since the one before, of a scheme's run on a chain of n joints."""
    robot = chain(n, 1)
    run = load_scheme(scheme).plan(robot, default_state(robot), **options).run(PRESETS["ideal"], trace=False)
    return {
        name: (counts["mul"] + counts["div"] + counts["sqrt"], counts["add"])
        for name, counts in run.operations_by_phase.items()
    }


@cache
def inverse_counts(scheme: str, sizes: tuple[int, ...], without: str = "") -> tuple[list[int], list[int]]:
    """Multiplies and adds of a scheme's inverse dynamics, joints accelerating, for every size; without one phase."""
    found = []
    for n in sizes:
        robot = chain(n, 1)
        state = default_state(robot)
        q, qd = np.array(state.q), np.array(state.qd)
        run = load_scheme(scheme).inversion(robot).plan(q, qd, qd).run(PRESETS["ideal"], trace=False)
        kept = [counts for name, counts in run.operations_by_phase.items() if name != without]
        found.append((sum(each["mul"] for each in kept), sum(each["add"] for each in kept)))
    return [mul for mul, _ in found], [add for _, add in found]


def parts(scheme: str, n: int, **options: str) -> Mapping[str, Count]:
    """The same, steps of a method's own added to the main phase they lead to."""
    found: dict[str, Count] = {}
    mul = add = 0
    for name, count in phases(scheme, n, **options).items():
        mul, add = mul + count[0], add + count[1]
        if name in MAIN:
            found[name] = mul, add
            mul = add = 0
    return found


def counted(scheme: str, sizes: Sequence[int], *names: str, **options: str) -> tuple[list[int], list[int]]:
    """Multiplies and adds of some main phases together, for every size."""
    counts = [[parts(scheme, n, **options)[name] for name in names] for n in sizes]
    return [sum(mul for mul, _ in each) for each in counts], [sum(add for _, add in each) for each in counts]


def listed(scheme: str, sizes: Sequence[int]) -> tuple[list[int], list[int]]:
    """The inertia matrix as its items are listed: without the sums of its terms over the bodies."""
    whole = counted(scheme, sizes, "inertia")
    sums = [phases(scheme, n)["inertia"] for n in sizes]
    return (
        [mul - each for mul, (each, _) in zip(whole[0], sums, strict=True)],
        [add - each for add, (_, each) in zip(whole[1], sums, strict=True)],
    )


def total(scheme: str, sizes: Sequence[int], **options: str) -> tuple[list[int], list[int]]:
    """All that ran but the n subtractions tau - h, which no publication counts."""
    runs = [[count for name, count in phases(scheme, n, **options).items() if name != "shift"] for n in sizes]
    return [sum(mul for mul, _ in each) for each in runs], [sum(add for _, add in each) for each in runs]


SCHEMES_OF = {"Angeles": "one-angeles", "Proposed": "one-wong", "Walker": "one-walker-orin"}

CAUSES = {
    "sums": "the published list leaves out the n(n^2 - 1)/6 additions that sum the terms of M over the bodies",
    "Angeles, force": "forces and moments are turned back by two plane rotations, 4 adds each and not 5; with 5 ours "
    "would take 91n - 95, one a joint more than published, and the thesis does not list the items",
    "Angeles, solver": "print has an add for each multiply and each division of Cholesky's method; to the n(n + 3)/2 "
    "divisions there is no subtraction",
    "Walker, force": "117n - 152 mul, 92n - 128 add: a joint takes 117 and 92 (three cross products for each of two "
    "points, joint accelerations zero, forces turned back by plane rotations), of body 1 only the torque of its weight "
    "is computed; the operations behind the published count are not listed",
    "Walker, inertia": "11n^2 + 25n - 56 mul, 7n^2 + 33n - 70 add: a wrench is carried down by 22 mul, not 24; one "
    "parallel-axis term with the reduced mass where two are published, inertias turned by two plane rotations (18 mul, "
    "18 add), of body 1 only what M_11 needs",
    "Lilly III": "11n^2 + 16n - 39 mul, 7n^2 + 29n - 65 add: constants of each body with the mass beyond it are formed "
    "off line, and a wrench is carried down by 22 mul and 14 add, not 25 and 16",
    "Brandl": "223n - 329 mul, n - 1 div, 219n - 349 add: in body axes a joint's column is free and leaves zeros that "
    "the plane rotations use, the last body's inertia is constant, and of body 1 only one number is needed; how the "
    "published count divides is not listed",
    "Featherstone": "149n - 243 mul, n - 1 div, 155n - 270 add, for the reasons of Brandl's; whether the published "
    "count is for the inertial frame of eqs 2.13 to 2.16, where there are no such zeros, is not said",
    "Saha": "149n - 251 mul, n - 1 div, 155n - 274 add without the inverse dynamics (which forms joint 1's axis for "
    "both), as the published count seems meant, negative as it is at n = 1; the items behind it are not listed",
    "RIDIM": "105n - 88 mul, 87n - 77 add: about the hinges, as sec. 2.4.1 has it, where first and second moments are "
    "constants; of body 1 only what its joint feels. The published count is about mass centres; its items are not "
    "listed. With cross products in place of the matrix W a joint takes 117 and 93 (Walker and Orin's line), of the "
    "published 120 and 97",
    "Luh": "with the rotations 121n - 106 mul, 93n - 91 add: a joint takes 121 and 93, and of body 1 only what its "
    "joint feels is computed; the operations behind the published count are not listed",
    "Walker, inverse": "117n - 106 mul, 93n - 91 add: a joint takes 117 and 93 (three cross products for each of two "
    "points, forces turned back by plane rotations), of body 1 only what its joint feels is computed; the operations "
    "behind the published count are not listed",
    "Mohan": "the text says only that each body is transformed to an equivalent one defined by its DH parameters: not "
    "which body that is, which of its moments are then zero, about which points and in which axes the recursion runs, "
    "nor whether the force vector is in the count",
    "not listed": "the documents do not describe the method, so that it is not here to be counted",
}
"""Why our counts are not the published ones."""
