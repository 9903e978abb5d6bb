"""Wrenches on bodies by name: what users say, as data of a mechanism."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from meshsim.algorithms.robots.body import Wrench
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.types.vectors import Vector, to_vector
from meshsim.errors import MeshSimError
from meshsim.reading import number


def bearing(mechanism: Mechanism, wrenches: Mapping[str, Sequence[float]]) -> Mechanism:
    """A mechanism with a constant wrench on each of some bodies.

    Parameters
    ----------
    mechanism : Mechanism
        Any; the wrenches that it bears already stay on the bodies that are not named.
    wrenches : mapping of str to sequence of float
        By the name of the body: three numbers, the force at its centre of mass (N, in the ground's axes), or six, with
        the moment (N m). For a mechanism in a plane two, or three: the force along the axes of its `plane`, and the
        moment about the normal of that; or six as above.
    """
    bodies = {body.name: i for i, body in enumerate(mechanism.bodies) if body.mass > 0.0}
    found = {wrench.body: wrench for wrench in mechanism.wrenches}
    for name, values in wrenches.items():
        if name not in bodies:
            raise MeshSimError(
                f"a wrench must act on a body of {mechanism.name} ({', '.join(bodies)}), not on {name!r}"
            )
        numbers = [number(f"wrench on {name!r}", value) for value in values]
        found[bodies[name]] = Wrench(bodies[name], *_in_space(mechanism, name, numbers))
    return replace(mechanism, wrenches=tuple(found[body] for body in sorted(found)))


def _in_space(mechanism: Mechanism, name: str, values: Sequence[float]) -> tuple[Vector, Vector]:
    """Force and moment in the ground's axes."""
    plane = mechanism.plane
    if plane is not None and len(values) in (2, 3):
        along = [part * axis for part, axis in zip(values, (plane.x, plane.y, plane.normal), strict=False)]
        return to_vector(sum(along[:2], np.zeros(3))), to_vector(sum(along[2:], np.zeros(3)))
    if len(values) == 6 or (plane is None and len(values) == 3):
        return to_vector(values[:3]), to_vector(values[3:] or (0.0, 0.0, 0.0))
    forms = "fx,fy,fz or fx,fy,fz,mx,my,mz" if plane is None else "fx,fy or fx,fy,mz or fx,fy,fz,mx,my,mz"
    raise MeshSimError(f"wrench on {name!r} must be {forms} (N and N m), not {len(values)} numbers")


def borne(mechanism: Mechanism) -> dict[str, dict[str, list[float]]]:
    """For programs: force and moment by body under `wrenches`; nothing at all where nothing acts."""
    found = {mechanism.bodies[each.body].name: [*each.force, *each.moment] for each in mechanism.wrenches}
    return {"wrenches": found} if found else {}


def borne_lines(mechanism: Mechanism) -> list[str]:
    """For people: a line for each wrench."""
    return [
        f"on {name}: force {_shown(values[:3])} N, moment {_shown(values[3:])} N m, in the ground's axes"
        for name, values in borne(mechanism).get("wrenches", {}).items()
    ]


def _shown(values: Sequence[float]) -> str:
    """Numbers without what rounding left of zeros."""
    return ", ".join(f"{round(each, 9) + 0.0:.6g}" for each in values)
