"""Read images and embeds; icons, buttons and tracking pixels are left out."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, islice

from lxml import etree

from scrapy_boilerplate.markup.urls import IMAGE_SCHEMES, clean_url, find_widest
from scrapy_boilerplate.page.columns import Elements
from scrapy_boilerplate.page.text import collapse
from scrapy_boilerplate.steps.class_names import names_no_picture

# Tags of embeds and of images.
EMBEDS = frozenset("iframe embed object video audio amp-iframe amp-video amp-audio".split())
IMAGES = frozenset(("img", "amp-img"))
PICTURE_TAGS = frozenset(("picture", "source"))
MEDIA_TAGS = EMBEDS | IMAGES | PICTURE_TAGS
# Attributes of lazy-loading scripts with the URL; `src` is a placeholder then.
LAZY_ATTRIBUTES = ("data-src", "data-original", "data-lazy-src")
LAZY_SRCSETS = ("data-srcset", "data-lazy-srcset")
# Maximum ancestors of an image that are read: its picture, link and figure.
MAX_ANCESTORS = 8
# Maximum elements before an image among which the sources of its picture are.
MAX_SIBLINGS = 16
# Minimum declared pixels of a side: smaller images are icons, buttons or tracking pixels.
MIN_SIDE = 50
# Maximum characters of an image's text or an embed's title.
MAX_ALT = 500

# Maximum characters of JSON in an attribute.
MAX_JSON = 10_000

# values of JSON under names such as "url", "src" and "imageUrl"
_find_json_urls = re.compile(
    r'"[\w-]{0,30}(?:url|src|href|image)"\s{0,9}:\s{0,9}"((?:[^"\\]|\\.)*)"', re.IGNORECASE
).findall
_pixels = re.compile(r"\s*(\d{1,6})(?:\.\d*)?(?:px)?\s*").fullmatch
_is_image_file = re.compile(r"\.(?:avif|gif|jpe?g|png|webp)(?:[?#]|$)", re.IGNORECASE).search


@dataclass(frozen=True)
class Medium:
    """An image, or a link to an embed: its URL, and its alternative text or title, or ""."""

    url: str
    text: str
    is_image: bool


class MediaReader:
    """Reads the images and embeds of a page, each in constant time but for its own attributes.

    Ancestors and siblings are found in the columns: lxml walks up the tree for each element that it
    makes. `nodes` has the elements of the tree with MEDIA_TAGS, and links; `base` is the base of
    relative URLs.
    """

    def __init__(
        self, elements: Elements, nodes: Mapping[int, etree._Element], base: str | None
    ) -> None:
        self._elements, self._nodes, self._base = elements, nodes, base
        # of each source of a picture, which may be around or before many images
        self._source_urls: dict[int, list[str]] = {}

    def read(self, element: int) -> Medium | None:
        """Return the image or embed of an element; None without a URL, for icons and buttons."""
        node = self._nodes.get(element)
        if node is None or any(map(_is_small, (node.get("width"), node.get("height")))):
            return None
        is_image = self._elements.tags[element] in IMAGES
        found = self._find_image_urls(element, node) if is_image else _find_embed_urls(node)
        allowed = (url for url in self._clean(found) if not (is_image and names_no_picture(url)))
        url = next(allowed, None)
        if url is None or (is_image and self._is_button(element)):
            return None
        words = node.get("alt" if is_image else "title") or ""
        return Medium(url, collapse(words)[:MAX_ALT], is_image=is_image)

    def _clean(self, found: Iterable[str | None]) -> Iterator[str]:
        urls = chain.from_iterable(map(_read_urls, found))
        return filter(None, (clean_url(url, self._base, IMAGE_SCHEMES) for url in urls))

    def _find_image_urls(self, image: int, node: etree._Element) -> Iterator[str | None]:
        """Yield the URLs of an image: lazy-loading attributes, `src`, its `picture`, other data."""
        yield from map(node.get, LAZY_ATTRIBUTES)
        yield from _find_srcset_urls(node, LAZY_SRCSETS)
        yield node.get("src")
        yield from _find_srcset_urls(node, ("srcset",))
        for source in self._find_sources(image):
            if source not in self._source_urls:
                urls = _find_srcset_urls(self._nodes[source], (*LAZY_SRCSETS, "srcset"))
                self._source_urls[source] = [*self._clean(urls)]
            yield from self._source_urls[source]
        others = (value for name, value in node.items() if name.startswith("data-"))
        yield from (value for value in others if _is_image_file(value) and " " not in value)

    def _find_sources(self, image: int) -> Iterator[int]:
        """Yield the sources of the picture of an image, from the nearest on."""
        tags, parents = self._elements.tags, self._elements.parents
        above, before = parents[image], image - 1
        for _ in range(MAX_SIBLINGS):
            if before <= above:
                break
            if parents[before] != above:
                before = parents[before]
                continue
            if tags[before] == "source":
                yield before
            before -= 1
        # libxml2 nests each source of a picture in the one before it, unless "/>" ends it
        for ancestor in islice(self._elements.ancestors(above), MAX_ANCESTORS):
            if tags[ancestor] not in PICTURE_TAGS:
                break
            yield ancestor

    def _is_button(self, image: int) -> bool:
        """Return whether an image is a link to a page and not in a `figure`."""
        tags = self._elements.tags
        ancestors = islice(self._elements.ancestors(self._elements.parents[image]), MAX_ANCESTORS)
        above = [ancestor for ancestor in ancestors if tags[ancestor] not in PICTURE_TAGS]
        href = self._nodes[above[0]].get("href") if above and tags[above[0]] == "a" else None
        if not href or _is_image_file(href):
            return False
        return "figure" not in (tags[ancestor] for ancestor in above)


def _read_urls(value: str | None) -> Iterator[str | None]:
    """Yield the URL in a value, or the URLs if it is JSON."""
    if value and value.lstrip()[:1] in ("{", "["):
        for written in _find_json_urls(value[:MAX_JSON]):
            with suppress(ValueError):
                yield str(json.loads(f'"{written}"'))
    else:
        yield value


def read_tag(element: etree._Element) -> str:
    """Return the local name of an element, in lower case."""
    return str(element.tag).rpartition("}")[2].lower()


def _is_small(written: str | None) -> bool:
    side = _pixels(written or "")
    return side is not None and int(side[1]) < MIN_SIDE


def _find_embed_urls(embed: etree._Element) -> Iterator[str | None]:
    yield from map(embed.get, (*LAZY_ATTRIBUTES, "src", "data"))
    yield from (child.get("src") for child in embed if read_tag(child) == "source")


def _find_srcset_urls(element: etree._Element, names: Iterable[str]) -> Iterator[str]:
    return filter(None, (find_widest(element.get(name)) for name in names if element.get(name)))
