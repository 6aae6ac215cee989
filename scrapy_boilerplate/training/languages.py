"""The languages of the corpora, ISO 639-1, where a record does not tell it as a code."""

from __future__ import annotations

LANGUAGES = {
    "article-extraction": "en",
    "cleaneval-dev": "en",
    "cleaneval-final": "en",
    "cleanportaleval": "en",
    "dragnet": "en",
    "l3s-gn1": "en",
    "wcxb": "en",
}
"""The language of corpora that hold only one (wcxb and CleanEval have a few pages of others)."""

LANGUAGE_NAMES = {"Chinese": "zh", "English": "en", "Greek": "el", "Polish": "pl", "Russian": "ru"}
"""How waddle spells languages."""

OF_COUNTRY = {
    **dict.fromkeys(("at", "ch", "de", "lu", "li"), "de"),
    **dict.fromkeys(("au", "ca", "ls", "uk", "us", "za"), "en"),
    "be": "nl",
    "cz": "cs",
    "dk": "da",
    "es": "es",
    "fr": "fr",
    "gl": "da",
    "is": "is",
    "it": "it",
    "jp": "ja",
    "kr": "ko",
    "no": "no",
    "tr": "tr",
}
"""The language of fundus's publishers by their country, as far as it is one."""
OF_PUBLISHER = {
    "EyethuNews": "zu",
    "HabariLeo": "sw",
    "IsraelNachrichten": "de",
    "Isolezwe": "zu",
    "Pravda": "ru",
    "ThePortugalNews": "en",
}
"""Those of fundus that write in another; read on their pages, since two declare English wrongly."""


def language_of(
    dataset: str, written: str | None, country: str | None, publisher: str | None
) -> str | None:
    """The language of a record, or None where nothing tells."""
    if written:
        return LANGUAGE_NAMES.get(written, written)
    of_fundus = OF_PUBLISHER.get(publisher or "") or OF_COUNTRY.get(country or "")
    return of_fundus if dataset == "fundus" else LANGUAGES.get(dataset)
