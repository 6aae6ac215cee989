"""Select the leaves of a labelled page for the markup, with the breaks before them, and media."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from scrapy_boilerplate.markup.media import EMBEDS, IMAGES
from scrapy_boilerplate.page.columns import NO_ELEMENT, Break, Elements
from scrapy_boilerplate.page.labels import BoolArray, IntArray, Label, Labeling
from scrapy_boilerplate.page.page import Page

MEDIA = EMBEDS | IMAGES
# Blocks of a caption at most, where it stands in no `figure`: the caption and a credit (our choice;
# more are a box of facts with a picture).
MAX_CAPTION_BLOCKS = 2
# Labels of text that is a caption if its element is one.
BESIDE = (Label.SUPPLEMENTAL, Label.BOILERPLATE)
WHOLE_PAGE = frozenset(("html", "body", "frameset"))


@dataclass(frozen=True)
class Selection:
    """Leaves and media in document order.

    leaves    index of each leaf
    breaks    what lies before it in the markup
    captions  those of the leaves that are captions
    media     element index of images and embeds
    boxes     elements that hold a medium with its caption
    """

    leaves: list[int] = field(default_factory=list)
    breaks: list[Break] = field(default_factory=list)
    captions: frozenset[int] = frozenset()
    media: list[int] = field(default_factory=list)
    boxes: frozenset[int] = frozenset()


def select_content(page: Page, labeling: Labeling) -> Selection:
    """Return the leaves of all full text blocks, media that belong to them, and their captions."""
    labels = np.repeat(labeling.labels, page.blocks.end_leaf - page.blocks.first_leaf)
    content = labels == Label.FULL_TEXT
    if not content.any():
        return Selection()
    parents = np.array(page.leaves.elements, dtype=np.int64)
    starts = np.zeros(len(labels), dtype=np.bool_)
    starts[page.blocks.first_leaf] = True
    media, boxes = _find_media(page.elements, parents, labels, starts)
    captions = _find_captions(page.elements, parents, labels, boxes) & ~content
    leaves: list[int] = np.flatnonzero(content | captions).tolist()
    breaks, before = [], -1
    for leaf in leaves:
        # as `Page.joined` has it: what is left out, or ends a block, ends the paragraph
        kept = page.leaves.breaks[leaf]
        is_block = bool(starts[leaf]) and kept != Break.LINE
        breaks.append(Break.PARAGRAPH if is_block or leaf != before + 1 else kept)
        before = leaf
    return Selection(leaves, breaks, frozenset(np.flatnonzero(captions).tolist()), media, boxes)


def _find_captions(
    elements: Elements, parents: IntArray, labels: IntArray, boxes: frozenset[int]
) -> BoolArray:
    """Return bool[n_leaves]: the leaves of captions.

    Supplemental text of a box, what its `figcaption` holds, and captions of tables with content.
    """
    inside = np.zeros(len(elements), dtype=np.bool_)
    for box in sorted(boxes):
        if not inside[box]:
            inside[box : elements.ends[box]] = True
    declared = inside & elements.inside(frozenset({"figcaption"}))
    table_captions = [element for element, tag in enumerate(elements.tags) if tag == "caption"]
    if table_captions:
        content = parents[labels == Label.FULL_TEXT]
        counts = elements.subtree_sums(np.bincount(content, minlength=len(elements)))
        for caption in table_captions:
            holds_content = counts[elements.parents[caption]] > 0
            declared[caption : elements.ends[caption]] |= holds_content
    supplemental = inside[parents] & (labels == Label.SUPPLEMENTAL)
    captions: BoolArray = supplemental | (declared[parents] & np.isin(labels, BESIDE))
    return captions


def _find_media(
    elements: Elements, parents: IntArray, labels: IntArray, starts: BoolArray
) -> tuple[list[int], frozenset[int]]:
    """Return the media of the article, and the boxes they stand in with their captions.

    Media of teasers, banners and buttons are left out. A medium belongs to the article if its
    nearest ancestor with any text holds full text or the headline. For a figure, or a box of
    picture and caption, it is the nearest such ancestor above that.
    """

    def count(mask: BoolArray) -> list[int]:
        leaves = np.bincount(parents[mask], minlength=len(elements)).astype(np.int64)
        return list(elements.subtree_sums(leaves).tolist())

    of_article = (labels == Label.FULL_TEXT) | (labels == Label.HEADLINE)
    texts, own = count(np.ones(len(labels), dtype=np.bool_)), count(of_article)
    foreign = count((labels == Label.RELATED) | (labels == Label.COMMENTS))
    captions, blocks = count(labels == Label.SUPPLEMENTAL), count(starts)
    first, end = _find_span(elements, parents[of_article].tolist())
    media, boxes = [], set()
    holders, figures, shut = [NO_ELEMENT], [NO_ELEMENT], [False]  # [e + 1]: the nearest of e
    for element, (tag, parent) in enumerate(zip(elements.tags, elements.parents, strict=True)):
        holders.append(element if texts[element] else holders[parent + 1])
        figures.append(element if tag == "figure" else figures[parent + 1])
        shut.append(shut[parent + 1] or tag in ("nav", "button"))
        if tag not in MEDIA or shut[-1] or not first <= element < end:
            continue
        box, holder, figure = NO_ELEMENT, holders[-1], figures[-1]
        if figure != NO_ELEMENT:
            box = NO_ELEMENT if foreign[figure] else figure
        elif holder != NO_ELEMENT and texts[holder] == captions[holder]:
            box = holder if blocks[holder] <= MAX_CAPTION_BLOCKS else NO_ELEMENT
        if box != NO_ELEMENT:
            holder = holders[elements.parents[box] + 1]
        if holder != NO_ELEMENT and own[holder]:
            media.append(element)
            boxes.add(box)
    return media, frozenset(boxes - {NO_ELEMENT})


def _find_span(elements: Elements, parents: list[int]) -> tuple[int, int]:
    """Return from which element, and before which, media can belong to the article.

    The smallest element that holds headline and text, or from the first to the last of them if
    that is the whole page.
    """
    first, last = min(parents), max(parents)
    top = first
    while top != NO_ELEMENT and elements.ends[top] <= last:
        top = elements.parents[top]
    if top == NO_ELEMENT or elements.tags[top] in WHOLE_PAGE:
        return first, last + 1
    return top, elements.ends[top]
