"""What a run took, in a few lines."""

from collections.abc import Mapping
from typing import Any

from meshsim.experiments.reports.network_use import use_lines
from meshsim.experiments.reports.terminal import percent
from meshsim.experiments.studies.where import Location
from meshsim.outcome import Run
from meshsim.sharing import SharedCore


def verdict(what: str, run: Run[Any], location: Location | None = None) -> str:
    """Who computed what, how long that takes, where, and where the time goes: one sentence."""
    one = run.processors == 1
    where = f"on {'one' if one else run.processors} {run.machine.name} processor{'' if one else 's'}"
    if location:
        idle = location.processors - location.used
        where += f" of {location.network}" + (f", {idle} of them without a program" if idle else "")
    if not run.ticks:
        return f"{what} in no time {where}."
    line = f"{what} in {run.machine.as_us(run.ticks)} {where}, {percent(run.utilisation)} busy"
    shares = ", ".join(f"{percent(share)} {name}" for name, share in path_shares(run).items() if share)
    return line + (f"; critical path: {shares}." if shares else ".")


def path_shares(run: Run[Any]) -> Mapping[str, float]:
    """Shares of the critical path; nothing of a run without a trace, or of no time."""
    if not run.traced or not run.ticks:
        return {}
    path = run.critical_path
    parts = {"arithmetic": path.compute, "messages": path.wire, "waits": path.wait}
    parts["sharing of processors"] = run.ticks - sum(parts.values())
    return {name: ticks / run.ticks for name, ticks in parts.items()}


def cost_lines(run: Run[Any], location: Location | None = None) -> list[str]:
    """Time, operations, messages, what the critical path is made of, and what became of a network that is shared."""
    counts = ", ".join(f"{count} {operation}" for operation, count in run.operations.items() if count)
    return [
        f"in all {run.ticks} ticks of {run.machine.tick_ns:g} ns = {run.machine.as_us(run.ticks)}; "
        f"processors compute {100 * run.utilisation:.1f} % of that",
        f"operations: {counts}; {run.messages} messages, {run.words} words",
        *path_lines(run),
        *(
            f"{name}: {bus.messages} messages, {bus.words} words, busy {100 * bus.share:.1f} % of the time"
            for name, bus in run.buses.items()
        ),
        *energy_lines(run),
        *use_lines(run, location),
    ]


def energy_lines(run: Run[Any]) -> list[str]:
    """What the run cost in energy, by what was paid for; nothing where the machine does not say."""
    energy = run.energy
    if energy is None:
        return []
    parts = ", ".join(f"{part} {float(pj) / 1000:.4g}" for part, pj in energy.parts.items() if pj)
    return [f"energy: {energy.nanojoules:.4g} nJ" + (f" ({parts})" if parts else "")]


def energy_parts(run: Run[Any]) -> dict[str, float] | None:
    """The same for programs, in picojoules; None where the machine does not say."""
    energy = run.energy
    if energy is None:
        return None
    return {"total": energy.picojoules, **{part: float(pj) for part, pj in energy.parts.items()}}


def path_lines(run: Run[Any]) -> list[str]:
    """What the critical path is made of; nothing of a run without a trace."""
    if not run.traced:
        return []
    path = run.critical_path
    parts = [(path.compute, "arithmetic"), (path.wire, "wire"), (path.wait, "wait")]
    parts += [(path.switch, "switch"), (path.copy, "copy")] if _shared(run) else []
    shares = ", ".join(f"{100 * ticks / max(run.ticks, 1):.1f} % {kind}" for ticks, kind in parts)
    return [f"critical path: {shares}"]


def path_ticks(run: Run[Any]) -> dict[str, int] | None:
    """The same for programs; None of a run without a trace."""
    if not run.traced:
        return None
    path = run.critical_path
    parts = {"compute": path.compute, "wire": path.wire, "wait": path.wait}
    return {**parts, "switch": path.switch, "copy": path.copy} if _shared(run) else parts


def _shared(run: Run[Any]) -> bool:
    """Whether any processor is shared, and may change from one program to another."""
    return any(isinstance(core, SharedCore) for core in run.cores)
