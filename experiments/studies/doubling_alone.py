"""Recursive doubling alone, on its own network or placed on another."""  # Wong secs 4.7.1 to 4.7.3

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from meshsim.algorithms.collectives.recursive_doubling import Combine, Doubling
from meshsim.algorithms.schemes.rivals.composite import chain_symmetric
from meshsim.algorithms.schemes.rivals.inertial_frame import chain_rotations, chain_vectors
from meshsim.machine import OPERATIONS, LinkCosts, Machine
from meshsim.outcome import Run
from meshsim.placement import place
from meshsim.plan import Plan
from meshsim.program import Cpu, Steps
from meshsim.topologies.named import load_network

Results = Mapping[Hashable, Any]


@dataclass(frozen=True)
class Scan:
    """A doubling: a processor's own value, what combines two of them, and whether it is of processors i..n."""

    value: Any
    combine: Combine
    suffix: bool = False


TURN = ((0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0))
ONES = (1.0, 1.0, 1.0)
ONE_VECTOR = (Scan(ONES, chain_vectors),)
COMPOSITE_BODIES = (
    Scan(TURN, chain_rotations),
    Scan(ONES, chain_vectors),
    Scan(ONES, chain_vectors, suffix=True),
    Scan((*ONES, *ONES), chain_symmetric, suffix=True),
)
"""What row 1 of `fijany-bejczy` doubles: rotations, positions, first and second moments; 21 words a stage."""
EACH_MESSAGE = Machine("a tick a message", 1, dict.fromkeys(OPERATIONS, 0), LinkCosts("rendezvous", startup=1))


def program(cpu: Cpu, way: Doubling, scans: Sequence[Scan], i: int, n: int) -> Steps[tuple[Any, ...]]:
    """Processor i: one doubling after the other; ports are the network's."""
    found = []
    for each in scans:
        found.append((yield from way.scan(cpu, i, n, each.value, each.combine, each.suffix)))
    return tuple(found)


def doubling(way: Doubling, n: int, scans: Sequence[Scan] = ONE_VECTOR) -> Plan[Results]:
    """A plan of doublings on `n` processors, on the network that they are written for."""
    topology = way.topology(n)
    return Plan(topology, {i: partial(program, way=way, scans=scans, i=i, n=n) for i in topology}, dict)


def placed_doubling(plan: Plan[Results], family: str, placement: str) -> Plan[Results]:
    """The same programs, one on each processor of another network with as many."""
    network = load_network(family, len(plan.topology))
    return plan.placed(network, place(plan.topology, plan.programs, network, placement))


def without_arithmetic(machine: Machine) -> Machine:
    """A machine on which arithmetic takes no time."""
    return replace(
        machine,
        name=f"{machine.name} without arithmetic",
        operations=dict.fromkeys(OPERATIONS, 0),
        kernels={},
        kernel_overhead=0,
    )


def communication(run: Run[Any]) -> int:
    """The ticks of the critical path that are not arithmetic."""
    return run.ticks - run.critical_path.compute


def message_hops(run: Run[Any]) -> int:
    """How many links messages crossed in all."""
    return sum(load.messages for load in run.loads) or run.messages
