"""What a page declares about its kind: meta tags, JSON-LD, microdata, title."""

from __future__ import annotations

import math
import re

from scrapy_boilerplate.page import Page
from scrapy_boilerplate.text import count_words

PUBLISHED = frozenset(
    "article:published_time og:article:published_time datepublished dc.date dc.date.issued date "
    "publishdate pubdate parsely-pub-date sailthru.date dcterms.created article.published "
    "publish_date".split()
)
"""Names of the meta tags that date an article."""
AUTHOR = frozenset("author article:author dc.creator parsely-author sailthru.author byl".split())
"""Names of the meta tags that name an author."""

COLUMNS = {
    "og_article": "whether og:type is an article",
    "og_product": "whether og:type is a product",
    "meta_published": "whether a meta tag says when it was published",
    "meta_author": "whether a meta tag names an author",
    "ld_article": "log of 1 + the number of articles in JSON-LD",
    "ld_breadcrumb": "whether JSON-LD holds a path of sections",
    "ld_author": "whether JSON-LD names an author",
    "ld_price": "whether JSON-LD tells a price",
    "ld_rating": "whether JSON-LD tells a rating",
    "item_comment": "whether microdata are about contributions to a discussion",
    "title_words": "log of 1 + the number of words of the title",
    "title_parts": "number of bars, dashes and colons in the title",
}
"""Name to what it is, in the order of `declared_row`."""

_type = re.compile(r'"@type"\s*:\s*\[?\s*"([^"]{1,60})"').findall
_is_article = re.compile(r"Article$|BlogPosting$|LiveBlog|\b(?:Report|Review)$").search
_is_comment = re.compile(r"DiscussionForumPosting|QAPage|SocialMedia|^(?:Answer|Comment)$").search
_separators = re.compile("\\s[|\u2013\u2014:\u00b7-]\\s|\\|").findall


def declared_row(page: Page) -> list[float]:
    """A number for each of COLUMNS; linear in what is declared."""
    return [
        *_of_metas(page),
        *_of_json_ld("\n".join(page.declared.json_ld)),
        float(any(_is_comment(scope) for _, _, scope in page.declared.items)),
        math.log1p(count_words(page.title)),
        float(len(_separators(page.title))),
    ]


def _of_metas(page: Page) -> list[float]:
    metas = dict(page.declared.metas)
    kind = metas.get("og:type", "").lower()
    article = "article" in kind or "blog" in kind
    return [
        float(article),
        float("product" in kind and not article),
        float(not PUBLISHED.isdisjoint(metas)),
        float(not AUTHOR.isdisjoint(metas)),
    ]


def _of_json_ld(text: str) -> list[float]:
    """By pattern: a page's JSON-LD is not decoded for this, and can be broken."""
    types = _type(text)
    return [
        math.log1p(sum(_is_article(one) is not None for one in types)),
        float(any("BreadcrumbList" in one for one in types)),
        float('"author"' in text),
        float('"price' in text),
        float('"ratingValue"' in text),
    ]
