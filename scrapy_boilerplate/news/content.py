"""The steps of `news` that choose which blocks are full text, in the order they run."""

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from scrapy_boilerplate.article.live_blog import declares_entries
from scrapy_boilerplate.native.steps import find_threshold
from scrapy_boilerplate.news.comments import can_be_comments, find_comment_heading
from scrapy_boilerplate.page.labels import BoolArray, IntArray, Label, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.class_names import names_byline
from scrapy_boilerplate.steps.extractor import Step, run_steps
from scrapy_boilerplate.steps.named_containers import (
    COMMENT_CONTAINERS,
    COMMENTS,
    TEXT_KINDS,
    ContainerKind,
    LabelsByContainer,
    Place,
    find_places,
)
from scrapy_boilerplate.steps.pickling import PickledFields
from scrapy_boilerplate.steps.text_overlap import MAX_RUNS, Runs, list_runs
from scrapy_boilerplate.steps.titles import is_named_by

# Mark of blocks that are removed from the text and keep the label boilerplate.
LEFT_OUT = "left-out"
# Words of the text that remains when blocks are left out.
MIN_TEXT_WORDS = 20

# The threshold, and the confidence

# Lowest and highest threshold of scores (our sweep, docs/provenance.md).
MIN_THRESHOLD, MAX_THRESHOLD = 0.3, 0.6
# Factor of the threshold on modern pages that declare no news article: the texts of blogs, guides
# and companies contain lists, boxes and notes (our sweep, docs/provenance.md).
LENIENT_FACTOR = 0.8


@dataclass(frozen=True, kw_only=True)
class ExpectedF1Threshold:
    """Make the blocks full text that reach the threshold with the highest expected F1 of words.

    Lewis 1995 (Evaluating and optimizing autonomous text classification systems). On modern pages
    that declare no news article (`Page.declares_news_article`), the threshold is multiplied by
    `lenient_factor`.
    """

    lowest: float = MIN_THRESHOLD
    highest: float = MAX_THRESHOLD
    lenient_factor: float = LENIENT_FACTOR
    name: str = "expected-f1"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        scores = labeling.scores[:, int(Label.FULL_TEXT)]
        threshold = min(max(find_threshold(scores, page.words), self.lowest), self.highest)
        if page.is_modern and not page.declares_news_article:
            threshold = max(self.lenient_factor * threshold, self.lowest)
        return labeling.relabel(scores >= threshold, Label.FULL_TEXT, self.name, keep_scores=True)


# Power and factor from the odds of the expected F1 to the odds of the confidence: on unseen
# corpora, the scores of good and bad blocks are too extreme (our sweep, docs/provenance.md).
ODDS_POWER, ODDS_FACTOR = 0.75, 2.5


def compute_confidence(page: Page, labeling: Labeling) -> float:
    """Return the confidence of `news`, 0 to 1: the expected F1 on unseen corpora."""
    expected = compute_expected_f1(page, labeling)
    if expected >= 1:
        return 1.0
    odds = ODDS_FACTOR * math.pow(expected / (1 - expected), ODDS_POWER)
    return odds / (1 + odds)


def compute_expected_f1(page: Page, labeling: Labeling) -> float:
    """Return the expected F1 of the words of the content, 0 to 1."""
    if not page.words[labeling.content].any():
        return 0.0
    weights = np.maximum(page.words, 1.0)
    likely = labeling.scores[:, int(Label.FULL_TEXT)] * weights
    right, kept = (float(column[labeling.content].sum()) for column in (likely, weights))
    return min(1.0, 2 * right / max(kept + float(likely.sum()), 1e-9))


# Named containers in the text


@dataclass(frozen=True, kw_only=True)
class NamedContainers(PickledFields):
    """Relabel the content in named containers: inputs, dialogs, comments, captions, notes.

    Such text scores like the article. It is only relabelled if the rest of the content can be the
    article (`_is_beside_article`). The controls in sections of comments become boilerplate.
    """

    kinds: tuple[ContainerKind, ...] = TEXT_KINDS
    name: str = "named-containers"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        around = COMMENT_CONTAINERS.finder.find_bits_around(page, labeling.content)
        for kind, containers in self._containers.items():
            # on old pages, headings also mark comments
            may_have_heading = kind == COMMENTS and not page.is_modern
            if not around & containers.wanted and not may_have_heading:
                continue
            named = containers.read_labels(page, labeling, of_content=True)
            inside = matching = labeling.content & (named == int(kind.label))
            if kind == COMMENTS:
                inside, matching = _find_comments(page, labeling.content, named)
            if not inside.any() or not _is_beside_article(kind, page, labeling, inside):
                continue
            labeling = labeling.relabel(inside, Label.BOILERPLATE, self.name, keep_scores=True)
            if kind.label is not Label.BOILERPLATE:
                labeling = labeling.relabel(matching, kind.label, self.name, keep_scores=True)
                inside &= ~matching
            labeling = labeling.mark(LEFT_OUT, inside)
        return labeling

    @cached_property
    def _containers(self) -> dict[ContainerKind, LabelsByContainer]:
        return {
            kind: COMMENT_CONTAINERS if kind == COMMENTS else LabelsByContainer(kinds=(kind,))
            for kind in self.kinds
        }


