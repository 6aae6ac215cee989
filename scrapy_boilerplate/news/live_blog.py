"""Live blogs: the entries that a page shows, and the step of `news` that keeps them.

A live blog says so: by `LiveBlogPosting`, by its address or title, or by a name in its classes.
Its entries are siblings of one kind, each with a time. `news.declared_entries` adds those that its
JSON-LD alone has.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from scrapy_boilerplate.metadata.date_parsing import parse_date
from scrapy_boilerplate.page.labels import Label, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.titles import HEADING_TAGS

LIVE_TYPE = "LiveBlogPosting"
# Entries of a live blog at least, and words of the middle one (our choice).
MIN_ENTRIES, MIN_WORDS = 3, 8
# Entries of a page that are read (our choice).
MAX_ENTRIES = 2_000
# Words of a line with the time of an entry, and of one with its author, at most (our choice).
MAX_TIME_WORDS, MAX_AUTHOR_WORDS = 8, 12
# Ancestors of a time among which its entry is, and of an author's name among which one is named so
# (our choice).
MAX_WRAPPERS, AUTHOR_WRAPPERS = 12, 3
# Link density over which a block of an entry is none of its text, and words from which a line that
# is no paragraph is (our choice).
MAX_LINK_DENSITY, MIN_LINE_WORDS = 0.5, 5

PARAGRAPHS = frozenset("p li blockquote dd pre".split())
_names_comments = re.compile(r"comment|disqus|repl(?:y|ies)\b|komment", re.IGNORECASE).search
LIVE_WORDS = (
    *("live", "ticker", "direct", "minuto", "vivo", "dirett", "onlain", "onlajn", "zywo"),
    *("онлайн", "żywo", "実況", "速報", "文字直播", "实时更新", "라이브"),
)
"""One of them is in what the next two patterns match."""
has_live_address = re.compile(
    r"(?<![a-z])(?:live|liveblog|live-?ticker|newsticker|ticker|en-?direct|minuto-a-minuto|en-vivo|"
    r"diretta|ao-vivo|onlain|onlajn|na-zywo)(?![a-z])",
    re.IGNORECASE,
).search
has_live_title = re.compile(
    r"\blive\b|\bliveblog|ticker\b|\ben direct\b|minuto a minuto|\ben vivo\b|\bdiretta\b|"
    r"\bao vivo\b|онлайн|na żywo|liveblogg|実況|速報|文字直播|实时更新|라이브",
    re.IGNORECASE,
).search
LIVE_NAMES = (
    re.compile("live[-_]*(?:blog|ticker|feed|update|post|entry|event|stream|coverage)").search,
    re.compile("ticker[-_]*(?:item|entry|post|event)").search,
)
"""Of class names in lower case. They begin with letters, for which `re` looks much faster."""
names_author = re.compile(r"author|byline|autor|auteur|writer", re.IGNORECASE).search

_clock = re.compile(r"^\D{0,12}?([01]?\d|2[0-3])[:.h]([0-5]\d)(?!\d)").match
_strip_by = re.compile(r"^(?:by|von|par|por|di|door|av|af)\s+", re.IGNORECASE).sub

Entry = dict[str, str | None]
"""`time` (ISO 8601, or the clock's alone where no day is known), `headline`, `text`, `author`."""


def may_be_live(page: Page) -> bool:
    """Return whether a page says that it is a live blog; quick on every page."""
    if declares_entries(page):
        return True
    # substrings first: most pages have none of them, and a pattern takes fifty times as long
    title, address = page.title.lower(), (page.url or "").partition("//")[2].lower()
    if any(word in title for word in LIVE_WORDS) and has_live_title(title):
        return True
    if any(word in address for word in LIVE_WORDS) and has_live_address(address):
        return True
    if len(page.declared.times) < MIN_ENTRIES:
        return False
    names = "\n".join(page.elements.classes).lower()
    return any(search(names) is not None for search in LIVE_NAMES)


def declares_entries(page: Page) -> bool:
    """Return whether the JSON-LD of a page speaks of a live blog."""
    return any(LIVE_TYPE in script for script in page.declared.json_ld)


@dataclass(frozen=True)
class Shape:
    """The entries of a live blog on a page.

    elements  the containers, in order
    spans     (first block, end) of each
    times     `datetime` of each, else the line with the clock
    """

    elements: list[int]
    spans: list[tuple[int, int]]
    times: list[str]


def find_shape(page: Page) -> Shape | None:
    """Return the entries of a page: elements of one kind that each have a time; None without.

    They are searched once a page.
    """
    if page not in _shapes:
        _shapes[page] = _search_shape(page) if len(page) and may_be_live(page) else None
    return _shapes[page]


_shapes: WeakKeyDictionary[Page, Shape | None] = WeakKeyDictionary()


def _search_shape(page: Page) -> Shape | None:
    times = dict(sorted(_list_times(page)))
    if len(times) < MIN_ENTRIES:
        return None
    containers = _find_containers(page, list(times))
    spans = [_find_span(page, element) for element in containers]
    kept = [index for index, (first, end) in enumerate(spans) if end > first]
    if len(kept) < MIN_ENTRIES:
        return None
    words = [int(page.words[first:end].sum()) for first, end in (spans[index] for index in kept)]
    links = [int(page.link_words[first:end].sum()) for first, end in (spans[i] for i in kept)]
    if float(np.median(words)) < MIN_WORDS or sum(links) > MAX_LINK_DENSITY * sum(words):
        return None
    exact = {element: written for element, written in page.declared.times if written}
    of_entries = [_find_time(page, containers[index], exact, times) for index in kept]
    return Shape([containers[i] for i in kept], [spans[i] for i in kept], of_entries)


def _find_time(page: Page, container: int, *tables: dict[int, str]) -> str:
    """Return the first time inside an entry that one of the tables has, as written."""
    for times in tables:
        marks = list(times)
        at = bisect_left(marks, container)
        if at < len(marks) and marks[at] < page.elements.ends[container]:
            return times[marks[at]]
    return ""


def _list_times(page: Page) -> Iterator[tuple[int, str]]:
    """Yield (element, time as written) of `time` elements, and of short lines that begin with one.

    A `time` without attribute has its text.
    """
    yield from ((element, written) for element, written in page.declared.times if written)
    elements = page.blocks.elements.tolist()
    for block in np.flatnonzero(page.words <= MAX_TIME_WORDS).tolist():
        if _clock(page.texts[block]):
            yield elements[block], page.texts[block]


def _find_containers(page: Page, marks: list[int]) -> list[int]:
    """Return the entries: elements of the kind of those siblings that most often hold a time."""
    elements = page.elements
    children: defaultdict[int, dict[int, None]] = defaultdict(dict)
    for mark in marks[: 4 * MAX_ENTRIES]:
        path = list(zip(range(MAX_WRAPPERS), elements.ancestors(mark), strict=False))
        for _, element in path:
            if elements.parents[element] >= 0:
                children[elements.parents[element]][element] = None
    best, kind = 0, ("", "")
    for parent, found in children.items():
        kinds = Counter((elements.tags[child], elements.classes[child]) for child in found)
        [(most, count)] = kinds.most_common(1)
        if count >= max(MIN_ENTRIES, best + 1) and not _is_comments(page, parent):
            best, kind = count, most
    if not best or kind[0] in ("body", "time", "tr", "span", "a"):
        return []
    marked = {
        element
        for mark in marks
        for _, element in zip(range(MAX_WRAPPERS), elements.ancestors(mark), strict=False)
    }
    containers: list[int] = []
    for element in sorted(marked):
        is_kind = (elements.tags[element], elements.classes[element]) == kind
        is_inner = containers and element < elements.ends[containers[-1]]
        if is_kind and not is_inner and not _is_comments(page, element):
            containers.append(element)
    return containers[:MAX_ENTRIES]


def _is_comments(page: Page, element: int) -> bool:
    elements = page.elements
    return any(
        _names_comments(f"{elements.classes[ancestor]} {elements.ids[ancestor]}")
        for _, ancestor in zip(range(MAX_WRAPPERS), elements.ancestors(element), strict=False)
    )


def _find_span(page: Page, element: int) -> tuple[int, int]:
    """Return the first block inside an element, and the end."""
    leaves, blocks = page.leaves, page.blocks
    first = bisect_left(leaves.opened, element + 1)
    end = bisect_left(leaves.opened, page.elements.ends[element] + 1, lo=first)
    while end > first and not element <= leaves.elements[end - 1] < page.elements.ends[element]:
        end -= 1
    low = int(np.searchsorted(blocks.first_leaf, first, "left"))
    high = int(np.searchsorted(blocks.first_leaf, end, "left"))
    return low, high


@dataclass(frozen=True, kw_only=True)
class LiveEntries:
    """Make the text of the entries of a live blog content."""

    name: str = "live-entries"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        shape = find_shape(page)
        if shape is None:
            return labeling
        where = np.zeros(len(page), dtype=np.bool_)
        for entry in range(len(shape.elements)):
            where[_find_text(page, shape, entry)] = True
        return labeling.choose(where & ~labeling.content, Label.FULL_TEXT, self.name)


def _find_text(page: Page, shape: Shape, entry: int) -> list[int]:
    """Return the blocks of an entry that are text or headings."""
    blocks = []
    for block in range(*shape.spans[entry]):
        words, is_heading = int(page.words[block]), page.tags[block] in HEADING_TAGS
        is_text = is_heading or page.tags[block] in PARAGRAPHS or words >= MIN_LINE_WORDS
        is_time = not is_heading and words <= MAX_TIME_WORDS and _clock(page.texts[block])
        if (
            (words and is_text and not is_time)
            and page.link_density[block] <= MAX_LINK_DENSITY
            and not _names_author(page, block, shape.elements[entry])
        ):
            blocks.append(block)
    return blocks


def build_entries(page: Page, date_published: str | None) -> list[Entry]:
    """Return the entries that a page shows; `date_published` is as in `find_entries`."""
    shape, day = find_shape(page), (date_published or "")[:10]
    if shape is None:
        return []
    return [_build_entry(page, shape, entry, day) for entry in range(len(shape.elements))]


def _build_entry(page: Page, shape: Shape, entry: int, day: str) -> Entry:
    text_blocks, headline, author = _find_text(page, shape, entry), None, None
    if text_blocks and page.tags[text_blocks[0]] in HEADING_TAGS:
        headline = page.texts[text_blocks.pop(0)]
    for block in range(*shape.spans[entry]):
        if _names_author(page, block, shape.elements[entry]):
            author = _strip_by("", page.texts[block]) or None
            break
    return {
        "time": _read_time(shape.times[entry], page.language, day),
        "headline": headline,
        "text": page.joined(text_blocks),
        "author": author,
    }


def _read_time(written: str, language: str | None, day: str) -> str | None:
    """Return a time as ISO 8601; the clock alone where neither it nor `day` tells the day."""
    parsed = parse_date(written, language)
    if parsed is not None and len(parsed) > len("2024-05-01"):
        return parsed
    clock = _clock(written)
    if clock is None:
        return parsed
    date = parsed or day
    return f"{date}T{int(clock[1]):02}:{clock[2]}:00" if date else f"{int(clock[1]):02}:{clock[2]}"


def _names_author(page: Page, block: int, container: int) -> bool:
    """Return whether a short block in an entry stands in an element that is named of an author."""
    if page.words[block] > MAX_AUTHOR_WORDS:
        return False
    leaf = int(page.blocks.first_leaf[block])
    for _, element in zip(
        range(AUTHOR_WRAPPERS), page.elements.ancestors(page.leaves.elements[leaf]), strict=False
    ):
        if element == container:
            return False
        if names_author(page.elements.classes[element]):
            return True
    return False
