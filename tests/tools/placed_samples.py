"""Plans, networks, placements and machines, drawn at random and by a seed, for tests of placed programs."""

from dataclasses import dataclass, replace
from functools import cache
from random import Random

import networkx as nx
from tools.every_plan import every_plan, solver_plan, state_of
from tools.random_robot import random_parts
from tools.schemes import CHAINS

from meshsim.algorithms.robots.catalogue import chain
from meshsim.algorithms.robots.tree import build
from meshsim.algorithms.schemes.takers import takers
from meshsim.algorithms.solvers.catalogue import SOLVERS
from meshsim.errors import MeshSimError
from meshsim.machine import LinkCosts, LocalCosts, Machine
from meshsim.network import Network
from meshsim.placement import place
from meshsim.presets import PRESETS
from meshsim.topologies.named import load_network

T800 = PRESETS["t800"]


def _machine(name, discipline, **links):
    costs = {"startup": 51, "per_word": 23, **links}
    return replace(T800, name=name, links=LinkCosts(discipline, **costs))


ENDS = {"setup": 7, "receive": 3, "setups": "in-turn"}
DISCIPLINES = {
    machine.name: machine
    for machine in (
        PRESETS["ideal"],
        T800,
        PRESETS["t800-overlap"],
        PRESETS["t800-posted"],
        _machine("rendezvous, receive", "rendezvous", receive=3),
        _machine("overlap, setup", "overlap", setup=7, receive=3),
        _machine("overlap, in turn", "overlap", **ENDS),
        _machine("posted, in turn", "posted", **ENDS),
        _machine("overlap, three buffers", "overlap", buffers=3),
        _machine("posted, two buffers", "posted", buffers=2, setup=1),
        _machine("rendezvous, half duplex", "rendezvous", duplex="half"),
        _machine("overlap, half duplex", "overlap", duplex="half"),
        _machine("posted, half duplex", "posted", duplex="half", buffers=2),
        _machine("links at no cost", "rendezvous", startup=0, per_word=0),
        _machine("words of one tick", "overlap", startup=0, per_word=1),
    )
}
"""Machines of every discipline, with every cost that a message can have."""
EVERY = dict(every_plan())


@cache
def every(label):
    """One of the small plans, made once."""
    return EVERY[label](float)


SIZES = {
    "square-mesh": ("2x2", "4x4", "1x5", "3x6", "2x3"),
    "torus": ("4x4", "3x3", "2x5", "2x2"),
    "ring": ("2", "3", "8", "5"),
    "pipeline": ("1", "2", "6"),
    "hypercube": ("0", "1", "2", "4"),
    "incomplete-hypercube": ("5", "11"),
    "binary-tree": ("1", "2", "4"),
    "star": ("1", "5"),
    "complete": ("1", "9", "4"),
    "bus": ("2", "8", "4"),
    "crossbar": ("2", "16", "5"),
    "omega": ("2", "16", "8"),
    "multistage-cube": ("4", "8"),
    "generalised-cube": ("4", "7"),
    "cone": ("2", "6"),
    "open-cone": ("3",),
    "triangular-mesh": ("4",),
    "solver-array": ("3",),
}
PLACEMENTS = ("rows", "columns", "blocks", "snake", "round-robin")


@dataclass(frozen=True)
class Sample:
    """A plan, a network with a placement of the plan, and a machine. `label` tells all of it."""

    label: str
    plan: object
    network: Network
    places: dict
    machine: Machine

    def placed(self):
        return self.plan.placed(self.network, self.places)


def sample(seed):
    """One of them; the same for the same seed."""
    random = Random(seed)
    label, plan = a_plan(random)
    told, network = a_network(random)
    how, places = a_placement(random, plan, network)
    machine = a_machine(random)
    costs = f"switch={machine.switch} {machine.local} {machine.links}"
    return Sample(f"{seed}: {label} on {told} {how}; {costs}", plan, network, places, machine)


def a_plan(random):
    """Of any scheme with any options, on a chain or tree of 1 to 9 joints; a solver; any of the small plans."""
    draw = random.random()
    if draw < 0.25:
        label = random.choice(sorted(EVERY))
        return label, every(label)
    n = random.randint(1, 9)
    if draw < 0.4:
        name = random.choice(sorted(SOLVERS))
        return f"{name} n={n}", solver_plan(SOLVERS[name], n, float)
    robot = chain(n, n)
    schemes = list(CHAINS.values())
    if draw < 0.55:
        robot = build("tree", *random_parts(n, random.randint(1, 9)))
        schemes = takers(robot)
    scheme = random.choice(schemes)
    options = {option: random.choice(values) for option, values in scheme.options.items()}
    try:
        plan = scheme.plan(robot, state_of(robot, float), **options)
    except MeshSimError:  # options that do not go together, or not with this robot
        options = {}
        plan = scheme.plan(robot, state_of(robot, float))
    return f"{scheme.name} {options} n={n} {robot.name}", plan


@cache
def network_of(text):
    return load_network(text)


def a_network(random):
    """By name, with any of its sizes; some with slow links, or with a dead one."""
    text = random.choice([f"{name}:{random.choice(sizes)}" for name, sizes in SIZES.items()])
    network = network_of(text)
    draw = random.random()
    if draw < 0.15:
        switched = any(map(network.is_switch, network.graph))  # its routes need the links' attributes
        graph = network.graph.copy() if switched or random.random() < 0.8 else nx.Graph(network.graph)
        for _, _, data in graph.edges(data=True):
            if "bus" not in data and random.random() < 0.3:
                data |= {
                    cost: random.randint(0, 90) for cost in ("startup", "per_word", "hop") if random.random() < 0.7
                }
        return f"{text} with slow links", Network(graph)
    if draw < 0.3 and len(network.links) > 2:
        link = random.choice(network.links)
        living = Network(network.graph, dead=[tuple(link[:2])])
        if nx.is_connected(living.living) and not any("oneway" in data for *_, data in network.graph.edges(data=True)):
            return f"{text} without {link[:2]}", living
    return text, network


def a_placement(random, plan, network):
    """One of five by name, or at random; on 1 to all processors."""
    count = random.choice([1, len(network.processors), random.randint(1, len(network.processors))])
    how = random.choice([*PLACEMENTS, "random"])
    if how == "random":
        able = random.sample(network.processors, count)
        found = {node: random.choice(able) for node in plan.topology}
    else:
        found = place(plan.topology, plan.programs, network, how, count)
    return f"{how} on {count}", dict(found)


def a_machine(random):
    """Of any discipline, with any way to route."""
    base = random.choice(list(DISCIPLINES.values()))
    switching, routing = random.choice(
        [("store-and-forward", "router"), ("cut-through", "router"), ("store-and-forward", "processor")]
    )
    links = replace(
        base.links,
        switching=switching,
        routing=routing,
        hop=random.choice([0, 0, 1, 13]),
        router_buffers=random.choice([0, 0, 0, 1, 2]),
    )
    local = LocalCosts(random.choice([0, 0, 5]), random.choice([0, 0, 2]))
    return replace(base, links=links, switch=random.choice([0, 0, 10]), local=local)
