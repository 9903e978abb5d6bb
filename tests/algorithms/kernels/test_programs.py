"""Programs do no arithmetic of their own: each is run once with numbers that refuse it."""

import math
from functools import partial

import numpy as np
import pytest
from tools.engine import plan
from tools.every_plan import every_plan

from meshsim.algorithms.kernels.core import multiply
from meshsim.algorithms.motion import adaptive
from meshsim.algorithms.motion.adaptive import Pacer
from meshsim.program import ProgramError
from meshsim.simulation import NOWHERE, Simulation
from meshsim.tape import Named, Writer, WritingProcess

EVERY = dict(every_plan())


class AuditedProcess(WritingProcess):
    """It follows not only what depends on inputs, but whatever kernels make and channels carry."""

    def do(self, kernel, *args):
        return self.followed(super().do(kernel, *args))

    def send(self, port, value):
        return super().send(port, self.followed(value))

    def followed(self, value):
        if isinstance(value, tuple):
            return tuple(map(self.followed, value))
        return self.writer.input(value) if isinstance(value, float) else value


def audit(make):
    """Run the programs of a plan that is made of followed numbers."""
    writer = Writer(inline=False)
    made = make(writer.input)
    Simulation(NOWHERE, process=partial(AuditedProcess, writer)).run(made.topology, made.programs)


def plain(value):
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value.value if isinstance(value, Named) else value


def off_the_machine(method):
    """A method that is given plain numbers."""
    return lambda self, *args, **more: method(self, *map(plain, args), **{key: plain(more[key]) for key in more})


OUTSIDE = {name: off_the_machine(getattr(Pacer, name)) for name in ("__setattr__", "judge", "go", "guess", "begin")}
"""Of adaptive steps: how long a step is, and when it is, are found off the machine, as `adaptive` says."""


@pytest.mark.parametrize("make", EVERY.values(), ids=EVERY)
def test_programs_leave_arithmetic_to_kernels(make, monkeypatch):
    monkeypatch.setattr(adaptive, "Pacer", type("OffTheMachine", (Pacer,), OUTSIDE))
    audit(make)


BARE = {
    "given": lambda _, x: x * 2.0,
    "made": lambda cpu, _: cpu.do(multiply, 1.5, 2.0) - 1.0,
    "received": lambda _, x: -x[0] + 1.0,
    "called": lambda _, x: math.sin(x),
    "in an array": lambda _, x: np.array([1.0, 2.0]) * x,
    "summed": lambda _, x: sum((x, x)),
}


@pytest.mark.parametrize("how", BARE)
def test_bare_arithmetic_is_found(how):
    def first(cpu, x):
        yield cpu.send("B", (1.0,))
        return BARE[how](cpu, x) if how != "received" else None

    def second(cpu):
        x = yield cpu.recv("A")
        return BARE[how](cpu, x) if how == "received" else None

    with pytest.raises(ProgramError, match=r"^arithmetic of a program must be done by a kernel, as cpu.do\(kernel, "):
        audit(lambda number: plan({"A": partial(first, x=number(3.0)), "B": second}))
