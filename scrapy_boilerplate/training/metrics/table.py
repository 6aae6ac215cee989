"""Every metric by name: which pages it can judge, what it counts on one, what that adds up to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from scrapy_boilerplate.page.labels import FloatArray
from scrapy_boilerplate.training.corpora import LabelledPage
from scrapy_boilerplate.training.gold import Gold, has_gold_text
from scrapy_boilerplate.training.metrics import blocks
from scrapy_boilerplate.training.metrics.edit_distance import edit_distance_score, marked_scores
from scrapy_boilerplate.training.metrics.fields import JUDGED, field_counts, field_figures
from scrapy_boilerplate.training.metrics.marks import marked_text
from scrapy_boilerplate.training.metrics.metric import Metric, Output
from scrapy_boilerplate.training.metrics.segments import segment_counts, segment_figures
from scrapy_boilerplate.training.metrics.shingles import (
    shingle_counts,
    shingle_f1,
    shingle_figures,
    shingles,
)
from scrapy_boilerplate.training.metrics.tokens import (
    character_counts,
    character_f1,
    character_figures,
    token_scores,
    tokens,
)

POOR = 0.5
"""A page below this token F1 counts as failed."""


def _count_tokens(gold: Gold, output: Output) -> Sequence[float]:
    return token_scores(Counter(tokens(output.text)), gold.bag)


def _token_figures(rows: FloatArray) -> dict[str, float]:
    precision, recall, f1 = rows.T
    return {
        "f1": float(f1.mean()),
        "median": float(np.median(f1)),
        "precision": float(precision.mean()),
        "recall": float(recall.mean()),
        "below_half": float((f1 < POOR).mean()),
    }


def _count_shingles(gold: Gold, output: Output) -> Sequence[float]:
    return shingle_counts(shingles(output.text), gold.shingles)


def _count_edits(gold: Gold, output: Output) -> Sequence[float]:
    return [edit_distance_score(output.text, gold.text or "")]


def _edit_figures(rows: FloatArray) -> dict[str, float]:
    return {"score": float(rows.mean()), "median": float(np.median(rows))}


def _count_marked_edits(gold: Gold, output: Output) -> Sequence[float]:
    marked = gold.labelled.text_marked or ""
    text = marked_text(output.page, output.kept)
    return [*marked_scores(text, marked), edit_distance_score(text, marked)]


def _marked_edit_figures(rows: FloatArray) -> dict[str, float]:
    alignment, segments, text_only = (float(column.mean()) for column in rows.T)
    score = (alignment + segments) / 2
    return {
        "score": score,
        "alignment": alignment,
        "segments": segments,
        "text_only": text_only,
        "overall": (score + text_only) / 2,
    }


def _has_marks(labelled: LabelledPage) -> bool:
    return labelled.text_marked is not None


def _count_characters(gold: Gold, output: Output) -> Sequence[float]:
    return character_counts(Counter(tokens(output.text)), gold.bag)


def _count_segments(gold: Gold, output: Output) -> Sequence[float]:
    labelled = gold.labelled
    return segment_counts(output.text, labelled.text_with, labelled.text_without)


def _has_segments(labelled: LabelledPage) -> bool:
    return bool(labelled.text_with or labelled.text_without)


def _has_classes(labelled: LabelledPage) -> bool:
    return labelled.has_classes


def _count_blocks(
    classes: blocks.Classes | None, by_words: bool, gold: Gold, output: Output
) -> FloatArray:
    """`classes` None: two classes, as far as the corpus tells them apart."""
    if classes is None:
        six = _has_classes(gold.labelled)
        classes = blocks.TWO_CLASSES if six else blocks.FULL_TEXT_OR_NOT
    page = output.page
    block = np.repeat(np.arange(len(page)), page.blocks.end_leaf - page.blocks.first_leaf)
    labels, scores = output.labeling.labels[block], output.labeling.scores[block]
    weights = gold.leaf_words if by_words else np.ones_like(gold.leaf_words)
    return blocks.block_counts(classes, gold.leaf_labels, labels, scores, weights)


def _by_blocks(
    name: str, classes: blocks.Classes | None, judges: Callable[[LabelledPage], bool]
) -> Metric:
    return Metric(
        name=name,
        source="Kohlschuetter et al. 2010, Table 2: weighted by words, then by class",
        judges=judges,
        count=partial(_count_blocks, classes, True),
        figures=partial(blocks.block_figures, classes or blocks.TWO_CLASSES),
    )


def _count_field(name: str, gold: Gold, output: Output) -> Sequence[float]:
    return field_counts(name, gold.labelled, output.metadata)


def _of_field(name: str) -> Metric:
    return Metric(
        name=name,
        source="share of the pages on which it is right: docs/evaluation.md",
        judges=JUDGED[name][0],
        count=partial(_count_field, name),
        figures=field_figures,
    )


METRICS = {
    metric.name: metric
    for metric in (
        Metric(
            name="tokens",
            source="Kohlschuetter et al. 2010, Figure 2: F1 of the bags of tokens, page mean",
            judges=has_gold_text,
            count=_count_tokens,
            figures=_token_figures,
            ranked=lambda rows: rows[:, 2],
        ),
        Metric(
            name="shingles",
            source="article-extraction-benchmark: shingles of 4 words",
            judges=has_gold_text,
            count=_count_shingles,
            figures=shingle_figures,
            ranked=shingle_f1,
        ),
        Metric(
            name="edit-distance",
            source="CleanEval's scorer, text only: edit distance over tokens",
            judges=has_gold_text,
            count=_count_edits,
            figures=_edit_figures,
            ranked=lambda rows: rows[:, 0],
        ),
        Metric(
            name="edit-distance-marked",
            source="CleanEval's scorer, text and markup: edit distance and segments",
            judges=_has_marks,
            count=_count_marked_edits,
            figures=_marked_edit_figures,
            ranked=lambda rows: rows[:, :2].mean(axis=1),
        ),
        Metric(
            name="characters",
            source="Viveros-Jimenez et al. 2018, section 5: characters of all pages",
            judges=has_gold_text,
            count=_count_characters,
            figures=character_figures,
            ranked=character_f1,
        ),
        Metric(
            name="segments",
            source="trafilatura: snippets that must and must not be there",
            judges=_has_segments,
            count=_count_segments,
            figures=segment_figures,
        ),
        Metric(
            name="text-nodes",
            source="Vogels et al. 2018, Table 1: text nodes, each counts one; F1 of content",
            judges=has_gold_text,
            count=partial(_count_blocks, None, False),
            figures=blocks.text_node_figures,
        ),
        _by_blocks("blocks", None, has_gold_text),
        _by_blocks("blocks-4", blocks.FOUR_CLASSES, _has_classes),
        _by_blocks("blocks-6", blocks.SIX_CLASSES, _has_classes),
        *map(_of_field, JUDGED),
    )
}
"""Name to metric, in the order in which they are listed."""

GROUPS = {"metadata": tuple(JUDGED)}
"""Names that stand for several metrics."""
