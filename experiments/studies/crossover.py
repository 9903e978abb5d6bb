"""Who is the fastest for which numbers of joints, by published polynomial and by simulation."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from meshsim.algorithms.robots.catalogue import is_random_chain
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


def fastest_by_simulation(rows: Sequence[Mapping[str, Any]], machine: str, column: str) -> dict[str, list[int]]:
    """Which schemes are the fastest on several processors, for which numbers of joints; of equal ones the first."""
    best: dict[int, tuple[float, str]] = {}
    for row in rows:
        several = row["processors"] > 1 and not row["scheme"].startswith("one-")
        if row["machine"] == machine and several and row[column] is not None:
            best[row["n"]] = min(
                best.get(row["n"], (math.inf, "")), (row[column], row["scheme"]), key=lambda pair: pair[0]
            )
    schemes = dict.fromkeys(row["scheme"] for row in rows)
    won = {name: sorted(n for n, (_, winner) in best.items() if winner == name) for name in schemes}
    return {name: sizes for name, sizes in won.items() if sizes}


def faster_than_one(rows: Sequence[Mapping[str, Any]], machine: str) -> dict[str, list[int]]:
    """For which numbers of joints each parallel scheme takes less than the quickest algorithm on one processor."""
    found: dict[str, list[int]] = {}
    for row in rows:
        if row["machine"] == machine and not row["scheme"].startswith("one-"):
            found.setdefault(row["scheme"], []).extend([row["n"]] if row["time_us"] < row["baseline_us"] else [])
    return {name: sorted(set(sizes)) for name, sizes in found.items()}


def crossovers(rows: Sequence[Mapping[str, Any]], solver: str | None) -> list[str]:
    """What `meshsim compare` prints. The published counts with a solver are for each scheme's own."""
    sizes = sorted({row["n"] for row in rows})
    machines = list(dict.fromkeys(row["machine"] for row in rows))
    parallel = [name for name in dict.fromkeys(row["scheme"] for row in rows) if not name.startswith("one-")]
    if not parallel:
        return []
    lines = [f"the fastest parallel scheme, of n = {ranges(sizes)}:"] if len(parallel) > 1 else []
    for target, (phase, column) in TARGETS.items() if len(parallel) > 1 else ():
        if all(row[column] is None for row in rows):
            continue
        lines.append(f"  {target}:")
        rivals = [name for name in parallel if name in RIVALS]
        if MESH in parallel and rivals and (phase == "inertia" or solver is None):
            mesh = ranges(fastest_by_polynomial(phase, sizes, rivals))
            lines.append(f"    {'published polynomials':<26}{MESH} {mesh}")
        for machine in machines:
            won = fastest_by_simulation(rows, machine, column)
            said = "; ".join(f"{name} {ranges(numbers)}" for name, numbers in won.items())
            lines.append(f"    {'simulated on ' + machine:<26}{said or 'none on several processors'}")
    lines.append("faster than the quickest algorithm on one processor, the whole step:")
    for machine in machines:
        said = "; ".join(f"{name} {ranges(won)}" for name, won in faster_than_one(rows, machine).items())
        alone = dict.fromkeys(row["baseline"] for row in rows if row["machine"] == machine)
        lines.append(f"    {'on ' + machine:<26}{said} (over {', '.join(alone)})")
    return lines


def chosen(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """With which options each scheme was the quickest that had a choice, and for which robots or numbers of joints."""
    cases: dict[tuple[str, str, str], list[Any]] = {}
    for row in rows:
        if row["options"] and row["options"] != row["given"]:
            where = row["n"] if is_random_chain(row["robot"]) else row["robot"]
            places = cases.setdefault((row["label"], row["machine"], row["options"]), [])
            if where not in places:
                places.append(where)
    lines = ["the quickest options:"] if cases else []
    for (label, machine, options), places in cases.items():
        numbers = all(isinstance(place, int) for place in places)
        said = ranges(places) if numbers else ", ".join(dict.fromkeys(map(str, places)))
        lines.append(f"    {label + ' on ' + machine:<25} {options}: {said}")
    return lines


def in_any_order(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Each scheme's time as written, in the best order found, and what no order of the same work beats."""
    some = [row for row in rows if row.get("bound_us") is not None]
    if not some:
        return []
    lines = ["the whole step in any order of the same work, us:"]
    lines.append(f"    {'scheme':<36}{'robot':<16}{'machine':<16}{'bound':>10}{'best found':>12}{'as written':>12}")
    for row in some:
        times = f"{row['bound_us']:>10.1f}{row['best_order_us']:>12.1f}{row['time_us']:>12.1f}"
        lines.append(f"    {row['label']:<36}{row['robot']:<16}{row['machine']:<16}{times}")
    chains = [row for row in some if is_random_chain(row["robot"])]
    for machine in dict.fromkeys(row["machine"] for row in chains):
        won = fastest_by_simulation(chains, machine, "best_order_us")
        said = "; ".join(f"{name} {ranges(numbers)}" for name, numbers in won.items())
        lines.append(f"    the fastest in its best order on {machine}: {said}")
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
