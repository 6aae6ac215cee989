"""Which response an item came from, between the spider middleware and the pipeline."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from scrapy.http import Response

MAX_TIED = 10_000
"""Items between the two components at most. A crawl holds a few hundred; more pile up only where
a component in between drops items, and then the oldest are let go."""


class ItemTies:
    """Remembers (item, response) from `tie` until `take`; bounded.

    Items are told apart by identity: many kinds can be neither hashed nor referenced weakly.
    """

    def __init__(self, limit: int = MAX_TIED) -> None:
        self._limit = limit
        self._tied: OrderedDict[int, tuple[Any, Response]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._tied)

    def tie(self, item: Any, response: Response) -> None:
        """Note that `item` came from `response`; a later note for the same item replaces it."""
        self._tied[id(item)] = item, response
        self._tied.move_to_end(id(item))
        if len(self._tied) > self._limit:
            self._tied.popitem(last=False)

    def take(self, item: Any) -> Response | None:
        """The response of `item`, once; None if it is not known."""
        tied = self._tied.pop(id(item), None)
        return None if tied is None else tied[1]
