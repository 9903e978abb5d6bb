"""What a cycle of the excavator's simulator took with the IRIS and the joysticks, predicted from `t800-measured`.

Every twentieth of a second, that is every five steps of 0.01 s or twenty evaluations, four angles go to the IRIS and
four commands come from it, over a serial line of 9600 baud. A cycle is a twentieth of the time of such a frame. On its
path lie, by runs of the mesh: evaluations, integration in row 0 and angles to row 1, and once a frame tasks 8 and 9 of
Table 5.1 with the control processor. Then the serial line, which is added.

Assumed: a number has four bytes, and a byte on the line ten bits, a start and a stop bit among them. Both directions
work at once, since both ends have interrupts and buffers; but the mesh waits for the commands, which are sent when the
angles are. Drawing takes no time of the mesh. No measured time is used here.            # Wong secs 5.4.1, 5.4.3
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

from meshsim.algorithms.motion.pace import steady_pace
from meshsim.algorithms.robots.catalogue import excavator
from meshsim.algorithms.schemes.base.evaluation import CellEvaluation
from meshsim.algorithms.schemes.mesh.wong_mesh import WONG_MESH
from meshsim.experiments.studies.excavator_1991 import JOINTS, LINES, MESH_OF_1991
from meshsim.experiments.studies.excavator_1991 import prediction as evaluation_prediction
from meshsim.experiments.studies.program_1991 import T800
from meshsim.experiments.studies.realtime import Question

STEP, ORDER = 0.01, 4
FRAME_STEPS = round(1 / 20 / STEP)
CYCLES = ORDER * FRAME_STEPS
BAUD = 9600
BYTES = 4 * JOINTS
"""Each way, once a frame."""


@dataclass(frozen=True)
class Serial:
    """How the serial line is read: bits of a byte, and how many of the two transfers the mesh waits for in turn."""

    told: str
    bits: int = 10
    transfers: int = 1

    @property
    def us(self) -> float:
        """Microseconds that a cycle waits for the line."""
        return 1e6 * self.transfers * BYTES * self.bits / BAUD / CYCLES


READINGS = (
    Serial("both directions at once, ten bits a byte; the mesh waits"),
    Serial("both directions at once, eight bits a byte; the mesh waits", bits=8),
    Serial("commands after angles, ten bits a byte; the mesh waits", transfers=2),
    Serial("commands after angles, eight bits a byte; the mesh waits", bits=8, transfers=2),
    Serial("the mesh goes on meanwhile, with the commands of the frame before", transfers=0),
)
"""The first is the prediction."""


@cache
def parts() -> Mapping[str, float]:
    """Microseconds of a cycle without the serial line: the evaluation, what each step adds, and what a frame does."""
    question = Question(WONG_MESH, MESH_OF_1991, T800, STEP, ORDER)
    whole = question.us(question.pace(excavator()))
    evaluation = WONG_MESH.evaluation(excavator(), **MESH_OF_1991)
    assert isinstance(evaluation, CellEvaluation)
    motion = replace(question.motion(excavator()), control=None)
    alone = question.us(steady_pace(replace(evaluation, gathering=None), motion, T800)[0])
    mesh = evaluation_prediction()[LINES[5]]
    return {
        "evaluation": mesh,
        "integration, and angles to row 1": alone / ORDER - mesh,
        "angles to (0, 0), commands back": (whole - alone) / CYCLES,
    }


def predict(line: Serial) -> float:
    """Microseconds of a cycle."""
    return sum(parts().values()) + line.us


@cache
def prediction() -> Mapping[str, float]:
    """Milliseconds of a cycle, and of what it is longer than an evaluation."""
    cycle = predict(READINGS[0])
    return {"cycle": cycle / 1e3, "added": (cycle - parts()["evaluation"]) / 1e3}
