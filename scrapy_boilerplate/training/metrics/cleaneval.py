"""CleanEval's scores: edit distance over tokens, without and with marks of segments.

Source: ``cleaneval.prl`` by Francis Chantree, the scorer of the competition (Baroni, Chantree,
Kilgarriff, Sharoff 2008, who print its output), from dalab/web2text at 2fb43748,
``other_frameworks/victor``. (``cleaneval.py`` by Stefan Evert, 2008, is another scorer: precision
and recall of a difflib alignment.)

Text only: marks are taken out, the punctuation ``, ; : . ? !`` is removed, case is folded, white
space separates tokens. Insertions and deletions cost 1, a substitution 2, so it is an
insertion and a deletion; nothing else is weighted. The score is 1 minus the cost divided by the
length of the alignment (matched, inserted and deleted tokens): texts with nothing in common have 0.

Text and markup: the marks ``<p>``, ``<h>``, ``<l>`` at the start of paragraphs, headings and list
items are tokens. The score is the mean of the score above and of the F1 of segments, which is the
mean of six: for each mark, how many of both sides are aligned with one another and followed (as the
start of a segment) or preceded (as the end of the one before) by aligned tokens, two for ``<p>``,
one for the others. No mark on either side is 1. The overall score is the mean of both scores.

Deviations: two empty texts have 1 (there 0); of alignments that cost the same another one may be
taken, which moves the F1 of segments; Chinese text, which the scorer cuts into pairs of characters,
is not cut.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from scrapy_boilerplate.extras import import_optional
from scrapy_boilerplate.page.labels import FloatArray
from scrapy_boilerplate.page.page import Page

# mark -> the aligned tokens beside it that make it right
MARKS = {"<p>": 2, "<h>": 1, "<l>": 1}

# tags of the segments that ``<h>`` and ``<l>`` mark; everything else is ``<p>``
HEADING_TAGS = frozenset("h1 h2 h3 h4 h5 h6".split())
ITEM_TAGS = frozenset("li dt dd".split())

_find_marks = re.compile("<[phl]>", re.IGNORECASE)
_drop_punctuation = str.maketrans("", "", ",;:.?!")

Pairs = Sequence[tuple[str | None, str | None]]
"""The tokens of both sides, one after the other, None where a token has no partner."""


def score_edit_distance(text: str, gold: str) -> float:
    """Return the score of text only, 0 to 1; 1 if both are empty.

    Bit-parallel: time is the product of the lengths over 64. Raises MissingExtraError.
    """
    indel = import_optional("rapidfuzz.distance", "the CleanEval score", "evaluate").Indel
    ours, theirs = (_split_tokens(_find_marks.sub(" ", side)) for side in (text, gold))
    return _score_alignment(int(indel.distance(ours, theirs)), len(ours) + len(theirs))


def score_marked_text(text: str, gold: str) -> tuple[float, float]:
    """Return the scores of text and markup: of the alignment, and the F1 of segments; 0 to 1."""
    indel = import_optional("rapidfuzz.distance", "the CleanEval score", "evaluate").Indel
    ours, theirs = (_split_tokens(_find_marks.sub(r" \g<0> ", side)) for side in (text, gold))
    pairs: list[tuple[str | None, str | None]] = []
    for operation in indel.opcodes(ours, theirs):
        part = ours[operation.src_start : operation.src_end]
        gold_part = theirs[operation.dest_start : operation.dest_end]
        if operation.tag == "equal":
            pairs += zip(part, gold_part, strict=True)
        else:
            pairs += [(token, None) for token in part]
            pairs += [(None, token) for token in gold_part]
    unmatched = sum(None in pair for pair in pairs)
    f1s = [_compute_segment_f1(pairs, mark, step) for mark in MARKS for step in (1, -1)]
    return _score_alignment(unmatched, len(ours) + len(theirs)), sum(f1s) / len(f1s)


def _split_tokens(text: str) -> list[str]:
    """Return the tokens; tokens of only punctuation become empty, as in the scorer."""
    return [token.translate(_drop_punctuation) for token in text.lower().split()]


def _score_alignment(distance: int, n_tokens: int) -> float:
    """Return the score of an alignment of `n_tokens` tokens, both sides together."""
    length = (n_tokens + distance) // 2
    return 1 - distance / length if length else 1.0


def _compute_segment_f1(pairs: Pairs, mark: str, step: int) -> float:
    """Return the F1 of the segments that start (`step` 1) or end (-1) at `mark`."""
    n_marks = sum((ours == mark) + (theirs == mark) for ours, theirs in pairs)
    if not n_marks:
        return 1.0
    right = 0
    for place, pair in enumerate(pairs):
        beside = (place + step * distance for distance in range(1, MARKS[mark] + 1))
        right += pair == (mark, mark) and not any(
            None in pairs[other] for other in beside if 0 <= other < len(pairs)
        )
    return 2 * right / n_marks


def mark_segments(page: Page, blocks: Sequence[int]) -> str:
    """Return the text of `blocks` with ``<h>``, ``<l>`` or ``<p>`` before each segment."""
    headings, items = (page.in_tags(tags).tolist() for tags in (HEADING_TAGS, ITEM_TAGS))
    parts: list[str] = []
    before = -1
    for block in blocks:
        if not (parts and page.continues(block, before)):
            parts.append("<h>" if headings[block] else "<l>" if items[block] else "<p>")
        parts.append(page.texts[block])
        before = block
    return " ".join(parts)


def summarize_edit_distance(rows: FloatArray) -> dict[str, float]:
    """Return mean and median; `rows` float[pages, 1] are `score_edit_distance`."""
    return {"score": float(rows.mean()), "median": float(np.median(rows))}


def summarize_marked_text(rows: FloatArray) -> dict[str, float]:
    """Return the means; `rows` float[pages, 3]: `score_marked_text`, then `score_edit_distance`."""
    alignment, segments, text_only = (float(column.mean()) for column in rows.T)
    score = (alignment + segments) / 2
    return {
        "score": score,
        "alignment": alignment,
        "segments": segments,
        "text_only": text_only,
        "overall": (score + text_only) / 2,
    }
