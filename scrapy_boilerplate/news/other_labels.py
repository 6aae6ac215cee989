"""The steps of `news` for the labels beside full text: headline, comments, captions, related.

Comments get their label in three steps. `news.content.NamedContainers` labels content by the names
of containers, `BestOtherLabels` labels other blocks by the scores of the net, and
`NamedBoilerplate` labels the boilerplate that remains by the names of containers.
"""

from dataclasses import dataclass

import numpy as np

from scrapy_boilerplate.metadata.dates import is_dateline
from scrapy_boilerplate.metadata.person_names import is_byline
from scrapy_boilerplate.news.comments import can_be_comments, find_doubtful_comments
from scrapy_boilerplate.news.content import LEFT_OUT, MIN_TEXT_WORDS
from scrapy_boilerplate.page.columns import NO_ELEMENT
from scrapy_boilerplate.page.labels import BoolArray, FloatArray, IntArray, Label, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.text import split_words
from scrapy_boilerplate.steps.class_names import BREADCRUMB
from scrapy_boilerplate.steps.named_containers import (
    COMMENT_CONTAINERS,
    RELATED,
    Place,
    find_places,
)
from scrapy_boilerplate.steps.titles import HEADING_TAGS, HEADLINE_TAGS, find_title_block

# Words of the heading of a box of related links.
MAX_HEADING_WORDS = 8
# Content blocks in which a byline or dateline is searched, and its maximum words.
LEADING_BLOCKS, MAX_BYLINE_WORDS = 2, 15
# Words of a block with the label (buttons such as "Reply" have fewer).
MIN_LABEL_WORDS = {Label.SUPPLEMENTAL: 3, Label.RELATED: 2, Label.COMMENTS: 3}
_least_words = np.array([MIN_LABEL_WORDS.get(label, 0) for label in Label])
# Factors of the scores on pages without Open Graph and JSON-LD, for macro F1 (our sweep,
# docs/provenance.md).
LABEL_FACTORS = {Label.SUPPLEMENTAL: 0.6, Label.RELATED: 2.7, Label.COMMENTS: 0.22}
# Factor of a label in a container with its name, on the same pages (the same sweep).
NAMED_FACTOR = 20.0
_label_factors = np.array([LABEL_FACTORS.get(label, 1.0) for label in Label])
# Score of the headline.
MIN_HEADLINE_SCORE = 0.1
# On pages without Open Graph and JSON-LD: minimum scores of a headline among the first lines of the
# content and of another line of it, and maximum words of such a line (our sweep,
# docs/provenance.md).
MIN_LEADING_SCORE, MIN_FURTHER_SCORE, MAX_HEADLINE_WORDS = 0.3, 0.5, 25
# Score of a heading below a breadcrumb that replaces it as headline (on the pages read for
# docs/folds.md such headings have .58 to .96).
MIN_HEADING_SCORE = 0.5
# Share of the words of such a heading in the breadcrumb, unless it is an `h1`. Bylines and first
# sub-headings share no words with it.
MIN_REPEATED_WORDS = 0.5
NAVIGATION_TAG = "nav"
CAPTION_TAGS = frozenset({"figcaption"})


def _relabel_byline(page: Page, labeling: Labeling, name: str) -> Labeling:
    """Relabel a byline or dateline among the first LEADING_BLOCKS of the content as supplemental.

    A byline begins with "By" or the like and names people. A dateline is a date and few words,
    unless others below show that it belongs to a list. MIN_TEXT_WORDS of other content stay.
    """
    content = labeling.content.nonzero()[0]
    leading = [
        block
        for block in content[:LEADING_BLOCKS].tolist()
        if page.words[block] <= MAX_BYLINE_WORDS and page.tags[block] not in HEADING_TAGS
    ]
    lines = [block for block in leading if is_byline(page.texts[block])]
    datelines = [block for block in leading if block not in lines and _is_dateline(page, block)]
    if datelines:
        below = content[LEADING_BLOCKS:]
        below = below[page.words[below] <= MAX_BYLINE_WORDS]
        is_list = any(_is_dateline(page, block) for block in below.tolist())
        lines += [] if is_list else datelines
    rest = page.words[content].sum() - page.words[lines].sum() if lines else 0
    if rest < MIN_TEXT_WORDS:
        return labeling
    return labeling.relabel(np.array(lines), Label.SUPPLEMENTAL, name, keep_scores=True)


def _is_dateline(page: Page, block: int) -> bool:
    return is_dateline(page.texts[block], page.language)


