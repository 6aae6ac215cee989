"""Context rules and larger blocks: jusText, block fusion, the rest of boilerpipe."""

from __future__ import annotations

from scrapy_boilerplate.catalog.boilerpipe import BOILERPIPE
from scrapy_boilerplate.catalog.boilerpipe import ROWS as BOILERPIPE_ROWS
from scrapy_boilerplate.catalog.rows import by_rules
from scrapy_boilerplate.extractor import Extractor, Step
from scrapy_boilerplate.rules.boilerpipe.canola import CanolaRules
from scrapy_boilerplate.rules.boilerpipe.classifiers import DensityRules, NumberOfWordsRules
from scrapy_boilerplate.rules.boilerpipe.filters import (
    BlockProximityFusion,
    ExpandTitleToContent,
    IgnoreBlocksAfterContent,
)
from scrapy_boilerplate.rules.boilerpipe.head_titles import CommentLinks, FirstTitleMatch
from scrapy_boilerplate.rules.boilerpipe.levels import (
    DropUntitledBoilerplate,
    KeepLargestRunAndLevel,
    LargeBlocksOfLevel,
    ListAtEnd,
    SameLevelFusion,
    TrailingHeadlines,
)
from scrapy_boilerplate.rules.boilerpipe.marks import TerminatingBlocks
from scrapy_boilerplate.rules.boilerpipe.sentences import MinClauseWords, SplitParagraphs
from scrapy_boilerplate.rules.justext import ContextFreeGrades, ContextSensitiveGrades
from scrapy_boilerplate.segment.fusion import GAP_TAGS, BlockFusion
from scrapy_boilerplate.segment.paragraphs import ParagraphBlocks

POMIKALEK = "Pomikalek 2011, jusText 3.0.2"
NEJDL = "Kohlschuetter, Nejdl 2008; Kohlschuetter, Fankhauser, Nejdl 2010"
BOILERPIPE_HEAD = "kohlschutter/boilerpipe at 2c78035"

ARTICLE_STEPS: tuple[Step, ...] = next(
    row.steps for row in BOILERPIPE_ROWS if row.name == "boilerpipe-article"
)

ROWS: tuple[Extractor, ...] = (
    by_rules(
        "justext",
        POMIKALEK,
        "paragraphs by length, links, stop words and neighbours; running text of any kind of page",
        ContextFreeGrades(),
        ContextSensitiveGrades(),
        segmenter=ParagraphBlocks(),
    ),
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
    by_rules(
        "block-fusion",
        NEJDL,
        "BF-PLAIN: density rules over neighbours fused by text density; a study of segmentation",
        DensityRules(),
        segmenter=BlockFusion(),
    ),
    by_rules(
        "block-fusion-smoothed",
        NEJDL,
        "BF-SMOOTHED: block-fusion that also takes in a low between two of a kind; a study",
        DensityRules(),
        segmenter=BlockFusion(smoothed=True),
    ),
    by_rules(
        "block-fusion-rulebased",
        NEJDL,
        "BF-RULEBASED: block-fusion that never crosses headings, lists and tables; a study",
        DensityRules(),
        segmenter=BlockFusion(gaps=GAP_TAGS),
    ),
)
