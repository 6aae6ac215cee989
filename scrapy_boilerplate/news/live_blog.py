"""Live blogs: the entries that JSON-LD declares, or else the entries that the page shows.

A page is a live blog by `LiveBlogPosting`, its URL, its title or its class names.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

import numpy as np

from scrapy_boilerplate.metadata.date_parsing import parse_date
from scrapy_boilerplate.metadata.hidden_bodies import read_body
from scrapy_boilerplate.metadata.json_ld import (
    MAX_NODES,
    Node,
    list_objects,
    parse_json_ld,
    read_types,
    unescape_all,
)
from scrapy_boilerplate.page.labels import OVERRIDE, BoolArray, IntArray, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.text import collapse, compose, split_paragraphs
from scrapy_boilerplate.steps.class_names import names_author, names_live_blog
from scrapy_boilerplate.steps.named_containers import COMMENTS, LabelsByContainer
from scrapy_boilerplate.steps.text_overlap import RunIndex, list_runs
from scrapy_boilerplate.steps.titles import HEADING_TAGS

LIVE_TYPE = "LiveBlogPosting"
OTHER_PAGES = ("about", "citation", "isBasedOn", "isPartOf", "itemListElement", "mentions")
"""Properties of JSON-LD with other pages as values."""
MIN_ENTRIES, MAX_ENTRIES = 3, 2_000
MIN_WORDS = 8
"""Minimum words of the middle entry."""
MAX_TIME_WORDS, MAX_AUTHOR_WORDS = 8, 12
"""Maximum words of a line with a time, and of a line with an author."""
MAX_WRAPPERS = 12
"""Maximum levels from a time up to its entry."""
MAX_LINK_DENSITY = 0.5
MIN_SHOWN = 0.5
"""Minimum share of the runs of an entry or a paragraph in a text that has it."""
NEVER_ENTRIES = frozenset("html body time tr span a".split())

_says_live = re.compile(
    r"\blive(?:blogg?|ticker)?\b|ticker\b|\b(?:en[ -]direct|minuto[ -]a[ -]minuto|en[ -]vivo|"
    r"diretta|ao[ -]vivo|onla[ij]n|na[ -][zż]ywo)\b|онлайн|実況|速報|文字直播|实时更新|라이브"
).search
_match_clock = re.compile(r"^\D{0,12}?([01]?\d|2[0-3])[:.h]([0-5]\d)(?!\d)").match
_strip_by = re.compile(r"^(?:by|von|par|por|di|door|av|af)\s+", re.IGNORECASE).sub

Entry = dict[str, str | None]
"""`time` (ISO 8601, or only the time of day), `headline`, `text`, `author`."""


def declares_entries(page: Page) -> bool:
    """Return whether the JSON-LD of a page declares a live blog."""
    return any(LIVE_TYPE in script for script in page.declared.json_ld)


def may_be_live(page: Page) -> bool:
    """Return whether a page is declared or named as a live blog."""
    url = (page.url or "").partition("//")[2]
    if declares_entries(page) or _says_live(f"{page.title}\n{url}".lower()):
        return True
    if len(page.declared.times) < MIN_ENTRIES:
        return False
    return any(names_live_blog(name.lower()) for name in set(page.elements.classes))


def find_entries(
    page: Page, labeling: Labeling, date_published: str | None = None
) -> tuple[Entry, ...]:
    """Return the entries of a live blog, from JSON-LD or from the page; () for any other page.

    The longer list counts. `date_published` gives the day of entries on the page that have only the
    time of day.
    """
    if not may_be_live(page):
        return ()
    declared = page.remember(_read_declared)
    shown = _build_shown_entries(page, labeling, (date_published or "")[:10])
    if len(shown) > len(declared):
        return tuple(shown)
    paragraphs = split_paragraphs(page.join_blocks(np.flatnonzero(labeling.content).tolist()))
    return tuple(_sort_entries(declared, RunIndex(paragraphs)))


def place_entries(page: Page, labeling: Labeling, text: str) -> list[tuple[int, str]]:
    """Return (number, paragraph) of each paragraph of declared entries that `text` does not have.

    The paragraph belongs before the paragraph of `text` with that number, after the previous entry.
    Nothing is added if a rule of the site chooses the content.
    """
    if labeling.marked(OVERRIDE).any():
        return []
    paragraphs = split_paragraphs(text)
    seen, end = RunIndex(paragraphs), len(paragraphs)
    entries = _sort_entries(page.remember(_read_declared), seen)
    shown = {number: entry for number, entry in enumerate(entries) if _has(seen, entry)}
    places = {number: seen.locate(list_runs(_join(entry))) for number, entry in shown.items()}
    at = min((numbers[0] for numbers in places.values() if numbers), default=end)
    placed: list[tuple[int, str]] = []
    for number, entry in enumerate(entries):
        if number in places:
            at = max(at, *(last + 1 for last in places[number][-1:]))
            continue
        placed += [
            (at, paragraph)
            for paragraph in split_paragraphs(_join(entry))
            if not seen.has(list_runs(paragraph), MIN_SHOWN)
        ]
    return placed


def add_entries(page: Page, labeling: Labeling, text: str) -> str:
    """Return the text of a page with the paragraphs of `place_entries`."""
    paragraphs = split_paragraphs(text)
    ranked = [(number, 1, paragraph) for number, paragraph in enumerate(paragraphs)]
    ranked += [(number, 0, added) for number, added in place_entries(page, labeling, text)]
    ranked.sort(key=lambda each: each[:2])
    return "\n\n".join(paragraph for *_, paragraph in ranked)


def _join(entry: Entry) -> str:
    return "\n\n".join(filter(None, (entry["headline"], entry["text"])))


def _has(seen: RunIndex, entry: Entry) -> bool:
    return seen.has(list_runs(_join(entry)), MIN_SHOWN)


def _sort_entries(entries: list[Entry], seen: RunIndex) -> list[Entry]:
    """Return the entries in the order in which a page shows them, if it shows two."""
    places = (seen.locate(list_runs(_join(entry))) for entry in entries if _has(seen, entry))
    starts = [numbers[0] for numbers in places if numbers]
    signs = [np.sign(after - before) for before, after in pairwise(starts)]
    return entries[::-1] if sum(signs) < 0 else entries


# JSON-LD


def _read_declared(page: Page) -> list[Entry]:
    """Return the entries that JSON-LD declares, in its order."""
    if not declares_entries(page):
        return []
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
    return [entry for entry in entries if entry["text"] or entry["headline"]]


def _read_update(update: Node) -> Entry:
    author = update.get("author")
    first = author[0] if isinstance(author, list) and author else author
    name = first.get("name") if isinstance(first, dict) else first
    return {
        "time": parse_date(_read_text(update, "datePublished")) or None,
        "headline": compose(_read_text(update, "headline")) or None,
        "text": read_body(body) if isinstance(body := update.get("articleBody"), str) else "",
        "author": collapse(unescape_all(name)) or None if isinstance(name, str) else None,
    }


def _read_text(update: Node, name: str) -> str:
    value = update.get(name)
    return collapse(unescape_all(value)) if isinstance(value, str) else ""


# The page


@dataclass(frozen=True)
class ShownEntries:
    """The entries that a page shows: siblings of one tag and class that each hold a time.

    of_blocks  int[n]: the number of the entry around each block, or -1
    times      the time of each entry, as written
    """

    of_blocks: IntArray
    times: list[str]


def find_shown_entries(page: Page) -> ShownEntries | None:
    """Return the entries that a page shows, or None, in time linear in the size of the page."""
    return page.remember(_search_entries)


def _search_entries(page: Page) -> ShownEntries | None:
    if not len(page) or not may_be_live(page):
        return None
    elements, comments = page.elements, _find_comments(page)
    times: dict[int, str] = {}
    for at, time in _list_times(page):
        if not comments[at]:
            times.setdefault(at, time)
    siblings = _find_siblings(page, list(times))[:MAX_ENTRIES]
    if len(siblings) < MIN_ENTRIES:
        return None
    of_elements = np.full(len(elements), -1)
    for number, element in enumerate(siblings):
        of_elements[element : elements.ends[element]] = number
    of_blocks = of_elements[page.blocks.elements]
    inside = of_blocks >= 0
    words, links = (
        np.bincount(of_blocks[inside], column[inside], len(siblings))
        for column in (page.words, page.link_words)
    )
    if np.median(words) < MIN_WORDS or links.sum() > MAX_LINK_DENSITY * words.sum():
        return None
    first_times: dict[int, str] = {}
    for at, time in times.items():
        first_times.setdefault(int(of_elements[at]), time)
    return ShownEntries(of_blocks, [first_times[number] for number in range(len(siblings))])


_COMMENTS = LabelsByContainer(kinds=(COMMENTS,))


def _find_comments(page: Page) -> BoolArray:
    """Return bool[elements]: inside a container named like readers' comments."""
    inside = np.zeros(len(page.elements), dtype=np.bool_)
    for element, _ in _COMMENTS.find_containers(page):
        inside[element : page.elements.ends[element]] = True
    return inside


