"""Dates of publication and of the last change: each the first date in its tables of sources."""

import logging
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from datetime import date, datetime
from functools import cache
from importlib import import_module
from itertools import chain, pairwise
from operator import itemgetter

from lxml import etree

from scrapy_boilerplate.metadata.date_parsing import (
    MAX_LENGTH,
    drop_dates,
    find_earliest,
    parse_date,
)
from scrapy_boilerplate.metadata.person_names import (
    find_date_and_time,
    find_names,
    looks_like_person,
    read_inner_byline,
)
from scrapy_boilerplate.metadata.sources import (
    OTHER_LABELS,
    MetadataSources,
    Source,
    Values,
    read_json_ld,
    read_microdata,
)
from scrapy_boilerplate.native.steps import join_words
from scrapy_boilerplate.page.labels import BoolArray
from scrapy_boilerplate.page.text import drop_controls, split_words
from scrapy_boilerplate.steps.class_names import LatePattern

# Maximum words of a dateline.
MAX_DATELINE_WORDS = 20
# Words of a dateline besides dates, times and names, at most: "last updated on" and the like.
MAX_WORDS_BESIDE = 3
# Characters at the end of sentences, which a dateline does not have.
ENDS_OF_SENTENCES = tuple(".!?…:。！？।؟–—-")
# Characters at the start of a paragraph in which a date is searched.
PARAGRAPH_CHARACTERS = 40
# Blocks below the headline in which a date needs no second source.
BLOCKS_BELOW = 4
# Elements of quoted posts and of text beside the article.
OTHER_TAGS = frozenset({"blockquote", "aside"})
# Characters before a `time` element that say what it is.
LABEL_CHARACTERS = 40
# `time` elements that are read.
MAX_TIMES = 10
# Blocks before and after the headline in which a dateline is searched.
BLOCKS_AROUND = 12

# Characters of HTML and elements of pages that htmldate searches (larger pages are
# rarely articles, and a search takes longer than all other metadata).
MAX_CHARACTERS, MAX_ELEMENTS = 500_000, 20_000

# Match what nearly every day has that htmldate finds: numbers with one sign between them, a year
# behind a day and a month, or before them.
_may_have_day = re.compile(
    r"\d(?:([-/.])[0-3]?\d\1[0-39]\d(?:\d\d)?(?!\d)|"
    r"(?:st|nd|rd|th)?[,.]?\s+(?:(?:of\s+)?[^\W\d_]{3,}[,.]?\s+)?(?:199|20[0-3])\d(?!\d)|"
    r"(?:(?<=1)99|(?<=2)0[0-3])\d(?:[01]\d[0-3]\d(?![^\WTZ])|(\s?[-/._,]\s?|\s)[01]?\d\2[0-3]?\d(?!\d)|"
    r"[-/.,]?\s*[^\W\d_]{3,}[-/.]?\s*[0-3]?\d(?!\d)))"
).search
# JSON-LD, which was read, and drawings, with numbers like days. A comment can hold many start tags:
# the search ends at the next.
_drop_elements = re.compile(
    r"<s(?:cript[^<>]*ld\+json(?:[^<]++|<(?!/?script))*+</script|vg\b(?:[^<]++|<(?!/?svg\b))*+</svg)>"
).sub
# URLs of pictures, whose days are often older than the page.
_drop_sources = re.compile(r'src(?:set)?="[^"]*"').sub

logger = logging.getLogger(__name__)

# Match the names of `meta` elements with dates.
_names_publication = re.compile(
    r"^(?!.*last).*(?:publi|pub-?date)|^(?:dc\.)?date(?:\.issued)?$"
).search
_names_modification = re.compile(r"modif|updated|lastmod|revised").search


