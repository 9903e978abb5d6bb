"""Lee and Chang's generalised cube with its stages: passes, and what messages that meet in the switch cost."""

from functools import cache
from typing import Any

from meshsim.algorithms.collectives.recursive_doubling import CUBE
from meshsim.algorithms.robots.catalogue import chain
from meshsim.algorithms.robots.state import default_state
from meshsim.algorithms.schemes.catalogue import load_scheme
from meshsim.experiments.exhibits.base.exhibit import Appendix, Computed, Exhibit, Line
from meshsim.experiments.studies.baseline import choices, planned
from meshsim.experiments.studies.doubling_alone import EACH_MESSAGE, doubling
from meshsim.experiments.studies.switches import ORDERS, last_first, switched
from meshsim.network import Network
from meshsim.plan import Plan
from meshsim.presets import PRESETS
from meshsim.topologies.named import load_network

SIZES = (4, 6, 8, 12, 16, 24)
NUMBERED = SIZES[:-1]
"""Sizes for which other choices are tried."""
LOGARITHMS = [(n - 1).bit_length() for n in SIZES]
STAGES = Line("stages that a message passes", LOGARITHMS)
PASSES = Line("passes one after the other in a doubling", LOGARITHMS)
MACHINES = ("t800", "t800-overlap", "t800-posted")
FAMILIES = ("crossbar", "multistage-cube")
SEEDS = range(1, 6)
T800 = PRESETS["t800"]


@cache
def switch(n: int) -> Network:
    """The generalised cube for so many processors, with its stages."""
    return load_network(f"multistage-cube:{1 << (n - 1).bit_length()}")


def passes(n: int) -> int:
    """How many messages follow one another in a doubling through the switch."""
    plan = doubling(CUBE, n)
    places = zip(plan.topology, switch(n).processors, strict=False)
    return plan.placed(switch(n), dict(places)).run(EACH_MESSAGE, trace=False).ticks


def compute() -> Computed:
    """From the routes of the switch, and from runs with a tick a message."""
    return {
        STAGES.label: [switch(n).distance(0, n - 1) - 1 for n in SIZES],
        PASSES.label: [passes(n) for n in SIZES],
    }


@cache
def plan_of(scheme: str, n: int) -> Plan[Any]:
    """A step on a random chain."""
    robot = chain(n, 1)
    return load_scheme(scheme).plan(robot, default_state(robot))


@cache
def mesh_us(n: int, machine: str) -> float:
    """A step on the thesis's mesh, with its quickest options."""
    robot, scheme = chain(n, 1), load_scheme("wong-mesh")
    plans = planned(scheme, robot, default_state(robot), choices(scheme, {}))
    return PRESETS[machine].microseconds(min(plan.run(PRESETS[machine], trace=False).ticks for _, _, plan in plans))


def told(machine: str, scheme: str, family: str, hop: int) -> list[list[str]]:
    """A step of a scheme behind switches: times, conflicts, and how long messages waited."""
    us = PRESETS[machine].microseconds
    found = [switched(plan_of(scheme, n), PRESETS[machine], family, hop) for n in SIZES]
    head = [machine, scheme, family, "a word" if hop else "free"]
    return [
        [*head, "us", *(f"{us(each.ticks):.1f}" for each in found)],
        [*head, "conflicts", *(str(each.conflicts) for each in found)],
        [*head, "waited, us", *(f"{us(each.waited):.1f}" for each in found)],
    ]


def own_us(machine: str, scheme: str) -> list[str]:
    """A step of a scheme on its own network."""
    runs = [plan_of(scheme, n).run(PRESETS[machine], trace=False) for n in SIZES]
    return [f"{PRESETS[machine].microseconds(run.ticks):.1f}" for run in runs]


def appendix() -> Appendix:
    """A whole step: own links, switches, and the mesh."""
    rows = []
    for machine in MACHINES:
        rows.append([machine, "lee-chang", "a link for every two", "", "us", *own_us(machine, "lee-chang")])
        for family in FAMILIES:
            for hop in (0, PRESETS[machine].links.per_word):
                rows += told(machine, "lee-chang", family, hop)
        rows.append([machine, "hwang", "hypercube", "", "us", *own_us(machine, "hwang")])
        rows += told(machine, "hwang", "multistage-cube", 0)
        mesh = [f"{mesh_us(n, machine):.1f}" for n in SIZES]
        rows.append([machine, "wong-mesh", "cone, quickest options", "", "us", *mesh])
    return Appendix(
        "A step behind switches",
        ["machine", "scheme", "network", "hop", "what", *(f"n = {n}" for n in SIZES)],
        rows,
    )


def choice(
    hop: int = 0, family: str = "multistage-cube", order: str | int = ORDERS[0], last: bool = False
) -> list[str]:
    """Times of a step on `t800`, with their conflicts; `last`: ties go to the last in node order."""
    cells = []
    for n in NUMBERED:
        plan = plan_of("lee-chang", n)
        found = switched(last_first(plan) if last else plan, T800, family, hop, order)
        cells.append(f"{T800.microseconds(found.ticks):.1f} ({found.conflicts})")
    return cells


def readings() -> Appendix:
    """What the times rest on: each choice of ours, and others."""
    rows = []
    for hop, label in ((0, "free"), (T800.links.per_word, "a word")):
        rows += [[f"terminals {order}", label, *choice(hop, order=order)] for order in ORDERS]
        rows += [[f"terminals shuffled, seed {seed}", label, *choice(hop, order=seed)] for seed in SEEDS]
        rows.append(["ties to the last in node order", label, *choice(hop, last=True)])
        rows.append(["omega", label, *choice(hop, "omega")])
    heads = [f"n = {n}" for n in NUMBERED]
    return Appendix("Other choices than ours: a step on t800, us (conflicts)", ["choice", "hop", *heads], rows)


EXHIBIT = Exhibit(
    "wong-sec-4.7.1",
    "Recursive doubling through the stages of a generalised cube",
    [f"n = {n}" for n in SIZES],
    [STAGES, PASSES],
    compute,
    "The multistage cube of the next power of two, one processor at each terminal. A pass takes as long as a link "
    "unless a hop costs something, so that passes are counted with a tick a message. In the tables a switch stands in "
    "place of the links of each of the two cubes, and the solver keeps its links; a hop is what each element of the "
    "switch adds. A crossbar has a port for each processor and no conflicts inside.",
    appendix=appendix,
    readings=readings,
)
