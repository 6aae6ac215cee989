from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]

class WordTable:
    weights: Mapping[str, tuple[float, float]]
    def __init__(self, weights: Mapping[str, tuple[float, float]]) -> None: ...

class FeatureReader:
    def __init__(self, **constants: Any) -> None: ...
    def compute(
        self,
        texts: list[str],
        tags: list[str],
        classes: list[str],
        ids: list[str],
        roles: list[str],
        parents: Integers,
        ends: Integers,
        depths: Integers,
        own: Integers,
        word_counts: Integers,
        linked_counts: Integers,
        title: int,
        page_title: str,
        description: str,
        first_weights: WordTable,
        name_weights: WordTable,
        columns: NDArray[np.float32],
    ) -> None: ...
