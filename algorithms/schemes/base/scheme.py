"""A scheme: a named way to compute a mechanism's dynamics on a network of processors."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from meshsim.algorithms.reference.dense import Dynamics
from meshsim.algorithms.robots.compound import in_words, whole_joint
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.state import State
from meshsim.algorithms.schemes.base.evaluation import Evaluation, Inversion
from meshsim.errors import MeshSimError
from meshsim.plan import Plan
from meshsim.reading import numbers_in

PHASES = ("inertia", "force", "shift", "solve", "distribute")
"""Of one step of forward dynamics that forms M and h, in this order."""
LOOPS = "loops"
"""What a mechanism with cut joints needs of a scheme."""
WRENCHES = "wrenches"
"""What a mechanism on which something acts from outside needs of a scheme."""
LINEAR = 4096
"""As `Scheme.largest`: of schemes whose processors are no more than the joints, or a few times as many."""
SLIDES = "prismatic joints"
MIMICS = "mimic joints"
"""Two more needs, of joints that may be locked."""
_REFUSED = {LOOPS: "joint {!r} of {} closes one", WRENCHES: "body {!r} of {} bears one"}


@dataclass(frozen=True)
class Published:
    """When a phase ends according to a publication, counted without communication or sines."""

    mul: int
    add: int
    source: str


def main_phases(ends: Mapping[str, int]) -> Mapping[str, int]:
    """When phases end: of all that programs tell, the five of a step; the scheme's own where it has other ones."""
    return {name: ends[name] for name in PHASES} if set(PHASES) <= set(ends) else dict(ends)


def nothing_published(_n: int, _options: Mapping[str, str]) -> Mapping[str, Published]:
    """For schemes without published counts."""
    return {}


@dataclass(frozen=True)
class Number:
    """An option that is a finite number, at least 0; `unit` is what it is measured in."""

    default: str
    unit: str

    def check(self, what: str, text: str) -> None:
        """Refuse a text that is no such number."""
        found = numbers_in([text])
        if not found or found[0] < 0:
            raise MeshSimError(f"{what} must be a finite number, at least 0 ({self.unit}), not {text!r}")


Option = tuple[str, ...] | Number
"""The values that an option may take, the default first; or any number."""


@dataclass(frozen=True)
class Scheme:
    """A named way to make plans for a mechanism.

    Attributes
    ----------
    name, summary : str
        What it is called, and what it is.
    make : callable or None
        How forward dynamics of a mechanism are laid out, with chosen options; None if it has inverse dynamics only.
    options : mapping of str to Option
        What may be chosen.
    published : callable
        The published counts by phase, for n joints and the chosen options.
    takes : frozenset of str
        What it takes beyond chains of revolute joints, as `Mechanism.needs` names it.
    wants : frozenset of str
        What a mechanism must have for it, in the same words.
    inverse : callable or None
        How inverse dynamics are laid out, where it has any.
    solving : frozenset of str
        Options that are for accelerations alone, and mean nothing to its inverse dynamics.
    tried : mapping of str to tuple of str
        The values of options that are worth trying where the quickest is wanted, the defaults first.
    slower : mapping of str to tuple of str
        Values of options that are never quicker than another, since they do the same with more waiting.
    meant : mapping of str to str
        Options that mean something only for a mechanism that has this need.
    together : callable
        Refuses choices of options that do not go together, whatever the mechanism.
    fits : callable
        Whether a choice of options means something for a mechanism; where many are tried, others are passed by.
    largest : int
        The most joints of a chain for which a comparison simulates it: one whose processors grow with the square of
        the joints soon has too many.
    """

    name: str
    summary: str
    make: Callable[[Mechanism, Mapping[str, str]], Evaluation] | None
    options: Mapping[str, Option] = field(default_factory=dict)
    published: Callable[[int, Mapping[str, str]], Mapping[str, Published]] = nothing_published
    takes: frozenset[str] = frozenset()
    wants: frozenset[str] = frozenset()
    inverse: Callable[[Mechanism, Mapping[str, str]], Inversion] | None = None
    solving: frozenset[str] = frozenset()
    tried: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    slower: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    meant: Mapping[str, str] = field(default_factory=dict)
    together: Callable[[Mapping[str, str]], None] = lambda _: None
    fits: Callable[[Mechanism, Mapping[str, str]], bool] = lambda _mechanism, _options: True
    largest: int = 128

    def plan(self, mechanism: Mechanism, state: State, **options: str) -> Plan[Dynamics]:
        """Make the plan of one evaluation of forward dynamics.

        Parameters
        ----------
        mechanism : Mechanism
            The robot.
        state : State
            Joint positions and velocities, and the forces that drive them.
        **options : str
            The scheme's own options; those not given take their defaults.
        """
        return self.evaluation(mechanism, **options).plan(state)

    def evaluation(self, mechanism: Mechanism, **options: str) -> Evaluation:
        """How the scheme lays out one evaluation of a robot's dynamics, whatever its state."""
        if self.make is None:
            raise MeshSimError(f"{self.name} computes inverse dynamics alone, for `meshsim inverse`, not accelerations")
        self.check(mechanism)
        return self.make(mechanism, self.choose(options))

    def inversion(self, mechanism: Mechanism, **options: str) -> Inversion:
        """How the scheme lays out the inverse dynamics of a robot."""
        if self.inverse is None:
            raise RefusedError(f"{self.name} computes accelerations alone, not torques of {mechanism.name}")
        self.check(mechanism)
        self.inverse_settings(options)
        return self.inverse(mechanism, self.choose(options))

    def inverse_settings(self, options: Mapping[str, str]) -> Mapping[str, str]:
        """The options that its inverse dynamics has, with the defaults of those not given."""
        for name in options:
            if name in self.solving:
                raise MeshSimError(f"option {name} of {self.name} is for accelerations, not for inverse dynamics")
        return {name: value for name, value in self.choose(options).items() if name not in self.solving}

    def check(self, mechanism: Mechanism) -> None:
        """Refuse a mechanism that is not for this scheme."""
        for need, name in mechanism.needs.items():
            if need not in self.takes:
                raise RefusedError(f"{self.name} takes no {need}, and {_refused(need, name, mechanism)}")
        for want in self.wants:
            if want not in mechanism.needs:
                raise RefusedError(f"{self.name} is for mechanisms with {want}, and {mechanism.name} has none")

    def choose(self, options: Mapping[str, str]) -> Mapping[str, str]:
        """Check options and add the defaults of those not given."""
        chosen = {name: each.default if isinstance(each, Number) else each[0] for name, each in self.options.items()}
        for name, value in options.items():
            if name not in self.options:
                known = ", ".join(self.options) or "none"
                raise MeshSimError(f"unknown option {name!r} of {self.name}; known: {known}")
            option = self.options[name]
            if isinstance(option, Number):
                option.check(f"option {name} of {self.name}", value)
            elif value not in option:
                raise MeshSimError(f"option {name} of {self.name} must be {' or '.join(option)}, not {value!r}")
            chosen[name] = value
        self.together(chosen)
        return chosen


def _refused(need: str, name: str, mechanism: Mechanism) -> str:
    """What of a mechanism a scheme does not take."""
    if need in _REFUSED:
        return _REFUSED[need].format(name, mechanism.name)
    names = [body.joint for body in mechanism.bodies]
    several = need == SLIDES and whole_joint(name, names)[0]
    return f"{in_words(name, names)} of {mechanism.name} {'slides' if several else 'is one'}"


class RefusedError(MeshSimError):
    """A mechanism that a scheme does not take."""
