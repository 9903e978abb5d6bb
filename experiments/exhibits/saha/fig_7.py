"""Free fall of Saha's PUMA."""

from meshsim.experiments.exhibits.base.saha_arms import PUMA, fall_figure

EXHIBIT = fall_figure("saha-fig-7", "PUMA", PUMA)
