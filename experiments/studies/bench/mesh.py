"""Steps of forward dynamics on the triangular mesh, and on networks that are not its own."""

from collections.abc import Callable
from functools import partial
from typing import Any

from meshsim.algorithms.robots.catalogue import chain
from meshsim.algorithms.robots.state import default_state
from meshsim.algorithms.schemes.mesh.wong_mesh import WONG_MESH
from meshsim.experiments.studies.bench.measuring import Repeats, timed
from meshsim.network import Network
from meshsim.plan import Plan
from meshsim.presets import PRESETS
from meshsim.topologies.mesh import square_mesh
from meshsim.topologies.omega import omega

MACHINE = PRESETS["t800-overlap"]


def mesh_plan(n: int) -> Plan[Any]:
    """A step of a random chain."""
    robot = chain(n, 10000 + n)
    return WONG_MESH.plan(robot, default_state(robot))


def mesh(n: int) -> Repeats:
    """Of a chain of so many joints."""
    plan = mesh_plan(n)
    messages = plan.run(MACHINE, trace=False).messages
    ways: dict[str, Callable[[], Any]] = {
        "untraced": partial(plan.run, MACHINE, trace=False),
        "traced": partial(plan.run, MACHINE, trace=True),
    }
    while True:
        seconds = timed(ways)
        yield {
            f"mesh.{n}.messages": messages,
            f"mesh.{n}.seconds": seconds["untraced"],
            f"mesh.{n}.messages_per_s": messages / seconds["untraced"],
            f"mesh.{n}.traced_slowdown": seconds["traced"] / seconds["untraced"],
        }


def placed(n: int = 12) -> Repeats:
    """Of a chain of so many joints, on several networks."""
    plan, machine = mesh_plan(n), PRESETS["t800"]
    ways: dict[str, Callable[[], Any]] = {"own": partial(plan.run, machine, trace=False)}
    links = {"own": 1.0}  # that a message crosses, in the mean
    for graph in (square_mesh(1, 1), square_mesh(2, 2), square_mesh(4, 4), omega(16)):
        network = Network(graph)
        for placement in ("blocks", "auto"):
            there = plan.placed(network, placement, machine)
            way = f"{network.name.replace(' ', '')}.{placement}"
            ways[way] = partial(there.run, machine, trace=False)
            run = there.run(machine, trace=False)
            links[way] = sum(load.messages for load in run.loads) / run.messages
    while True:
        seconds = timed(ways)
        figures: dict[str, float] = {}
        for way in ways:
            figures[f"placed.{way}.links_a_message"] = links[way]
            figures[f"placed.{way}.ratio"] = seconds[way] / seconds["own"]
        yield figures
