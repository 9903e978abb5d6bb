"""Written-out arithmetic as C, compiled by the system's compiler: the same bits, many times quicker.

The compiler may not contract, reorder or foresee any arithmetic: every operation is rounded as Python rounds it, sines
and cosines are those of the library that Python calls. Where Python would raise an error or leave the line, the
compiled function gives nothing, and Python is asked. What was compiled is kept in the user's cache folder, by a hash of
all that it is made of. Where there is no compiler, or it fails, Python computes everything.

The environment variable `MESHSIM_CC` names the compiler, with options if need be; if it is empty, nothing is compiled.
"""

import ast
import ctypes
import math
import os
import platform
import shlex
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from meshsim.errors import MeshSimError

COMPILER = "MESHSIM_CC"
"""The environment variable that names the compiler."""
FLAGS = ("-std=c99", "-Og", "-w", "-ffp-contract=off", "-fno-builtin-sin", "-fno-builtin-cos", "-fPIC", "-shared")
SECONDS = 600
"""After which a compiler is stopped."""
DIGEST = 32
"""Bytes at the end of a compiled file, which tell whether it is whole: a torn one would end the process."""
CHUNK = 200
"""Lines of a C function: compilers take long over long ones."""
START_NS, LINE_NS, WORK_NS = 30_000_000, 150_000, 20
"""What a compiler takes to start, and for a line; and what a line takes in Python, at least."""

Compiled = Callable[[Sequence[float]], list[float] | None]
"""A compiled function; None where Python has to say what comes out."""


class NoCError(Exception):
    """Lines that cannot be said in C."""


@dataclass(frozen=True, eq=False)
class Body:
    """A function of numbers as the lines of its Python text, which the tape writes, and what the names in them mean.

    The first line takes the inputs apart, the last returns the outputs; every name is given once.
    """

    lines: Sequence[str]
    constants: Mapping[str, Any]

    def parts(self) -> "Iterator[Body]":
        """The bodies that it calls, once each."""
        found = (body_of(value) for value in self.constants.values())
        return iter({id(each): each for each in found if each is not None}.values())

    def size(self) -> int:
        """Lines to be compiled."""
        return len(self.lines) + sum(part.size() for part in self.parts())

    def work(self) -> int:
        """Lines that a call runs."""
        bodies = {name: body_of(value) for name, value in self.constants.items()}
        called = (line.partition(" = ")[2].partition("(")[0] for line in self.lines)
        return len(self.lines) + sum(part.work() for part in map(bodies.get, called) if part is not None)

    def text(self) -> str:
        """All that it is made of."""
        meanings = []
        for name, value in self.constants.items():
            part = body_of(value)
            if part is not None:
                meanings.append(f"{name}: {part.text()}")
            elif not callable(value):
                meanings.append(f"{name}: {value!r}")
        return "\n".join([*self.lines, *meanings])


def body_of(value: Any) -> Body | None:
    """The lines of what a body calls, where it is written out too: then it is a method of what has the lines."""
    body = getattr(getattr(value, "__self__", None), "body", None)
    return body if isinstance(body, Body) else None


def worth(body: Body) -> int:
    """How many calls win back what it takes to compile a body."""
    return 1 + (START_NS + LINE_NS * body.size()) // (WORK_NS * body.work())


def compiled(body: Body) -> Compiled | None:
    """A body as a compiled function; None if there is no compiler, or it fails, or the lines cannot be said in C."""
    found = kept(body)
    if found is not None or not _command():
        return found
    try:
        library = _compiled(c_text(body), _place(body))
    except NoCError:
        return None
    return None if library is None else _caller(library)


def kept(body: Body) -> Compiled | None:
    """The same if it was compiled before, now or in another process."""
    library = _opened(_place(body)) if _command() else None
    return None if library is None else _caller(library)


