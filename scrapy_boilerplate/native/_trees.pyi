import numpy as np
from numpy.typing import NDArray

def add_scores(
    rows: NDArray[np.float32],
    features: NDArray[np.int32],
    thresholds: NDArray[np.float32],
    masks: NDArray[np.uint32],
    values: NDArray[np.float64],
    sums: NDArray[np.float64],
) -> None: ...
