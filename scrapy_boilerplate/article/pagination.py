"""Find the next page of an article over several pages.

The URL of the next page differs only by a number (`read_page_step`). The page links to it from
its head, from inside the article or from directly below it. Parameters and folders that are named
like comments or pictures, and days in a URL, do not count.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import cached_property
from string import digits
from typing import NamedTuple
from urllib.parse import SplitResult, parse_qsl, urlsplit

import numpy as np
from lxml import etree

from scrapy_boilerplate.article.article_probability import (
    ARTICLE_THRESHOLD,
    compute_article_probability,
)
from scrapy_boilerplate.markup.urls import clean_url, find_base_url
from scrapy_boilerplate.page.labels import Labeling
from scrapy_boilerplate.page.limits import NO_CLOCK, Clock
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.text import collapse
from scrapy_boilerplate.steps.class_names import names_pagination
from scrapy_boilerplate.steps.titles import HEADING_TAGS

WEB = frozenset({"http", "https"})
# Minimum words of main content of a first page; galleries have fewer.
MIN_WORDS = 80
# Largest page number (larger ones are identifiers), and digits of one with zeros before it.
MAX_NUMBER, MAX_DIGITS = 99, 3
# Starts of URLs with the whole path.
ROOTED = ("/", "http")
# Maximum words and headings between the content and its pagination: tags, buttons, author boxes.
MAX_WORDS_BETWEEN, MAX_HEADINGS_BETWEEN = 60, 1
# Maximum words of a pagination, and levels from a link up to it.
MAX_PAGINATION_WORDS, MAX_WRAPPERS = 40, 4
# Maximum characters of an element, and of its class and id, that are read.
MAX_CHARACTERS, MAX_NAME = 10_000, 1_000
# Maximum words of a link to the next page.
MAX_LINK_WORDS = 8
# Maximum links whose URLs are compared with the URL of the page, and links to the next number whose
# surroundings are read.
MAX_LINKS, MAX_CANDIDATES = 5_000, 200

# Words before the number of a page in URLs.
PAGE_WORDS = frozenset(
    "p pg pp page paged pages pagenum pageno pagenr pagenumber pageindex pagina pagine pag paginas "
    "paginate pagination currentpage seite seiten s side sida sivu strona str stranica strana "
    "stranka stran sayfa oldal halaman hal trang lapa leht pagen pn pageid".split()
)
# Words before the number of something else.
OTHER_WORDS = re.compile(
    r"comm|cpage|koment|review|repl|disc|forum|thread|post|galler|slide|photo|image|img|pic|foto|"
    r"bild|video|media|month|year|date|day|week|calend|archiv|tag|categ|sect|author|search|list|"
    r"offset|limit|size|count|width|height|ver|lang|id$|^v$|^c$|^cp$",
    re.IGNORECASE,
)
starts_with_next = re.compile(
    r"^(?:[›»→>▶]+|(?:go to |zur |la |to )?(?:next|continue|continued|weiter|n(?:ä|ae)chste|"
    r"suivant|suite|siguiente|pr[oó]xim|pross|successiv|seguinte|volgende|nästa|neste|næste|"
    r"seuraava|następn|dalej|další|ďalši|naslednja|sljedeć|sledeć|következő|urm|sonraki|далее|"
    r"следующ|далі|наступн|следващ|επόμεν|التالي|次|下一|다음|selanjutnya|berikut|tiếp|ถัดไป).*)",
    re.IGNORECASE | re.DOTALL,
).match
names_page = re.compile(
    r"\bpages?\b|\bseite\b|p[áa]gin|страниц|сторінк|stron|strán|stran|\bsid[ae]\b|sivu|sayfa|oldal|"
    r"ページ|页|頁|페이지|trang|halaman|σελίδ|الصفحة",
    re.IGNORECASE,
).search
_find_numbers = re.compile(r"\d+").findall
_last_number = re.compile(r"(?<!\d)(\d+)$").search
_last_word = re.compile(r"(?<![A-Za-z])([A-Za-z]+)[^A-Za-z0-9]*$").search
_ends_in_date = re.compile(r"(?:19|20)\d\d(?:[/-]?\d{1,2})?[/-]?$").search
_is_addition = re.compile(r"[/_.,;:~=+-]*(?:[A-Za-z]+(?:_+[A-Za-z]+)*[/_.,;:~=+-]*)?\d+").fullmatch


class PageStep(NamedTuple):
    """The numbers of two pages whose URLs differ only by a page number.

    before     number of the page, 1 if its URL has no number
    after      number of the other page
    is_named   whether the number follows a word of PAGE_WORDS, or no word
    """

    before: int
    after: int
    is_named: bool


def read_page_step(url: str, other: str) -> PageStep | None:
    """Return the step from `url` to `other` if they differ only by a page number, else None.

    The number is added or changed in the query, or in the path together with a word before it.
    Other parameters of `url`, such as campaigns, may be missing in `other`.
    """
    try:
        here, there = urlsplit(url), urlsplit(other)
        queried, queried_there = (dict(parse_qsl(each.query, True)) for each in (here, there))
    except ValueError:
        return None
    if there.scheme not in ("http", "https") or _read_host(here) != _read_host(there):
        return None
    path, path_there = here.path.rstrip("/"), there.path.rstrip("/")
    changed = {name: value for name, value in queried_there.items() if queried.get(name) != value}
    if path == path_there and len(changed) == 1:
        [(name, value)] = changed.items()
        return _compare_values(name, queried.get(name, ""), value)
    return None if changed else _compare_paths(path, path_there)


def _compare_values(name: str, before: str, value: str) -> PageStep | None:
    if not _is_page_number(value) or (before and not _is_page_number(before)):
        return None
    word = name.lower().strip("_0123456789")
    is_named = word in PAGE_WORDS
    if not is_named and OTHER_WORDS.search(word):
        return None
    is_zero_based = not before and int(value) == 1
    return PageStep(int(before or not is_zero_based), int(value), is_named)


def _read_host(parts: SplitResult) -> str:
    return parts.netloc.lower().rpartition("@")[2].removeprefix("www.")


def _is_page_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS and int(text) <= MAX_NUMBER


def _compare_paths(path: str, other: str) -> PageStep | None:
    """Return the step between two paths that differ in a number and a word before it.

    The number of `path` may be missing: "/rain.html" and "/rain-2.html".
    """
    start, old, new = _find_difference(path, other)
    number, old_number = _last_number(new), _last_number(old)
    if number is None or not _is_addition(new) or not _is_page_number(number[1]):
        return None
    if old_number is None:
        if old or number[1].startswith("0"):
            return None
    elif old[: old_number.start()] != new[: number.start()] or not _is_page_number(old_number[1]):
        return None
    lead, added = other[: start + number.start()], new[: number.start()]
    if _ends_in_date(lead) or "comment" in lead.rpartition("/")[2].lower():
        return None
    match = _last_word(lead)
    word = match[1].lower() if match and (old or _last_word(added)) else ""
    is_named = word in PAGE_WORDS or not word or (bool(old) and lead.endswith("/"))
    if word not in PAGE_WORDS and OTHER_WORDS.search(word):
        return None
    return PageStep(int(old_number[1]) if old_number else 1, int(number[1]), is_named)


def _find_difference(path: str, other: str) -> tuple[int, str, str]:
    """Return where two paths begin to differ, and the part of each; numbers stay whole."""
    shorter = min(len(path), len(other))
    start = next((at for at in range(shorter) if path[at] != other[at]), shorter)
    splits_number = path[start : start + 1].isdigit() or other[start : start + 1].isdigit()
    while splits_number and start and path[start - 1].isdigit():
        start -= 1
    end = 0
    while end < shorter - start and path[-end - 1] == other[-end - 1]:
        end += 1
    while end and path[-end].isdigit():  # both page numbers may end in the same digit
        end -= 1
    return start, path[start : len(path) - end], other[start : len(other) - end]


def find_next_page(
    page: Page, labeling: Labeling, tree: etree._Element | None = None, clock: Clock = NO_CLOCK
) -> str | None:
    """Return the URL of the next page of a labelled page; `tree` is its root, whose head is read.

    The page must be an article and have a URL. Linear in the size of the page. Raises
    OutOfTimeError when the time of `clock` is used up.
    """
    if not labeling.content.any() or clean_url(page.url, None, WEB) is None:
        return None
    return _PageLinks(page, labeling, tree, clock).find_next()


def _find_declared(page: Page, tree: etree._Element | None) -> str | None:
    """Return the URL of the next page in the head, also for a part of a tree."""
    is_whole = tree is not None and tree.getparent() is None
    if tree is None or (is_whole and page.declared.find_link("next") is None):
        return None
    head = tree.getroottree().getroot().find("{*}head")
    links = () if head is None else head.iterchildren("{*}link")
    hrefs = (link.get("href") for link in links if "next" in link.get("rel", "").lower().split())
    return next(filter(None, hrefs), None)


class _PageLinks:
    def __init__(
        self, page: Page, labeling: Labeling, tree: etree._Element | None, clock: Clock
    ) -> None:
        self._clock = clock
        self._page = page
        self._labeling = labeling
        self._url = urlsplit(page.url or "")
        self._tree = tree
        content = np.flatnonzero(labeling.content)
        self._first, self._last = int(content[0]), int(content[-1])

    def find_next(self) -> str | None:
        url = self._page.url or ""
        declared = self._join(_find_declared(self._page, self._tree))
        step = None if declared is None else read_page_step(url, declared)
        if step is not None and step.is_named and self._is_next(step):
            return declared
        n_candidates = 0
        for element, linked in self._read_links(self._find_near()):
            step = read_page_step(url, linked)
            if step is None or step.after != step.before + 1:
                continue
            n_candidates += 1
            if n_candidates > MAX_CANDIDATES:
                break
            if self._is_own_pagination(element, step) and self._is_next(step):
                return linked
        return None

    def _is_next(self, step: PageStep) -> bool:
        if step.after != step.before + 1:
            return False
        return step.before > 1 or self._is_article

    @cached_property
    def _is_article(self) -> bool:
        words = int(self._page.words[self._labeling.content].sum())
        return words >= MIN_WORDS and compute_article_probability(self._page) >= ARTICLE_THRESHOLD

    def _is_own_pagination(self, element: int, step: PageStep) -> bool:
        text = self._read_text(element)
        wrapper_words, names = self._read_wrappers(element)
        shown = {step.after, step.after + 1} if step.before == 0 else {step.after}
        if text.isdecimal() and len(text) <= MAX_DIGITS and int(text) in shown:
            return str(int(text) - 1) in wrapper_words
        if not step.is_named:
            return False
        if "next" in self._page.elements.attributes.get(element, {}).get("rel", "").lower().split():
            return True
        is_next = len(text.split()) <= MAX_LINK_WORDS and bool(starts_with_next(text))
        is_pagination = names_pagination(names) or names_page(text)
        return (is_next or "next" in names.lower()) and bool(is_pagination)

    def _find_near(self) -> range:
        page, n_words = self._page, self._page.words.tolist()
        first, before = self._first, 0
        while first and before + n_words[first - 1] <= 2 * MAX_WORDS_BETWEEN:
            first -= 1  # to include headline and standfirst
            before += n_words[first]
        end, after, headings = self._last + 1, 0, 0
        while end < len(n_words):
            after += n_words[end]
            headings += page.tags[end] in HEADING_TAGS
            if after > MAX_WORDS_BETWEEN + MAX_PAGINATION_WORDS or headings > MAX_HEADINGS_BETWEEN:
                break
            end += 1
        opened, first_leaf = page.leaves.opened, page.blocks.first_leaf
        start = opened[int(first_leaf[first - 1])] if first else 0
        stop = opened[int(first_leaf[end])] if end < len(page) else len(page.elements)
        return range(start, stop)

    def _read_wrappers(self, element: int) -> tuple[list[str], str]:
        """Return the words of the largest small element around a link, and the names up to it."""
        words, names, elements = list[str](), list[str](), self._page.elements
        for depth, ancestor in enumerate(elements.ancestors(element)):
            text = self._read_text(ancestor).split()
            if depth > MAX_WRAPPERS or len(text) > MAX_PAGINATION_WORDS:
                break
            words = text
            names += [elements.classes[ancestor][:MAX_NAME], elements.ids[ancestor][:MAX_NAME]]
        return [word.strip("[]()|.,:") for word in words], " ".join(names)

    def _read_links(self, among: range) -> Iterator[tuple[int, str]]:
        """Yield (element, absolute URL) of links with the next number to the same host."""
        tags, urls = self._page.elements.tags, self._page.elements.urls
        path = self._url.path.rstrip("/")
        # two pages have equal paths before or behind the number, for at least half of the path; an
        # href can have other characters where the path has a percent sign
        half = 0 if "%" in path else len(path) // 2
        start_of_path, end_of_path = path[:half].rstrip(digits), path[half:].lstrip(digits)
        links = list(urls)
        start, stop = (bisect_left(links, element) for element in (among.start, among.stop))
        near = [(element, urls[element]) for element in links[start:stop][:MAX_LINKS]]
        may_be_next = [
            (element, href)
            for element, href in near
            if start_of_path in href
            or end_of_path in href
            or not href.startswith(ROOTED)
            or "\n" in href
        ]
        host = _read_host(self._url)
        for element, href in may_be_next:
            self._clock.check()
            if self._next_numbers.isdisjoint(_find_numbers(href)):
                continue
            if tags[element] != "a" or href.startswith("#"):
                continue
            url = self._join(href)
            if url is not None and _read_host(urlsplit(url)) == host:
                yield element, url

    @cached_property
    def _next_numbers(self) -> set[str]:
        # a first page has the number 0 or 1, or none
        small = (int(n) for n in _find_numbers(self._page.url or "") if len(n) <= MAX_DIGITS)
        return {str(n + 1).zfill(width) for n in (0, 1, *small) for width in (1, 2, 3)}

    @cached_property
    def _base(self) -> str | None:
        page = self._page
        tags = page.elements.names.numbers
        return page.url if self._tree is None else find_base_url(self._tree, page.url, tags)

    def _join(self, href: str | None) -> str | None:
        url = clean_url(href, self._base, WEB) if href else None
        return url and url.partition("#")[0]

    def _read_text(self, element: int) -> str:
        parts: list[str] = []
        left = MAX_CHARACTERS
        for leaf in self._page.leaves_in(element)[: MAX_PAGINATION_WORDS * 2 + 1]:
            text = self._page.leaves.texts[leaf]
            parts.append(text[: max(left, 0)])
            left -= len(text)
        return collapse(" ".join(parts))
