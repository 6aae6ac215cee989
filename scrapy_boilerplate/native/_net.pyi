import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

def run_members(
    rows: Floats,
    weights: Floats,
    mean: Floats,
    scale: Floats,
    log_odds: Floats,
    channels: int,
    depth: int,
    width: int,
    heads: int,
    limit: float,
    widest: int = 16,
) -> None: ...
