"""`Document`: text and metadata of a labelled page."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import repeat
from operator import itemgetter
from typing import Any, Self, TypeVar

import numpy as np
from lxml import etree

from scrapy_boilerplate.article.fields import ARTICLE_FIELDS, ArticleFields
from scrapy_boilerplate.article.live_blog import add_entries, declares_entries, place_entries
from scrapy_boilerplate.items import (
    CONTENT_FIELDS,
    MARKUP_FIELDS,
    Image,
    Reservation,
    Table,
    TextLink,
    Video,
)
from scrapy_boilerplate.metadata.fields import METADATA_FIELDS, Finder, find_field
from scrapy_boilerplate.metadata.json_ld import find_hidden_body
from scrapy_boilerplate.metadata.sources import MetadataSources
from scrapy_boilerplate.page.labels import RULE, Label, Labeling
from scrapy_boilerplate.page.limits import MILLISECONDS, PAGES, OutOfTimeError
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.text import (
    compose,
    count_words,
    has_words,
    replace_surrogates,
    split_paragraphs,
)

T = TypeVar("T")
V = TypeVar("V", str, bool, tuple[str, ...])

logger = logging.getLogger(__name__)

# A page with fewer words outside links has almost no visible text. A hidden body replaces it only
# if it is longer by this factor: one declared body in four is cut or wrong (docs/provenance.md).
MIN_SHOWN_WORDS, MIN_TIMES_LONGER = 20, 3

# Fields beside the metadata that are computed from the page: on first use, or before the page is
# dropped.
LAZY_FIELDS = ("blocks", "reservations", *ARTICLE_FIELDS, *MARKUP_FIELDS, *CONTENT_FIELDS)
# The LAZY_FIELDS that workers compute by default.
PLAIN_LAZY_FIELDS = ("blocks", *(name for name in ARTICLE_FIELDS if name != "next_page"))

LABEL_TEXTS = [label.text for label in Label]


@dataclass(frozen=True, slots=True)
class DocumentBlock:
    """A text block of an item or a record.

    text   never empty, without line breaks
    label  a `Label.text`
    score  0 to 1: how sure the extractor is of the label (1 for rules)
    xpath  finds the element of the block; several blocks can share one. "" if the element is
           nested too deep (`Page.xpaths`)
    """

    text: str
    label: str
    score: float
    xpath: str

    def as_dict(self) -> dict[str, Any]:
        """Return the block as a plain dict, for feeds."""
        return {"text": self.text, "label": self.label, "score": self.score, "xpath": self.xpath}


class Document(ArticleFields):
    """The text and the metadata of one page: the fields of `items.ArticleItem`, and those below.

    Values that are not given are computed on first use. They use the CPU time that is left of the
    page's budget: past it no value is computed, its name is in `late`, and `exceeded` is
    "milliseconds". Texts are in Unicode's form NFC, except `blocks` and URLs. Every string can be
    encoded as UTF-8 (`page.text.replace_surrogates`).

    The values are plain. A pickled document has all of them, and not its page and tree. Two
    documents are equal if their given values and metadata are.

    error         reason why the page could not be read; other fields are then empty
    rule_matches  keys of the site's rule whose selectors match, such as "content"
    failures      metadata field to its exception, for the fields that were computed so far
    labelled      the page and its labeling
    tree          the root of the page's tree, read for `html`
    clock         the CPU time that is left
    """

    url: str | None = None
    text: str = ""
    comments: tuple[str, ...] = ()
    supplemental: tuple[str, ...] = ()
    related: tuple[str, ...] = ()
    confidence: float = 0.0
    extractor: str = ""
    error: str | None = None
    site_pages: int | None = None
    pages: tuple[str, ...] = ()
    rule_matches: tuple[str, ...] = ()
    labelled: tuple[Page, Labeling] | None = None

    def __init__(
        self,
        *,
        exceeded: str | None = None,
        late: Iterable[str] = (),
        evidence: Mapping[str, str] | None = None,
        failures: Mapping[str, str] | None = None,
        labelled: tuple[Page, Labeling] | None = None,
        **values: Any,
    ) -> None:
        self.labelled = labelled
        self._exceeded = exceeded
        self._late = set(late)
        self._evidence = _make_encodable(dict(evidence or {}))
        self.failures = dict(failures or {})
        for name in values:
            member = getattr(type(self), name, type(self))
            if callable(member) or isinstance(member, property):
                raise TypeError(f"a document has no field {name!r}")
        vars(self).update((name, _make_encodable(value)) for name, value in values.items())

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.url}: {self.text[:60]!r}>"

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self.list_values() == other.list_values()

    def __hash__(self) -> int:
        return hash((self.url, self.text))

    @property
    def late(self) -> frozenset[str]:
        """The fields that are empty because the time of the page was over."""
        return frozenset(self._late)

    @property
    def exceeded(self) -> str | None:
        """The budget that the page exceeded (`limits`), or None.

        After "bytes", "elements" or "depth" the rest of the page is missing, after "milliseconds"
        some labels or fields.
        """
        return MILLISECONDS if self.late else self._exceeded

    @property
    def partial(self) -> str | None:
        """`exceeded`; "pages" if the article has a next page, which was not read; or None."""
        has_more = self.next_page is not None  # the time can end here
        return self.exceeded or (PAGES if has_more else None)

    @property
    def evidence(self) -> dict[str, str]:
        """The source of each field that has a value, such as ``json-ld`` or ``og:title``."""
        for name in METADATA_FIELDS:
            getattr(self, name)
        published = self._evidence.get("date_published")
        return {**self._evidence, **({} if published is None else {"date": published})}

    def to_dict(self, names: Iterable[str]) -> dict[str, Any]:
        """Return the values of fields, in this order, in types of JSON.

        Values past the time of the page are None.
        """
        with self.clock:  # once for all fields
            values = {
                name: self.list_blocks() if name == "blocks" else getattr(self, name)
                for name in names
            }
            if "partial" in values:  # a field after it may have come too late
                values["partial"] = self.partial
        late = self.late
        return {
            name: None if name in late else list(value) if isinstance(value, tuple) else value
            for name, value in values.items()
        }

    def replace(self, **values: Any) -> Self:
        """Return a copy with other values; what depends on the page is computed again."""
        names = [*DOCUMENT_FIELDS, *METADATA_FIELDS, "next_page"]
        if self.labelled is None:
            names += LAZY_FIELDS
        kept = {name: value for name, value in vars(self).items() if name in names}
        kept |= {name: getattr(self, name) for name in ("failures", "labelled", "tree", "clock")}
        kept |= {"exceeded": self._exceeded, "late": self._late, "evidence": self._evidence}
        return type(self)(**{**kept, **values})

    def list_values(self) -> dict[str, Any]:
        """Return the values that do not depend on LAZY_FIELDS."""
        names = (*DOCUMENT_FIELDS, *METADATA_FIELDS, "evidence", "exceeded", "failures")
        return {name: getattr(self, name) for name in names}

    def __getstate__(self) -> dict[str, Any]:
        for name in (*PLAIN_LAZY_FIELDS, *CONTENT_FIELDS, "next_page", "evidence", "html"):
            getattr(self, name)
        dropped = ("labelled", "tree", "_sources", "_digests", "_content", "_content_tree")
        return {name: value for name, value in vars(self).items() if name not in dropped}

    def get_page(self) -> tuple[Page, Labeling]:
        """Return `labelled`. Raises ValueError if the document does not hold its page."""
        if self.labelled is None:
            raise ValueError("the document does not hold its page")
        return self.labelled

    # --- values that are computed on first use ---

    def compute(self, name: str, function: Callable[[Page, Labeling], T], default: T) -> T:
        """Return the value of a field: `default` without a page, and past its time."""
        if self.labelled is None:
            return default
        return self.compute_in_time(name, partial(function, *self.labelled), default)

    def compute_in_time(self, name: str, function: Callable[[], T], default: T) -> T:
        """Return the value of a field that is computed without the page."""
        try:
            with self.clock:
                self.clock.check()
                value: T = _make_encodable(function())
                return value
        except OutOfTimeError:
            self._late.add(name)
            return default

    def find_metadata(self, name: str, find: Finder[V]) -> V | None:
        """Return the value of a field, and keep its source."""
        try:
            result = self.compute(name, lambda *_: find_field(self._sources, name, find), None)
        except Exception as error:  # noqa: BLE001 - a bad page never costs an item
            self.failures[name] = f"{type(error).__name__}: {error}"
            log_failure(name, self.url, self.failures[name])
            return None
        if result is None:
            return None
        value: V
        value, self._evidence[name] = result
        return value

    @cached_property
    def _sources(self) -> MetadataSources:
        return MetadataSources(*self.get_page(), self.tree)

    @cached_property
    def blocks(self) -> tuple[DocumentBlock, ...]:
        """Every text block of the page with its label, in order."""
        return () if self.labelled is None else build_blocks(self.list_blocks())

    def list_blocks(self, *, with_xpaths: bool = True) -> list[dict[str, Any]]:
        """Return `blocks` as plain dicts; without `with_xpaths`, they have no `xpath`."""
        if self.labelled is None or "blocks" in vars(self):
            rows = [block.as_dict() for block in self.blocks]
            for row in () if with_xpaths else rows:
                del row["xpath"]
            return rows
        return self.compute("blocks", partial(_list_blocks, with_xpaths=with_xpaths), [])

    @cached_property
    def reservations(self) -> tuple[Reservation, ...]:
        """What the page itself declares about the use of its text (`article.reservations`)."""
        from scrapy_boilerplate.article.reservations import read_page  # noqa: PLC0415

        return self.compute("reservations", lambda *_: read_page(self._sources), ())

    @cached_property
    def fingerprint(self) -> str:
        """32 hexadecimal digits over the main text; "" without any.

        Equal for the same article on any page (`site.fingerprints`).
        """
        return self._digests[0]

    @cached_property
    def simhash(self) -> str:
        """32 hexadecimal digits over the main text; "" for a text of few words.

        The values of articles that are nearly the same differ in at most 30 of 128 bits.
        """
        return self._digests[1]

    @cached_property
    def _digests(self) -> tuple[str, str]:
        # imported on first use, like `markup.markdown`, because `extract` does not need it
        from scrapy_boilerplate.site.fingerprints import digest_text  # noqa: PLC0415

        return digest_text(self.text)

    @cached_property
    def html(self) -> str | None:
        """The main content as clean HTML (`markup.clean_html`); "" without any.

        If almost no text is visible it holds the paragraphs of `text`. None without a page: in a
        document built by hand. Pickling builds it first, since the page is not pickled;
        ``document.replace(tree=None)`` avoids that.
        """
        if self.labelled is None or self.tree is None:
            return None if self.text else ""
        if not len(self.labelled[0]) or self._evidence.get("text") == "json-ld":
            from scrapy_boilerplate.markup.clean_html import write_paragraphs  # noqa: PLC0415

            return write_paragraphs(self.text)
        return self.compute("html", self._write_html, None)

    @cached_property
    def _content(self) -> str:
        """The article as HTML with the marks of its parts; "" if the text is not visible."""
        page, labeling = self.get_page()
        if not len(page) or self._evidence.get("text") == "json-ld" or self.tree is None:
            return ""
        from scrapy_boilerplate.markup.content_tree import write_content  # noqa: PLC0415

        return write_content(page, labeling, self.tree, self.clock)

    @cached_property
    def _content_tree(self) -> etree._Element:
        from scrapy_boilerplate.markup.parts import parse_content  # noqa: PLC0415

        return parse_content(self._content)

    def _list_parts(self, name: str) -> Any:
        from scrapy_boilerplate.markup import parts  # noqa: PLC0415

        if self.tree is None:
            return None
        list_parts = getattr(parts, f"list_{name}")
        return self.compute(name, lambda *_: list_parts(self._content_tree), None)

    @cached_property
    def images(self) -> tuple[Image, ...] | None:
        """The pictures in `html`; None without the page, as are the other lists."""
        parts: tuple[Image, ...] | None = self._list_parts("images")
        return parts

    @cached_property
    def videos(self) -> tuple[Video, ...] | None:
        """The embedded videos."""
        parts: tuple[Video, ...] | None = self._list_parts("videos")
        return parts

    @cached_property
    def links(self) -> tuple[TextLink, ...] | None:
        """The links in the text."""
        parts: tuple[TextLink, ...] | None = self._list_parts("links")
        return parts

    @cached_property
    def tables(self) -> tuple[Table, ...] | None:
        """The tables in the text."""
        parts: tuple[Table, ...] | None = self._list_parts("tables")
        return parts

    def find_first_image(self) -> tuple[str, str] | None:
        """Return the URL of the first picture in `html`, and its source."""
        if self.labelled is None or self.tree is None:
            return None
        from scrapy_boilerplate.markup.content_tree import find_first_image  # noqa: PLC0415

        url = find_first_image(*self.labelled, self.tree)
        return None if url is None else (url, "article")

    def _write_html(self, page: Page, labeling: Labeling) -> str:
        # imported on first use, as `site.fingerprints`
        from scrapy_boilerplate.markup.clean_html import insert_into_html  # noqa: PLC0415
        from scrapy_boilerplate.markup.content_tree import drop_marks  # noqa: PLC0415

        html = drop_marks(self._content)
        if not declares_entries(page):
            return html
        self.clock.check()
        shown = _join_full_text(page, labeling)
        placed = place_entries(page, labeling, shown)
        self.clock.check()
        return insert_into_html(html, split_paragraphs(shown), placed) if placed else html

    @cached_property
    def markdown(self) -> str | None:
        """`html` as Markdown; None where there is no `html`.

        Raises MissingExtraError without the extra [html].
        """
        html = self.html
        if html is None:
            return None
        from scrapy_boilerplate.markup.markdown import write_markdown  # noqa: PLC0415

        return self.compute_in_time("markdown", lambda: write_markdown(html, self.clock), None)


# Fields that `build_document` computes.
DOCUMENT_FIELDS = tuple(name for name in Document.__annotations__ if name != "labelled")


def log_failure(name: str, url: str | None, failure: str) -> None:
    """Log one of `Document.failures`."""
    logger.error("Cannot find %s of %s: %s", name, url, failure)


def _make_encodable(value: Any) -> Any:
    """Apply `replace_surrogates` to a string, or to all strings of a tuple or dict.

    Blocks are skipped: there can be thousands, and the strings of a tree are encodable.
    """
    if isinstance(value, str):
        return value if value.isascii() else replace_surrogates(value)
    if type(value) is tuple and type(next(iter(value), None)) is not DocumentBlock:
        return tuple(map(_make_encodable, value))
    if type(value) is dict:
        return dict(zip(value, map(_make_encodable, value.values()), strict=True))
    return value


def _list_blocks(page: Page, labeling: Labeling, *, with_xpaths: bool) -> list[dict[str, Any]]:
    labels = labeling.labels.tolist()
    scores = labeling.scores[np.arange(len(labels)), labels].round(3).tolist()
    rows = zip(page.texts, map(LABEL_TEXTS.__getitem__, labels), scores, strict=True)
    if not with_xpaths:
        return [{"text": text, "label": label, "score": score} for text, label, score in rows]
    return [
        {"text": text, "label": label, "score": score, "xpath": xpath}
        for (text, label, score), xpath in zip(rows, page.xpaths, strict=True)
    ]


def build_blocks(rows: list[dict[str, Any]]) -> tuple[DocumentBlock, ...]:
    """Return the blocks of dicts with every key."""
    blocks = tuple(map(DocumentBlock.__new__, repeat(DocumentBlock, len(rows))))
    # writing them column by column is faster than a call for each
    for name in rows[0] if rows else ():
        column = map(itemgetter(name), rows)
        deque(map(vars(DocumentBlock)[name].__set__, blocks, column), maxlen=0)
    return blocks


def build_document(page: Page, labeling: Labeling, **values: Any) -> Document:
    """Return the document of a labelled page; `values` are other values of `Document`."""

    def list_texts(label: Label) -> tuple[str, ...]:
        blocks = labeling.having(label).nonzero()[0].tolist()
        return tuple([compose(page.texts[block]) for block in blocks])

    evidence: dict[str, str] = {}
    text = _join_full_text(page, labeling)
    if declares_entries(page):
        text = add_entries(page, labeling, text)
    if (
        (page.words - page.link_words).sum() < MIN_SHOWN_WORDS
        and not has_words(text, MIN_SHOWN_WORDS)
        and not labeling.marked(RULE).any()
    ):
        hidden = find_hidden_body(page)
        if count_words(hidden) >= max(1, MIN_TIMES_LONGER * count_words(text)):
            text, evidence["text"] = hidden, "json-ld"
    return Document(
        url=page.url,
        text=text,
        comments=list_texts(Label.COMMENTS),
        supplemental=list_texts(Label.SUPPLEMENTAL),
        related=list_texts(Label.RELATED),
        evidence={**evidence, **values.pop("evidence", {})},
        labelled=(page, labeling),
        **values,
    )


def build_late_document(page: Page, labeling: Labeling, **values: Any) -> Document:
    """Return the document of a page whose time was over: its text by the labels so far."""
    text = _join_full_text(page, labeling)
    late = ["comments", "supplemental", "related", "confidence", "evidence", *MARKUP_FIELDS]
    late += CONTENT_FIELDS
    late += [] if text else ["text", "fingerprint", "simhash"]
    return Document(url=page.url, text=text, late=late, labelled=(page, labeling), **values)


def _join_full_text(page: Page, labeling: Labeling) -> str:
    return compose(page.join_blocks(labeling.content.nonzero()[0].tolist()))
