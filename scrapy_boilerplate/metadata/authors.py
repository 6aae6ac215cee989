"""The authors of an article: the names of the first source in AUTHOR_SOURCES that has a person.

A source yields the names of each place (a property, a `meta`, a line), the likeliest place first.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice, pairwise, repeat, takewhile
from operator import contains

import numpy as np

from scrapy_boilerplate.metadata.cjk_credits import read_cjk_credit
from scrapy_boilerplate.metadata.json_ld import Node
from scrapy_boilerplate.metadata.person_names import (
    drop_duplicates,
    find_date_and_time,
    find_names,
    find_signs,
    has_joint,
    is_byline,
    is_only_lead,
    is_role,
    looks_like_desk,
    looks_like_name,
    looks_like_person,
    match_credit,
    read_after_role,
    read_byline,
    read_inner_byline,
    read_separate_byline,
)
from scrapy_boilerplate.metadata.sources import OTHER_LABELS, MetadataSources, split_host
from scrapy_boilerplate.native.steps import WordSearch
from scrapy_boilerplate.page.labels import BoolArray
from scrapy_boilerplate.page.text import collapse
from scrapy_boilerplate.steps.class_names import (
    AUTHOR,
    SUPPLEMENTAL,
    list_prefixes,
    names_no_author,
)
from scrapy_boilerplate.steps.titles import HEADING_TAGS, fold_letters

Names = tuple[str, ...]

# Maximum words of a byline or credit.
MAX_BYLINE_WORDS = 25
# Blocks above and below the headline, and after the text, in which a byline is searched.
BLOCKS_BEFORE, BLOCKS_BELOW, BLOCKS_AFTER = 3, 14, 14
# Maximum words of a line that is only "By".
MAX_LEAD_WORDS = 5
# Maximum texts of inline elements in a byline.
MAX_LINE_LEAVES = 100
# Blocks below the headline in which a name beside a date is a byline.
BLOCKS_TO_DATE = 6
# Maximum words of a block whose grandparent's class counts too (a name).
SHORT_BLOCK_WORDS = 4
# Maximum links to authors that are read.
MAX_LINKS = 20
# Elements from the text of a name up to the byline, and maximum words between two names (a role).
LEVELS_OF_ROW, MAX_WORDS_BETWEEN = 4, 8
CAPTION_TAGS = frozenset({"figcaption", "figure"})
# Lists beside the article, such as newest comments.
LIST_TAGS, BESIDE_TAGS = frozenset({"li"}), frozenset({"aside"})
# Microdata scopes whose authors are readers and photographers.
OTHER_SCOPES = frozenset("Comment UserComments Answer Review ImageObject Photograph".split())
# Minimum words of a name before the name of the site.
MIN_NAME_WORDS = 2
# Minimum letters of a site's name: names that begin with it belong to the site.
MIN_SITE_NAME = 4

_is_address = re.compile(r"https?:|www\.|@|^/", re.IGNORECASE).search
# Match ends of names of companies, and names of accounts; agencies ("dpa-afx") have short words.
_is_company_or_account = re.compile(
    r"\b(?:e\.\s?V\.?|g?GmbH|AG|KG|Inc\.?|Ltd\.?|LLC|PLC|Corp\.?|S\.A\.)$|"
    r"^(?:[a-z]+[._-])+[a-z]{4,}\.?$"
).search
_AUTHOR_FOLDERS = (
    "authors? autor(?:en|es|in|a|i)? auteurs? autore writers? by person(?:en)? profiles? "
    "journalists? journaliste columnists? contributors? reporters? redakteure? forfatter skribent "
    "staff(?:-list)? experts?".split()
)
_author_path = re.compile(
    rf"/(?:{'|'.join(_AUTHOR_FOLDERS)})/(?!index\.html?$)[^/]", re.IGNORECASE
).search
# URLs of authors have one of their words.
_find_folders = WordSearch(
    [list(chain.from_iterable(map(list_prefixes, _AUTHOR_FOLDERS)))]
).find_kinds
# A line with only a time or a price is ignored, one with a day is a dateline.
_names_day = re.compile(r"\d{4}|\d\D+\d+\D+\d|\d\W+[^\W\d_]+\W+\d\d$").search


# Match classes of elements that hold one author, and several.
_names_person = re.compile(
    r"(?:^|\s)(?:fn|h-card)(?:\s|$)|^(?!.*(?:meta|item|info|date)).*(?:author|autor|auteur|writer|"
    r"journalist|verfasser|contributor|byline\W?name)",
    re.IGNORECASE,
).search
_names_group = re.compile(
    r"authors|author[-_]?list|autor(?:en|es|i)\b|auteurs|writers|journalists|contributors",
    re.IGNORECASE,
).search
_drop_joints = re.compile(r"\b(?:and|und|et|y|e|og|och|en|i|и|ja|ve)\b", re.IGNORECASE).sub
_has_digit = re.compile(r"\d").search


def find_authors(sources: MetadataSources) -> tuple[Names, str] | None:
    """Return (names, source); None if no source has a name.

    The first source with a name wins. A site, company or account is the author only if no source
    has another name.
    """
    of_site: tuple[Names, str] | None = None
    for source, read in AUTHOR_SOURCES:
        if of_site and source in LAST_RESORTS:
            continue
        for names in map(drop_duplicates, filter(None, read(sources))):
            others = tuple(name for name in names if not _is_site(name, sources.own_names))
            if source == "meta" and _is_place(others):
                continue
            if of_site and source not in DECLARED and " " not in "".join(others):
                continue
            if others:
                return _correct_names(sources, others, source)
            if names and of_site is None:
                of_site = names, source
    return of_site


def _is_site(name: str, own_names: frozenset[str]) -> bool:
    """Return whether a name is a company or begins with a name of the site ("The Daily Staff")."""
    key = fold_letters(name)
    if key in own_names or _is_company_or_account(name):
        return True
    return any(len(own) >= MIN_SITE_NAME and key.startswith(own) for own in own_names)


def _correct_names(sources: MetadataSources, names: Names, source: str) -> tuple[Names, str]:
    """Return (names, source) without the names that the page credits with another role.

    The names of a visible byline replace declared names that the page does not show.
    """
    if source not in WITHOUT_ELEMENTS:
        names = _add_beside(sources, names)
    if source in DECLARED and not _are_shown(sources, names):
        for people in map(drop_duplicates, _read_signed_lines(sources)):
            if all(map(looks_like_person, people)):
                return people, "byline"
    if len(names) > 1:
        credited = _find_credited_names(sources)
        names = names[:1] + tuple(name for name in names[1:] if fold_letters(name) not in credited)
    return tuple(_find_spelling(sources, name) for name in names), source


def _find_spelling(sources: MetadataSources, name: str) -> str:
    """Return a name of several words in lower case as the page shows it."""
    if not (" " in name and name.islower()):
        return name
    shown = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE).search
    spellings = (match[0] for match in map(shown, sources.page.texts) if match)
    return next(filter(looks_like_person, spellings), name)


def _add_beside(sources: MetadataSources, names: Names) -> Names:
    """Return the names, divided by their elements, with those in like elements of the byline."""
    blocks = (*sources.remember(_find_near_blocks), *sources.remember(_find_blocks_after))
    row = next(filter(None, (_find_row(sources, name, blocks) for name in names[:MAX_LINKS])), ())
    row = tuple(name for name in row if not _is_site(name, sources.own_names))
    # one word beside a name of several is its town or employer
    row = (*row[:1], *(name for before, name in pairwise(row) if " " in name or " " not in before))
    # "Ada" and "Brown" are one name
    if not any(looks_like_person(name) or not name.isascii() for name in row):
        return names
    keys = {fold_letters(name): name for name in row}
    parts = [[keys[key] for key in keys if key in fold_letters(name)] for name in names]
    others = (part or [name] for part, name in zip(parts, names, strict=True))
    return drop_duplicates(row if all(parts) else (*chain.from_iterable(others), *row))


def _find_row(sources: MetadataSources, name: str, blocks: Sequence[int]) -> Names:
    page, word = sources.page, name.split(maxsplit=1)[0]
    for block in _drop_others(sources, [block for block in blocks if word in page.texts[block]]):
        for leaf in range(page.blocks.first_leaf[block], page.blocks.end_leaf[block]):
            text = collapse(page.leaves.texts[leaf])
            if word in text and name.startswith(read_byline(text) or text):
                before, after = ([*_read_row(sources, block, leaf, step)] for step in (-1, 1))
                return (*before[:0:-1], *after)
    return ()


def _read_row(sources: MetadataSources, block: int, leaf: int, step: int) -> Iterator[str]:
    """Yield the names in the elements like that of a leaf, from it on: same tag, class and depth.

    All are marked as authors, or only separators are between them in a line that starts with "By".
    """
    page, elements, leaves = sources.page, sources.page.elements, sources.page.leaves
    start, between = leaves.elements[leaf], ""
    *_, top = islice(elements.ancestors(start), LEVELS_OF_ROW)
    if marked := _is_marked(sources, leaf):
        row = page.leaves_in(top)
    elif start == page.blocks.elements[block] or read_byline(page.texts[block]) is None:
        return
    else:
        is_item = read_byline(leaves.texts[leaf]) is not None
        row = range(leaf, leaf + 1 if is_item else page.blocks.end_leaf[block])
    end = row.start - 1 if step < 0 else row.stop
    columns = (elements.tags, elements.classes, elements.depths)
    for at in islice(range(leaf, end, step), MAX_LINE_LEAVES):
        element, text = leaves.elements[at], collapse(leaves.texts[at])
        if any(column[element] != column[start] for column in columns):
            between += f" {text}" if text else ""
            if between.count(" ") > MAX_WORDS_BETWEEN:
                return
            continue
        is_close = marked or not fold_letters(_drop_joints("", between))
        if has_joint(f"{between} ") or not is_close:
            return
        names = () if is_role(text) or marked != _is_marked(sources, at) else find_names(text)
        if len(names) != 1 or not (looks_like_name if marked else looks_like_person)(names[0]):
            return
        yield names[0]
        between = ""


def _find_rel_links(sources: MetadataSources) -> list[int]:
    return sources.find_rel("author")


def _is_marked(sources: MetadataSources, leaf: int) -> bool:
    """Return whether an element with only this leaf is named, linked or declared as an author."""
    page, elements = sources.page, sources.page.elements
    around = list(islice(elements.ancestors(page.leaves.elements[leaf]), LEVELS_OF_ROW))
    classes = [elements.classes[element] for element in around]
    if any(map(names_no_author, classes)):
        return False
    own = list(takewhile(lambda element: len(page.leaves_in(element)) == 1, around))
    urls = (f"/{sources.urls.get(element, '')}" for element in own)
    declared = (name for name, _ in sources.microdata("author", "author.name"))
    return (
        any(map(_names_group, classes))
        or any(map(_names_person, classes[: len(own)]))
        or any(map(_author_path, urls))
        or not set(own).isdisjoint(sources.remember(_find_rel_links))
        or collapse(page.leaves.texts[leaf]) in declared
    )


def _are_shown(sources: MetadataSources, names: Names) -> bool:
    words = (name.split()[-1] for name in names)
    return any(any(map(contains, sources.page.texts, repeat(word))) for word in words)


def _find_credited_names(sources: MetadataSources) -> frozenset[str]:
    texts, words = sources.page.texts, sources.words
    names: set[str] = set()
    for block in sorted(sources.remember(_find_near_blocks)):
        lead = match_credit(texts[block]) if words[block] <= MAX_BYLINE_WORDS else None
        if lead:
            rest = texts[block][lead.end() :]
            named = [rest] if fold_letters(rest) else texts[block + 1 : block + 2]
            names.update(fold_letters(name) for text in named for name in find_names(text))
    return frozenset(names)


# --- declared authors ---


def _read_names(texts: Iterable[object], *, prose: bool = False) -> Names:
    names = [text for text in texts if isinstance(text, str) and not _is_address(text)]
    return tuple(name for text in names for name in find_names(text, prose=prose))


def read_json_ld_authors(sources: MetadataSources) -> Iterator[Names]:
    """Yield the authors of the article and of the page."""
    for node in (sources.article, sources.web_page):
        texts: list[object] = []
        for author in sources.values(node, "author"):
            texts += _read_person(sources, author) if isinstance(author, dict) else [author]
        yield _read_names(texts)


def _mark_captions(sources: MetadataSources) -> BoolArray:
    return sources.page.in_tags(CAPTION_TAGS)


def _read_person(sources: MetadataSources, author: Node) -> list[object]:
    parts = (sources.text(author, "givenName"), sources.text(author, "familyName"))
    return sources.values(author, "name") or [" ".join(filter(None, parts))]


def read_microdata_authors(sources: MetadataSources) -> Iterator[Names]:
    """Yield the first author; further authors can be readers."""
    for name in ("author.name", "author"):
        authors = [t for t, scope in sources.microdata(name) if scope not in OTHER_SCOPES]
        names = [t for t in authors if not _is_address(t) and not _is_in_caption(sources, t)]
        yield _read_names(names[:1])


def _is_in_caption(sources: MetadataSources, name: str) -> bool:
    in_caption = sources.remember(_mark_captions)
    blocks = [block for block, text in enumerate(sources.page.texts) if name in text]
    classes = sources.page.elements.classes
    return bool(blocks) and all(
        in_caption[block] or SUPPLEMENTAL.regex.search(classes[sources.page.blocks.elements[block]])
        for block in blocks
    )


def read_author_metas(sources: MetadataSources) -> Iterator[Names]:
    """Yield the names of each `meta` named after authors."""
    for name in filter(_names_authors, sources.written_metas):
        yield _read_names(sources.metas(name), prose=True)


def _names_authors(meta: str) -> bool:
    is_named = meta.endswith(("author", "creator")) and not meta.startswith("twitter")
    return is_named or meta == "twitter:data1"


def _is_place(names: Names) -> bool:
    """Return whether names are several single words: "Frankfurt, Germany", not "dpa, AFP"."""
    return len(names) > 1 and " " not in "".join(names) and all(map(str.istitle, names))


# --- visible authors ---


def _find_near_blocks(sources: MetadataSources) -> list[int]:
    return _drop_lists(sources, sources.find_near(BLOCKS_BEFORE, BLOCKS_BELOW))


def _find_blocks_after(sources: MetadataSources) -> list[int]:
    return sources.find_after(BLOCKS_AFTER)


def _drop_lists(sources: MetadataSources, blocks: Iterable[int]) -> list[int]:
    """Return the blocks without those below the first heading after the text."""
    end = sources.remember(_find_heading_after)
    return [block for block in blocks if block <= end]


def _find_heading_after(sources: MetadataSources) -> int:
    tags, elements = sources.page.elements.tags, sources.page.blocks.elements
    start = sources.content[-1] + 1 if sources.content else len(elements)
    after = range(start, min(len(elements), start + BLOCKS_AFTER))
    return next((n for n in after if tags[elements[n]] in HEADING_TAGS), len(elements))


def read_rel_author(sources: MetadataSources) -> Iterator[Names]:
    """Yield the texts of links with rel=author near the headline."""
    near = sources.remember(_find_near_blocks)
    yield _read_names(_read_links(sources, sources.remember(_find_rel_links), near))


def read_author_links(sources: MetadataSources) -> Iterator[Names]:
    """Yield the texts of links to the page of an author, near the headline and after the text."""
    links = sources.remember(_find_author_links)
    yield _read_people(_read_links(sources, links, sources.remember(_find_near_blocks)))
    own = (link for link in links if _is_own(sources, sources.read_url(link)))
    links = sorted({*own, *sources.remember(_find_rel_links)})
    after = [*_drop_others(sources, sources.remember(_find_blocks_after))] if links else []
    yield from _read_signatures(sources, after)
    yield _read_people(_read_links(sources, links, after))


def _find_author_links(sources: MetadataSources) -> list[int]:
    blocks = sorted((*sources.remember(_find_near_blocks), *sources.remember(_find_blocks_after)))
    if not blocks:
        return []
    elements, ends = sources.page.blocks.elements, sources.page.elements.ends
    links, urls = list(sources.urls), sources.urls
    first = bisect_left(links, int(elements[blocks[0]]))
    end = bisect_left(links, ends[int(elements[blocks[-1]])])
    return [
        link
        for link in links[first:end]
        if _find_folders(urls[link]) and _author_path(f"/{urls[link]}")
    ]


def _is_own(sources: MetadataSources, url: str) -> bool:
    """Return whether a URL is on the site of the page: others are profiles on social networks."""
    return url.startswith("/") or sources.host[1] in split_host(url)[0]


def _read_people(texts: Iterable[str]) -> Names:
    # "All posts by Jane Doe"
    people = [find_names(read_inner_byline(text) or text) for text in texts]
    return tuple(names[0] for names in people if len(names) == 1 and _is_name(names[0]))


def _read_links(
    sources: MetadataSources, links: Sequence[int], blocks: Sequence[int]
) -> Iterator[str]:
    if not links:
        return
    in_caption = sources.remember(_mark_captions)
    near = frozenset(block for block in blocks if not in_caption[block])
    lines = map(sources.find_line, links)
    shown = (leaves for leaves in lines if sources.find_block(leaves) in near)
    yield from map(sources.join_leaves, islice(shown, MAX_LINKS))


def _is_name(name: str) -> bool:
    return " " not in name or looks_like_name(name)


def read_bylines(sources: MetadataSources) -> Iterator[Names]:
    """Yield bylines around the headline: first after "By", then by class, then after "by"."""
    lines = sources.remember(_find_lines)
    yield from _read_signed_lines(sources)
    named = sources.remember(_find_author_blocks)
    for block in filter(named.__contains__, lines):
        names = find_names(_drop_site(sources, read_byline(lines[block]) or lines[block]))
        if all(map(looks_like_name, names)):
            yield names
    for text in lines.values():
        byline = None if text.endswith(".") else read_separate_byline(text)
        names = find_names(byline) if byline else ()
        if " " in "".join(names) and all(map(looks_like_name, names)):
            yield names


def _read_signed_lines(sources: MetadataSources) -> Iterator[Names]:
    """Yield the names in the lines around the headline that start with "By" or the like.

    A line that is only "By" belongs to the next one.
    """
    for block, text in sources.remember(_find_lines).items():
        names = _read_signed(sources, block, text)
        own = sources.own_names
        if names and all(looks_like_name(name) or _is_site(name, own) for name in names):
            yield names


def _read_signed(sources: MetadataSources, block: int, text: str) -> Names:
    """Return the names in a line that starts with "By", or is only "By" and belongs to the next."""
    if not find_signs(text):
        return ()
    page = sources.page
    is_short = sources.words[block] <= MAX_LEAD_WORDS
    is_lead = (
        is_short and is_only_lead(text) and not page.link_words[block] and block + 1 < len(page)
    )
    line = f"{text} {page.texts[block + 1]}" if is_lead else text
    byline = read_byline(line)
    if byline is None and (person := read_after_role(line)) and is_byline(f"by {person}"):
        byline = person
    return find_names(_drop_site(sources, byline)) if byline else ()


def _drop_site(sources: MetadataSources, byline: str) -> str:
    """Return a byline without the site's name behind a person: "Jane Doe of the Harbour Mail"."""
    words = byline.split()
    for end in range(MIN_NAME_WORDS, len(words) - 1):
        key = fold_letters("".join(words[end:]))
        if not sources.own_names.isdisjoint((key, f"the{key}")):
            while end > MIN_NAME_WORDS and words[end - 1].islower():
                end -= 1  # noqa: PLW2901 - "of the"
            return " ".join(words[:end])
    return byline


