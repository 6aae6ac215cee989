"""What is known of an article beside its text: one record of plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, eq=False, kw_only=True)
class Metadata:
    """The fields of a page. What no source gives is None, or an empty tuple.

    headline        the article's title as a reader sees it, without the names of site and section
    description     standfirst or summary, as the page declares it
    date_published  ISO 8601: ``2024-05-01``, or with time, and with offset (such as ``+02:00``)
                    where the page tells one
    date_modified   the same, of the last change; None where the page does not tell it
    authors         one name each, without roles and "By"; agencies and editorial teams are authors
    language        ISO 639-1 code (two lower-case letters)
    main_image      absolute URL where the page's is known
    site_name       name of the site or publisher, not its domain
    section         name of the section, the last one of a path of sections
    tags            keywords and topics, each once, in the order of the page
    canonical_url   the page's own address by its canonical link or og:url, absolute
    is_accessible_for_free   False for articles behind a wall; None where the page does not tell
    article_type    schema.org type (``NewsArticle``), else og:type (``article``)
    evidence        field to the source that gave it, such as ``json-ld`` or ``og:title``; only
                    fields that have a value; ``date`` is another key for ``date_published``
    """

    headline: str | None = None
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
