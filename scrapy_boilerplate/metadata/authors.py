"""The authors of an article: the names of the first source in AUTHOR_SOURCES that has a person.

A source yields lists of texts that belong together, the likeliest first. A text can hold several
names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import filterfalse, islice, pairwise, repeat
from operator import contains

import numpy as np

from scrapy_boilerplate.metadata.person_names import (
    MIN_NAME_SHARE,
    drop_duplicates,
    find_date_and_time,
    find_names,
    is_only_lead,
    looks_like_name,
    looks_like_person,
    match_credit,
    read_byline,
    read_inner_byline,
)
from scrapy_boilerplate.metadata.sources import OTHER_LABELS, MetadataSources
from scrapy_boilerplate.page.labels import Label
from scrapy_boilerplate.steps.class_names import AUTHOR, names_no_author
from scrapy_boilerplate.steps.titles import fold_letters

Texts = list[str]

# Words of a byline or credit at most.
MAX_BYLINE_WORDS = 25
# Blocks around the headline in which a byline is searched.
BLOCKS_BEFORE, BLOCKS_AFTER = 3, 14
# Texts of inline elements in a byline at most; each is searched in the line.
MAX_LINE_LEAVES = 100
# Words at most of a byline further below.
MAX_SIGNATURE_WORDS = 15
# Words of a line with "by" inside and a full stop from which it is a sentence.
MAX_NOTE_WORDS = 8
# Blocks below the headline in which a line that is only a name is a byline.
BLOCKS_BELOW = 6
# Words of a block at most whose grandparent's class counts too (a name).
SHORT_BLOCK_WORDS = 4
# Links with rel=author, and links to pages of authors, that are read at most.
MAX_LINKS = 20
# Microdata scopes whose authors are readers.
READER_SCOPES = frozenset({"Comment", "UserComments", "Answer", "Review"})
# Letters of a site's name from which names that begin with it are the site's too.
MIN_SITE_NAME = 4

_is_url = re.compile(
    r"(?:https?:|www\.)(?!\S+[\"'][^>]*>)|@|[(\[]at[)\]]|^/|^\S+\.(?:html?|php|aspx?)$", re.I
).search
# Ends of the names of companies.
_company = re.compile(r"\b(?:e\.\s?V\.?|g?GmbH|AG|KG|Inc\.?|Ltd\.?|LLC|PLC|Corp\.?|S\.A\.)$").search
# Match names of accounts; agencies ("dpa-afx") have short words.
_is_account = re.compile(r"(?:[a-z]+[._-])+[a-z]{4,}\.?").fullmatch
# Match the names of `meta` elements with authors.
_names_authors = re.compile(r"^(?!twitter).*(?:author|creator)$|^twitter:data1$").search
_author_path = re.compile(
    r"/(?:authors?|autor(?:en|es|in|a|i)?|auteurs?|autore|writers?|by|people|person(?:en)?|profiles?|"
    r"journalists?|journaliste|columnists?|contributors?|reporters?|redakteure?|forfatter|skribent|"
    r"staff(?:-list)?|team|experts?)/[^/]",
    re.IGNORECASE,
).search
# A line with only a time or a price is ignored, one with a day is a dateline.
_names_day = re.compile(r"\d{4}|\d\D+\d+\D+\d|\d\W+[^\W\d_]+\W+\d\d$").search
_signed_in_full = re.compile(
    r"\W*(?:(?:(?:this )?(?:article|blog post|post|story|guide) was )?"
    r"(?:written|words|story|text|article) by\s|(?:autor(?:in|a|e)?|author|auteure?)\s*:)",
    re.I,
).match


def find_authors(sources: MetadataSources) -> tuple[tuple[str, ...], str] | None:
    """Return (names, source); None if no source has a name.

    The first source with a name wins. A site or company is the author only if no source has another
    name.
    """
    of_site: tuple[tuple[str, ...], str] | None = None
    for source, read in AUTHOR_SOURCES:
        if of_site and read in LAST_RESORTS:
            continue
        for texts in read(sources):
            if not texts:
                continue
            names = _find_names_of(sources, source, texts)
            others = tuple(name for name in names if not _is_site(name, sources.own_names))
            if source in DECLARED:
                others = tuple(filterfalse(_is_account, others))
                if source == "meta" and _is_place(others):
                    continue
            elif of_site and not any(" " in name for name in others):
                continue
            if others:
                return _correct_names(sources, others, source)
            if names and of_site is None:
                of_site = names, source
    return of_site


def _is_place(names: tuple[str, ...]) -> bool:
    """Return whether names are several single words: "Frankfurt, Germany", not "dpa, AFP"."""
    return len(names) > 1 and " " not in "".join(names) and all(map(str.istitle, names))


def _find_names_of(sources: MetadataSources, source: str, texts: Texts) -> tuple[str, ...]:
    """Return the names in texts of a source, of those for readers without words of menus."""
    prose = source not in NAMES_ONLY
    if source in DECLARED:
        texts = list(filterfalse(_is_url, texts))
    names = drop_duplicates(name for text in texts for name in find_names(text, prose=prose))
    if source in SHOWN:
        names = tuple(name for name in names if fold_letters(name) not in sources.menu_names)
    if source == "author block":  # only its class says so
        names = tuple(name for name in names if " " not in name or looks_like_name(name))
    return names


def _is_site(name: str, own_names: frozenset[str]) -> bool:
    """Return whether a name is the site's or begins with it ("The Daily Staff")."""
    key = fold_letters(name)
    if key in own_names or _company(name):
        return True
    return any(len(own) >= MIN_SITE_NAME and key.startswith(own) for own in own_names)


