"""Images and embeds: where they really are, and what is no part of an article."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice, takewhile

from lxml import etree

from scrapy_boilerplate.markup.nodes import IMAGES
from scrapy_boilerplate.markup.urls import IMAGE_SCHEMES, safe_url, widest_of
from scrapy_boilerplate.page.text import collapse

LAZY = ("data-src", "data-original", "data-lazy-src")
"""Attributes in which lazy-loading scripts keep the address; `src` is a placeholder then."""
LAZY_SETS = ("data-srcset", "data-lazy-srcset")
PICTURE = frozenset(("picture", "source"))
FEW = 8
"""Elements above an image that are looked at: its picture, link and figure (our choice)."""
MIN_SIDE = 50
"""Pixels (as declared) from which a picture is no icon, button or counting pixel (our choice)."""
MAX_ALT = 500
"""Characters of an image's text, or of an embed's title, at most (our choice)."""

_pixels = re.compile(r"\s*(\d{1,6})(?:\.\d*)?(?:px)?\s*").fullmatch
_is_image = re.compile(r"\.(?:avif|gif|jpe?g|png|webp)(?:[?#]|$)", re.IGNORECASE).search


@dataclass(frozen=True)
class Medium:
    """An image, or a link to what the page embeds: its address, and its words ("" for none)."""

    url: str
    text: str
    is_image: bool


def medium_of(element: etree._Element, base: str | None) -> Medium | None:
    """The image or embed of an element; None if it has no address, or is only decoration."""
    if _is_tiny(element):
        return None
    if _tag(element) in IMAGES:
        url = _image_url(element, base)
        if url is None or _is_elsewhere(element):
            return None
        return Medium(url, _words(element.get("alt")), is_image=True)
    url = _embed_url(element, base)
    return None if url is None else Medium(url, _words(element.get("title")), is_image=False)


def _tag(element: etree._Element) -> str:
    return str(element.tag).rpartition("}")[2].lower()


def _words(written: str | None) -> str:
    return collapse(written or "")[:MAX_ALT]


def _is_tiny(element: etree._Element) -> bool:
    sides = (_pixels(element.get(name) or "") for name in ("width", "height"))
    return any(side is not None and int(side[1]) < MIN_SIDE for side in sides)


def _is_elsewhere(image: etree._Element) -> bool:
    """Whether the image is there to be clicked: its link leads to no larger image."""
    above = [one for one in islice(image.iterancestors(), FEW) if _tag(one) not in PICTURE]
    link = above[0] if above and _tag(above[0]) == "a" else None
    href = None if link is None else link.get("href")
    if not href or _is_image(href):
        return False
    return all(_tag(one) != "figure" for one in above)


def _image_url(image: etree._Element, base: str | None) -> str | None:
    written = [image.get(name) for name in LAZY]
    written += [widest_of(image.get(name)) for name in LAZY_SETS]
    written += [image.get("src"), widest_of(image.get("srcset")), *_picture_sources(image)]
    return _first(written, base)


def _picture_sources(image: etree._Element) -> list[str | None]:
    """What the sources of a `picture` offer; libxml2 nests each in the one before it."""
    around = takewhile(lambda one: _tag(one) in PICTURE, islice(image.iterancestors(), FEW))
    return [widest_of(one.get(name)) for one in around for name in (*LAZY_SETS, "srcset")]


def _embed_url(embed: etree._Element, base: str | None) -> str | None:
    sources = [one for one in embed if _tag(one) == "source"]
    own = [embed.get(name) for name in (*LAZY, "src", "data")]
    return _first([*own, *(one.get("src") for one in sources)], base)


def _first(written: list[str | None], base: str | None) -> str | None:
    found = (safe_url(one, base, IMAGE_SCHEMES) for one in written)
    return next((url for url in found if url is not None), None)
