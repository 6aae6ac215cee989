"""Kohlschuetter et al. 2010, the boilerpipe that came of it, and the tree filter of 2018."""

from __future__ import annotations

from scrapy_boilerplate.steps.extractor import Extractor, Step
from scrapy_boilerplate.steps.rows import by_rules
from scrapy_boilerplate.steps.sentences import MinClauseWords, SplitParagraphs
from scrapy_boilerplate.steps.shallow_rules import DensityRules, NumberOfWordsRules
from scrapy_boilerplate.systems.boilerpipe.baselines import (
    DensityThreshold,
    KeepEverything,
    MinWords,
)
from scrapy_boilerplate.systems.boilerpipe.canola import CanolaRules
from scrapy_boilerplate.systems.boilerpipe.filters import (
    BlockProximityFusion,
    DropBoilerplate,
    EqualDensityFusion,
    ExpandTitleToContent,
    IgnoreBlocksAfterContent,
    IgnoreBlocksBeforeTitle,
    KeepLargestRun,
)
from scrapy_boilerplate.systems.boilerpipe.head import (
    CommentLinks,
    DropUntitledBoilerplate,
    FirstTitleMatch,
    KeepLargestRunAndLevel,
    LargeBlocksOfLevel,
    ListAtEnd,
    SameLevelFusion,
    TrailingHeadlines,
)
from scrapy_boilerplate.systems.boilerpipe.marks import TerminatingBlocks, TitleMatch

KOHLSCHUETTER = "Kohlschuetter, Fankhauser, Nejdl 2010"
BOILERPIPE = "boilerpipe 1.2 (Kohlschuetter)"
BOILERPIPE_HEAD = "kohlschutter/boilerpipe at 2c78035"

RELEASED: tuple[Extractor, ...] = (
    by_rules(
        "keep-everything",
        KOHLSCHUETTER,
        "every visible text; a baseline, or where nothing may be lost",
        KeepEverything(),
    ),
    by_rules(
        "min-10-words",
        KOHLSCHUETTER,
        "every block of ten words or more, equally dense ones taken together; a baseline",
        EqualDensityFusion(),
        MinWords(words=10),
    ),
    by_rules(
        "density-1r",
        KOHLSCHUETTER,
        "every block of text density 10.5 or more; a baseline",
        DensityThreshold(density=10.5),
    ),
    by_rules(
        "num-words",
        f"{KOHLSCHUETTER}, Algorithm 2",
        "number of words and link density; fast, high recall, keeps teasers and notices",
        NumberOfWordsRules(),
    ),
    by_rules(
        "density",
        f"{KOHLSCHUETTER}, Algorithm 1",
        "text density and link density; much like num-words",
        DensityRules(),
    ),
    by_rules(
        "largest-content",
        f"{KOHLSCHUETTER}, section 4.3.2",
        "the longest run of content only; high precision, loses interrupted articles",
        NumberOfWordsRules(),
        BlockProximityFusion(distance=1),
        KeepLargestRun(),
    ),
    by_rules(
        "main-content",
        f"{KOHLSCHUETTER}, section 4.3.2",
        "the main run between title and comments; the paper's best on English news",
        TerminatingBlocks(),
        TitleMatch(),
        NumberOfWordsRules(),
        IgnoreBlocksAfterContent(words=60),
        IgnoreBlocksBeforeTitle(),
        BlockProximityFusion(distance=1),
        DropBoilerplate(),
        BlockProximityFusion(distance=1, content_only=True),
        KeepLargestRun(),
        ExpandTitleToContent(),
    ),
    by_rules(
        "boilerpipe-article",
        f"{BOILERPIPE}, ArticleExtractor",
        "the classic article extractor, step by step; English news",
        TerminatingBlocks(),
        TitleMatch(),
        NumberOfWordsRules(),
        IgnoreBlocksAfterContent(words=60),
        BlockProximityFusion(distance=1),
        DropBoilerplate(),
        BlockProximityFusion(distance=1, content_only=True),
        KeepLargestRun(),
        ExpandTitleToContent(),
    ),
    by_rules(
        "boilerpipe-default",
        f"{BOILERPIPE}, DefaultExtractor",
        "density rules over fused blocks; pages that are no articles",
        EqualDensityFusion(),
        BlockProximityFusion(distance=1),
        DensityRules(),
    ),
)

ARTICLE_STEPS: tuple[Step, ...] = next(
    row.steps for row in RELEASED if row.name == "boilerpipe-article"
)

ROWS: tuple[Extractor, ...] = (
    *RELEASED,
    by_rules(
        "boilerpipe-article-head",
        f"{BOILERPIPE_HEAD}, ArticleExtractor",
        "boilerpipe-article with tag levels and lists, as in its last sources",
        TerminatingBlocks(),
        CommentLinks(),
        FirstTitleMatch(),
        NumberOfWordsRules(),
        IgnoreBlocksAfterContent(words=60),
        TrailingHeadlines(),
        BlockProximityFusion(distance=1),
        DropUntitledBoilerplate(),
        SameLevelFusion(distance=1),
        KeepLargestRunAndLevel(words=150),
        ExpandTitleToContent(),
        LargeBlocksOfLevel(),
        ListAtEnd(),
    ),
    by_rules(
        "boilerpipe-article-sentences",
        f"{BOILERPIPE}, ArticleSentencesExtractor",
        "boilerpipe-article without headings and captions: only blocks with a clause",
        *ARTICLE_STEPS,
        SplitParagraphs(),
        MinClauseWords(),
    ),
    by_rules(
        "boilerpipe-canola",
        f"{BOILERPIPE}, CanolaExtractor",
        "any running text, comments and teasers too; for corpora of language",
        CanolaRules(),
    ),
)
