"""All metadata of a labelled page: one function a field, and which source won."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lxml import etree

from scrapy_boilerplate.metadata.about import (
    article_type,
    canonical_url,
    description,
    is_accessible_for_free,
    main_image,
    section,
    site_name,
    tags,
)
from scrapy_boilerplate.metadata.authors import authors
from scrapy_boilerplate.metadata.facts import Facts
from scrapy_boilerplate.metadata.fields import Metadata
from scrapy_boilerplate.metadata.headline import headline
from scrapy_boilerplate.metadata.language import language
from scrapy_boilerplate.metadata.publication_dates import modified, published
from scrapy_boilerplate.page.labels import Labeling
from scrapy_boilerplate.page.page import Page

FIELDS: dict[str, Callable[[Facts], tuple[Any, str] | None]] = {
    "headline": headline,
    "description": description,
    "date_published": published,
    "date_modified": modified,
    "authors": authors,
    "language": language,
    "main_image": main_image,
    "site_name": site_name,
    "section": section,
    "tags": tags,
    "canonical_url": canonical_url,
    "is_accessible_for_free": is_accessible_for_free,
    "article_type": article_type,
}
"""Field to the function that gives (value, source), or None where no source gives one."""


def metadata_of(page: Page, labeling: Labeling, tree: etree._Element | None = None) -> Metadata:
    """What the page says of itself; any page gives a record.

    `tree`, the root of the page's tree, is only read, and only where no other source tells a date
    (`metadata.publication_dates`); without it such a page has none.
    """
    facts = Facts(page, labeling, tree)
    found = {name: value for name, field in FIELDS.items() if (value := field(facts)) is not None}
    values = {name: value for name, (value, _) in found.items()}
    evidence = {name: source for name, (_, source) in found.items()}
    if "date_published" in evidence:
        evidence["date"] = evidence["date_published"]
    return Metadata(**values, evidence=evidence)
