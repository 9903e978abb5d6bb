"""Motion: an evaluation repeated in time on its machine, with the integration where the states live.

Each home integrates its own joints: torques, dynamics, then a Runge-Kutta stage; the positions go to the processors
that need them for the next evaluation, and after each step to the host. Nothing waits for a step to end elsewhere, so
that consecutive evaluations and steps overlap as far as the data allow.                            # Wong Table 5.1
With loops, each site integrates its own state (`sites.py`).
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import networkx as nx
import numpy as np

from meshsim.algorithms.kernels.actuator import Drive, Grip, actuate, first_grip, grip_anew, resist
from meshsim.algorithms.kernels.core import subtract_product
from meshsim.algorithms.motion.integration import HALVES, step_on
from meshsim.algorithms.motion.motion import DivergedError, Motion, Moved, Sample, Watch
from meshsim.algorithms.schemes.base.bodies import LocalBody, bodies_of
from meshsim.algorithms.schemes.base.effort import regulated
from meshsim.algorithms.schemes.base.evaluation import Cell, CellEvaluation, Feed, Gathering
from meshsim.errors import MeshSimError
from meshsim.outcome import Run
from meshsim.plan import Plan
from meshsim.program import Cpu, Steps
from meshsim.topologies.ports import add_link

CONTROL = "control"
"""The processor that makes the commands where the host only passes numbers on, and the port to it."""
STEP = "step "
"""Prefix of the marks that processors set at the end of each step of a motion; the step's number follows."""


def laps_of(run: Run[Any]) -> dict[Hashable, list[int]]:
    """When each processor of a motion had ended each step, in ticks."""
    laps = {node: [tick for name, tick in marks.items() if name.startswith(STEP)] for node, marks in run.marks.items()}
    return {node: ticks for node, ticks in laps.items() if ticks}


Stage = Callable[[int, int, list[float]], Steps[list[float]]]
"""Given the step, the stage and a state: how fast the state changes."""


def one_step(cpu: Cpu, motion: Motion, step: int, y: Sequence[float], stage: Stage) -> Steps[list[float]]:
    """A fixed step of one processor's state, each stage of which is its part of an evaluation."""
    stepping = step_on(cpu, motion.rule, y)
    trial = next(stepping)
    for number in range(len(HALVES[motion.order])):
        rates = yield from stage(step, number, trial)
        try:
            trial = stepping.send(rates)
        except StopIteration as end:
            trial = end.value
    return trial


# Programs


@dataclass(frozen=True)
class _Place:
    """What a processor of a motion holds: its cell and bodies, and for a home the ports that positions go to."""

    node: Hashable
    cell: Cell
    local_bodies: Sequence[LocalBody]
    motion: Motion
    freedoms: tuple[tuple[int, int], ...] = ()  # of the joints that live here: place in the links, number of the joint
    outs: tuple[str, ...] = ()
    into: str = ""
    gathering: Gathering | None = None
    accelerations: Callable[[Any], Sequence[float]] = list
    watch: Watch | None = None


def live(cpu: Cpu, place: _Place) -> Steps[list[list[Sample]]]:
    """A home: torques, evaluation, integration, step after step.

    outs <- positions, before each evaluation but the first;  the gathering's ports, after each step.
    """
    motion, size = place.motion, 4 if place.motion.actuators else 2
    y = [value for _, joint in place.freedoms for value in _begin(motion, joint)]
    commands: Sequence[float] = [0.0] * len(place.freedoms)
    grips = _first_grips(cpu, place)
    gathering, memory = place.gathering, None
    samples: list[list[Sample]] = []

    def stage(step: int, number: int, trial: list[float]) -> Steps[list[float]]:
        if number:
            _check(place, step, trial, size)
        if step or number:
            positions = tuple(trial[::size])
            for port in place.outs:  # Wong Table 5.1, task 7
                yield cpu.send(port, positions)
        time = motion.time(step, HALVES[motion.order][number])
        local_bodies, taus, flows = _driven(cpu, place, trial, size, time, commands, grips)
        result = yield from place.cell.program(cpu, *local_bodies)
        qdd = place.accelerations(result)
        if number == 0:
            samples.append(_sampled(place, step, trial, size, qdd, taus, commands))
        rates: list[float] = []
        for i, acceleration in enumerate(qdd):
            rates += [trial[i * size + 1], acceleration, *flows[i]]
        return rates

    for step in range(motion.steps):
        y = _limited(place, (yield from one_step(cpu, motion, step, y, stage)), size)
        _check(place, step, y, size)
        grips = [
            grip_anew(cpu, motion.dry_friction[joint], grips[i], y[i * size])
            for i, (_, joint) in enumerate(place.freedoms)
            if grips
        ]
        if gathering is not None:  # Wong Table 5.1, tasks 8 and 9
            positions = yield from gathering.gather(cpu, place.node, tuple(y[::size]))
            if motion.control is not None:
                made: tuple[float, ...] = ()
                if place.node == gathering.host:
                    memory, made = motion.control.command(cpu, memory, positions)
                commands = yield from gathering.scatter(cpu, place.node, made)
        cpu.phase(f"{STEP}{step}")
    samples.append(_sampled(place, motion.steps, y, size, (), (), commands))
    return samples


