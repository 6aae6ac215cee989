"""CleanEval's score: edit distance over tokens (Baroni, Chantree, Kilgarriff, Sharoff 2008).

Tokens are inserted and deleted, never replaced. The score is 1 minus the distance divided by the
length of the alignment (matched, inserted and deleted tokens), so that texts with nothing in common
score 0. Tokens are split at white space after case is folded, as the competition's scorer splits
text without marks.
"""

from __future__ import annotations

from scrapy_boilerplate.training.extras import optional


def edit_distance_score(text: str, gold: str) -> float:
    """0 to 1; 1 if both are empty. Bit-parallel: the product of the lengths over 64."""
    indel = optional("rapidfuzz.distance", "the CleanEval score").Indel
    found, wanted = text.lower().split(), gold.lower().split()
    distance = int(indel.distance(found, wanted))
    matched = (len(found) + len(wanted) - distance) // 2
    length = matched + distance
    return matched / length if length else 1.0
