"""What users name, as things: texts name robots, schemes, machines and so on; things are taken as they are."""

from collections.abc import Callable, Mapping, Sequence
from os import PathLike, fspath
from typing import Any, TypeVar

import numpy as np

from meshsim.algorithms.motion.profiles import load_profile
from meshsim.algorithms.robots.catalogue import load_robot
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.state import CLOSED_LOOPS, State, checked, default_state, read_state, state_from
from meshsim.algorithms.robots.wrenches import bearing
from meshsim.algorithms.schemes.base.evaluation import Evaluation, Inversion
from meshsim.algorithms.schemes.base.scheme import Number, RefusedError, Scheme
from meshsim.algorithms.schemes.catalogue import load_scheme
from meshsim.algorithms.schemes.loops.method import SiteEvaluation
from meshsim.algorithms.schemes.takers import inverters, movers, moves, rescue, with_locks
from meshsim.algorithms.solvers.base import Solver
from meshsim.algorithms.solvers.catalogue import load_solver, load_system, system_from
from meshsim.algorithms.types.arrays import Array
from meshsim.errors import MeshSimError
from meshsim.experiments.studies.machines import known_machine
from meshsim.experiments.studies.orders import BEST, ORDER
from meshsim.experiments.studies.where import Dead as Dead
from meshsim.experiments.studies.where import NetworkLike as NetworkLike
from meshsim.experiments.studies.where import PlacementLike as PlacementLike
from meshsim.experiments.studies.where import where_of as where_of
from meshsim.formats import Format, load_format
from meshsim.machine import Machine

T = TypeVar("T")

Text = str | PathLike[str]
RobotLike = Text | Mechanism
SchemeLike = str | Scheme
MachineLike = Text | Machine
SolverLike = str | Solver
FormatLike = str | Format
StateLike = Text | State | Mapping[str, Any]
Wrenches = Mapping[str, Sequence[float]]
"""By body, what acts on it (`bearing`)."""
SystemLike = Text | tuple[Any, Any]


def load_machine(machine: Text) -> Machine:
    """The machine that a text names.

    Parameters
    ----------
    machine : str or path
        The name of one that is built in, registered or installed (`listing("machines")`), a TOML file, or
        ``file.py:NAME``.

    Returns
    -------
    Machine
        The machine.

    Raises
    ------
    MeshSimError
        If there is none of this name, or the file is not as it must be.

    Examples
    --------
    >>> import meshsim as ms
    >>> ms.load_machine("t800").links.startup
    51
    """
    return known_machine(fspath(machine))


def robot_of(robot: RobotLike, wrenches: Wrenches | None = None) -> Mechanism:
    """A robot, or what a text names (`load_robot`), with wrenches on its bodies."""
    found = _thing("robot", robot, Mechanism, load_robot)
    return bearing(found, wrenches) if wrenches else found


def scheme_of(scheme: SchemeLike) -> Scheme:
    """A scheme, or what a text names."""
    return _thing("scheme", scheme, Scheme, load_scheme)


def machine_of(machine: MachineLike) -> Machine:
    """A machine, or what a text names."""
    return _thing("machine", machine, Machine, known_machine)


def machines_of(machines: MachineLike | Sequence[MachineLike]) -> tuple[Machine, ...]:
    """One machine or several; a text may name several with commas between them."""
    if isinstance(machines, Machine | PathLike):
        return (machine_of(machines),)
    return tuple(map(machine_of, machines.split(",") if isinstance(machines, str) else machines))


def format_of(precision: FormatLike | None) -> Format | None:
    """A number format, or what a text names; None where none was asked for."""
    return load_format(precision) if isinstance(precision, str) else precision


def solver_of(solver: SolverLike) -> Solver:
    """A solver, or what a text names."""
    return _thing("solver", solver, Solver, load_solver)


def system_of(system: SystemLike) -> tuple[Array, Array]:
    """A and b, or what a text names: a JSON file, `random:N:SEED` or `symmetric:N:SEED`."""
    if isinstance(system, str | PathLike):
        return load_system(fspath(system))
    A, b = (np.asarray(part) for part in system)
    return system_from({"A": A.tolist(), "b": b.tolist()})


