"""Kernels as lines of text, to stand in a function that is written out instead of calls.

A kernel whose body is only assignments, checks of its operands and a return is read from its source, once for each
shape of its arguments: tuples come apart into the numbers in them. Its operations are the same in the same order.
"""

import ast
import builtins
import inspect
import math
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import CodeType, FunctionType, ModuleType
from typing import Any

from meshsim.counted import Kernel

FUNCTIONS: Mapping[str, Callable[..., float]] = {
    "sin": math.sin,
    "cos": math.cos,
    "sqrt": math.sqrt,
    "abs": abs,
    "min": min,
    "max": max,
}
"""What a template may call, by the name it has there."""

OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
COMPARISONS = {ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}

Shape = tuple["Shape", ...] | None
"""Of an argument: None for a number, a tuple of shapes for a tuple."""
Result = tuple["Result", ...] | int | None
"""A slot, None for a constant of the kernel's own, or a tuple of such."""


class NotPlainError(Exception):
    """A kernel that does more than can be written as lines."""


@dataclass(frozen=True)
class Line:
    """A line to be: a slot and the expression that fills it, or no slot and a condition that must not hold.

    Slots stand in braces. `needs` are those that the condition reads.
    """

    slot: int | None
    text: str
    needs: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Template:
    """A kernel's lines. The first slots are the numbers of its arguments in order, the others are filled by lines.

    `reads` are the globals that the lines were made of: where each is, its name, and what it was.
    """

    lines: tuple[Line, ...]
    slots: int
    result: Result
    reads: tuple[tuple[Mapping[str, Any], str, Any], ...]


def template(function: Callable[..., Any], shapes: tuple[Shape, ...]) -> Template | None:
    """The lines of a kernel's function for arguments of some shapes; None where it has to be called."""
    found = _template(function, shapes)
    if found is not None and any(_global(scope, name) is not value for scope, name, value in found.reads):
        _template.cache_clear()  # something was declared anew, as in a notebook's cell
        found = _template(function, shapes)
    return found


@cache
def _template(function: Callable[..., Any], shapes: tuple[Shape, ...]) -> Template | None:
    try:
        text = _Text()
        args = [text.argument(shape) for shape in shapes]
        result = text.written(function, args)
        return Template(tuple(text.lines), text.slots, _slots_of(result), tuple(text.reads.values()))
    except NotPlainError:
        return None


def literal(value: Any) -> str | None:
    """A number as Python text that is read back to the last bit, where there is such a text."""
    if type(value) is not float or not math.isfinite(value):
        return None
    return repr(value) if math.copysign(1.0, value) > 0 else f"({value!r})"


@dataclass(frozen=True)
class _Number:
    """An expression; `simple` if it is a slot or a constant, which need no line of their own."""

    text: str
    simple: bool = True
    slots: frozenset[int] = frozenset()


_Value = _Number | tuple["_Value", ...]


class _Text:
    """Lines as they are read from kernels."""

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self.slots = 0
        self.reads: dict[tuple[int, str], tuple[Mapping[str, Any], str, Any]] = {}

    def argument(self, shape: Shape) -> _Value:
        """Slots for an argument."""
        return self._slot() if shape is None else tuple(map(self.argument, shape))

    def written(self, function: Callable[..., Any], args: Sequence[_Value]) -> _Value:
        """Write down a kernel's body; what it returns, in slots and constants."""
        definition = _definition(function)
        if definition is None or len(definition.args.args) != len(args):
            raise NotPlainError
        assert isinstance(function, FunctionType)
        scope = _Scope(self, function, {given.arg: arg for given, arg in zip(definition.args.args, args, strict=True)})
        for statement in definition.body:
            match statement:
                case ast.Return(value=ast.expr() as value):
                    return self.settled(scope.value(value))
                case ast.Expr(value=ast.Constant()):
                    pass
                case ast.Assign(targets=[target], value=value):
                    scope.assign(target, self.settled(scope.value(value)))
                case ast.If(test=test, body=[ast.Raise()], orelse=[]):
                    condition = scope.condition(test)
                    self.lines.append(Line(None, condition.text, condition.slots))
                case _:
                    raise NotPlainError
        raise NotPlainError

    def settled(self, value: _Value) -> _Value:
        """The same with a slot for each number that must be computed."""
        if isinstance(value, tuple):
            return tuple(map(self.settled, value))
        if value.simple:
            return value
        slot = self._slot()
        self.lines.append(Line(self.slots - 1, value.text))
        return slot

    def _slot(self) -> _Number:
        self.slots += 1
        return _Number(f"{{{self.slots - 1}}}", slots=frozenset({self.slots - 1}))


