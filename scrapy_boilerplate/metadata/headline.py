"""The headline: the candidate with the highest score. The kicker: the line above it.

A candidate is a text of a heading or of the metadata, as written or without the names of the site.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, compress, count, pairwise
from urllib.parse import unquote, urlsplit

from scrapy_boilerplate.metadata.date_parsing import parse_date
from scrapy_boilerplate.metadata.sources import EMPTY_NAMES, MetadataSources
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.class_names import KICKER, names_headline_aside
from scrapy_boilerplate.steps.titles import HEADING_TAGS, fold_letters, title_separator

# Maximum characters of a headline (docs/provenance.md).
MAX_LENGTH = 500
# Maximum h1 elements, and parts of a title, that are read.
MAX_PARTS = 10
# Maximum words of a kicker, elements of it that are read, and blocks from it to the headline.
MAX_KICKER_WORDS, MAX_KICKER_ELEMENTS, MAX_KICKER_DISTANCE = 10, 50, 3
# Minimum words of the headline that stays when a kicker is cut off.
MIN_WORDS_AFTER_KICKER = 3

# Maximum blocks between a headline and its text, and minimum words of a headline there.
MAX_LINES_BETWEEN, MIN_WORDS_SHOWN = 4, 3

# Sources that give a text as written; the others give a part of one.
WHOLE_SOURCES = frozenset(("h1", "headline block", "json-ld", "og:title", "title"))
# Sources that give a title without names of the site.
CUT_SOURCES = frozenset({"json-ld cut", "og:title cut", "title cut"})
# Sources of declared headlines.
HEADLINE_SOURCES = frozenset({"json-ld", "og:title"})

# Feature of a candidate to its weight in log odds: conditional logistic regression on the titles of
# fundus, trafilatura, article-extraction and wcxb, on the sites with
# ``site_position(site, "metadata") < .5``; the last group was set by hand.
# "no article": the page declares no article (JSON-LD, article:published_time, microdata).
WEIGHTS: Mapping[str, float] = {
    # its sources
    "h1": 0.21,
    "headline block": 0.65,
    "json-ld": 0.49,
    "og:title": 0.59,
    "og:title cut": 0.58,
    "title": -1.38,
    "title, no article": 1.41,
    "title cut": -1.18,
    "title cut, no article": 0.42,
    "title part": -0.39,
    "title part, no article": 0.78,
    # its form, and its agreement with the other candidates and the URL
    "heading": 0.79,
    "visible": 0.63,
    "in titles": 0.52,
    "starts title": 0.80,
    "shared words": 1.73,
    "length": 0.68,
    "bar": -1.76,
    "dash": -0.54,
    "sentence": -1.12,
    "in URL": 0.55,
    "of URL": 1.11,
    # an h1 without another line, and with it; a title with a name of the site at the end
    "h1 bare": 1.00,
    "h1 with another line": -1.50,
    "uncut": -1.50,
    "site name": -2.50,
}

# Minimum words of a slug; fewer words name a section or a topic.
MIN_SLUG_WORDS = 3

_any_separator = re.compile(r"[|·•»«›‹—–:/~>*♥ㅣ｜│-]").search
# Separators around a text.
SEPARATORS = "|•·:/–—-"
_ends_with_separator = re.compile(r"(?:[:|]|\s[•·/–—-])\s*$").search
_dash = re.compile(r"\s[-–—]\s").search
_words = re.compile(r"[^\W_]+").findall
_file_extension = re.compile(r"\.\w{2,5}$")


@dataclass
class HeadlineCandidate:
    """A text that may be the headline, and all its sources.

    `text` is the text of the first source, without separators around it.
    """

    written: str
    text: str
    sources: list[str] = field(default_factory=list)


def find_headline(sources: MetadataSources) -> tuple[str, str] | None:
    """Return (headline, its sources); None without any candidate."""
    return sources.remember(_choose_headline)


def _choose_headline(sources: MetadataSources) -> tuple[str, str] | None:
    candidates = collect_candidates(sources)
    if not candidates:
        return None
    key = _find_shown(sources, candidates)
    if key is None:
        candidates.add_parts(sources)
        features = HeadlineFeatures(sources, candidates)
        key = max(candidates, key=lambda key: _score(features.compute(key)))
    best = _find_without_kicker(sources, candidates, key) or candidates[key]
    whole = [source for source in best.sources if source in WHOLE_SOURCES]
    return best.text, " + ".join(whole or best.sources[:1])


def _find_shown(sources: MetadataSources, candidates: _Candidates) -> str | None:
    """Return the only h1, or the first property "headline", right above the text; or None.

    Titles for search engines are often worded otherwise.
    """
    page, at = sources.page, sources.headline_block
    is_close = any(at < block <= at + MAX_LINES_BETWEEN for block in sources.content[:5])
    headings = [key for key, candidate in candidates.items() if "h1" in candidate.sources]
    if not sources.headlines or not is_close or len(headings) != 1:
        return None
    bare = [key for key, candidate in candidates.items() if "h1 bare" in candidate.sources]
    key, text = (bare or headings)[0], fold_letters(page.texts[at])
    # a line of the h1 that is a title of its own: the others are a kicker or a date
    if text != key and text in key:
        candidates.add_parts(sources)
        key = text if text in candidates and len(candidates[text].sources) > 1 else key
    words = candidates[key].text.split()
    is_long = len(words) >= MIN_WORDS_SHOWN or not candidates[key].text.isascii()
    title = sources.folded_title
    is_site = key in sources.own_names or (key != title and title.endswith(key))
    is_headline = bool(text) and text in key and not is_site
    return key if is_headline and is_long else None


def _score(features: Mapping[str, float]) -> float:
    return sum([WEIGHTS.get(name, 0.0) * value for name, value in features.items()])


def _find_without_kicker(
    sources: MetadataSources, candidates: Mapping[str, HeadlineCandidate], key: str
) -> HeadlineCandidate | None:
    """Return the declared headline of several words that a text repeats after a kicker, or None."""
    text = candidates[key].text
    for other, candidate in candidates.items():
        if other == key or not key.endswith(other) or not text.endswith(candidate.text):
            continue
        is_long = len(candidate.text.split()) >= MIN_WORDS_AFTER_KICKER
        is_headline = is_long and other not in sources.own_names
        if is_headline and not HEADLINE_SOURCES.isdisjoint(candidate.sources):
            kicker = text.removesuffix(candidate.text)
            is_named = fold_letters(kicker) == fold_letters(_read_named_kicker(sources, key) or "")
            if is_named or _ends_with_separator(kicker):
                return candidate
    return None


def find_kicker(sources: MetadataSources) -> tuple[str, str] | None:
    """Return (kicker, source): ``class`` of an element above the headline."""
    headline = find_headline(sources)
    kicker = _read_named_kicker(sources, fold_letters(headline[0])) if headline else None
    return (kicker, "class") if kicker else None


def _read_named_kicker(sources: MetadataSources, headline: str) -> str | None:
    """Return the nearest text above a headline, or at its start, in an element named as a kicker.

    `headline` as `fold_letters` gives it.
    """
    page, strings = sources.page, sources.page.elements.names.strings
    names = {strings[number] for number in sources.find_names(KICKER)}
    if not names or not len(page):
        return None
    holding = (block for block in sources.headlines if headline in fold_letters(page.texts[block]))
    at = next(holding, sources.headline_block)
    first = page.blocks.first_leaf[max(0, at - MAX_KICKER_DISTANCE)]
    opened, last = page.leaves.opened, page.blocks.end_leaf[at] - 1
    start, end, kicker = opened[first - 1] if first else 0, opened[last], None
    classes, ids = page.elements.classes[start:end], page.elements.ids[start:end]
    inside = 0
    for element, named in enumerate(zip(classes, ids, strict=True), start):
        if element >= inside and not names.isdisjoint(named):
            leaves = sources.find_line(element)
            text = _tidy_kicker(sources.join_leaves(leaves))
            end = min(page.elements.ends[element], element + MAX_KICKER_ELEMENTS)
            is_path = page.elements.tags[element:end].count("a") > 1  # breadcrumbs
            if text and not is_path and leaves[-1] <= last and headline not in fold_letters(text):
                kicker, inside = text, page.elements.ends[element]
    return kicker


def _tidy_kicker(text: str) -> str | None:
    """Return a text without separators around it; None if it is long, or a date, or no words."""
    if len(text) > MAX_LENGTH:
        return None
    text = _drop_outer_separators(text.strip()).rstrip(" :|")
    is_short = len(text.split()) <= MAX_KICKER_WORDS
    is_word = any(map(str.isalpha, text)) and fold_letters(text) not in EMPTY_NAMES
    return text if is_short and is_word and not parse_date(text) else None


def _drop_outer_separators(text: str) -> str:
    if not text or (text[0] not in SEPARATORS and text[-1] not in SEPARATORS):
        return text
    words = text.split()
    kept = [number for number, word in enumerate(words) if word.strip(SEPARATORS)]
    return " ".join(words[kept[0] : kept[-1] + 1]) if kept else text


class _Candidates(dict[str, HeadlineCandidate]):
    """The candidates by their letters and digits (`fold_letters`), in source order."""

    def __init__(self) -> None:
        super().__init__()
        # systems declare one title several times
        self._keys: dict[str, str] = {}
        self._titles: list[tuple[str, str]] = []

    def add(self, source: str, text: str | None) -> None:
        """Add a text."""
        if not text or len(text) > MAX_LENGTH:
            return
        if (key := self._keys.get(text)) is None:
            key = self._keys[text] = fold_letters(text)
        if not key:
            return
        if (candidate := self.get(key)) is None:
            written = text.strip()
            candidate = self[key] = HeadlineCandidate(written, _drop_outer_separators(written))
        if source not in candidate.sources:
            candidate.sources.append(source)

    def add_title(self, source: str, text: str | None) -> None:
        """Add a text that can have the name of the site at its end."""
        self.add(source, text)
        if text and len(text) <= MAX_LENGTH:
            self._titles.append((source, text))

    def add_parts(self, sources: MetadataSources) -> None:
        """Add the titles without the names of the site at their end, and parts of the page's."""
        cuts = {text: cut_names(text, sources.own_names) for _, text in self._titles}
        for source, text in self._titles:
            self.add(f"{source} cut", cuts[text])
            if cuts[text] != text.strip():
                self.add("uncut", text)
        self._titles.clear()
        title = sources.page.title
        parts = split_title(title)[:MAX_PARTS] if len(title) <= MAX_LENGTH else []
        for (_, end), (start, _) in pairwise(parts):
            self.add("title part", title[parts[0][0] : end])
            self.add("title part", title[start:])


