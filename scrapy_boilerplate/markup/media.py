"""Read images and embeds; icons, buttons and tracking pixels are left out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice

from lxml import etree

from scrapy_boilerplate.markup.urls import IMAGE_SCHEMES, clean_url, find_widest
from scrapy_boilerplate.page.text import collapse
from scrapy_boilerplate.steps.class_names import names_no_picture

# Tags of embeds and of images.
EMBEDS = frozenset("iframe embed object video audio amp-iframe amp-video amp-audio".split())
IMAGES = frozenset(("img", "amp-img"))
PICTURE_TAGS = frozenset(("picture", "source"))
# Attributes of lazy-loading scripts with the URL; `src` is a placeholder then.
LAZY_ATTRIBUTES = ("data-src", "data-original", "data-lazy-src")
LAZY_SRCSETS = ("data-srcset", "data-lazy-srcset")
# Maximum ancestors of an image that are read: its picture, link and figure.
MAX_ANCESTORS = 8
# Minimum declared pixels of a side: smaller images are icons, buttons or tracking pixels.
MIN_SIDE = 50
# Maximum characters of an image's text or an embed's title.
MAX_ALT = 500

_pixels = re.compile(r"\s*(\d{1,6})(?:\.\d*)?(?:px)?\s*").fullmatch
_is_image_file = re.compile(r"\.(?:avif|gif|jpe?g|png|webp)(?:[?#]|$)", re.IGNORECASE).search


@dataclass(frozen=True)
class Medium:
    """An image, or a link to an embed: its URL, and its alternative text or title, or ""."""

    url: str
    text: str
    is_image: bool


def read_medium(element: etree._Element, base: str | None) -> Medium | None:
    """Return the image or embed of an element; None without a URL, and for icons and buttons."""
    for name in ("width", "height"):
        side = _pixels(element.get(name) or "")
        if side is not None and int(side[1]) < MIN_SIDE:
            return None
    is_image = read_tag(element) in IMAGES
    if is_image:
        addresses = _read_image_addresses(element)
    else:
        addresses = [element.get(name) for name in (*LAZY_ATTRIBUTES, "src", "data")]
        addresses += [child.get("src") for child in element if read_tag(child) == "source"]
    urls = (clean_url(address, base, IMAGE_SCHEMES) for address in addresses)
    allowed = (url for url in urls if url and not (is_image and names_no_picture(url)))
    url = next(allowed, None)
    if url is None or (is_image and _is_button(element)):
        return None
    words = element.get("alt" if is_image else "title") or ""
    return Medium(url, collapse(words)[:MAX_ALT], is_image=is_image)


def read_tag(element: etree._Element) -> str:
    """Return the local name of an element, in lower case."""
    return str(element.tag).rpartition("}")[2].lower()


def _is_button(image: etree._Element) -> bool:
    """Return whether an image is a link to a page and not in a `figure`."""
    above = [
        ancestor
        for ancestor in islice(image.iterancestors(), MAX_ANCESTORS)
        if read_tag(ancestor) not in PICTURE_TAGS
    ]
    href = above[0].get("href") if above and read_tag(above[0]) == "a" else None
    if not href or _is_image_file(href):
        return False
    return "figure" not in map(read_tag, above)


def _read_image_addresses(image: etree._Element) -> list[str | None]:
    """Return the URLs of an image: lazy-loading attributes, `src`, its `picture`, other data."""
    addresses = [image.get(name) for name in LAZY_ATTRIBUTES]
    addresses += [find_widest(image.get(name)) for name in LAZY_SRCSETS]
    addresses += [image.get("src"), find_widest(image.get("srcset"))]
    # libxml2 nests each source of a picture in the one before it, unless "/>" ends it
    sources = [*islice(image.itersiblings("source", preceding=True), MAX_ANCESTORS)]
    for ancestor in islice(image.iterancestors(), MAX_ANCESTORS):
        if read_tag(ancestor) not in PICTURE_TAGS:
            break
        sources.append(ancestor)
    addresses += [
        find_widest(source.get(name)) for source in sources for name in (*LAZY_SRCSETS, "srcset")
    ]
    others = (value for name, value in image.items() if name.startswith("data-"))
    return addresses + [value for value in others if _is_image_file(value) and " " not in value]