def _correct_names(
    sources: MetadataSources, names: tuple[str, ...], source: str
) -> tuple[tuple[str, ...], str]:
    """Return (names, source) without the names that the page credits with another role.

    The names of a visible byline replace declared names that the page does not show.
    """
    if source in DECLARED and not _are_shown(sources, names):
        for texts in read_shown_bylines(sources):
            people = drop_duplicates(name for text in texts for name in find_names(text))
            if people and all(map(looks_like_person, people)):
                return people, "byline"
    if len(names) > 1:
        credited = find_credited_names(sources)
        names = names[:1] + tuple(name for name in names[1:] if fold_letters(name) not in credited)
    return names, source


def _are_shown(sources: MetadataSources, names: tuple[str, ...]) -> bool:
    """Return whether the page shows the last word of any of the names."""
    words, texts = [name.split()[-1] for name in names], sources.page.texts
    if any(any(map(contains, texts, repeat(word))) for word in words):
        return True
    folded = list(map(str.casefold, texts))
    return any(any(map(contains, folded, repeat(word.casefold()))) for word in words)


def read_json_ld_authors(sources: MetadataSources) -> Iterator[Texts]:
    """Yield the authors of the article and of the page itself."""
    for node in (sources.article, sources.web_page):
        texts: Texts = []
        for value in sources.values(node, "author"):
            texts += read_author_object(sources, value)
        yield texts


def read_author_object(sources: MetadataSources, value: object) -> Texts:
    """Return the names of a JSON-LD author: a text, or an object with names."""
    if isinstance(value, str):
        return [value]
    if not isinstance(value, dict):
        return []
    return [name for name in sources.values(value, "name") if isinstance(name, str)]


def read_author_metas(sources: MetadataSources) -> Iterator[Texts]:
    """Yield the contents of the `meta` elements named after authors, a list for each name."""
    for name in ("author", *filter(_names_authors, sources.written_metas)):
        yield sources.metas(name)


def read_microdata_authors(sources: MetadataSources) -> Iterator[Texts]:
    """Yield the first author; those further below can be readers."""
    for name in ("author.name", "author"):
        authors = (t for t, scope in sources.microdata(name) if scope not in READER_SCOPES)
        yield list(islice(filterfalse(_is_url, authors), 1))


def read_rel_author(sources: MetadataSources) -> Iterator[Texts]:
    """Yield the texts of links with rel=author near the headline."""
    near = _find_near_elements(sources)
    links = [element for element in sources.page.declared.author_links if element in near]
    yield [sources.join_leaves(sources.leaves_in(link)) for link in links[:MAX_LINKS]]


def read_author_links(sources: MetadataSources) -> Iterator[Texts]:
    """Yield the texts of links near the headline to the page of an author."""
    near = _find_near_elements(sources)
    names = []
    for text in islice(_find_author_links(sources, near), MAX_LINKS):
        people = find_names(text)
        if len(people) == 1 and (" " not in people[0] or looks_like_name(people[0])):
            names.append(text)
    yield list(dict.fromkeys(names))


def _find_author_links(sources: MetadataSources, near: range) -> Iterator[str]:
    """Yield the texts of the links in a range of elements to pages of authors."""
    page = sources.page
    for element, address in page.elements.addresses:
        if element in near and address and _author_path(address):
            yield sources.join_leaves(sources.leaves_in(element))


def _find_near_blocks(sources: MetadataSources) -> range:
    at = sources.headline_block
    return range(max(0, at - BLOCKS_BEFORE), min(len(sources.page), at + BLOCKS_AFTER))


