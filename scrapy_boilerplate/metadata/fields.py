"""The metadata of a labelled page: `Metadata`, and FINDERS with one function for each field."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from lxml import etree

from scrapy_boilerplate.metadata.authors import find_authors
from scrapy_boilerplate.metadata.dates import find_date_modified, find_date_published
from scrapy_boilerplate.metadata.declared_fields import (
    CANONICAL_URL,
    IMAGE,
    find_article_type,
    find_description,
    find_is_accessible_for_free,
    find_site_name,
    find_url,
)
from scrapy_boilerplate.metadata.headline import find_headline, find_kicker
from scrapy_boilerplate.metadata.language import find_text_language
from scrapy_boilerplate.metadata.sources import MetadataSources
from scrapy_boilerplate.metadata.topics import find_section, find_tags
from scrapy_boilerplate.page.labels import Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.text import compose


@dataclass(frozen=True, eq=False, kw_only=True)
class Metadata:
    """The metadata fields of a page. A field without a source is None, or an empty tuple.

    headline        the title as a reader sees it, without the name of the site at its end
    kicker          short line above the headline, or before it in its heading
    description     standfirst or summary, as the page declares it
    date_published  ISO 8601: ``2024-05-01``, or with time, and with offset (such as ``+02:00``)
                    where the page has one
    date_modified   the same, of the last change; None where the page does not give it
    authors         one name each, without roles and "By"; agencies and editorial teams are authors
    language        ISO 639-1 code (two lower-case letters)
    main_image      absolute URL where the page's is known
    site_name       name of the site or publisher, not its domain
    section         name of the section, the last one of a path of sections
    tags            keywords and topics, each once, in the order of the page
    canonical_url   the page's own address by its canonical link or og:url, absolute
    is_accessible_for_free   False for articles behind a paywall; None where not declared
    article_type    schema.org type (``NewsArticle``), else og:type (``article``)
    evidence        field to the source that gave it, such as ``json-ld`` or ``og:title``; only
                    fields that have a value; ``date`` is another key for ``date_published``,
                    ``text`` names the source of a text that the page does not show
    """

    headline: str | None = None
    kicker: str | None = None
    description: str | None = None
    date_published: str | None = None
    date_modified: str | None = None
    authors: tuple[str, ...] = ()
    language: str | None = None
    main_image: str | None = None
    site_name: str | None = None
    section: str | None = None
    tags: tuple[str, ...] = ()
    canonical_url: str | None = None
    is_accessible_for_free: bool | None = None
    article_type: str | None = None
    evidence: Mapping[str, str] = field(default_factory=dict, hash=False)


# Field to the function that returns (value, source), or None if no source has a value.
FINDERS: dict[str, Callable[[MetadataSources], tuple[Any, str] | None]] = {
    "headline": find_headline,
    "kicker": find_kicker,
    "description": find_description,
    "date_published": lambda sources: sources.remember(find_date_published),
    "date_modified": find_date_modified,
    "authors": find_authors,
    "language": find_text_language,
    "main_image": partial(find_url, table=IMAGE),
    "site_name": find_site_name,
    "section": find_section,
    "tags": find_tags,
    "canonical_url": partial(find_url, table=CANONICAL_URL),
    "is_accessible_for_free": find_is_accessible_for_free,
    "article_type": find_article_type,
}


# Fields whose values are addresses: their characters stay as they are.
ADDRESSES = frozenset({"main_image", "canonical_url"})


def find_field(sources: MetadataSources, name: str) -> tuple[Any, str] | None:
    """Return (value of a field of FINDERS, source); None without a source."""
    result = FINDERS[name](sources)
    if result is None or name in ADDRESSES:
        return result
    value, source = result
    if isinstance(value, str):
        return compose(value), source
    return (tuple(map(compose, value)), source) if isinstance(value, tuple) else result


def find_metadata(page: Page, labeling: Labeling, tree: etree._Element | None = None) -> Metadata:
    """Return the metadata of a labelled page; any page gives a record.

    `tree`, the root of the page's tree, is only read. htmldate searches it if no other source has a
    date of publication; without `tree` the date is then None.
    """
    sources = MetadataSources(page, labeling, tree)
    results = {name: result for name in FINDERS if (result := find_field(sources, name))}
    values: dict[str, Any] = {name: value for name, (value, _) in results.items()}
    return Metadata(**values, evidence=add_date({name: results[name][1] for name in results}))


def add_date(evidence: dict[str, str]) -> dict[str, str]:
    """Return evidence with ``date``, another key for ``date_published``."""
    published = evidence.get("date_published")
    return evidence if published is None else {**evidence, "date": published}
