"""The steps of `news` that leave parts of a page out of its text, in the order they run.

Such a part can read like an article: source code in a text input, a copy of the body, another
article, a dialog, a note. Its blocks are marked LEFT_OUT. Captions become supplemental.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, chain, islice, pairwise

import numpy as np

from scrapy_boilerplate.news.live_blog import find_shape
from scrapy_boilerplate.news.page_kinds import is_modern
from scrapy_boilerplate.page.labels import BoolArray, IntArray, Label, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.text import load_reader, split_portions, split_words
from scrapy_boilerplate.steps.named_containers import DIALOGS, LabelsByContainer
from scrapy_boilerplate.steps.titles import is_named_by

LEFT_OUT = "left-out"
"""Mark of blocks that are no text, and get no other label."""
MIN_TEXT_WORDS = 20
"""Words of a text at least beside what is left out (our choice)."""

# Text inputs

SOURCE_TAGS = frozenset({"textarea"})


@dataclass(frozen=True, kw_only=True)
class TextInputs:
    """Make the content in a `textarea` boilerplate while at least `min_words` of other stay.

    It is source to embed or to republish; copies of the article in it would win over the article.
    """

    min_words: int = MIN_TEXT_WORDS
    name: str = "text-inputs"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        if SOURCE_TAGS.isdisjoint(page.tags):  # most pages
            return labeling
        inside = labeling.content & page.in_tags(SOURCE_TAGS)
        if not inside.any() or page.words[labeling.content & ~inside].sum() < self.min_words:
            return labeling
        decided = labeling.choose(inside, Label.BOILERPLATE, self.name)
        return decided.mark(LEFT_OUT, inside)


# The repeated body

RUN_WORDS = 4
"""Words of a run (our sweep, docs/provenance.md)."""
MIN_RUNS = 4
"""Runs of a copied block at least (our choice)."""
MIN_COPIED_SHARE = 0.9
"""Share of a block's runs from which it is a copy (our sweep, docs/provenance.md)."""
MIN_PART = 0.2
"""Words of all copies, of the other content, from which they are a body and no summary (our sweep,
docs/provenance.md)."""


