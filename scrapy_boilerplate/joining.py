"""The pages of one article as one document: `extract_pages`, and how documents are joined.

Later pages repeat the headline, the standfirst and the byline. A paragraph whose shingles stand on
an earlier page is left out, of `text`, `html`, `markdown` and the labels of `blocks`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import chain
from typing import Any, TypeVar

from scrapy_boilerplate.document import UNSERIALIZED_FIELDS, Document, DocumentBlock
from scrapy_boilerplate.extraction import extract
from scrapy_boilerplate.extractors import BALANCED, DEFAULT, get_extractor
from scrapy_boilerplate.markup.clean_html import drop_from_html, find_image_urls
from scrapy_boilerplate.markup.markdown import write_markdown
from scrapy_boilerplate.news.live_blog import Entry
from scrapy_boilerplate.page.labels import Label
from scrapy_boilerplate.page.limits import MILLISECONDS, NO_LIMITS, Limits
from scrapy_boilerplate.page.text import compose, count_words
from scrapy_boilerplate.steps.extractor import Extractor
from scrapy_boilerplate.steps.titles import MIN_MATCH_LENGTH, fold_letters

_T = TypeVar("_T")

PAGES = "pages"
"""Value of `Document.partial`: pages of the article are missing."""

# Letters and digits of a shingle (our choice: three words).
SHINGLE = 16
# Letters and digits from which a paragraph is compared by shingles (our choice).
MIN_LENGTH = 2 * SHINGLE
# Letters and digits of a page that are compared by shingles (our choice: 17,000 words; they take
# 10 MB and .1 s).
MAX_LETTERS = 100_000
# Share of the shingles of a paragraph on earlier pages from which it is repeated (our choice).
MIN_REPEATED = 0.8
# Share of the shingles of a page that a single page of all has at least, and how many times its
# words (our choice).
MIN_COVERED, MIN_GROWTH = 0.8, 1.1
# Share of the words of a headline that another of the same article has at least (our choice).
MIN_HEADLINE_WORDS = 0.5


def extract_pages(
    sources: Iterable[Any],
    urls: Iterable[str | None] | None = None,
    extractor: str | Extractor = DEFAULT,
    *,
    favor: str = BALANCED,
    limits: Limits = NO_LIMITS,
) -> Document:
    """Return one document of the pages of an article, in their order.

    `sources` and the options are as in `extract`; the limits are those of each page. `urls` are the
    addresses of the pages, which default to those of responses. Metadata are those of the first
    page. Raises ValueError without any page, or for another number of addresses, and what `extract`
    raises.
    """
    pages = list(sources)
    addresses = [None] * len(pages) if urls is None else list(urls)
    if not pages or len(addresses) != len(pages):
        raise ValueError(f"{len(pages)} pages and {len(addresses)} addresses: one for each page")
    chosen = get_extractor(extractor, favor)
    return join_documents(
        [
            extract(page, url, chosen, limits=limits)
            for page, url in zip(pages, addresses, strict=True)
        ]
    )


@dataclass(frozen=True, kw_only=True)
class JoinedDocument(Document):
    """The document of several pages; it becomes `partial` with them, where their time runs out.

    first     the document of the first page, which metadata and `labelled` are of
    parts     the documents whose text it has, in order
    repeated  of each part the paragraphs that earlier ones have, by their letters
    """

    first: Document = field(default_factory=Document, repr=False, compare=False)
    parts: tuple[Document, ...] = field(default=(), repr=False, compare=False)
    repeated: tuple[frozenset[str], ...] = field(default=(), repr=False, compare=False)

    @cached_property
    def blocks(self) -> tuple[DocumentBlock, ...]:
        """The blocks of all pages, in order; repeated full text is boilerplate."""
        return self.list_blocks(with_xpaths=True)

    def list_blocks(self, *, with_xpaths: bool) -> tuple[DocumentBlock, ...]:
        """Return `blocks`, or the same with any `xpath`."""
        blocks = tuple(
            replace(block, label=Label.BOILERPLATE.text)
            if block.label == Label.FULL_TEXT.text and fold_letters(compose(block.text)) in repeated
            else block
            for part, repeated in zip(self.parts, self.repeated, strict=True)
            for block in part.list_blocks(with_xpaths=with_xpaths)
        )
        return self._note_time(blocks)

    def _note_time(self, late: _T) -> _T:
        """Return a late field that was just computed; be partial if a page has no time left."""
        if any(part.partial == MILLISECONDS for part in (self.first, *self.parts)):
            vars(self)["partial"] = MILLISECONDS  # as in `Document`
        return late

    @cached_property
    def article_probability(self) -> float | None:
        """That of the first page."""
        return self._note_time(self.first.article_probability)

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """The entries of all pages, in order."""
        return self._note_time(tuple(chain(*(part.entries for part in self.parts))))

    @cached_property
    def stub(self) -> str | None:
        """That of the last page: a wall ends the text."""
        return self._note_time(self.parts[-1].stub) if self.parts else None

    @cached_property
    def next_page(self) -> str | None:
        """The page after the last one."""
        return self.parts[-1].next_page if self.parts else None

    @cached_property
    def possible_next_pages(self) -> tuple[str, ...]:
        """Those of the last page."""
        return self.parts[-1].possible_next_pages if self.parts else ()

    @cached_property
    def single_page(self) -> str | None:
        """That of the first page."""
        return self.first.single_page

    @cached_property
    def html(self) -> str | None:
        """The HTML of all pages in order, without repeated paragraphs and pictures."""
        joined: list[str] = []
        images: set[str] = set()
        for part, repeated in zip(self.parts, self.repeated, strict=True):
            html = self._note_time(part.html)
            if html is None:
                return None
            own_images = set(find_image_urls(html))
            if repeated or not images.isdisjoint(own_images):
                html = drop_from_html(html, repeated.__contains__, images)
            images |= own_images
            joined.append(html)
        return "\n".join(filter(None, joined))

    @cached_property
    def markdown(self) -> str | None:
        """`html` as Markdown, within what is left of the time of the first page.

        Documents that workers have read have no time to keep to.
        """
        html, first = self.html, self.first
        if html is None:
            return None
        return self._note_time(first._compute(lambda: write_markdown(html, first.clock), None))


def join_documents(documents: Sequence[Document], *, is_complete: bool = True) -> Document:
    """Return one document of the pages of an article, in order; the first is not empty.

    Unless `is_complete`, it is partial.
    """
    first, *later = documents
    if not later:
        return first if is_complete else first.with_partial(first.partial or PAGES)
    seen = SeenText(first)
    paragraphs, repeated = [split_paragraphs(first)], [frozenset[str]()]
    for document in later:
        new, old = seen.split(document)
        paragraphs.append(new)
        repeated.append(frozenset(map(fold_letters, old)))
        seen.add(document)
    text = "\n\n".join(chain.from_iterable(paragraphs))
    return _build_joined(first, tuple(documents), tuple(repeated), text, is_complete=is_complete)


def join_single_page(first: Document, full: Document) -> Document:
    """Return the document of a page `full` that has all pages of an article in one."""
    return _build_joined(first, (full,), (frozenset(),), full.text, is_complete=True)


def _build_joined(
    first: Document,
    parts: tuple[Document, ...],
    repeated: tuple[frozenset[str], ...],
    text: str,
    *,
    is_complete: bool,
) -> JoinedDocument:
    of_first = {
        each.name: getattr(first, each.name)
        for each in fields(Document)
        if each.name not in UNSERIALIZED_FIELDS
    }
    everything = (first, *(part for part in parts if part is not first))
    words = [max(1, count_words(part.text)) for part in parts]
    confidence = sum(part.confidence * n for part, n in zip(parts, words, strict=True)) / sum(words)
    partial = next(filter(None, (part.partial for part in everything)), None)
    joined: dict[str, Any] = {
        name: tuple(dict.fromkeys(chain(*(getattr(part, name) for part in everything))))
        for name in ("comments", "supplemental", "related")
    }
    joined |= {
        "text": text,
        "confidence": round(confidence, 3),
        "pages": tuple(dict.fromkeys(part.url for part in everything if part.url)),
        "partial": partial or (None if is_complete else PAGES),
    }
    return JoinedDocument(
        **{**of_first, **joined},
        first=first,
        parts=parts,
        repeated=repeated,
        labelled=first.labelled,
    )


def continues_article(documents: Sequence[Document], candidate: Document) -> bool:
    """Return whether a page is a further one of the article of `documents`: its text is new.

    Its headline is that of the first page or has words of it, or its canonical address is that of
    the first page, or it has the same date and authors.
    """
    first = documents[0]
    if candidate.error is not None or not candidate.text or not _is_same_article(first, candidate):
        return False
    seen = SeenText(*documents)
    return any(len(fold_letters(text)) >= MIN_LENGTH for text in seen.split(candidate)[0])


def _is_same_article(first: Document, candidate: Document) -> bool:
    if candidate.headline is None or first.headline is None:
        return True
    headline, other = fold_letters(first.headline), fold_letters(candidate.headline)
    is_long = min(len(headline), len(other)) >= MIN_MATCH_LENGTH
    if is_long and (headline in other or other in headline):
        return True
    if candidate.canonical_url is not None and candidate.canonical_url == first.canonical_url:
        return True
    signature = first.date_published, first.authors
    if all(signature) and signature == (candidate.date_published, candidate.authors):
        return True
    words, others = (set(each.casefold().split()) for each in (first.headline, candidate.headline))
    return len(words & others) >= MIN_HEADLINE_WORDS * min(len(words), len(others))


def covers_page(full: Document, first: Document) -> bool:
    """Return whether the page `full` has the text of the page `first`, and more."""
    grows = count_words(full.text) >= MIN_GROWTH * count_words(first.text)
    shingles = set(_list_shingles(fold_letters(first.text)[:MAX_LETTERS]))
    known = set(_list_shingles(fold_letters(full.text)[:MAX_LETTERS]))
    return full.error is None and grows and len(shingles & known) >= MIN_COVERED * len(shingles)


def split_paragraphs(document: Document) -> list[str]:
    """Return the paragraphs of a document's text."""
    return [paragraph for paragraph in document.text.split("\n\n") if paragraph]


