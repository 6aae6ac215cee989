"""The language a page declares."""

from __future__ import annotations

import re

from lxml import etree

_language_tag = re.compile(r"\s*([A-Za-z]{2,3})(?:[-_].*)?\s*", re.DOTALL).fullmatch

_META = (
    # (attribute, value): in this order after <html lang>
    ("http-equiv", "content-language"),
    ("property", "og:locale"),
    ("name", "language"),
)


def declared_language(root: etree._Element) -> str | None:
    """ISO 639-1 code (two or three lower-case letters) the page declares, or None.

    Sources in order: ``lang`` and ``xml:lang`` of the root, then the `_META` elements.
    """
    xml_lang = "{http://www.w3.org/XML/1998/namespace}lang"
    declared = [root.get("lang"), root.get("xml:lang"), root.get(xml_lang)]
    head = root.find("{*}head")
    for meta in () if head is None else head.iter("meta", "{*}meta"):
        keys = {(name, (meta.get(name) or "").lower()) for name, _ in _META}
        declared += [meta.get("content") for key in _META if key in keys]
    return next(filter(None, map(language_code, declared)), None)


def language_code(tag: str | None) -> str | None:
    """``de`` of ``de-AT`` or ``de_AT``; None for what is no language tag."""
    match = _language_tag(tag or "")
    return match[1].lower() if match else None
