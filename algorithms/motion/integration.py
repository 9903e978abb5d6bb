"""Fixed steps of Runge and Kutta, counted: of order 4 as the thesis has it, and of orders 1 and 2."""  # Wong eq. 5.1

from collections.abc import Generator, Sequence
from dataclasses import dataclass

from meshsim.algorithms.kernels.core import add, axpy
from meshsim.algorithms.kernels.stepping import weigh
from meshsim.errors import MeshSimError
from meshsim.program import Cpu

ORDERS = (1, 2, 4)
"""Which is also how many evaluations a step takes."""

HALVES = {1: (0,), 2: (0, 1), 4: (0, 1, 1, 2)}
"""By order, when the evaluations of a step are made, in halves of it."""


@dataclass(frozen=True)
class Rule:
    """How to step, with the constants that are formed off line."""

    order: int
    h: float
    half: float
    sixth: float


def rule_of(order: int, h: float) -> Rule:
    """The rule of an order, for steps of `h` seconds."""
    if order not in ORDERS:
        raise MeshSimError(f"order must be {', '.join(map(str, ORDERS[:-1]))} or {ORDERS[-1]}, not {order}")
    return Rule(order, h, h / 2, h / 6)


def step_on(cpu: Cpu, rule: Rule, y: Sequence[float]) -> Generator[list[float], list[float], list[float]]:
    """Yield where to evaluate, be sent the rates there; return the state a step on."""

    def moved(h: float, rates: Sequence[float]) -> list[float]:
        return [cpu.do(axpy, h, rate, value) for rate, value in zip(rates, y, strict=True)]

    first = yield list(y)
    if rule.order == 1:
        return moved(rule.h, first)
    second = yield moved(rule.half, first)
    if rule.order == 2:
        return moved(rule.h, second)
    third = yield moved(rule.half, second)
    ahead = moved(rule.h, third)
    middle = [cpu.do(add, a, b) for a, b in zip(second, third, strict=True)]
    last = yield ahead
    rates = zip(first, last, middle, y, strict=True)
    return [cpu.do(weigh, rule.sixth, *each) for each in rates]