def _find_comments(page: Page, content: BoolArray, named: IntArray) -> tuple[BoolArray, BoolArray]:
    """Return bool[n] twice: the content in sections of comments, and the comments themselves."""
    is_named, places = named == int(Label.COMMENTS), find_places(page)
    inside = content & (is_named | (named == int(Label.BOILERPLATE)))
    inside &= places != int(Place.OUTSIDE)
    comments = inside & is_named & (places != int(Place.CONTROLS))
    comments[comments] = can_be_comments(page, comments.nonzero()[0])
    heading = find_comment_heading(page, content & ~inside)
    if heading is not None:
        comments[heading + 1 :] |= (content & ~inside)[heading + 1 :]
        inside[heading:] |= content[heading:]
    return inside, comments


def _is_beside_article(
    kind: ContainerKind, page: Page, labeling: Labeling, inside: BoolArray
) -> bool:
    """Return whether the content that is not `inside` containers of a kind can be the article.

    It needs at least MIN_TEXT_WORDS, and the containers can have at most the share that their kind
    allows.
    """
    text = np.where(labeling.content & ~inside, page.words, 0)
    n_words, n_text = page.words[inside].sum(), text.sum()
    if n_text < MIN_TEXT_WORDS:
        return False
    first = inside.argmax()
    above, below = text[:first].sum(), text[first:].sum()
    is_after_article = kind.may_follow and above > below and above >= MIN_TEXT_WORDS
    return bool(n_words <= kind.max_text_share * (n_words + n_text)) or bool(is_after_article)


# The repeated body

# Runs of a copied block.
MIN_RUNS = 4
# Share of a block's runs from which it is a copy (our sweep, docs/provenance.md).
MIN_COPIED_SHARE = 0.9
# Words of all copies as a share of the other content; fewer are a summary, not a body (our sweep,
# docs/provenance.md).
MIN_PART = 0.2


@dataclass(frozen=True, kw_only=True)
class RepeatedBody:
    """Label duplicated text as boilerplate.

    Pages repeat the body for phones, or the first lines of a paid article. The parent with the most
    words keeps its blocks.
    """

    min_part: float = MIN_PART
    name: str = "repeated-body"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        content = labeling.content.nonzero()[0]
        parents = page.elements.parent_column[page.blocks.elements[content]].tolist()
        by_parent: dict[int, list[int]] = defaultdict(list)
        for block, parent in zip(content.tolist(), parents, strict=True):
            by_parent[parent].append(block)
        if len(by_parent) < 2:
            return labeling
        words = page.words.tolist()
        counted = [(-sum(map(words.__getitem__, group)), group) for group in by_parent.values()]
        groups = [group for _, group in sorted(counted)]
        total = -sum(count for count, _ in counted)
        copies = dict.fromkeys(block for group in groups[1:] for block in group)
        copied = sum(words[block] for block in copies)
        # fast exit: most pages have few words under other parents, or too few copies
        if not self._is_body(copied, total):
            return labeling
        for block in _find_originals(page.texts, groups):
            del copies[block]
            copied -= words[block]
            if not self._is_body(copied, total):
                return labeling
        where = np.zeros(len(page), dtype=np.bool_)
        where[list(copies)] = True
        labeling = labeling.relabel(where, Label.BOILERPLATE, self.name, keep_scores=True)
        return labeling.mark(LEFT_OUT, where)

    def _is_body(self, copied: int, total: int) -> bool:
        return copied >= max(1.0, self.min_part * (total - copied))


