"""The extractors of Kohlschuetter et al. 2010 and of the boilerpipe that came of it."""

from __future__ import annotations

from scrapy_boilerplate.steps.extractor import Extractor, Step, build_extractor
from scrapy_boilerplate.steps.shallow_rules import NumberOfWordsRules
from scrapy_boilerplate.systems.boilerpipe.filters import (
    BlockProximityFusion,
    CanolaRules,
    DensityThreshold,
    DropBoilerplate,
    EqualDensityFusion,
    ExpandTitleToContent,
    IgnoreBlocksAfterContent,
    IgnoreBlocksBeforeTitle,
    KeepEverything,
    KeepLargestRun,
    MinClauseWords,
    MinWords,
    SplitParagraphs,
    TerminatingBlocks,
    TitleMatch,
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
from scrapy_boilerplate.systems.common.density_rules import DensityRules

KOHLSCHUETTER = "Kohlschuetter, Fankhauser, Nejdl 2010"
BOILERPIPE = "boilerpipe 1.2 (Kohlschuetter)"
BOILERPIPE_HEAD = "kohlschutter/boilerpipe at 2c78035"

ARTICLE_STEPS: tuple[Step, ...] = (
    TerminatingBlocks(),
    TitleMatch(),
    NumberOfWordsRules(),
    IgnoreBlocksAfterContent(words=60),
    BlockProximityFusion(distance=1),
    DropBoilerplate(),
    BlockProximityFusion(distance=1, content_only=True),
    KeepLargestRun(),
    ExpandTitleToContent(),
)
"""The steps of ``ArticleExtractor``."""

ROWS: tuple[Extractor, ...] = (
    build_extractor(
        "keep-everything",
        KOHLSCHUETTER,
        "every visible text; a baseline, or where nothing may be lost",
        KeepEverything(),
    ),
    build_extractor(
        "min-10-words",
        KOHLSCHUETTER,
        "every block of ten words or more, equally dense ones taken together; a baseline",
        EqualDensityFusion(),
        MinWords(words=10),
    ),
    build_extractor(
        "density-1r",
        KOHLSCHUETTER,
        "every block of text density 10.5 or more; a baseline",
        DensityThreshold(density=10.5),
    ),
    build_extractor(
        "num-words",
        f"{KOHLSCHUETTER}, Algorithm 2",
        "number of words and link density; fast, high recall, keeps teasers and notices",
        NumberOfWordsRules(),
    ),
    build_extractor(
        "density",
        f"{KOHLSCHUETTER}, Algorithm 1",
        "text density and link density; much like num-words",
        DensityRules(),
    ),
    build_extractor(
        "largest-content",
        f"{KOHLSCHUETTER}, section 4.3.2",
        "the longest run of content only; high precision, loses interrupted articles",
        NumberOfWordsRules(),
        BlockProximityFusion(distance=1),
        KeepLargestRun(),
    ),
    build_extractor(
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
    build_extractor(
        "boilerpipe-article",
        f"{BOILERPIPE}, ArticleExtractor",
        "the classic article extractor, step by step; English news",
        *ARTICLE_STEPS,
    ),
    build_extractor(
        "boilerpipe-default",
        f"{BOILERPIPE}, DefaultExtractor",
        "density rules over fused blocks; pages that are no articles",
        EqualDensityFusion(),
        BlockProximityFusion(distance=1),
        DensityRules(),
    ),
    build_extractor(
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
    build_extractor(
        "boilerpipe-article-sentences",
        f"{BOILERPIPE}, ArticleSentencesExtractor",
        "boilerpipe-article without headings and captions: only blocks with a clause",
        *ARTICLE_STEPS,
        SplitParagraphs(),
        MinClauseWords(),
    ),
    build_extractor(
        "boilerpipe-canola",
        f"{BOILERPIPE}, CanolaExtractor",
        "any running text, comments and teasers too; for corpora of language",
        CanolaRules(),
    ),
)