_has_digit = re.compile(r"\d").search
# What every date has: a long year, or two numbers after a sign or a word.
_may_have_date = re.compile(r"\d{4}|年|\d\s?[./-]\s?\d|[^\W\d_]\.?[\s-]+[’']?\d\d").search
_find_year = re.compile(r"\d{4}|年").search
_find_next_year = re.compile(r"[^\d年](?:\d{4}|年)").search
_ends_line = re.compile(r"\w*\W*$").match
_split_numbers = re.compile(r"\d").split
# In lower case, the search is faster.
_changes = LatePattern(
    join_words(
        "updat|modif|edited|reviewed|aktuali[sz]|geändert|actuali|aggiorn|mis à jour|atualiz|"
        "bijgewerkt|更新|수정|обновл|оновл|zmodyfik|ενημέρω|ενημερώ|uppdater|opp?dater|güncelle|"
        "อัปเดต|अपडेट|cập nhật|تحديث|به‌روز|frissít|päivit|actualitz|ažurir|обновен|pakeist|"
        "atjaun|diperbarui|dikemas|עודכן|atnaujin|uuendat|posodob|আপডেট|হালনাগাদ|அப்டேட்|"
        "sprememb|изменен|změn|ανανέω".split("|")
    )
)
_find_change = _changes.search
_publications = LatePattern(
    join_words(
        "publi|posted|veröffentlich|erschienen|erstellt|opubl|gepost|geplaatst|pubbli|yayın|"
        "δημοσί|opprettet|julkais|megjelen|发布|發布|掲載|公開|등록|입력|入力|đăng|نشر|منتشر|objav|oprett|"
        "udgiv|опублик|опублік|публикув|प्रकाशित|เผยแพร่|انتشار|diterbit|פורסם|paskelb|avaldat|"
        "প্রকাশ".split("|")
    )
)

# "/2015/08/150803-ferry/" has the day with a short year.
_short_date_in_url = re.compile(r"(?<!\d)20(\d{2})/(\d{2})/\1\2(\d{2})(?!\d)").search
_date_in_url = re.compile(
    r"(?<!\d)(20\d{2})[/-]?(0[1-9]|1[0-2])[/-]?(0[1-9]|[12]\d|3[01])(?!\d)"
).search


def find_date_published(sources: MetadataSources) -> tuple[str, str] | None:
    """Return (date of publication, source); None if no source has one.

    The first declared date wins, unless a visible date near the headline is another one that the
    page declares, or is right below the headline.
    """
    declared = next(_read_dates(sources, DECLARED), None)
    if declared is not None:
        return _find_better_shown(sources, declared[0]) or declared
    if shown := next(_read_dates(sources, SHOWN), None):
        return shown
    changed = sources.remember(_find_change_date)
    others = _read_dates(sources, (*SHOWN_AFTER, *LAST_RESORTS))
    # a date after the last change is that of another article
    return next(
        (found for found in others if not (changed and _is_before(changed[0], found[0]))), None
    )


def _find_change_date(sources: MetadataSources) -> tuple[str, str] | None:
    return next(_read_dates(sources, MODIFIED), None)


def find_date_modified(sources: MetadataSources) -> tuple[str, str] | None:
    """Return (date of the last change, source); None without one, or before the publication."""
    modified = sources.remember(_find_change_date)
    published = sources.remember(find_date_published) if modified else None
    return None if modified and published and _is_before(modified[0], published[0]) else modified


def _is_before(moment: str, other: str) -> bool:
    """Return whether a moment is before another one; only days are compared without offsets."""
    first, second = datetime.fromisoformat(moment), datetime.fromisoformat(other)
    if first.tzinfo and second.tzinfo:
        return first < second
    return first.date() < second.date()


def _read_dates(sources: MetadataSources, table: tuple[Source, ...]) -> Iterator[tuple[str, str]]:
    for name, read in table:
        for text in read(sources):
            if not text:
                continue
            if text not in sources.moments:
                sources.moments[text] = parse_date(text, sources.date_language)
            if moment := sources.moments[text]:
                yield moment, name


def _find_better_shown(sources: MetadataSources, declared: str) -> tuple[str, str] | None:
    """Return (date, source) of the visible date that is better than the declared one, or None."""
    shown = []
    for moment, name in _read_dates(sources, SHOWN):
        if moment[:10] == declared[:10]:
            return None
        shown.append((moment, name))
    if not shown:
        return None
    others = [moment for moment, _ in _read_dates(sources, (*CHANGED, *DECLARED))]
    year, month, day = declared[:10].split("-")
    for moment, name in shown:
        is_swapped = moment[:10] == f"{year}-{day}-{month}"
        if is_swapped or any(_count_days(moment, other) <= 1 for other in others):
            return moment, name
    return next(_read_dates(sources, (("dateline", read_close_lines),)), None)