def _list_times(page: Page) -> Iterator[tuple[int, str]]:
    """Yield (element, time as written) of `time` elements, and of short lines that begin with one.

    A `time` without attribute has its text.
    """
    yield from ((element, written) for element, written in page.declared.times if written)
    for block, element in enumerate(page.blocks.elements.tolist()):
        if _has_time(page, block):
            yield element, page.texts[block]


def _has_time(page: Page, block: int) -> bool:
    return page.words[block] <= MAX_TIME_WORDS and bool(_match_clock(page.texts[block]))


def _find_siblings(page: Page, marks: Sequence[int]) -> list[int]:
    """Return the most children of one element that have one tag and class and hold a mark each."""
    elements = page.elements
    children: defaultdict[int, dict[int, None]] = defaultdict(dict)
    for mark in marks[: 4 * MAX_ENTRIES]:
        for element in islice(elements.ancestors(mark), MAX_WRAPPERS):
            if elements.tags[element] not in NEVER_ENTRIES:
                children[elements.parents[element]][element] = None
    counts = Counter(
        (parent, elements.tags[child], elements.classes[child])
        for parent, siblings in children.items()
        for child in siblings
    )
    [((parent, *kind), _)] = counts.most_common(1) or [((-1, "", ""), 0)]
    return [
        child
        for child in sorted(children.get(parent, ()))
        if [elements.tags[child], elements.classes[child]] == kind
    ]