@contextmanager
def in_python() -> Iterator[None]:
    """Meanwhile nothing is compiled or found."""
    global _off
    before, _off = _off, True
    try:
        yield
    finally:
        _off = before


_off = False


def _command() -> list[str]:
    return [] if _off else compiler()


def _place(body: Body) -> Path:
    """Where a body is kept, by all that it is made of."""
    command = compiler()
    made_of = "\n".join([body.text(), *command, *FLAGS, platform.machine(), _identity(command[0])])
    return _folder() / f"{sha256(_own() + made_of.encode()).hexdigest()}.so"


@cache
def compiler() -> list[str]:
    """The command of the compiler; empty if there is none."""
    text = os.environ.get(COMPILER, "cc")
    try:
        command = shlex.split(text)
    except ValueError as error:
        raise MeshSimError(f"{COMPILER} must be a command, not {text!r}: {error}") from None
    found = shutil.which(command[0]) if os.name == "posix" and command else None
    return [found, *command[1:]] if found else []


def _identity(program: str) -> str:
    """What changes when a compiler is installed anew."""
    status = Path(program).stat()
    return f"{os.path.realpath(program)} {status.st_size} {status.st_mtime_ns}"


@cache
def _own() -> bytes:
    """This file, which decides what is compiled."""
    return Path(__file__).read_bytes()


