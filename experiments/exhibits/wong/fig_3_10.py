"""How far the torso was from its profile, and that it needs small steps."""

from meshsim.experiments.exhibits.base.exhibit import OURS, Appendix, Computed, Exhibit, Line
from meshsim.experiments.exhibits.base.followed import draw_error_curves, extreme
from meshsim.experiments.exhibits.base.motions import LOST, first_loss, followed

TITLE = "Errors of joint 6, torso, steps of 0.001 s"
RUN = ("torso", "cycloid:5", 0.001)
STEPS = (0.001, 0.01)


def compute() -> Computed:
    """Whether a joint leaves its profile."""
    return {f"h = {h:g} s": [float(first_loss(followed("torso", "cycloid:5", h)) is not None)] for h in STEPS}


def appendix() -> Appendix:
    """When, and how far off joint 6 is with the small step."""
    run = followed(*RUN)
    units = {"q": "deg", "qd": "deg/s", "qdd": "deg/s²"}
    errors = {unit: extreme(run.errors(what)[:, 5]) for what, unit in units.items()}
    rows = [(f"largest error of joint 6, h = 0.001 s ({unit})", f"{error:.3g}") for unit, error in errors.items()]
    for h in STEPS:
        when = first_loss(followed("torso", "cycloid:5", h))
        rows.append((f"first more than {LOST:g} rad off, h = {h:g} s", "never" if when is None else f"at {when:g} s"))
    return Appendix("What was computed", ("", ""), rows)


EXHIBIT = Exhibit(
    "wong-fig-3.10",
    TITLE,
    ("leaves its profile",),
    [
        Line("h = 0.001 s", (0,), not_comparable=OURS, yes_no=True),
        Line("h = 0.01 s", (1,), not_comparable=OURS, yes_no=True),
    ],
    compute,
    "The text: larger steps than 0.001 s were unstable and led to wrong results. The errors are in the figure alone.",
    lambda _, path: draw_error_curves(*RUN, TITLE, path),
    appendix,
)
