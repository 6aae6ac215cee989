"""The functions of `news` that `Document` calls for fields that are computed late."""

from __future__ import annotations

from scrapy_boilerplate.news.article_probability import compute_article_probability
from scrapy_boilerplate.news.live_blog import (
    add_entries,
    declares_entries,
    find_entries,
    place_entries,
)
from scrapy_boilerplate.news.pagination import find_pagination
from scrapy_boilerplate.news.stub import find_stub


class NewsFields:
    """Implements `document.LateFields`."""

    compute_article_probability = staticmethod(compute_article_probability)
    declares_entries = staticmethod(declares_entries)
    find_entries = staticmethod(find_entries)
    add_entries = staticmethod(add_entries)
    place_entries = staticmethod(place_entries)
    find_stub = staticmethod(find_stub)
    find_pagination = staticmethod(find_pagination)


NEWS_FIELDS = NewsFields()
