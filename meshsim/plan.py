"""A plan: programs loaded on the nodes of a topology, and how to read the answer off what they return."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Generic, TypeVar, TypeVarTuple

import networkx

from meshsim.counted import Kernel
from meshsim.errors import MeshSimError
from meshsim.formats import Format, Width
from meshsim.machine import Machine
from meshsim.network import Network
from meshsim.outcome import Run
from meshsim.placed import Placed
from meshsim.placement import place
from meshsim.program import Cpu, Engine, Program, Steps, Until
from meshsim.simulation import Simulation
from meshsim.topology import check_ports
from meshsim.watching import BETWEEN

T = TypeVar("T")
Ts = TypeVarTuple("Ts")
R = TypeVar("R")


@dataclass(frozen=True)
class Plan(Generic[T]):
    """Programs on a topology. `read` makes the answer from what the programs returned, by node.

    A node without a program is idle. Node order is the graph's own, and breaks every tie. `placement` tells on which
    network the programs run, if it is not the topology itself; `format` what they compute in, if it was chosen: without
    one they compute in double, and a number is a word.
    """

    topology: networkx.Graph
    programs: Mapping[Any, Program]
    read: Callable[[Mapping[Hashable, Any]], T]
    placement: Placed | None = None
    format: Format | None = None

    def __post_init__(self) -> None:
        check_ports(self.topology)
        for node in self.programs:
            if node not in self.topology:
                raise MeshSimError(f"programs must be loaded on nodes of the topology, not on {node!r}")

    def repeated(self, count: int, every: int = 0) -> "Plan[T]":
        """The same plan `count` times, one evaluation after the other without a barrier between them.

        A processor begins the next evaluation as soon as it has ended its part of the last. It marks the phases
        "evaluation 1", "evaluation 2" and so on; the answer is the last one's.

        Parameters
        ----------
        count : int
            How many evaluations.
        every : int
            An evaluation is offered every so many ticks, the first at tick 0; no program begins its part of one
            before. 0: all are there from the beginning.
        """
        if count < 1:
            raise MeshSimError(f"a plan must be repeated at least once, not {count} times")
        if type(every) is not int or every < 0:
            raise MeshSimError(f"evaluations must be offered every so many whole ticks, not {every!r}")
        again = partial(_again, count=count, every=every)
        return replace(self, programs={node: partial(again, program=each) for node, each in self.programs.items()})

    def in_format(self, form: Format | None) -> "Plan[T]":
        """The same programs with kernels that compute in a number format, and messages of as many words as that takes.

        What operations cost stays the machine's, whatever they compute with. None changes nothing.
        """
        if form is None:
            return self
        if self.format is not None:
            raise MeshSimError(
                f"a plan must be put in a number format once, not in {form.name}: it is in {self.format.name}"
            )
        inside = {node: partial(_inside, program=each, form=form) for node, each in self.programs.items()}
        return replace(self, programs=inside, format=form)

    def width(self, machine: Machine) -> Width | None:
        """What a number takes in messages on a machine; None: a word."""
        return None if self.format is None else self.format.width(machine)

    def placed(
        self,
        network: Network,
        placement: str | Mapping[Any, Hashable],
        machine: Machine | None = None,
        processors: int | None = None,
    ) -> "Plan[T]":
        """The same programs on the processors of another network.

        Parameters
        ----------
        network : Network
            Processors, switches and links; messages between processors that are no neighbours take its routes.
        placement : str or mapping
            The name of a placement (`PLACEMENTS`), or the processor of each node of the topology that has a program.
            Several programs may share one: they take turns.
        machine : Machine, optional
            What work and words cost; ``auto`` weighs them, and needs it.
        processors : int, optional
            Use only so many processors, the first ones of the network; all of them if not told.

        Returns
        -------
        Plan
            It computes the same, bit for bit; only times differ. What sharing, copies and routes cost is the machine's.
        """
        if machine is not None and not isinstance(machine, Machine):
            raise MeshSimError(f"machine must be a Machine, not {machine!r}")
        if placement == "auto" and machine is not None:
            from meshsim.auto_placement import auto_placement  # here: it needs scipy, which is slow to import

            placement = auto_placement(self, network, machine, processors)
        found = place(self.topology, self.programs, network, placement, processors)
        return replace(self, placement=Placed(network, found))

    def run(self, machine: Machine, trace: bool = True, values: bool = False) -> Run[T]:
        """Run the programs on a machine until all have ended.

        Parameters
        ----------
        machine : Machine
            What operations and words cost.
        trace : bool
            Keep every span and message: needed for accounts and the critical path, slower and larger.
        values : bool
            Keep also what was computed and sent, and by which line of which program (`Trace.values`).
        """
        engine = Simulation(machine, trace or values, placed=self.placement, width=self.width(machine), watched=values)
        value = self.answer(engine)
        return Run(
            machine,
            value,
            tuple(engine.processes),
            tuple(engine.channels),
            tuple(engine.cores),
            tuple(engine.wires),
            tuple(engine.buffers),
            self.placement.network if self.placement is not None else None,
            self.topology,
        )

    def answer(self, engine: Engine) -> T:
        """The answer alone, whatever runs the programs."""
        return self.read(engine.run(self.topology, self.programs))


class InFormat:
    """A processor whose kernels compute in a format; all else is the processor's that it stands before."""

    def __init__(self, cpu: Cpu, form: Format) -> None:
        self._do, self._kernel = cpu.do, form.kernel
        self.send, self.recv, self.par, self.phase = cpu.send, cpu.recv, cpu.par, cpu.phase

    def do(self, kernel: Kernel[*Ts, R], *args: *Ts) -> R:
        """Compute with a kernel in the format, and let its time pass."""
        return self._do(self._kernel(kernel), *args)  # type: ignore[no-any-return]


BETWEEN.add(InFormat.do.__code__)


def _inside(cpu: Cpu, program: Program, form: Format) -> Steps[Any]:
    result = yield from program(InFormat(cpu, form))
    return form.result(result)


def _again(cpu: Cpu, program: Program, count: int, every: int) -> Steps[Any]:
    result = None
    for evaluation in range(1, count + 1):
        if every:
            yield Until((evaluation - 1) * every)
        result = yield from program(cpu)
        cpu.phase(f"evaluation {evaluation}")
    return result
