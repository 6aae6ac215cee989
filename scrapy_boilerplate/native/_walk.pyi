from types import ModuleType
from typing import Any

from lxml.etree import _Element

class Reader:
    def __init__(
        self,
        *,
        element_type: type[_Element],
        inline: frozenset[str],
        invisible: frozenset[str],
        metadata: frozenset[str],
        breaks: tuple[int, ...],
        json_ld_limit: int,
        value_limit: int,
        microdata_limit: int,
        scope_limit: int,
        node_limit: int,
    ) -> None: ...
    def read(self, element: object) -> tuple[Any, ...] | None: ...

def find_obstacle(etree: ModuleType) -> str: ...
