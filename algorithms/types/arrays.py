"""The arrays that references and solvers work on."""

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
