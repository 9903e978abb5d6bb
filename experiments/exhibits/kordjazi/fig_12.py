"""Forces of the 3-PRR's motors, with gravity in its plane."""

from meshsim.experiments.exhibits.base.prr_forces import forces_figure

EXHIBIT = forces_figure("kordjazi-fig-12", "vertical", horizontal=False)
