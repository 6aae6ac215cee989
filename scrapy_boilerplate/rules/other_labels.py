"""The labels beside full text and boilerplate, by plain rules, until they are learnt."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from scrapy_boilerplate.features.subtrees import subtree_sums
from scrapy_boilerplate.label import Label, Labeling
from scrapy_boilerplate.page import NO_ELEMENT, Elements, Page
from scrapy_boilerplate.rules.lexicon import OTHER_LABELS, ContainerKind

BESIDE_THE_TEXT = "beside the text"
"""Mark of blocks in a container that says it holds something else than the article."""

HEADING_TAGS = frozenset(["h1", "h2", "h3", "h4", "h5", "h6"])
WHOLE_PAGE_TAGS = frozenset(["html", "body", "main"])
"""Elements that are never a box beside the text, whatever they are called."""

NO_KIND = 1_000
"""In place of the index of a kind of container: no kind; larger than any index."""

MIN_TITLE_SHARE = 0.4
"""A headline has at least this share of the title's characters; the rest of a title is the name of
the site (our choice: half, less room for long names)."""
MAX_TITLE_EXCESS = 2.0
"""A headline has at most this many times the title's characters; titles are cut at times."""

_letters = re.compile(r"[\W_]+")


@dataclass(frozen=True, kw_only=True)
class HeadlineByTitle:
    """One block is the headline: the longest that the title contains, or that contains it.

    Of equal texts a heading wins, then the first. Without a match it is the last `h1` before the
    content (the first of the page, if there is no content).
    """

    name: str = "headline-by-title"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        headings = page.in_tags(HEADING_TAGS)
        block = _title_match(page, headings.tolist())
        if block is None:
            block = _nearest_h1(page, labeling)
        if block is None:
            return labeling
        return labeling.relabel(np.array([block]), Label.HEADLINE, self.name)


@dataclass(frozen=True, kw_only=True)
class LabelsByContainer:
    """Blocks take the label of the innermost container that says what it holds.

    A container with the headline in it, or with more than `max_share` of the page's content words,
    says nothing: it is the whole article under that name (see `ContainerKind.may_outweigh`).
    """

    kinds: tuple[ContainerKind, ...] = OTHER_LABELS
    max_share: float = 0.5
    name: str = "labels-by-container"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        within = self._kind_around(page, labeling)
        found = [within[page.leaves.elements[leaf]] for leaf in page.longest_leaves.tolist()]
        headings = page.in_tags(HEADING_TAGS)
        for number, kind in enumerate(self.kinds):
            inside = np.array([at == number for at in found], dtype=np.bool_)
            inside &= labeling.labels != Label.HEADLINE
            fits = (page.words >= kind.min_words) & (page.link_density <= kind.max_link_density)
            fits &= ~headings | (kind.label == Label.RELATED) & (page.link_density > 0)
            labeling = labeling.relabel(inside & fits, kind.label, self.name)
            lost = inside & ~fits & labeling.content
            labeling = labeling.relabel(lost, Label.BOILERPLATE, self.name)
            labeling = labeling.mark(BESIDE_THE_TEXT, inside)
        return labeling

    def _kind_around(self, page: Page, labeling: Labeling) -> list[int]:
        """For each element the index of the kind of container it stands in, or NO_KIND."""
        whole_page, heavy = self._too_much(page, labeling)
        around: list[int] = []
        kinds = self._kinds_by_name(page.elements)
        for element, (kind, parent) in enumerate(zip(kinds, page.elements.parents, strict=True)):
            says = kind != NO_KIND and not whole_page[element]
            if says and heavy[element]:
                says = self.kinds[kind].may_outweigh
            outer = around[parent] if parent != NO_ELEMENT else NO_KIND
            around.append(kind if says else outer)
        return around

    def _too_much(self, page: Page, labeling: Labeling) -> tuple[list[bool], list[bool]]:
        """For each element whether it holds the headline; whether it holds most content words."""
        headline = (labeling.labels == Label.HEADLINE).astype(np.int64)
        words = np.where(labeling.content, page.words, 0)
        most = self.max_share * max(1, int(words.sum()))
        with_headline: list[bool] = (subtree_sums(page, headline) > 0).tolist()
        heavy: list[bool] = (subtree_sums(page, words) > most).tolist()
        return with_headline, heavy

    def _kinds_by_name(self, elements: Elements) -> list[int]:
        """For each element the index of the first kind its tag, role or names call it, or NO_KIND."""
        named = list(zip(elements.classes, elements.ids, strict=True))
        spelt = {names: f"{names[0]} {names[1]}".lower() for names in set(named)}
        by_name: dict[str, int] = {}
        by_tag: dict[str, int] = {}
        by_role: dict[str, int] = {}
        for number, kind in reversed(tuple(enumerate(self.kinds))):
            by_name.update(dict.fromkeys(_names_with(kind.words, spelt.values()), number))
            by_tag.update(dict.fromkeys(kind.tags, number))
            by_role.update(dict.fromkeys(kind.roles, number))
        by_names = {names: by_name.get(name, NO_KIND) for names, name in spelt.items()}
        found = [
            min(by_names[names], by_tag.get(tag, NO_KIND), by_role.get(role, NO_KIND))
            for names, tag, role in zip(named, elements.tags, elements.roles, strict=True)
        ]
        for element, tag in enumerate(elements.tags):
            if tag in WHOLE_PAGE_TAGS:
                found[element] = NO_KIND
        return found


def _names_with(words: re.Pattern[str], names: Iterable[str]) -> frozenset[str]:
    """The names in which `words` are found; one search over all is faster than one for each."""
    listed = list(names)
    starts = list(accumulate((len(name) + 1 for name in listed), initial=0))
    hits = {bisect_right(starts, match.start()) - 1 for match in words.finditer("\n".join(listed))}
    return frozenset(listed[hit] for hit in hits)


def _title_match(page: Page, headings: list[bool]) -> int | None:
    title = _letters.sub("", page.title.lower())
    best, found = (MIN_TITLE_SHARE * len(title), False), None
    for block, text in enumerate(page.texts):
        if len(text) > MAX_TITLE_EXCESS * len(page.title):
            continue
        letters = _letters.sub("", text.lower())
        if letters and (letters in title or title in letters):
            rank = (float(min(len(letters), len(title))), headings[block])
            if rank > best:
                best, found = rank, block
    return found


def _nearest_h1(page: Page, labeling: Labeling) -> int | None:
    in_h1 = np.flatnonzero(page.in_tags(frozenset({"h1"})) & (page.words > 0))
    if not len(in_h1):
        return None
    content = np.flatnonzero(labeling.content)
    before = in_h1[in_h1 < content[0]] if len(content) else in_h1[:1]
    return int(before[-1]) if len(before) else int(in_h1[0])
