"""Select the leaves and media of a labelled page that its HTML and Markdown contain."""

from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from scrapy_boilerplate.markup.media import EMBEDS, IMAGES
from scrapy_boilerplate.page.columns import NO_ELEMENT, PREFORMATTED, Break, Elements
from scrapy_boilerplate.page.labels import BoolArray, IntArray, Label, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.class_names import drop_states, names_picture_aside
from scrapy_boilerplate.steps.named_containers import (
    ADVERTISING,
    COMMENTS,
    NAVIGATION,
    NOTES,
    RELATED,
    WHOLE_PAGE_TAGS,
)

MEDIA = EMBEDS | IMAGES
# Maximum blocks of a caption outside a `figure`: the caption and a credit (more are a
# fact box with an image).
MAX_CAPTION_BLOCKS = 2
CAPTION_TAGS = frozenset(("caption", "figcaption"))
# Elements whose `figcaption` is a caption without a picture.
STRUCTURES = frozenset(("table", "blockquote", *PREFORMATTED))
PAGE_TAGS = frozenset(("html", "body", "frameset"))
# Headings that are not the headline.
LOWER_HEADINGS = frozenset(("h2", "h3", "h4", "h5", "h6"))
# Minimum words of a standfirst in a heading. Of 160 headings above the text, those with fewer words
# are titles of sections, unless they end with a full stop.
MIN_STANDFIRST_WORDS = 12
FULL_STOPS = (".", "。")
# Maximum linked words of a box with a medium: a share, and a number. Teasers have more.
MAX_LINK_DENSITY, MAX_LINK_WORDS = 0.5, 20
# Boxes whose media are not of the article.
OTHER_BOXES = (COMMENTS, RELATED, ADVERTISING, NOTES, NAVIGATION)
OTHER_TAGS = frozenset[str]().union(*(kind.tags for kind in OTHER_BOXES)) - {"button"}
OTHER_ROLES = frozenset[str]().union(*(kind.roles for kind in OTHER_BOXES))
# Access to a member of an enum is slow.
LINE, PARAGRAPH = Break.LINE, Break.PARAGRAPH


