"""A scheme: a named way to make a plan for a mechanism."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from algorithms.mechanism import Mechanism
from algorithms.reference import Dynamics
from algorithms.state import State
from meshsim.errors import MeshSimError
from meshsim.plan import Plan


@dataclass(frozen=True)
class Scheme:
    """`options` maps each option to the values it may take, the default first."""

    name: str
    summary: str
    make: Callable[[Mechanism, State, Mapping[str, str]], Plan[Dynamics]]
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

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
        if not mechanism.is_chain:
            raise MeshSimError(f"{self.name} takes serial chains, and {mechanism.name} branches")
        chosen = {option: values[0] for option, values in self.options.items()}
        for option, value in options.items():
            if option not in self.options:
                known = ", ".join(self.options) or "none"
                raise MeshSimError(f"unknown option {option!r} of {self.name}; known: {known}")
            if value not in self.options[option]:
                allowed = " or ".join(self.options[option])
                raise MeshSimError(f"option {option} of {self.name} must be {allowed}, not {value}")
            chosen[option] = value
        return self.make(mechanism, state, chosen)
