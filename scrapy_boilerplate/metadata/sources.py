"""The declared and visible sources of metadata on a page, by name."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, partial
from itertools import chain
from typing import Any
from urllib.parse import urljoin, urlsplit

import numpy as np
from lxml import etree

from scrapy_boilerplate.metadata.date_parsing import DAY_FIRST, MAX_LENGTH, MONTH_FIRST
from scrapy_boilerplate.metadata.json_ld import Node, list_values, parse_json_ld, read_types
from scrapy_boilerplate.native.steps import WordSearch
from scrapy_boilerplate.page.declared import parse_region
from scrapy_boilerplate.page.labels import BoolArray, Label, Labeling
from scrapy_boilerplate.page.page import Page, Remembering
from scrapy_boilerplate.page.text import collapse, resolve_references
from scrapy_boilerplate.steps.class_names import (
    AUTHOR,
    BREADCRUMB,
    KICKER,
    TOPICS,
    NamePattern,
    drop_states,
)
from scrapy_boilerplate.steps.titles import fold_letters

# Ends of the schema.org types of articles; types of sites, and of replies.
ARTICLE_SUFFIXES = ("Article", "Posting", "Report", "Review", "Recipe", "HowTo")
SITE_TYPES = frozenset({"WebSite", "NewsMediaOrganization"})
REPLIES = frozenset({"Comment", "Answer", "UserComments"})
SITE_METAS = ("application-name", "apple-mobile-web-app-title", "twitter:site")
# Maximum contents of one `meta`, and names of the site.
MAX_VALUES, MAX_SITE_NAMES = 200, 20
# Maximum text nodes and characters, with white space, of an element that is read as one line.
MAX_LINE_LEAVES, MAX_LINE_LENGTH = 100, 1_000
# h1 elements that are read as the name of the site.
MAX_HEADINGS = 5
# Blocks at the end of the text that can be a signature or a dateline.
BLOCKS_OF_END = 2
TABLE_TAGS = frozenset({"table"})
# Maximum characters of the URL of a link that is read.
MAX_URL = 2_083
# URLs of the folder of a page.
OWN_FOLDER = frozenset({"", ".", "./", "index.html", "index.htm"})
# Starts of URLs that are not relative to the page.
ABSOLUTE = ("/", "http", "#", "mailto:", "javascript:", "data:")
_find_bases = etree.XPath("/*/*[local-name() = 'head']/*[local-name() = 'base'][1]/@href")
_drop_index = re.compile(r"/index\.html?$").sub
# Labels of text by others, whose names and dates do not belong to the article.
OTHER_LABELS = frozenset({Label.RELATED, Label.COMMENTS})
# Regions with English pages that write the day before the month (Unicode CLDR); UK as a domain.
DAY_FIRST_REGIONS = frozenset(
    "GB UK IE AU NZ IN ZA NG KE GH UG TZ ZW ZM BW NA PK BD LK SG MY HK MT CY JM TT BB FJ".split()
)
# Blocks above and below the headline whose dates show the order of day and month.
NEAR_DATES = (12, 12)
_find_numbers = re.compile(r"(?<![\d/])([0-3]?\d)/([0-3]?\d)/(?:20)?\d\d(?![\d/])").findall
# Names of home pages, of types of content and of places on a page, letters folded: neither
# sections, topics nor kickers.
EMPTY_NAMES = frozenset(
    "home homepage startseite start inicio portada accueil início forside etusivu stronagłówna "
    "uncategorized unkategorisiert allgemein sincategoría nonclassé senzacategoria general "
    "tag tags topics themen category categories article articles artikel post posts story feature "
    "featured frontpage topstory topstories topnews detail details slider popular null none".split()
)
# Kinds of class names and ids, all found in one scan.
NAME_KINDS = (AUTHOR, BREADCRUMB, KICKER, TOPICS)
_match_names = partial(
    WordSearch([kind.words for kind in NAME_KINDS]).match_names,
    searches=[kind.regex.search for kind in NAME_KINDS],
    drop_states=drop_states,
)
# Words of the folders of sections and topics in URLs.
_search_topics = WordSearch(
    ["categor kategorie cat tag topic themen rubri section schlagwort tema".split()]
)
_CATEGORY = r"categor(?:y|ies|ia|ias|ie)|kategorien?|rubri(?:k|ken|que|c)|section"
_TOPIC = rf"{_CATEGORY}|tags?|topics?|themen|schlagwort|tema|temas"
# Match the paths of sections, and of sections and topics; a slash is before the path as written.
_is_category, _is_topic = (
    re.compile(rf"/(?:{folders})/(?!index\.html?$)[^/]", re.IGNORECASE).search
    for folders in (_CATEGORY, _TOPIC)
)
_match_query = re.compile(
    r"(?:https?://[^/]+/|/|(?=index))(?:index\.php)?\?(cat|category(?:_name)?|tag)=.", re.IGNORECASE
).match


def names_category(url: str) -> bool:
    """Return whether a URL, as written, is that of a section."""
    query = _match_query(url) if "?" in url else None
    return _is_category(f"/{url}") is not None or bool(query and query[1].lower() != "tag")


def names_topic(url: str) -> bool:
    """Return whether a URL, as written, is that of a section or topic."""
    return _is_topic(f"/{url}") is not None or ("?" in url and _match_query(url) is not None)


class MetadataSources(Remembering):
    """The sources of the metadata of one labelled page.

    written_metas   name of a `meta` to its contents as written
    canonical_link  the URL of the canonical link as written, or None
    moments         cache of `metadata.dates`: a text to its date; several tables name one source
    """

    def __init__(self, page: Page, labeling: Labeling, tree: etree._Element | None = None) -> None:
        self.page = page
        self.labeling = labeling
        self.tree = tree
        self.moments: dict[str, str | None] = {}
        self._metas: dict[str, list[str]] = {}
        self.written_metas: dict[str, list[str]] = {}
        for name, content in page.declared.metas:
            self.written_metas.setdefault(name, []).append(content)
        self.canonical_link = page.declared.find_link("canonical")

    @cached_property
    def json_ld(self) -> list[Node]:
        """Every JSON-LD object of the page."""
        return parse_json_ld(self.page.declared.json_ld)

    @cached_property
    def typed(self) -> list[tuple[Node, tuple[str, ...]]]:
        """The JSON-LD objects with a type, each with its types."""
        return [(node, read_types(node)) for node in self.json_ld if "@type" in node]

    @cached_property
    def article(self) -> Node:
        """The first JSON-LD object of an article; empty without one."""
        return self._find_typed(ARTICLE_SUFFIXES)

    @cached_property
    def web_page(self) -> Node:
        """The first JSON-LD object of a page; empty without one."""
        return self._find_typed("Page")

    def _find_typed(self, suffixes: str | tuple[str, ...]) -> Node:
        nodes = (node for node, types in self.typed for name in types if name.endswith(suffixes))
        return next(nodes, {})

    def metas(self, name: str) -> list[str]:
        """Return the contents of a `meta`, white space collapsed, entities resolved."""
        if name not in self.written_metas:
            return []
        if name not in self._metas:
            self._metas[name] = list(map(clean_text, self.written_metas[name][:MAX_VALUES]))
        return self._metas[name]

    def meta(self, *names: str) -> str | None:
        """Return the first content that is not empty of the `meta` elements `names`, in order."""
        return next((content for name in names for content in self.metas(name) if content), None)

    def microdata(self, *names: str) -> Iterator[tuple[str, str]]:
        """Yield (value, type of the scope) of the microdata properties `names`, in order."""
        for name, value, scope in self.page.declared.microdata:
            if name in names:
                yield value, scope

    def values(self, node: Node, name: str) -> list[Any]:
        """Return the values of a JSON-LD property as a list, with references resolved."""
        return [self._resolve(inner) for inner in list_values(node.get(name))]

    def _resolve(self, value: Any) -> Any:
        is_reference = isinstance(value, dict) and "name" not in value
        return self._json_ld_by_id.get(str(value.get("@id")), value) if is_reference else value

    def text(self, node: Node, name: str) -> str | None:
        """Return the first plain text of a JSON-LD property."""
        for value in self.values(node, name):
            text = value.get("name") if isinstance(value, dict) else value
            if isinstance(text, str) and (text := clean_text(text)):
                return text
        return None

    @cached_property
    def _json_ld_by_id(self) -> dict[str, Node]:
        return {
            node["@id"]: node
            for node in reversed(self.json_ld)
            if len(node) > 1 and isinstance(node.get("@id"), str)
        }

    @cached_property
    def site_names(self) -> tuple[str, ...]:
        """The names of the site that the page declares, the best first, without its host."""
        names = [*self.metas("og:site_name")]
        names.append(self.text(self.article, "publisher") or "")
        for node, types in self.typed:
            if not SITE_TYPES.isdisjoint(types):
                names.append(self.text(node, "name") or "")
        for name in SITE_METAS:
            names += self.metas(name)
        return tuple(filter(fold_letters, dict.fromkeys(names)))[:MAX_SITE_NAMES]

    @cached_property
    def folded_title(self) -> str:
        """The title of the page, as `fold_letters` gives it."""
        return fold_letters(self.page.title)

    @cached_property
    def host(self) -> tuple[str, str]:
        """The host of the page's URL, as `split_host` gives it."""
        return split_host(self.page.url)

    @cached_property
    def own_names(self) -> frozenset[str]:
        """The names of the site and of its host, as `fold_letters` gives them."""
        names = (*self.site_names, *self.host, *self._read_home_headings())
        return frozenset(filter(None, map(fold_letters, names)))

    def _read_home_headings(self) -> Iterator[str]:
        elements, home = self.page.elements, (f"//{self.host[0]}", f"//www.{self.host[0]}")
        for heading in self.headings[:MAX_HEADINGS]:
            inside = range(heading + 1, min(elements.ends[heading], heading + 3))
            if any(elements.tags[element] == "a" for element in inside):
                urls = filter(None, map(self.urls.get, inside))
                if any(url == "/" or url.rstrip("/").endswith(home) for url in urls):
                    yield self.read_line(heading)

    @cached_property
    def headings(self) -> list[int]:
        """The h1 elements."""
        names = self.page.elements.names
        number = names.numbers.get("h1")
        found: list[int] = (names.tags == number).nonzero()[0].tolist() if number else []
        return found

    def find_names(self, kind: NamePattern) -> list[int]:
        """Return the indices in `Elements.names` of the names of a kind."""
        bit = 1 << NAME_KINDS.index(kind)
        return [number for number, bits in self._kinds_of_names if bits & bit]

    def find_links(self, path: str) -> list[tuple[int, str]]:
        """Return (link, URL) of the links whose URL ends with `path`, in any case, in order.

        A slash can follow.
        """
        ends, name = (path, f"{path}/"), path.rpartition("/")[2]
        written = (name, *(f"{name}/{page}" for page in OWN_FOLDER))
        lowered = self._lowered.items()
        named = [link for link, url in lowered if name in url and url.endswith(written)]
        resolved = [(link, self.read_url(link)) for link in sorted({*named, *self._own_links})]
        return [(link, url) for link, url in resolved if url[-MAX_URL:].lower().endswith(ends)]

    def mark_names(self, kind: NamePattern) -> BoolArray | None:
        """Return bool[n]: which of `Elements.names` are of one of NAME_KINDS; None without any."""
        of_kind = self.find_names(kind)
        if not of_kind:
            return None
        marked = np.zeros(len(self.page.elements.names.strings), dtype=np.bool_)
        marked[of_kind] = True
        return marked

    @cached_property
    def _kinds_of_names(self) -> list[tuple[int, int]]:
        return _match_names(self.page.elements.names.strings)

    def read_url(self, link: int) -> str:
        """Return the URL of a link, without the index page of a copied site; "" without one.

        A path begins at the root of the site.
        """
        url = self.urls.get(link, "")
        if url.startswith(ABSOLUTE):
            return url
        url = url.strip()
        # urljoin takes long: thousands of links are relative to one folder
        is_inside = url[:1].isalnum() and ":" not in url and "/." not in url
        joined = f"{self._folder}{url}" if is_inside else join_url(self._base, url)
        return _drop_index("/", joined)

    @cached_property
    def _base(self) -> str:
        """The URL that links are relative to; "/" for an unknown one."""
        declared = [] if self.tree is None else _find_bases(self.tree)
        return join_url(self.page.url or "/", declared[0][:MAX_URL] if declared else "")

    @cached_property
    def _folder(self) -> str:
        return join_url(self._base, ".")

    @property
    def urls(self) -> dict[int, str]:
        """The URLs of the links as written."""
        return self.page.elements.urls

    @cached_property
    def _lowered(self) -> dict[int, str]:
        return {link: url.lower() for link, url in self.urls.items()}

    @cached_property
    def _own_links(self) -> list[int]:
        return [link for link, url in self._lowered.items() if url in OWN_FOLDER]

    @cached_property
    def topic_links(self) -> list[int]:
        """The links to sections and topics, in order."""
        links, urls = list(self.urls), list(self.urls.values())
        lines = _search_topics.select_names(urls)
        return [links[line] for line, _ in lines if names_topic(urls[line])]

    def find_rel(self, word: str) -> list[int]:
        """Return the links with a word in their `rel`; "tag" not with "category"."""
        rels = ((link, rel.lower().split()) for link, rel in self.page.declared.rels)
        without = "category" if word == "tag" else ""
        return [link for link, words in rels if word in words and without not in words]

    @cached_property
    def date_language(self) -> str | None:
        """The page's language; with an end of `ORDERS` where numbers have another order.

        The dates beside the headline decide ("13/1/2026"). Otherwise English pages of
        DAY_FIRST_REGIONS write the day first; the domain decides on the region, else the
        page's declaration.
        """
        language = self.page.language
        if shown := self._find_shown_order():
            return f"{language or 'en'}{shown}"
        domain = self.host[0].rpartition(".")[2].upper()
        declared = self.page.declared.region or parse_region(self.meta("og:locale") or "")
        region = domain if len(domain) == 2 else declared
        is_day_first = language in (None, "en") and region in DAY_FIRST_REGIONS
        return f"en{DAY_FIRST}" if is_day_first else language

    def _find_shown_order(self) -> str | None:
        texts = (self.page.texts[block][:MAX_LENGTH] for block in self.find_near(*NEAR_DATES))
        pairs = [pair for text in texts if "/" in text for pair in _find_numbers(text)]
        is_day_first = any(int(first) > 12 for first, _ in pairs)
        is_month_first = any(int(second) > 12 for _, second in pairs)
        if is_day_first == is_month_first:
            return None
        return DAY_FIRST if is_day_first else MONTH_FIRST

    @cached_property
    def words(self) -> list[int]:
        """The number of words of each block; reading one number of a list is faster."""
        words: list[int] = self.page.words.tolist()
        return words

    @cached_property
    def labels(self) -> list[int]:
        """The label of each block."""
        labels: list[int] = self.labeling.labels.tolist()
        return labels

    @cached_property
    def headline_block(self) -> int:
        """The first headline block, else the first block in an h1, else the first block."""
        if self.headlines:
            return self.headlines[0]
        blocks = np.flatnonzero(self.page.in_tags(frozenset({"h1"})))
        return int(blocks[0]) if len(blocks) else 0

    @cached_property
    def headlines(self) -> list[int]:
        """The blocks that are labelled as the headline."""
        blocks: list[int] = self.labeling.having(Label.HEADLINE).nonzero()[0].tolist()
        return blocks

    @cached_property
    def content(self) -> list[int]:
        """The blocks that are full text."""
        blocks: list[int] = self.labeling.content.nonzero()[0].tolist()
        return blocks

    def find_near(self, before: int, below: int) -> list[int]:
        """Return the blocks around the headline, first those below it."""
        at = self.headline_block
        last = min(len(self.page), at + 1 + below)
        return [*range(at + 1, last), *range(at - 1, max(at - before, 0) - 1, -1)]

    def find_after(self, below: int) -> list[int]:
        """Return the last blocks of the text and `below` blocks after it, without tables.

        Their place depends on the end of the text: its length changes nothing.
        """
        at = self.headline_block
        if not self.content or self.content[-1] < at:
            return []
        last = self.content[-1]
        first, end = max(at, last - BLOCKS_OF_END) + 1, last + 1 + below
        if not self.page.elements.has_any(TABLE_TAGS):
            return [*range(first, min(end, len(self.page)))]
        in_table = self.page.in_tags(TABLE_TAGS)
        after = np.flatnonzero(~in_table | in_table[at])
        first, end = np.searchsorted(after, (first, last + 1))
        blocks: list[int] = after[first : end + below].tolist()
        return blocks

    def find_block(self, leaves: range) -> int:
        """Return the block of the first of `leaves`; -1 without any."""
        first = self.page.blocks.first_leaf
        return int(np.searchsorted(first, leaves.start, "right")) - 1 if leaves else -1

    def find_line(self, element: int) -> range:
        """Return the leaves inside an element; none if they are more than a line of text.

        Elements can be nested, so that thousands of them hold the same text.
        """
        leaves = self.page.leaves_in(element)
        if len(leaves) > MAX_LINE_LEAVES:
            return range(0)
        length = sum(map(len, self.page.leaves.texts[leaves.start : leaves.stop]))
        return leaves if length <= MAX_LINE_LENGTH else range(0)

    def read_line(self, element: int) -> str:
        """Return the text of an element; "" if it is more than a line."""
        return self.join_leaves(self.find_line(element))

    def join_leaves(self, leaves: Iterable[int]) -> str:
        """Return the joined text of leaves, white space collapsed."""
        texts, breaks = self.page.leaves.texts, self.page.leaves.breaks
        return collapse("".join((" " if breaks[leaf] else "") + texts[leaf] for leaf in leaves))