@dataclass(frozen=True)
class Selection:
    """Leaves and media in document order.

    leaves    index of each leaf
    breaks    the break before each leaf in the markup
    captions  the leaves that are captions
    media     element of each image or embed
    boxes     elements that contain a medium and its caption
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
    content = labeling.content[page.leaf_blocks]
    if not content.any():
        return Selection()
    media, boxes = select_media(page, labeling)
    captions = _find_captions(page, labeling, boxes) & ~content
    chosen = (content | captions).nonzero()[0]
    leaves: list[int] = chosen.tolist()
    # as in `Page.join_blocks`: a block, and text that is left out, ends the paragraph
    kinds, breaks, leaf_before, block_before = page.leaves.breaks, list[Break](), -1, -1
    for leaf, block in zip(leaves, page.leaf_blocks[chosen].tolist(), strict=True):
        kind = kinds[leaf]
        is_start = block != block_before and kind is not LINE
        breaks.append(PARAGRAPH if is_start or leaf != leaf_before + 1 else kind)
        leaf_before, block_before = leaf, block
    return Selection(
        *(leaves, breaks, frozenset(captions.nonzero()[0].tolist()), media, boxes),
        _find_standfirsts(page, labeling.content.nonzero()[0].tolist()),
    )


def _find_standfirsts(page: Page, content: list[int]) -> frozenset[int]:
    standfirsts: set[int] = set()
    for block in content:
        if page.tags[block] not in LOWER_HEADINGS:
            return frozenset(standfirsts)
        if page.words[block] >= MIN_STANDFIRST_WORDS or page.texts[block].endswith(FULL_STOPS):
            standfirsts.add(int(page.blocks.elements[block]))
    return frozenset()


def _find_captions(page: Page, labeling: Labeling, boxes: frozenset[int]) -> BoolArray:
    """Return bool[n_leaves]: supplemental text and `figcaption` of boxes, and table captions.

    Only tables with content count.
    """
    elements, parents, blocks = page.elements, page.leaves.element_column, page.leaf_blocks
    if not (boxes or elements.has_any(CAPTION_TAGS)):
        return np.zeros(len(parents), dtype=np.bool_)
    inside = elements.within(sorted(boxes))
    declared = inside & elements.inside(frozenset({"figcaption"}))
    is_caption = elements.tagged(frozenset({"caption"}))
    if elements.has_any(STRUCTURES):
        is_caption |= elements.tagged(frozenset({"figcaption"})) & _has_table(elements)
    table_captions = is_caption.nonzero()[0]
    if len(table_captions):
        counts = elements.count_inside(parents[labeling.content[blocks]])
        holds_content = counts[elements.parent_column[table_captions]] > 0
        declared |= elements.within(table_captions[holds_content].tolist())
    supplemental = labeling.having(Label.SUPPLEMENTAL)
    is_beside = supplemental | labeling.having(Label.BOILERPLATE)
    captions: BoolArray = inside[parents] & supplemental[blocks]
    captions |= declared[parents] & is_beside[blocks]
    return captions


def _has_table(elements: Elements) -> BoolArray:
    tables = elements.sum_subtrees(elements.tagged(STRUCTURES).astype(np.int64))
    has: BoolArray = tables[elements.parent_column] > 0
    return has


def select_media(page: Page, labeling: Labeling) -> tuple[list[int], frozenset[int]]:
    """Return the media of the article, and the elements that hold a medium and its caption.

    A medium is in the region of the article (`_find_span`). Its surroundings, the outermost element
    around it without full text and headline, are not named or linked like other articles, comments,
    advertising or the author.
    """
    elements, parents = page.elements, page.leaves.element_column
    candidates = elements.tagged(MEDIA).nonzero()[0]
    of_article = labeling.content | labeling.having(Label.HEADLINE)
    if not (len(candidates) and of_article.any()):
        return [], frozenset()
    article_elements = parents[of_article[page.leaf_blocks]]
    first, end = _find_span(elements, article_elements)
    candidates = candidates[(candidates >= first) & (candidates < end)]
    if not len(candidates):
        return [], frozenset()
    last = int(article_elements.max())
    supplemental = parents[labeling.having(Label.SUPPLEMENTAL)[page.leaf_blocks]]
    places = (parents, article_elements, supplemental, page.blocks.elements)
    texts, article_texts, captions, blocks = map(elements.count_inside, places)
    words, link_words = map(page.sum_by_element, (page.words, page.link_words))
    named = dict[int, bool]()
    known = {NO_ELEMENT: (NO_ELEMENT, NO_ELEMENT, NO_ELEMENT)}
    media, boxes = [], set()
    for element in candidates.tolist():
        box, around, holder = _find_around(elements, texts, article_texts, element, known)
        # a button around the image of a figure opens it, others choose one of a gallery
        is_button = box == NO_ELEMENT and elements.tags[elements.parents[element]] == "button"
        if is_button or _is_named_aside(elements, element, around, named):
            continue
        is_linked = False
        if box == NO_ELEMENT:
            if element > last and (holder == NO_ELEMENT or not article_texts[holder]):
                continue
            if holder != NO_ELEMENT and texts[holder] == captions[holder]:
                box = holder if blocks[holder] <= MAX_CAPTION_BLOCKS else NO_ELEMENT
            own = box if box != NO_ELEMENT else max(holder, around)
            is_linked = link_words[own] > MAX_LINK_DENSITY * words[own]
        is_linked |= link_words[around] > max(MAX_LINK_WORDS, MAX_LINK_DENSITY * words[around])
        if not is_linked:
            media.append(element)
            boxes.add(box)
    return media, frozenset(boxes - {NO_ELEMENT})


def _find_around(
    elements: Elements,
    texts: IntArray,
    article_texts: IntArray,
    element: int,
    known: dict[int, tuple[int, int, int]],
) -> tuple[int, int, int]:
    """Find the nearest figure, the outermost element without article, and the nearest text.

    Each is `element` or an element around it, else NO_ELEMENT. `known` has the results of elements,
    which are visited once.
    """
    path, place = [], element
    while place not in known:
        path.append(place)
        place = elements.parents[place]
    figure, around, holder = known[place]
    for place in reversed(path):
        if elements.tags[place] == "figure":
            figure = place
        if around == NO_ELEMENT and not article_texts[place]:
            around = place
        if texts[place]:
            holder = place
        known[place] = figure, around, holder
    return figure, around, holder


def _is_named_aside(elements: Elements, element: int, around: int, known: dict[int, bool]) -> bool:
    """Return whether an element, or an element between it and `around`, is named like other boxes.

    `known` has the elements that were looked at.
    """
    path = []
    while (is_aside := known.get(element)) is None:
        path.append(element)
        tag, names = elements.tags[element], (elements.classes[element], elements.ids[element])
        is_box = tag not in WHOLE_PAGE_TAGS and tag != "button"
        is_aside = is_box and (tag in OTHER_TAGS or elements.roles[element] in OTHER_ROLES)
        is_aside = is_aside or any(_names_aside(name, is_box) for name in names if name)
        if is_aside or element == around:
            break
        element = elements.parents[element]
    known.update(dict.fromkeys(path, is_aside))
    return is_aside


@lru_cache(maxsize=4096)
def _names_aside(name: str, is_box: bool) -> bool:
    # around each picture of a gallery of WordPress
    name = name.lower().replace("gallery-icon", "")
    if names_picture_aside(name):
        return True
    kept = drop_states("", name)
    return is_box and any(kind.words and kind.words.regex.search(kept) for kind in OTHER_BOXES)


def _find_span(elements: Elements, chosen: IntArray) -> tuple[int, int]:
    """Return (first, end): the elements among which media can belong to the article.

    They are the smallest element around headline and text, or, if that is the whole page, the
    elements from the first to the last with headline or text.
    """
    first = top = int(chosen.min())
    last = int(chosen.max())
    while top != NO_ELEMENT and elements.ends[top] <= last:
        top = elements.parents[top]
    if top == NO_ELEMENT or elements.tags[top] in PAGE_TAGS:
        return first, last + 1
    return top, elements.ends[top]
