"""Kernels cannot lie: each is run on scalars that count."""

import inspect
import math
import subprocess
import sys
import textwrap
from collections import Counter

import pytest
from tools.kernel_arguments import arguments, own_kernels
from tools.paths import ROOT

from meshsim.algorithms.kernels import actuator
from meshsim.algorithms.kernels.catalogue import KERNELS, MODULES
from meshsim.algorithms.kernels.core import cross, dot, form_rotation, form_rotation_twist, rotate, rotate_twist
from meshsim.algorithms.kernels.inertial import spatial_dot_flat
from meshsim.algorithms.robots.body import rotation_x
from meshsim.errors import MeshSimError
from meshsim.machine import OPERATIONS

COUNTS: Counter[str] = Counter()


class Counting(float):
    """A float that counts what is done to it; changing a sign is free."""

    def _made(self, operation, value):
        COUNTS[operation] += 1
        return Counting(value)

    def __add__(self, other):
        return self._made("add", float(self) + float(other))

    def __sub__(self, other):
        return self._made("add", float(self) - float(other))

    def __rsub__(self, other):
        return self._made("add", float(other) - float(self))

    def __mul__(self, other):
        return self._made("mul", float(self) * float(other))

    def __truediv__(self, other):
        return self._made("div", float(self) / float(other))

    def __rtruediv__(self, other):
        return self._made("div", float(other) / float(self))

    def __neg__(self):
        return Counting(-float(self))

    def __abs__(self):
        return Counting(abs(float(self)))

    __radd__ = __add__
    __rmul__ = __mul__


class CountingMath:
    """The functions of `math` that kernels use, counted: a sine and a cosine together are one `sincos`."""

    @staticmethod
    def sin(x):
        COUNTS["sincos"] += 0.5
        return Counting(math.sin(x))

    @staticmethod
    def cos(x):
        COUNTS["sincos"] += 0.5
        return Counting(math.cos(x))

    @staticmethod
    def sqrt(x):
        COUNTS["sqrt"] += 1
        return Counting(math.sqrt(x))


@pytest.mark.parametrize("name", own_kernels())
def test_declared_cost_is_the_counted_cost(name, monkeypatch):
    function = KERNELS[name].function
    monkeypatch.setattr(sys.modules[function.__module__], "math", CountingMath, raising=False)
    given = arguments(name, function, Counting)
    COUNTS.clear()
    function(*given)
    assert {op: COUNTS[op] for op in OPERATIONS if COUNTS[op]} == dict(KERNELS[name].cost)


def test_no_kernel_of_ours_is_missing_in_the_catalogue():
    """Nothing else that is imported declares one."""
    found = fresh("""
        import importlib, pkgutil
        import meshsim
        from meshsim.algorithms.kernels.catalogue import KERNELS
        listed = set(KERNELS)
        for module in pkgutil.walk_packages(meshsim.__path__, "meshsim."):
            importlib.import_module(module.name)
        print(sorted(set(KERNELS) - listed))
    """)
    assert found == "[]\n"


def test_a_machine_alone_knows_the_kernels_it_prices():
    """In an interpreter where nothing else was imported."""
    found = fresh("""
        from meshsim.experiments.studies.machines import known_machine
        print(known_machine("t800-measured").name)
    """)
    assert found == "t800-measured\n"


def fresh(script):
    """What a script prints in an interpreter of its own."""
    given = [sys.executable, "-c", textwrap.dedent(script)]
    return subprocess.run(given, capture_output=True, text=True, check=True, cwd=ROOT).stdout


@pytest.mark.parametrize(
    "module", [module for module in MODULES if module is not actuator], ids=lambda each: each.__name__
)
def test_every_function_of_a_kernel_file_is_a_kernel(module):
    """All that programs may call; `sized` makes kernels."""
    own = [
        name
        for name, thing in vars(module).items()
        if inspect.isfunction(thing) and thing.__module__ == module.__name__
    ]
    assert [name for name in own if not name.startswith("_")] == []


def test_kernels_compute_what_they_say():
    a, b = (1.0, 2.0, 3.0), (-2.0, 0.5, 4.0)
    assert cross(a, b) == (6.5, -10.0, 4.5)
    assert dot(a, b) == 11.0
    twist, angle = 0.7, -1.1
    E = tuple(zip(*rotation_x(twist), strict=True))
    general = form_rotation(math.sin(angle), math.cos(angle), E)
    cheap = form_rotation_twist(math.sin(angle), math.cos(angle), E)
    for row, other in zip(general, cheap, strict=True):
        assert row == pytest.approx(other, abs=1e-16)
    assert rotate(cheap, a) == pytest.approx(rotate_twist(cheap, a), abs=1e-15)


def test_a_kernel_that_skips_zeros_refuses_an_operand_without_them():
    full = ((1.0, 2.0, 3.0), (4.0, 5.0, 6.0), (7.0, 8.0, 9.0))
    with pytest.raises(MeshSimError, match=r"^rotate_twist needs a matrix whose entry \(3, 1\) is zero, not 7.0$"):
        rotate_twist(full, (1.0, 1.0, 1.0))
    with pytest.raises(MeshSimError, match=r"^form_rotation_twist needs a rotation about x, not \(\("):
        form_rotation_twist(0.0, 1.0, full)
    with pytest.raises(MeshSimError, match=r"^spatial_dot_flat needs a vector whose last component is zero, not 3.0$"):
        spatial_dot_flat((full[0], full[0]), (full[1], full[1]))
