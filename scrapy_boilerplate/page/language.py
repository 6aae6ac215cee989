"""The language a page declares."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.util import find_spec

from lxml import etree

_language_tag = re.compile(r"\s*([A-Za-z]{2,3})(?:[-_].*)?\s*", re.DOTALL).fullmatch

_META = (
    # (attribute, value): in this order after <html lang>
    ("http-equiv", "content-language"),
    ("property", "og:locale"),
    ("name", "language"),
)

_TWO_LETTERS = {
    # withdrawn codes of ISO 639-1
    "iw": "he",
    "in": "id",
    "ji": "yi",
    # ISO 639-2 codes that news sites declare; their ISO 639-1 equals
    **dict(
        pair.split(":")
        for pair in (
            "eng:en deu:de ger:de fra:fr fre:fr spa:es ita:it por:pt nld:nl dut:nl rus:ru pol:pl "
            "ell:el gre:el zho:zh chi:zh jpn:ja kor:ko ara:ar tur:tr swe:sv dan:da nor:no fin:fi "
            "ces:cs cze:cs hun:hu ron:ro rum:ro ukr:uk hin:hi heb:he tha:th vie:vi ind:id"
        ).split()
    ),
}


def declared_language(root: etree._Element) -> str | None:
    """ISO 639-1 code (two lower-case letters) the page declares, or None.

    Sources in order: ``lang`` and ``xml:lang`` of the root, then the `_META` elements.
    """
    xml_lang = "{http://www.w3.org/XML/1998/namespace}lang"
    declared = [root.get("lang"), root.get("xml:lang"), root.get(xml_lang)]
    head = root.find("{*}head")
    metas = [] if head is None else list(head.iter("meta", "{*}meta"))
    for name, value in _META:
        declared += [meta.get("content") for meta in metas if value == _lower(meta.get(name))]
    return next(filter(None, map(language_code, declared)), None)


def declared_region(root: etree._Element) -> str:
    """ISO 3166 code in capitals of the ``lang`` of the root, ``GB`` of ``en-GB``; "" without."""
    return region_code(root.get("lang") or root.get("xml:lang") or "")


def region_code(tag: str) -> str:
    """``GB`` of ``en-GB`` or ``en_GB``; "" for what names no region."""
    code = tag.strip().replace("_", "-").rpartition("-")[2]
    return code.upper() if "-" in tag.replace("_", "-") and len(code) == 2 else ""


def language_code(tag: str | None) -> str | None:
    """``de`` of ``de-AT``, ``de_AT`` or ``deu``; None for what names no language of ISO 639-1."""
    match = _language_tag(tag or "")
    code = match[1].lower() if match else ""
    return _TWO_LETTERS.get(code, code if len(code) == 2 else None)


def _lower(value: str | None) -> str:
    return (value or "").lower()


DETECTOR = "py3langid"
"""Tells the language of texts; the extra [language]."""
ENOUGH_TO_DETECT = 2_000
"""Characters of a page's text that are looked at (our choice: more changes nothing on news)."""


def detected_language(text: str) -> str | None:
    """The ISO 639-1 code of the language of `text`; None for a blank text or without the package
    of the extra [language]."""
    classify = _detector()
    if classify is None or not text.strip():
        return None
    language, _score = classify(text[:ENOUGH_TO_DETECT])
    return language_code(str(language))


@cache
def _detector() -> Callable[[str], tuple[str, float]] | None:
    if find_spec(DETECTOR) is None:
        return None
    classify: Callable[[str], tuple[str, float]] = import_module(DETECTOR).classify
    return classify
