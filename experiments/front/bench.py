"""`meshsim bench` in Python."""

from meshsim.experiments.reports.bench import BenchReport
from meshsim.experiments.studies.bench import run_benches


def bench(name: str | None = None) -> BenchReport:
    """Measure how quick the simulator is; one bench, or all."""
    return BenchReport(run_benches(name))