def _count_days(moment: str, other: str) -> int:
    return abs((date.fromisoformat(moment[:10]) - date.fromisoformat(other[:10])).days)


def read_dated_metas(
    first: str, is_named: Callable[[str], object]
) -> Callable[[MetadataSources], Values]:
    """Return a source: the contents of the `meta` `first`, then of others with such names."""

    def read(sources: MetadataSources) -> Values:
        for name in (first, *sources.written_metas):
            if name in sources.written_metas and (name == first or is_named(name)):
                yield from sources.metas(name)

    return read


def read_times(sources: MetadataSources) -> Values:
    """Yield the dates of the `time` elements from headline to text.

    Dates of changes, and of quoted or other articles, do not count.
    """
    elements, content = sources.page.blocks.elements, sources.content
    first = int(elements[sources.headlines[0]]) if sources.headlines else 0
    last = int(elements[content[-1]]) if content else len(sources.page.elements)
    times = [(n, stamp) for n, stamp in sources.page.declared.times if stamp and first <= n <= last]
    return _read_stamps(sources, times[:MAX_TIMES])


def read_times_after(sources: MetadataSources) -> Values:
    """Yield the dates of the `time` elements in the lines after the text."""
    if not sources.page.declared.times:
        return ()
    after = frozenset(sources.find_after(BLOCKS_AROUND))
    times = [
        (element, stamp)
        for element, stamp in sources.page.declared.times
        if stamp and sources.find_block(sources.find_line(element)) in after
    ]
    return _read_stamps(sources, times[:MAX_TIMES])


def _read_stamps(sources: MetadataSources, times: list[tuple[int, str]]) -> Iterator[str]:
    for element, stamp in times:
        block = sources.find_block(sources.find_line(element))
        is_own = block < 0 or _is_own(sources, block)
        if is_own and not _find_change(_read_label(sources, element)):
            yield stamp


def read_lines_after(*, changed: bool) -> Callable[[MetadataSources], Values]:
    """Return a source: the lines after the text, only or without those about changes."""
    return lambda sources: [
        text for text, is_change in sources.remember(_read_lines_after) if is_change is changed
    ]


def _read_lines_after(sources: MetadataSources) -> list[tuple[str, bool]]:
    texts = _read_short_blocks(sources, sources.find_after(BLOCKS_AROUND))
    return list(chain.from_iterable(map(_split_line, texts)))


def _read_label(sources: MetadataSources, element: int) -> str:
    """Return the text of a `time` element and of the line before it, in lower case."""
    leaves = sources.find_line(element)
    block = sources.find_block(leaves)
    if block < 0:
        return ""
    first = int(sources.page.blocks.first_leaf[block])
    before = sources.join_leaves(range(max(first, leaves.start - 2), leaves.start))
    before = _split_numbers(before)[-1]
    label = before[-LABEL_CHARACTERS:] if sources.words[block] <= MAX_DATELINE_WORDS else ""
    changes = [match.start() for match in _changes.finditer(label.lower())]
    own = [match.start() for match in _publications.finditer(label.lower())]
    is_last = changes and changes[-1:] > own[-1:]
    return f"{label if is_last else ''} {sources.join_leaves(leaves)}".lower()


def _is_own(sources: MetadataSources, block: int) -> bool:
    in_other = sources.remember(_mark_others)
    is_inside = in_other is not None and in_other[block]
    return sources.labels[block] not in OTHER_LABELS and not is_inside


def _mark_others(sources: MetadataSources) -> BoolArray | None:
    """Return bool[n]: blocks in a quotation or beside the article; None where the headline is."""
    if not len(sources.page) or not sources.page.elements.has_any(OTHER_TAGS):
        return None
    inside = sources.page.in_tags(OTHER_TAGS)
    return None if inside[sources.headline_block] else inside


