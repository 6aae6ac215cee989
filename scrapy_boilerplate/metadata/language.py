"""The language of the text: what the page declares, checked against its script and its words.

py3langid (extra [language]) identifies languages; without it only the script is looked at. Alone
and on all pages, py3langid and lingua (low accuracy mode) were right equally often: .997 of the
pages of waddle, all of fundus's but one without text. py3langid is a twentieth of lingua's size.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from importlib import import_module

import numpy as np

from scrapy_boilerplate.metadata.sources import MetadataSources
from scrapy_boilerplate.page.declared import parse_language
from scrapy_boilerplate.page.labels import Label

# Characters of text that are looked at; 1,000 decide no better on waddle and fundus, and take .4 ms
# more.
SAMPLE = 200
# Characters that the detector gets: as right as with all of the sample, in less time.
DETECTED = 120
# Characters that `detect_language` looks at (our choice: more changes nothing on news).
MOST_DETECTED = 2_000
# Frequent words: two of them are enough to believe a declared language without a detector (our
# choice of languages; the words are the usual function words).
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
ENOUGH = 2
# Letters a text needs to speak against what the page declares.
MIN_LETTERS = 40
# Different words that a text in Latin letters needs for the detector to be asked.
MIN_WORDS = 10
# Share of the letters from which a script is that of the text; Latin names stand in any text.
MIN_SHARE = 0.4
# Scripts of Unicode with the language of most pages in them (our choice of main languages).
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
# Share of kana from which Han characters are Japanese.
KANA_SHARE = 0.05
# Codes that detectors mix up, or that pages use for one another.
SAME = {"nb": "no", "nn": "no", "yue": "zh", "wuu": "zh", "hr": "sh", "bs": "sh", "sr": "sh"}
# Languages that are written as another.
SAME_AS_WRITTEN = {"yue": "zh", "wuu": "zh"}

_word_sets = {code: frozenset(words.split()) for code, words in COMMON_WORDS.items()}
_find_characters = {
    code: re.compile(f"[{characters}]").findall for code, (characters, _) in SCRIPTS.items()
}
_letters = re.compile(r"[^\W\d_]").findall


def find_text_language(sources: MetadataSources) -> tuple[str, str] | None:
    """Return (ISO 639-1 code, source): ``declared``, ``json-ld`` or ``text``.

    The declared language holds if the text has two of its common words, or too few letters. Else
    the script decides, and the detector where a script has several languages.
    """
    declared, source = sources.page.language, "declared"
    if declared is None:
        declared = parse_language(sources.text(sources.article, "inLanguage"))
        source = "json-ld"
    believed = (declared, source) if declared else None
    sample = _sample_text(sources)
    words = _word_sets.get(declared or "", frozenset())
    if len(words.intersection(sample.lower().split())) >= ENOUGH:
        return believed
    if len(_letters(sample)) < MIN_LETTERS:
        return believed
    language = _find_script_language(sample, declared)
    detect = load_detector() if language or len(set(sample.split())) >= MIN_WORDS else None
    if detect is not None and (language not in SCRIPTS or SCRIPTS[language][1]):
        code = detect(sample[:DETECTED])
        language = parse_language(SAME_AS_WRITTEN.get(code, code)) or language
    if language is None or SAME.get(language, language) == SAME.get(declared or "", declared):
        return believed
    return language, "text"


def _sample_text(sources: MetadataSources) -> str:
    """Return the start of the text; of a page whose text has few letters, of all its blocks."""
    texts = sources.page.texts
    content: list[int] = np.flatnonzero(sources.labeling.labels == Label.FULL_TEXT).tolist()
    for blocks in (content, range(len(texts))):
        sample = ""
        for block in blocks:
            sample = f"{sample} {texts[block][:SAMPLE]}"
            if len(sample) >= SAMPLE:
                break
        if len(_letters(sample[:SAMPLE])) >= MIN_LETTERS:
            return sample[:SAMPLE]
    return ""


def _find_script_language(sample: str, declared: str | None) -> str | None:
    """Return a language of the script of the text, the declared one if it is; None for Latin."""
    if sample.isascii():
        return None
    letters = len(_letters(sample))
    for code, (_, others) in SCRIPTS.items():
        least = KANA_SHARE if code == "ja" else MIN_SHARE
        if len(_find_characters[code](sample)) >= least * letters:
            return declared if declared and declared in others.split() else code
    return None


def detect_language(text: str) -> str | None:
    """Return the ISO 639-1 code of the language of `text`, by py3langid.

    None for a blank text, or without the package of the extra [language].
    """
    detect = load_detector()
    if detect is None or not text.strip():
        return None
    return parse_language(detect(text[:MOST_DETECTED]))


@cache
def load_detector() -> Callable[[str], str] | None:
    """Return what gives the ISO 639 code of a text, by py3langid; None where that is missing."""
    try:
        classify = import_module("py3langid").classify
    except ImportError:
        return None
    return lambda text: str(classify(text)[0])