class SeenText:
    """What pages of an article have said so far: shingles, and whole paragraphs.

    Of a page MAX_LETTERS are compared by shingles, what follows by whole paragraphs.
    """

    def __init__(self, *documents: Document) -> None:
        self._shingles: set[str] = set()
        self._paragraphs: set[str] = set()
        for document in documents:
            self.add(document)

    def add(self, document: Document) -> None:
        """Add the text of a page, and the headline, standfirst and authors above it."""
        above = (document.headline, document.description, *document.authors)
        left = MAX_LETTERS
        for text in (*filter(None, above), *split_paragraphs(document)):
            folded = fold_letters(text)
            self._paragraphs.add(folded)
            if left > 0:
                self._shingles.update(_list_shingles(folded[:left]))
                left -= len(folded)

    def split(self, document: Document) -> tuple[list[str], list[str]]:
        """Return the paragraphs of a page that are new, and those that are repeated.

        A short one, such as a sub-heading or a line of stars, is repeated only above or below all
        long ones.
        """
        paragraphs = split_paragraphs(document)
        folded = [fold_letters(paragraph) for paragraph in paragraphs]
        known = self._find_known(folded)
        news = [len(text) >= MIN_LENGTH and text not in known for text in folded]
        inner = range(news.index(True), len(news) - news[::-1].index(True)) if any(news) else ()
        new: list[str] = []
        old: list[str] = []
        for index, (paragraph, text) in enumerate(zip(paragraphs, folded, strict=True)):
            is_long = len(text) >= MIN_LENGTH
            is_repeated = text in known and (is_long or index not in inner)
            (old if is_repeated else new).append(paragraph)
        return new, old

    def _find_known(self, folded: Sequence[str]) -> set[str]:
        """Return the paragraphs of a page that earlier ones have."""
        known, left = self._paragraphs.intersection(folded), MAX_LETTERS
        for text in folded:
            if left > 0 and len(text) >= MIN_LENGTH:
                shingles = list(_list_shingles(text[:left]))
                n_known = sum(shingle in self._shingles for shingle in shingles)
                if n_known >= MIN_REPEATED * len(shingles):
                    known.add(text)
            left -= len(text)
        return known


def _list_shingles(folded: str) -> Iterator[str]:
    return (folded[at : at + SHINGLE] for at in range(max(1, len(folded) - SHINGLE + 1)))