def read_datelines(*, changed: bool) -> Callable[[MetadataSources], Values]:
    """Return a source: the lines around the headline, only or without "updated 3 May"."""
    return lambda sources: [
        text for text, is_change in sources.remember(_read_dated_lines) if is_change is changed
    ]


def _read_dated_lines(sources: MetadataSources) -> list[tuple[str, bool]]:
    """Return (text, whether it is about a change) of lines with digits.

    First short blocks around the headline, then the starts of the paragraphs below it.
    """
    page, at, content = sources.page, sources.headline_block, sources.content
    below = range(at + 1, min(len(page), at + 1 + BLOCKS_AROUND))
    above = range(at - 1, max(-1, at - 1 - BLOCKS_AROUND), -1)
    lines: list[tuple[str, bool]] = []
    for text in _read_short_blocks(sources, (*below, *above)):
        parts = list(_split_line(text))
        # of two dates without a word that is known, the later one is that of a change
        year = _find_year(text) if len(parts) == 1 and not parts[0][1] else None
        if year and _find_next_year(text, year.end()):
            parts = [(find_earliest(text, sources.date_language) or text, False)]
        lines += parts
    for block in content[bisect_right(content, at) : bisect_right(content, at + BLOCKS_AROUND)]:
        text = page.texts[block][:PARAGRAPH_CHARACTERS]
        if _has_digit(text) and _may_have_date(text):
            lines += _split_line(text)
    return lines