def follow(cpu: Cpu, place: _Place) -> Steps[None]:
    """A processor that needs positions, and others that need none. into -> positions."""
    motion = place.motion
    local_bodies = place.local_bodies
    for step in range(motion.steps):
        for stage in range(motion.order):
            if place.into and (step or stage):
                positions = yield cpu.recv(place.into)
                local_bodies = [replace(local, q=q) for local, q in zip(local_bodies, positions, strict=True)]
            yield from place.cell.program(cpu, *local_bodies)
        cpu.phase(f"{STEP}{step}")


def relay(cpu: Cpu, place: _Place) -> Steps[None]:
    """A host that is no home: its part of each evaluation; then it takes positions in, and commands from the control.

    control <- positions;  control -> commands.
    """
    motion, gathering = place.motion, place.gathering
    assert gathering is not None
    for step in range(motion.steps):
        for _ in range(motion.order):
            yield from place.cell.program(cpu, *place.local_bodies)
        positions = yield from gathering.gather(cpu, place.node, ())
        if motion.control is not None:
            yield cpu.send(CONTROL, positions)
            yield from gathering.scatter(cpu, place.node, (yield cpu.recv(CONTROL)))
        cpu.phase(f"{STEP}{step}")


def control(cpu: Cpu, motion: Motion) -> Steps[None]:
    """The control processor. host -> positions;  host <- commands."""
    assert motion.control is not None
    memory = None
    for step in range(motion.steps):
        positions = yield cpu.recv("host")
        memory, commands = motion.control.command(cpu, memory, positions)
        yield cpu.send("host", commands)
        cpu.phase(f"{STEP}{step}")


def _begin(motion: Motion, joint: int) -> tuple[float, ...]:
    pressures = (motion.actuators[joint].drain,) * 2 if motion.actuators else ()
    return motion.state.q[joint], motion.state.qd[joint], *pressures


def _first_grips(cpu: Cpu, place: _Place) -> list[Grip]:
    dry, state = place.motion.dry_friction, place.motion.state
    return [first_grip(cpu, dry[joint], state.q[joint], state.qd[joint]) for _, joint in place.freedoms] if dry else []


def _driven(
    cpu: Cpu,
    place: _Place,
    y: Sequence[float],
    size: int,
    time: float,
    commands: Sequence[float],
    grips: Sequence[Grip],
) -> tuple[list[LocalBody], list[float], list[tuple[float, ...]]]:
    """The links with the state y and the torques of that time, these torques, and how fast the pressures change."""
    motion = place.motion
    local_bodies, taus, flows = list(place.local_bodies), [], []
    for i, (at, joint) in enumerate(place.freedoms):
        q, qd, *pressures = y[i * size : (i + 1) * size]
        flow: tuple[float, ...] = ()
        if motion.actuators:
            tau, *rest = actuate(cpu, Drive(motion.actuators[joint], commands[i], *pressures), qd)
            flow = tuple(rest)
        else:
            (tau,) = regulated(cpu, (motion.effort(joint, time, q, qd),), (q,), (qd,))
        if motion.friction:
            tau = cpu.do(subtract_product, tau, motion.friction[joint], qd)
        if grips:
            tau = resist(cpu, motion.dry_friction[joint], grips[i], tau, q, qd)
        local_bodies[at] = replace(local_bodies[at], q=q, qd=qd, tau=tau)
        taus.append(tau)
        flows.append(flow)
    return local_bodies, taus, flows


def _limited(place: _Place, y: list[float], size: int) -> list[float]:
    """The state with pressures between those of the drain and the supply."""  # Wong sec. 5.4.2
    if place.motion.actuators:
        for i, (_, joint) in enumerate(place.freedoms):
            actuator = place.motion.actuators[joint]
            for at in (i * size + 2, i * size + 3):
                y[at] = min(max(y[at], actuator.drain), actuator.supply)
    return y


