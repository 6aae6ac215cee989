"""CleanEval's scores: edit distance over tokens, without and with marks of segments.

Source: ``cleaneval.prl`` by Francis Chantree, the scorer of the competition (Baroni, Chantree,
Kilgarriff, Sharoff 2008, who print what it says), read as it lies in dalab/web2text at 2fb43748,
``other_frameworks/victor``. (``cleaneval.py`` by Stefan Evert, 2008, is another scorer: precision
and recall of a difflib alignment.)

Text only: marks are taken out, the punctuation ``, ; : . ? !`` is removed, case is folded, tokens
are what stands between white space. Insertions and deletions cost 1, a substitution 2, so it is an
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

from scrapy_boilerplate.training.extras import optional

MARKS = {"<p>": 2, "<h>": 1, "<l>": 1}
"""Mark to the aligned tokens beside it that make it right."""

_find_marks = re.compile("<[phl]>", re.IGNORECASE)
_drop_punctuation = str.maketrans("", "", ",;:.?!")

Pairs = Sequence[tuple[str | None, str | None]]
"""The tokens of both sides, one after the other, None where one has no partner."""


def edit_distance_score(text: str, gold: str) -> float:
    """Text only, 0 to 1; 1 if both are empty. Bit-parallel: the product of the lengths over 64."""
    indel = optional("rapidfuzz.distance", "the CleanEval score").Indel
    found, wanted = (_tokens(_find_marks.sub(" ", side)) for side in (text, gold))
    distance = int(indel.distance(found, wanted))
    return _score(distance, len(found) + len(wanted))


def marked_scores(text: str, gold: str) -> tuple[float, float]:
    """Text and markup: the score of the alignment and the F1 of segments, each 0 to 1."""
    indel = optional("rapidfuzz.distance", "the CleanEval score").Indel
    found, wanted = (_tokens(_find_marks.sub(r" \g<0> ", side)) for side in (text, gold))
    pairs: list[tuple[str | None, str | None]] = []
    for operation in indel.opcodes(found, wanted):
        ours = found[operation.src_start : operation.src_end]
        theirs = wanted[operation.dest_start : operation.dest_end]
        if operation.tag == "equal":
            pairs += zip(ours, theirs, strict=True)
        else:
            pairs += [(token, None) for token in ours]
            pairs += [(None, token) for token in theirs]
    unmatched = sum(None in pair for pair in pairs)
    f1s = [_segment_f1(pairs, mark, step) for mark in MARKS for step in (1, -1)]
    return _score(unmatched, len(found) + len(wanted)), sum(f1s) / len(f1s)


def _tokens(text: str) -> list[str]:
    """Tokens of nothing but punctuation are left as empty ones, as in the scorer."""
    return [token.translate(_drop_punctuation) for token in text.lower().split()]


def _score(distance: int, both: int) -> float:
    """`both` is the number of tokens on both sides together."""
    length = (both + distance) // 2
    return 1 - distance / length if length else 1.0


def _segment_f1(pairs: Pairs, mark: str, step: int) -> float:
    """F1 of the segments that start (`step` 1) or end (-1) at `mark`."""
    found = sum(ours == mark for ours, _ in pairs)
    wanted = sum(theirs == mark for _, theirs in pairs)
    if not found + wanted:
        return 1.0
    right = 0
    for place, pair in enumerate(pairs):
        beside = (place + step * distance for distance in range(1, MARKS[mark] + 1))
        right += pair == (mark, mark) and not any(
            None in pairs[other] for other in beside if 0 <= other < len(pairs)
        )
    return 2 * right / (found + wanted)
