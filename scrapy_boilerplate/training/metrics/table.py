"""All metrics by name: the pages that they can judge, counts of a page, figures over all pages."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from scrapy_boilerplate.document import Document
from scrapy_boilerplate.page.labels import FloatArray, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.training.corpora import LabelledPage
from scrapy_boilerplate.training.gold import Gold, has_gold_text
from scrapy_boilerplate.training.metrics import blocks
from scrapy_boilerplate.training.metrics.bootstrap import Figures
from scrapy_boilerplate.training.metrics.fields import FIELD_JUDGES, FieldJudge, summarize_field
from scrapy_boilerplate.training.tokens import (
    build_shingles,
    compute_character_f1,
    compute_shingle_f1,
    count_segments,
    count_shared_characters,
    count_shingles,
    score_tokens,
    summarize_characters,
    summarize_segments,
    summarize_shingles,
    summarize_tokens,
    tokenize,
)


@dataclass(frozen=True, eq=False)
class ExtractedPage:
    """A page and its extracted text; `kept` are the blocks of the text, in order."""

    text: str
    page: Page
    labeling: Labeling
    kept: Sequence[int]

    @cached_property
    def metadata(self) -> Document:
        """A document with the metadata of the page, computed on first use."""
        return Document(url=self.page.url, labelled=(self.page, self.labeling))


@dataclass(frozen=True, kw_only=True)
class Metric:
    """How to score an extract.

    name, source   for tables; where the definition comes from
    judges         whether a page has the labels that it needs
    count          one row of numbers for a page
    figures        the figures over the rows of pages; the first one ranks systems
    ranked         a score per page, 0 to 1, for ranked curves; None if pages have no score
    """

    name: str
    source: str
    judges: Callable[[LabelledPage], bool]
    count: Callable[[Gold, ExtractedPage], Sequence[float] | FloatArray]
    figures: Figures
    ranked: Callable[[FloatArray], FloatArray] | None = None


def _count_blocks(
    classes: blocks.Classes | None, by_words: bool, gold: Gold, extract: ExtractedPage
) -> FloatArray:
    """Count the leaves, or their words, by class; by default by the two classes of the corpus."""
    if classes is None:
        six = gold.labelled.has_classes
        classes = blocks.TWO_CLASSES if six else blocks.FULL_TEXT_OR_NOT
    page = extract.page
    block = page.leaf_blocks
    labels, scores = extract.labeling.labels[block], extract.labeling.scores[block]
    weights = gold.leaf_words if by_words else np.ones_like(gold.leaf_words)
    return blocks.count_confusions(classes, gold.leaf_labels, labels, scores, weights)


def _count_field(judge: FieldJudge, gold: Gold, extract: ExtractedPage) -> Sequence[float]:
    metadata = extract.metadata
    return judge.is_right(gold.labelled, metadata), judge.value(metadata) is not None


# Name to metric, in the order in which they are listed.
METRICS = {
    metric.name: metric
    for metric in (
        Metric(
            name="tokens",
            source="Kohlschuetter et al. 2010, Figure 2: F1 of the bags of tokens, page mean",
            judges=has_gold_text,
            count=lambda gold, extract: score_tokens(Counter(tokenize(extract.text)), gold.bag),
            figures=summarize_tokens,
            ranked=lambda rows: rows[:, 2],
        ),
        Metric(
            name="shingles",
            source="article-extraction-benchmark: shingles of 4 words",
            judges=has_gold_text,
            count=lambda gold, extract: count_shingles(build_shingles(extract.text), gold.shingles),
            figures=summarize_shingles,
            ranked=compute_shingle_f1,
        ),
        Metric(
            name="characters",
            source="Viveros-Jimenez et al. 2018, section 5: characters of all pages",
            judges=has_gold_text,
            count=lambda gold, extract: count_shared_characters(
                Counter(tokenize(extract.text)), gold.bag
            ),
            figures=summarize_characters,
            ranked=compute_character_f1,
        ),
        Metric(
            name="segments",
            source="trafilatura: snippets that must and must not be there",
            judges=lambda labelled: bool(labelled.text_with or labelled.text_without),
            count=lambda gold, extract: count_segments(
                extract.text, gold.labelled.text_with, gold.labelled.text_without
            ),
            figures=summarize_segments,
        ),
        Metric(
            name="text-nodes",
            source="Vogels et al. 2018, Table 1: text nodes, each counts one; F1 of content",
            judges=has_gold_text,
            count=partial(_count_blocks, None, False),
            figures=blocks.summarize_text_nodes,
        ),
        *(
            Metric(
                name=name,
                source="Kohlschuetter et al. 2010, Table 2: weighted by words, then by class",
                judges=(lambda labelled: labelled.has_classes) if classes else has_gold_text,
                count=partial(_count_blocks, classes, True),
                figures=partial(blocks.summarize_blocks, classes or blocks.TWO_CLASSES),
            )
            for name, classes in (
                ("blocks", None),
                ("blocks-4", blocks.FOUR_CLASSES),
                ("blocks-6", blocks.SIX_CLASSES),
            )
        ),
        *(
            Metric(
                name=name,
                source="share of the pages on which it is right: docs/evaluation.md",
                judges=judge.knows,
                count=partial(_count_field, judge),
                figures=summarize_field,
            )
            for name, judge in FIELD_JUDGES.items()
        ),
    )
}

# Names of several metrics together.
GROUPS = {"metadata": tuple(FIELD_JUDGES)}
