"""Live blogs: the entries of a page, and the step of `news` that keeps them.

A live blog says so: by `LiveBlogPosting`, by its address or title, or by a name in its classes.
Its entries are siblings of one kind, each with a time.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import inf
from typing import TypeVar

import numpy as np

from scrapy_boilerplate.metadata.date_parsing import parse_date
from scrapy_boilerplate.metadata.hidden_bodies import read_body
from scrapy_boilerplate.metadata.json_ld import (
    MAX_NODES,
    Node,
    list_objects,
    parse_json_ld,
    read_types,
)
from scrapy_boilerplate.page.labels import OVERRIDE, IntArray, Label, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.text import collapse, compose
from scrapy_boilerplate.steps.titles import HEADING_TAGS, fold_letters

_T = TypeVar("_T")

LIVE_TYPE = "LiveBlogPosting"
# Properties of JSON-LD whose values are other pages.
OTHER_PAGES = ("about", "citation", "isBasedOn", "isPartOf", "itemListElement", "mentions")
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

# Letters and digits that are looked for together, share of those of an entry that the page has at
# least, and of those of a paragraph that are part of one, and letters of a page that are compared
# (our choice: three words; as in `joining`; half; .2 s).
RUN, MIN_SHOWN, MIN_PART, MAX_LETTERS = 16, 0.8, 0.5, 1_000_000
# Texts of a page that hold one entry at most: those without letters count, too (our choice).
MAX_TEXTS = 200

PARAGRAPHS = frozenset("p li blockquote dd pre".split())
COMMENTS = re.compile(r"comment|disqus|repl(?:y|ies)\b|komment", re.IGNORECASE)
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
    """Return the entries of a page: elements of one kind that each have a time; None without."""
    if not len(page) or not may_be_live(page):
        return None
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
        COMMENTS.search(f"{elements.classes[ancestor]} {elements.ids[ancestor]}")
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


def _find_text(page: Page, shape: Shape, entry: int) -> IntArray:
    """Return the blocks of an entry that are text or headings."""
    first, end = shape.spans[entry]
    blocks = np.arange(first, end)
    tags = page.tags[first:end]
    is_text = np.array(
        [
            tag in PARAGRAPHS or tag in HEADING_TAGS or words >= MIN_LINE_WORDS
            for tag, words in zip(tags, page.words[first:end].tolist(), strict=True)
        ],
        dtype=np.bool_,
    )
    container = shape.elements[entry]
    of_author = np.array(
        [_names_author(page, block, container) for block in range(first, end)], dtype=np.bool_
    )
    has_time = np.array(
        [
            words <= MAX_TIME_WORDS and tag not in HEADING_TAGS and bool(_clock(text))
            for tag, words, text in zip(
                tags, page.words[first:end].tolist(), page.texts[first:end], strict=True
            )
        ],
        dtype=np.bool_,
    )
    linked = page.link_density[first:end] > MAX_LINK_DENSITY
    empty = page.words[first:end] == 0
    chosen: IntArray = blocks[is_text & ~of_author & ~has_time & ~linked & ~empty]
    return chosen


def find_entries(page: Page, date_published: str | None = None) -> tuple[Entry, ...]:
    """Return the entries of a live blog in the order of the page; () of any other page.

    `date_published` gives the day of entries that tell the clock alone. Entries that the page does
    not show are those of its JSON-LD.
    """
    return tuple(entry for entry, _ in _list_entries(page, date_published))


def _list_entries(page: Page, date_published: str | None = None) -> list[tuple[Entry, bool]]:
    """Return the entries, and whether JSON-LD alone has each."""
    if not may_be_live(page):
        return []
    declared, shown = _read_declared(page), _build_entries(page, date_published)
    if len(shown) < len(declared) // 2:
        shown = []
    if not declared:
        return [(entry, False) for entry in shown]
    places = _Places([" ".join(_list_paragraphs(entry)) for entry in shown] or page.texts, declared)
    spans = [places.find_entry(entry) for entry in declared]
    starts = [span[0] for span in spans if span is not None]
    if sum(map(int.__gt__, starts, starts[1:])) > sum(map(int.__lt__, starts, starts[1:])):
        declared, spans = declared[::-1], spans[::-1]
    if not shown:
        return [(entry, True) for entry in declared]
    headlines = {entry["headline"] for entry in shown} - {None}
    missing = [
        (entry, True) if span is None and entry["headline"] not in headlines else None
        for entry, span in zip(declared, spans, strict=True)
    ]
    return _insert([(entry, False) for entry in shown], _place(missing, spans, len(shown)))


def add_entries(page: Page, labeling: Labeling, text: str) -> str:
    """Return the text of a page with the entries that its JSON-LD alone has (`place_entries`)."""
    placed = place_entries(page, labeling, text)
    return "\n\n".join(_insert(split_text(text), placed)) if placed else text


def place_entries(page: Page, labeling: Labeling, text: str) -> list[tuple[int, str]]:
    """Return the paragraphs of entries that JSON-LD alone has, and before which of `text` each is.

    They stand in the order of `find_entries`. What the text has of an entry, such as its headline,
    is not repeated. There are none where rules of the site say what the content is.
    """
    if not declares_entries(page) or labeling.marked(OVERRIDE).any():
        return []
    entries, paragraphs = _list_entries(page), split_text(text)
    places = _Places(paragraphs, [entry for entry, _ in entries])
    spans = [places.find_entry(entry) for entry, _ in entries]
    missing = [
        entry if is_declared and span is None else None
        for (entry, is_declared), span in zip(entries, spans, strict=True)
    ]
    return [
        (at, paragraph)
        for at, entry in _place(missing, spans, len(paragraphs))
        for paragraph in _list_paragraphs(entry)
        if places.find(paragraph) is None
    ]


def split_text(text: str) -> list[str]:
    """Return the paragraphs of a text."""
    return [paragraph for paragraph in text.split("\n\n") if paragraph]


def _list_paragraphs(entry: Entry) -> list[str]:
    return [*filter(None, [entry["headline"]]), *split_text(entry["text"] or "")]


def _place(
    missing: Iterable[_T | None], spans: Sequence[tuple[int, int] | None], end: int
) -> list[tuple[int, _T]]:
    """Return each missing entry and its place: behind the entry before it.

    Those before the first of the page stand there, and all at the end if the page has none.
    """
    at = min((span[0] for span in spans if span is not None), default=end)
    placed: list[tuple[int, _T]] = []
    for entry, span in zip(missing, spans, strict=True):
        if span is not None:
            at = max(at, span[1])
        elif entry is not None:
            placed.append((at, entry))
    return placed


def _insert(items: Sequence[_T], placed: Sequence[tuple[int, _T]]) -> list[_T]:
    """Return the items with others before those of a number; the numbers do not fall."""
    ranked = [(number, 1, item) for number, item in enumerate(items)]
    ranked += [(number, 0, item) for number, item in placed]
    return [item for *_, item in sorted(ranked, key=lambda each: each[:2])]


class _Places:
    """Where entries stand among texts of a page, by their letters."""

    def __init__(self, texts: Sequence[str], entries: Sequence[Entry]) -> None:
        folded = [fold_letters(text) for text in texts]
        self._whole = {text: number for number, text in enumerate(folded) if text}
        self._ends = list(accumulate(map(len, folded)))
        wanted = {
            run
            for entry in entries
            for text in (entry["text"] or "", *_list_paragraphs(entry))
            for run in _cut(fold_letters(text))
        }
        letters = "".join(folded)[:MAX_LETTERS]
        runs = ((letters[at : at + RUN], at) for at in range(len(letters) - RUN + 1))
        self._runs = {run: at for run, at in runs if run in wanted}

    def find(self, text: str) -> tuple[int, int] | None:
        """Return the first text, and the end, of those that have most of another; or None."""
        folded = fold_letters(text)
        if folded in self._whole:
            return self._whole[folded], self._whole[folded] + 1
        runs = _cut(folded)
        offsets = [self._runs[run] for run in runs if run in self._runs]
        if not runs or len(offsets) < MIN_SHOWN * len(runs):
            return None
        letters = Counter[int]()  # of each text
        for at in set(offsets):
            letters[bisect_right(self._ends, at)] += RUN
        [(first, _)] = letters.most_common(1)
        end = first + 1
        # phrases of it may stand elsewhere
        while first > end - MAX_TEXTS and self._is_part(letters, first - 1):
            first -= 1
        while end < first + MAX_TEXTS and self._is_part(letters, end):
            end += 1
        return first, end

    def _is_part(self, letters: Counter[int], number: int) -> bool:
        return letters[number] >= MIN_PART * self._count_letters(number)

    def _count_letters(self, number: int) -> float:
        """Return the letters of a text; too many beyond the first and the last."""
        if not 0 <= number < len(self._ends):
            return inf
        return self._ends[number] - (self._ends[number - 1] if number else 0)

    def find_entry(self, entry: Entry) -> tuple[int, int] | None:
        """Return where an entry stands, with its headline before it; None for one that does not."""
        span, headline = self.find(entry["text"] or entry["headline"] or ""), entry["headline"]
        if span is not None and self._whole.get(fold_letters(headline or "")) == span[0] - 1:
            return span[0] - 1, span[1]
        return span


def _cut(letters: str) -> list[str]:
    """Return runs of letters, one after the other, without the rest at the end."""
    return [letters[at : at + RUN] for at in range(0, len(letters) - RUN + 1, RUN)]


def _build_entries(page: Page, date_published: str | None) -> list[Entry]:
    """Return the entries that a page shows."""
    shape, day = find_shape(page), (date_published or "")[:10]
    if shape is None:
        return []
    return [_build_entry(page, shape, entry, day) for entry in range(len(shape.elements))]


def _build_entry(page: Page, shape: Shape, entry: int, day: str) -> Entry:
    text_blocks = _find_text(page, shape, entry).tolist()
    headline = None
    if text_blocks and page.tags[text_blocks[0]] in HEADING_TAGS:
        headline = page.texts[text_blocks.pop(0)]
    return {
        "time": _read_time(shape.times[entry], page.language, day),
        "headline": headline,
        "text": page.joined(text_blocks),
        "author": _find_author(page, shape, entry),
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


def _find_author(page: Page, shape: Shape, entry: int) -> str | None:
    first, end = shape.spans[entry]
    for block in range(first, end):
        if _names_author(page, block, shape.elements[entry]):
            return _strip_by("", page.texts[block]) or None
    return None


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


def _read_declared(page: Page) -> tuple[Entry, ...]:
    """Return the entries that JSON-LD declares, in its order."""
    if not declares_entries(page):
        return ()
    entries: list[Entry] = []
    elsewhere: set[int] = set()
    for node in parse_json_ld(page.declared.json_ld):  # outer ones come first
        if id(node) in elsewhere:
            continue
        others = [node[name] for name in OTHER_PAGES if name in node]
        elsewhere.update(map(id, list_objects(others, MAX_NODES)))
        updates = node.get("liveBlogUpdate") if LIVE_TYPE in read_types(node) else None
        for update in updates if isinstance(updates, list) else [updates]:
            if isinstance(update, dict) and len(entries) < MAX_ENTRIES:
                entries.append(_read_update(update))
    return tuple(entry for entry in entries if entry["text"] or entry["headline"])


def _read_update(update: Node) -> Entry:
    author = update.get("author")
    first = author[0] if isinstance(author, list) and author else author
    name = first.get("name") if isinstance(first, dict) else first
    return {
        "time": parse_date(_read_text(update, "datePublished")) or None,
        "headline": compose(_read_text(update, "headline")) or None,
        "text": read_body(body) if isinstance(body := update.get("articleBody"), str) else "",
        "author": collapse(name) or None if isinstance(name, str) else None,
    }


def _read_text(update: Node, name: str) -> str:
    value = update.get(name)
    return collapse(value) if isinstance(value, str) else ""