class _Scope:
    """Names of one kernel's body, and its expressions."""

    def __init__(self, text: _Text, function: FunctionType, names: dict[str, _Value]) -> None:
        self.text, self.function, self.names = text, function, names

    def assign(self, target: ast.expr, value: _Value) -> None:
        """Give a value its name, or those of its parts theirs."""
        if isinstance(target, ast.Name):
            self.names[target.id] = value
        elif isinstance(target, ast.Tuple) and isinstance(value, tuple) and len(target.elts) == len(value):
            for part, item in zip(target.elts, value, strict=True):
                self.assign(part, item)
        else:
            raise NotPlainError

    def value(self, node: ast.expr) -> _Value:
        """What an expression stands for."""
        match node:
            case ast.Name(id=name) if name in self.names:
                return self.names[name]
            case ast.Name() | ast.Constant():
                return _constant(self.resolved(node))
            case ast.Tuple(elts=items):
                return tuple(map(self.value, items))
            case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
                return _joined(f" {OPERATORS[type(op)]} ", [self.number(left), self.number(right)])
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return _joined("-", [_Number(""), self.number(operand)])
            case ast.Subscript(value=whole, slice=ast.Constant(value=int() as index)):
                parts = self.value(whole)
                if isinstance(parts, tuple) and index < len(parts):
                    return parts[index]
            case ast.Call(func=called, args=args, keywords=[]):
                return self.call(self.resolved(called), args)
        raise NotPlainError

    def number(self, node: ast.expr) -> _Number:
        """An expression that is no tuple."""
        value = self.value(node)
        if isinstance(value, tuple):
            raise NotPlainError
        return value

    def call(self, called: Any, args: list[ast.expr]) -> _Value:
        """Another kernel's body in its place, or a function's call."""
        if isinstance(called, Kernel):
            return self.text.written(called.function, [self.text.settled(self.value(arg)) for arg in args])
        for name, function in FUNCTIONS.items():
            if called is function:
                given = _joined(", ", [self.number(arg) for arg in args])
                return _Number(name + given.text, False, given.slots)
        raise NotPlainError

    def condition(self, node: ast.expr) -> _Number:
        """A check of operands."""
        match node:
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return _joined("not ", [_Number(""), self.condition(operand)])
            case ast.BoolOp(op=op, values=values):
                return _joined(
                    " and " if isinstance(op, ast.And) else " or ", [self.condition(each) for each in values]
                )
            case ast.Compare(left=left, ops=ops, comparators=others) if all(type(how) in COMPARISONS for how in ops):
                parts = [self.number(left)]
                for how, other in zip(ops, others, strict=True):
                    parts += [_Number(f" {COMPARISONS[type(how)]} "), self.number(other)]
                return _joined("", parts)
        return self.number(node)

    def resolved(self, node: ast.expr) -> Any:
        """A constant, or what a name means outside the body."""
        match node:
            case ast.Constant(value=value):
                return value
            case ast.Name(id=name) if name not in self.function.__code__.co_varnames:
                scope = self.function.__globals__
                value = _global(scope, name)
                self.text.reads[id(scope), name] = scope, name, value
                return value
            case ast.Attribute(value=ast.Name(id="math") as module, attr=attr) if self.resolved(module) is math:
                return getattr(math, attr)
        raise NotPlainError


def _global(scope: Mapping[str, Any], name: str) -> Any:
    return scope.get(name, getattr(builtins, name, None))


def _joined(sign: str, parts: Sequence[_Number]) -> _Number:
    slots = frozenset[int]().union(*(part.slots for part in parts))
    return _Number(f"({sign.join(part.text for part in parts)})", False, slots)


def _constant(value: Any) -> _Value:
    if isinstance(value, tuple):
        return tuple(map(_constant, value))
    text = repr(value) if type(value) is int else literal(value)
    if text is None:
        raise NotPlainError
    return _Number(text)


def _slots_of(value: _Value) -> Result:
    if isinstance(value, tuple):
        return tuple(map(_slots_of, value))
    return next(iter(value.slots), None)


@cache
def _definition(function: Callable[..., Any]) -> ast.FunctionDef | None:
    """A function's source, if that is what it was made from: a file may have been changed since it was imported."""
    if not isinstance(function, FunctionType):
        return None
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, SyntaxError):
        return None
    match tree.body:
        case [ast.FunctionDef(args=ast.arguments(posonlyargs=[], kwonlyargs=[], vararg=None, kwarg=None)) as found]:
            found.decorator_list = []
            return found if _is_made_from(function, found) else None
    return None


def _is_made_from(function: FunctionType, definition: ast.FunctionDef) -> bool:
    own = function.__code__
    modules = [name for name in own.co_names if isinstance(function.__globals__.get(name), ModuleType)]
    imports = ast.parse("\n".join(f"import {name}" for name in modules)).body  # calls of their functions look different
    module = compile(ast.Module([*imports, definition], []), "<kernel>", "exec", dont_inherit=True)
    parts = ("co_code", "co_consts", "co_names", "co_varnames")
    codes = [each for each in module.co_consts if isinstance(each, CodeType)]
    return any(all(getattr(code, part) == getattr(own, part) for part in parts) for code in codes)
