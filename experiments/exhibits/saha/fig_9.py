"""Free fall of Saha's Stanford arm."""

from meshsim.experiments.exhibits.base.saha_arms import STANFORD, fall_figure

EXHIBIT = fall_figure("saha-fig-9", "Stanford arm", STANFORD)
