"""Live blogs: the entries that the JSON-LD of a page declares."""

from itertools import pairwise

import numpy as np

from scrapy_boilerplate.items import Entry
from scrapy_boilerplate.metadata.date_parsing import parse_date
from scrapy_boilerplate.metadata.json_ld import (
    MAX_NODES,
    Node,
    list_objects,
    parse_json_ld,
    read_body,
    read_types,
    unescape_all,
)
from scrapy_boilerplate.page.labels import RULE, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.text import collapse, compose, split_paragraphs
from scrapy_boilerplate.steps.text_overlap import RunIndex, list_runs

LIVE_TYPE = "LiveBlogPosting"
# Properties of JSON-LD with other pages as values.
OTHER_PAGES = ("about", "citation", "isBasedOn", "isPartOf", "itemListElement", "mentions")
MAX_ENTRIES = 2_000
# Share of the runs of an entry or a paragraph in a text that has it.
MIN_SHOWN = 0.5


def declares_entries(page: Page) -> bool:
    """Return whether the JSON-LD of a page declares a live blog."""
    return any(LIVE_TYPE in script for script in page.declared.json_ld)


def find_entries(page: Page, labeling: Labeling) -> tuple[Entry, ...]:
    """Return the entries that the JSON-LD declares, in the order of the page."""
    if not declares_entries(page):
        return ()
    paragraphs = split_paragraphs(page.join_blocks(np.flatnonzero(labeling.content).tolist()))
    return tuple(_sort_entries(page.remember(_read_declared), RunIndex(paragraphs)))


def place_entries(page: Page, labeling: Labeling, text: str) -> list[tuple[int, str]]:
    """Return (number, paragraph) of each paragraph of declared entries that `text` does not have.

    The paragraph belongs before the paragraph of `text` with that number, after the previous entry.
    Nothing is added if a rule of the site chooses the content.
    """
    if labeling.marked(RULE).any():
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
            at = max([at, *(last + 1 for last in places[number][-1:])])
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


def _read_declared(page: Page) -> list[Entry]:
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
