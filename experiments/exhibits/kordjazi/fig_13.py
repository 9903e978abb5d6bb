"""Forces of the 3-PRR's motors, with gravity across its plane."""

from meshsim.experiments.exhibits.base.prr_forces import forces_figure

EXHIBIT = forces_figure("kordjazi-fig-13", "horizontal", horizontal=True)