def _find_lines(sources: MetadataSources) -> dict[int, str]:
    """Return the short blocks around the headline with their texts, first the blocks below it.

    Comments, related links, captions and credits are left out.
    """
    return {
        block: _read_line(sources, block)
        for block in _drop_others(sources, sources.remember(_find_near_blocks))
    }


def _drop_others(sources: MetadataSources, blocks: Iterable[int]) -> Iterator[int]:
    in_caption = sources.remember(_mark_captions)
    for block in blocks:
        if (
            sources.words[block] <= MAX_BYLINE_WORDS
            and sources.labels[block] not in OTHER_LABELS
            and not in_caption[block]
            and not match_credit(sources.page.texts[block])
        ):
            yield block


def _read_line(sources: MetadataSources, block: int) -> str:
    """Return the text of a block, with a bar where inline elements have no space between them."""
    leaves, text = sources.page.leaves, sources.page.texts[block]
    blocks = sources.page.blocks
    first, end = int(blocks.first_leaf[block]), int(blocks.end_leaf[block])
    if not 1 < end - first <= MAX_LINE_LEAVES:
        return text
    for leaf in range(first + 1, end):
        before, after = leaves.texts[leaf - 1], leaves.texts[leaf]
        if before[-1:].isalpha() and after[:1].isalnum():
            last, following = before.split()[-1], after.split()[0]
            is_lead = bool(is_only_lead(before) or is_only_lead(following))
            is_end = after[0].isdigit() or (before[-1].islower() and after[0].isupper())
            is_end = is_end or read_cjk_credit(after) is not None
            if is_lead or is_end or leaves.in_link[leaf - 1] != leaves.in_link[leaf]:
                joint = " " if is_lead else " | "
                text = text.replace(last + following, f"{last}{joint}{following}", 1)
    return text


