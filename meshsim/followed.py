"""Numbers that are followed through programs: what is made of them, and where they go, is written down.

Programs may move them, change their signs and compare them. Any other arithmetic would be done unseen, outside a
kernel, and is refused. They are no floats, so that nothing makes a constant of them.
"""

import operator
from collections.abc import Callable
from numbers import Real
from typing import Any, NoReturn

from meshsim.program import ProgramError


def _refused(sign: str) -> Callable[..., Any]:
    def refuse(*_: Any) -> NoReturn:
        raise ProgramError(
            f"arithmetic of a program must be done by a kernel, as cpu.do(kernel, ...), not by {sign} on a number"
        )

    return refuse


class Followed:
    """A number that is followed; kernels get the plain value instead. Who follows says what signs and `bool` do."""

    __slots__ = ("value",)

    def __init__(self, value: float) -> None:
        self.value = value

    def __repr__(self) -> str:
        return repr(self.value)

    def __format__(self, spec: str) -> str:
        return format(self.value, spec)

    def __pos__(self) -> "Followed":
        return self

    def __eq__(self, other: object) -> bool:
        return self._compare("==", operator.eq, other)

    def __ne__(self, other: object) -> bool:
        return self._compare("!=", operator.ne, other)

    def __lt__(self, other: object) -> bool:
        return self._compare("<", operator.lt, other)

    def __le__(self, other: object) -> bool:
        return self._compare("<=", operator.le, other)

    def __gt__(self, other: object) -> bool:
        return self._compare(">", operator.gt, other)

    def __ge__(self, other: object) -> bool:
        return self._compare(">=", operator.ge, other)

    __hash__ = None  # type: ignore[assignment]

    def _compare(self, sign: str, compare: Callable[[Any, Any], bool], other: Any) -> bool:
        if not isinstance(other, Real):
            return NotImplemented  # type: ignore[no-any-return]  # Python's own way to say so
        return self.compared(sign, compare(self.value, plain(other)), other)

    def compared(self, _sign: str, outcome: bool, _other: Any) -> bool:
        """It was compared with another number, with this outcome."""
        return outcome

    __add__ = __radd__ = _refused("+")
    __sub__ = __rsub__ = _refused("-")
    __mul__ = __rmul__ = _refused("*")
    __truediv__ = __rtruediv__ = _refused("/")
    __floordiv__ = __rfloordiv__ = _refused("//")
    __mod__ = __rmod__ = _refused("%")
    __divmod__ = __rdivmod__ = _refused("divmod")
    __pow__ = __rpow__ = _refused("**")
    __round__ = _refused("round")
    __trunc__ = __floor__ = __ceil__ = _refused("rounding")
    __int__ = __index__ = _refused("int")
    __float__ = _refused("float")  # which functions of `math` and numpy's arrays ask for
    __complex__ = _refused("complex")


Real.register(Followed)  # so that it may be sent


def plain(value: Any) -> Any:
    """A number, or a tuple of such, as kernels get it."""
    if isinstance(value, Followed):
        return value.value
    return tuple(map(plain, value)) if isinstance(value, tuple) else value