def _find_originals(texts: Sequence[str], groups: Sequence[Sequence[int]]) -> Iterator[int]:
    """Yield the blocks that share less than MIN_COPIED_SHARE of their runs with earlier groups."""
    first, *others = groups
    seen = list_runs("\n".join(texts[block] for block in first))
    for group in others:
        new: Runs = {}
        for block in group:
            runs = list_runs(texts[block])
            copied = len(seen.keys() & runs.keys())
            if len(runs) < MIN_RUNS or copied < MIN_COPIED_SHARE * len(runs):
                yield block
                new.update(runs)
        if len(seen) < MAX_RUNS:
            seen.update(new)


# Several articles

# Content words of an article after its headline.
MIN_ARTICLE_WORDS = 40
# Maximum blocks between a headline and its byline or date.
BLOCKS_BEFORE, BLOCKS_AFTER = 3, 6
# Words of a block with a time.
MAX_BYLINE_WORDS = 20

_has_time = re.compile(
    r"\b(?:19|20)\d\d\b|\d{1,2}[:.h]\d\d|\d{1,2}[./-]\d{1,2}|\d{1,2}\u6708|\d{1,2}\u65e5"
).search


@dataclass(frozen=True, kw_only=True)
class SeveralArticles:
    """Make the content under the headlines of other articles boilerplate.

    Pages with endless scrolling have several. A headline of an article is an `h1` with content
    after it and a byline, date or time near it. The title of the page selects its article; the
    headlines of the others have the same class. If the title matches no headline, they are parts of
    one article (our sweep, docs/provenance.md).
    """

    min_words: int = MIN_ARTICLE_WORDS
    name: str = "several-articles"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        # the entries of a live blog can have an h1 each
        if page.tags.count("h1") < 2 or declares_entries(page):
            return labeling
        starts = [block for block, tag in enumerate(page.tags) if tag == "h1"]
        words = np.concatenate(([0], np.cumsum(np.where(labeling.content, page.words, 0))))
        articles = [
            (start, end)
            for start, end in zip(starts, [*starts[1:], len(page)], strict=True)
            if words[end] - words[start + 1] >= self.min_words and _has_byline(page, start)
        ]
        others, headlines = np.zeros((2, len(page)), dtype=np.bool_)
        headlines[starts] = True
        title = page.title.lower()
        named = (start for start, _ in articles if is_named_by(page.texts[start].lower(), title))
        main = next(named, -1)
        for start, end in articles if main >= 0 else ():
            same_class = _read_class(page, start) == _read_class(page, main) != ""
            if start != main and same_class and page.texts[start] != page.texts[main]:
                others[start:end] = True
        content = others & labeling.content
        decided = labeling.relabel(content, Label.BOILERPLATE, self.name, keep_scores=True)
        return decided.mark(LEFT_OUT, content | others & headlines)


def _read_class(page: Page, block: int) -> str:
    return page.elements.classes[int(page.blocks.elements[block])].strip()


def _has_byline(page: Page, headline: int) -> bool:
    for block in range(
        max(0, headline - BLOCKS_BEFORE), min(len(page), headline + BLOCKS_AFTER + 1)
    ):
        short = page.words[block] <= MAX_BYLINE_WORDS
        if block != headline and (
            names_byline(_read_class(page, block)) or (short and _has_time(page.texts[block]))
        ):
            return True
    return False


# A page without content

# Find source code of templates and scripts.
_find_source_code = re.compile(
    r"\{\{|\}\}|<%|%>|\$\{|</\w|function\s*\w{0,99}\(|[;{]\s*\}|=\\?[\"'][^\"']*\\?[\"']\s*/?>"
).search


CODE_TAGS = frozenset({"textarea"})


@dataclass(frozen=True, kw_only=True)
class FallbackSteps:
    """Run other steps on a page without content.

    Text of a `textarea` and source code are not content. If the steps find no content, captions of
    at least `min_words` become content.
    """

    steps: tuple[Step, ...]
    min_words: int = MIN_TEXT_WORDS
    name: str = "otherwise-by-rules"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        if labeling.content.any() or not len(page):
            return labeling
        decided = run_steps(self.steps, page, Labeling.blank(len(page)))
        is_code = page.in_tags(CODE_TAGS)
        is_code |= np.fromiter(map(bool, map(_find_source_code, page.texts)), np.bool_, len(page))
        content = decided.content & ~is_code
        if not content.any():
            captions = decided.having(Label.SUPPLEMENTAL) & ~is_code
            if page.words[captions].sum() >= self.min_words:
                content = captions
        return labeling.relabel(content, Label.FULL_TEXT, self.name, keep_scores=True)