def collect_candidates(sources: MetadataSources) -> _Candidates:
    """Return the candidates as written.

    Texts that differ only in quotes, dashes or case are one candidate.
    """
    page, candidates = sources.page, _Candidates()
    for heading in sources.headings[:MAX_PARTS]:
        leaves = sources.find_line(heading)
        whole, kept = sources.join_leaves(leaves), _drop_asides(page, heading, leaves)
        if 0 < len(kept) < len(leaves):
            bare = sources.join_leaves(kept)
            candidates.add("h1 bare", bare)
            if fold_letters(bare) != fold_letters(whole):
                candidates.add("h1 with another line", whole)
        candidates.add_title("h1", whole)
    for block in sources.headlines:
        candidates.add("headline block", page.texts[block])
    candidates.add_title("json-ld", sources.text(sources.article, "headline"))
    candidates.add_title("og:title", sources.meta("og:title"))
    candidates.add_title("og:title", sources.meta("twitter:title"))
    candidates.add_title("title", page.title)
    return candidates


@lru_cache(maxsize=4_096)
def _is_aside(name: str) -> bool:
    return names_headline_aside(name.lower()) is not None


def _drop_asides(page: Page, heading: int, leaves: Sequence[int]) -> Sequence[int]:
    elements, inside = page.elements, slice(heading + 1, page.elements.ends[heading])
    names, tags = elements.classes[inside], elements.tags[inside]
    if not leaves or not (any(names) or "button" in tags):
        return leaves
    asides = (
        element
        for element, name, tag in zip(count(heading + 1), names, tags, strict=False)
        if tag == "button" or (name and _is_aside(name))
    )
    dropped = set(chain.from_iterable(map(page.leaves_in, page.elements.outermost(asides))))
    return [leaf for leaf in leaves if leaf not in dropped]


