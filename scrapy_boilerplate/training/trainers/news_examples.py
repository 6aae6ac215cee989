"""Examples of `news`: the full text and the label of each block, as far as the corpus has them.

Corpora disagree on what belongs to an article; each page keeps the name of its convention.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from scrapy_boilerplate.page.blocks import AtomicBlocks
from scrapy_boilerplate.page.labels import FloatArray, IntArray, Label
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.comment_places import MIN_COMMENT_WORDS, Place, find_places
from scrapy_boilerplate.training.alignment import (
    UNKNOWN,
    compute_block_labels,
    compute_block_shares,
)
from scrapy_boilerplate.training.corpora import KNOWN_CORPORA
from scrapy_boilerplate.training.examples import label_by_snippets
from scrapy_boilerplate.training.gold import Gold
from scrapy_boilerplate.training.tokens import tokenize

# page types that are training pages (docs/provenance.md)
ARTICLE_TYPES = frozenset({None, "article"})
# minimum share of the gold tokens on the page; below, page and gold do not belong together
MIN_COVER = 0.7
# minimum share of common tokens among all tokens of a block and the gold title
MIN_TITLE_SIMILARITY = 0.9
# minimum share of a comment's runs of RUN tokens in the gold comments
MIN_COMMENT_SHARE = 0.8
RUN = 3

# minimum link density of boilerplate before or after the whole text (menus, footers, lists of other
# articles)
MIN_LINK_DENSITY = 0.5


@dataclass(frozen=True, eq=False)
class NewsExample:
    """A training page.

    content    float[n], the share of each block that is full text; NaN where unknown
    labels     int[n], the label of each block; UNKNOWN if the corpus has no label
    weight     how much the page counts
    convention name of the corpus
    site       registered domain
    six_labels whether its corpus has all six labels
    """

    page: Page
    content: FloatArray
    labels: IntArray
    weight: float
    convention: str
    site: str
    six_labels: bool = False


def build_example(gold: Gold) -> NewsExample | None:
    """Return the example of a page, None if no block is known."""
    labelled = gold.labelled
    page = AtomicBlocks()(gold.page)
    known = KNOWN_CORPORA.get(labelled.dataset)
    weight = known.weight if known else 1.0
    if not len(page) or not weight or labelled.page_type not in ARTICLE_TYPES:
        return None
    content = _label_content(gold, page)
    if content is None or _measure_cover(gold, page, content) < MIN_COVER:
        return None
    return NewsExample(
        page=page,
        content=content,
        labels=_label_blocks(gold, page, content),
        weight=weight,
        convention=labelled.dataset,
        site=labelled.site,
        six_labels=labelled.has_classes,
    )


def add_comment_labels(examples: Sequence[NewsExample]) -> Sequence[NewsExample]:
    """Label comments by the names of their containers, if no corpus labels comments."""
    if any((example.labels == Label.COMMENTS).any() for example in examples):
        return examples
    return [
        replace(example, labels=_label_named_comments(example.page, example.labels))
        for example in examples
    ]


def _label_named_comments(page: Page, labels: IntArray) -> IntArray:
    in_comment = (find_places(page) == int(Place.COMMENT)) & (labels == UNKNOWN)
    return np.where(in_comment & (page.words >= MIN_COMMENT_WORDS), Label.COMMENTS, labels)


def _label_content(gold: Gold, page: Page) -> FloatArray | None:
    labelled = gold.labelled
    if labelled.has_classes:
        labels = compute_block_labels(page, gold.leaf_labels)
    elif gold.text:
        return compute_block_shares(page, gold.leaf_labels)
    elif labelled.text_with or labelled.text_without:
        labels = label_by_snippets(page, labelled)
    else:
        return None
    return np.where(labels == UNKNOWN, np.nan, labels == Label.FULL_TEXT)


def _measure_cover(gold: Gold, page: Page, content: FloatArray) -> float:
    """Return the share of the gold tokens in the content blocks; 1 without a gold text."""
    if gold.labelled.has_classes or not gold.text:
        return 1.0
    remaining = gold.bag.copy()
    for block in np.flatnonzero(np.nan_to_num(content) > 0.5).tolist():
        remaining.subtract(tokenize(page.texts[block]))
    missing = sum(count for count in remaining.values() if count > 0)
    return 1.0 - missing / max(1, gold.bag.total())


def _label_blocks(gold: Gold, page: Page, content: FloatArray) -> IntArray:
    """Return all six labels where the corpus has them.

    Other corpora give full text, links before and after it, the gold title and gold comments.
    """
    labelled = gold.labelled
    if labelled.has_classes:
        return compute_block_labels(page, gold.leaf_labels)
    full = np.nan_to_num(content) > 0.5
    labels = np.where(full, Label.FULL_TEXT, UNKNOWN).astype(np.int64)
    text = np.flatnonzero(full)
    if len(text):
        outside = np.ones(len(page), dtype=np.bool_)
        outside[text[0] : text[-1] + 1] = False
        links = outside & (content == 0) & (page.link_density >= MIN_LINK_DENSITY)
        labels[links] = Label.BOILERPLATE
    if labelled.title:
        title = _find_title(page, labelled.title)
        labels[title : title + 1] = Label.HEADLINE
    if labelled.comments and labelled.text:
        runs = [_build_token_runs(text) for text in page.texts]
        wanted = _build_token_runs(" ".join(labelled.comments))
        comments = [
            bool(block) and len(block & wanted) >= MIN_COMMENT_SHARE * len(block) for block in runs
        ]
        labels[np.array(comments) & ~full] = Label.COMMENTS
    return labels


def _find_title(page: Page, title: str) -> int:
    """Return the block of the gold title, preferably a heading; len(page) without a match."""
    wanted = set(tokenize(title))
    candidates = []
    for block, text in enumerate(page.texts):
        if wanted and len(text) <= 3 * len(title):
            words = set(tokenize(text))
            if len(words & wanted) >= MIN_TITLE_SIMILARITY * len(words | wanted):
                candidates.append((page.tags[block] not in ("h1", "h2", "h3"), block))
    return min(candidates)[1] if candidates else len(page)


def _build_token_runs(text: str) -> set[tuple[str, ...]]:
    sequence = tokenize(text)
    return set(zip(*(sequence[start:] for start in range(RUN)), strict=False))
