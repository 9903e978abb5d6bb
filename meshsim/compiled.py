"""The engine's innermost modules compiled by mypyc: the same sources, the same ticks, in less time.

The Python modules are the truth. What is compiled of them is kept beside their bytecode, in a folder named by their
text: a change to one leaves it unused. `MESHSIM_PURE=1` leaves it unused as well.
"""

import os
import sys
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path

from meshsim.errors import MeshSimError

HERE = Path(__file__).parent
MODULES = ("channel", "processor", "recorder")
"""What every message and every kernel call passes through, in runs and recordings."""
ENDING = EXTENSION_SUFFIXES[0]
"""Of a compiled module's name, for this Python on this kind of computer."""
MYPYC = (
    "--config-file=",
    "--follow-imports=skip",
    "--ignore-missing-imports",
    "--disable-error-code=type-var",
    "--no-warn-return-any",
)
"""Options of mypyc: it trusts what other modules give, and reads no configuration of the user's."""
EXTENSIBLE = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from mypy_extensions import mypyc_attr"
"""What mypyc reads to let Python extend a class; nothing of it is run."""


@cache
def folder() -> Path:
    """Where the compiled modules of these sources are, or would be, for this Python."""
    from _imp import source_hash  # as bytecode files are named by; hashlib takes longer to import

    text = b"".join((HERE / f"{name}.py").read_bytes() for name in (*MODULES, "compiled"))
    return HERE / "__pycache__" / f"compiled-{source_hash(1, text).hex()}{ENDING}"


def prefer(path: list[str]) -> None:
    """Have modules of the package at a path found compiled, if they are."""
    if os.environ.get("MESHSIM_PURE", "") in ("", "0") and _loaded():
        path.insert(0, str(folder()))


def _loaded() -> bool:
    """Load the library that the compiled modules share; False if they are not there, or cannot be loaded."""
    libraries = list(folder().glob(f"*__mypyc{ENDING}"))
    if len(libraries) != 1 or not all((folder() / f"{name}{ENDING}").is_file() for name in MODULES):
        return False
    spec = spec_from_file_location(libraries[0].name.partition(".")[0], libraries[0])
    assert spec is not None
    assert spec.loader is not None
    try:
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
    except ImportError:  # it is damaged
        return False
    sys.modules[spec.name] = module
    return True


def in_use() -> bool:
    """Whether this process has them compiled."""
    return str(folder()) in sys.modules["meshsim"].__path__


def compile_modules() -> Path:
    """Compile them for this Python, unless that has been done; the folder where they are."""
    if _loaded():
        return folder()
    if find_spec("mypyc") is None:
        raise MeshSimError("mypyc must be installed to compile the engine: pip install 'meshsim[fast]'")
    import shutil
    from tempfile import TemporaryDirectory

    kept = folder().parent
    try:
        kept.mkdir(exist_ok=True)
        with TemporaryDirectory(prefix="in-making-", dir=kept) as scratch:
            made = Path(scratch, "made")
            made.mkdir()
            for library in _compile(Path(scratch)):
                shutil.move(library, made)
            for old in kept.glob(f"compiled-*{ENDING}"):  # of other sources, or damaged
                shutil.rmtree(old, ignore_errors=True)
            made.rename(folder())
    except OSError as error:
        if not _loaded():  # or another process was quicker
            raise MeshSimError(f"{kept} must be a folder that can be written: {error}") from None
    return folder()


def _compile(scratch: Path) -> list[Path]:
    """Have mypyc compile copies of the modules, whose classes Python may extend."""
    import subprocess

    package = scratch / "meshsim"
    package.mkdir()
    (package / "__init__.py").touch()
    for name in MODULES:
        text = (HERE / f"{name}.py").read_text("utf-8")
        text = text.replace("\n\nfrom ", f"\n\n{EXTENSIBLE}\nfrom ", 1)
        text = text.replace("\nclass ", "\n@mypyc_attr(allow_interpreted_subclasses=True)\nclass ")
        (package / f"{name}.py").write_text(text, "utf-8")
    command = [sys.executable, "-P", "-m", "mypyc", *MYPYC, *(f"meshsim/{name}.py" for name in MODULES)]
    done = subprocess.run(
        command, cwd=scratch, env={**os.environ, "MYPYC_OPT_LEVEL": "2"}, capture_output=True, text=True
    )
    if done.returncode:
        told = (done.stderr or done.stdout).strip().splitlines()[-1:] or ["no word why"]
        raise MeshSimError(f"mypyc must be able to compile the engine, with a C compiler and Python.h: {told[0]}")
    return [*scratch.glob(f"*{ENDING}"), *package.glob(f"*{ENDING}")]
