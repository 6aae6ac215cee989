"""What of a labelled page goes into the markup: leaves with the break before each, and media."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from scrapy_boilerplate.markup.nodes import EMBEDS, IMAGES
from scrapy_boilerplate.page.columns import NO_ELEMENT, Break, Elements
from scrapy_boilerplate.page.labels import BoolArray, IntArray, Label, Labeling
from scrapy_boilerplate.page.page import Page

MEDIA = EMBEDS | IMAGES
MAX_CAPTION_BLOCKS = 2
"""Blocks of a caption at most, where no `figure` tells it: the caption and a credit (our choice;
more are a box of facts with a picture)."""
BESIDE = (Label.SUPPLEMENTAL, Label.BOILERPLATE)
"""Labels of text that is a caption if its element says so."""
WHOLE_PAGE = frozenset(("html", "body", "frameset"))


@dataclass(frozen=True)
class Selection:
    """Leaves and media in document order.

    `leaves` index of each leaf, `breaks` what lies before it in the markup, `captions` those that
    are captions; `media` element index of images and embeds, `boxes` the elements that hold one
    with its caption.
    """

    leaves: list[int] = field(default_factory=list)
    breaks: list[Break] = field(default_factory=list)
    captions: frozenset[int] = frozenset()
    media: list[int] = field(default_factory=list)
    boxes: frozenset[int] = frozenset()


def select(page: Page, labeling: Labeling) -> Selection:
    """The leaves of all full text blocks, media that belong to them, and their captions."""
    labels = np.repeat(labeling.labels, page.blocks.end_leaf - page.blocks.first_leaf)
    content = labels == Label.FULL_TEXT
    if not content.any():
        return Selection()
    where = np.array(page.leaves.elements, dtype=np.int64)
    starts = np.zeros(len(labels), dtype=np.bool_)
    starts[page.blocks.first_leaf] = True
    media, boxes = _Media(page.elements, where, labels, starts).found()
    captions = _captions(page.elements, where, labels, boxes) & ~content
    leaves: list[int] = np.flatnonzero(content | captions).tolist()
    return Selection(
        leaves,
        _breaks(page, leaves, starts.tolist()),
        frozenset(np.flatnonzero(captions).tolist()),
        media,
        boxes,
    )


def _breaks(page: Page, leaves: list[int], starts: list[bool]) -> list[Break]:
    """As `Page.joined` has it: what is left out, or ends a block, ends the paragraph."""
    before, found = -1, []
    for leaf in leaves:
        kept = page.leaves.breaks[leaf]
        if leaf != before + 1 or (starts[leaf] and kept != Break.LINE):
            kept = Break.PARAGRAPH
        found.append(kept)
        before = leaf
    return found


def _captions(
    elements: Elements, where: IntArray, labels: IntArray, boxes: frozenset[int]
) -> BoolArray:
    """bool[n_leaves]: supplemental text of a box, what its `figcaption` holds, and captions of
    tables."""
    inside = np.zeros(len(elements), dtype=np.bool_)
    for box in sorted(boxes):
        if not inside[box]:
            inside[box : elements.ends[box]] = True
    told = inside & elements.inside(frozenset({"figcaption"}))
    told |= _table_captions(elements, where[labels == Label.FULL_TEXT])
    beside = inside[where] & (labels == Label.SUPPLEMENTAL)
    found: BoolArray = beside | (told[where] & np.isin(labels, BESIDE))
    return found


def _table_captions(elements: Elements, content: IntArray) -> BoolArray:
    """bool[n_elements]: what stands in the caption of a table that holds content."""
    mask = np.zeros(len(elements), dtype=np.bool_)
    captions = [element for element, tag in enumerate(elements.tags) if tag == "caption"]
    if captions:
        held = elements.subtree_sums(np.bincount(content, minlength=len(elements)))
        for caption in captions:
            mask[caption : elements.ends[caption]] |= held[elements.parents[caption]] > 0
    return mask


class _Media:
    """Tells the media of the article from those of teasers, banners and buttons.

    One belongs to the article if the nearest text around it does: the nearest element above it that
    holds any text holds full text (or the headline); for a figure, or a box of picture and caption,
    the nearest above that.
    """

    def __init__(
        self, elements: Elements, where: IntArray, labels: IntArray, starts: BoolArray
    ) -> None:
        def held(mask: BoolArray) -> list[int]:
            counts = np.bincount(where[mask], minlength=len(elements)).astype(np.int64)
            return list(elements.subtree_sums(counts).tolist())

        ours = (labels == Label.FULL_TEXT) | (labels == Label.HEADLINE)
        foreign = (labels == Label.RELATED) | (labels == Label.COMMENTS)
        self._elements = elements
        self._texts = held(np.ones(len(labels), dtype=np.bool_))
        self._ours = held(ours)
        self._foreign = held(foreign)
        self._captions = held(labels == Label.SUPPLEMENTAL)
        self._blocks = held(starts)
        self._span = _span(elements, where[ours].tolist())

    def found(self) -> tuple[list[int], frozenset[int]]:
        """The media, and the boxes they stand in with their captions."""
        elements, media, boxes = self._elements, [], set()
        texted, figures, shut = [NO_ELEMENT], [NO_ELEMENT], [False]  # [-1]: above the root
        for element, (tag, parent) in enumerate(zip(elements.tags, elements.parents, strict=True)):
            above = parent + 1
            texted.append(element if self._texts[element] else texted[above])
            figures.append(element if tag == "figure" else figures[above])
            shut.append(shut[above] or tag in ("nav", "button"))
            if tag in MEDIA and not shut[-1] and self._span[0] <= element < self._span[1]:
                box = self._box(figures[-1], texted[-1])
                around = texted[elements.parents[box] + 1] if box != NO_ELEMENT else texted[-1]
                if around != NO_ELEMENT and self._ours[around]:
                    media.append(element)
                    boxes.add(box)
        return media, frozenset(boxes - {NO_ELEMENT})

    def _box(self, figure: int, texted: int) -> int:
        if figure != NO_ELEMENT:
            return NO_ELEMENT if self._foreign[figure] else figure
        if texted == NO_ELEMENT or self._texts[texted] != self._captions[texted]:
            return NO_ELEMENT
        return texted if self._blocks[texted] <= MAX_CAPTION_BLOCKS else NO_ELEMENT


def _span(elements: Elements, where: list[int]) -> tuple[int, int]:
    """Elements from, and before, which media can belong to the article: the smallest element that
    holds headline and text, or from the first to the last of them if that is the whole page."""
    first, last = min(where), max(where)
    top = first
    while top != NO_ELEMENT and elements.ends[top] <= last:
        top = elements.parents[top]
    if top == NO_ELEMENT or elements.tags[top] in WHOLE_PAGE:
        return first, last + 1
    return top, elements.ends[top]