@dataclass(frozen=True, kw_only=True)
class RepeatedBody:
    """Make copies of content under another parent boilerplate.

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
        counted = [(-sum([words[block] for block in group]), group) for group in by_parent.values()]
        groups = [group for _, group in sorted(counted)]
        total = -sum(count for count, _ in counted)
        # most pages have too few words in blocks that can be copies
        others = [words[block] for group in groups[1:] for block in group]
        if not self._is_body(sum(n for n in others if n >= MIN_RUNS + RUN_WORDS - 1), total):
            return labeling
        copies = _find_hashed_copies(page, groups)
        if not self._is_body(int(page.words[copies].sum()), total):
            return labeling
        copies = _find_copies(page, groups, _list_runs)  # two runs may have one hash
        where = np.zeros(len(page), dtype=np.bool_)
        where[copies] = True
        return labeling.choose(where, Label.BOILERPLATE, self.name).mark(LEFT_OUT, where)

    def _is_body(self, copied: int, total: int) -> bool:
        """Return whether `copied` of `total` words are a repeated body."""
        return copied >= max(1.0, self.min_part * (total - copied))


def _find_hashed_copies(page: Page, groups: Sequence[Sequence[int]]) -> list[int]:
    """Return the copies by the hashes of their runs."""
    if (reader := load_reader()) is None:
        return _find_copies(page, groups, _hash_runs)
    first, *others = groups
    blocks = [block for group in others for block in group]
    texts = ["\n".join(page.texts[block] for block in first), *(page.texts[b] for b in blocks)]
    numbers = np.repeat(np.arange(1, len(groups) + 1), [1, *map(len, others)])
    places = reader.find_copies(texts, numbers, RUN_WORDS, MIN_RUNS, MIN_COPIED_SHARE)
    return [blocks[place - 1] for place in places if place]


Runs = Sequence[Hashable]


def _find_copies(
    page: Page, groups: Sequence[Sequence[int]], read_runs: Callable[[list[list[str]]], list[Runs]]
) -> list[int]:
    """Return the blocks of which MIN_COPIED_SHARE of the runs stand in groups before."""
    first, *others = groups
    blocks = [block for group in others for block in group]
    texts = ["\n".join(page.texts[block] for block in first), *(page.texts[b] for b in blocks)]
    runs_of_texts = (
        runs
        for portion in split_portions(texts)
        for runs in read_runs([split_words(text.lower()) for text in portion])
    )
    copies: list[int] = []
    seen = set(next(runs_of_texts))
    for group in others:
        new: set[Hashable] = set()
        for block in group:
            runs = set(next(runs_of_texts))
            if len(runs) >= MIN_RUNS and len(runs & seen) >= MIN_COPIED_SHARE * len(runs):
                copies.append(block)
            else:
                new |= runs
        seen |= new
    return copies


def _list_runs(texts: list[list[str]]) -> list[Runs]:
    """Return the runs of RUN_WORDS words of each text."""
    return [list(zip(*(words[k:] for k in range(RUN_WORDS)), strict=False)) for words in texts]


FACTOR = 0x9E3779B97F4A7C15
"""An odd number, by which hashes of words are combined (Knuth's golden ratio in 64 bits)."""


def _hash_runs(texts: list[list[str]]) -> list[Runs]:
    """Return a 64-bit hash of each of these runs: half of the time of the words themselves."""
    ends = list(accumulate(map(len, texts), initial=0))
    hashes = np.fromiter(map(hash, chain.from_iterable(texts)), np.int64, ends[-1])
    words = hashes.view(np.uint64)
    runs = np.zeros(max(len(words) - RUN_WORDS + 1, 0), dtype=np.uint64)
    for k in range(RUN_WORDS):
        runs = runs * np.uint64(FACTOR) + words[k : k + len(runs)]
    listed: Runs = runs.tolist()
    spans = pairwise(ends)
    return [listed[first : max(end - RUN_WORDS + 1, first)] for first, end in spans]


# Several articles

MIN_ARTICLE_WORDS = 40
"""Content words of an article after its headline at least (our choice)."""
BLOCKS_BEFORE, BLOCKS_AFTER = 3, 6
"""Blocks before and after a headline in which byline and date are searched (our choice)."""
MAX_BYLINE_WORDS = 20
"""Words of a block with a time at most (our choice)."""

_has_time = re.compile(
    r"\b(?:19|20)\d\d\b|\d{1,2}[:.h]\d\d|\d{1,2}[./-]\d{1,2}|\d{1,2}\u6708|\d{1,2}\u65e5"
).search
_byline_name = re.compile(
    r"(?i:byline|author|auteur|autor|publi(?:sh|ca|e|é))|(?<![A-Za-z])(?:date|time)|Date|Time"
).search
"""Class names of a byline; no ``update``, no ``sentiment``, no ``public``."""


@dataclass(frozen=True, kw_only=True)
class SeveralArticles:
    """Make the content under the headlines of other articles boilerplate.

    Pages with endless scrolling have several. A headline of an article is an `h1` with content
    after it and a byline, date or time near it. The title of the page names its own article; the
    headlines of others have the same class. If it names none, they are parts of one article. Our
    sweep, docs/provenance.md.
    """

    min_words: int = MIN_ARTICLE_WORDS
    name: str = "several-articles"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        if page.tags.count("h1") < 2 or find_shape(page) is not None:  # entries can have one each
            return labeling
        starts = [block for block, tag in enumerate(page.tags) if tag == "h1"]
        words = np.concatenate(([0], np.cumsum(np.where(labeling.content, page.words, 0))))
        articles = [
            (start, end)
            for start, end in zip(starts, [*starts[1:], len(page)], strict=True)
            if words[end] - words[start + 1] >= self.min_words and _has_byline(page, start)
        ]
        others = np.zeros(len(page), dtype=np.bool_)
        title = page.title.lower()
        named = (start for start, _ in articles if is_named_by(page.texts[start].lower(), title))
        main = next(named, -1)
        for start, end in articles if main >= 0 else ():
            same_class = _read_class(page, start) == _read_class(page, main) != ""
            if start != main and same_class and page.texts[start] != page.texts[main]:
                others[start:end] = True
        content = others & labeling.content
        headlines = np.isin(np.arange(len(page)), starts)
        decided = labeling.choose(content, Label.BOILERPLATE, self.name)
        return decided.mark(LEFT_OUT, content | others & headlines)


def _read_class(page: Page, block: int) -> str:
    return page.elements.classes[int(page.blocks.elements[block])].strip()


def _has_byline(page: Page, headline: int) -> bool:
    for block in range(
        max(0, headline - BLOCKS_BEFORE), min(len(page), headline + BLOCKS_AFTER + 1)
    ):
        short = page.words[block] <= MAX_BYLINE_WORDS
        if block != headline and (
            _byline_name(_read_class(page, block)) or (short and _has_time(page.texts[block]))
        ):
            return True
    return False


# Dialogs

_names_consent = re.compile(
    r"cookie|consent|privacy|onetrust|didomi|usercentrics|qc-cmp|trust(?:arc|e-)|sp_message|"
    r"sourcepoint|cmp(?:box|lz)|iubenda|osano|cky-|tarteaucitron|axeptio",
    re.IGNORECASE,
).search


@dataclass(frozen=True, kw_only=True)
class NamedDialogs:
    """Make the content in dialogs boilerplate while an article stands on the page.

    The article is at least `min_words` of other content, and more words than a dialog that is not
    named like one of consent.
    """

    min_words: int = MIN_TEXT_WORDS
    container_labels: LabelsByContainer = field(
        default_factory=lambda: LabelsByContainer(kinds=(DIALOGS,))
    )
    name: str = "named-dialogs"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        content = labeling.content
        named = self.container_labels.read_labels(page, labeling, of_content=True)
        inside = content & (named != int(Label.FULL_TEXT))
        if not inside.any():
            return labeling
        other = page.words[content & ~inside].sum()
        if other < self.min_words:
            return labeling
        if other <= page.words[inside].sum():
            inside &= self._find_consent(page)
        decided = labeling.choose(inside, Label.BOILERPLATE, self.name)
        return decided.mark(LEFT_OUT, inside)

    def _find_consent(self, page: Page) -> BoolArray:
        """Return bool[n]: the blocks in dialogs of consent."""
        elements, mask = page.elements, np.zeros(len(page.elements), dtype=np.bool_)
        for element, _ in self.container_labels.find_containers(elements):
            if _names_consent(f"{elements.classes[element]} {elements.ids[element]}"):
                mask[element : elements.ends[element]] = True
        of_blocks: BoolArray = mask[page.blocks.elements]
        return of_blocks


# Captions and notes

MAX_NAMED_SHARE = 0.3
"""Share of the content words in captions (our sweep, docs/provenance.md), or in notes (our choice:
with .5 no more development pages change), over which they may be the article."""


@dataclass(frozen=True, kw_only=True)
class NamedContent:
    """Relabel the content in containers named like one kind: captions, disclaimers, newsletters.

    It is written by those who write the article, and scores like it.
    """

    container_labels: LabelsByContainer
    max_share: float = MAX_NAMED_SHARE
    name: str

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        label, content = self.container_labels.kinds[0].label, labeling.content
        named = self.container_labels.read_labels(page, labeling, of_content=True)
        inside = content & (named == int(label))
        most = self.max_share * page.words[content].sum()
        if not inside.any() or page.words[inside].sum() > most:
            return labeling
        decided = labeling.choose(inside, label, self.name)
        return decided.mark(LEFT_OUT, inside) if label is Label.BOILERPLATE else decided


# Content far from the text

MAX_DISTANCE = 10
"""Blocks between two runs of content up to which they are one (our sweep, docs/provenance.md)."""
MIN_SCORE_DIFFERENCE = 0.2
"""By which the mean score of a run is lower than that of the text (the same sweep)."""
PATH_LENGTH = 2
"""Elements whose tags and classes are compared: that of a block and its parent (our choice)."""


@dataclass(frozen=True, kw_only=True)
class DistantContent:
    """Make content far from the text boilerplate where its scores are much lower.

    Legal notices, and what a site says about itself, read like an article. More than `max_distance`
    blocks part two runs of content. The text is the run with the most words, weighed by how far
    their scores are over a half; a run that shares a class path with it stays.

    Only on pages that are not of today (`is_modern`): on others a text can have several parts.
    """

    max_distance: int = MAX_DISTANCE
    min_difference: float = MIN_SCORE_DIFFERENCE
    name: str = "distant-content"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        content = np.flatnonzero(labeling.content)
        ends = np.flatnonzero(np.diff(content) > self.max_distance + 1) + 1
        if not len(ends) or is_modern(page):
            return labeling
        runs, words = np.split(content, ends), np.maximum(page.words, 1)
        scores = labeling.scores[:, int(Label.FULL_TEXT)]
        weights = words * np.maximum(2 * scores - 1, 0.0)
        text = max(runs, key=lambda run: float(weights[run].sum()))
        highest = np.average(scores[text], weights=words[text]) - self.min_difference
        paths = set(_read_class_paths(page, text))
        distant = np.zeros(len(page), dtype=np.bool_)
        for run in runs:
            if np.average(scores[run], weights=words[run]) < highest:
                distant[run] = paths.isdisjoint(_read_class_paths(page, run))
        decided = labeling.choose(distant, Label.BOILERPLATE, self.name)
        return decided.mark(LEFT_OUT, distant)


def _read_class_paths(page: Page, blocks: IntArray) -> Iterator[tuple[tuple[str, str], ...]]:
    """Yield the tags and classes of each block's element and its parent."""
    elements = page.elements
    for element in page.blocks.elements[blocks].tolist():
        path = islice(elements.ancestors(element), PATH_LENGTH)
        yield tuple([(elements.tags[above], elements.classes[above]) for above in path])