def _find_author_blocks(sources: MetadataSources) -> list[int]:
    page = sources.page
    is_author = sources.mark_names(AUTHOR)
    if is_author is None:
        return []
    names, parents = page.elements.names, np.maximum(page.elements.parent_column, 0)
    is_named = is_author[names.classes]
    element = page.blocks.elements
    parent = parents[element]
    # a short block can be the name in a box of the author
    outer = np.where(page.words <= SHORT_BLOCK_WORDS, parents[parent], parent)
    blocks = np.flatnonzero(is_named[element] | is_named[parent] | is_named[outer])
    around = [names.classes[column[blocks]] for column in (element, parent, outer)]
    is_other = np.zeros(len(names.strings), dtype=np.bool_)
    for name in {number for column in around for number in column.tolist()}:
        is_other[name] = names_no_author(names.strings[name]) is not None
    found: list[int] = blocks[~np.any([is_other[column] for column in around], axis=0)].tolist()
    return found


def read_author_blocks(sources: MetadataSources) -> Iterator[Names]:
    """Yield short blocks whose class names an author: a box after the text, or beside it."""
    named = sources.remember(_find_author_blocks)
    short = [block for block in named if sources.words[block] <= MAX_BYLINE_WORDS]
    if short:
        beside = sources.page.in_tags(BESIDE_TAGS)
        beside[sources.remember(_find_heading_after) :] = True
        in_list = sources.page.in_tags(LIST_TAGS) & beside
        short = [block for block in short if not in_list[block]]
    for block in short:
        if block > sources.headline_block:
            line = _read_line(sources, block)
            # a word in lower case inside a line is a word of the language, no account or agency
            start = (read_byline(line) or line).lstrip()
            names = [n for n in find_names(line) if not n.islower() or start.startswith(n)]
            # a phrase that has a name: "le service Monde et Europe"
            yield tuple(filter(_is_name, names)) if names and _is_name(names[0]) else ()
    yield _read_above(sources, [n for n in short if n < sources.headline_block])
    yield from _read_desks(sources, named)


