import numpy as np
from numpy.typing import NDArray

Doubles = NDArray[np.float64]

def score_labels(
    log_odds: NDArray[np.float32],
    mix: Doubles,
    full_text: int,
    least_share: float,
    scores: Doubles,
) -> None: ...
