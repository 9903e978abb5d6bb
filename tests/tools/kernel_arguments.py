"""Arguments for every kernel of ours: distinct numbers, so that no operation is skipped by chance."""

import math
import typing

from meshsim.algorithms.kernels.catalogue import KERNELS
from meshsim.algorithms.kernels.core import form_rotation_twist
from meshsim.algorithms.kernels.inertial import Inertia, Spatial, Symmetric
from meshsim.algorithms.robots.body import rotation_x
from meshsim.algorithms.types.vectors import Matrix, Vector


def own_kernels():
    return {
        name: declared
        for name, declared in KERNELS.items()
        if declared.function.__module__.startswith("meshsim.algorithms.")
    }


def arguments(name, function, number):
    """In the shape that a kernel wants them; every number goes through `number`."""
    kinds = [hint for key, hint in typing.get_type_hints(function).items() if key != "return"]
    given = [_values(kind, start, number) for start, kind in enumerate(kinds)]
    if name in ("rotate_twist", "rotate_back_twist", "torque_inboard_twist", "angle_products"):
        given[0] = _twisted(form_rotation_twist(math.sin(0.4), math.cos(0.4), rotation_x(0.3)), number)
    if name == "spatial_dot_flat":
        given[0] = given[0][0], (*given[0][1][:2], number(0.0))
    if name == "spatial_dot_own":
        given[0] = *given[0][:2], number(0.0)
    if name == "add_flat_vector":
        given[1] = *given[1][:2], number(0.0)
    if name == "form_rotation_twist":
        given[2] = _twisted(rotation_x(0.3), number)
    return given


def _values(kind, start, number):
    if kind is float:
        return number(0.37 + 0.11 * start)
    if kind == Vector:
        return tuple(number(0.21 * (start + j) + 0.13) for j in range(3))
    if kind == Symmetric:
        return tuple(number(0.17 * (start + j) + 0.19) for j in range(6))
    if kind == Spatial:
        return _values(Vector, start, number), _values(Vector, start + 1, number)
    if kind == Inertia:
        return _values(float, start, number), _values(Vector, start + 1, number), _values(Symmetric, start + 2, number)
    if kind == tuple[float, float]:
        return number(0.23 * start + 0.11), number(0.31 * start + 0.57)
    assert kind == Matrix
    return tuple(tuple(number(0.1 * (start + i) + 0.07 * j + 0.3) for j in range(3)) for i in range(3))


def _twisted(matrix, number):
    return tuple(tuple(number(entry) for entry in row) for row in matrix)