def _read_above(sources: MetadataSources, blocks: Sequence[int]) -> Names:
    """Return the names in one box above the headline, or the only person there."""
    texts = [sources.page.texts[block] for block in blocks]
    lines = [find_names(text) for text in texts if not is_role(text)]
    names = tuple(dict.fromkeys(chain.from_iterable(lines)))
    people = tuple(filter(looks_like_person, names))
    row = _find_row(sources, names[0], blocks) if names else ()
    # a word is a name beside a role
    is_box = people or len(lines) < len(texts)
    return row if is_box and not set(people).difference(row) else people[: len(people) == 1]


def _read_desks(sources: MetadataSources, named: Sequence[int]) -> Iterator[Names]:
    """Yield "By News desk" in an element that is named after authors or links to one."""
    near = [*sources.remember(_find_near_blocks), *sources.remember(_find_blocks_after)]
    marked = {*named, *(block - 1 for block in named)}
    links = sources.remember(_find_author_links)
    marked.update(sources.find_block(sources.find_line(link)) for link in links)
    for block in _drop_others(sources, [block for block in near if block in marked]):
        names = _read_signed(sources, block, sources.page.texts[block])
        if names and all(map(looks_like_desk, names)):
            yield names


def read_dateline_names(sources: MetadataSources) -> Iterator[Names]:
    """Yield lines near the headline that are a name and a date, or a name beside a date."""
    texts, at = sources.page.texts, sources.headline_block
    near = range(max(0, at - 1), min(len(texts), at + 1 + BLOCKS_TO_DATE))
    dated = {n for n in near if sources.words[n] <= MAX_BYLINE_WORDS and _has_day(texts[n])}
    for block in filter(near.__contains__, sources.remember(_find_lines)):
        tag = sources.page.elements.tags[sources.page.blocks.elements[block]]
        # a heading below a date is one of the text
        above = () if tag in HEADING_TAGS else (block - 1, block)
        if not dated.isdisjoint((*above, block + 1)):
            rest = find_date_and_time.sub(" | ", texts[block]).strip(" |•·–—-,")
            names = find_names(rest)
            if all(map(looks_like_person, names)):
                yield names


