"""The PUMA 600 on one T800: counted, and timed."""

from meshsim.experiments.exhibits.base.exhibit import Appendix, Computed, Exhibit, Line
from meshsim.experiments.exhibits.base.polynomials import TOTAL_LIST, value
from meshsim.experiments.exhibits.wong.table_3_1 import LISTED
from meshsim.experiments.studies.puma_1991 import JOINTS, ORDER, STEPS, counted, predict, prediction, readings
from meshsim.presets import PRESETS

MEASURED = {"one evaluation, ms": 17.2, "10 s of motion, s": 71.12}
ROUNDED = "print has two decimals"
THEORY = (value(TOTAL_LIST[0], JOINTS) + value(TOTAL_LIST[1], JOINTS) / 2) / 1e3
SLOWER = (
    "predicted blind, and too short. Of theory, which has no loops, calls or memory, this program took 8.5 times, that "
    "of the excavator 7.83 times, and this prediction 6.6 times: Table 5.5's kernels were timed in the excavator's "
    "program. What was slower here is not in print"
)
REST = (
    f"as one evaluation; {ORDER * STEPS} of them at the measured 17.2 ms are 68.8 s. The 2.32 s left, 2.3 ms a step, "
    "are integration and torques, for which 0.45 ms are predicted"
)


def compute() -> Computed:
    """Counts and prices of the evaluation, and the prediction."""
    mul, add = counted()
    theory = (mul + add / 2) / 1e3
    sines = JOINTS * PRESETS["t800"].microseconds(PRESETS["t800"].operations["sincos"]) / 1e3
    return {
        "multiplies": [mul],
        "adds": [add],
        "one evaluation in theory, ms": [theory],
        "with sines and cosines, ms": [theory + sines],
        "one evaluation, ms": [prediction()["evaluation"]],
        "10 s of motion, s": [prediction()["motion"]],
    }


def _readings() -> Appendix:
    step = predict()
    parts = ", ".join(f"{name} {us / 1e3:.2f} ms" for name, us in step.items())
    rows = [(told, f"{each['evaluation']:.2f}", f"{each['motion']:.2f}") for told, each in readings().items()]
    return Appendix(
        f"Readings, none fitted; a step as predicted: {parts}",
        ("reading", "one evaluation, ms", "10 s of motion, s"),
        rows,
    )


EXHIBIT = Exhibit(
    "wong-sec-3.5.1",
    "The PUMA 600 on one T800 of 1991: counted, in theory, measured and predicted",
    ("value",),
    [
        Line("multiplies", [1391], corrected=[value(TOTAL_LIST[0], JOINTS)], source=LISTED),
        Line("adds", [1087], corrected=[value(TOTAL_LIST[1], JOINTS)], source=LISTED),
        Line("one evaluation in theory, ms", [1.93], corrected=[THEORY], source=LISTED),
        Line("with sines and cosines, ms", [2.02], ROUNDED, tolerance=0.005 / 2.02),
        Line("one evaluation, ms", [MEASURED["one evaluation, ms"]], SLOWER),
        Line("10 s of motion, s", [MEASURED["10 s of motion, s"]], REST),
    ],
    compute,
    "Times are predicted from `t800-measured` by experiments/studies/puma_1991.py, which knows none of the measured "
    "ones: the one-processor program as for Table 5.4, without actuators; 1000 steps of four evaluations; six torques "
    "come from a second processor, which is taken to be ahead.",
    readings=_readings,
)
