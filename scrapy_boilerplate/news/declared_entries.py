"""The entries of a live blog that JSON-LD declares, among those that the page shows.

Pages declare entries that they load later, or never. They stand in the text where the order of the
others puts them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import TypeVar
from weakref import WeakKeyDictionary

from scrapy_boilerplate.metadata.date_parsing import parse_date
from scrapy_boilerplate.metadata.hidden_bodies import read_body
from scrapy_boilerplate.metadata.json_ld import (
    MAX_NODES,
    Node,
    list_objects,
    parse_json_ld,
    read_types,
)
from scrapy_boilerplate.news.live_blog import (
    LIVE_TYPE,
    MAX_ENTRIES,
    Entry,
    build_entries,
    declares_entries,
    may_be_live,
)
from scrapy_boilerplate.page.labels import OVERRIDE, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.text import collapse, compose
from scrapy_boilerplate.steps.titles import fold_letters

_T = TypeVar("_T")

# Properties of JSON-LD whose values are other pages.
OTHER_PAGES = ("about", "citation", "isBasedOn", "isPartOf", "itemListElement", "mentions")
# Letters and digits that are looked for together, share of those of an entry that the page has at
# least, and of those of a paragraph that are part of one, and letters of a page that are compared
# (our choice: three words; as in `joining`; half; .2 s).
RUN, MIN_SHOWN, MIN_PART, MAX_LETTERS = 16, 0.8, 0.5, 1_000_000
# Texts of a page that hold one entry at most: those without letters count, too (our choice).
MAX_TEXTS = 200


def find_entries(page: Page, date_published: str | None = None) -> tuple[Entry, ...]:
    """Return the entries of a live blog in the order of the page; () of any other page.

    `date_published` gives the day of entries that tell the clock alone. Entries that the page does
    not show are those of its JSON-LD.
    """
    return tuple({**entry} for entry, _ in _list_entries(page, date_published))


def _list_entries(page: Page, date_published: str | None) -> list[tuple[Entry, bool]]:
    """Return the entries, read once a page and date, and whether JSON-LD alone has each."""
    of_page = _entries.setdefault(page, {})
    if date_published not in of_page:
        is_live = may_be_live(page)
        of_page[date_published] = _read_entries(page, date_published) if is_live else []
    return of_page[date_published]


_entries: WeakKeyDictionary[Page, dict[str | None, list[tuple[Entry, bool]]]] = WeakKeyDictionary()


def _read_entries(page: Page, date_published: str | None) -> list[tuple[Entry, bool]]:
    declared, shown = _read_declared(page), build_entries(page, date_published)
    if len(shown) < len(declared) // 2:
        shown = []
    if not declared:
        return [(entry, False) for entry in shown]
    places = EntryPlaces(
        [" ".join(_list_paragraphs(entry)) for entry in shown] or page.texts, declared
    )
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


def add_entries(page: Page, labeling: Labeling, text: str, date_published: str | None) -> str:
    """Return the text of a page with the entries that its JSON-LD alone has (`place_entries`)."""
    placed = place_entries(page, labeling, text, date_published)
    return "\n\n".join(_insert(split_text(text), placed)) if placed else text


def place_entries(
    page: Page, labeling: Labeling, text: str, date_published: str | None = None
) -> list[tuple[int, str]]:
    """Return the paragraphs of entries that JSON-LD alone has, and before which of `text` each is.

    They stand in the order of `find_entries`, which takes the same `date_published`. What the text
    has of an entry, such as its headline, is not repeated. There are none where rules of the site
    say what the content is.
    """
    if labeling.marked(OVERRIDE).any():
        return []
    entries, paragraphs = _list_entries(page, date_published), split_text(text)
    places = EntryPlaces(paragraphs, [entry for entry, _ in entries])
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


class EntryPlaces:
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
        """Return whether a text is there, and MIN_PART of its letters are among `letters`."""
        if not 0 <= number < len(self._ends):
            return False
        start = self._ends[number - 1] if number else 0
        return letters[number] >= MIN_PART * (self._ends[number] - start)

    def find_entry(self, entry: Entry) -> tuple[int, int] | None:
        """Return where an entry stands, with its headline before it; None for one that does not."""
        span, headline = self.find(entry["text"] or entry["headline"] or ""), entry["headline"]
        if span is not None and self._whole.get(fold_letters(headline or "")) == span[0] - 1:
            return span[0] - 1, span[1]
        return span


def _cut(letters: str) -> list[str]:
    """Return runs of letters, one after the other, without the rest at the end."""
    return [letters[at : at + RUN] for at in range(0, len(letters) - RUN + 1, RUN)]


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
