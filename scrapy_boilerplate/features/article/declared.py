"""What a page declares about its kind: meta tags, JSON-LD, microdata, `time` elements."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from types import MappingProxyType

from scrapy_boilerplate.page import Page

TYPES: Mapping[str, re.Pattern[str]] = MappingProxyType(
    {
        "article": re.compile(r"Article$|BlogPosting|^Report$|^Review$|LiveBlog"),
        "product": re.compile(r"Product|Offer$|AggregateOffer|^Brand$"),
        "list": re.compile(r"CollectionPage|ItemList|SearchResultsPage|^Blog$|OfferCatalog"),
        "forum": re.compile(r"DiscussionForumPosting|QAPage|^Answer$|^Comment$|SocialMedia"),
        "service": re.compile(
            r"Service|Business|SoftwareApplication|Course|Event|JobPosting|WebApplication|Contact"
        ),
        "faq": re.compile(r"^FAQPage$|^Question$"),
        "breadcrumb": re.compile("BreadcrumbList"),
    }
)
"""Kind of page to the types of schema.org that declare it."""

PUBLISHED = frozenset(
    "article:published_time og:article:published_time datepublished dc.date dc.date.issued date "
    "publishdate pubdate parsely-pub-date sailthru.date dcterms.created article.published "
    "publish_date".split()
)
"""Names of the meta tags that date an article."""
AUTHOR = frozenset("author article:author dc.creator parsely-author sailthru.author byl".split())
"""Names of the meta tags that name an author."""
PRICE = frozenset(
    "product:price:amount og:price:amount product:price:currency og:price:currency og:availability "
    "product:availability product:brand".split()
)
"""Names of the meta tags that price a product."""

COLUMNS = {
    "og_article": "whether og:type is an article",
    "og_product": "whether og:type is a product",
    "og_other": "whether there is an og:type of another kind",
    "meta_published": "whether a meta tag says when it was published",
    "meta_author": "whether a meta tag names an author",
    "meta_section": "whether a meta tag names the section or tags of an article",
    "meta_price": "whether a meta tag tells a price",
    "metas": "log of 1 + the number of meta tags",
    "description": "log of 1 + the number of characters of the description",
    "ld_scripts": "log of 1 + the number of JSON-LD scripts",
    **{f"ld_{kind}": f"log of 1 + JSON-LD objects of the kind {kind}" for kind in TYPES},
    "ld_published": "whether JSON-LD says when it was published",
    "ld_author": "whether JSON-LD names an author",
    "ld_body": "whether JSON-LD holds the body of an article",
    "ld_price": "whether JSON-LD tells a price",
    "ld_rating": "whether JSON-LD tells a rating",
    "item_article": "whether microdata are about an article",
    "item_product": "whether microdata are about a product",
    "item_comment": "whether microdata are about comments or answers",
    "times": "log of 1 + the number of time elements",
    "bylines": "log of 1 + the number of links to an author",
    "title_words": "log of 1 + the number of words of the title",
    "title_parts": "number of bars and dashes in the title",
}
"""Name to what it is, in the order of `declared_row`."""

_type = re.compile(r'"@type"\s*:\s*\[?\s*"(?:https?://schema\.org/)?([^"]{1,40})"').findall
_parts = re.compile(r"\s[|\-\u2013\u2014:\u00b7]\s|\|").findall


def declared_row(page: Page) -> list[float]:
    """A number for each of COLUMNS; linear in what is declared."""
    declared = page.declared
    return [
        *_of_metas(page),
        *_of_json_ld("\n".join(declared.json_ld), len(declared.json_ld)),
        *_of_items({scope for _, _, scope in declared.items}),
        math.log1p(len(declared.times)),
        math.log1p(len(declared.bylines)),
        math.log1p(len(page.title.split())),
        float(len(_parts(page.title))),
    ]


def _of_metas(page: Page) -> list[float]:
    metas = dict(page.declared.metas)
    names = metas.keys()
    kind = metas.get("og:type", "").lower()
    article, product = "article" in kind or "blog" in kind, "product" in kind
    return [
        float(article),
        float(product),
        float(bool(kind) and not article and not product),
        float(not PUBLISHED.isdisjoint(names)),
        float(not AUTHOR.isdisjoint(names)),
        float("article:section" in names or "article:tag" in names),
        float(not PRICE.isdisjoint(names)),
        math.log1p(len(page.declared.metas)),
        math.log1p(len(page.description)),
    ]


def _of_json_ld(text: str, scripts: int) -> list[float]:
    types = _type(text) if text else []
    return [
        math.log1p(scripts),
        *(math.log1p(sum(map(bool, map(known.search, types)))) for known in TYPES.values()),
        float('"datePublished"' in text),
        float('"author"' in text),
        float('"articleBody"' in text),
        float('"price' in text),
        float('"ratingValue"' in text),
    ]


def _of_items(scopes: set[str]) -> list[float]:
    return [
        float(any(map(TYPES["article"].search, scopes))),
        float(any(map(TYPES["product"].search, scopes))),
        float(any(map(TYPES["forum"].search, scopes))),
    ]