class HeadlineFeatures:
    """The features of the candidates of one page, numbers from 0 to 1."""

    def __init__(
        self, sources: MetadataSources, candidates: Mapping[str, HeadlineCandidate]
    ) -> None:
        page = sources.page
        self._candidates = candidates
        declared = (sources.meta("og:title"), sources.meta("twitter:title"), page.title)
        titles = (sources.text(sources.article, "headline"), *declared)
        folded = {title: fold_letters(title) for title in titles if title}
        self._titles = [folded[title] for title in titles if title]
        self._names = sources.own_names
        self._title = folded.get(page.title, "")
        texts, self._words = set(), set()
        for candidate in candidates.values():
            texts.add(candidate.written)
            if not CUT_SOURCES.isdisjoint(candidate.sources):
                self._words.update(candidate.text.casefold().split())
        self._visible, self._headings = set(), set()
        tags, elements, lengths = page.elements.tags, page.blocks.elements, set(map(len, texts))
        # texts of other lengths are not hashed
        for block in compress(count(), map(lengths.__contains__, map(len, page.texts))):
            if (text := page.texts[block]) in texts:
                self._visible.add(text)
                if tags[elements[block]] in HEADING_TAGS:
                    self._headings.add(text)
        self._longest = max(map(len, candidates))
        self._slug = read_slug(page.url or sources.canonical_link)
        self._no_article = not (
            sources.article
            or sources.meta("article:published_time")
            or any(sources.microdata("headline", "datepublished"))
        )

    def compute(self, key: str) -> dict[str, float]:
        """Return the features of one candidate, by their names in `WEIGHTS`; missing ones are 0."""
        candidate = self._candidates[key]
        text, words = candidate.text, set(candidate.text.casefold().split())
        in_url, of_url = compare_slug(self._slug, text)
        features = {
            "heading": candidate.written in self._headings,
            "visible": candidate.written in self._visible,
            "site name": key in self._names,
            "bar": "|" in text,
            "dash": _dash(text) is not None,
            "starts title": self._title.startswith(key),
            "in titles": sum([key in title for title in self._titles]) / max(1, len(self._titles)),
            "length": len(key) / self._longest,
            "sentence": text.endswith("."),
            "in URL": in_url,
            "of URL": of_url,
            "shared words": len(words & self._words) / max(1, len(words | self._words)),
            **dict.fromkeys(candidate.sources, 1.0),
        }
        if self._no_article:
            features.update([(f"{source}, no article", 1.0) for source in candidate.sources])
        return features