def _sampled(
    place: _Place,
    step: int,
    y: Sequence[float],
    size: int,
    qdd: Sequence[float],
    taus: Sequence[float],
    commands: Sequence[float],
) -> list[Sample]:
    samples = []
    for i, (_, joint) in enumerate(place.freedoms):
        q, qd, *pressures = y[i * size : (i + 1) * size]
        sample = Sample(place.motion.time(step), q, qd, qdd[i] if qdd else None, taus[i] if taus else None)
        if pressures:
            sample = replace(sample, pressures=(pressures[0], pressures[1]), command=commands[i])
        samples.append(sample)
        if place.watch is not None:
            place.watch(step, joint, sample)
    return samples


def _check(place: _Place, step: int, y: Sequence[float], size: int) -> None:
    """Refuse to go on with numbers that are not finite, or so large that no digit of their sine is left."""
    for i, (_, joint) in enumerate(place.freedoms):
        if not all(abs(value) < 1e12 for value in y[i * size : i * size + 2]):  # which NaN is not either
            motion = place.motion
            raise DivergedError(
                f"the motion diverged: joint {motion.mechanism.joints[joint]!r} is nowhere by "
                f"t = {motion.time(step + 1):g} s; a smaller step than {motion.h:g} s may help"
            )


# Plans


def moving_cells(evaluation: CellEvaluation, motion: Motion, watch: Watch | None = None) -> Plan[Moved]:
    """The plan of a tree's motion."""
    gathering = evaluation.gathering
    if motion.control is not None and gathering is None:
        raise MeshSimError("a scheme must have a host to bring commands to the joints, not branches without links")
    local_bodies = bodies_of(motion.mechanism, motion.state)
    number = {joint: i for i, joint in enumerate(motion.mechanism.freedoms)}
    topology = _linked(evaluation.topology, evaluation.feeds)
    outs: dict[Hashable, list[str]] = {home: [] for home in evaluation.homes}
    into = {feed.target: feed.into for feed in evaluation.feeds}
    for feed in evaluation.feeds:
        outs[feed.home].append(feed.out)
    programs: dict[Hashable, Callable[[Cpu], Steps[Any]]] = {}
    for node, cell in evaluation.cells.items():
        place = _Place(node, cell, [local_bodies[joint] for joint in cell.joints], motion)
        if node in outs:
            freedoms = tuple((at, number[joint]) for at, joint in enumerate(cell.joints) if joint in number)
            place = replace(place, freedoms=freedoms, outs=tuple(outs[node]), gathering=gathering, watch=watch)
            programs[node] = partial(live, place=replace(place, accelerations=evaluation.accelerations))
        elif gathering is not None and node == gathering.host:
            programs[node] = partial(relay, place=replace(place, gathering=gathering))
        else:
            programs[node] = partial(follow, place=replace(place, into=into.get(node, "")))
    if motion.control is not None and gathering is not None and gathering.host not in outs:
        _add_control(topology, gathering.host)
        programs[CONTROL] = partial(control, motion=motion)
    homes = {node: [number[joint] for joint in evaluation.cells[node].joints if joint in number] for node in outs}
    return Plan(topology, programs, partial(_read, motion, homes))


def _linked(topology: nx.MultiGraph, feeds: Sequence[Feed]) -> nx.MultiGraph:
    """A copy of the topology with links for those feeds that have none."""
    topology = topology.copy()
    taken = {(node, port) for _, _, ports in topology.edges(data="ports") for node, port in ports.items()}
    for feed in feeds:
        if (feed.home, feed.out) not in taken:
            add_link(topology, feed.home, feed.out, feed.target, feed.into)
    return topology


def _add_control(topology: nx.MultiGraph, host: Hashable) -> None:
    external = topology.nodes[host].get("external", ())
    topology.nodes[host]["external"] = tuple(port for port in external if port != CONTROL)
    add_link(topology, host, CONTROL, CONTROL, "host")


def _read(motion: Motion, homes: Mapping[Hashable, Sequence[int]], results: Mapping[Hashable, Any]) -> Moved:
    n = len(motion.mechanism.joints)
    rows = motion.steps + 1
    q, qd, qdd, tau, commands = (np.full((rows, n), np.nan) for _ in range(5))
    pressures = np.full((rows, n, 2), np.nan)
    for node, joints in homes.items():
        for row, samples in enumerate(results[node]):
            for joint, sample in zip(joints, samples, strict=True):
                q[row, joint], qd[row, joint] = sample.q, sample.qd
                if sample.qdd is not None:
                    qdd[row, joint], tau[row, joint] = sample.qdd, sample.tau
                if sample.pressures is not None:
                    pressures[row, joint], commands[row, joint] = sample.pressures, sample.command
    assert motion.h is not None
    t = np.arange(rows, dtype=np.float64) * motion.h
    if not motion.actuators:
        return Moved(t, q, qd, qdd, tau, evaluations=motion.evaluations)
    return Moved(t, q, qd, qdd, tau, pressures, commands, evaluations=motion.evaluations)