def _find_near_elements(sources: MetadataSources) -> range:
    """Return the elements of the blocks near the headline, and those between them."""
    blocks, elements = _find_near_blocks(sources), sources.page.blocks.elements
    if not blocks:
        return range(0)
    first, last = int(elements[blocks[0]]), int(elements[blocks[-1]])
    return range(first, sources.page.elements.ends[last])


def find_credited_names(sources: MetadataSources) -> frozenset[str]:
    """Return the folded names of photographers, reviewers and the like near the headline."""
    texts, words = sources.page.texts, sources.page.words
    names: set[str] = set()
    for block in _find_near_blocks(sources):
        lead = match_credit(texts[block]) if words[block] <= MAX_BYLINE_WORDS else None
        if lead:
            rest = texts[block][lead.end() :]
            named = [rest] if fold_letters(rest) else texts[block + 1 : block + 2]
            names.update(fold_letters(name) for text in named for name in find_names(text))
    return frozenset(names)


def read_bylines(sources: MetadataSources) -> Iterator[Texts]:
    """Yield bylines around the headline: first those after "By", then by class, then after "by"."""
    lines = sources.remember(_find_lines)
    texts = sources.page.texts
    linked = sources.page.link_words
    for block, text in lines:
        if is_only_lead(text) and not linked[block] and block + 1 < len(texts):
            yield [texts[block + 1]]
        byline = read_byline(text)
        if byline and _are_names(byline):
            yield [byline]
    for block, text in lines:
        if _is_author_block(sources, block) and _are_names(text):
            yield [text]
    for block, text in lines:
        byline = read_inner_byline(text)
        is_prose = text.endswith(".") and sources.words[block] > MAX_NOTE_WORDS
        is_full = byline and any(" " in name for name in find_names(byline))
        if byline and is_full and not is_prose and _are_names(byline):
            yield [byline]


def read_shown_bylines(sources: MetadataSources) -> Iterator[Texts]:
    """Yield the bylines around the headline that start with "By" or the like."""
    for _, text in sources.remember(_find_lines):
        byline = read_byline(text)
        if byline and _are_names(byline):
            yield [byline]


def _are_names(text: str) -> bool:
    names = find_names(text)
    return bool(names) and all(map(looks_like_name, names))


def _find_lines(sources: MetadataSources) -> list[tuple[int, str]]:
    """Return (block, text) of the short blocks around the headline that are no credits."""
    page, at = sources.page, sources.headline_block
    lines = []
    below = range(at + 1, min(len(page), at + 1 + BLOCKS_AFTER))
    above = range(at - 1, max(-1, at - 1 - BLOCKS_BEFORE), -1)
    for block in (*below, *above):
        text = page.texts[block]
        is_other = sources.labels[block] in OTHER_LABELS or match_credit(text)
        if text and sources.words[block] <= MAX_BYLINE_WORDS and not is_other:
            lines.append((block, _read_line(sources, block)))
    return lines


def _read_line(sources: MetadataSources, block: int) -> str:
    """Return the text of a block, with a bar where inline elements have no space between them."""
    page, leaves = sources.page, sources.page.leaves
    text = page.texts[block]
    first, end = int(page.blocks.first_leaf[block]), int(page.blocks.end_leaf[block])
    if end - first > MAX_LINE_LEAVES:
        return text
    parts = [
        (leaves.texts[leaf].split(), leaves.texts[leaf], leaves.in_link[leaf])
        for leaf in range(first, end)
        if not leaves.texts[leaf].isspace()
    ]
    for (before, start, is_link), (after, rest, is_other_link) in pairwise(parts):
        last, following = start[-1], rest[0]
        if last.isalpha() and following.isalnum():
            is_lead = bool(is_only_lead(start) or is_only_lead(after[0]))
            is_name_end = following.isdigit() or (last.islower() and following.isupper())
            if is_lead or is_name_end or is_link != is_other_link:
                joint = " " if is_lead else " | "
                text = text.replace(before[-1] + after[0], f"{before[-1]}{joint}{after[0]}", 1)
    return text


def _is_author_block(sources: MetadataSources, block: int) -> bool:
    """Return whether the class of a block, or one around it, names an author."""
    author_names, elements = sources.remember(_find_author_names), sources.page.elements
    if not author_names:
        return False
    element = int(sources.page.blocks.elements[block])
    parent = max(0, elements.parents[element])
    names = [elements.classes[element], elements.classes[parent]]
    if sources.words[block] <= SHORT_BLOCK_WORDS:
        names.append(elements.classes[max(0, elements.parents[parent])])
    is_named = not author_names.isdisjoint(names)
    return is_named and not any(map(names_no_author, names))


