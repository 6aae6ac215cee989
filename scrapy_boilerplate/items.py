"""The fields of a document: their types, meanings and places.

`ArticleItem` is the specification: name, type, default and meaning of every field. The fields of
items and of records, the columns of tables, and docs/reference/fields.md follow from it.

To add a field:

1. Write its row and docstring into `ArticleItem`, with ``metadata=ON_REQUEST`` and "Optional."
   where an item gets it only on request. A new type needs a row in `create_arrow_schema` of
   `batch.rows`.
2. Fill it by an attribute of the same name: of `metadata.fields.Metadata`, with a function in
   `metadata.fields.FINDERS`, if the page declares it; else of `document.Document`, set by
   `build_document`, and by `build_overdue_document` too if it only depends on the text. A property
   that reads the page is named in `document.LAZY_FIELDS`; one over the text, like `fingerprint`,
   is not.

``python -m tests.reference`` writes the tables.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

ON_REQUEST = {"filled": "on request"}
"""Metadata of the fields that an item gets where its class declares them, or by
``BOILERPLATE_FIELDS``."""
BY_OTHERS = {"filled": "by others"}
"""Metadata of the fields that the spider or another pipeline sets."""


@dataclass(kw_only=True)
class ArticleItem:
    """An article: ``yield ArticleItem(url=response.url)``, and the add-on fills in the rest.

    A field that the spider sets stays. None means that the value was not computed, or that the
    page does not declare it; "" and empty lists mean that the page has no such value. A list of
    names in `BOILERPLATE_FIELDS` says which fields are filled.
    """

    url: str = field(metadata=BY_OTHERS)
    """Address of the page, after redirects."""

    headline: str | None = None
    """Title of the article as a reader sees it, without the names of site and section."""

    text: str | None = None
    """Main content without headline, captions and comments. Paragraphs are separated by a blank
    line, lines of a paragraph (`br`, verses) by a newline. If the page shows almost no text, the
    body in its JSON-LD. The text of a live blog includes entries that are only in the JSON-LD. ""
    if the page has no text."""

    blocks: list[dict[str, Any]] | None = None
    """Every text block of the page in order: dicts of `text`, `label` (`headline`, `full_text`,
    `supplemental`, `related`, `comments`, `boilerplate`) and `score` (0 to 1); with
    `BOILERPLATE_BLOCKS = "all"` also `xpath`."""

    comments: list[str] | None = None
    """Text of each block of user comments, in the order of the page."""

    description: str | None = None
    """Standfirst or summary, as the page declares it."""

    date_published: str | None = None
    """ISO 8601: `2024-05-01`, with time (`2024-05-01T08:30:00`) and offset (`+02:00`, `Z`) if the
    page has them."""

    date_modified: str | None = None
    """Date of the last change, in the format of `date_published`."""

    authors: list[str] | None = None
    """Names without roles and "By". Agencies and editorial teams count as authors."""

    language: str | None = None
    """ISO 639-1 code (two lower-case letters). The extra `[language]` checks it against the
    text."""

    main_image: str | None = None
    """Absolute URL of the main picture of the article."""

    section: str | None = None
    """Name of the section, the last one of a path of sections."""

    tags: list[str] | None = None
    """Keywords and topics, each once."""

    confidence: float | None = None
    """Expected F1 of `text`, from 0 (no text, or certainly wrong) to 1. The values of different
    extractors cannot be compared."""

    extractor: str | None = None
    """Name of the extractor."""

    html: str | None = field(default=None, metadata=ON_REQUEST)
    """Optional. Main content as clean HTML: paragraphs, sub-headings, lists, quotes, tables,
    figures with captions, absolute links. Nothing executable. Needs the extra `[html]`."""

    markdown: str | None = field(default=None, metadata=ON_REQUEST)
    """Optional. `html` as Markdown (CommonMark with tables). Needs the extra `[html]`."""

    supplemental: list[str] | None = field(default=None, metadata=ON_REQUEST)
    """Optional. Text of each caption, fact box or similar block."""

    related: list[str] | None = field(default=None, metadata=ON_REQUEST)
    """Optional. Text of each block that links to other articles."""

    article_probability: float | None = field(default=None, metadata=ON_REQUEST)
    """Optional. Probability (0 to 1) that the page is an article, not a list or front page."""

    site_pages: int | None = field(default=None, metadata=ON_REQUEST)
    """Optional; enabled by `BOILERPLATE_SITE`. Number of other pages of the site that were known
    when the page was labelled."""

    fingerprint: str | None = field(default=None, metadata=ON_REQUEST)
    """Optional. 32 hexadecimal digits, equal for the same text. "" if there is no text."""

    simhash: str | None = field(default=None, metadata=ON_REQUEST)
    """Optional. 32 hexadecimal digits that differ in few bits for nearly the same text. "" for
    fewer than 22 words."""

    is_article: bool | None = field(default=None, metadata=BY_OTHERS)
    """Whether `article_probability` is `BOILERPLATE_ARTICLE_THRESHOLD` or more. Classes get it if
    they declare it, dicts with `BOILERPLATE_ARTICLES_ONLY = "mark"`."""

    duplicate: str | None = field(default=None, metadata=BY_OTHERS)
    """Set by `BoilerplateDuplicatesPipeline` if the article was crawled before: `exact`, `updated`,
    `near` or `template`."""

    change: str | None = field(default=None, metadata=BY_OTHERS)
    """Set by `BoilerplateDuplicatesPipeline` with `BOILERPLATE_CHANGES`. Change of the article
    since it was last crawled at its address: `new`, `unchanged` or `updated`."""

    previous_fingerprint: str | None = field(default=None, metadata=BY_OTHERS)
    """Set with `change`. The previous `fingerprint` of the article."""

    previously_seen: str | None = field(default=None, metadata=BY_OTHERS)
    """Set with `change`. Time of the previous crawl of the article: `2026-11-22T15:13:26Z`."""

    paragraphs_added: list[str] | None = field(default=None, metadata=BY_OTHERS)
    """Set with `BOILERPLATE_CHANGES = "paragraphs"`. Paragraphs that the previous version did not
    have. None if the article is new, or one of its two versions has more than 200 paragraphs."""

    paragraphs_removed: list[str] | None = field(default=None, metadata=BY_OTHERS)
    """Set like `paragraphs_added`. The first 60 characters of each paragraph that only the previous
    version has."""

    found_in: str | None = field(default=None, metadata=BY_OTHERS)
    """Set by `NewsSpider`. URL of the feed, sitemap or page that links to the article."""

    site_name: str | None = field(default=None, metadata=ON_REQUEST)
    """Optional. Name of the site or publisher, not its domain."""

    canonical_url: str | None = field(default=None, metadata=ON_REQUEST)
    """Optional. Absolute URL that the page declares as its own."""

    is_accessible_for_free: bool | None = field(default=None, metadata=ON_REQUEST)
    """Optional. False for articles behind a paywall, as the page declares it."""

    article_type: str | None = field(default=None, metadata=ON_REQUEST)
    """Optional. schema.org type (`NewsArticle`), else og:type (`article`)."""

    evidence: dict[str, str] | None = field(default=None, metadata=ON_REQUEST)
    """Optional. Source of each field, such as `json-ld` or `meta og:title`; `date` refers to
    `date_published`. `text` is `json-ld` if the page shows almost no text."""

    partial: str | None = field(default=None, metadata=ON_REQUEST)
    """Optional. Reason why the page was not read to its end: the budget `bytes`, `elements` or
    `milliseconds`, or `depth`; `pages` if pages of the article are missing."""

    entries: list[dict[str, str | None]] | None = field(default=None, metadata=ON_REQUEST)
    """Optional. Entries of a live blog, in the order of the page: dicts of `time` (ISO 8601),
    `headline`, `text` and `author`. A missing value is None, a missing `text` "". Empty for other
    pages."""

    stub: str | None = field(default=None, metadata=ON_REQUEST)
    """Optional. Reason why the page has no article or only its beginning: `paywall`, `consent`,
    `script` (it shows nothing without JavaScript), `challenge` (a check for bots) or `error`."""

    pages: list[str] | None = field(default=None, metadata=ON_REQUEST)
    """Optional; enabled by `BOILERPLATE_PAGES`. URLs of the pages of an article that were joined,
    in order. Empty for an article on one page."""


DEFAULT_FIELDS = tuple(row.name for row in fields(ArticleItem) if not row.metadata)
"""What an item gets unless ``BOILERPLATE_FIELDS`` says otherwise, in order."""
OPTIONAL_FIELDS = tuple(row.name for row in fields(ArticleItem) if row.metadata == ON_REQUEST)
"""What an item gets where its class declares it, or by ``BOILERPLATE_FIELDS``."""
ALL_FIELDS = (*DEFAULT_FIELDS, *OPTIONAL_FIELDS)

MARKUP_FIELDS = ("html", "markdown")
"""The fields that a record has on request; they need the extra [html]."""
RECORD_ORDER = (
    *("url", "text", "headline", "description", "date_published", "date_modified", "authors"),
    *("language", "main_image", "site_name", "section", "tags", "canonical_url"),
    *("is_accessible_for_free", "article_type", "evidence", "comments", "supplemental", "related"),
    *("article_probability", "confidence", "extractor", "partial"),
    *("site_pages", "fingerprint", "simhash"),
)
"""The fields that stored records start with: their columns keep this order."""
RECORD_FIELDS = (
    *RECORD_ORDER,
    *(name for name in ALL_FIELDS if name not in {*RECORD_ORDER, *MARKUP_FIELDS, "blocks"}),
)
"""The fields of a record, in the order of keys and columns; `blocks` come last."""
