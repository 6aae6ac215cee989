"""Which response an item came from, between the spider middleware and the pipeline."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any
from weakref import ReferenceType, ref

from scrapy.http import Response

MAX_TIED = 10_000
"""Items between the two components at most. A crawl has a few hundred on their way. More pile up
only where items that hold their response are dropped in between; then the oldest are let go."""


class ItemTies:
    """Remembers (item, response) from `tie` until `take`, or until the response is gone.

    Items are told apart by identity: many kinds can be neither hashed nor referenced weakly.
    Responses are held weakly: Scrapy keeps each one alive until its items are through, and an item
    that another component drops must not keep its page in memory.
    """

    def __init__(self, limit: int = MAX_TIED) -> None:
        self._limit = limit
        self._tied: OrderedDict[int, tuple[Any, ReferenceType[Response]]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._tied)

    def tie(self, item: Any, response: Response) -> None:
        """Note that `item` came from `response`; a later note for the same item replaces it."""
        key = id(item)
        self._tied[key] = item, ref(response, lambda gone: self._forget(key, gone))
        self._tied.move_to_end(key)
        if len(self._tied) > self._limit:
            self._tied.popitem(last=False)

    def take(self, item: Any) -> Response | None:
        """The response of `item`, once; None if it is not known."""
        tied = self._tied.pop(id(item), None)
        return None if tied is None else tied[1]()

    def _forget(self, key: int, gone: ReferenceType[Response]) -> None:
        if key in self._tied and self._tied[key][1] is gone:
            del self._tied[key]
