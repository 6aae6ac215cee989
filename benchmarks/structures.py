"""``python -m benchmarks.structures``: how many tables, listings and lists of the gold are kept.

A structure is in the gold if most of its words are. It is kept if all of its words that are in the
gold are content, lost if none is, else kept in part. Prints a table.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import chain

import numpy as np

from benchmarks.corpora import corpus_file, create_parser
from benchmarks.markdown import format_table
from scrapy_boilerplate.extraction import extract
from scrapy_boilerplate.page.labels import Label
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.training.corpora import LabelledPage, read_pages
from scrapy_boilerplate.training.gold import Gold, has_gold_text

CORPORA = ("fundus", "article-extraction", "wcxb", "readability", "cleaneval-final")
LISTS = frozenset(("ul", "ol", "dl"))
WRAPPERS = frozenset(("div", "figure", "td", "code-block"))
# minimum share of the words of a structure that are in the gold
MIN_SHARE = 0.5
OUTCOMES = ("kept", "in part", "lost")


def main() -> None:
    options = create_parser(__doc__).parse_args()
    counts: Counter[tuple[str, str]] = Counter()
    for name in CORPORA:
        for page in read_pages(corpus_file(options.corpora, name), options.pages):
            if has_gold_text(page):
                counts.update(judge_page(page))
    kinds = sorted({kind for kind, _ in counts})
    rows = [[kind, *(str(counts[kind, outcome]) for outcome in OUTCOMES)] for kind in kinds]
    print(format_table([["structure", *OUTCOMES], *rows]))


def judge_page(labelled: LabelledPage) -> Iterator[tuple[str, str]]:
    document = extract(labelled.html, labelled.url)
    if document.labelled is None:
        return
    page, labeling = document.labelled
    gold = Gold(labelled, page)
    in_gold = gold.leaf_labels == Label.FULL_TEXT
    sizes = page.blocks.end_leaf - page.blocks.first_leaf
    content = np.repeat(labeling.content, sizes)
    for kind, leaves in find_structures(page):
        words, wanted = gold.leaf_words[leaves], in_gold[leaves]
        if words[wanted].sum() <= MIN_SHARE * max(1, words.sum()):
            continue
        kept = content[leaves][wanted & (words > 0)]
        yield kind, OUTCOMES[0 if kept.all() else 1 if kept.any() else 2]


def find_structures(page: Page) -> Iterator[tuple[str, np.ndarray]]:
    """Yield kind and leaves of tables, headers of tables, listings and lists without parts."""
    elements = page.elements
    for element, tag in enumerate(elements.tags):
        inside = elements.tags[element + 1 : elements.ends[element]]
        leaves = np.array(page.leaves_in(element), dtype=np.int64)
        if not len(leaves) or tag in inside:
            continue
        if tag == "table" and inside.count("tr") > 1 and "th" in inside:
            yield "table", leaves
            headers = range(element + 1, elements.ends[element])
            in_header = [page.leaves_in(e) for e in headers if elements.tags[e] == "th"]
            yield "header of a table", np.array([*chain.from_iterable(in_header)], dtype=np.int64)
        elif tag == "pre":
            is_wrapped = elements.tags[elements.parents[element]] in WRAPPERS
            yield "wrapped pre" if is_wrapped else "other pre", leaves
        elif tag in LISTS and LISTS.isdisjoint(inside):
            yield "list", leaves


if __name__ == "__main__":
    main()
