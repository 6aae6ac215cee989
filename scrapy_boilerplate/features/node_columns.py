"""The numbers Web2Text makes of the counts of text nodes and of the nodes above them.

Ranges and constants are those of dalab/web2text (``LeafBlockExtractor``, ``NodeBlockExtractor``):
z(x, a to b; m, s) below is (x - m) / s with x clipped to a and b. A yes is 1, a no -1.
"""

from __future__ import annotations

import numpy as np

from scrapy_boilerplate.features.text_counts import TextCounts
from scrapy_boilerplate.label import BoolArray, FloatArray, IntArray

_CAPITALS = {
    "capitals": "z(share of words with a capital; .4475758, .4129316), 0 without words",
    "capitals^2": "z(its square; .3708354, .4334037), 0 without words",
    "capitals^3": "z(its cube; .340843, .4404389), 0 without words",
}
_WORDS = {
    "word_length": "z(mean characters of a word, 3 to 15; 4.910001, 1.905709), -1 without words",
    "has_stop_word": "a stop word is in it",
    "stop_word_ratio": "z(share of stop words; .374, .1529), 0 without words",
}
_PUNCTUATION_RATIO = {
    "punctuation_ratio": "z(log share of marks, -4 to -2.5; -3.338525, .6058926), 0 without marks",
}
_DIGITS = {
    "has_digit": "z(a digit is in it; -.5900983, .8073342)",
    "digit_ratio": "z(share of digits; .2655969, .3052819)",
    "sentence_length": "z(log characters to a sentence, 2 to 5; 3.109, 1.011)",
}
_PATTERNS = {
    "ends_with_punctuation": "it ends with one of . , ? ; : !",
    "ends_with_question_mark": "it ends with a question mark",
    "contains_copyright": "a copyright sign is in it",
    "contains_email": "an e-mail address is in it",
    "contains_url": "a web address is in it",
    "contains_year": "a number of four digits is in it",
}

NODE = {
    "body_percentage": "share of the page's text from its first character to its last",
    "link_density": "z(share of the characters in links; .5, .5)",
    **_WORDS,
    "characters": "z(log characters, 2.5 to 10; 6, 2.14)",
    **_PUNCTUATION_RATIO,
    **_DIGITS,
    **_PATTERNS,
    **_CAPITALS,
    "contains_form": "an input field is in it",
}
"""The 20 features of a node; `contains_form` is not a matter of text."""

LEAF = {
    "has_word": "z(a word is in it; .8255, .5643817)",
    "words": "z(log words, 0 to 3.5; 1.5086, 1.205), 0 without words",
    **_WORDS,
    "characters": "z(log characters, 2.5 to 5.5; 3.392, 1.06445)",
    "has_punctuation": "one of . , ? ; : ! is in it",
    "punctuation": "z(number of marks, 0 to 10; .06938, .4083676)",
    **_PUNCTUATION_RATIO,
    **_DIGITS,
    "has_sentences": "more than one sentence",
    "position": "z(its middle, 0 to 1 of the page; .5198038, .2996195)",
    "position^2": "z(its square; .3599672, .3157282)",
    **_PATTERNS,
    **_CAPITALS,
}
"""The 24 features of the text of a block."""

Columns = dict[str, FloatArray]


def node_columns(nodes: TextCounts, length: float) -> Columns:
    """The columns of NODE but the last; `length` is that of the page in characters."""
    characters = nodes.counts["characters"]
    return {
        **_shared_columns(nodes),
        "body_percentage": (nodes.ends - nodes.starts) / length,
        "link_density": _z(nodes.counts["link_characters"] / characters, 0.5, 0.5),
        "characters": _z(np.clip(np.log(characters), 2.5, 10), 6, 2.14),
    }


def leaf_columns(leaves: TextCounts, length: float) -> Columns:
    """The columns of LEAF; `length` is that of the page in characters."""
    counts = leaves.counts
    words, marks = counts["words"], counts["punctuation"]
    log_words = np.clip(np.log(np.maximum(words, 1)), 0, 3.5)
    position = (leaves.starts + leaves.ends) / 2 / length
    return {
        **_shared_columns(leaves),
        "has_word": _z(yes_no(words > 0), 0.8255, 0.5643817),
        "words": np.where(words > 0, _z(log_words, 1.5086, 1.205), 0),
        "characters": _z(np.clip(np.log(counts["characters"]), 2.5, 5.5), 3.392, 1.06445),
        "has_punctuation": yes_no(marks > 0),
        "punctuation": _z(np.clip(marks, 0, 10), 0.06938, 0.4083676),
        "has_sentences": yes_no(counts["sentences"] > 1),
        "position": _z(position, 0.5198038, 0.2996195),
        "position^2": _z(position**2, 0.3599672, 0.3157282),
    }


def yes_no(mask: BoolArray) -> FloatArray:
    """1 where the mask holds, else -1."""
    return np.where(mask, 1.0, -1.0)


def _shared_columns(texts: TextCounts) -> Columns:
    counts = texts.counts
    characters, words, marks = counts["characters"], counts["words"], counts["punctuation"]
    worded, least_one = words > 0, np.maximum(words, 1)
    length = np.clip(counts["word_characters"] / least_one, 3, 15)
    log_marks = np.clip(np.log(np.maximum(marks, 1) / characters), -4, -2.5)
    capitals = counts["capitals"] / least_one
    to_sentence = np.clip(np.log(characters / np.maximum(counts["sentences"], 1)), 2, 5)
    stop_words = counts["stop_words"]
    return {
        "word_length": np.where(worded, _z(length, 4.910001, 1.905709), -1),
        "has_stop_word": yes_no(stop_words > 0),
        "stop_word_ratio": np.where(worded, _z(stop_words / least_one, 0.374, 0.1529), 0),
        "punctuation_ratio": np.where(marks > 0, _z(log_marks, -3.338525, 0.6058926), 0),
        "has_digit": _z(yes_no(counts["digits"] > 0), -0.5900983, 0.8073342),
        "digit_ratio": _z(counts["digits"] / characters, 0.2655969, 0.3052819),
        "sentence_length": _z(to_sentence, 3.109, 1.011),
        **{name: yes_no(mask) for name, mask in texts.has.items()},
        "capitals": np.where(worded, _z(capitals, 0.4475758, 0.4129316), 0),
        "capitals^2": np.where(worded, _z(capitals**2, 0.3708354, 0.4334037), 0),
        "capitals^3": np.where(worded, _z(capitals**3, 0.340843, 0.4404389), 0),
    }


def _z(values: FloatArray | IntArray, mean: float, deviation: float) -> FloatArray:
    scaled: FloatArray = (values.astype(np.float64) - mean) / deviation
    return scaled
