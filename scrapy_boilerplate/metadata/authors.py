"""The authors of an article: the set of names that a learned model ranks first.

Each property, `meta` and line that names somebody is a place. Places with the same names are one
candidate. A candidate has the features of its places, of its names, and of the other candidates.
``python -m benchmarks.author_ranker`` trains the model.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import islice
from pathlib import Path

import numpy as np

from scrapy_boilerplate.metadata.json_ld import read_types
from scrapy_boilerplate.metadata.person_names import (
    MIN_NAME_SHARE,
    drop_duplicates,
    find_date_and_time,
    find_names,
    is_account,
    looks_like_name,
    looks_like_person,
    match_credit,
    read_byline,
    read_inner_byline,
)
from scrapy_boilerplate.metadata.ranking import TreeRanker
from scrapy_boilerplate.metadata.sources import OTHER_LABELS, MetadataSources
from scrapy_boilerplate.page.labels import BoolArray, Label
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.class_names import names_author, names_no_author
from scrapy_boilerplate.steps.titles import HEADING_TAGS, fold_letters, title_separator

MODEL = Path(__file__).parent / "models" / "authors"
# Log odds of the best candidate, below which the page has no author (our
# choice: one in six such candidates is right).
MIN_SCORE = -2.0

# Places of a page, and names of a place that are compared, at most.
MAX_PLACES, MAX_COMPARED = 60, 20
# Words of a line with names, and of a name without any mark, at most.
MAX_BYLINE_WORDS, MAX_BARE_WORDS = 25, 5
# Blocks before and after the headline in which any line with a name is a place.
BLOCKS_BEFORE, BLOCKS_AFTER = 3, 14
# Lines of one list of authors, and blocks between two of them, at most.
MAX_BOXES, BLOCKS_BETWEEN = 10, 3
# Links to authors, text nodes of a link, and characters of a line that are searched for a date.
MAX_LINKS, MAX_LINK_LEAVES, MAX_DATED = 60, 20, 200
# Words of a block at most whose grandparent's class counts too.
SHORT_BLOCK_WORDS = 4
# Characters of a line in which a lead is searched before the regular expression.
LEAD_CHARACTERS = 24
LEAD_WORDS = ("by ", "aut", "автор", "作者", "記者", "记者", "著者")
# A line of its own above names, in lower case, and its characters at most.
AUTHOR_LABELS = (
    frozenset(
        f"{lead} by".strip()
        for lead in ("", *"written words story text article posted authored".split())
    )
    | frozenset(
        "author authors author(s) autor autorin autorinnen autoren autora autores autore autori "
        "auteur auteure auteurs auteures verfasser verfasserin von por par di "
        "автор 作者 記者 记者 著者 文".split()
    )
    | {"verfasst von", "geschrieben von", "text von", "escrito por", "écrit par", "scritto da"}
)
MAX_LABEL = 20
# A word that each class name of an author has.
AUTHOR_WORDS = tuple(
    "author byline autor auteur writer journalist signatur redakt redact verfasser forfatter "
    "skribent schrijver publishedby published-by postedby posted-by writtenby written-by".split()
)
# Microdata scopes whose authors are readers.
READER_SCOPES = frozenset({"Comment", "UserComments", "Answer", "Review"})
# Elements that are items of lists of articles, ancestors that are searched for one, and blocks at
# most of such an item and of a card in other elements.
LIST_ITEM_TAGS, MAX_ITEM_DEPTH = frozenset({"li", "tr", "article"}), 6
MAX_ITEM_BLOCKS, MAX_CARD_BLOCKS = 12, 5
# Words of a link up to which it can be a name.
MAX_LINKED_WORDS = 3
# Letters of a site's name from which names that begin with it are the site's too.
MIN_SITE_NAME = 4
# Characters at the start of the text in which an agency is searched.
AGENCY_CHARACTERS = 80
# Elements that hold other things than the article.
OUTER_TAGS = frozenset("aside nav footer header figure form".split())
# As a number: numpy looks for many attributes of an enum before it compares.
FULL_TEXT = int(Label.FULL_TEXT)

# Features of which a candidate has the least, not the most, of its places; and those that it also
# has of the place nearest to the headline.
LEAST = frozenset(
    {"distance", "words", "other label", "outer", "heading", "link share", "other article"}
)
NEAREST = ("distance", "to text", "after text", "words", "share", "dated", "class", "content")
# Kind of place to its rank: the first one is right most often.
RANKS = {
    "json-ld": 0.0,
    "json-ld page": 0.5,
    "microdata": 1.0,
    "meta": 2.0,
    "byline": 4.0,
    "label": 4.0,
    "author class": 5.0,
    "author link": 6.0,
    "inner byline": 7.0,
    "line": 11.0,
    "agency": 10.0,
}
FIRST_LINE, DATED_LINE = 8.0, 9.0
# What is added to the rank of a place far from the headline, and of names of the site, of
# organizations and of accounts.
FAR, DOUBT = 10.0, 20.0
# Weights of a class that names an author: of the block, its parent, its grandparent.
OWN_CLASS, PARENT_CLASS, GRANDPARENT_CLASS = 1.0, 0.7, 0.4
# Blocks after the headline in which a byline is close.
MAX_CLOSE = 8

_is_url = re.compile(
    r"(?:https?:|www\.)(?!\S+[\"'][^>]*>)|@|[(\[]at[)\]]|^/|^\S+\.(?:html?|php|aspx?)$", re.I
).search
# Find the paths of pages of authors; a query has none.
_find_author_paths = re.compile(
    r"/(?:authors?|autor(?:en|es|in|a|i)?|auteurs?|autore|writers?|by|people|person(?:en)?|profiles?|"
    r"journalists?|journaliste|columnists?|contributors?|reporters?|redakteure?|forfatter|skribent|"
    r"staff(?:-list)?|team|experts?)/[^/\n]",
    re.IGNORECASE,
).finditer
# Match the names of `meta` elements with authors; "twitter:data1" is what its label says.
_names_author_meta = re.compile(r"author|byl|creator|writer|^twitter:data1$").search
_names_no_author_meta = re.compile(r"url|link|image|id$|twitter:creator|email|type|software").search
_match_lead = re.compile(
    r"\W*(?:(?:\w+\s)?by\s|(?:this )?(?:article|blog post|post|story|guide) was written by\s|"
    r"autor|author|auteur|автор|作者|記者|记者|著者)"
).match
_signs_in_full = re.compile(
    r"\W*(?:(?:(?:this )?(?:article|blog post|post|story|guide) was )?"
    r"(?:written|words|story|text|article) by\s|(?:autor(?:in|a|e)?|author|auteure?)\s*:)",
    re.IGNORECASE,
).match
_agency = re.compile(
    r"[(（](?:\w+/)?((?:dpa|AFP|AP|Reuters|SID|APA|SDA|ots|epd|KNA|EFE|ANSA|PAP|TASS|ТАСС|Xinhua)"
    r"(?:/\w+)*)[)）]",
    re.IGNORECASE,
).search
# Match the end of the name of a company.
_company = re.compile(
    r"\b(?:e\.\s?V\.?|g?GmbH|AG|KG|GbR|Inc\.?|Ltd\.?|LLC|L\.L\.C\.|PLC|Corp\.?|S\.?A\.?|S\.?L\.|"
    r"B\.?V\.|S\.?r\.?l\.|SAS|Oy|AB|A/S)$"
).search
_has_digit = re.compile(r"\d").search
# Match a date with a day: a line with a time or a price alone says nothing of the lines around it.
_names_day = re.compile(r"\d{4}|\d\D+\d+\D+\d|\d\W+[^\W\d_]+\W+\d\d$").search
# Drop the section after a name: "Jane Doe in Project Management".
_drop_topic = partial(re.compile(r"\sin\s[A-Z][\w&' -]*$").sub, "")


@dataclass(slots=True)
class Place:
    """A place with names, its kind (a key of RANKS), and its features."""

    kind: str
    names: tuple[str, ...]
    features: dict[str, float] = field(default_factory=dict)


@dataclass(slots=True)
class Candidate:
    """A set of names, the kinds of its places, and its features; `key` is the names folded."""

    names: tuple[str, ...]
    source: str
    key: frozenset[str]
    features: dict[str, float]


def find_authors(sources: MetadataSources) -> tuple[tuple[str, ...], str] | None:
    """Return (names, kinds of their places); None if no place has a likely name."""
    declared = read_declared_places(sources)
    if agreed := _find_agreed(sources, declared):
        return agreed
    candidates = collect_candidates(sources, declared)
    if not candidates:
        return None
    scores = _load_ranker().score([candidate.features for candidate in candidates])
    best = int(scores.argmax())
    return (candidates[best].names, candidates[best].source) if scores[best] > MIN_SCORE else None


@cache
def _load_ranker() -> TreeRanker:
    return TreeRanker.load(MODEL)


def _find_agreed(
    sources: MetadataSources, declared: list[Place]
) -> tuple[tuple[str, ...], str] | None:
    """Return the declared people that a line near the headline shows, if nothing contradicts."""
    keys = {frozenset(map(fold_letters, place.names)) for place in declared}
    if len(keys) != 1:
        return None
    names = declared[0].names
    if not all(map(looks_like_person, names)) or any(
        is_site_name(name, sources.own_names) for name in names
    ):
        return None
    page, near = sources.page, _find_near(sources)
    words = page.words
    for block in near:
        text = page.texts[block]
        if words[block] <= MAX_BYLINE_WORDS and all(name in text for name in names):
            shown = find_names_in([read_byline(text) or text], prose=True)
            if frozenset(map(fold_letters, shown)) in keys:
                return names, declared[0].kind
    return None


def find_names_in(texts: Iterable[str], *, prose: bool) -> tuple[str, ...]:
    """Return the names in several texts, each once."""
    return drop_duplicates(name for text in texts for name in find_names(text, prose=prose))


def collect_candidates(sources: MetadataSources, declared: list[Place]) -> list[Candidate]:
    """Return the sets of names of the `declared` places and of the lines of the page."""
    groups: dict[frozenset[str], list[Place]] = {}
    for place in islice((*declared, *_read_shown(sources)), MAX_PLACES):
        people = tuple(name for name in place.names if not is_site_name(name, sources.own_names))
        place.features["site names"] = 1 - len(people) / len(place.names)
        place.names = people or place.names
        key = frozenset(map(fold_letters, place.names[:MAX_COMPARED]))
        groups.setdefault(key, []).append(place)
    candidates = [_merge_places(key, places) for key, places in groups.items()]
    _describe_names(sources, candidates)
    _compare_candidates(candidates)
    return candidates


def is_site_name(name: str, own_names: frozenset[str]) -> bool:
    """Return whether a name is the site's or begins with it ("The Daily Staff"), or a company's."""
    key = fold_letters(name)
    if key in own_names or _company(name):
        return True
    return any(len(own) >= MIN_SITE_NAME and key.startswith(own) for own in own_names)


# Declared places


def read_declared_places(sources: MetadataSources) -> list[Place]:
    """Return the declared places with names, without people that the page credits otherwise."""
    return list(_drop_credited(sources, _read_declared(sources)))


def _read_declared(sources: MetadataSources) -> Iterator[Place]:
    """Yield the places of JSON-LD, `meta` elements and microdata."""
    for node, kind in ((sources.article, "json-ld"), (sources.web_page, "json-ld page")):
        for name in ("author", "creator"):
            values = sources.values(node, name)
            texts = [text for value in values for text in read_author_object(sources, value)]
            if texts:
                types = [read_types(value) for value in values if isinstance(value, dict)]
                organizations = sum("Organization" in " ".join(names) for names in types)
                names = find_names_in((text for text in texts if not _is_url(text)), prose=False)
                yield Place(kind, names, {"organization": organizations / len(values)})
    for name in sources.written_metas:
        if _names_author_meta(name) and not _names_no_author_meta(name):
            texts = [text for text in sources.metas(name) if not _is_url(text)]
            yield Place("meta", find_names_in(texts, prose=True))
    for name in ("author.name", "author", "creator"):
        properties = [
            (text, scope)
            for text, scope in sources.microdata(name)
            if scope not in READER_SCOPES and not _is_url(text)
        ]
        texts = list(dict.fromkeys(text for text, scope in properties if scope == properties[0][1]))
        for several in (texts[:1], texts[:MAX_BOXES])[: len(texts)]:
            yield Place("microdata", find_names_in(several, prose=False))


def read_author_object(sources: MetadataSources, value: object) -> list[str]:
    """Return the names of a JSON-LD author: a text, or an object with names."""
    if isinstance(value, str):
        return [value]
    if not isinstance(value, dict):
        return []
    parts = [sources.text(value, part) for part in ("givenName", "familyName")]
    names = sources.values(value, "name") or [" ".join(filter(None, parts))]
    return [name for name in names if isinstance(name, str) and name]


def _drop_credited(sources: MetadataSources, places: Iterable[Place]) -> Iterator[Place]:
    """Yield the places with names, without names that the page credits with another role."""
    credited: frozenset[str] | None = None
    for place in places:
        if len(place.names) > 1:
            credited = _find_credited_names(sources) if credited is None else credited
            writers = (name for name in place.names if fold_letters(name) not in credited)
            place.names = tuple(writers) or place.names
        if place.names:
            yield place


def _find_near(sources: MetadataSources) -> range:
    """Return the blocks around the headline."""
    at = sources.headline_block
    return range(max(0, at - BLOCKS_BEFORE), min(len(sources.page), at + BLOCKS_AFTER + 1))


def _find_credited_names(sources: MetadataSources) -> frozenset[str]:
    """Return the folded names of photographers, reviewers and the like near the headline."""
    page = sources.page
    names: set[str] = set()
    for block in _find_near(sources):
        text = page.texts[block]
        lead = match_credit(text) if page.words[block] <= MAX_BYLINE_WORDS else None
        if lead:
            rest = text[lead.end() :]
            named = [rest] if fold_letters(rest) else page.texts[block + 1 : block + 2]
            names.update(map(fold_letters, find_names_in(named, prose=True)))
    return frozenset(names)


# Lines


def _read_shown(sources: MetadataSources) -> Iterator[Place]:
    """Yield the lines that name somebody, those near the headline first."""
    texts, at, lines = sources.page.texts, sources.headline_block, _Lines(sources)
    list_end, in_list = -1, None
    for block in sorted(lines.find(), key=lambda block: (block < at, abs(block - at))):
        place = lines.read(block)
        if place is None:
            continue
        yield place
        people = lines.read_links(block)
        if people and people != place.names:
            yield Place("author link", people, {**place.features, "links alone": 1.0})
            place.names = people
        follows = in_list is not None and list_end < block <= list_end + BLOCKS_BETWEEN
        if place.kind in ("line", "inner byline") and not (
            follows and in_list and in_list.features["label"] and block == list_end + 1
        ):
            continue
        if follows and in_list:
            names = drop_duplicates((*in_list.names, *place.names))
            place = in_list
            if len(in_list.names) < len(names) <= MAX_BOXES:
                place = Place(in_list.kind, names, in_list.features)
                yield place
        list_end, in_list = block, place
    for block in sources.content[:2]:
        if match := _agency(texts[block][:AGENCY_CHARACTERS]):
            yield Place("agency", (match[1],))


class _Lines:
    """The short blocks of a page as places."""

    def __init__(self, sources: MetadataSources) -> None:
        self._sources = sources
        page, self._near = sources.page, _find_near(sources)
        self._links = _find_links(sources)
        self._author_names = _find_author_names({*page.elements.classes, *page.elements.ids})
        content = sources.content
        self._first, self._last = (content[0], content[-1]) if content else (len(page),) * 2
        self._dated = [_has_day(page.texts[block]) for block in self._near]

    def find(self) -> Iterator[int]:
        """Yield the short blocks that are near the headline or marked as those of an author."""
        page, texts = self._sources.page, self._sources.page.texts
        for block in np.flatnonzero((page.words <= MAX_BYLINE_WORDS) & (page.words > 0)).tolist():
            if (
                block in self._near
                or block in self._links
                or (self._author_names and self._weigh_class(block))
                or (block and self._is_label(texts[block - 1]))
                or _signs(texts[block][:LEAD_CHARACTERS])
            ):
                yield block

    def read(self, block: int) -> Place | None:
        """Return a block as a place; None if it names nobody."""
        page, is_near = self._sources.page, block in self._near
        text, weight = page.texts[block], self._weigh_class(block)
        is_linked, label = block in self._links, block > 0 and self._is_label(page.texts[block - 1])
        is_marked = weight > 0 or is_linked or label or _signs(text[:LEAD_CHARACTERS])
        if match_credit(text) or "©" in text:
            return None
        byline = read_byline(text)
        inner = read_inner_byline(text) if byline is None and is_near else None
        named, is_dated = byline or inner or text, False
        if is_near:
            at = block - self._near.start
            is_dated = any(self._dated[max(0, at - 1) : at + 2])
            if not byline and self._dated[at]:
                named = _drop_topic(find_date_and_time.sub(" | ", named)).strip(" |•·–—-,")
        is_marked = is_marked or byline is not None
        if not (is_marked or inner or len(named.split()) <= MAX_BARE_WORDS):
            return None
        names = find_names_in([named], prose=True)
        share = sum(len(fold_letters(name)) for name in names) / max(1, len(fold_letters(named)))
        if not names or not (is_marked or self._are_people(names, inner is not None, share)):
            return None
        features = {
            "shown": 1.0,
            "lead": byline is not None,
            "full lead": _signs_in_full(text) is not None,
            "class": weight,
            "label": label,
            "author link": is_linked,
            "dated": is_dated,
            "share": share,
            **self._describe(block),
        }
        kinds = {
            "byline": byline,
            "author link": is_linked,
            "author class": weight,
            "label": label,
            "inner byline": inner,
        }
        return Place(
            next((kind for kind, found in kinds.items() if found), "line"), names, features
        )

    def read_links(self, block: int) -> tuple[str, ...]:
        """Return the names of the links to authors in a block."""
        found = [find_names(text) for text in self._links.get(block, ())]
        return drop_duplicates(names[0] for names in found if len(names) == 1)

    def _are_people(self, names: tuple[str, ...], is_inner: bool, share: float) -> bool:
        if not any(map(looks_like_person, names)):
            return False
        return all(map(looks_like_name, names)) if is_inner else share >= MIN_NAME_SHARE

    @staticmethod
    def _is_label(text: str) -> bool:
        return len(text) <= MAX_LABEL and text.strip(" :：|—–-").lower() in AUTHOR_LABELS

    def _weigh_class(self, block: int) -> float:
        """Return OWN_CLASS if class or id of a block names an author, less for those around it."""
        page, elements = self._sources.page, self._sources.page.elements
        element = int(page.blocks.elements[block])
        if not self._author_names.isdisjoint((elements.classes[element], elements.ids[element])):
            return OWN_CLASS
        parent = max(0, elements.parents[element])
        if elements.classes[parent] in self._author_names:
            return PARENT_CLASS
        grandparent = elements.classes[max(0, elements.parents[parent])]
        is_named = grandparent in self._author_names and page.words[block] <= SHORT_BLOCK_WORDS
        return GRANDPARENT_CLASS if is_named else 0.0

    def _describe(self, block: int) -> dict[str, float]:
        """Return the features of the position and of the labels of a block."""
        page, labels = self._sources.page, self._sources.labeling.labels
        words, label, tag = int(page.words[block]), labels[block], page.tags[block]
        precedes_text = block + 1 < len(page) and labels[block + 1] == FULL_TEXT
        return {
            "distance": max(-20, min(60, block - self._sources.headline_block)),
            "to text": max(-30, min(30, block - self._first)),
            "after text": max(-30, min(30, block - self._last)),
            "first line": bool(precedes_text and tag == "p"),
            "content": bool(label == FULL_TEXT),
            "other label": bool(label in OTHER_LABELS),
            "words": words,
            "link share": int(page.link_words[block]) / words,
            "heading": tag in HEADING_TAGS,
            "outer": bool(page.remember(_find_outer_blocks)[block]),
            "other article": _is_of_other_article(self._sources, block),
        }


def _find_outer_blocks(page: Page) -> BoolArray:
    return page.in_tags(OUTER_TAGS)


def _find_links(sources: MetadataSources) -> dict[int, list[str]]:
    """Return block to the texts of its links to authors."""
    page, addresses = sources.page, sources.page.elements.addresses
    elements = set(page.declared.author_links)
    joined, number, end = "\n".join([address for _, address in addresses]), 0, 0
    for match in _find_author_paths(joined):
        number, end = number + joined.count("\n", end, match.start()), match.start()
        elements.add(addresses[number][0])
    links: dict[int, list[str]] = {}
    for element in sorted(elements)[:MAX_LINKS]:
        leaves = list(islice(sources.leaves_in(element), MAX_LINK_LEAVES))
        if leaves and (text := sources.join_leaves(leaves)):
            block = int(np.searchsorted(page.blocks.end_leaf, leaves[0], side="right"))
            links.setdefault(block, []).append(text)
    return links


def _find_author_names(names: Iterable[str]) -> frozenset[str]:
    """Return the class names and ids that name an author.

    Few pages have many: names without one of AUTHOR_WORDS are not searched.
    """
    joined = "\n".join(names)
    folded, found = joined.lower(), set()
    for word in AUTHOR_WORDS if len(folded) == len(joined) else ():
        at = folded.find(word)
        while at >= 0:
            end = folded.find("\n", at)
            end = len(joined) if end < 0 else end
            found.add(joined[folded.rfind("\n", 0, at) + 1 : end])
            at = folded.find(word, end)
    return frozenset(n for n in found if names_author(n) and not names_no_author(n))


def _signs(start: str) -> bool:
    """Return whether the start of a line is "By" or the like."""
    folded = start.lower()
    return any(map(folded.__contains__, LEAD_WORDS)) and _match_lead(folded) is not None


def _has_day(text: str) -> bool:
    """Return whether a text has a date with a year; times and prices do not count."""
    start = text[:MAX_DATED]
    return _has_digit(start) is not None and any(
        _names_day(match[0]) for match in find_date_and_time.finditer(start)
    )


def _is_of_other_article(sources: MetadataSources, block: int) -> bool:
    """Return whether a block stands in an item of a list or a card with the title of an article.

    The title is a link. An element with the headline or full text is a layout, not an item.
    """
    page, elements = sources.page, sources.page.elements
    item, surname = int(page.blocks.elements[block]), page.texts[block].rpartition(" ")[2]
    for _ in range(MAX_ITEM_DEPTH):
        inside = _find_blocks_in(sources, item, block) if item >= 0 else range(0)
        labels = sources.labeling.labels[inside.start : inside.stop]
        if not inside or sources.headline_block in inside or FULL_TEXT in labels:
            break
        is_item = elements.tags[item] in LIST_ITEM_TAGS
        for other in inside if is_item or len(inside) <= MAX_CARD_BLOCKS else ():
            is_title = page.link_words[other] > MAX_LINKED_WORDS
            is_of_item = other != block and (is_item or page.tags[other] in HEADING_TAGS)
            if is_of_item and is_title and surname not in page.texts[other]:
                return True
        if is_item:
            break
        item = elements.parents[item]
    return False


def _find_blocks_in(sources: MetadataSources, element: int, block: int) -> range:
    """Return the blocks of an element, which has `block`; none if it has over MAX_ITEM_BLOCKS."""
    of_blocks, end = sources.page.blocks.elements, sources.page.elements.ends[element]
    first, after = block, block + 1
    while first and element <= of_blocks[first - 1] < end and after - first <= MAX_ITEM_BLOCKS:
        first -= 1
    while after < len(of_blocks) and element <= of_blocks[after] < end:
        after += 1
        if after - first > MAX_ITEM_BLOCKS:
            break
    return range(first, after) if after - first <= MAX_ITEM_BLOCKS else range(0)


# Features of candidates


def _merge_places(key: frozenset[str], places: list[Place]) -> Candidate:
    """Return the candidate of all places that have one set of names."""
    features: dict[str, float] = {}
    for place in places:
        for name, value in place.features.items():
            known = features.get(name)
            if known is None or (value < known if name in LEAST else value > known):
                features[name] = value
    shown = [place.features for place in places if "shown" in place.features]
    if shown:
        nearest = min(
            shown, key=lambda each: (each["distance"] < -MAX_CLOSE, abs(each["distance"]))
        )
        features.update((f"nearest {name}", nearest[name]) for name in NEAREST)
    features["declared"], features["shown"] = len(places) - len(shown), len(shown)
    features["order"] = min(map(_rank_place, places))
    best = max(places, key=_rate_spelling)
    source = " + ".join(dict.fromkeys(place.kind for place in places))
    return Candidate(best.names, source, key, features)


def _rate_spelling(place: Place) -> tuple[int, int]:
    """Rate a spelling: full names come before accounts, and capitals last."""
    return sum(" " in name for name in place.names), -sum(map(str.isupper, place.names))


def _rank_place(place: Place) -> float:
    features, rank = place.features, RANKS[place.kind]
    if place.kind == "line" and features["first line"]:
        rank = FIRST_LINE
    elif place.kind == "line" and features["dated"]:
        rank = DATED_LINE
    is_far = not -BLOCKS_BEFORE <= features.get("distance", 0) <= BLOCKS_AFTER
    is_other = bool(features.get("other article") or features.get("other label"))
    return rank + FAR * (is_far + is_other)


def _describe_names(sources: MetadataSources, candidates: list[Candidate]) -> None:
    """Add the features of the form of the names, and of texts that have them."""
    page, near = sources.page, _find_near(sources)
    near_text = "\n".join(page.texts[near.start : near.stop]).casefold()
    headline = page.texts[sources.headline_block].casefold() if len(page) else ""
    titles = frozenset(map(fold_letters, title_separator.split(page.title)))
    for candidate in candidates:
        names, n = candidate.names, len(candidate.names)
        surnames = [name.split()[-1].casefold() for name in names]
        candidate.features.update(
            {
                "names": n,
                "people": sum(map(looks_like_person, names)) / n,
                "one word": sum(" " not in name for name in names) / n,
                "most words": max(len(name.split()) for name in names),
                "length": max(map(len, names)),
                "account": sum(map(is_account, names)) / n,
                "title": len(titles & candidate.key) / n,
                "in headline": any(map(headline.__contains__, surnames)),
                "shown near": sum(map(near_text.__contains__, surnames)) / n,
            }
        )


def _compare_candidates(candidates: list[Candidate]) -> None:
    """Add the features that compare a candidate with the others."""
    n_declared = sum(candidate.features["declared"] for candidate in candidates)
    doubts, people, leads, close = [], [], [], []
    for candidate in candidates:
        known = defaultdict(float, candidate.features)
        is_doubtful = any(known[name] for name in ("site names", "organization", "account"))
        doubts.append(known["order"] + DOUBT * is_doubtful)
        is_person, is_named = known["people"] == 1, known["class"] >= PARENT_CLASS
        is_lead, is_shown = known["lead"] > 0, known["shown"] > 0
        leads.append(is_person and is_lead)
        is_close = is_shown and 0 <= known["nearest distance"] <= MAX_CLOSE
        close.append(is_person and is_close and (is_lead or is_named))
        is_marked = is_lead or is_named or known["declared"] or known["author link"]
        people.append(is_person and not known["site names"] and bool(is_marked))
    for number, candidate in enumerate(candidates):
        features, key = candidate.features, candidate.key
        others = [other for other in range(len(candidates)) if other != number]
        apart = [other for other in others if not key & candidates[other].key]
        larger = [other for other in others if key < candidates[other].key]
        smaller = [other for other in others if candidates[other].key < key]
        features.update(
            {
                "candidates": len(candidates),
                "all declared": n_declared,
                "declared share": features["declared"] / n_declared if n_declared else -1.0,
                "rank": sum(doubts[other] < doubts[number] for other in others),
                "doubt": doubts[number],
                "gap": min([FAR + DOUBT, *(doubts[other] for other in others)]) - doubts[number],
                "other people": sum(people[other] for other in others),
                "other leads": sum(leads[other] for other in apart),
                "other close leads": sum(close[other] for other in apart),
                "larger": len(larger),
                "smaller": len(smaller),
                "larger declared": sum(candidates[o].features["declared"] > 0 for o in larger),
                "smaller declared": sum(candidates[o].features["declared"] > 0 for o in smaller),
                "overlaps": len(others) - len(apart),
            }
        )
