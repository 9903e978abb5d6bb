"""A trace as a file, in the format that its ending names. Nothing here imports at once what takes time to import."""

from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from meshsim.errors import MeshSimError
from meshsim.experiments.store.files import check_ending

TRACES = (".csv", ".parquet", ".json", ".pftrace")
"""Endings of files."""
NEEDED = {".parquet": ("parquet", "pyarrow.parquet"), ".pftrace": ("perfetto", "perfetto.trace_builder.proto_builder")}
"""The extra that a format takes, and the module that is then there."""

Writer = Callable[[Sequence[tuple[str, Any]], str | Path], None]


def check_trace(path: str | Path | None) -> None:
    """Refuse a trace whose ending names no format, or a format whose package is not installed."""
    check_ending("trace", path, TRACES)
    if path is None or _ending(path) not in NEEDED:
        return
    extra, module = NEEDED[_ending(path)]
    try:
        import_module(module)
    except ImportError:
        package = module.partition(".")[0]
        raise MeshSimError(f"a trace {str(path)!r} needs {package}: pip install 'meshsim[{extra}]'") from None


def write_trace(runs: Sequence[tuple[str, Any]], path: str | Path) -> None:
    """Write traced runs, each with what to call it, to one file."""
    check_trace(path)
    _writer(_ending(path))(runs, path)


def _ending(path: str | Path) -> str:
    return next(ending for ending in TRACES if str(path).lower().endswith(ending))


def _writer(ending: str) -> Writer:
    if ending == ".json":
        from meshsim.experiments.traces.chrome import write_chrome

        return write_chrome
    if ending == ".pftrace":
        from meshsim.experiments.traces.perfetto import write_perfetto

        return write_perfetto
    from meshsim.experiments.traces.tables import write_comma_separated, write_parquet

    return write_comma_separated if ending == ".csv" else write_parquet