def _has_day(text: str) -> bool:
    """Return whether a text has a date with a year; times and prices do not count."""
    return _has_digit(text) is not None and any(
        _names_day(match[0]) for match in find_date_and_time.finditer(text)
    )


def read_signatures(sources: MetadataSources) -> Iterator[Names]:
    """Yield bylines of people further below that start with "By" or a similar word.

    They are after the text, or not linked.
    """
    page, near = sources.page, max(sources.remember(_find_near_blocks), default=0)
    after = _drop_lists(sources, sources.remember(_find_blocks_after))
    is_short = (page.words <= MAX_BYLINE_WORDS) & (page.link_words == 0)
    first = after[0] if after else 0
    inside = np.flatnonzero(is_short[near + 1 : first]) + near + 1
    yield from _read_signatures(sources, (*_drop_others(sources, after), *inside.tolist()))


def _read_signatures(sources: MetadataSources, blocks: Iterable[int]) -> Iterator[Names]:
    for block in blocks:
        if not find_signs(sources.page.texts[block]):
            continue
        line = _read_line(sources, block)
        names = _read_signed(sources, block, line)
        if not (names and all(map(looks_like_name, names))):
            continue
        if looks_like_person(names[0]) or read_cjk_credit(line):
            yield names


AUTHOR_SOURCES: tuple[tuple[str, Callable[[MetadataSources], Iterator[Names]]], ...] = (
    ("json-ld", read_json_ld_authors),
    ("microdata", read_microdata_authors),
    ("meta", read_author_metas),
    ("rel author", read_rel_author),
    ("byline", read_bylines),
    ("author link", read_author_links),
    ("author block", read_author_blocks),
    ("signature", read_signatures),
    ("dateline", read_dateline_names),
)
# Sources that readers do not see.
DECLARED = frozenset({"json-ld", "microdata", "meta", "rel author"})
# Sources without elements of the page.
WITHOUT_ELEMENTS = frozenset({"json-ld", "meta"})
# Sources that are skipped once a source names the site as the author.
LAST_RESORTS = frozenset({"author link", "author block", "dateline"})
