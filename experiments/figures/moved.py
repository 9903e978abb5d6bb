"""The pictures of one motion, with loops or without."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from meshsim.experiments.figures import loops, motion
from meshsim.experiments.studies.simulate import PICTURES, MotionReport

FRAMES = 6
"""Skeletons in a strip, unless times are chosen."""


def draw_motion(report: MotionReport, folder: Path, times: Sequence[float] = ()) -> list[Path]:
    """Draw what there is to see of a motion; returns the files."""
    mechanism, moved, title = report.motion.mechanism, report.moved, report.title
    positions, torques, strip, errors, hydraulics, gap = (folder / name for name in PICTURES)
    files = [positions, strip]
    motion.draw_positions(mechanism, moved, title, positions, report.wanted)
    chosen = times or np.linspace(0.0, moved.t[-1], FRAMES).tolist()
    (loops.draw_loops if mechanism.cuts else motion.draw_strip)(mechanism, moved, chosen, title, strip)
    if np.nan_to_num(moved.tau).any():  # in free fall there is nothing to see
        files.append(torques)
        motion.draw_torques(mechanism, moved, title, torques)
    if report.wanted is not None:
        files.append(errors)
        motion.draw_errors(mechanism, moved, report.wanted, f"{title}: wanted less actual", errors)
    if moved.pressures is not None:
        files.append(hydraulics)
        motion.draw_hydraulics(mechanism, moved, title, hydraulics)
    if moved.gap is not None:
        files.append(gap)
        loops.draw_gap(moved, title, gap)
    return files
