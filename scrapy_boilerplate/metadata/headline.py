"""The headline: the candidate with the highest score.

A candidate is a text of a heading or of the metadata, as written or without the names of the site.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import compress, count, islice, pairwise
from urllib.parse import unquote, urlsplit

import numpy as np

from scrapy_boilerplate.metadata.sources import MetadataSources
from scrapy_boilerplate.steps.class_names import names_headline_aside
from scrapy_boilerplate.steps.titles import HEADING_TAGS, fold_letters, title_separator

# Characters of a headline at most (docs/provenance.md).
MAX_LENGTH = 500
# h1 elements, blocks of an h1 and parts of a title that are read at most.
MAX_PARTS = 10
# Text nodes of an h1 that are read at most, to leave out another line in it.
MAX_LEAVES = 50

# Sources that give a text as written; the others give a part of one.
WHOLE_SOURCES = frozenset(("h1", "headline block", "json-ld", "og:title", "json-ld page", "title"))
# Sources that give a title without names of the site.
CUT_SOURCES = frozenset({"json-ld cut", "og:title cut", "title cut"})
# Sources of a candidate that needs no score, and those that such a candidate has not.
AGREEING_SOURCES = frozenset({"h1", "headline block", "og:title cut", "title cut"})
DISPUTED_SOURCES = frozenset({"uncut", "h1 with another line"})

# Feature of a candidate to its weight in log odds: conditional logistic regression on the titles of
# fundus, trafilatura, article-extraction and wcxb, on the sites with
# ``site_position(site, "metadata") < .5``; FIXED_WEIGHTS are not fitted.
# "no article": the page declares no article (JSON-LD, article:published_time, microdata).
WEIGHTS: Mapping[str, float] = {
    # its sources
    "h1": 0.21,
    "h1 bare": 1.00,
    "h1 with another line": -1.50,
    "headline block": 0.65,
    "json-ld": 0.49,
    "json-ld page": 0.50,
    "og:title": 0.59,
    "og:title cut": 0.58,
    "og:title cut, no article": -0.64,
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
    "site name": -2.50,
    "uncut": -1.50,
    "bar": -1.76,
    "dash": -0.54,
    "sentence": -1.12,
    "in address": 0.55,
    "of address": 1.11,
}
# Weights set by hand. Fitted ones choose names of sites where little else is declared, and
# texts with another line of an h1. "uncut": with a name of the site at the end.
FIXED_WEIGHTS: Mapping[str, float] = {
    "site name": -2.50,
    "uncut": -1.50,
    "h1 bare": 1.00,
    "h1 with another line": -1.50,
}

# Words of a slug at least; fewer name a section or a topic.
MIN_SLUG_WORDS = 3
# A part of a title that contains a name of the site is a name too, up to this many times its length
# ("The Daily" and "The Daily Online").
MAX_NAME_RATIO = 2.5
# Letters of a name that is searched in others; shorter ones match by chance.
MIN_NAME_LETTERS = 3

# Quotation marks, if both are in a title, else separators.
QUOTES = frozenset({"»", "«"})
_any_separator = re.compile(r"[|·•»«›‹—–:/~>*♥ㅣ｜│-]").search
_dash = re.compile(r"\s[-–—]\s").search
_words = re.compile(r"[^\W_]+").findall
_file_extension = re.compile(r"\.\w{2,5}$")
_drop_soft_hyphens = partial(re.compile("[\u00ad\u200b]").sub, "")


@dataclass
class HeadlineCandidate:
    """A text that may be the headline, as its first source spells it, and all its sources."""

    text: str
    sources: list[str] = field(default_factory=list)


def find_headline(sources: MetadataSources) -> tuple[str, str] | None:
    """Return (headline, its sources); None without any candidate."""
    candidates = collect_candidates(sources)
    if not candidates:
        return None
    best = _find_undisputed(candidates)
    if best is None:
        features = HeadlineFeatures(sources, candidates)
        scores = {}
        for key in candidates:
            score = 0.0
            for name, value in features.compute(key).items():
                score += WEIGHTS.get(name, 0.0) * value
            scores[key] = score
        best = candidates[max(candidates, key=scores.__getitem__)]
    whole = [source for source in best.sources if source in WHOLE_SOURCES]
    return best.text, " + ".join(whole or best.sources[:1])


def _find_undisputed(candidates: Mapping[str, HeadlineCandidate]) -> HeadlineCandidate | None:
    """Return the only candidate, or the one that heading, label and all titles agree on.

    It has the highest score on every page of the corpora that has one (docs/provenance.md).
    """
    if len(candidates) == 1:
        return next(iter(candidates.values()))
    agreed = None
    for candidate in candidates.values():
        if AGREEING_SOURCES.issubset(candidate.sources):
            agreed = candidate if DISPUTED_SOURCES.isdisjoint(candidate.sources) else None
        elif "json-ld" in candidate.sources:
            return None
    return agreed


def collect_candidates(sources: MetadataSources) -> dict[str, HeadlineCandidate]:
    """Return the candidates by their letters and digits (`fold_letters`), in source order.

    Texts that differ only in quotes, dashes or case are one candidate.
    """
    candidates: dict[str, HeadlineCandidate] = {}
    # most pages write one text in several places
    cut_title = cache(partial(cut_names, names=sources.own_names))

    def add(source: str, text: str | None) -> None:
        key = fold_letters(text) if text and len(text) <= MAX_LENGTH else ""
        if text and key:
            if key not in candidates:
                candidates[key] = HeadlineCandidate(_drop_soft_hyphens(text).strip())
            if source not in candidates[key].sources:
                candidates[key].sources.append(source)

    def add_with_cut(source: str, text: str | None) -> None:
        add(source, text)
        if text and len(text) <= MAX_LENGTH:
            cut = cut_title(text)
            add(f"{source} cut", cut)
            if cut != text.strip():
                add("uncut", text)

    _add_visible(sources, add, add_with_cut)
    title = sources.page.title
    add_with_cut("json-ld", sources.text(sources.article, "headline"))
    add_with_cut("og:title", sources.meta("og:title"))
    add_with_cut("og:title", sources.meta("twitter:title"))
    add("json-ld page", sources.text(sources.web_page, "name"))
    add_with_cut("title", title)
    parts = split_title(title)[:MAX_PARTS] if len(title) <= MAX_LENGTH else []
    for (_, end), (start, _) in pairwise(parts):
        add("title part", title[parts[0][0] : end])
        add("title part", title[start:])
    return candidates


AddCandidate = Callable[[str, str | None], None]


def _add_visible(sources: MetadataSources, add: AddCandidate, add_with_cut: AddCandidate) -> None:
    """Add the h1 elements and the labelled headline."""
    page = sources.page
    tags, ends, block_elements = page.elements.tags, page.elements.ends, page.blocks.elements
    heading = -1
    for _ in range(MAX_PARTS):
        try:
            heading = tags.index("h1", heading + 1)
        except ValueError:
            break
        inside = (block_elements >= heading) & (block_elements < ends[heading])
        texts = [page.texts[block] for block in np.flatnonzero(inside).tolist()]
        whole = " ".join(texts)
        bare = _read_without_asides(sources, heading)
        add("h1 bare", bare)
        add_with_cut("h1", whole)
        if bare and fold_letters(bare) != fold_letters(whole):
            add("h1 with another line", whole)
    for block in sources.headlines:
        add("headline block", page.texts[block])


def _read_without_asides(sources: MetadataSources, heading: int) -> str | None:
    """Return the text of a heading without kickers and the like; None if nothing is left out."""
    elements = sources.page.elements
    if not any(elements.classes[heading + 1 : elements.ends[heading]]):
        return None
    leaves = list(islice(sources.leaves_in(heading), MAX_LEAVES))
    aside: dict[int, bool] = {}
    kept = []
    for leaf in leaves:
        holder = element = sources.page.leaves.elements[leaf]
        if holder not in aside:
            while element > heading and not names_headline_aside(elements.classes[element]):
                element = elements.parents[element]
            aside[holder] = element > heading
        if not aside[holder]:
            kept.append(leaf)
    return sources.join_leaves(kept) if kept and len(kept) < len(leaves) else None


class HeadlineFeatures:
    """The features of the candidates of one page, numbers from 0 to 1."""

    def __init__(
        self, sources: MetadataSources, candidates: Mapping[str, HeadlineCandidate]
    ) -> None:
        page = sources.page
        self._candidates = candidates
        self._names = sources.own_names
        declared = (sources.meta("og:title"), sources.meta("twitter:title"), page.title)
        titles = (sources.text(sources.article, "headline"), *declared)
        self._titles = [fold_letters(title) for title in titles if title]
        self._title = fold_letters(page.title)
        texts, self._words = set(), set()
        for candidate in candidates.values():
            texts.add(candidate.text)
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
        features: dict[str, float] = dict.fromkeys(candidate.sources, 1.0)
        if self._no_article:
            for source in candidate.sources:
                features[f"{source}, no article"] = 1.0
        features["heading"] = text in self._headings
        features["visible"] = text in self._visible
        features["site name"] = key in self._names
        features["bar"] = "|" in text
        features["dash"] = _dash(text) is not None
        features["starts title"] = self._title.startswith(key)
        holding = [title for title in self._titles if key in title]
        features["in titles"] = len(holding) / max(1, len(self._titles))
        features["length"] = len(key) / self._longest
        features["sentence"] = text.endswith(".")
        features["in address"], features["of address"] = compare_slug(self._slug, text)
        features["shared words"] = len(words & self._words) / max(1, len(words | self._words))
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
    shared = sum(word in slug for word in content)
    return shared / max(1, len(content)), len(slug.intersection(words)) / len(slug)


def _is_content_word(word: str) -> bool:
    return len(word) > 1 and not word.isdigit()


def split_title(title: str) -> list[tuple[int, int]]:
    """Return (start, end) of each part between separators; at least one."""
    bounds, is_quoted = [0], "»" in title and "«" in title
    for match in title_separator.finditer(title):
        if not (is_quoted and match[0].strip() in QUOTES):
            bounds += match.span()
    bounds.append(len(title))
    return list(zip(bounds[::2], bounds[1::2], strict=True))


def cut_names(title: str, names: frozenset[str]) -> str:
    """Return `title` without the parts at its end that are `names` (as `fold_letters` gives them).

    The first part stays.
    """
    if not _any_separator(title):
        return title
    parts = split_title(title)
    while len(parts) > 1 and _is_site_name(title[slice(*parts[-1])], names):
        parts.pop()
    return title[: parts[-1][1]].strip()


def _is_site_name(part: str, names: frozenset[str]) -> bool:
    """Return whether a part of a title is one of `names`, contains one or is part of one."""
    key = fold_letters(part)
    if not key or key in names:
        return True
    for name in names:
        holds = (
            name in key and len(name) >= MIN_NAME_LETTERS and len(key) <= MAX_NAME_RATIO * len(name)
        )
        if holds or (len(key) >= MIN_NAME_LETTERS and key in name):
            return True
    return False
