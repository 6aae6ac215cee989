"""`Document`: text and metadata of a labelled page; and its plain record."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import repeat
from typing import Any, TypeVar, cast

import numpy as np
from lxml import etree

from scrapy_boilerplate.extras import is_installed
from scrapy_boilerplate.items import MARKUP_FIELDS, RECORD_FIELDS
from scrapy_boilerplate.markup.clean_html import (
    SANITISER,
    insert_into_html,
    write_html,
    write_paragraphs,
)
from scrapy_boilerplate.metadata.fields import FINDERS, Metadata, add_date, find_field
from scrapy_boilerplate.metadata.json_ld import find_hidden_body
from scrapy_boilerplate.metadata.sources import MetadataSources
from scrapy_boilerplate.news.article_probability import compute_article_probability
from scrapy_boilerplate.news.comment_list import Comment, list_comments
from scrapy_boilerplate.news.live_blog import (
    Entry,
    add_entries,
    declares_entries,
    find_entries,
    place_entries,
)
from scrapy_boilerplate.news.pagination import find_next_page
from scrapy_boilerplate.news.stub import find_stub
from scrapy_boilerplate.page.labels import OVERRIDE, Label, Labeling
from scrapy_boilerplate.page.limits import MILLISECONDS, NO_CLOCK, PAGES, Clock, OutOfTimeError
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.text import (
    compose,
    count_words,
    has_words,
    replace_surrogates,
    split_paragraphs,
)

_T = TypeVar("_T")

logger = logging.getLogger(__name__)

MIN_SHOWN_WORDS, MIN_TIMES_LONGER = 20, 3
"""A page with fewer words outside links has almost no visible text. A hidden body replaces it only
if it is longer by this factor: one declared body in four is cut or wrong (docs/provenance.md)."""
UNSERIALIZED_FIELDS = ("labelled", "tree", "clock", "computed")
"""Fields that hold the page itself and computed values; they are not compared."""
PLAIN_LAZY_FIELDS = ("blocks", "article_probability", "comment_list", "entries", "stub")
"""The LAZY_FIELDS that need no extra; workers compute them by default."""
LAZY_FIELDS = (*PLAIN_LAZY_FIELDS, "next_page", *MARKUP_FIELDS)
"""Fields that are computed from the page on first use, or before the page is dropped."""
NOT_COMPUTED: Any = object()
"""Placeholder for a field of `Metadata` that is computed on first use."""
LABEL_TEXTS = [label.text for label in Label]


class lazy_field(cached_property[_T]):  # noqa: N801 - a decorator, as its base
    """A property of a document that is computed once; `Document.computed` keeps the value."""

    def __get__(self, document: Document | None, owner: type[Any] | None = None) -> _T:  # type: ignore[override]
        """Return the value, or the property itself from a class."""
        if document is None:
            return self  # type: ignore[return-value]
        name, computed = self.func.__name__, document.computed
        if name not in computed:
            computed[name] = self.func(document)
        value: _T = computed[name]
        return value


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


@dataclass(frozen=True, kw_only=True)
class Document(Metadata):
    """The text of one page and its `Metadata`.

    The fields of `Metadata` and LAZY_FIELDS are computed on first use. LAZY_FIELDS are limited by
    the CPU time that is left of the page's budget: past it they are None, and `blocks` are empty
    (None in records and items). `with_fields` computes them and sets `partial` if the time did not
    suffice. Metadata are computed past the budget too, because they take little time.

    Texts are in Unicode's form NFC, except `blocks` and URLs.
    Every string can be encoded as UTF-8 (`page.text.replace_surrogates`).

    The values are plain. A pickled document does not hold page and tree. Two documents are equal
    if their fields are equal, except UNSERIALIZED_FIELDS.

    url          as given by the caller, or None
    text         main content: paragraphs separated by blank lines, or "". If almost no text is
                 visible, the body in JSON-LD, and `evidence` has "text". A live
                 blog includes entries that are only in JSON-LD
    comments     text of each block of user comments, in order
    supplemental text of each caption, fact box or similar block, in order
    related      text of each block that points to other articles, in order
    confidence   0 (no text, or surely wrong) to 1: the expected F1 of `text`
    extractor    name of the extractor
    site_pages   how many other pages of the site were known; None without site knowledge
    error        reason why the page could not be read; other fields are then empty
    partial      None, or the budget that the page exceeded (`limits`): after "bytes", "elements"
                 or "depth" the rest of the page is missing, after "milliseconds" some labels and
                 fields; "pages" if further pages of the article were not read
    pages        addresses of the pages of the article, where several were joined (`joining`)
    rule_matches keys of the site's rule whose selectors match, such as "content"
    is_overdue   whether the time was over before the labels were complete: empty fields were not
                 computed
    failures     metadata field to its exception, for the fields that were computed so far
    labelled     the page and its labeling, for inspection
    tree         the root of the page's tree, read for `html`
    clock        the CPU time that is left for LAZY_FIELDS
    computed     the values that were computed on first use, by name
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
    partial: str | None = None
    pages: tuple[str, ...] = ()
    rule_matches: tuple[str, ...] = ()
    is_overdue: bool = False
    failures: dict[str, str] = field(default_factory=dict, hash=False)
    labelled: tuple[Page, Labeling] | None = field(default=None, repr=False, compare=False)
    tree: etree._Element | None = field(default=None, repr=False, compare=False)
    clock: Clock = field(default=NO_CLOCK, repr=False, compare=False)
    computed: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        values = vars(self)  # a frozen dataclass has no other way
        for name in [name for name, value in values.items() if value is NOT_COMPUTED]:
            del values[name]
        values.update(
            (name, _make_encodable(value))
            for name, value in values.items()
            if type(value) in (str, tuple, dict) and value
        )

    def compute_metadata(self, name: str) -> Any:
        """Return a field of `Metadata` that was not given, or `evidence` of all of them.

        Its time counts for the budget of the page; it is computed past the budget, too.
        """
        evidence = self._evidence
        if name == "evidence":
            for field_name in FINDERS:
                getattr(self, field_name)
            return add_date(evidence)
        sources = self._metadata_sources
        self.clock.resume()
        try:
            value_and_source = find_field(sources, name)
        except Exception as error:  # noqa: BLE001 - a bad page never costs an item
            self.failures[name] = f"{type(error).__name__}: {error}"
            log_failure(name, self.url, self.failures[name])
            value_and_source = None
        finally:
            self.clock.pause()
        if value_and_source is None:
            return getattr(Metadata, name)
        value, evidence[name] = value_and_source
        return _make_encodable(value)

    @lazy_field
    def _metadata_sources(self) -> MetadataSources:
        page, labeling = cast("tuple[Page, Labeling]", self.labelled)
        return MetadataSources(page, labeling, self.tree)

    @lazy_field
    def _evidence(self) -> dict[str, str]:
        """`evidence` of the fields that were computed so far."""
        return {**vars(self).get("evidence", {})}

    @lazy_field
    def blocks(self) -> tuple[DocumentBlock, ...]:
        """Every text block of the page with its label, in order."""
        if self.labelled is None:
            return ()
        page, labeling = self.labelled
        return self._compute(lambda: _build_blocks(page, labeling, page.xpaths), ())

    def list_blocks(self, *, with_xpaths: bool) -> tuple[DocumentBlock, ...]:
        """Return `blocks`; without `with_xpaths`, `xpath` may be "", to save half a parse."""
        if with_xpaths or self.labelled is None or "blocks" in self.computed:
            return self.blocks
        page, labeling = self.labelled
        return self._compute(lambda: _build_blocks(page, labeling, repeat("", len(page))), ())

    @lazy_field
    def article_probability(self) -> float | None:
        """Probability, 0 to 1, that the page is an article, not a list, shop, forum or front page.

        `news.article_probability` computes it for every extractor. None without a page: in a
        document built by hand, or if the page could not be read.
        """
        if self.labelled is None:
            return None
        page = self.labelled[0]
        return self._compute(lambda: round(compute_article_probability(page), 3), None)

    @lazy_field
    def comment_list(self) -> tuple[Comment, ...]:
        """The comments of readers: dicts of `author`, `date` (ISO 8601) and `text`.

        Author and date are None where the markup does not name them (`news.comment_list`).
        """
        if self.labelled is None:
            return ()
        page, labeling = self.labelled
        return self._compute(lambda: list_comments(page, labeling), ())

    @lazy_field
    def entries(self) -> tuple[Entry, ...]:
        """The entries that the JSON-LD of a live blog declares, in the order of the page."""
        if self.labelled is None:
            return ()
        page, labeling = self.labelled
        return self._compute(lambda: find_entries(page, labeling), ())

    @lazy_field
    def stub(self) -> str | None:
        """Why the page has no article, or only the beginning of one (`news.stub`); else None."""
        if self.labelled is None:
            return None
        page, labeling = self.labelled
        is_free = self.is_accessible_for_free  # before `_compute`: both pause the clock
        return self._compute(lambda: find_stub(page, labeling, self.text, is_free=is_free), None)

    @lazy_field
    def next_page(self) -> str | None:
        """URL of the next page of an article over several pages (`news.pagination`), or None."""
        if self.labelled is None:
            return None
        (page, labeling), tree = self.labelled, self.tree
        return self._compute(lambda: find_next_page(page, labeling, tree, self.clock), None)

    @lazy_field
    def fingerprint(self) -> str:
        """32 hexadecimal digits over the main text; "" without any.

        Equal for the same article on any page (`site.fingerprints`).
        """
        # imported on first use, like `markup.markdown`, because `extract` does not need them
        from scrapy_boilerplate.site.fingerprints import fingerprint  # noqa: PLC0415

        return fingerprint(self.text)

    @lazy_field
    def simhash(self) -> str:
        """32 hexadecimal digits over the main text; "" for a text of few words.

        The values of articles that are nearly the same differ in at most 30 of 128 bits.
        """
        from scrapy_boilerplate.site.fingerprints import simhash  # noqa: PLC0415

        return simhash(self.text)

    @lazy_field
    def html(self) -> str | None:
        """The main content as clean HTML (`markup.clean_html`); "" without any.

        If almost no text is visible it holds the paragraphs of `text`. None without a page: in a
        document built by hand. Pickling builds it first, since the page is not pickled;
        `dataclasses.replace(document, tree=None)` avoids that. Raises MissingExtraError without
        the extra [html].
        """
        if self.labelled is None or self.tree is None:
            return None if self.text else ""
        (page, labeling), tree = self.labelled, self.tree
        if not len(page) or self._evidence.get("text") == "json-ld":
            return write_paragraphs(self.text)
        return self._compute(lambda: self._write_html(page, labeling, tree), None)

    def _write_html(self, page: Page, labeling: Labeling, tree: etree._Element) -> str:
        """Return `html` with the entries that are only in JSON-LD. Raises OutOfTimeError."""
        html = write_html(page, labeling, tree, self.clock)
        if not declares_entries(page):
            return html
        self.clock.check()
        shown = _join_full_text(page, labeling)
        placed = place_entries(page, labeling, shown)
        self.clock.check()
        return insert_into_html(html, split_paragraphs(shown), placed) if placed else html

    @lazy_field
    def markdown(self) -> str | None:
        """`html` as Markdown; None where there is no `html`.

        Raises MissingExtraError without the extra [html].
        """
        html = self.html
        if html is None:
            return None
        from scrapy_boilerplate.markup.markdown import write_markdown  # noqa: PLC0415

        return self._compute(lambda: write_markdown(html, self.clock), None)

    def with_fields(self, names: Iterable[str]) -> Document:
        """Return the document with these fields computed.

        It is `partial` if the time ran out, and if "partial" is one of the names and the article
        has a next page.
        """
        names = tuple(names)
        for name in names:
            getattr(self, name)
        has_next = "partial" in names and self.next_page is not None
        partial = self.find_partial() or (PAGES if has_next else None)
        return self if partial == self.partial else self.with_partial(partial)

    def find_partial(self) -> str | None:
        """Return `partial`, or "milliseconds" if the time ran out for a lazy field."""
        return MILLISECONDS if self.clock.was_exceeded else self.partial

    def with_partial(self, partial: str | None) -> Document:
        """Return a copy with another `partial`, and with the LAZY_FIELDS that were computed.

        A document of a worker has no page to compute them from.
        """
        copied = replace(self, partial=partial)
        copied.computed.update(self.computed)
        return copied

    def without_next_page(self) -> Document:
        """Return a copy without `next_page`, which was read: it is not part of the article."""
        copied = self.with_partial(self.partial)
        copied.computed["next_page"] = None
        return copied

    def has_computed(self, name: str, value: object) -> bool:
        """Return whether the `value` of a field is computed, not empty because the time ran out."""
        is_late = self.is_overdue or (name == "blocks" and self.partial == MILLISECONDS)
        return not is_late or bool(value)

    def _compute(self, compute: Callable[[], _T], past_the_budget: _T) -> _T:
        """Return the value of one of LAZY_FIELDS, within the time that is left."""
        self.clock.resume()
        try:
            self.clock.check()
            return cast("_T", _make_encodable(compute()))
        except OutOfTimeError:
            self.clock.was_exceeded = True
            return past_the_budget
        finally:
            self.clock.pause()

    def __getstate__(self) -> dict[str, Any]:
        names = ["evidence", *PLAIN_LAZY_FIELDS, "next_page"]
        if self.tree is not None and is_installed(SANITISER):
            names.append("html")
        document = self.with_fields(names)
        computed = {**document.computed}
        computed.pop("_metadata_sources", None)
        metadata = {name: getattr(document, name) for name in (*FINDERS, "evidence")}
        dropped = dict.fromkeys(("labelled", "tree"))
        return {**vars(document), **metadata, **dropped, "computed": computed}


