"""What the sources of a page say, ready to be asked by name."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import cached_property
from html import unescape
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from lxml import etree

from scrapy_boilerplate.metadata.dates import DAY_FIRST
from scrapy_boilerplate.metadata.json_ld import Node, nodes_of, types_of
from scrapy_boilerplate.page.labels import Label, Labeling
from scrapy_boilerplate.page.language import region_code
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.text import collapse

ARTICLE_ENDINGS = ("Article", "Posting", "Report", "Review", "Recipe", "HowTo", "CreativeWork")
PAGE_ENDINGS = ("WebPage", "ItemPage", "FAQPage", "AboutPage", "CollectionPage", "ProfilePage")
VAGUE_TYPES = frozenset({"CreativeWork", "Product"})
"""Types of an article that lose against any other."""
NEVER_AN_ARTICLE = frozenset({"SocialMediaPosting", "UserReview", "JobPosting"})


_others = re.compile(r"[\W_]+")

MOST_VALUES, MOST_NAMES = 200, 20
"""Contents of one `meta`, and names of the site, that are kept."""
SITE_TYPES = frozenset({"WebSite", "NewsMediaOrganization"})
DAY_FIRST_REGIONS = frozenset(
    "GB UK IE AU NZ IN ZA NG KE GH UG TZ ZW ZM BW NA PK BD LK SG MY HK MT CY JM TT BB FJ".split()
)
"""Countries with pages in English that write 5/6 for the fifth of June (Unicode CLDR); UK is a
domain."""
SITE_METAS = ("application-name", "apple-mobile-web-app-title", "twitter:site")


class Facts:
    """One page's declared facts and labelled blocks; everything computed once, on demand."""

    def __init__(self, page: Page, labeling: Labeling, tree: etree._Element | None = None) -> None:
        self.page = page
        self.labeling = labeling
        self.tree = tree
        self.dated_lines: list[tuple[str, bool]] | None = None

    @cached_property
    def metas(self) -> dict[str, list[str]]:
        """Name of a `meta` to its contents, white space collapsed, entities resolved."""
        found: dict[str, list[str]] = {}
        for name, content in self.page.declared.metas:
            values = found.setdefault(name, [])
            if len(values) < MOST_VALUES:
                values.append(plain(content))
        return found

    def meta(self, *names: str) -> str | None:
        """The first content of the first of `names` that has one."""
        for name in names:
            for content in self.metas.get(name, ()):
                if content:
                    return content
        return None

    def items(self, *names: str) -> Iterator[tuple[str, str]]:
        """(value, type of the scope) of the microdata properties `names`, in document order."""
        for name, value, scope in self.page.declared.items:
            if name in names:
                yield value, scope

    def blocks_in(self, element: int) -> list[int]:
        """The blocks that stand in an element, in order."""
        elements = self.page.blocks.elements
        inside = (elements >= element) & (elements < self.page.elements.ends[element])
        found: list[int] = np.flatnonzero(inside).tolist()
        return found

    def leaves_in(self, element: int) -> Iterator[int]:
        """The leaves that stand in an element, in order."""
        leaves, end = self.page.leaves, self.page.elements.ends[element]
        for leaf in range(bisect_left(leaves.opened, element + 1), len(leaves)):
            if not element <= leaves.elements[leaf] < end:
                break
            yield leaf

    def text_in(self, element: int) -> str:
        """The visible text of an element, white space collapsed."""
        return self.text_of(self.leaves_in(element))

    def text_of(self, found: Iterable[int]) -> str:
        """The text of some leaves together, white space collapsed."""
        texts, breaks = self.page.leaves.texts, self.page.leaves.breaks
        return collapse("".join((" " if breaks[leaf] else "") + texts[leaf] for leaf in found))

    @cached_property
    def headline_at(self) -> int:
        """The headline block, or the first block in an h1, or the first of the page."""
        found = np.flatnonzero(self.labeling.labels == Label.HEADLINE)
        if not len(found):
            found = np.flatnonzero(self.page.in_tags(frozenset({"h1"})))
        return int(found[0]) if len(found) else 0

    @property
    def language(self) -> str | None:
        """ISO 639-1, as far as the page declares it."""
        return self.page.language

    @cached_property
    def date_language(self) -> str | None:
        """`language`; `dates.DAY_FIRST` where an English page's country, by its address or by what
        it declares, writes the day before the month."""
        if self.language not in (None, "en"):
            return self.language
        domain = host_names(self.page.url or self.canonical_link)[0].rpartition(".")[2]
        declared = self.page.declared.region or region_code(self.meta("og:locale") or "")
        region = domain.upper() if len(domain) == 2 else declared
        return DAY_FIRST if region in DAY_FIRST_REGIONS else self.language

    @cached_property
    def canonical_link(self) -> str | None:
        """The address of the canonical link, as written."""
        links = self.page.declared.links
        return next((href for rel, href in links if rel == "canonical"), None)

    @cached_property
    def nodes(self) -> list[Node]:
        """Every JSON-LD object of the page."""
        return nodes_of(self.page.declared.json_ld)

    @cached_property
    def _types(self) -> list[tuple[Node, tuple[str, ...]]]:
        return [(node, types_of(node)) for node in self.nodes if "@type" in node]

    @cached_property
    def article(self) -> Node:
        """The JSON-LD object that is the article of the page; an empty one without any."""
        found = [node for node, types in self._types if _is(types, ARTICLE_ENDINGS)]
        if not found:
            found = [node for node in self.nodes if "headline" in node and "@type" not in node]
        if len(found) > 1:
            return max(found, key=self._fitness)
        return found[0] if found else {}

    @cached_property
    def web_page(self) -> Node:
        """The JSON-LD object that is the page itself; an empty one without any."""
        return next((node for node, types in self._types if _is(types, PAGE_ENDINGS)), {})

    @cached_property
    def site_names(self) -> tuple[str, ...]:
        """The names by which the page calls its site, the best first; not those of its host."""
        found = list(self.metas.get("og:site_name", ()))
        found += [self.text(node, "publisher") or "" for node in (self.article, self.web_page)]
        sites = [node for node, types in self._types if not SITE_TYPES.isdisjoint(types)]
        found += [self.text(node, "name") or "" for node in sites]
        for name in SITE_METAS:
            found += self.metas.get(name, ())
        return tuple(name for name in dict.fromkeys(found) if letters(name))[:MOST_NAMES]

    @cached_property
    def own_names(self) -> frozenset[str]:
        """The names of the site and of its host, as `letters`."""
        names = frozenset(
            map(letters, (*self.site_names, *self.page.site_names, *host_names(self.page.url)))
        )
        return names - {""}

    @cached_property
    def by_id(self) -> dict[str, Node]:
        """JSON-LD objects by their `@id`, those that say more than their `@id`."""
        return {
            node["@id"]: node
            for node in reversed(self.nodes)
            if len(node) > 1 and isinstance(node.get("@id"), str)
        }

    def values(self, node: Node, name: str) -> list[Any]:
        """The values of a property as a list, references to other objects followed."""
        value = node.get(name)
        listed = value if isinstance(value, list) else [value]
        return [self._followed(one) for one in listed if one is not None]

    def text(self, node: Node, name: str) -> str | None:
        """The first plain text of a property."""
        for value in self.values(node, name):
            named = isinstance(value, dict) and (value.get("@value") or value.get("name"))
            found = named or value
            if isinstance(found, int | float) and not isinstance(found, bool):
                found = str(found)
            if isinstance(found, str) and (text := plain(found)):
                return text
        return None

    def _followed(self, value: Any) -> Any:
        if isinstance(value, dict) and isinstance(value.get("@id"), str) and "name" not in value:
            return self.by_id.get(value["@id"], value)
        return value

    def _fitness(self, node: Node) -> tuple[bool, bool, bool]:
        vague = set(types_of(node)) <= VAGUE_TYPES
        title = letters(self.page.title)
        headline = letters(self.text(node, "headline") or self.text(node, "name") or "")
        return (not vague, bool(headline) and headline[:40] in title, "datePublished" in node)


def _is(types: tuple[str, ...], endings: tuple[str, ...]) -> bool:
    return any(name.endswith(endings) and name not in NEVER_AN_ARTICLE for name in types)


def letters(text: str) -> str:
    """Letters and digits of `text` alone, case folded: what two spellings of a title share."""
    return _others.sub("", text.casefold())


def plain(text: str) -> str:
    """`text` with entities resolved that were written twice, white space collapsed."""
    return collapse(unescape(text) if "&" in text else text)


def host_names(url: str | None) -> tuple[str, str]:
    """The names in a host: all of it, and its longest label but the last."""
    try:
        host = urlsplit(url or "").hostname or ""
    except ValueError:
        host = ""
    host = host.removeprefix("www.")
    return host, max(host.split(".")[:-1], key=len, default="")
