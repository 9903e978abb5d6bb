"""What one core of this computer takes for articulated bodies, by Pinocchio, and what an operation then costs."""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Any

import numpy as np

from meshsim.algorithms.robots.catalogue import chain
from meshsim.algorithms.robots.mechanism import Mechanism
from meshsim.algorithms.robots.state import default_state
from meshsim.algorithms.schemes.catalogue import SCHEMES
from meshsim.errors import MeshSimError
from meshsim.experiments.store.progress import tell
from meshsim.experiments.studies.bench.measuring import Figure, Repeats
from meshsim.presets import PRESETS
from meshsim.simulation import NOWHERE

SIZES = (6, 7, 12, 24, 36)
"""Joints of the chains."""
BATCHES, EVALUATIONS = 101, 512
"""So many times, so many evaluations are timed together."""
COUNTED = "one-featherstone"
"""The scheme whose operations are counted: it computes what Pinocchio does."""
TICK_NS = 0.01
"""Of the machine that is written: a core does several operations in a nanosecond."""


@dataclass(frozen=True)
class Measured:
    """What an evaluation takes for a chain of n joints, in us, and how many operations it is counted as."""

    n: int
    us: float
    operations: int

    @property
    def ns_per_operation(self) -> float:
        """What an operation takes, if all take the same."""
        return 1000 * self.us / self.operations


def pinocchio() -> Any:
    """The library, or what to install."""
    try:
        import pinocchio as pin
    except ImportError:
        raise MeshSimError("Pinocchio must be installed: pip install pin") from None
    return pin


def core() -> Repeats:
    """Of chains of several sizes."""
    pinocchio()
    while True:
        yield figures(measure())


def measure() -> list[Measured]:
    """Time articulated bodies for chains, on one core."""
    pin = pinocchio()
    found = []
    for n in SIZES:
        tell(f"core: {n} joints")
        robot = chain(n, 1)
        run = SCHEMES[COUNTED].plan(robot, default_state(robot)).run(NOWHERE, trace=False)
        found.append(Measured(n, _us(_evaluations(pin, robot)), sum(run.operations.values())))
    return found


def model_of(pin: Any, robot: Mechanism) -> Any:
    """Pinocchio's model of a chain or tree: a joint about or along z for every body."""
    model = pin.Model()
    model.gravity.linear = np.array(robot.gravity)
    for body in robot.bodies:
        placement = pin.SE3(np.array(body.rotation), np.array(body.position))
        kind = pin.JointModelPZ() if body.kind == "prismatic" else pin.JointModelRZ()
        joint = model.addJoint(body.parent + 1, kind, placement, body.joint)
        inertia = pin.Inertia(body.mass, np.array(body.com), np.array(body.inertia))
        model.appendBodyToJoint(joint, inertia, pin.SE3.Identity())
    return model


def _evaluations(pin: Any, robot: Mechanism) -> Callable[[], Any]:
    """`EVALUATIONS` of them by one call: the loop over them is in C++, so that Python's part is small."""
    if not hasattr(pin, "abaInParallel"):
        raise MeshSimError("bench core needs a Pinocchio with pinocchio.abaInParallel, as pip install pin has it")
    state = default_state(robot)
    columns = (np.repeat(np.array(each)[:, None], EVALUATIONS, axis=1) for each in (state.q, state.qd, state.tau))
    pool = pin.ModelPool(model_of(pin, robot), 1)
    return partial(pin.abaInParallel, 1, pool, *map(np.asfortranarray, columns))


def _us(function: Callable[[], Any]) -> float:
    """The median time of an evaluation; the first batch is not counted."""
    times = []
    for _ in range(BATCHES + 1):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return 1e6 * median(times[1:]) / EVALUATIONS


def figures(measured: Sequence[Measured]) -> dict[str, float]:
    """What is printed, by name."""
    found: dict[str, float] = {}
    for each in measured:
        found |= {f"core.{each.n}.us": each.us, f"core.{each.n}.operations": each.operations}
        found[f"core.{each.n}.ns_per_operation"] = each.ns_per_operation
    return {**found, "core.ns_per_operation": median(each.ns_per_operation for each in measured)}


def measured_of(found: Mapping[str, Figure]) -> list[Measured]:
    """What repeats measured in the median, given its figures."""
    return [Measured(n, found[f"core.{n}.us"].median, round(found[f"core.{n}.operations"].median)) for n in SIZES]


def machine_text(measured: Sequence[Measured], name: str) -> str:
    """The file of a machine whose operations cost what was measured; its links are those of the preset `cpu-core`."""
    preset = PRESETS["cpu-core"]
    each = sorted(round(one.ns_per_operation / TICK_NS) for one in measured)
    taken = round(median(each))
    others = {name: [min(low, taken), max(high, taken)] for name, (low, high) in preset.assumed.items()}
    ranges = {**preset.assumed, **{name: others[name] for name in preset.operations}}
    ranges |= {name: [each[0], each[-1]] for name in ("mul", "add")}
    times = ", ".join(f"{one.n} joints {one.us:.3g} us" for one in measured)
    links = {name: getattr(preset.links, name) for name in ("discipline", "startup", "per_word", "buffers")}
    return "\n".join(
        [
            "# Written by meshsim bench core: one core of a computer, measured. A tick is 0.01 ns.",
            f"name = {_written(name)}",
            f'description = "One core, measured with Pinocchio: {times}. Assumption: all operations cost the same."',
            f"tick_ns = {TICK_NS}",
            f"word_bits = {preset.word_bits}",
            f"switch = {preset.switch}  # assumption, as cpu-core",
            "",
            f"# The time of each chain over the operations of {COUNTED}: the median.",
            *_table("operations", dict.fromkeys(preset.operations, taken)),
            "",
            "# As cpu-core: measured between two threads of another computer, or assumed.",
            *_table("links", links),
            "",
            "# Assumptions, as cpu-core.",
            *_table("local", {"startup": preset.local.startup, "per_word": preset.local.per_word}),
            "",
            "# Of multiplies and adds as measured, of the others as cpu-core.",
            *_table("assumed", {name: list(pair) for name, pair in ranges.items()}),
            "",
        ]
    )


def _table(name: str, values: Mapping[str, object]) -> list[str]:
    return [f"[{name}]", *(f"{key} = {_written(value)}" for key, value in values.items())]


def _written(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
