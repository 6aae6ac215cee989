"""boilerpipe: Kohlschuetter, Fankhauser, Nejdl (WSDM 2010), its release 1.2 and its last sources.

boilerpipe fuses text blocks into larger ones and deletes others. Here blocks keep their numbers: a
fused block is a run of blocks (`systems.common.rules.Runs`), and a deleted block is in no run.
Classifiers select content, marks are notes for later steps, and filters revise the selection. The
two decision trees of the paper are in `steps.shallow_rules` and `systems.common.rules`;
docs/systems/boilerpipe.md and shallow-rules.md have all rules.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from scrapy_boilerplate.page.labels import BoolArray, IntArray, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.text import count_words
from scrapy_boilerplate.steps.extractor import Extractor, Step, build_extractor
from scrapy_boilerplate.steps.shallow_rules import NumberOfWordsRules
from scrapy_boilerplate.systems.common.columns import (
    match_texts,
    sum_around,
    take_next,
    take_previous,
)
from scrapy_boilerplate.systems.common.rules import (
    DENSITY_RULES,
    ContentRule,
    Runs,
    RunStep,
    classify,
    delete_others,
    fuse_with_previous,
    update_content,
)
from scrapy_boilerplate.systems.common.running_text import has_clause

# Classifiers

MIN_WORDS = 10  # words of a block of `min-10-words` (the paper)
# Words per line, the split that Weka's 1R learner found on L3S-GN1 (the paper, 4.3.1).
MIN_DENSITY = 10.5
# Words that a block, or a block after a block with a link, must exceed (``CanolaFilter``).
CANOLA_LONG_WORDS, CANOLA_WORDS_AFTER_LINK = 19, 11


def find_all(page: Page) -> BoolArray:
    """bool[n]: every block (the paper's "Keep everything")."""
    return np.ones(len(page), dtype=np.bool_)


def _find_dense(page: Page) -> BoolArray:
    return page.text_density >= MIN_DENSITY


def _find_wordy(runs: Runs) -> BoolArray:
    return runs.words >= MIN_WORDS


def apply_canola_rules(runs: Runs) -> BoolArray:
    """bool[m]: ``CanolaFilter``, a tree learned on the KrdWrd corpus (Steger, Stemle 2009)."""
    words, linked = runs.words, runs.link_density > 0
    before, after = take_previous(words), take_next(words)
    unlinked_around = ~take_previous(linked) & ~take_next(linked)
    some_text = (words > 6) | (before > 7) | (after > 19)
    return (
        (linked & (after > CANOLA_WORDS_AFTER_LINK))
        | (words > CANOLA_LONG_WORDS)
        | ((after > 6) & unlinked_around & some_text)
    )


KEEP_EVERYTHING = ContentRule("keep-everything", find_all)
DENSITY_THRESHOLD = ContentRule("density-threshold", _find_dense)
MIN_WORDS_OF_RUNS = RunStep("min-words", _find_wordy, classify)
CANOLA_RULES = RunStep("canola-rules", apply_canola_rules, classify)

# Marks

TITLE = "title"
END_OF_TEXT = "end of text"
MIGHT_BE_CONTENT = "might be content"

# A block with this many words or more does not announce the end of the text (boilerpipe).
MAX_WORDS_OF_END = 15

_ends_text = re.compile(
    # boilerpipe 1.2, TerminatingBlocksFinder: English and one Swedish phrase
    r"comments|\d+ (?:comments|users responded in)|© reuters|please rate this|post a comment"
    r"|.*(?:what you think\.\.\.|add (?:your )?comment|reader views|have your say"
    r"|reader comments|rätta artikeln)"
    r"|thanks for your comments - this feedback is now closed$",
    re.IGNORECASE,
).match

_separators = tuple(
    # growing sets of separators, as boilerpipe 1.2 tries them on the document title
    re.compile(rf"(?:(?<!\s)\s+)?[{marks}]\s*")
    for marks in ("|»:", "|»:()", "|»:()-", "|»,:()-")
)


@dataclass(frozen=True)
class MarkBlocks:
    """Mark the blocks that `rule` selects with `mark`."""

    name: str
    mark: str
    rule: Callable[[Page], BoolArray]

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        return labeling.mark(self.mark, self.rule(page))


def find_terminating_blocks(page: Page) -> BoolArray:
    """bool[n]: short blocks that announce comments or another end of the text, in English."""
    ends = page.words < MAX_WORDS_OF_END
    for block in np.flatnonzero(ends).tolist():
        ends[block] = _ends_text(page.texts[block]) is not None
    return ends


def find_titles(page: Page) -> BoolArray:
    """bool[n]: blocks whose whole text is the page's title, or the title's longest part."""
    titles = list_possible_titles(page.title)
    return match_texts(page.texts, lambda text: text.lower() in titles)


def list_possible_titles(title: str) -> frozenset[str]:
    """Return the title and its longest part for each set of separators, in lower case."""
    if not title:
        return frozenset()
    longest = (find_longest(each.split(title), count_words) for each in _separators)
    titles = {title.lower(), *(part.strip().lower() for part in longest)}
    return frozenset(titles - {""})


def find_longest(parts: Sequence[str], count: Callable[[str], int]) -> str:
    """Return the last part with more words, by `count`, or characters than all before it."""
    longest, most_words = "", 0
    for part in parts:
        words = count(part)
        if ".com" not in part and (words > most_words or len(part) > len(longest)):
            longest, most_words = part, words
    return longest


TERMINATING_BLOCKS = MarkBlocks("terminating-blocks", END_OF_TEXT, find_terminating_blocks)
TITLE_MATCH = MarkBlocks("title-match", TITLE, find_titles)

# Filters

# Words per line above which the words of a block count as full text (boilerpipe).
FULL_TEXT_DENSITY = 9
MIN_WORDS_BEFORE_END = 60  # words of full text before an end-of-text mark that counts (boilerpipe)
MAX_DISTANCE = 1  # blocks between a run and a near run before it (boilerpipe)


def end_text(runs: Runs) -> BoolArray:
    """bool[m]: the content before the first end-of-text mark after MIN_WORDS_BEFORE_END."""
    full_text = runs.content & (runs.text_density >= FULL_TEXT_DENSITY)
    seen = np.cumsum(np.where(full_text, runs.words, 0))
    is_end = runs.marked(END_OF_TEXT) & (seen >= MIN_WORDS_BEFORE_END)
    return runs.content & ~np.logical_or.accumulate(is_end)


def start_at_title(runs: Runs) -> BoolArray:
    """bool[m]: the content after the last title mark above the largest run (not in 1.2)."""
    if not runs.content.any():
        return runs.content
    titles = np.flatnonzero(runs.marked(TITLE)[: find_largest_run(runs) + 1])
    above = np.arange(len(runs)) < (titles[-1] if len(titles) else 0)
    return runs.content & ~above


def _has_equal_density(runs: Runs) -> BoolArray:
    equal = np.zeros(len(runs), dtype=np.bool_)
    equal[1:] = runs.text_density[1:] == runs.text_density[:-1]
    return equal


def is_near(runs: Runs, *, content_only: bool) -> BoolArray:
    """bool[m]: content runs at most MAX_DISTANCE after the run before.

    Unless `content_only`, the run before may be boilerplate, and becomes content when it is fused.
    If no block is content yet, as in ``DefaultExtractor``, nothing is fused.
    """
    near = np.zeros(len(runs), dtype=np.bool_)
    near[1:] = runs.content[1:] & (runs.first[1:] - runs.last[:-1] - 1 <= MAX_DISTANCE)
    if content_only:
        near[1:] &= runs.content[:-1]
    return near


def is_content(runs: Runs) -> BoolArray:
    """bool[m]: the content runs."""
    return runs.content


def extend_to_title(runs: Runs) -> BoolArray:
    """bool[m]: content, and possible content between the title and the first content."""
    start = int(np.argmax(runs.content)) if runs.content.any() else 0
    titles = np.flatnonzero(runs.marked(TITLE)[: start + 1])
    order = np.arange(len(runs))
    between = (order >= (titles[-1] if len(titles) else start)) & (order < start)
    return runs.content | between & runs.marked(MIGHT_BE_CONTENT)


def _find_runs_with_clause(runs: Runs) -> BoolArray:
    holding = runs.labeling.content.copy()
    for block in np.flatnonzero(holding).tolist():
        holding[block] = has_clause(runs.page.texts[block])
    return runs.having(holding)


def find_largest_run(runs: Runs) -> int:
    """Return the first content run with the most words."""
    return int(np.argmax(np.where(runs.content, runs.words, -1)))


@dataclass(frozen=True, kw_only=True)
class KeepLargestRun:
    """Keep only the content run with the most words; mark the others as possible content."""

    name: str = "keep-largest-run"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        runs = Runs(page, labeling)
        if not runs.content.any():
            return labeling
        largest = np.arange(len(runs)) == find_largest_run(runs)
        rest = runs.blocks(~largest)
        return labeling.mark(MIGHT_BE_CONTENT, rest).update_content(runs.blocks(largest), self.name)


def split(runs: Runs, _selected: BoolArray, _by: str) -> Labeling:
    """Make every block a run of its own again, also deleted blocks (which are not content)."""
    return runs.labeling.fuse(np.arange(len(runs.page)))


IGNORE_AFTER_CONTENT = RunStep("ignore-blocks-after-content", end_text, update_content)
IGNORE_BEFORE_TITLE = RunStep("ignore-blocks-before-title", start_at_title, update_content)
EQUAL_DENSITY_FUSION = RunStep("equal-density-fusion", _has_equal_density, fuse_with_previous)
PROXIMITY_FUSION, CONTENT_FUSION = (
    RunStep(
        "block-proximity-fusion", partial(is_near, content_only=content_only), fuse_with_previous
    )
    for content_only in (False, True)
)
DROP_BOILERPLATE = RunStep("drop-boilerplate", is_content, delete_others)
EXPAND_TITLE = RunStep("expand-title-to-content", extend_to_title, update_content)
MIN_CLAUSE = RunStep("min-clause-words", _find_runs_with_clause, update_content)
SPLIT_PARAGRAPHS = RunStep("split-paragraphs", is_content, split)


# Additions to boilerpipe's article extractor after 1.2 (2c78035, never released). More parts of the
# title count, without apostrophes, and only for the first block. The tag level of a block is the
# number of elements around its first text; a fused block has the smallest level of its parts.

# Titles and ends of text

# Words of a part of the title between bars or dashes that can be the headline.
MIN_PART_WORDS = 4

_head_separators = tuple(
    # separators, as boilerpipe tries them on the document title
    re.compile(pattern)
    for pattern in (
        r"(?:(?<! ) +)?[|»-] *",
        r"(?:(?<! ) +)?[|»:] *",
        r"(?:(?<! ) +)?[|»:()] *",
        r"(?:(?<! ) +)?[|»:()-] *",
        r"(?:(?<! ) +)?[|»,:()-] *",
    )
)
_spaced_separators = (re.compile(r"(?<! ) +\| +"), re.compile(r"(?<! ) +- +"))
_first_part, _last_part = re.compile(r"^[^-]+ - "), re.compile(r" - [^-]+$")
_without_marks = re.compile(r"[?!.:-]+").sub


def find_first_title(page: Page) -> BoolArray:
    """bool[n]: the first block whose whole text is the page's title or a part of it."""
    titles = list_title_parts(_normalize_title(page.title))
    matching = np.zeros(len(page), dtype=np.bool_)
    for block, text in enumerate(map(_normalize_title, page.texts) if titles else ()):
        if text in titles or _without_marks("", text).strip() in titles:
            matching[block] = True
            break
    return matching


def _find_comment_links(page: Page) -> BoolArray:
    links: BoolArray = match_texts(page.texts, "Comment".__eq__) & (page.link_density == 1)
    return links


def list_title_parts(title: str) -> frozenset[str]:
    """Return the title and its longest, long and outer parts without names of sites (.com)."""
    if not title:
        return frozenset()
    titles = {title, _last_part.sub("", title), _first_part.sub("", title)}
    for separator in _head_separators:
        parts = separator.split(title)
        titles.add(find_longest(parts, lambda part: len(part.split(" "))).strip())
    for separator in _spaced_separators:
        parts = separator.split(title)
        long = (part for part in parts if len(part.split()) >= MIN_PART_WORDS)
        titles.update(part for part in long if ".com" not in part and len(parts) > 1)
    return frozenset(titles - {""})


def _normalize_title(text: str) -> str:
    return text.replace("\xa0", " ").replace("'", "").strip().lower()


# Tag levels, lists and headlines

VERY_LIKELY_CONTENT = "very likely content"

# Elements that do not count for the tag level (``DefaultTagActionMap``); `a` does.
LEVEL_KEEPING_TAGS = frozenset(
    "abbr acronym b code em font i span strike strong sub sup tt u var".split()
)
HEADING_TAGS = frozenset({"h1", "h2", "h3"})  # tags that boilerpipe labels HEADING
LIST_TAGS = frozenset({"li"})

# Minimum words of a run at the level of the largest run: anywhere, and around the largest.
LARGE_WORDS, LARGE_WORDS_AROUND = 100, 150


def _cut_last_headings(runs: Runs) -> BoolArray:
    text = np.flatnonzero(runs.content & ~runs.having(runs.page.in_tags(HEADING_TAGS)))
    after = np.arange(len(runs)) > (text[-1] if len(text) else -1)
    return runs.content & ~after


def _is_content_or_title(runs: Runs) -> BoolArray:
    return runs.content | runs.marked(TITLE)


def _is_near_on_level(runs: Runs) -> BoolArray:
    levels, near = _compute_run_levels(runs), is_near(runs, content_only=True)
    near[1:] &= levels[1:] == levels[:-1]
    return near


@dataclass(frozen=True, kw_only=True)
class KeepLargestRunAndLevel:
    """Keep the largest content run, and runs of its level and LARGE_WORDS_AROUND around it.

    Around it means up to the first run of a smaller level on either side. The other runs are marked
    as possible content. A page with a single run is not changed.
    """

    name: str = "keep-largest-run-and-level"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        runs = Runs(page, labeling)
        if len(runs) < 2 or not runs.content.any():
            return labeling
        levels, order = _compute_run_levels(runs), np.arange(len(runs))
        largest = find_largest_run(runs)
        smaller = np.flatnonzero(levels < levels[largest])
        first, end = np.searchsorted(smaller, largest), len(smaller)
        around = order > (smaller[first - 1] if first else -1)
        around &= order < (smaller[first] if first < end else len(runs))
        kept = around & (levels == levels[largest]) & (runs.words >= LARGE_WORDS_AROUND)
        kept[largest] = True
        labeling = labeling.mark(MIGHT_BE_CONTENT, runs.blocks(order != largest))
        labeling = labeling.mark(VERY_LIKELY_CONTENT, runs.blocks(order == largest))
        return labeling.update_content(runs.blocks(kept), self.name)


def add_large_runs(runs: Runs) -> BoolArray:
    """bool[m]: content, and runs of LARGE_WORDS or more at the level of the largest run."""
    likely = np.flatnonzero(runs.content & runs.marked(VERY_LIKELY_CONTENT))
    levels = _compute_run_levels(runs)
    at_level = levels == levels[likely[0]] if len(likely) else np.zeros_like(runs.content)
    return runs.content | at_level & (runs.words >= LARGE_WORDS)


def add_list_at_end(runs: Runs) -> BoolArray:
    """bool[m]: content, and deeper list entries without links right after the largest run."""
    likely = np.flatnonzero(runs.content & runs.marked(VERY_LIKELY_CONTENT))
    in_list = np.zeros(len(runs), dtype=np.bool_)
    if len(likely):
        levels, following = _compute_run_levels(runs), slice(likely[-1] + 1, None)
        entries = (levels > levels[likely[-1]]) & runs.marked(MIGHT_BE_CONTENT)
        entries &= runs.having(runs.page.in_tags(LIST_TAGS)) & (runs.link_density == 0)
        in_list[following] = np.logical_and.accumulate(entries[following])
    return runs.content | in_list


def _compute_run_levels(runs: Runs) -> IntArray:
    return runs.least(compute_tag_levels(runs.page))


def compute_tag_levels(page: Page) -> IntArray:
    """int[n]: the tag level of each block, at its first text that is not blank."""
    counted = ~page.elements.tagged(LEVEL_KEEPING_TAGS)
    levels = sum_around(page.elements, counted.astype(np.int64))
    texts, elements = page.leaves.texts, page.leaves.elements
    spans = zip(page.blocks.first_leaf.tolist(), page.blocks.end_leaf.tolist(), strict=True)
    first_texts = (
        next((leaf for leaf in range(first, end) if not texts[leaf].isspace()), first)
        for first, end in spans
    )
    return levels[[elements[leaf] for leaf in first_texts]]


FIRST_TITLE_MATCH = MarkBlocks("first-title-match", TITLE, find_first_title)
COMMENT_LINKS = MarkBlocks("comment-links", END_OF_TEXT, _find_comment_links)
TRAILING_HEADLINES = RunStep("trailing-headlines", _cut_last_headings, update_content)
DROP_UNTITLED_BOILERPLATE = RunStep(
    "drop-untitled-boilerplate", _is_content_or_title, delete_others
)
SAME_LEVEL_FUSION = RunStep("same-level-fusion", _is_near_on_level, fuse_with_previous)
LARGE_RUNS_OF_LEVEL = RunStep("large-blocks-of-level", add_large_runs, update_content)
LIST_AT_END = RunStep("list-at-end", add_list_at_end, update_content)


# The extractors of Kohlschuetter et al. 2010 and of boilerpipe.

KOHLSCHUETTER = "Kohlschuetter, Fankhauser, Nejdl 2010"
BOILERPIPE = "boilerpipe 1.2 (Kohlschuetter)"
BOILERPIPE_HEAD = "kohlschutter/boilerpipe at 2c78035"

FUSE_AND_KEEP: tuple[Step, ...] = (
    PROXIMITY_FUSION,
    DROP_BOILERPLATE,
    CONTENT_FUSION,
    KeepLargestRun(),
    EXPAND_TITLE,
)
# With FUSE_AND_KEEP the steps of ``ArticleExtractor``.
ARTICLE_STEPS: tuple[Step, ...] = (
    TERMINATING_BLOCKS,
    TITLE_MATCH,
    NumberOfWordsRules(),
    IGNORE_AFTER_CONTENT,
)


ROWS: tuple[Extractor, ...] = (
    build_extractor("keep-everything", KOHLSCHUETTER,
        "all visible text; a baseline, or if no text may be lost",
        KEEP_EVERYTHING),
    build_extractor("min-10-words", KOHLSCHUETTER,
        "blocks of ten words or more, after fusing equally dense neighbours; a baseline",
        EQUAL_DENSITY_FUSION, MIN_WORDS_OF_RUNS),
    build_extractor("density-1r", KOHLSCHUETTER,
        "every block of text density 10.5 or more; a baseline",
        DENSITY_THRESHOLD),
    build_extractor("num-words", f"{KOHLSCHUETTER}, Algorithm 2",
        "number of words and link density; fast, high recall, keeps teasers and notices",
        NumberOfWordsRules()),
    build_extractor("density", f"{KOHLSCHUETTER}, Algorithm 1",
        "text density and link density; much like num-words",
        DENSITY_RULES),
    build_extractor("largest-content", f"{KOHLSCHUETTER}, section 4.3.2",
        "the longest run of content only; high precision, loses interrupted articles",
        NumberOfWordsRules(), PROXIMITY_FUSION, KeepLargestRun()),
    build_extractor("main-content", f"{KOHLSCHUETTER}, section 4.3.2",
        "the main run between title and comments; the paper's best on English news",
        *ARTICLE_STEPS, IGNORE_BEFORE_TITLE, *FUSE_AND_KEEP),
    build_extractor("boilerpipe-article", f"{BOILERPIPE}, ArticleExtractor",
        "the classic article extractor, step by step; English news",
        *ARTICLE_STEPS, *FUSE_AND_KEEP),
    build_extractor("boilerpipe-default", f"{BOILERPIPE}, DefaultExtractor",
        "density rules over fused blocks; pages that are not articles",
        EQUAL_DENSITY_FUSION, PROXIMITY_FUSION, DENSITY_RULES),
    build_extractor("boilerpipe-article-head", f"{BOILERPIPE_HEAD}, ArticleExtractor",
        "boilerpipe-article with tag levels and lists, as in its last sources",
        TERMINATING_BLOCKS, COMMENT_LINKS, FIRST_TITLE_MATCH,
        NumberOfWordsRules(), IGNORE_AFTER_CONTENT, TRAILING_HEADLINES,
        PROXIMITY_FUSION, DROP_UNTITLED_BOILERPLATE, SAME_LEVEL_FUSION,
        KeepLargestRunAndLevel(), EXPAND_TITLE, LARGE_RUNS_OF_LEVEL,
        LIST_AT_END),
    build_extractor("boilerpipe-article-sentences", f"{BOILERPIPE}, ArticleSentencesExtractor",
        "boilerpipe-article without headings and captions: only blocks with a clause",
        *ARTICLE_STEPS, *FUSE_AND_KEEP, SPLIT_PARAGRAPHS, MIN_CLAUSE),
    build_extractor("boilerpipe-canola", f"{BOILERPIPE}, CanolaExtractor",
        "any running text, also comments and teasers; for language corpora",
        CANOLA_RULES),
)  # fmt: skip
