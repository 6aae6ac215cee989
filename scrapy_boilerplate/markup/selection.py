"""Select the leaves and media of a labelled page that its HTML and Markdown contain."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from scrapy_boilerplate.markup.media import EMBEDS, IMAGES
from scrapy_boilerplate.page.columns import NO_ELEMENT, Break, Elements
from scrapy_boilerplate.page.labels import BoolArray, IntArray, Label, Labeling
from scrapy_boilerplate.page.page import Page

MEDIA = EMBEDS | IMAGES
# Blocks of a caption outside a `figure` at most: the caption and a credit (our choice; more are a
# fact box with an image).
MAX_CAPTION_BLOCKS = 2
# Labels of the text of caption elements that is a caption.
CAPTION_LABELS = (Label.SUPPLEMENTAL, Label.BOILERPLATE)
PAGE_TAGS = frozenset(("html", "body", "frameset"))
# Headings that are not the headline.
LOWER_HEADINGS = frozenset(("h2", "h3", "h4", "h5", "h6"))
# Words from which a heading above the text is a standfirst (our choice: of 160 such headings the
# titles of sections have at most 11, unless a full stop ends them).
MIN_STANDFIRST_WORDS = 12
FULL_STOPS = (".", "。")
_BREAKS = tuple(Break)


@dataclass(frozen=True)
class Selection:
    """Leaves and media in document order.

    leaves    index of each leaf
    breaks    the break before each leaf in the markup
    captions  the leaves that are captions
    media     element of each image or embed
    boxes     elements that hold a medium and its caption
    standfirsts  heading elements whose text is a standfirst
    """

    leaves: list[int] = field(default_factory=list)
    breaks: list[Break] = field(default_factory=list)
    captions: frozenset[int] = frozenset()
    media: list[int] = field(default_factory=list)
    boxes: frozenset[int] = frozenset()
    standfirsts: frozenset[int] = frozenset()


def select_content(page: Page, labeling: Labeling) -> Selection:
    """Return the leaves of all full text blocks, the media of the article, and their captions."""
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
    # as in `Page.joined`: a block, and what is left out, ends the paragraph
    chosen = np.array(leaves)
    kept = page.leaves.break_column[chosen]
    ends = starts[chosen] & (kept != Break.LINE)
    ends |= np.diff(chosen, prepend=-1) != 1
    breaks = list(map(_BREAKS.__getitem__, np.where(ends, Break.PARAGRAPH, kept).tolist()))
    return Selection(
        *(leaves, breaks, frozenset(np.flatnonzero(captions).tolist()), media, boxes),
        _find_standfirsts(page, labeling.content.nonzero()[0].tolist()),
    )


def _find_standfirsts(page: Page, content: list[int]) -> frozenset[int]:
    """Return the headings at the start of the content that are sentences, not titles."""
    found = set()
    for block in content:
        if page.tags[block] not in LOWER_HEADINGS:
            return frozenset(found)
        if page.words[block] >= MIN_STANDFIRST_WORDS or page.texts[block].endswith(FULL_STOPS):
            found.add(int(page.blocks.elements[block]))
    return frozenset()


def _find_captions(
    elements: Elements, parents: IntArray, labels: IntArray, boxes: frozenset[int]
) -> BoolArray:
    """Return bool[n_leaves]: supplemental text and `figcaption` of boxes, and table captions.

    Only tables with content count.
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
    captions: BoolArray = supplemental | (declared[parents] & np.isin(labels, CAPTION_LABELS))
    return captions


def _find_media(
    elements: Elements, parents: IntArray, labels: IntArray, starts: BoolArray
) -> tuple[list[int], frozenset[int]]:
    """Return the media of the article, and the elements that hold a medium and its caption.

    A medium belongs to the article if its nearest ancestor with text has full text or the headline
    in it. For a `figure` or another box with a caption, it is the nearest ancestor of the box.
    """
    if MEDIA.isdisjoint(elements.tags):
        return [], frozenset()

    def count(mask: BoolArray) -> list[int]:
        leaves = np.bincount(parents[mask], minlength=len(elements)).astype(np.int64)
        return list(elements.subtree_sums(leaves).tolist())

    of_article = (labels == Label.FULL_TEXT) | (labels == Label.HEADLINE)
    texts, article_texts = count(np.ones(len(labels), dtype=np.bool_)), count(of_article)
    other_texts = count((labels == Label.RELATED) | (labels == Label.COMMENTS))
    captions, blocks = count(labels == Label.SUPPLEMENTAL), count(starts)
    first, end = _find_span(elements, parents[of_article].tolist())
    media, boxes = [], set()
    holders, figures, excluded = [NO_ELEMENT], [NO_ELEMENT], [False]  # [e + 1]: of e
    for element, (tag, parent) in enumerate(zip(elements.tags, elements.parents, strict=True)):
        holders.append(element if texts[element] else holders[parent + 1])
        figures.append(element if tag == "figure" else figures[parent + 1])
        excluded.append(excluded[parent + 1] or tag in ("nav", "button"))
        if tag not in MEDIA or excluded[-1] or not first <= element < end:
            continue
        box, holder, figure = NO_ELEMENT, holders[-1], figures[-1]
        if figure != NO_ELEMENT:
            box = NO_ELEMENT if other_texts[figure] else figure
        elif holder != NO_ELEMENT and texts[holder] == captions[holder]:
            box = holder if blocks[holder] <= MAX_CAPTION_BLOCKS else NO_ELEMENT
        if box != NO_ELEMENT:
            holder = holders[elements.parents[box] + 1]
        if holder != NO_ELEMENT and article_texts[holder]:
            media.append(element)
            boxes.add(box)
    return media, frozenset(boxes - {NO_ELEMENT})


def _find_span(elements: Elements, parents: list[int]) -> tuple[int, int]:
    """Return (first, end): the elements among which media can belong to the article.

    They are those of the smallest element around headline and text. If that is the whole page,
    they are those from the first to the last element with headline or text.
    """
    first, last = min(parents), max(parents)
    top = first
    while top != NO_ELEMENT and elements.ends[top] <= last:
        top = elements.parents[top]
    if top == NO_ELEMENT or elements.tags[top] in PAGE_TAGS:
        return first, last + 1
    return top, elements.ends[top]
