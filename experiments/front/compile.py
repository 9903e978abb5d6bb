"""`meshsim compile` in Python."""

import time

from meshsim.compiled import MODULES, compile_modules, folder
from meshsim.experiments.reports.compiled import CompileReport
from meshsim.experiments.store.progress import tell


def compile() -> CompileReport:
    """Compile the engine's innermost modules, unless that has been done; every later process uses them.

    Returns
    -------
    CompileReport
        Which modules, and where they are kept.
    """
    before = folder().is_dir()
    start = time.monotonic()
    tell(f"compile {', '.join(MODULES)}: some ten seconds")
    where = compile_modules()
    tell("")
    return CompileReport(MODULES, str(where), None if before else time.monotonic() - start)