def _split_line(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the parts of a line that are about the publication, then those about a change.

    "Updated 3 May, published 2 May", "2 May, updated 3 May" and "2 May, 3 May (updated)".
    """
    lowered = text.lower()
    text = text if len(lowered) == len(text) else lowered  # a place in both
    marks = [(*match.span(), True) for match in _changes.finditer(lowered)]
    if not marks:
        yield text, False
        return
    marks = sorted(marks + [(*match.span(), False) for match in _publications.finditer(lowered)])
    if not _ends_line(text, marks[-1][1]):
        starts = [(0, False), *((start, is_change) for start, _, is_change in marks)]
        bounds = [
            (start, end, is_change)
            for (start, is_change), (end, _) in pairwise([*starts, (len(text), False)])
        ]
    else:  # the words are behind their dates
        ends = [0, *(end for _, end, _ in marks)]
        bounds = [(*ends, mark[2]) for ends, mark in zip(pairwise(ends), marks, strict=True)]
    parts = [(text[start:end], is_change) for start, end, is_change in bounds]
    yield from sorted((part for part in parts if _has_digit(part[0])), key=itemgetter(1))


def _read_short_blocks(sources: MetadataSources, blocks: Iterable[int]) -> list[str]:
    texts, words = sources.page.texts, sources.words
    short = [n for n in blocks if words[n] <= MAX_DATELINE_WORDS and _has_digit(texts[n])]
    return [texts[n] for n in short if _may_have_date(texts[n]) and _is_own(sources, n)]


def is_dateline(text: str, language: str | None) -> bool:
    """Return whether a text is a date and few words: "Published 3 May 2024 by Jane Doe".

    False for a sentence ("It rained on 3 May 2024.") and for its start ("LONDON, 3 May 2024 -").
    """
    if len(text) > MAX_LENGTH or parse_date(text, language) is None:
        return False
    rest = find_date_and_time.sub(" ", drop_dates(text, language))
    words = [word for word in split_words(rest) if any(map(str.isalpha, word))]
    names = filter(looks_like_person, find_names(read_inner_byline(rest) or ""))
    beside = len(words) - sum(len(name.split()) for name in names)
    ends = bool(words) and rest.rstrip().endswith(ENDS_OF_SENTENCES)
    return beside <= MAX_WORDS_BESIDE and not ends


def read_close_lines(sources: MetadataSources) -> Values:
    """Return short blocks right below the headline."""
    at = sources.headline_block
    below = range(at + 1, min(len(sources.page), at + 1 + BLOCKS_BELOW))
    return [text for text in _read_short_blocks(sources, below) if not _find_change(text.lower())]


def read_other_lines(sources: MetadataSources) -> Values:
    """Yield every `time` and every short block."""
    for element, stamp in sources.page.declared.times:
        block = sources.find_block(sources.find_line(element))
        if block < 0 or _is_own(sources, block):
            yield stamp
    yield from _read_short_blocks(sources, range(len(sources.page)))


def read_url(sources: MetadataSources) -> Values:
    """Yield the day in the URL of the page."""
    url = sources.page.url or sources.canonical_link or ""
    if short := _short_date_in_url(url):
        yield "-".join((f"20{short[1]}", *short.groups()[1:]))
    if match := _date_in_url(url):
        yield "-".join(match.groups())


def read_htmldate(sources: MetadataSources) -> Values:
    """Yield the day that htmldate (extra [dates]) finds anywhere on the page.

    Yield nothing without the package or the page's tree, and on large pages.
    """
    find_date = load_htmldate()
    too_large = len(sources.page.elements) > MAX_ELEMENTS
    if find_date is None or sources.tree is None or too_large:
        return
    # a string, since htmldate takes only trees of lxml.html; it would download a string that begins
    # with "http", but this one begins with "<"
    html = etree.tostring(sources.tree, encoding="unicode", method="html", with_tail=False)
    if len(html) > MAX_CHARACTERS:
        return
    html = _drop_sources("", _drop_elements("", html))
    url = sources.page.url
    written = f"{html} {url}"
    if not _may_have_day(written):  # htmldate takes ten times as long
        return
    html = drop_controls(html)  # htmldate fails on them
    try:
        day = find_date(html, url=url, original_date=True, extensive_search=False)
    except Exception as error:
        logger.warning("htmldate failed on %s: %s: %s", url, type(error).__name__, error)
        logger.debug("Where it failed:", exc_info=error)
        return
    if day and _is_written(written, day):
        yield day


def _is_written(text: str, moment: str) -> bool:
    """Return whether a text has a whole date: htmldate makes 1 February of 31.02.2024."""
    year, month, day = moment.split("-")
    y, m, d = f"(?:{year[:2]})?{year[2:]}", f"0?{int(month)}", f"0?{int(day)}"
    word = r"[^\d<>\"=]{1,25}"
    forms = (
        f"{year}{month}{day}",
        rf"{year}\D{{1,3}}{m}\D{{1,3}}{d}",
        rf"{d}\D{{1,3}}{m}\D{{1,3}}{y}",
        f"{d}{word}{y}",
        f"{year}{word}{d}",
    )
    return re.search(rf"(?<!\d)(?:{'|'.join(forms)})(?!\d)", text) is not None


@cache
def load_htmldate() -> Callable[..., str | None] | None:
    """Return the `find_date` of htmldate; None without the package."""
    try:
        find_date: Callable[..., str | None] = import_module("htmldate").find_date
    except ImportError:
        return None
    return find_date


# Sources that are declared for programs.
DECLARED: tuple[Source, ...] = (
    ("json-ld", read_json_ld("datePublished")),
    ("meta", read_dated_metas("article:published_time", _names_publication)),
    ("microdata", read_microdata("datepublished")),
    ("json-ld page", read_json_ld("datePublished", of_page=True)),
)
# Sources that readers see.
SHOWN: tuple[Source, ...] = (
    ("time", read_times),
    ("dateline", read_datelines(changed=False)),
)
# Dates after the text can be those of other articles: they correct no declared date.
SHOWN_AFTER: tuple[Source, ...] = (
    ("time", read_times_after),
    ("dateline", read_lines_after(changed=False)),
)
CHANGED: tuple[Source, ...] = (
    ("json-ld", read_json_ld("dateModified")),
    ("meta", read_dated_metas("article:modified_time", _names_modification)),
)
# Read if the sources above have no date of publication.
LAST_RESORTS: tuple[Source, ...] = (
    ("url", read_url),
    ("text", read_other_lines),
    ("htmldate", read_htmldate),
)
MODIFIED: tuple[Source, ...] = (
    *CHANGED,
    ("microdata", read_microdata("datemodified")),
    ("json-ld page", read_json_ld("dateModified", of_page=True)),
    ("dateline", read_datelines(changed=True)),
    ("dateline", read_lines_after(changed=True)),
)
