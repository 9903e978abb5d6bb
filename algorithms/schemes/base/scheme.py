"""A scheme: a named way to make a plan for a mechanism."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from meshsim.algorithms.reference.dense import Dynamics
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.state import State
from meshsim.algorithms.schemes.base.evaluation import Evaluation
from meshsim.algorithms.schemes.base.links import links_of
from meshsim.errors import MeshSimError
from meshsim.plan import Plan

PHASES = ("inertia", "force", "shift", "solve", "distribute")
"""Of one step of forward dynamics that forms M and h, in this order."""


@dataclass(frozen=True)
class Published:
    """When a phase ends according to a publication, counted without communication or sines."""

    mul: int
    add: int
    source: str


def nothing_published(_n: int, _options: Mapping[str, str]) -> Mapping[str, Published]:
    """For schemes without published counts."""
    return {}


@dataclass(frozen=True)
class Scheme:
    """`options` maps each option to the values it may take, the default first.

    `published` gives the published counts by phase, for n joints and the chosen options.
    `takes` is what it takes beyond chains of revolute joints, as `Mechanism.needs` names it.
    """

    name: str
    summary: str
    make: Callable[[Mechanism, Mapping[str, str]], Evaluation]
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    published: Callable[[int, Mapping[str, str]], Mapping[str, Published]] = nothing_published
    takes: frozenset[str] = frozenset()

    def plan(self, mechanism: Mechanism, state: State, **options: str) -> Plan[Dynamics]:
        """Make the plan of one forward-dynamics step.

        Parameters
        ----------
        mechanism : Mechanism
            The robot.
        state : State
            Joint positions and velocities, and the forces that drive them.
        **options : str
            The scheme's own options; those not given take their defaults.
        """
        return self.evaluation(mechanism, **options).plan(links_of(mechanism, state))

    def evaluation(self, mechanism: Mechanism, **options: str) -> Evaluation:
        """How the scheme lays out one evaluation of a robot's dynamics, whatever its state."""
        for need, joint in mechanism.needs.items():
            if need not in self.takes:
                raise MeshSimError(
                    f"{self.name} takes no {need}, and joint {joint!r} of {mechanism.name} is one; {_rescue(mechanism)}"
                )
        return self.make(mechanism, self.choose(options))

    def choose(self, options: Mapping[str, str]) -> Mapping[str, str]:
        """Check options and add the defaults of those not given."""
        chosen = {option: values[0] for option, values in self.options.items()}
        for option, value in options.items():
            if option not in self.options:
                known = ", ".join(self.options) or "none"
                raise MeshSimError(f"unknown option {option!r} of {self.name}; known: {known}")
            if value not in self.options[option]:
                allowed = " or ".join(self.options[option])
                raise MeshSimError(f"option {option} of {self.name} must be {allowed}, not {value!r}")
            chosen[option] = value
        return chosen


def _rescue(mechanism: Mechanism) -> str:
    """Who could take a mechanism, as the end of a sentence."""
    from meshsim.algorithms.schemes.catalogue import SCHEMES  # which imports this module

    able = [scheme.name for scheme in SCHEMES.values() if scheme.takes.issuperset(mechanism.needs)]
    if not able:
        return "no scheme could take it, only the reference (algorithms/reference/dense.py)"
    return f"{' or '.join(able)} could take it"
