"""The functions that `Document` calls for its late fields: this module is a `LateFields`."""

from scrapy_boilerplate.news.article_probability import compute_article_probability
from scrapy_boilerplate.news.comment_list import list_comments
from scrapy_boilerplate.news.live_blog import (
    add_entries,
    declares_entries,
    find_entries,
    place_entries,
)
from scrapy_boilerplate.news.pagination import find_pagination
from scrapy_boilerplate.news.stub import find_stub

__all__ = [
    "add_entries",
    "compute_article_probability",
    "declares_entries",
    "find_entries",
    "find_pagination",
    "find_stub",
    "list_comments",
    "place_entries",
]
