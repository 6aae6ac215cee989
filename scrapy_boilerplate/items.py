"""The fields of a document: their types, meanings and places.

`ArticleItem` is the specification: name, type, default and meaning of every field. The fields of
items and of records, the columns of tables, and docs/reference/fields.md follow from it.

To add a field:

1. Write its row and docstring into `ArticleItem`, with ``metadata=ON_REQUEST`` and "Optional."
   where an item gets it only on request.
2. Compute it in a property of the same name: of `metadata.fields.Metadata` if the page declares it,
   of `article.fields.ArticleFields` if it is computed from the labelled page, else of
   `document.Document`.

``python -m tests.reference`` writes the tables.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from typing import NotRequired, TypedDict

# Metadata of the fields that an item gets by ``BOILERPLATE_FIELDS``, or where a class other than
# `ArticleItem` declares them.
ON_REQUEST = {"filled": "on request"}
# Metadata of the fields that the spider or another pipeline sets.
BY_OTHERS = {"filled": "by others"}


class Block(TypedDict):
    """A text block."""

    text: str
    label: str
    score: float
    xpath: NotRequired[str]


class Comment(TypedDict):
    """A comment of a reader; None where the markup does not name the author or the date."""

    author: str | None
    date: str | None
    text: str


class Entry(TypedDict):
    """An entry of a live blog."""

    time: str | None
    headline: str | None
    text: str
    author: str | None


class Image(TypedDict):
    """A picture of an article; None where it has no caption, credit or alternative text."""

    url: str
    caption: str | None
    credit: str | None
    alt: str | None


class Video(TypedDict):
    """An embedded video."""

    url: str
    provider: str
    title: str | None


class TextLink(TypedDict):
    """A link in the text."""

    url: str
    text: str


class Reservation(TypedDict):
    """What a site declares about the use of its text."""

    scheme: str
    value: str | None
    policy: str | None
    source: str | None


class Table(TypedDict):
    """A table in the text."""

    caption: str | None
    rows: list[list[str]]


@dataclass(kw_only=True)
class ArticleItem:
    """An article: ``yield ArticleItem(url=response.url)``, and the add-on fills in the rest.

    A field that the spider sets stays. None means that the value was not computed, or that the
    page does not declare it; "" and empty lists mean that the page has no such value. Optional
    fields are filled if `BOILERPLATE_FIELDS` names them, or a subclass declares them again. With a
    list of names in `BOILERPLATE_FIELDS`, only these fields are filled.
    """

    url: str = field(metadata=BY_OTHERS)
    """URL of the page, after redirects."""

    headline: str | None = None
    """Title as a reader sees it, without the name of the site at its end."""

    text: str | None = None
    """Main content without headline, captions and comments: paragraphs with a blank line between
    them, lines of a paragraph with a newline. If the page shows almost no text, the body in its
    JSON-LD. Entries of a live blog that are only in the JSON-LD are included. "" without text."""

    blocks: list[Block] | None = None
    """Every text block in order: dicts of `text`, `label` (`headline`, `full_text`, `supplemental`,
    `related`, `comments`, `boilerplate`) and `score` (0 to 1); with `BOILERPLATE_BLOCKS = "all"`
    also `xpath`."""

    comments: list[str] | None = None
    """Text of each block of user comments."""

    description: str | None = None
    """Standfirst or summary, as declared."""

    date_published: str | None = None
    """ISO 8601: `2024-05-01`, or with time (`2024-05-01T08:30:00`) and offset (`+02:00`) if the
    page has them."""

    date_modified: str | None = None
    """Date of the last change, like `date_published`."""

    authors: list[str] | None = None
    """Names without roles and "By"; agencies and editorial teams too."""

    language: str | None = None
    """ISO 639-1 code. It is checked against the script and common words of the text, and with
    `[language]` by py3langid."""

    main_image: str | None = None
    """Absolute URL of the main picture that the page declares, unless it is a logo or a default
    card; else of the first picture of the article."""

    section: str | None = None
    """Section; the last one if the page declares a path of sections."""

    tags: list[str] | None = None
    """Keywords and topics, each once."""

    confidence: float | None = None
    """Expected F1 of `text`, 0 to 1; not comparable between extractors."""

    extractor: str | None = None
    """Name of the extractor."""

    html: str | None = field(default=None, metadata=ON_REQUEST)
    """Optional. Main content as clean HTML: paragraphs, sub-headings, lists, quotes, tables,
    figures with captions, absolute links; nothing executable."""

    markdown: str | None = field(default=None, metadata=ON_REQUEST)
    """Optional. `html` as Markdown (CommonMark with tables). Needs the extra `[html]`."""

    supplemental: list[str] | None = field(default=None, metadata=ON_REQUEST)
    """Optional. Text of each caption, fact box or similar block."""

    related: list[str] | None = field(default=None, metadata=ON_REQUEST)
    """Optional. Text of each block that links to other articles."""

    article_probability: float | None = field(default=None, metadata=ON_REQUEST)
    """Optional. Probability (0 to 1) that the page is an article, not a list or front page."""

    site_pages: int | None = field(default=None, metadata=ON_REQUEST)
    """Optional; enabled by `BOILERPLATE_SITE`. Number of known pages of the site when the page was
    labelled."""

    fingerprint: str | None = field(default=None, metadata=ON_REQUEST)
    """Optional. 32 hexadecimal digits, equal for equal texts; "" without text."""

    simhash: str | None = field(default=None, metadata=ON_REQUEST)
    """Optional. 32 hexadecimal digits; similar texts have values that differ in few bits. "" for
    fewer than 22 words."""

    is_article: bool | None = field(default=None, metadata=BY_OTHERS)
    """Whether `article_probability` is `BOILERPLATE_ARTICLE_THRESHOLD` or more; for classes that
    declare it, and dicts with `BOILERPLATE_ARTICLES_ONLY = "mark"`."""

    duplicate: str | None = field(default=None, metadata=BY_OTHERS)
    """Set by `BoilerplateDuplicatesPipeline` for a known article: `exact`, `updated`, `near` or
    `template`."""

    change: str | None = field(default=None, metadata=BY_OTHERS)
    """Set by `BoilerplateDuplicatesPipeline` with `BOILERPLATE_CHANGES`. Change since the last
    crawl of the article: `new`, `unchanged` or `updated`."""

    previous_fingerprint: str | None = field(default=None, metadata=BY_OTHERS)
    """Set with `change`. Previous `fingerprint`."""

    previously_seen: str | None = field(default=None, metadata=BY_OTHERS)
    """Set with `change`. Time of the previous crawl: `2026-11-22T15:13:26Z`."""

    paragraphs_added: list[str] | None = field(default=None, metadata=BY_OTHERS)
    """Set with `BOILERPLATE_CHANGES = "paragraphs"`. New paragraphs. None if the article is new, or
    a version has more than 200 paragraphs."""

    paragraphs_removed: list[str] | None = field(default=None, metadata=BY_OTHERS)
    """Set like `paragraphs_added`. The first 60 characters of each removed paragraph."""

    found_in: str | None = field(default=None, metadata=BY_OTHERS)
    """Set by `NewsSpider`. URL of the feed, sitemap or page with the link."""

    site_name: str | None = field(default=None, metadata=ON_REQUEST)
    """Optional. Name of the site or publisher."""

    canonical_url: str | None = field(default=None, metadata=ON_REQUEST)
    """Optional. Absolute URL that the page declares as its own."""

    is_accessible_for_free: bool | None = field(default=None, metadata=ON_REQUEST)
    """Optional. False for articles behind a paywall, as declared."""

    kicker: str | None = field(default=None, metadata=ON_REQUEST)
    """Optional. Short line above the headline, or at the start of its heading, in an element named
    as a kicker. `headline` includes it if every declared headline does."""

    article_type: str | None = field(default=None, metadata=ON_REQUEST)
    """Optional. schema.org type (`NewsArticle`), else og:type (`article`)."""

    evidence: dict[str, str] | None = field(default=None, metadata=ON_REQUEST)
    """Optional. Source of each field, such as `json-ld` or `og:title`; `date` is another key for
    `date_published`. `text` is `json-ld` if the page shows almost no text."""

    partial: str | None = field(default=None, metadata=ON_REQUEST)
    """Optional. Reason why the page was not read to its end: `bytes`, `elements`, `milliseconds` or
    `depth`; `pages` if pages of the article are missing."""

    entries: list[Entry] | None = field(default=None, metadata=ON_REQUEST)
    """Optional. Entries of a live blog: dicts of `time` (ISO 8601), `headline`, `text` and
    `author`. Missing values are None, a missing `text` is ""."""

    stub: str | None = field(default=None, metadata=ON_REQUEST)
    """Optional. Reason why the article is missing or cut: `paywall`, `consent`, `script` (shown by
    JavaScript), `challenge` (a check for bots) or `error`."""

    reservations: list[Reservation] | None = field(default=None, metadata=ON_REQUEST)
    """Optional; enabled by `BOILERPLATE_RESERVATIONS`. What the site declares about the use of the
    text: dicts of `scheme`, `value`, `policy` and `source`."""

    pages: list[str] | None = field(default=None, metadata=ON_REQUEST)
    """Optional; enabled by `BOILERPLATE_PAGES`. URLs of the joined pages of an article; empty for
    one page."""

    comment_list: list[Comment] | None = field(default=None, metadata=ON_REQUEST)
    """Optional. Comments of readers: dicts of `author`, `date` (ISO 8601) and `text`; author and
    date can be None."""

    images: list[Image] | None = field(default=None, metadata=ON_REQUEST)
    """Optional. Pictures in `html`: dicts of `url`, `caption`, `credit` and `alt` (alternative
    text); the last three can be None. A credit in the caption is only in `credit`."""

    videos: list[Video] | None = field(default=None, metadata=ON_REQUEST)
    """Optional. Embedded videos, which are links in `html`: dicts of `url`, `provider` (such as
    `youtube`, or the host) and `title`, which can be None."""

    links: list[TextLink] | None = field(default=None, metadata=ON_REQUEST)
    """Optional. Links in the text of `html`, each once: dicts of `url` and `text`."""

    tables: list[Table] | None = field(default=None, metadata=ON_REQUEST)
    """Optional. Tables in `html`: dicts of `caption` (None without one) and `rows`, lists of the
    text of each cell, headers included. A cell that spans several columns or rows is in the first,
    the others are ""."""


# Fields of an item by default, in order.
DEFAULT_FIELDS = tuple(row.name for row in fields(ArticleItem) if not row.metadata)
# Fields of an item if its own class declares them or ``BOILERPLATE_FIELDS`` adds them.
OPTIONAL_FIELDS = tuple(row.name for row in fields(ArticleItem) if row.metadata == ON_REQUEST)
ALL_FIELDS = (*DEFAULT_FIELDS, *OPTIONAL_FIELDS)

# The fields with the markup of the article.
MARKUP_FIELDS = ("html", "markdown")
# The fields that are lists of parts of `html`.
CONTENT_FIELDS = ("images", "videos", "links", "tables")
# Fields of a record on request.
ADDED_FIELDS = (*MARKUP_FIELDS, *CONTENT_FIELDS, "comment_list")
# The fields that stored records start with: their columns keep this order.
RECORD_ORDER = (
    *("url", "text", "headline", "description", "date_published", "date_modified", "authors"),
    *("language", "main_image", "site_name", "section", "tags", "canonical_url"),
    *("is_accessible_for_free", "article_type", "evidence", "comments", "supplemental", "related"),
    *("article_probability", "confidence", "extractor", "partial"),
    *("site_pages", "fingerprint", "simhash"),
)
# The fields of a record, in the order of keys and columns; `blocks` come last.
RECORD_FIELDS = (
    *RECORD_ORDER,
    *(name for name in ALL_FIELDS if name not in {*RECORD_ORDER, *ADDED_FIELDS, "blocks"}),
)


def describe_unknown_field(name: str, known: Iterable[str]) -> str:
    """Return an error message for a name that is not in `known`: the nearest name, and all."""
    names = tuple(known)
    near = difflib.get_close_matches(name, names, n=1)
    hint = f"did you mean {near[0]!r}? The" if near else "the"
    return f"there is no field {name!r}; {hint} fields are {', '.join(names)}"