def _folder() -> Path:
    """Where what was compiled is kept; nowhere, if there is no such place."""
    home = Path(os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache"))
    return home / "meshsim" if home.is_absolute() else Path(os.devnull)


def _opened(path: Path) -> ctypes.PyDLL | None:
    """A compiled file, if it is there, is the user's own and whole, and fits this computer."""
    try:
        content = path.read_bytes() if path.stat().st_uid == os.getuid() else b""
        whole = content[-DIGEST:] == sha256(content[:-DIGEST]).digest()
        return ctypes.PyDLL(str(path)) if whole else None
    except OSError:
        return None


def _compiled(text: str, path: Path) -> ctypes.PyDLL | None:
    """Compile, and keep what comes out where that can be; None if it fails."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        place = tempfile.TemporaryDirectory(dir=path.parent)
    except OSError:  # no home, or one that cannot be written
        place = tempfile.TemporaryDirectory()
    with place as folder:
        source, made = Path(folder, "line.c"), Path(folder, "line.so")
        source.write_text(text, encoding="ascii")
        arguments = [*compiler(), *FLAGS, "-o", str(made), str(source), "-lm"]
        try:
            subprocess.run(arguments, stdin=subprocess.DEVNULL, capture_output=True, check=True, timeout=SECONDS)
            content = made.read_bytes()
            made.write_bytes(content + sha256(content).digest())  # loaders do not look behind the last section
            if made.parent.parent != path.parent:
                return _opened(made)  # which stays open
            os.replace(made, path)  # at once: another process sees all of it, or nothing
        except (OSError, subprocess.SubprocessError):
            return None
        return _opened(path)


def _caller(library: ctypes.PyDLL) -> Compiled:
    """A compiled file's function, with room for its numbers: for one thread at a time."""
    inputs, outputs = (ctypes.c_int.in_dll(library, name).value for name in ("inputs", "outputs"))
    given, found = (ctypes.create_string_buffer(8 * max(count, 1)) for count in (inputs, outputs))
    run = partial(library.line, ctypes.byref(given), ctypes.byref(found))
    put, take = struct.Struct(f"{inputs}d").pack_into, struct.Struct(f"{outputs}d").unpack_from

    def call(values: Sequence[float]) -> list[float] | None:
        put(given, 0, *values)
        return None if run() else list(take(found))

    return call


# The text

HEAD = """\
#include <float.h>
#include <math.h>
#if FLT_EVAL_METHOD != 0
#error "arithmetic must be rounded to doubles at every operation"
#endif
#ifdef __FAST_MATH__
#error "arithmetic must be done as it is written"
#endif
#ifdef __GNUC__
#define APART __attribute__((noinline))
#else
#define APART
#endif
static inline double over(double a, double b, int *left) { *left |= b == 0.0; return a / b; }
static inline double root(double a, int *left) { *left |= a < 0.0; return sqrt(a); }
static inline double sine(double a, int *left) { *left |= !isfinite(a); return sin(a); }
static inline double cosine(double a, int *left) { *left |= !isfinite(a); return cos(a); }
static inline double less(double a, double b) { return b < a ? b : a; }
static inline double more(double a, double b) { return b > a ? b : a; }
"""
CALLS = {"sin": "sine({}, &left)", "cos": "cosine({}, &left)", "sqrt": "root({}, &left)", "abs": "fabs({})"}
EXTREMES = {"min": "less", "max": "more"}
OPERATORS = {ast.Add: "({} + {})", ast.Sub: "({} - {})", ast.Mult: "({} * {})", ast.Div: "over({}, {}, &left)"}
COMPARISONS = {ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}


def c_text(body: Body) -> str:
    """A body, and all that it calls, in C; its function is called `line`, and gives 0 unless Python has to be asked."""
    text = _Text()
    name, inputs, outputs = text.function(body)
    return "\n".join(
        [
            HEAD,
            *text.functions,
            f"const int inputs = {inputs}, outputs = {outputs};",
            f"int line(const double *in, double *out) {{ return {name}(in, out); }}",
            "",
        ]
    )


class _Text:
    """C functions as they are made of bodies."""

    def __init__(self) -> None:
        self.functions: list[str] = []
        self.known: dict[int, tuple[str, int, int]] = {}

    def function(self, body: Body) -> tuple[str, int, int]:
        """Write a body; the name of its function, and how many numbers go in and come out."""
        if id(body) not in self.known:
            lines = _Lines(self, body)
            name = f"line_{len(self.known)}"
            self.known[id(body)] = name, len(lines.inputs), lines.outputs
            self.functions += lines.chunks(name)
        return self.known[id(body)]


@dataclass(frozen=True)
class _Line:
    """A line of C, the names that it reads and those that it gives."""

    text: str
    reads: frozenset[str]
    gives: tuple[str, ...] = ()


class _Lines:
    """A body's lines in C."""

    def __init__(self, text: _Text, body: Body) -> None:
        self.text, self.constants = text, body.constants
        self.inputs: dict[str, int] = {}
        self.outputs = 0
        self.reads: set[str] = set()
        self.found = [line for text in body.lines for node in ast.parse(text).body for line in self.lines(node)]

    def lines(self, node: ast.stmt) -> Iterator[_Line]:
        """What a statement is in C."""
        self.reads = set()
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Name(id="values")):
                self.inputs = {name: place for place, name in enumerate(_names(names))}
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                yield _Line(f"double {name} = {self.number(value)};", frozenset(self.reads), (name,))
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Call(func=ast.Name(id=called), args=args)):
                yield self.call(called, [self.number(arg) for arg in args], _names(names))
            case ast.If(test=test, body=[ast.Raise()], orelse=[]):
                yield _Line(f"left |= {self.condition(test)};", frozenset(self.reads))
            case ast.Return(value=ast.List(elts=items)):
                self.outputs = len(items)
                for place, item in enumerate(items):
                    self.reads = set()
                    number = self.number(item)
                    yield _Line(f"out[{place}] = {number};", frozenset(self.reads))
            case _:
                raise NoCError

    def call(self, called: str, args: Sequence[str], names: tuple[str, ...]) -> _Line:
        """Another body's function."""
        part = body_of(self.constants[called])
        if part is None:
            raise NoCError
        function, inputs, outputs = self.text.function(part)
        if (inputs, outputs) != (len(args), len(names)):
            raise NoCError
        given = f"const double given[] = {{{', '.join(args)}}};"
        taken = " ".join(f"{name} = found[{place}];" for place, name in enumerate(names))
        run = f"{{ {given} double found[{outputs}]; left |= {function}(given, found); {taken} }}"
        return _Line(f"double {', '.join(names)}; {run}", frozenset(self.reads), names)

    def number(self, node: ast.expr) -> str:
        """A number in C."""
        match node:
            case ast.Name(id=name) if name in self.constants:
                return _literal(self.constants[name])
            case ast.Name(id=name):
                self.reads.add(name)
                return name
            case ast.Constant(value=value):
                return _literal(value)
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
                return f"({_literal(-value)})"
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return f"(-{self.number(operand)})"
            case ast.BinOp(left=left, op=op, right=right):
                return OPERATORS[type(op)].format(self.number(left), self.number(right))
            case ast.Call(func=ast.Name(id=name), args=[arg]) if name in CALLS:
                return CALLS[name].format(self.number(arg))
            case ast.Call(func=ast.Name(id=name), args=[first, *others]) if name in EXTREMES and others:
                found = self.number(first)
                for other in others:
                    found = f"{EXTREMES[name]}({found}, {self.number(other)})"
                return found
        raise NoCError

    def condition(self, node: ast.expr) -> str:
        """Whether something holds, in C."""
        match node:
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return f"!{self.condition(operand)}"
            case ast.BoolOp(op=op, values=values):
                return f"({(' && ' if isinstance(op, ast.And) else ' || ').join(map(self.condition, values))})"
            case ast.Compare(left=left, ops=ops, comparators=others):
                numbers = [self.number(each) for each in (left, *others)]
                pairs = zip(numbers, ops, numbers[1:], strict=False)
                return f"({' && '.join(f'({a} {COMPARISONS[type(how)]} {b})' for a, how, b in pairs)})"
        return f"({self.number(node)} != 0.0)"

    def chunks(self, name: str) -> Iterator[str]:
        """Functions of so many lines each, and the one that calls them; numbers go from one to the next in an array."""
        chunks = [self.found[first : first + CHUNK] for first in range(0, len(self.found), CHUNK)]
        given = {made: number for number, chunk in enumerate(chunks) for line in chunk for made in line.gives}
        reads = [{read for line in chunk for read in line.reads} for chunk in chunks]
        crossing = [read for number, some in enumerate(reads) for read in some if given.get(read, number) != number]
        slots = {read: slot for slot, read in enumerate(sorted(set(crossing)))}
        for number, chunk in enumerate(chunks):
            yield f"static APART int {name}_{number}(const double *in, double *out, double *kept) {{\nint left = 0;"
            known: set[str] = set()
            for line in chunk:
                for read in sorted(line.reads - known):
                    known.add(read)
                    if read in self.inputs:
                        yield f"const double {read} = in[{self.inputs[read]}];"
                    elif given[read] != number:
                        yield f"const double {read} = kept[{slots[read]}];"
                yield line.text
                yield from (f"kept[{slots[made]}] = {made};" for made in line.gives if made in slots)
            yield "return left;\n}"
        yield f"static APART int {name}(const double *in, double *out) {{\nint left = 0;"
        yield f"static double kept[{max(len(slots), 1)}];  // whoever calls holds the interpreter's lock"
        yield from (f"left |= {name}_{number}(in, out, kept);" for number in range(len(chunks)))
        yield "return left;\n}"


def _names(nodes: Sequence[ast.expr]) -> tuple[str, ...]:
    if not all(isinstance(node, ast.Name) for node in nodes):
        raise NoCError
    return tuple(node.id for node in nodes if isinstance(node, ast.Name))


def _literal(value: Any) -> str:
    """A number that C reads back to the last bit."""
    if not isinstance(value, int | float):
        raise NoCError
    number = float(value)
    if math.isfinite(number):
        return number.hex()
    return "NAN" if math.isnan(number) else "INFINITY" if number > 0 else "(-INFINITY)"
