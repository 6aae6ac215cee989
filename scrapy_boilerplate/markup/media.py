"""Read images and embeds; icons, buttons, tracking pixels and twins are left out."""

import json
import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import chain, islice
from typing import NamedTuple
from urllib.parse import urlsplit

import numpy as np
from lxml import etree

from scrapy_boilerplate.markup.urls import IMAGE_SCHEMES, clean_url, find_base_url, find_widest
from scrapy_boilerplate.page.columns import ENTITY, NO_ELEMENT, Elements
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.reading import find_roots
from scrapy_boilerplate.page.text import collapse, is_blank
from scrapy_boilerplate.steps.class_names import names_no_picture

_YOUTUBE, _VIMEO = "https://www.youtube.com/embed/", "https://player.vimeo.com/video/"
_DAILYMOTION = "https://www.dailymotion.com/embed/video/"
# Tags of players that only have the id of a video: the attribute, and the URL before the id.
PLAYERS = {
    "amp-youtube": ("data-videoid", _YOUTUBE),
    "amp-vimeo": ("data-videoid", _VIMEO),
    "amp-dailymotion": ("data-videoid", _DAILYMOTION),
    "lite-youtube": ("videoid", _YOUTUBE),
    "lite-vimeo": ("videoid", _VIMEO),
}
# Tags of embeds and of images.
VIDEOS = frozenset(("video", "amp-video", *PLAYERS))
AUDIOS = frozenset(("audio", "amp-audio"))
EMBEDS = VIDEOS | AUDIOS | frozenset(("iframe", "embed", "object", "amp-iframe"))
IMAGES = frozenset(("img", "amp-img"))
PICTURE_TAGS = frozenset(("picture", "source"))
# Providers by the name of their domain; others are named by their host.
PROVIDERS = frozenset(
    "youtube vimeo dailymotion facebook twitch tiktok brightcove jwplayer kaltura rutube vk "
    "bilibili streamable wistia rumble ted".split()
)
OTHER_DOMAINS = {
    "youtu": "youtube",
    "youtube-nocookie": "youtube",
    "dai": "dailymotion",
    "jwplatform": "jwplayer",
    "vkvideo": "vk",
}
# Providers that embed more than videos.
MIXED_PROVIDERS = frozenset(("facebook", "vk"))
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

# Maximum characters of JSON in an attribute, and of the id of a video.
MAX_JSON, MAX_ID = 10_000, 64

# values of JSON under names such as "url", "src" and "imageUrl"
_find_json_urls = re.compile(
    r'"[\w-]{0,30}(?:url|src|href|image)"\s{0,9}:\s{0,9}"((?:[^"\\]|\\.)*)"', re.IGNORECASE
).findall
_pixels = re.compile(r"\s*(\d{1,6})(?:\.\d*)?(?:px)?\s*").fullmatch
_is_image_file = re.compile(r"\.(?:avif|gif|jpe?g|png|webp)(?:[?#]|$)", re.IGNORECASE).search


_names_video = re.compile(r"video|player|mediathek", re.IGNORECASE).search
_names_audio = re.compile(
    r"audio|podcast|soundcloud|spotify|simplecast|radio", re.IGNORECASE
).search
_is_id = re.compile(r"[\w-]+", re.ASCII).fullmatch


class Medium(NamedTuple):
    """An image, or a link to an embed: its URL, and its alternative text or title, or "".

    `provider` is "" for media that are no videos.
    """

    url: str
    text: str
    is_image: bool
    provider: str = ""


