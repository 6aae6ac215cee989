"""Distinguish articles from the other pages of a news site."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.http import TextResponse

# schema.org has a dozen kinds of article; all but the blog posts end in "Article".
ARTICLE_TYPE = re.compile(r"Article$|^(BlogPosting|LiveBlogPosting|Report)$")
DATED_PATH = re.compile(r"/(?:19|20)\d\d[/-][01]?\d[/-].*[a-z]", re.IGNORECASE)


def is_article(response: TextResponse) -> bool:
    """Whether the page declares an article, is marked up as one, or has a dated URL."""
    return (
        response.xpath("//meta[@property='og:type']/@content").get() == "article"
        or any(ARTICLE_TYPE.search(name) for name in read_declared_types(response))
        or len(response.xpath("//article[.//h1]")) == 1
        or DATED_PATH.search(urlsplit(response.url).path) is not None
    )


def read_declared_types(response: TextResponse) -> Iterator[str]:
    """Yield the schema.org types of the things that the page's JSON-LD is about."""
    for source in response.xpath("//script[@type='application/ld+json']/text()").getall():
        try:
            data: Any = json.loads(source)
        except ValueError:
            continue
        if isinstance(data, dict):
            data = data.get("@graph", data)
        for thing in data if isinstance(data, list) else [data]:
            kind = thing.get("@type") if isinstance(thing, dict) else None
            yield from (str(name) for name in (kind if isinstance(kind, list) else [kind]))
