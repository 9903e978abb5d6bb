"""The pictures of inverse dynamics: torques along a motion, and the order of subsystems where there is one."""

from pathlib import Path

from meshsim.algorithms.motion.profiles import driven_joints
from meshsim.experiments.figures.loops import draw_subsystems
from meshsim.experiments.figures.motion import draw_by_joint, units_of
from meshsim.experiments.studies.inverse import PICTURES, InverseReport


def draw_inverse(report: InverseReport, folder: Path) -> list[Path]:
    """Draw the torques, and the subsystems if there are any; returns the files."""
    files = [folder / PICTURES[0]]
    forces = units_of(report.mechanism)[2]
    units = [forces[j] for j in driven_joints(report.mechanism)]
    draw_by_joint(report.joints, report.t, [("torque", report.torques)], units, "torque", report.title, files[0])
    layout = report.ordered
    if layout is not None:
        files.append(folder / PICTURES[1])
        draw_subsystems(layout, report.mechanism.name, files[-1])
    return files
