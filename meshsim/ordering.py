"""The order-free comparison: the same work on the same processors, in the best order that is found.

How quick a plan is depends on what it computes where, and on the order in which its programs were written. Here the
order is made anew for a machine by list scheduling (`scheduling.py`), from the plan's dataflow, and set beside what no
order can beat (`bounds.py`). What comes out is a plan like any other; it computes the same bits.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from typing import Any, Generic, TypeVar

from meshsim.bounds import Bound, Timing, bound, check_own_network
from meshsim.counted import Kernel
from meshsim.dataflow import Dataflow, Job, Place, dataflow
from meshsim.machine import Machine
from meshsim.outcome import Run
from meshsim.payload import mapped
from meshsim.plan import Plan
from meshsim.program import Cpu, Program, Steps
from meshsim.scheduling import Schedule, Step, by_largest, problem_of, schedules

T = TypeVar("T")

WRITTEN = "written"
SCHEDULED = "scheduled"


@dataclass(frozen=True)
class Ordered(Generic[T]):
    """The best order that was found.

    Attributes
    ----------
    plan : Plan
        The programs, in that order.
    ticks : int
        What it takes on the engine.
    won : str
        Whose it is: `WRITTEN`, `SCHEDULED`, or the name of another plan that was given.
    written : int
        What the written plan takes.
    bound : Bound
        What no order of the written plan's jobs can beat.
    """

    plan: Plan[T]
    ticks: int
    won: str
    written: int
    bound: Bound


def best_order(
    plan: Plan[T], machine: Machine, others: Mapping[str, Plan[T]] | None = None, flow: Dataflow[T] | None = None
) -> Ordered[T]:
    """The best order of a plan's jobs that is found for a machine.

    Parameters
    ----------
    plan : Plan
        One evaluation, or one solution, whose arithmetic is all done by kernels, on its own network. What is found for
        that can be placed on another.
    machine : Machine
        What jobs cost.
    others : mapping of str to Plan, optional
        Other written orders of the same work, by name: they are taken as they are, where they are quicker.
    flow : Dataflow, optional
        The plan's, where it is at hand: it is the same for all machines.
    """
    check_own_network(plan)
    flow = flow or dataflow(plan)
    run = plan.run(machine)
    new = kept_to(flow, _scheduled(flow, run))
    plans = {WRITTEN: plan, **(others or {}), SCHEDULED: new}
    ticks = {name: run.ticks if each is plan else each.run(machine, trace=False).ticks for name, each in plans.items()}
    won = min(ticks, key=ticks.__getitem__)
    return Ordered(plans[won], ticks[won], won, run.ticks, bound(flow, machine))


def _scheduled(flow: Dataflow[Any], run: Run[Any]) -> Schedule:
    """The best schedule that is found for the machine of a run.

    Jobs come first that have a long path behind them; or a longer one than before them; or that were begun first in the
    run.
    """
    times = Timing(flow, run.machine)
    behind = [sum(parts) for parts in zip(times.leads, times.lengths, times.tails, strict=True)]
    between = [tail - end for tail, end in zip(behind, times.ends, strict=True)]
    written = [-start for start in written_starts(flow, run)]
    firsts = [by_largest(values) for values in (behind, between, written)]
    return min(schedules(problem_of(times), firsts), key=lambda schedule: schedule.ticks)


def written_starts(flow: Dataflow[Any], run: Run[Any]) -> list[int]:
    """When each job began in a run of the plan, as written."""
    starts = [0] * len(flow.jobs)
    for process, done in zip(run.trace.processors, flow.written, strict=True):
        calls = [job for job in done if flow.jobs[job].kernel is not None]
        spans = [start for start, _, what in process.spans if isinstance(what, Kernel)]
        for call, start in zip(calls, spans, strict=True):
            starts[call] = start
    numbers: dict[int, count[int]] = defaultdict(count)
    for number, job in enumerate(flow.jobs):
        if job.kernel is None:
            channel = run.channels[job.channel]
            starts[number] = run.trace.message(channel, next(numbers[job.channel])).depart
    return starts


# Programs as data


def kept_to(flow: Dataflow[T], schedule: Schedule) -> Plan[T]:
    """A plan whose programs keep to the order of a schedule."""
    ranks = {node: rank for rank, node in enumerate(flow.nodes)}
    programs: dict[Any, Program] = {}
    for node in flow.plan.programs:
        steps = _with_marks(flow, ranks[node], schedule.steps[ranks[node]])
        programs[node] = partial(_keep, flow=flow, rank=ranks[node], steps=steps, result=flow.results[node])
    return replace(flow.plan, programs=programs)


def _with_marks(flow: Dataflow[Any], rank: int, steps: Sequence[Step]) -> list[Step | str]:
    """The steps, and the names of phases: each behind all that came before its mark in the written program."""
    turn = {job: number for number, step in enumerate(steps, start=1) for job in step}
    marks: dict[int, list[str]] = defaultdict(list)
    latest = [0]
    for job in flow.written[rank]:
        latest.append(max(latest[-1], turn[job]))
    for name, before in flow.marks[rank]:
        marks[latest[before]].append(name)
    marked: list[Step | str] = [*marks[0]]
    for number, step in enumerate(steps, start=1):
        marked += [step, *marks[number]]
    return marked


def _keep(cpu: Cpu, flow: Dataflow[Any], rank: int, steps: Sequence[Step | str], result: Any) -> Steps[Any]:
    """A program that takes given steps; it keeps what each job makes or brings."""
    store: dict[int, Any] = {}
    for step in steps:
        if isinstance(step, str):
            cpu.phase(step)
            continue
        jobs = [flow.jobs[number] for number in step]
        kernel = jobs[0].kernel
        if kernel is not None:
            store[step[0]] = cpu.do(kernel, *_filled(jobs[0].takes, store))
            continue
        got = yield cpu.par(*(_operation(cpu, flow, rank, job, store) for job in jobs))
        for number, job, value in zip(step, jobs, got, strict=True):
            if job.home == rank:
                store[number] = value
    return _filled(result, store)


def _operation(cpu: Cpu, flow: Dataflow[Any], rank: int, job: Job, store: Mapping[int, Any]) -> Any:
    way = flow.ways[job.channel]
    return cpu.send(way.out, _filled(job.takes, store)[0]) if job.start == rank else cpu.recv(way.into)


def _filled(what: Any, store: Mapping[int, Any]) -> Any:
    """The numbers in their places."""
    return mapped(what, Place, lambda place: place.find(store))
