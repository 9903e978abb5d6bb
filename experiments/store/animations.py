"""What can be said of an animation before any work: its format, what that takes, and how many pictures it has."""

import shutil
from pathlib import Path

from meshsim.errors import MeshSimError
from meshsim.experiments.store.files import check_ending

ANIMATIONS = (".gif", ".mp4")
FRAMES = 240
"""Pictures of an animation, unless told."""
MOST_FRAMES = 5000
FFMPEG = "ffmpeg"
"""The program that writes mp4."""


def check_animation(path: str | Path | None, frames: int) -> None:
    """Refuse an animation that could not be written; None is none."""
    if path is None:
        return
    check_ending("animation", path, ANIMATIONS)
    if not 2 <= frames <= MOST_FRAMES:
        raise MeshSimError(f"frames must be 2 to {MOST_FRAMES}, not {frames}")
    if str(path).lower().endswith(".mp4") and shutil.which(FFMPEG) is None:
        raise MeshSimError(f"an mp4 takes the program {FFMPEG}, which is not installed; {Path(path).stem}.gif does not")