class MediaReader:
    """Reads the images and embeds `media` of a page, each in constant time but for its attributes.

    Ancestors and siblings are found in the columns: lxml walks up the tree for each element that it
    makes. `others` are further elements to find in the tree, for `nodes`, which is empty if the
    tree was changed.
    """

    def __init__(
        self, page: Page, root: etree._Element, media: Sequence[int], others: Collection[int] = ()
    ) -> None:
        elements = self._elements = page.elements
        self.base = find_base_url(root, page.url, elements.names.numbers)
        images = [element for element in media if elements.tags[element] in IMAGES]
        self._sources = {image: [*self._find_sources(image)] for image in images}
        self._links = {image: self._find_link(image) for image in images}
        self.nodes = find_nodes(elements, root, {*media, *others, *chain(*self._sources.values())})
        # of each source of a picture, which may be around or before many images
        self._source_urls: dict[int, list[str]] = {}
        self._media, self._leaves = media, page.leaves

    def read(self, element: int) -> Medium | None:
        """Return the image or embed of an element; None without a URL, for icons and buttons."""
        return self._read.get(element)

    @cached_property
    def _read(self) -> dict[int, Medium]:
        return dict(self.read_all())

    def read_all(self) -> Iterator[tuple[int, Medium]]:
        """Yield (element, medium): of a picture and its twin in a ``noscript`` beside it, one."""
        leaves, before = self._leaves, None
        for element in self._media:
            medium = self._read_medium(element)
            if medium is None or not medium.is_image:
                if medium is not None:
                    yield element, medium
                continue
            place = self._find_noscript(element)
            if before is None:
                before = element, place, medium
                continue
            element_before, place_before, medium_before = before
            parent = self._elements.parents[max(place, place_before)]
            is_twin = (place < 0) != (place_before < 0)
            is_beside = parent < element_before and element < self._elements.ends[parent]
            first, end = (bisect_left(leaves.opened, e + 1) for e in (element_before, element))
            if is_twin and is_beside and all(map(is_blank, leaves.texts[first:end])):
                yield (element, medium) if place_before < 0 else (element_before, medium_before)
                before = None
            else:
                yield element_before, medium_before
                before = element, place, medium
        if before is not None:
            yield before[0], before[2]

    def _find_noscript(self, image: int) -> int:
        ancestors = islice(self._elements.ancestors(image), MAX_ANCESTORS)
        return next((e for e in ancestors if self._elements.tags[e] == "noscript"), NO_ELEMENT)

    def _read_medium(self, element: int) -> Medium | None:
        node, tag = self.nodes.get(element), self._elements.tags[element]
        if node is None or any(map(_is_small, (node.get("width"), node.get("height")))):
            return None
        is_image = tag in IMAGES
        written = self._find_image_urls(element, node) if is_image else _find_embed_urls(node, tag)
        urls = self._clean(written)
        if is_image:
            urls = (url for url in urls if not names_no_picture(url.lower()))
        url = next(urls, None)
        if url is None or (is_image and self._is_button(element)):
            return None
        text = collapse(node.get("alt" if is_image else "title") or "")[:MAX_ALT]
        return Medium(url, text, is_image, "" if is_image else find_provider(url, tag))

    def _clean(self, written: Iterable[str | None]) -> Iterator[str]:
        urls = chain.from_iterable(map(_read_urls, written))
        return filter(None, (clean_url(url, self.base, IMAGE_SCHEMES) for url in urls))

    def _find_image_urls(self, image: int, node: etree._Element) -> Iterator[str | None]:
        yield from map(node.get, LAZY_ATTRIBUTES)
        yield from _find_srcset_urls(node, LAZY_SRCSETS)
        yield node.get("src")
        yield from _find_srcset_urls(node, ("srcset",))
        for source in self._sources[image]:
            if source not in self._source_urls:
                urls = _find_srcset_urls(self.nodes[source], (*LAZY_SRCSETS, "srcset"))
                self._source_urls[source] = [*self._clean(urls)]
            yield from self._source_urls[source]
        others = (value for name, value in node.items() if name.startswith("data-"))
        yield from (value for value in others if _is_image_file(value) and " " not in value)

    def _find_sources(self, image: int) -> Iterator[int]:
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

    def _find_link(self, image: int) -> int | None:
        """Find the link that is directly around an image, unless a `figure` is around it."""
        tags = self._elements.tags
        ancestors = islice(self._elements.ancestors(self._elements.parents[image]), MAX_ANCESTORS)
        above = [ancestor for ancestor in ancestors if tags[ancestor] not in PICTURE_TAGS]
        is_linked = above and tags[above[0]] == "a"
        if not is_linked or "figure" in (tags[ancestor] for ancestor in above):
            return None
        return above[0]

    def _is_button(self, image: int) -> bool:
        link = self._links[image]
        href = "" if link is None else self._elements.urls.get(link, "")
        return bool(href) and not _is_image_file(href)


def find_nodes(
    elements: Elements, root: etree._Element, wanted: Collection[int]
) -> dict[int, etree._Element]:
    """Return index to element of the tree for the elements `wanted`; empty if the tree was changed.

    The tree is only read; subtrees without a wanted element are skipped.
    """
    nodes: dict[int, etree._Element] = {}
    if not wanted:
        return nodes
    is_wanted = np.zeros(len(elements), dtype=np.int64)
    is_wanted[list(wanted)] = 1
    inside = (elements.sum_subtrees(is_wanted) - is_wanted).tolist()
    tags, ends, index = elements.tags, elements.ends, 0
    for tree in find_roots(root):
        walker = etree.iterwalk(tree, events=("start",))
        for _, node in walker:
            tag = tags[index] if index < len(tags) else ""
            if tag != node.tag and tag not in (read_tag(node), ENTITY):
                return {}
            if index in wanted:
                nodes[index] = node
            if inside[index]:
                index += 1
            else:
                walker.skip_subtree()
                index = ends[index]
    return nodes if index == len(tags) else {}


def find_provider(url: str, tag: str) -> str:
    """Return who provides the video of an embed: a name, or the host; "" if it is no video."""
    host = (urlsplit(url).hostname or "").removeprefix("www.")
    domain = "".join(host.split(".")[-2:-1])
    name = OTHER_DOMAINS.get(domain, domain if domain in PROVIDERS else "")
    if tag in VIDEOS or (name and name not in MIXED_PROVIDERS):
        return name or host
    is_named = tag not in AUDIOS and _names_video(url) and not _names_audio(url)
    return (name or host) if is_named else ""


def _read_urls(value: str | None) -> Iterator[str | None]:
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


def _find_embed_urls(embed: etree._Element, tag: str) -> Iterator[str | None]:
    if tag in PLAYERS:
        attribute, start = PLAYERS[tag]
        name = embed.get(attribute) or ""
        yield f"{start}{name}" if _is_id(name[:MAX_ID]) else None
        return
    yield from map(embed.get, (*LAZY_ATTRIBUTES, "src", "data"))
    yield from (child.get("src") for child in embed if read_tag(child) == "source")
    # of scripts that ask for consent
    named = (value for name, value in embed.items() if name.startswith("data-"))
    urls = (value for value in named if value.startswith(("https://", "http://", "//")))
    yield from (url for url in urls if not _is_image_file(url))


def _find_srcset_urls(element: etree._Element, names: Iterable[str]) -> Iterator[str]:
    return filter(None, (find_widest(element.get(name)) for name in names if element.get(name)))