def state_of(state: StateLike | None, evaluation: Evaluation) -> State:
    """A state, one by keys, one in a file, or the default one; with loops, as open as the evaluation takes it."""
    mechanism = evaluation.mechanism
    opening = evaluation.opening if isinstance(evaluation, SiteEvaluation) else CLOSED_LOOPS
    if state is None:
        return default_state(mechanism)
    if isinstance(state, State):
        return checked(state, mechanism, opening)
    if isinstance(state, Mapping):
        return state_from({key: np.asarray(value).tolist() for key, value in state.items()}, mechanism, opening)
    return read_state(state, mechanism, opening)


def start_of(state: StateLike | None, profile: str | None, evaluation: Evaluation) -> State:
    """A state, or the start of a profile."""
    if profile is None:
        return state_of(state, evaluation)
    if state is not None:
        raise MeshSimError("a state and a profile must not both be given: a profile has a start of its own")
    return load_profile(profile, evaluation.mechanism).start


def evaluation_of(scheme: Scheme, mechanism: Mechanism, options: Mapping[str, str]) -> Evaluation:
    """How a scheme evaluates a robot; where it does not take it, who would."""
    try:
        return scheme.evaluation(mechanism, **options)
    except RefusedError as error:
        raise MeshSimError(f"{error}; {rescue(mechanism)}{with_locks(scheme, mechanism)}") from None


def mover_of(scheme: Scheme, mechanism: Mechanism, options: Mapping[str, str]) -> Evaluation:
    """The same, to move a robot in time."""
    try:
        found = scheme.evaluation(mechanism, **options)
        if not moves(found):
            name = f"{scheme.name} evaluates {mechanism.name}"
            raise RefusedError(f"{name} once and integrates no states: it cannot move it")
    except RefusedError as error:
        who = f"{rescue(mechanism, movers)}{with_locks(scheme, mechanism, movers)}"
        raise MeshSimError(f"{error}; {who}") from None
    return found


def inversion_of(scheme: Scheme, mechanism: Mechanism, options: Mapping[str, str]) -> Inversion:
    """How a scheme computes a robot's torques; where it does not, who would."""
    try:
        return scheme.inversion(mechanism, **options)
    except RefusedError as error:
        who = f"{rescue(mechanism, inverters)}{with_locks(scheme, mechanism, inverters)}"
        raise MeshSimError(f"{error}; {who}") from None


def options_of(scheme: Scheme, options: Mapping[str, object] | None, more: Mapping[str, object]) -> Mapping[str, str]:
    """A scheme's options, checked and completed."""
    return scheme.choose({key: str(value) for key, value in {**(options or {}), **more}.items()})


def order_of(
    scheme: Scheme, options: Mapping[str, object] | None, more: Mapping[str, object]
) -> tuple[Mapping[str, str], bool]:
    """A scheme's options, and whether its work is to be put into the best order, which any scheme takes."""
    given = {**(options or {}), **more}
    best = given.get(ORDER) == BEST
    return options_of(scheme, {name: value for name, value in given.items() if not best or name != ORDER}, {}), best


def own_network(
    scheme: Scheme,
    network: Any,
    processors: int | None,
    options: Mapping[str, object] | None,
    more: dict[str, object],
) -> tuple[Any, dict[str, object]]:
    """The network to place on, and further options: a bare name may be the value of an option of the scheme.

    Some schemes have an option ``network`` or ``layout``, with values such as ``bus`` or ``star``. Networks to place on
    have a size, or a number of processors beside them, so that the two can be told apart.
    """
    for name in ("network", "layout") if processors is None and isinstance(network, str) else ():
        values = scheme.options.get(name, ())
        if not isinstance(values, Number) and network in values:
            if name in {**(options or {}), **more}:
                raise MeshSimError(f"option {name!r} must be given once, not twice")
            return None, {**more, name: network}
    return network, more


def _thing(what: str, value: object, kind: type[T], load: Callable[[str], T]) -> T:
    if isinstance(value, kind):
        return value
    if isinstance(value, str | PathLike):
        return load(fspath(value))
    raise MeshSimError(f"{what} must be a name, a path or a {kind.__name__}, not {type(value).__name__}")