def log_failure(name: str, url: str | None, failure: str) -> None:
    """Log one of `Document.failures`."""
    logger.error("Cannot find %s of %s: %s", name, url, failure)


class _MetadataField:
    """A field of `Metadata` that is computed on first use, unless a document was given a value."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, document: Document | None, owner: type[Document]) -> Any:
        """Return the value of a document that does not have it yet."""
        if document is None:
            return getattr(Metadata, self._name, None)
        value = vars(document)[self._name] = document.compute_metadata(self._name)
        return value


for _name in (*FINDERS, "evidence"):
    setattr(Document, _name, _MetadataField(_name))


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


def _build_blocks(
    page: Page, labeling: Labeling, xpaths: Iterable[str]
) -> tuple[DocumentBlock, ...]:
    """Return the blocks. Writing them column by column is faster than a call for each."""
    labels = labeling.labels.tolist()
    scores = labeling.scores[np.arange(len(labels)), labels].tolist()
    blocks = tuple(map(DocumentBlock.__new__, repeat(DocumentBlock, len(labels))))
    columns = {
        "text": page.texts,
        "label": map(LABEL_TEXTS.__getitem__, labels),
        "score": map(round, scores, repeat(3)),
        "xpath": xpaths,
    }
    for name, column in columns.items():
        deque(map(vars(DocumentBlock)[name].__set__, blocks, column), maxlen=0)
    return blocks


def build_document(  # noqa: PLR0913
    page: Page,
    labeling: Labeling,
    *,
    extractor: str,
    confidence: float,
    tree: etree._Element | None = None,
    partial: str | None = None,
    site_pages: int | None = None,
    clock: Clock = NO_CLOCK,
) -> Document:
    """Return the document of a labelled page; without its `tree` it has no `html`.

    `clock` has the time of LAZY_FIELDS once it is paused.
    """

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
        and not labeling.marked(OVERRIDE).any()
    ):
        hidden = find_hidden_body(page)
        if count_words(hidden) >= max(1, MIN_TIMES_LONGER * count_words(text)):
            text, evidence["text"] = hidden, "json-ld"
    document = Document(
        **dict.fromkeys((*FINDERS, "evidence"), NOT_COMPUTED),
        url=page.url,
        text=text,
        comments=list_texts(Label.COMMENTS),
        supplemental=list_texts(Label.SUPPLEMENTAL),
        related=list_texts(Label.RELATED),
        confidence=round(confidence, 3),
        extractor=extractor,
        site_pages=site_pages,
        partial=partial,
        labelled=(page, labeling),
        tree=tree,
        clock=clock,
    )
    document.computed["_evidence"] = evidence
    return document


def build_overdue_document(page: Page, labeling: Labeling, *, extractor: str) -> Document:
    """Return the document of a page that exceeded its time: the labels so far, no metadata."""
    return Document(
        url=page.url,
        text=_join_full_text(page, labeling),
        extractor=extractor,
        partial=MILLISECONDS,
        is_overdue=True,
        labelled=(page, labeling),
    )


def _join_full_text(page: Page, labeling: Labeling) -> str:
    return compose(page.join_blocks(labeling.content.nonzero()[0].tolist()))


def build_record(document: Document, added: Iterable[str] = ()) -> dict[str, Any]:
    """Return a document as `extract --format json` prints it and `batch` writes it.

    It has RECORD_FIELDS, the `added` names of MARKUP_FIELDS, and `blocks`, in types of JSON.
    `blocks` past the budget of time are None.
    """
    names = [*added]
    document = document.with_fields([*FINDERS, *names, "blocks", "partial"])
    values = {name: getattr(document, name) for name in (*RECORD_FIELDS, *names)}
    blocks = [block.as_dict() for block in document.blocks]
    values["blocks"] = blocks if document.has_computed("blocks", blocks) else None
    return {**values, "evidence": dict(document.evidence)}
