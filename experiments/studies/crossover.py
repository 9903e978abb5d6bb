"""For which numbers of joints the mesh is the fastest, by published polynomial and by simulation."""

from collections.abc import Mapping, Sequence
from typing import Any

from meshsim.algorithms.schemes.base.scheme import Scheme
from meshsim.algorithms.schemes.catalogue import load_scheme

MESH = "wong-mesh"
RIVALS = ("lee-chang", "amin-javaheri", "fijany-bejczy", "hwang")
TARGETS = {"inertia matrix alone": ("inertia", "inertia_us"), "with the solver": ("inertia+solver", "solve_us")}
"""What is timed: the published phase, and the table's column."""


def published_us(scheme: Scheme, phase: str, n: int) -> float | None:
    """A published count priced as in the thesis's section 4.7.5: multiply 1 us, add 0.5 us."""
    count = scheme.published(n, scheme.choose({})).get(phase)
    return None if count is None else count.mul + 0.5 * count.add


def ranges(numbers: Sequence[int]) -> str:
    """Integers in print: 2..5, 7."""
    parts: list[list[int]] = []
    for number in sorted(numbers):
        if parts and parts[-1][1] == number - 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return ", ".join(str(low) if low == high else f"{low}..{high}" for low, high in parts) or "none"


def fastest_by_polynomial(phase: str, sizes: Sequence[int], rivals: Sequence[str] = RIVALS) -> list[int]:
    """Where no published polynomial is below the mesh's."""
    won = []
    for n in sizes:
        times = [published_us(load_scheme(name), phase, n) for name in rivals]
        mesh = published_us(load_scheme(MESH), phase, n)
        assert mesh is not None
        if all(time is None or mesh <= time for time in times):
            won.append(n)
    return won


def fastest_by_simulation(rows: Sequence[Mapping[str, Any]], machine: str, column: str) -> list[int]:
    """Where no other parallel scheme's simulated time is below the mesh's."""
    times = {(row["scheme"], row["n"]): row[column] for row in rows if row["machine"] == machine}
    parallel = {scheme for scheme, _ in times if not scheme.startswith("one-")}
    return [
        n
        for scheme, n in times
        if scheme == MESH and all(times[MESH, n] <= times.get((other, n), float("inf")) for other in parallel)
    ]


def crossovers(rows: Sequence[Mapping[str, Any]], solver: str | None) -> list[str]:
    """What `meshsim compare` prints. The published counts with a solver are for each scheme's own."""
    sizes = sorted({row["n"] for row in rows})
    machines = list(dict.fromkeys(row["machine"] for row in rows))
    rivals = [name for name in dict.fromkeys(row["scheme"] for row in rows) if name in RIVALS]
    if MESH not in {row["scheme"] for row in rows} or not rivals:
        return []
    lines = [f"n for which {MESH} is the fastest parallel scheme, of n = {ranges(sizes)}:"]
    for target, (phase, column) in TARGETS.items():
        lines.append(f"  {target}:")
        if phase == "inertia" or solver is None:
            lines.append(f"    {'published polynomials':<26}{ranges(fastest_by_polynomial(phase, sizes, rivals))}")
        for machine in machines:
            lines.append(f"    {'simulated on ' + machine:<26}{ranges(fastest_by_simulation(rows, machine, column))}")
    return lines


def ratios(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Simulated over published time of the inertia matrix, where communication is free."""
    free = next((row["machine"] for row in rows if row["wire_us"] == 0 and row["processors"] > 1), None)
    times = {(row["scheme"], row["n"]): row["inertia_us"] for row in rows if row["machine"] == free}
    schemes = [
        name for name in dict.fromkeys(name for name, _ in times) if published_us(load_scheme(name), "inertia", 2)
    ]
    if not schemes:
        return []
    lines = [f"inertia matrix on {free}, simulated / published (docs/findings.md says why):"]
    lines.append("  " + "n".rjust(3) + "".join(name.rjust(16) for name in schemes))
    for n in dict.fromkeys(n for _, n in times):
        shares = [times[name, n] / (published_us(load_scheme(name), "inertia", n) or 1.0) for name in schemes]
        lines.append(f"  {n:>3}" + "".join(f"{share:>16.2f}" for share in shares))
    return lines
