"""Saving figures: whole, the same bytes for the same figure, and without warnings about missing glyphs."""

import warnings
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

from meshsim.experiments.figures.lettering import as_given
from meshsim.experiments.store.files import PICTURES, check_ending, whole_file

UNDATED = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
"""What to leave out of formats, by ending, so that a figure drawn twice is the same file."""


def save_figure(figure: Figure, path: str | Path) -> None:
    """Write a figure in the format that its file's ending names."""
    check_ending("picture", path, PICTURES)
    ending = Path(path).suffix.lower()
    as_given(figure)
    with whole_file(path) as temporary, warnings.catch_warnings(), mpl.rc_context({"svg.hashsalt": "meshsim"}):
        warnings.filterwarnings("ignore", message="Glyph")
        if (layout := figure.get_layout_engine()) is not None:
            layout.execute(figure)  # again when it is saved: panels that grew may have other ticks
        figure.savefig(temporary, dpi=150, format=ending[1:], metadata=UNDATED.get(ending, {}))
