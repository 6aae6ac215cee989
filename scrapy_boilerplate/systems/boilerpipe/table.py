"""The extractors of Kohlschuetter et al. 2010 and of boilerpipe."""

from scrapy_boilerplate.steps.extractor import Extractor, Step, build_extractor
from scrapy_boilerplate.steps.shallow_rules import NumberOfWordsRules
from scrapy_boilerplate.systems.boilerpipe import filters, head
from scrapy_boilerplate.systems.common.rules import DENSITY_RULES

KOHLSCHUETTER = "Kohlschuetter, Fankhauser, Nejdl 2010"
BOILERPIPE = "boilerpipe 1.2 (Kohlschuetter)"
BOILERPIPE_HEAD = "kohlschutter/boilerpipe at 2c78035"

FUSE_AND_KEEP: tuple[Step, ...] = (
    filters.PROXIMITY_FUSION,
    filters.DROP_BOILERPLATE,
    filters.CONTENT_FUSION,
    filters.KeepLargestRun(),
    filters.EXPAND_TITLE,
)
# With FUSE_AND_KEEP the steps of ``ArticleExtractor``.
ARTICLE_STEPS: tuple[Step, ...] = (
    filters.TERMINATING_BLOCKS,
    filters.TITLE_MATCH,
    NumberOfWordsRules(),
    filters.IGNORE_AFTER_CONTENT,
)

ROWS: tuple[Extractor, ...] = (
    build_extractor("keep-everything", KOHLSCHUETTER,
        "all visible text; a baseline, or if no text may be lost",
        filters.KEEP_EVERYTHING),
    build_extractor("min-10-words", KOHLSCHUETTER,
        "blocks of ten words or more, after fusing equally dense neighbours; a baseline",
        filters.EQUAL_DENSITY_FUSION, filters.MIN_WORDS_OF_RUNS),
    build_extractor("density-1r", KOHLSCHUETTER,
        "every block of text density 10.5 or more; a baseline",
        filters.DENSITY_THRESHOLD),
    build_extractor("num-words", f"{KOHLSCHUETTER}, Algorithm 2",
        "number of words and link density; fast, high recall, keeps teasers and notices",
        NumberOfWordsRules()),
    build_extractor("density", f"{KOHLSCHUETTER}, Algorithm 1",
        "text density and link density; much like num-words",
        DENSITY_RULES),
    build_extractor("largest-content", f"{KOHLSCHUETTER}, section 4.3.2",
        "the longest run of content only; high precision, loses interrupted articles",
        NumberOfWordsRules(), filters.PROXIMITY_FUSION, filters.KeepLargestRun()),
    build_extractor("main-content", f"{KOHLSCHUETTER}, section 4.3.2",
        "the main run between title and comments; the paper's best on English news",
        *ARTICLE_STEPS, filters.IGNORE_BEFORE_TITLE, *FUSE_AND_KEEP),
    build_extractor("boilerpipe-article", f"{BOILERPIPE}, ArticleExtractor",
        "the classic article extractor, step by step; English news",
        *ARTICLE_STEPS, *FUSE_AND_KEEP),
    build_extractor("boilerpipe-default", f"{BOILERPIPE}, DefaultExtractor",
        "density rules over fused blocks; pages that are not articles",
        filters.EQUAL_DENSITY_FUSION, filters.PROXIMITY_FUSION, DENSITY_RULES),
    build_extractor("boilerpipe-article-head", f"{BOILERPIPE_HEAD}, ArticleExtractor",
        "boilerpipe-article with tag levels and lists, as in its last sources",
        filters.TERMINATING_BLOCKS, head.COMMENT_LINKS, head.FIRST_TITLE_MATCH,
        NumberOfWordsRules(), filters.IGNORE_AFTER_CONTENT, head.TRAILING_HEADLINES,
        filters.PROXIMITY_FUSION, head.DROP_UNTITLED_BOILERPLATE, head.SAME_LEVEL_FUSION,
        head.KeepLargestRunAndLevel(), filters.EXPAND_TITLE, head.LARGE_RUNS_OF_LEVEL,
        head.LIST_AT_END),
    build_extractor("boilerpipe-article-sentences", f"{BOILERPIPE}, ArticleSentencesExtractor",
        "boilerpipe-article without headings and captions: only blocks with a clause",
        *ARTICLE_STEPS, *FUSE_AND_KEEP, filters.SPLIT_PARAGRAPHS, filters.MIN_CLAUSE),
    build_extractor("boilerpipe-canola", f"{BOILERPIPE}, CanolaExtractor",
        "any running text, also comments and teasers; for language corpora",
        filters.CANOLA_RULES),
)  # fmt: skip
