"""What is to be said of compared robots: a table, and with loops from which start-up on one processor is faster."""

import math
from collections.abc import Mapping, Sequence

from meshsim.algorithms.motion.motion import Motion
from meshsim.algorithms.motion.pace import moving
from meshsim.algorithms.robots.catalogue import load_robot
from meshsim.algorithms.schemes.catalogue import load_scheme
from meshsim.errors import MeshSimError
from meshsim.experiments.store.journal import Row
from meshsim.experiments.studies.baseline import subject
from meshsim.experiments.studies.compare import Comparison, Point
from meshsim.experiments.studies.explain import SCANNED, flips
from meshsim.experiments.studies.realtime import SHORT, STILL
from meshsim.machine import Machine
from meshsim.recording import Recording, record


def recorded(comparison: Comparison, robot: str) -> dict[str, dict[str, tuple[Point, Recording]]]:
    """The schemes for a robot with loops that have several layouts: by scheme and technique, each case recorded."""
    found: dict[str, dict[str, tuple[Point, Recording]]] = {}
    mechanism, state = subject(robot)
    for point in comparison.points():
        options = dict(point.options)
        if point.robot != robot or point.machine != comparison.machines[0] or "layout" not in options:
            continue
        try:
            plan = load_scheme(point.scheme).plan(mechanism, state, **options)
        except MeshSimError:
            continue  # which the comparison says
        family = ", ".join(filter(None, (point.scheme, options.get("technique"))))
        found.setdefault(family, {})[point.label] = point, record(plan)[0]
    return {family: cases for family, cases in found.items() if len(cases) > 1}


def link_costs(comparison: Comparison) -> list[str]:
    """For every scheme and machine whose words take time, from which start-up of a message on another way wins."""
    lines = []
    timed = [machine for machine in comparison.machines if machine.links.discipline != "free"]
    for robot in comparison.robots:
        if not load_robot(robot).cuts:
            continue
        for family, cases in recorded(comparison, robot).items():
            (_, alone), *several = ((label, recording) for label, (_, recording) in cases.items())
            for machine in timed:
                lines.append(f"{robot} on {machine.name}: {_verdict(dict(several), alone, machine)}")
            steps = in_steps(robot, next(iter(cases.values()))[0]) if timed else {}
            for machine in timed if steps else ():
                lines.append(f"{robot} on {machine.name}, {family} in steps on the star: {_of_steps(steps, machine)}")
    return lines


def in_steps(robot: str, point: Point) -> dict[str, Recording]:
    """Some fourth-order steps of a scheme, recorded: on one processor, and on a star by distribution; or nothing.

    Nothing where no distribution holds states, or the robot has no star. Times do not depend on numbers, so that it
    hardly moves.
    """
    scheme, (mechanism, state) = load_scheme(point.scheme), subject(robot)
    ways = scheme.options.get("distribution", ())
    if not isinstance(ways, tuple) or "held" not in ways:
        return {}
    chosen = dict(point.options)
    options = {"one": {"layout": "one"}, **{how: {"layout": "star", "distribution": how} for how in ways}}
    motion = Motion(mechanism, state, STILL, SHORT)
    try:
        return {
            how: record(moving(scheme.evaluation(mechanism, **{**chosen, **more}), motion))[0]
            for how, more in options.items()
        }
    except MeshSimError:
        return {}


def _of_steps(steps: Mapping[str, Recording], machine: Machine) -> str:
    """Up to which start-up several processors are worth it, by distribution, and from which on holding states is."""
    ahead = {how: _limit(recording, steps["one"], machine) for how, recording in steps.items() if how != "one"}
    limits = ", ".join(f"{'never' if each < 0 else _us(each, machine)} ({how})" for how, each in ahead.items())
    text = f"several processors are no slower than one up to a start-up of {limits}"
    for how in ("full", "partly"):
        pays = _limit(steps[how], steps["held"], machine)
        if pays < 0:
            text += f"; held is faster than {how} whatever a start-up costs"
        else:
            text += f"; held is faster than {how} once it costs more than {_us(pays, machine)}"
    return text


