"""Join the pages of one article into one document.

Later pages repeat the headline, the standfirst and the byline. A paragraph that is on an earlier
page is left out of `text`, `html` and `markdown`, and its block is boilerplate.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cached_property
from itertools import chain
from typing import Any, Self
from urllib.parse import urlsplit

from scrapy_boilerplate.document import Document, DocumentBlock, build_blocks
from scrapy_boilerplate.extraction import extract
from scrapy_boilerplate.extractors import BALANCED, DEFAULT, get_extractor
from scrapy_boilerplate.items import Comment, Entry, Image, Reservation, Table, TextLink, Video
from scrapy_boilerplate.markup.clean_html import drop_from_html
from scrapy_boilerplate.page.labels import Label
from scrapy_boilerplate.page.limits import NO_LIMITS, Limits
from scrapy_boilerplate.page.text import compose, count_words, split_paragraphs
from scrapy_boilerplate.steps.extractor import Extractor
from scrapy_boilerplate.steps.text_overlap import RunIndex, list_runs
from scrapy_boilerplate.steps.titles import MIN_MATCH_LENGTH, fold_letters

# Minimum letters and digits of a long paragraph.
MIN_LENGTH = 32
# Share of the runs of words of a paragraph on earlier pages from which it is repeated.
MIN_REPEATED = 0.8
# Words of new text that make up for missing evidence.
MIN_NEW_WORDS = 50
# Characters of the day in a date of ISO 8601.
DAY = 10


def extract_pages(
    sources: Iterable[Any],
    urls: Iterable[str | None] | None = None,
    extractor: str | Extractor = DEFAULT,
    *,
    favor: str = BALANCED,
    limits: Limits = NO_LIMITS,
) -> Document:
    """Return one document of the pages of an article, in their order.

    `sources` and the options are as in `extract`; the limits apply to each page. `urls` default to
    the URLs of responses. Metadata come from the first page. Raises ValueError without pages or if
    the numbers of pages and URLs differ, and the errors of `extract`.
    """
    pages = list(sources)
    page_urls = [None] * len(pages) if urls is None else list(urls)
    if not pages or len(page_urls) != len(pages):
        raise ValueError(f"{len(pages)} pages and {len(page_urls)} URLs: give one for each page")
    chosen = get_extractor(extractor, favor)
    documents = [
        extract(page, url, chosen, limits=limits)
        for page, url in zip(pages, page_urls, strict=True)
    ]
    return join_documents(documents, is_complete=documents[-1].next_page is None)


class JoinedDocument(Document):
    """The document of several pages.

    parts     the documents of the pages, in order; metadata and `labelled` are of the first
    repeated  for each part, the letters of the paragraphs that earlier parts have
    """

    parts: tuple[Document, ...] = ()
    repeated: tuple[frozenset[str], ...] = ()

    def replace(self, **values: Any) -> Self:
        """Return a copy with other values, of the same parts."""
        return super().replace(**{"parts": self.parts, "repeated": self.repeated, **values})

    @property
    def first(self) -> Document:
        """The document of the first page."""
        return self.parts[0]

    @cached_property
    def blocks(self) -> tuple[DocumentBlock, ...]:
        """The blocks of all pages, in order; repeated full text is boilerplate."""
        return build_blocks(self.list_blocks())

    def list_blocks(self, *, with_xpaths: bool = True) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = []
        for part, repeated in zip(self.parts, self.repeated, strict=True):
            for row in part.list_blocks(with_xpaths=with_xpaths):
                is_text = row["label"] == Label.FULL_TEXT.text
                if is_text and fold_letters(compose(row["text"])) in repeated:
                    row["label"] = Label.BOILERPLATE.text
                rows.append(row)
        return rows

    @property
    def late(self) -> frozenset[str]:
        """The fields that are empty because the time of a page was over."""
        return super().late.union(*(part.late for part in self.parts))

    @cached_property
    def article_probability(self) -> float | None:
        """The value of the first page."""
        return self.first.article_probability

    @cached_property
    def reservations(self) -> tuple[Reservation, ...]:
        """Those of the first page."""
        return self.first.reservations

    @cached_property
    def comment_list(self) -> tuple[Comment, ...]:
        """The comments of all pages, in order."""
        return tuple(chain(*(part.comment_list for part in self.parts)))

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """The entries of all pages, in order."""
        return tuple(chain(*(part.entries for part in self.parts)))

    @cached_property
    def images(self) -> tuple[Image, ...] | None:
        """The pictures of all pages, each URL once, as are videos; links and tables that differ."""
        return self._join_parts("images", lambda image: image["url"])

    @cached_property
    def videos(self) -> tuple[Video, ...] | None:
        return self._join_parts("videos", lambda video: video["url"])

    @cached_property
    def links(self) -> tuple[TextLink, ...] | None:
        return self._join_parts("links", lambda link: (link["url"], link["text"]))

    @cached_property
    def tables(self) -> tuple[Table, ...] | None:
        return self._join_parts("tables", str)

    def _join_parts(self, name: str, get_key: Callable[[Any], Hashable]) -> tuple[Any, ...] | None:
        lists = [getattr(part, name) for part in self.parts]
        if None in lists:
            return None
        joined: dict[Hashable, Any] = {}
        for value in chain(*lists):
            joined.setdefault(get_key(value), value)
        return tuple(joined.values())

    @cached_property
    def stub(self) -> str | None:
        """The stub of the last page: a wall ends the text."""
        return self.parts[-1].stub

    @cached_property
    def html(self) -> str | None:
        """The HTML of all pages in order, without repeated paragraphs and pictures."""
        joined: list[str] = []
        images: set[str] = set()
        for part, repeated in zip(self.parts, self.repeated, strict=True):
            html = part.html
            if html is None:
                return None
            own_images = {image["url"] for image in part.images or ()}
            if repeated or not images.isdisjoint(own_images):
                html = drop_from_html(html, repeated.__contains__, images)
            images |= own_images
            joined.append(html)
        return "\n".join(filter(None, joined))


def join_documents(documents: Sequence[Document], *, is_complete: bool = True) -> Document:
    """Return one document of the pages of an article, in order; the first is not empty.

    Unless `is_complete`, the next page of the last page is missing.
    """
    first, *later = documents
    next_page = None if is_complete else documents[-1].next_page
    if not later:
        return first if first.next_page == next_page else first.replace(next_page=next_page)
    seen = SeenText(first)
    paragraphs, repeated = [split_paragraphs(first.text)], [frozenset[str]()]
    for document in later:
        new, old = seen.split(document)
        paragraphs.append(new)
        repeated.append(frozenset(map(fold_letters, old)))
        seen.add(document)
    words = [max(1, count_words(part.text)) for part in documents]
    confidences = (part.confidence * n for part, n in zip(documents, words, strict=True))
    joined: dict[str, Any] = {
        name: tuple(dict.fromkeys(chain(*(getattr(part, name) for part in documents))))
        for name in ("comments", "supplemental", "related")
    }
    joined |= {
        "text": "\n\n".join(chain.from_iterable(paragraphs)),
        "confidence": round(sum(confidences) / sum(words), 3),
        "pages": tuple(dict.fromkeys(part.url for part in documents if part.url)),
        "exceeded": next(filter(None, (part.exceeded for part in documents)), None),
        "next_page": next_page,
    }
    return JoinedDocument(
        **{**first.list_values(), **joined},
        parts=tuple(documents),
        repeated=tuple(repeated),
        labelled=first.labelled,
        clock=first.clock,
    )


def continues_article(documents: Sequence[Document], candidate: Document) -> bool:
    """Return whether a page is a further page of the article of `documents`: its text is new.

    It shares the headline, the canonical URL, or both date and authors with the first page. A page
    without a headline, such as a consent page, is only joined if it has a next page, and a second
    page without a next page needs MIN_NEW_WORDS.
    """
    has_next = candidate.next_page is not None
    if candidate.error is not None or (candidate.headline is None and not has_next):
        return False
    if not _is_same_article(documents[0], candidate):
        return False
    paragraphs, _ = SeenText(*documents).split(candidate)
    new = [text for text in paragraphs if len(fold_letters(text)) >= MIN_LENGTH]
    is_sure = has_next or len(documents) > 1
    return bool(new) and (is_sure or count_words("\n".join(new)) >= MIN_NEW_WORDS)


def _is_same_article(first: Document, candidate: Document) -> bool:
    """Compare the canonical URLs, else the headlines, or dates and authors."""
    has_headline = _match_headlines(first.headline, candidate.headline)
    has_date = first.date_published is not None and first.date_published == candidate.date_published
    has_authors = bool(first.authors) and first.authors == candidate.authors
    canonical = candidate.canonical_url
    # some sites give their home page as the canonical URL of every page
    if canonical in (first.canonical_url, first.url) and urlsplit(canonical or "").path.strip("/"):
        return True
    days = {each[:DAY] for each in (first.date_published, candidate.date_published) if each}
    is_same = has_headline is not False and (has_headline or (has_date and has_authors))
    return bool(is_same) and len(days) <= 1


def _match_headlines(headline: str | None, other: str | None) -> bool | None:
    if headline is None or other is None:
        return None
    texts = fold_letters(headline), fold_letters(other)
    is_long = min(map(len, texts)) >= MIN_MATCH_LENGTH
    return texts[0] == texts[1] or (is_long and (texts[0] in texts[1] or texts[1] in texts[0]))


class SeenText:
    """The text of the pages of an article so far."""

    def __init__(self, *documents: Document) -> None:
        self._runs = RunIndex()
        for document in documents:
            self.add(document)

    def add(self, document: Document) -> None:
        """Add the text of a page, and the headline, standfirst and authors above it."""
        above = (document.headline, document.description, *document.authors)
        for text in (*filter(None, above), *split_paragraphs(document.text)):
            self._runs.add(list_runs(text))

    def split(self, document: Document) -> tuple[list[str], list[str]]:
        """Return the new paragraphs of a page, and the repeated ones.

        A short paragraph, such as a sub-heading or a line of stars, only counts as repeated above
        or below all long paragraphs.
        """
        paragraphs = split_paragraphs(document.text)
        are_known = [self._runs.has(list_runs(text), MIN_REPEATED) for text in paragraphs]
        are_long = [len(fold_letters(text)) >= MIN_LENGTH for text in paragraphs]
        are_new = [long > known for long, known in zip(are_long, are_known, strict=True)]
        first = are_new.index(True) if any(are_new) else len(are_new)
        last = len(are_new) - are_new[::-1].index(True) if any(are_new) else 0
        new: list[str] = []
        old: list[str] = []
        for index, paragraph in enumerate(paragraphs):
            is_end = not first <= index < last
            is_repeated = are_known[index] and (are_long[index] or is_end)
            (old if is_repeated else new).append(paragraph)
        return new, old
