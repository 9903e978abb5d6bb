"""Arguments for every kernel of ours: distinct numbers, so that no operation is skipped by chance."""

import inspect
import math
import typing

from meshsim.algorithms.kernels import constraint, handles
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
    if function.__module__ == handles.__name__:
        return _of_handles(function, kinds, number)
    if function.__module__ == constraint.__name__:
        return _of_blocks(function, kinds, number)
    given = [_values(kind, start, number) for start, kind in enumerate(kinds)]
    if name in ("rotate_twist", "rotate_back_twist", "torque_inboard_twist", "angle_products"):
        given[0] = _twisted(form_rotation_twist(math.sin(0.4), math.cos(0.4), rotation_x(0.3)), number)
    if name == "spatial_dot_flat":
        given[0] = given[0][0], (*given[0][1][:2], number(0.0))
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


def _of_handles(function, kinds, number):
    """Symmetric matrices are called P, Q or K and have a large diagonal; L has ones on a diagonal that is left out."""
    names = list(inspect.signature(function).parameters)
    m = int(function.__name__[-1]) if function.__name__[-1].isdigit() else 6
    given = []
    for start, (name, kind) in enumerate(zip(names, kinds, strict=True)):
        if kind == handles.Rows:
            rows = {"B": 6 if m == 6 or "onto" in function.__name__ else m, "P": 6, "Q": 6}.get(name, m)
            widths = {"L": range(m), "P": range(1, 7), "Q": range(1, 7), "K": range(1, m + 1)}.get(name, [6] * rows)
            value = tuple(
                tuple(number((9.0 if i == j and name in "PQK" else 0.0) + 0.3 + 0.07 * i + 0.1 * j) for j in range(w))
                for i, w in enumerate(widths)
            )
        elif kind == handles.Six:
            value = tuple(number(0.17 * (start + j) + 0.19) for j in range(6 if _of_columns(function, name) else m))
        else:
            value = _values(kind, start, number)
        given.append(value)
    return given


def _of_columns(function, name):
    """Whether a vector has as many entries as a matrix has columns, which is six, rather than rows."""
    return (function.__name__[:-2], name) in {("drop", "b"), ("respond", "f")}


def _of_blocks(function, kinds, number):
    """Of five rows, or of lower triangles where they are called K and Q."""
    given = []
    for start, (name, kind) in enumerate(zip(inspect.signature(function).parameters, kinds, strict=True)):
        widths = {"L": range(5), "K": range(1, 6), "Q": range(1, 6)}.get(name, [5] * 5)
        block = tuple(tuple(number(0.3 + 0.07 * (start + i) + 0.1 * j) for j in range(w)) for i, w in enumerate(widths))
        given.append(block if kind == handles.Rows else block[-1])
    return given


def _twisted(matrix, number):
    return tuple(tuple(number(entry) for entry in row) for row in matrix)
