"""How the text of a page is spread over its blocks."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from scrapy_boilerplate.features.news.facts import GOOD_LINK_DENSITY, GOOD_WORDS
from scrapy_boilerplate.label import BoolArray, FloatArray
from scrapy_boilerplate.page import Page

SHORT_WORDS = 4
"""Words up to which an unlinked block is a price, a button or a name rather than a sentence."""

COLUMNS = {
    "blocks": "log of 1 + the number of blocks",
    "words": "log of 1 + the number of words",
    "good_blocks": "log of 1 + the number of good blocks: many words, few of them in links",
    "good_words": "log of 1 + the number of words in good blocks",
    "good_share": "share of the words that is in good blocks",
    "link_share": "share of the words that is in links",
    "link_blocks": "share of the blocks that is links alone",
    "short_blocks": "share of the blocks that is short and unlinked",
    "mean_words": "mean number of words of a block",
    "mean_good_words": "mean number of words of a good block",
    "longest": "log of 1 + the words of the longest good block",
    "best_words": "log of 1 + the good words in the container with the most of them",
    "best_share": "share of the good words in the best container",
    "second_share": "good words of the second best container, as a share of the best one's",
    "containers": "log of 1 + the number of containers with good blocks",
    "best_paragraphs": "share of the good words in p elements",
    "good_items": "share of the good words in list items and cells",
    "before": "share of the blocks that stand before the first good one",
    "dense": "share of good blocks between the first and the last good block of the best container",
    "headings_between": "log of 1 + the headings in the best container's span",
    "links_between": "share of the words in the best container's span that is in links",
    "currency": "log of 1 + the number of currency signs",
    "questions": "question marks a hundred words",
    "stops": "full stops a hundred words",
    "digits": "share of the characters that is digits",
    "first_heading": "share of the blocks that stand before the first h1",
    "heading_gap": "log of 1 + the words between the first h1 and the first good block after it",
    "h1_words": "log of 1 + the number of words in h1 elements",
}
"""Name to what it is, in the order of `text_row`."""

_currency = re.compile("[$€£¥₹₽₩₺]").findall
_digit = re.compile("[0-9]").findall
_HEADINGS = frozenset(("h2", "h3", "h4"))


def text_row(page: Page) -> list[float]:
    """A number for each of COLUMNS; `page` is in atomic blocks. Without blocks all are 0."""
    n = len(page)
    if not n:
        return [0.0] * len(COLUMNS)
    words = page.words.astype(np.float64)
    good = (page.words >= GOOD_WORDS) & (page.link_density <= GOOD_LINK_DENSITY)
    return [*_of_blocks(page, words, good), *_of_containers(page, words, good),
            *_of_characters(page, float(words.sum())), *_of_headline(page, words, good)]


def _of_blocks(page: Page, words: FloatArray, good: BoolArray) -> Sequence[float]:
    n, total, linked = len(page), max(float(words.sum()), 1.0), page.link_words
    good_words = words[good]
    held = float(good_words.sum())
    return (
        np.log1p(n),
        np.log1p(total),
        np.log1p(len(good_words)),
        np.log1p(held),
        held / total,
        float(linked.sum()) / total,
        float(np.count_nonzero((linked == page.words) & (linked > 0))) / n,
        float(np.count_nonzero((words <= SHORT_WORDS) & (linked == 0))) / n,
        total / n,
        held / max(len(good_words), 1),
        np.log1p(good_words.max(initial=0.0)),
    )


def _of_containers(page: Page, words: FloatArray, good: BoolArray) -> Sequence[float]:
    places = np.flatnonzero(good)
    if not len(places):
        return [0.0] * 10
    elements = page.elements
    parents = elements.parents
    own = page.blocks.elements[places].tolist()
    held: dict[int, float] = {}
    of = [max(parents[e], 0) if elements.tags[e] not in ("div","section","article","td","main","body") else e for e in own]
    of = [max(parents[e], 0) if elements.tags[e] in ("ul","ol","blockquote","dl") else e for e in of]
    counts = words[places].tolist()
    for container, count in zip(of, counts, strict=True):
        held[container] = held.get(container, 0.0) + count
    best = max(held, key=held.__getitem__)
    ranked = sorted(held.values(), reverse=True)
    total = sum(counts)
    tags = [elements.tags[e] for e in own]
    in_p = sum(c for c, t in zip(counts, tags, strict=True) if t == "p")
    in_li = sum(c for c, t in zip(counts, tags, strict=True) if t in ("li", "td", "dd", "th"))
    inside = [int(p) for p, container in zip(places, of, strict=True) if container == best]
    first, last = inside[0], inside[-1] + 1
    span = float(words[first:last].sum())
    return (
        np.log1p(held[best]),
        held[best] / total,
        ranked[1] / ranked[0] if len(ranked) > 1 else 0.0,
        np.log1p(len(held)),
        in_p / total,
        in_li / total,
        int(places[0]) / len(page),
        float(np.count_nonzero(good[first:last])) / (last - first),
        np.log1p(sum(tag in _HEADINGS for tag in page.tags[first:last])),
        float(page.link_words[first:last].sum()) / max(span, 1.0),
    )


def _of_characters(page: Page, words: float) -> Sequence[float]:
    text = "\n".join(page.texts)
    return (
        np.log1p(len(_currency(text))),
        100 * text.count("?") / max(words, 1.0),
        100 * text.count(".") / max(words, 1.0),
        len(_digit(text)) / max(len(text), 1),
    )


def _of_headline(page: Page, words: FloatArray, good: BoolArray) -> Sequence[float]:
    tags = page.elements.tags
    if "h1" not in tags:
        return (0.0, 0.0, 0.0)
    h1 = tags.index("h1")
    elements = page.blocks.elements
    inside = (elements >= h1) & (elements < page.elements.ends[h1])
    at = int(np.searchsorted(page.blocks.first_leaf, 0)) if not inside.any() else int(np.argmax(inside))
    after = np.flatnonzero(good[at:])
    gap = float(words[at : at + int(after[0])].sum()) if len(after) else 1e4
    return (at / len(page), np.log1p(gap), np.log1p(float(words[inside].sum())))
