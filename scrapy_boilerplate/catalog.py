"""Every extractor by name: one table, each method a table of named steps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from scrapy_boilerplate.extractor import Extractor, Step
from scrapy_boilerplate.rules.baselines import DensityThreshold, KeepEverything, MinWords
from scrapy_boilerplate.rules.boilerpipe.classifiers import DensityRules, NumberOfWordsRules
from scrapy_boilerplate.rules.boilerpipe.filters import (
    BlockProximityFusion,
    DropBoilerplate,
    EqualDensityFusion,
    ExpandTitleToContent,
    IgnoreBlocksAfterContent,
    IgnoreBlocksBeforeTitle,
    KeepLargestRun,
)
from scrapy_boilerplate.rules.boilerpipe.marks import TerminatingBlocks, TitleMatch
from scrapy_boilerplate.rules.confidence import coverage_confidence
from scrapy_boilerplate.rules.container import BestContainers, FillContainers
from scrapy_boilerplate.rules.grandparent import GrandparentFilter
from scrapy_boilerplate.rules.lexicon import OUTSIDE_THE_TEXT
from scrapy_boilerplate.rules.other_labels import HeadlineByTitle, LabelsByContainer
from scrapy_boilerplate.segment.atomic import AtomicBlocks

DEFAULT = "container"

KOHLSCHUETTER = "Kohlschuetter, Fankhauser, Nejdl 2010"
BOILERPIPE = "boilerpipe 1.2 (Kohlschuetter)"
VIVEROS = "Viveros-Jimenez, Sanchez-Perez, Gomez-Adorno et al. 2018"

FINISH: tuple[Step, ...] = (
    HeadlineByTitle(),
    LabelsByContainer(),
)
"""The shared last steps: the labels beside full text and boilerplate."""


class UnknownExtractorError(ValueError):
    """No extractor of that name; the message lists the names."""


def _by_rules(
    name: str, source: str, summary: str, *steps: Step, finish: tuple[Step, ...] = FINISH
) -> Extractor:
    return Extractor(
        name=name,
        source=source,
        summary=summary,
        segmenter=AtomicBlocks(),
        steps=steps,
        finish=finish,
        confidence=coverage_confidence,
    )


EXTRACTORS: Mapping[str, Extractor] = MappingProxyType(
    {
        extractor.name: extractor
        for extractor in (
            _by_rules(
                "container",
                "this project",
                "the default: few containers hold the text; whole articles, little else",
                NumberOfWordsRules(),
                HeadlineByTitle(),
                LabelsByContainer(kinds=OUTSIDE_THE_TEXT),
                BestContainers(),
                FillContainers(),
                finish=(),  # its own steps tell the other labels apart
            ),
            _by_rules(
                "keep-everything",
                KOHLSCHUETTER,
                "every visible text; a baseline, or where nothing may be lost",
                KeepEverything(),
            ),
            _by_rules(
                "min-10-words",
                KOHLSCHUETTER,
                "every block of ten words or more; a baseline",
                MinWords(words=10),
            ),
            _by_rules(
                "density-1r",
                KOHLSCHUETTER,
                "every block of text density 10.5 or more; a baseline",
                DensityThreshold(density=10.5),
            ),
            _by_rules(
                "num-words",
                f"{KOHLSCHUETTER}, Algorithm 2",
                "number of words and link density; fast, high recall, keeps teasers and notices",
                NumberOfWordsRules(),
            ),
            _by_rules(
                "density",
                f"{KOHLSCHUETTER}, Algorithm 1",
                "text density and link density; much like num-words",
                DensityRules(),
            ),
            _by_rules(
                "largest-content",
                f"{KOHLSCHUETTER}, section 4.3.2",
                "the longest run of content only; high precision, loses interrupted articles",
                NumberOfWordsRules(),
                BlockProximityFusion(distance=1),
                KeepLargestRun(),
            ),
            _by_rules(
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
            _by_rules(
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
            _by_rules(
                "boilerpipe-default",
                f"{BOILERPIPE}, DefaultExtractor",
                "density rules over fused blocks; pages that are no articles",
                EqualDensityFusion(),
                BlockProximityFusion(distance=1),
                DensityRules(),
            ),
            _by_rules(
                "grandparent",
                VIVEROS,
                "num-words, then only the paragraphs of the largest group; high precision",
                NumberOfWordsRules(),
                GrandparentFilter(depth=2),
            ),
        )
    }
)


def extractor_named(name: str) -> Extractor:
    """The extractor `name` of the catalog. Raises UnknownExtractorError with the names."""
    try:
        return EXTRACTORS[name]
    except (KeyError, TypeError):
        names = ", ".join(EXTRACTORS)
        raise UnknownExtractorError(
            f"no extractor is called {name!r}; write one of: {names}"
        ) from None


def grandparent(depth: int) -> Extractor:
    """`grandparent` with another depth of the common ancestor, 1 (father) to 5."""
    steps = (NumberOfWordsRules(), GrandparentFilter(depth=depth))
    return replace(EXTRACTORS["grandparent"], name=f"grandparent-{depth}", steps=steps)