def _verdict(several: Mapping[str, Recording], alone: Recording, machine: Machine) -> str:
    """Which variant stays ahead of one processor up to the largest start-up, and from where on repeating work pays."""
    limits = {label: _limit(recording, alone, machine) for label, recording in several.items()}
    best = max(limits, key=lambda label: limits[label])
    now = f"now {machine.microseconds(machine.links.startup):g} us"
    if limits[best] < 0:
        text = f"{best}: one processor is faster whatever a start-up costs"
    else:
        text = f"{best}: one processor is faster once a start-up costs more than {_us(limits[best], machine)} ({now})"
    full, partly = (
        next((label for label in several if label.endswith(f"star, {how}")), None) for how in ("full", "partly")
    )
    if full is not None and partly is not None:
        limit = _limit(several[partly], several[full], machine)
        if math.isfinite(limit):
            text += f"; on the star, repeating work (full) is faster than sharing it from {_us(limit, machine)} on"
        else:
            text += "; on the star, sharing work (partly) is faster whatever a start-up costs"
    return text


def _us(ticks: float, machine: Machine) -> str:
    if not math.isfinite(ticks):
        return f"{machine.microseconds(SCANNED[-1]):g} us, the most that was tried,"
    return f"{machine.microseconds(max(int(ticks), 0)):g} us"


def _limit(several: Recording, alone: Recording, machine: Machine) -> float:
    """The largest start-up, in ticks, with which several processors are no slower than one; -1 if there is none."""
    first, places = flips(several, alone, machine, "startup")
    if not first:
        return -1.0
    return places[0] - 1 if places else math.inf


def as_text(rows: Sequence[Row], comparison: Comparison) -> str:
    """The table that people read: a line for each case, its times by machine."""
    machines = [machine.name for machine in comparison.machines]
    aimed = comparison.goal is not None
    lines = []
    for robot in comparison.robots:
        goal = f": joints within {comparison.goal:g} after {comparison.duration:g} s" if aimed else ""
        columns = [("cpus", 6), ("words", 7), *((f"{name} us", 18) for name in machines)]
        columns += [("evaluations", 13), ("loops (m)", 11), ("to goal ms", 12)] if aimed else []
        mine = [row for row in rows if row["robot"] == robot]
        first = max([36, *(len(label_of(row)) + 1 for row in mine)])
        lines += ["", f"{robot}{goal}"]
        lines.append(f"{'scheme':<{first}}" + "".join(f"{name:>{width}}" for name, width in columns))
        for label in dict.fromkeys(map(label_of, mine)):
            same = {row["machine"]: row for row in mine if label_of(row) == label}
            row = next(iter(same.values()))
            values = [str(row[name]) for name in ("processors", "words")]
            values += [f"{same[name]['time_us']:.1f}" if name in same else "-" for name in machines]
            values += _accuracy(row, same.get(machines[-1])) if aimed else []
            cells = (f"{value:>{width}}" for value, (_, width) in zip(values, columns, strict=True))
            lines.append(f"{label:<{first}}" + "".join(cells))
        if not mine:
            lines.append("no scheme")
    if aimed:
        lines.append(f"(to goal: on {machines[-1]}; not: none of the settings tried reached it; -: it does not move)")
    return "\n".join(lines[1:])


def _accuracy(row: Row, on_last: Row | None) -> list[str]:
    if row.get("evaluations") is None or on_last is None:
        return ["-", "-", "-"]
    ms = on_last["time_to_goal_ms"]
    return [str(row["evaluations"]), f"{row['constraint_error']:.1e}", "not" if ms is None else f"{ms:.1f}"]


def label_of(row: Row) -> str:
    """The scheme of a row and what was asked of it; what was the quickest may differ from machine to machine."""
    return str(row["label"])
