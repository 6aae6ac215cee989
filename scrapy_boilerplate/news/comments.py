"""Find the comments of readers on a page, by their places and scores."""

import re

import numpy as np

from scrapy_boilerplate.page.labels import BoolArray, IntArray, Label, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.named_containers import MIN_COMMENT_WORDS, Place, find_places
from scrapy_boilerplate.steps.titles import HEADING_TAGS

# Score of the best comment of a place (docs/provenance.md).
MIN_BEST_SCORES = {Place.OUTSIDE: 0.7, Place.SECTION: 0.7, Place.COMMENT: 0.03}
CELL_TAGS = frozenset({"td", "th"})
# Words of content above a heading of comments, and maximum words of the heading.
MIN_WORDS_ABOVE, MAX_HEADING_WORDS = 60, 8
# Match the text of a heading over comments: the plural, in the languages of the corpora.
is_comment_heading = re.compile(
    r"[\W_]*(?:comments|kommentare|kommentarer|commentaires|coment[aá]rios|comentaris|commenti|"
    r"comentarii|reacties|yorumlar|komentarze|komentáře|σχόλια|комментарии|коментарі|评论|評論|留言|"
    r"コメント)(?![^\W\d_])",
    re.IGNORECASE,
).match


def can_be_comments(page: Page, blocks: IntArray) -> BoolArray:
    """Return for each of the blocks whether it can be a reader's comment, by its place.

    On pages with Open Graph or JSON-LD only blocks in comments can, because their systems name them
    (our sweep, docs/provenance.md). On other modern pages a whole section can, except its controls:
    a manual has lists and code that look like comments. A heading over comments cannot.
    """
    places = find_places(page)[blocks]
    can_be: BoolArray = places == int(Place.COMMENT)
    if not page.is_modern:
        can_be[:] = True
    elif not page.has_open_graph_or_json_ld:
        can_be |= places == int(Place.SECTION)
    elements, of_blocks, known = page.elements, page.blocks.elements, dict[int, bool]()
    for number in can_be.nonzero()[0].tolist():
        block = int(blocks[number])
        if is_comment_heading(page.texts[block]) and elements.has_around(
            int(of_blocks[block]), lambda around: elements.tags[around] in HEADING_TAGS, known
        ):
            can_be[number] = False
    return can_be


def find_doubtful_comments(page: Page, labeling: Labeling) -> BoolArray:
    """Return bool[n]: the comments of places without one of MIN_BEST_SCORES.

    All comments are doubtful if the longest has fewer than MIN_COMMENT_WORDS. Controls are doubtful
    if the other comments are.
    """
    comments = labeling.having(Label.COMMENTS)
    if not comments.any():
        return comments
    places, scores = find_places(page), labeling.scores[:, int(Label.COMMENTS)]
    certain = np.zeros(len(page), dtype=np.bool_)
    for place, least in MIN_BEST_SCORES.items():
        of_place = comments & (places == int(place))
        if scores[of_place].max(initial=0.0) >= least:
            certain |= of_place
    if page.words[certain].max(initial=0) < MIN_COMMENT_WORDS:
        return comments
    doubtful: BoolArray = comments & ~certain & (places != int(Place.CONTROLS))
    return doubtful


def find_comment_heading(page: Page, content: BoolArray) -> int | None:
    """Return the first heading of comments, with MIN_WORDS_ABOVE of content above and some below.

    Only on old pages; on others, class names mark the comments.
    """
    blocks = np.flatnonzero(content)
    enough = int(np.searchsorted(np.cumsum(page.words[blocks]), MIN_WORDS_ABOVE))
    if page.is_modern or enough + 1 >= len(blocks):
        return None
    first, end = int(blocks[enough]) + 1, int(blocks[-1])
    is_line = (page.words[first:end] <= MAX_HEADING_WORDS) & (page.link_words[first:end] == 0)
    for block in (np.flatnonzero(is_line) + first).tolist():
        if is_comment_heading(page.texts[block]) and not _is_among_cells(page, block):
            return int(block)
    return None


def _is_among_cells(page: Page, block: int) -> bool:
    around = page.blocks.elements[block - 1 : block + 2].tolist()
    row = [page.elements.parents[element] for element in around]
    return page.tags[block] in CELL_TAGS and row.count(row[1]) > 1
