from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]

class TextReader:
    def __init__(self, scripts: Iterable[tuple[Iterable[tuple[str, str]], int]]) -> None: ...
    def read_blocks(
        self,
        texts: list[str],
        breaks: Sequence[int],
        in_link: Sequence[bool],
        first_leaf: Integers,
        end_leaf: Integers,
        words: Integers,
        link_words: Integers,
    ) -> list[str]: ...
    def count_words(self, texts: Iterable[str], counts: Integers) -> None: ...
    def wrap_lines(self, texts: Iterable[str], width: int, rows: Integers) -> None: ...
    def count_kinds(
        self,
        texts: Iterable[str],
        kinds: NDArray[np.uint8],
        empty: int,
        counts: NDArray[np.float64],
        first: Integers,
        last: Integers,
    ) -> None: ...
    def find_copies(
        self,
        texts: list[str],
        groups: Integers,
        run_words: int,
        min_runs: int,
        min_share: float,
    ) -> list[int]: ...
