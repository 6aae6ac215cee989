"""What the blocks of a labelled page should be, as far as its corpus says.

Corpora disagree on what belongs to an article; each page keeps the name of its convention.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scrapy_boilerplate.news.features.facts import Facts
from scrapy_boilerplate.page.blocks import AtomicBlocks
from scrapy_boilerplate.page.labels import FloatArray, IntArray, Label
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.text import collapse
from scrapy_boilerplate.training.alignment import UNKNOWN, block_labels, block_shares
from scrapy_boilerplate.training.corpora import LabelledPage
from scrapy_boilerplate.training.gold import Gold
from scrapy_boilerplate.training.metrics.tokens import tokens

PAGE_WEIGHTS = {
    "fundus": 4.0,
    "article-extraction": 2.0,
    "waddle": 0.5,
    "dragnet": 0.5,
    "cleaneval-dev": 0.0,
    "cleaneval-final": 0.0,
    "cleanportaleval": 0.0,
}
"""Weight of a page by corpus, 1 elsewhere: modern news most, no pages of mixed genres (LEARNING.md,
the recipe, 1)."""
ARTICLES = frozenset({None, "article"})
"""Page types that teach news; the others of wcxb cost news .005 to .013 (LEARNING.md)."""
MIN_COVER = 0.7
"""Share of the gold tokens that stand on the page; below it page and gold do not belong together
(LEARNING.md, the recipe, 1)."""
MIN_TITLE_LIKENESS = 0.9
"""Share of common tokens, of all of both, from which a block says the gold title."""
MIN_COMMENT_SHARE = 0.8
"""Share of a block's runs of three tokens that stand in the gold comments."""
RUN = 3
"""Tokens to a run."""
MIN_LINK_DENSITY = 0.5
"""Link density from which a block before or after the whole text is boilerplate (our choice: menus,
footers, lists of other articles)."""


@dataclass(frozen=True, eq=False)
class NewsExample:
    """One page to learn from.

    content    float[n], the share of each block that is full text; NaN where unknown
    labels     int[n], the label of each block; UNKNOWN where the corpus does not say
    weight     how much the page counts; convention and site it belongs to
    six_labels whether its corpus tells all six labels apart
    """

    facts: Facts
    content: FloatArray
    labels: IntArray
    weight: float
    convention: str
    site: str
    six_labels: bool = False


def news_example(gold: Gold) -> NewsExample | None:
    """The example of a page; None where there is nothing to learn from it."""
    labelled = gold.labelled
    page = AtomicBlocks()(gold.page)
    weight = PAGE_WEIGHTS.get(labelled.dataset, 1.0)
    if not len(page) or not weight or labelled.page_type not in ARTICLES:
        return None
    content = _content(gold, page)
    if content is None or _cover(gold, page, content) < MIN_COVER:
        return None
    return NewsExample(
        facts=Facts(page),
        content=content,
        labels=_labels(gold, page, content),
        weight=weight,
        convention=labelled.dataset,
        site=labelled.site,
        six_labels=labelled.annotated_html is not None,
    )


def _content(gold: Gold, page: Page) -> FloatArray | None:
    labelled = gold.labelled
    if labelled.has_classes:
        six = block_labels(page, gold.leaf_labels)
        return np.where(six == UNKNOWN, np.nan, (six == Label.FULL_TEXT).astype(np.float64))
    if gold.text:
        return block_shares(page, gold.leaf_labels)
    if labelled.text_with or labelled.text_without:
        return _by_snippets(page, labelled)
    return None


def _by_snippets(page: Page, labelled: LabelledPage) -> FloatArray:
    """Blocks that hold a snippet which must, or must not, be in the text; the rest is unknown."""
    wanted, unwanted = (
        [collapse(snippet) for snippet in snippets if collapse(snippet)]
        for snippets in (labelled.text_with, labelled.text_without)
    )
    content = np.full(len(page), np.nan)
    for block, text in enumerate(page.texts):
        if any(snippet in text for snippet in wanted):
            content[block] = 1.0
        elif any(snippet in text for snippet in unwanted):
            content[block] = 0.0
    return content


def _cover(gold: Gold, page: Page, content: FloatArray) -> float:
    """Share of the gold tokens in the blocks that are content; 1 where there is no gold text."""
    if gold.labelled.has_classes or not gold.text:
        return 1.0
    found: list[str] = []
    for block in np.flatnonzero(np.nan_to_num(content) > 0.5).tolist():
        found += tokens(page.texts[block])
    remaining = gold.bag.copy()
    remaining.subtract(found)
    missing = sum(count for count in remaining.values() if count > 0)
    return 1.0 - missing / max(1, gold.bag.total())


def _labels(gold: Gold, page: Page, content: FloatArray) -> IntArray:
    """All six labels on L3S-GN1; elsewhere full text, links before and after it, gold title, gold
    comments."""
    labelled = gold.labelled
    if labelled.has_classes:
        return block_labels(page, gold.leaf_labels)
    full = np.nan_to_num(content) > 0.5
    labels = np.where(full, Label.FULL_TEXT, UNKNOWN).astype(np.int64)
    labels[_links_outside(page, content)] = Label.BOILERPLATE
    if labelled.title:
        title = _title(page, labelled.title)
        labels[title : title + 1] = Label.HEADLINE if title >= 0 else labels[title : title + 1]
    if labelled.comments and labelled.text:
        labels[_comments(page, labelled.comments) & ~full] = Label.COMMENTS
    return labels


def _links_outside(page: Page, content: FloatArray) -> np.ndarray:
    """bool[n]: links before the first and after the last block of the text; no page without."""
    outside = np.zeros(len(page), dtype=np.bool_)
    text = np.flatnonzero(np.nan_to_num(content) > 0.5)
    if len(text):
        outside[: text[0]] = outside[text[-1] + 1 :] = True
    found: np.ndarray = outside & (content == 0) & (page.link_density >= MIN_LINK_DENSITY)
    return found


def _title(page: Page, title: str) -> int:
    """The block that says the gold title, a heading rather than another; len(page) if none does."""
    wanted = set(tokens(title))
    most = 3 * len(title)
    found = [
        (page.tags[block] not in ("h1", "h2", "h3"), block)
        for block, text in enumerate(page.texts)
        if wanted and len(text) <= most and _likeness(set(tokens(text)), wanted)
    ]
    return min(found)[1] if found else len(page)


def _likeness(one: set[str], other: set[str]) -> bool:
    return len(one & other) >= MIN_TITLE_LIKENESS * len(one | other)


def _comments(page: Page, comments: Sequence[str]) -> np.ndarray:
    """bool[n]: blocks most of which stands in the gold comments."""
    wanted = _runs(" ".join(comments))
    runs = [_runs(text) for text in page.texts]
    return np.array([bool(r) and len(r & wanted) >= MIN_COMMENT_SHARE * len(r) for r in runs])


def _runs(text: str) -> set[tuple[str, ...]]:
    found = tokens(text)
    return set(zip(*(found[k:] for k in range(RUN)), strict=False))