def read_slug(url: str | None) -> frozenset[str]:
    """Return the words of the slug: the path segment with the most words, at least MIN_SLUG_WORDS.

    Most systems spell the first version of the headline there. Numbers are left out.
    """
    try:
        path = unquote(urlsplit(url or "").path)
    except ValueError:
        path = ""
    parts = [_words(_file_extension.sub("", part).casefold()) for part in path.split("/")]
    longest = max(parts, key=len)
    return frozenset(filter(_is_content_word, longest) if len(longest) >= MIN_SLUG_WORDS else ())


def compare_slug(slug: frozenset[str], text: str) -> tuple[float, float]:
    """Return (share of the words of `text` in the slug, share of the words of the slug in `text`).

    Without numbers.
    """
    if not slug:
        return 0.0, 0.0
    words = _words(text.casefold())
    content = list(filter(_is_content_word, words))
    shared = sum(map(slug.__contains__, content))
    return shared / max(1, len(content)), len(slug.intersection(words)) / len(slug)


def _is_content_word(word: str) -> bool:
    return len(word) > 1 and not word.isdigit()


def split_title(title: str) -> list[tuple[int, int]]:
    """Return (start, end) of each part between separators; at least one."""
    if not _any_separator(title):
        return [(0, len(title))]
    bounds = [0, *chain.from_iterable(map(re.Match.span, title_separator.finditer(title)))]
    bounds.append(len(title))
    return list(zip(bounds[::2], bounds[1::2], strict=True))


def cut_names(title: str, names: frozenset[str]) -> str:
    """Return `title` without the parts at its end that are `names` (as `fold_letters` gives them).

    The first part is kept.
    """
    parts = split_title(title)
    while len(parts) > 1 and fold_letters(title[slice(*parts[-1])]) in ("", *names):
        parts.pop()
    return title[: parts[-1][1]].strip()