Values = Iterable[str | None]
# (name, as in `Metadata.evidence`; function that yields its values)
Source = tuple[str, Callable[[MetadataSources], Values]]


def read_metas(*names: str) -> Callable[[MetadataSources], Values]:
    """Return a source: the contents of the `meta` elements `names`."""
    return lambda sources: chain.from_iterable(map(sources.metas, names))


def read_json_ld(name: str, *, of_page: bool = False) -> Callable[[MetadataSources], Values]:
    """Return a source: a property of the JSON-LD article, or of the page itself, as text."""
    return lambda sources: [sources.text(sources.web_page if of_page else sources.article, name)]


def read_microdata(*names: str) -> Callable[[MetadataSources], Values]:
    """Return a source: the values of the microdata properties `names`, but those of replies."""
    return lambda sources: [
        value for value, scope in sources.microdata(*names) if scope not in REPLIES
    ]


def join_url(base: str, url: str) -> str:
    """Return `url`, relative to `base`; as written if it is long or invalid."""
    try:
        return urljoin(base, url) if len(url) <= MAX_URL else url
    except ValueError:
        return url


def clean_text(text: str) -> str:
    """Return `text` with doubly escaped entities resolved and white space collapsed."""
    return collapse(resolve_references(text))


def split_host(url: str | None) -> tuple[str, str]:
    """Return the host without "www.", and its longest label but the last."""
    try:
        host = urlsplit(url or "").hostname or ""
    except ValueError:
        host = ""
    host = host.removeprefix("www.")
    return host, max(host.split(".")[:-1], key=len, default="")