@dataclass(frozen=True, kw_only=True)
class BestOtherLabels:
    """Give every block that is not full text the other label with the highest score.

    One block becomes the headline: the first content block if `find_title_block` returns it, else
    the block with the highest score for this label. A heading below a breadcrumb replaces the title
    in it.

    Blocks marked LEFT_OUT, and comments, keep their label. Only blocks that can be comments of
    readers become comments.

    The net has learned these labels from pages of 2008, which have no Open Graph or JSON-LD. On
    such pages the scores are weighted and apply to blocks of few words too. The headline can be one
    of the first lines of the text, and can have a second line.
    """

    name: str = "best-other-labels"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        if not len(page):
            return labeling
        labeling = _relabel_byline(page, labeling, self.name)
        content = labeling.content.nonzero()[0]
        is_leading = len(content) > 1 and page.tags[content[0]] in HEADLINE_TAGS
        if is_leading and find_title_block(page) == content[0]:
            labeling = labeling.relabel(content[:1], Label.HEADLINE, self.name, keep_scores=True)
        rest, headlines = ~labeling.content, labeling.having(Label.HEADLINE)
        if LEFT_OUT in labeling.marks:
            rest &= ~labeling.marked(LEFT_OUT)
        headline_scores = labeling.scores[:, int(Label.HEADLINE)] * rest
        rest &= ~headlines & ~labeling.having(Label.COMMENTS)
        labeling = self._choose_best(page, labeling, rest)
        if headline_scores.max() >= MIN_HEADLINE_SCORE and not headlines.any():
            where = np.array([_find_headline(page, headline_scores)])
            labeling = labeling.relabel(where, Label.HEADLINE, self.name, keep_scores=True)
        if page.has_open_graph_or_json_ld:
            return labeling
        return self._add_headlines(page, labeling, rest)

    def _choose_best(self, page: Page, labeling: Labeling, rest: BoolArray) -> Labeling:
        scores, likely = labeling.scores, rest
        if page.has_open_graph_or_json_ld:
            boilerplate = scores[:, int(Label.BOILERPLATE)]
            likely = np.zeros(len(page), dtype=np.bool_)
            for label in MIN_LABEL_WORDS:
                likely |= scores[:, int(label)] > boilerplate
            likely &= rest
        blocks = likely.nonzero()[0]
        if not len(blocks):
            return labeling
        scores = scores[blocks]
        scores[:, int(Label.FULL_TEXT)] = scores[:, int(Label.HEADLINE)] = 0.0
        # places are only computed if a comment score needs them
        to_check = (scores.argmax(axis=1) == int(Label.COMMENTS)).nonzero()[0]
        if not page.has_open_graph_or_json_ld:
            to_check = np.arange(len(blocks))
        if len(to_check):
            no_comments = to_check[~can_be_comments(page, blocks[to_check])]
            scores[no_comments, int(Label.COMMENTS)] = 0.0
        if page.has_open_graph_or_json_ld:
            best = scores.argmax(axis=1)
            best[page.words[blocks] < _least_words[best]] = int(Label.BOILERPLATE)
        else:
            best = self._weigh_scores(page, labeling, scores, blocks).argmax(axis=1)
        is_other = best != int(Label.BOILERPLATE)
        return labeling.relabel(blocks[is_other], best[is_other], self.name, keep_scores=True)

    def _add_headlines(self, page: Page, labeling: Labeling, rest: BoolArray) -> Labeling:
        """Return the labeling with the headline that is the first line of the content, and more.

        It is above every paragraph and replaces a headline with a lower score. Further lines are
        blocks of the `rest` below it.
        """
        scores, content = labeling.scores[:, int(Label.HEADLINE)], np.flatnonzero(labeling.content)
        leading = content[:LEADING_BLOCKS] if len(content) > LEADING_BLOCKS else content[:0]
        is_above = np.logical_and.accumulate(page.words[leading] <= MAX_HEADLINE_WORDS)
        leading = leading[is_above & (scores[leading] >= MIN_LEADING_SCORE)]
        if len(leading):
            best = leading[scores[leading].argmax()]
            weaker = labeling.having(Label.HEADLINE) & (scores < scores[best])
            labeling = labeling.relabel(weaker, Label.BOILERPLATE, self.name, keep_scores=True)
            where = np.array([best])
            labeling = labeling.relabel(where, Label.HEADLINE, self.name, keep_scores=True)
        headlines = labeling.having(Label.HEADLINE)
        further = rest & ~headlines & np.logical_or.accumulate(headlines)
        further &= scores >= MIN_FURTHER_SCORE
        return labeling.relabel(further, Label.HEADLINE, self.name, keep_scores=True)

    def _weigh_scores(
        self, page: Page, labeling: Labeling, scores: FloatArray, blocks: IntArray
    ) -> FloatArray:
        named = COMMENT_CONTAINERS.read_labels(page, labeling)[blocks]
        places = find_places(page)[blocks]
        in_comments = (places == int(Place.SECTION)) | (places == int(Place.COMMENT))
        in_comments |= named == int(Label.COMMENTS)
        weighed: FloatArray = scores * _label_factors
        weighed[in_comments, int(Label.COMMENTS)] *= NAMED_FACTOR
        weighed[named == int(Label.RELATED), int(Label.RELATED)] *= NAMED_FACTOR
        weighed[page.words[blocks] < MIN_LABEL_WORDS[Label.RELATED], int(Label.RELATED)] = 0.0
        return weighed


