"""The headline: every text that might be it, weighed by who says so and how they agree.

Candidates are the h1 elements, the labelled headline block, JSON-LD, og:title, microdata and
`<title>`, each as written and without the names of the site at its ends. Texts with the same letters
and digits are one candidate, so that sources agree in spite of other quotes and dashes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from scrapy_boilerplate.label import Label
from scrapy_boilerplate.metadata.facts import Facts, letters
from scrapy_boilerplate.metadata.titles import parts_of, site_names, without_names

WEIGHTS: Mapping[str, float] = {
    # who gives it
    "h1": 0.50,
    "h1 part": -0.58,
    "headline block": 0.61,
    "json-ld": 0.72,
    "json-ld, not h1": 0.78,
    "json-ld page": 0.23,
    "og:title": 0.47,
    "og:title cut": 0.57,
    "og:title cut, no article": -0.30,
    "microdata": 0.39,
    "title": -1.06,
    "title, no article": 0.26,
    "title cut": -0.68,
    "title cut, no article": 0.38,
    "title part": -0.58,
    "title part, no article": 0.92,
    # how it looks, and how it fits what the others say
    "heading": 1.04,
    "visible": 0.45,
    "in titles": 0.75,
    "starts title": 0.83,
    "shared words": 1.40,
    "length": 0.52,
    "site name": -0.29,
    "one word": -0.57,
    "bar": -1.48,
}
"""What speaks for a candidate, in log odds. Fitted by conditional logistic regression (penalty 2)
on the titles of fundus, trafilatura, article-extraction and wcxb, on the half of the sites with
``splits.position(site, "metadata") < .5`` (916 pages, 2026-11-21; pages weigh 4, 1.5, 2 and .6).
"no article": the page declares no article (JSON-LD, article:published_time, microdata)."""
HEADINGS = frozenset("h1 h2 h3 h4 h5 h6".split())
LIMIT = 500
"""Characters of a text that can be a headline; the longest of the corpora here has 220."""
MANY = 10
"""Elements h1, and parts of a title, that are looked at."""

_drop_soft_hyphens = str.maketrans("", "", "\u00ad\u200b")


@dataclass
class Candidate:
    """A text that might be the headline, as the first source spells it, and who gave it."""

    text: str
    sources: list[str] = field(default_factory=list)


def headline(facts: Facts) -> tuple[str, str] | None:
    """(headline, the sources that gave it), or None where nothing looks like one."""
    candidates = candidates_of(facts)
    if not candidates:
        return None
    weigh = Weighing(facts, candidates)
    key = max(candidates, key=weigh.score)
    found = candidates[key]
    given = [source for source in found.sources if source in SOURCES]
    return found.text, " + ".join(given or found.sources[:1])


def candidates_of(facts: Facts) -> dict[str, Candidate]:
    """The candidates by their letters, in the order of the sources."""
    names = frozenset(filter(None, map(letters, site_names(facts))))
    found: dict[str, Candidate] = {}

    def add(source: str, text: str | None) -> None:
        key = letters(text or "")[:LIMIT]
        if text and key and len(text) <= LIMIT:
            clean = text.translate(_drop_soft_hyphens).strip()
            sources = found.setdefault(key, Candidate(clean)).sources
            if source not in sources:
                sources.append(source)

    def add_cut(source: str, text: str | None) -> None:
        add(source, text)
        add(f"{source} cut", without_names(text, names) if text and len(text) <= LIMIT else None)

    _add_visible(facts, add, add_cut)
    add_cut("json-ld", facts.text(facts.article, "headline"))
    add_cut("og:title", facts.meta("og:title"))
    add_cut("og:title", facts.meta("twitter:title"))
    add("microdata", next((value for value, _ in facts.items("headline")), None))
    add("json-ld name", facts.text(facts.article, "name"))
    add("json-ld page", facts.text(facts.web_page, "name"))
    add_cut("title", facts.page.title)
    _add_parts(facts.page.title, add)
    return found


Add = Callable[[str, str | None], None]


def _add_visible(facts: Facts, add: Add, add_cut: Add) -> None:
    """The h1 elements, their blocks where they have several, and the labelled headline block."""
    page = facts.page
    tops = [element for element, tag in enumerate(page.elements.tags) if tag == "h1"]
    for element in tops[:MANY]:
        inside = facts.blocks_in(element)
        add_cut("h1", " ".join(page.texts[block] for block in inside))
        for block in inside if len(inside) > 1 else ():
            add("h1 part", page.texts[block])
    for block in np.flatnonzero(facts.labeling.labels == Label.HEADLINE).tolist():
        add("headline block", page.texts[block])


def _add_parts(title: str, add: Add) -> None:
    spans = parts_of(title)[:MANY] if len(title) <= LIMIT else []
    for start, end in spans:
        add("title part", title[spans[0][0] : end])
        add("title part", title[start:])


SOURCES = frozenset(
    ("h1", "headline block", "json-ld", "og:title", "microdata", "json-ld page", "title")
)
"""Sources that give a text as they write it; the others give a part of one."""


class Weighing:
    """What speaks for each candidate of one page, as numbers from 0 to 1."""

    def __init__(self, facts: Facts, candidates: Mapping[str, Candidate]) -> None:
        page = facts.page
        self._candidates = candidates
        self._names = frozenset(filter(None, map(letters, site_names(facts))))
        declared = (facts.meta("og:title"), facts.meta("twitter:title"), page.title)
        titles = [text for text in (facts.text(facts.article, "headline"), *declared) if text]
        self._titles = [letters(title) for title in titles]
        self._title = letters(page.title)
        self._tokens = _tokens(
            found.text for found in candidates.values() if _CUT.intersection(found.sources)
        )
        self._texts = {text.casefold() for text in page.texts if len(text) <= LIMIT}
        self._headings = {
            letters(page.texts[block]) for block in np.flatnonzero(page.in_tags(HEADINGS)).tolist()
        }
        self._longest = max(map(len, candidates))
        self._no_article = not (
            facts.article
            or facts.meta("article:published_time")
            or any(facts.items("headline", "datepublished"))
        )

    def score(self, key: str) -> float:
        """The weighted sum for one candidate."""
        return sum(WEIGHTS.get(name, 0.0) * value for name, value in self.features(key).items())

    def features(self, key: str) -> dict[str, float]:
        """What speaks for or against one candidate; names without an entry are 0."""
        found = self._candidates[key]
        words, tokens = len(found.text.split()), _tokens((found.text,))
        values: dict[str, float] = dict.fromkeys(found.sources, 1.0)
        if self._no_article:
            values.update((f"{source}, no article", 1.0) for source in found.sources)
        values["json-ld, not h1"] = "json-ld" in values and "h1" not in values
        values["heading"] = key in self._headings
        values["visible"] = found.text.casefold() in self._texts
        values["site name"] = key in self._names
        values["one word"] = words == 1 and len(key) < 15
        values["bar"] = "|" in found.text
        values["starts title"] = self._title.startswith(key)
        values["in titles"] = sum(key in title for title in self._titles) / max(
            1, len(self._titles)
        )
        values["length"] = len(key) / self._longest
        values["shared words"] = len(tokens & self._tokens) / max(1, len(tokens | self._tokens))
        return values


_CUT = frozenset({"json-ld cut", "og:title cut", "title cut"})


def _tokens(texts: Iterable[str]) -> set[str]:
    return {word for text in texts for word in text.casefold().split()}
