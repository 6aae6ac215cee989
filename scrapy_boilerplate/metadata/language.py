"""The language of the text: what the page declares, checked against what it says.

py3langid (extra [language]) tells languages apart; without it only the script is looked at. Alone
and on all pages, py3langid and lingua (low accuracy mode) were right equally often: .997 of the
pages of waddle, all of fundus's but one without text. py3langid is a twentieth of lingua's size.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from importlib import import_module

import numpy as np

from scrapy_boilerplate.metadata.facts import Facts
from scrapy_boilerplate.page.labels import Label
from scrapy_boilerplate.page.language import language_code

SAMPLE = 200
"""Characters of text that are looked at; 1,000 tell no more on waddle and fundus, and take .4 ms
more."""
DETECTED = 120
"""Characters that the detector gets: as right as with all of the sample, in less time."""
COMMON_WORDS = {
    "en": "the of and to in is that was for with",
    "de": "der die und das ist den von mit ein nicht",
    "fr": "le la les des et est une dans que pour",
    "es": "el los las que del una con para por como",
    "it": "il di che della per una con sono del gli",
    "pt": "os que uma com não para do da em mais",
    "nl": "de het een van en dat niet zijn met voor",
    "sv": "och att det som en för är inte på av",
    "pl": "nie się na że jest do jak przez oraz od",
    "tr": "ve bir bu için da ile olarak daha çok olan",
}
"""Frequent words: two of them are enough to believe a declared language without a detector (our
choice of languages; the words are the usual function words)."""
ENOUGH = 2
MIN_LETTERS = 40
"""Letters a text needs to speak against what the page declares."""
MIN_WORDS = 10
"""Different words that a text in Latin letters needs for the detector to be asked."""
MIN_SHARE = 0.4
"""Share of the letters from which a script is that of the text; Latin names stand in any text."""

SCRIPTS = {
    # language that is meant without any other sign: (characters, other languages of the script)
    "ja": ("\u3040-\u30ff", ""),
    "ko": ("\uac00-\ud7af\u1100-\u11ff", ""),
    "zh": ("\u4e00-\u9fff\u3400-\u4dbf", "ja ko"),
    "el": ("\u0370-\u03ff\u1f00-\u1fff", ""),
    "ru": ("\u0400-\u04ff", "uk bg sr mk be kk ky mn tg tt ba cv os ab ce sah uz az"),
    "ar": ("\u0600-\u06ff\u0750-\u077f", "fa ur ps ckb ku sd ug pa ks"),
    "he": ("\u0590-\u05ff", "yi"),
    "th": ("\u0e00-\u0e7f", ""),
    "hi": ("\u0900-\u097f", "mr ne sa kok bh"),
    "bn": ("\u0980-\u09ff", "as"),
    "ta": ("\u0b80-\u0bff", ""),
    "te": ("\u0c00-\u0c7f", ""),
    "ka": ("\u10a0-\u10ff", ""),
    "hy": ("\u0530-\u058f", ""),
    "am": ("\u1200-\u137f", "ti"),
}
"""Scripts of Unicode with the language of most pages in them (our choice of main languages)."""
KANA_SHARE = 0.05
"""Share of kana from which Han characters are Japanese."""

SAME = {"nb": "no", "nn": "no", "yue": "zh", "wuu": "zh", "hr": "sh", "bs": "sh", "sr": "sh"}
"""Codes that detectors mix up, or that pages use for one another."""

_counts = {code: re.compile(f"[{characters}]").findall for code, (characters, _) in SCRIPTS.items()}
_letters = re.compile(r"[^\W\d_]").findall


def language(facts: Facts) -> tuple[str, str] | None:
    """(ISO 639-1 code, source)."""
    declared = facts.page.language
    source = "declared"
    if declared is None:
        declared = language_code(facts.text(facts.article, "inLanguage"))
        source = "json-ld"
    sample = _sample(facts)
    if declared and _confirmed(sample, declared):
        return declared, source
    if len(_letters(sample)) < MIN_LETTERS:
        return (declared, source) if declared else None
    found = _by_script(sample, declared)
    detect = detector() if len(set(sample.split())) >= MIN_WORDS or found else None
    if detect is not None and (found is None or found not in SCRIPTS or SCRIPTS[found][1]):
        code = detect(sample[:DETECTED])
        found = language_code(SAME_AS_WRITTEN.get(code, code)) or found
    if found is None or _same(found, declared):
        return (declared, source) if declared else None
    return found, "text"


SAME_AS_WRITTEN = {"yue": "zh", "wuu": "zh"}


@cache
def detector() -> Callable[[str], str] | None:
    """Text to ISO 639 code, by py3langid; None where it is not installed."""
    try:
        classify = import_module("py3langid").classify
    except ImportError:
        return None
    return lambda text: str(classify(text)[0])


def _sample(facts: Facts) -> str:
    """The start of the text; of a page whose text starts with few letters, of all its blocks."""
    texts = facts.page.texts
    content: list[int] = np.flatnonzero(facts.labeling.labels == Label.FULL_TEXT).tolist()
    for blocks in (content, range(len(texts))):
        sample = ""
        for block in blocks:
            sample = f"{sample} {texts[block][:SAMPLE]}"
            if len(sample) >= SAMPLE:
                break
        if len(_letters(sample[:SAMPLE])) >= MIN_LETTERS:
            return sample[:SAMPLE]
    return ""


def _by_script(sample: str, declared: str | None) -> str | None:
    """A language of the script of the text, the declared one if it is; None for Latin."""
    if sample.isascii():
        return None
    letters = len(_letters(sample))
    for code, (_, others) in SCRIPTS.items():
        least = KANA_SHARE if code == "ja" else MIN_SHARE
        if len(_counts[code](sample)) >= least * letters:
            return declared if declared and declared in others.split() else code
    return None


def _confirmed(sample: str, language: str) -> bool:
    words = _words.get(language)
    return words is not None and len(words.intersection(sample.lower().split())) >= ENOUGH


_words = {code: frozenset(words.split()) for code, words in COMMON_WORDS.items()}


def _same(one: str, other: str | None) -> bool:
    return SAME.get(one, one) == SAME.get(other or "", other)