def _build_shown_entries(page: Page, labeling: Labeling, day: str) -> list[Entry]:
    """Return the entries that a page shows, with their part of its text."""
    if (shown := find_shown_entries(page)) is None:
        return []
    blocks_of: list[list[int]] = [[] for _ in shown.times]
    for block in np.flatnonzero(shown.of_blocks >= 0).tolist():
        blocks_of[int(shown.of_blocks[block])].append(block)
    return [
        _build_entry(page, labeling, blocks, _read_time(time, page.language, day))
        for blocks, time in zip(blocks_of, shown.times, strict=True)
    ]


def _build_entry(page: Page, labeling: Labeling, blocks: list[int], time: str | None) -> Entry:
    headline = next((block for block in blocks if page.tags[block] in HEADING_TAGS), None)
    author = next((block for block in blocks if _names_author_of(page, block)), None)
    kept = np.flatnonzero(labeling.content[blocks])
    text = [
        block
        for block in (blocks[at] for at in kept.tolist())
        if block not in (headline, author) and not _has_time(page, block)
    ]
    return {
        "time": time,
        "headline": None if headline is None else page.texts[headline],
        "text": page.join_blocks(text),
        "author": None if author is None else _strip_by("", page.texts[author]) or None,
    }


def _names_author_of(page: Page, block: int) -> bool:
    if page.words[block] > MAX_AUTHOR_WORDS:
        return False
    element = int(page.inner_elements[block])
    around = element, page.elements.parents[element]
    return any(names_author(page.elements.classes[each].lower()) for each in around)


def _read_time(written: str, language: str | None, day: str) -> str | None:
    """Return a time as ISO 8601, or only the time of day if no day is known."""
    parsed = parse_date(written, language)
    if parsed is not None and len(parsed) > len("2024-05-01"):
        return parsed
    clock = _match_clock(written)
    if clock is None:
        return parsed
    date = parsed or day
    return f"{date}T{int(clock[1]):02}:{clock[2]}:00" if date else f"{int(clock[1]):02}:{clock[2]}"