def _find_headline(page: Page, scores: FloatArray) -> int:
    """Return the block with the highest score, not in a breadcrumb if its heading is below.

    Sites repeat the title in breadcrumbs, some in an `h1`.
    """
    best, known = int(scores.argmax()), dict[int, bool]()
    if not _is_in_breadcrumb(page, best, known):
        return best
    below = (np.flatnonzero(scores[best + 1 :] >= MIN_HEADING_SCORE) + best + 1).tolist()
    headings = [block for block in below if _is_heading_of(page, block, page.texts[best])]
    headings.sort(key=scores.__getitem__, reverse=True)
    return next((block for block in headings if not _is_in_breadcrumb(page, block, known)), best)


def _is_heading_of(page: Page, block: int, breadcrumb: str) -> bool:
    """Return whether a block is an `h1`, or a heading that repeats words of a breadcrumb."""
    if page.tags[block] == "h1":
        return True
    words = set(split_words(page.texts[block].lower()))
    repeated = words.intersection(split_words(breadcrumb.lower()))
    return page.tags[block] in HEADING_TAGS and len(repeated) >= MIN_REPEATED_WORDS * len(words)


def _is_in_breadcrumb(page: Page, block: int, known: dict[int, bool]) -> bool:
    def names_breadcrumb(element: int) -> bool:
        names = f"{elements.classes[element]} {elements.ids[element]}".lower()
        return elements.tags[element] == NAVIGATION_TAG or bool(BREADCRUMB.regex.search(names))

    elements = page.elements
    return elements.has_around(int(page.blocks.elements[block]), names_breadcrumb, known)


@dataclass(frozen=True, kw_only=True)
class NamedBoilerplate:
    """Relabel boilerplate in comments, captions, and boxes of links, and doubtful comments.

    A caption is a `figcaption` without links. The heading of a box of related links, its first
    block if it has few words and no link, stays boilerplate.

    Supplemental text in comments is relabelled too: the net confuses the two in languages that it
    was not trained on.

    Few corpora have these labels, all of them English and inconsistent (docs/provenance.md). On
    pages without Open Graph and JSON-LD, names of related links only weigh in `BestOtherLabels`.
    """

    name: str = "named-boilerplate"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        named = COMMENT_CONTAINERS.read_labels(page, labeling)
        boilerplate = labeling.having(Label.BOILERPLATE) & ~labeling.marked(LEFT_OUT)
        in_comments = named == int(Label.COMMENTS)
        comments = (boilerplate | labeling.having(Label.SUPPLEMENTAL)) & in_comments
        related = boilerplate & (named == int(Label.RELATED))
        if page.has_open_graph_or_json_ld:
            links = related & ~self._find_headings(page) if related.any() else related
            labeling = labeling.relabel(links, Label.RELATED, self.name, keep_scores=True)
        if page.elements.has_any(CAPTION_TAGS):
            captions = boilerplate & ~related & ~in_comments & page.in_tags(CAPTION_TAGS)
            captions &= (page.words >= MIN_LABEL_WORDS[Label.SUPPLEMENTAL]) & (page.link_words == 0)
            labeling = labeling.relabel(captions, Label.SUPPLEMENTAL, self.name, keep_scores=True)
        if comments.any():
            comments &= find_places(page) == int(Place.COMMENT)
        labeling = labeling.relabel(comments, Label.COMMENTS, self.name, keep_scores=True)
        doubtful = find_doubtful_comments(page, labeling)
        return labeling.relabel(doubtful, Label.BOILERPLATE, self.name, keep_scores=True)

    def _find_headings(self, page: Page) -> BoolArray:
        """Return bool[n]: the headings of the outermost containers of related links."""
        container_around, end = np.full(len(page.elements), NO_ELEMENT), 0
        for element, number in COMMENT_CONTAINERS.find_containers(page):
            if element >= end and COMMENT_CONTAINERS.kinds[number] is RELATED:
                end = page.elements.ends[element]
                container_around[element:end] = element
        containers = container_around[page.blocks.elements]
        headings = np.zeros(len(page), dtype=np.bool_)
        headings[np.unique(containers, return_index=True)[1]] = True
        headings &= (containers != NO_ELEMENT) & (page.link_words == 0)
        return headings & (page.words <= MAX_HEADING_WORDS)