def _find_author_names(sources: MetadataSources) -> frozenset[str]:
    """Return the class names that name an author."""
    names = sources.find_names(*AUTHOR.words)
    return frozenset(name for name in names if AUTHOR.regex.search(name.lower()))


def read_author_blocks(sources: MetadataSources) -> Iterator[Texts]:
    """Yield short blocks below the headline whose class names an author: a box after the text."""
    page, first = sources.page, sources.headline_block + 1
    short = np.flatnonzero(page.words[first:] <= MAX_BYLINE_WORDS) + first
    for block in short.tolist() if sources.remember(_find_author_names) else ():
        if _is_author_block(sources, block):
            yield [_read_line(sources, block)]


def read_dateline_names(sources: MetadataSources) -> Iterator[Texts]:
    """Yield lines near the headline that are a name and a date, or a name beside a date."""
    page, at = sources.page, sources.headline_block
    near = range(max(0, at - 1), min(len(page), at + 1 + BLOCKS_BELOW))
    labels = sources.labels
    dated = [_has_day(page.texts[block]) for block in near]
    for number, block in enumerate(near):
        is_line = block != at and sources.words[block] <= MAX_BYLINE_WORDS
        if not is_line or labels[block] in OTHER_LABELS:
            continue
        if any(dated[max(0, number - 1) : number + 2]):
            rest = find_date_and_time.sub(" | ", page.texts[block]).strip(" |•·–—-,")
            if _are_people(rest):
                yield [rest]


def _has_day(text: str) -> bool:
    """Return whether a text has a date with a year; times and prices do not count."""
    return any(_names_day(match[0]) for match in find_date_and_time.finditer(text))


def read_first_lines(sources: MetadataSources) -> Iterator[Texts]:
    """Yield paragraphs below the headline that are only names and precede one of the text."""
    page, at, labels = sources.page, sources.headline_block, sources.labels
    elements, parents = page.blocks.elements, page.elements.parents
    for block in range(at + 1, min(len(page) - 1, at + 1 + BLOCKS_BELOW)):
        element, below = int(elements[block]), int(elements[block + 1])
        if (
            sources.words[block] <= MAX_SIGNATURE_WORDS
            and labels[block + 1] == Label.FULL_TEXT
            and page.elements.tags[element] == page.elements.tags[below] == "p"
            and parents[element] == parents[below]
            and _are_people(page.texts[block])
        ):
            yield [page.texts[block]]


def _are_people(text: str) -> bool:
    """Return whether a text is names of people and almost nothing else."""
    names = find_names(text)
    if not names or not all(map(looks_like_person, names)):
        return False
    return sum(map(len, map(fold_letters, names))) >= MIN_NAME_SHARE * len(fold_letters(text))


def read_full_signatures(sources: MetadataSources) -> Iterator[Texts]:
    """Yield the bylines further below that start with "Written by", "Autorin:" or the like."""
    page = sources.page
    first = sources.headline_block + BLOCKS_AFTER
    for block in (np.flatnonzero(page.words[first:] <= MAX_SIGNATURE_WORDS) + first).tolist():
        byline = read_byline(page.texts[block]) if _signed_in_full(page.texts[block]) else None
        names = find_names(byline) if byline else ()
        if byline and names and all(map(looks_like_person, names)):
            yield [byline]


AUTHOR_SOURCES: tuple[tuple[str, Callable[[MetadataSources], Iterator[Texts]]], ...] = (
    ("json-ld", read_json_ld_authors),
    ("microdata", read_microdata_authors),
    ("meta", read_author_metas),
    ("rel author", read_rel_author),
    ("byline", read_bylines),
    ("author link", read_author_links),
    ("first line", read_first_lines),
    ("author block", read_author_blocks),
    ("signature", read_full_signatures),
    ("dateline", read_dateline_names),
)
# Sources whose texts are names and nothing else.
NAMES_ONLY = frozenset({"json-ld", "microdata", "rel author"})
# Sources that readers see; they also have lines other than bylines.
SHOWN = frozenset({"byline", "author link", "first line", "author block", "dateline"})
# Sources that readers do not see; some give names of accounts.
DECLARED = frozenset({"json-ld", "microdata", "meta"})
# Sources that are skipped once a source names the site as the author.
LAST_RESORTS = frozenset({read_author_links, read_author_blocks, read_dateline_names})
