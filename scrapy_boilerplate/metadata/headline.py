"""The headline: every text that might be it, weighed by who says so and how they agree.

Candidates are the h1 elements, the labelled headline block, JSON-LD, og:title, microdata and
`<title>`, each as written and without the names of the site at its ends. Texts with the same
letters and digits are one candidate, so that sources agree in spite of other quotes and dashes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import islice, pairwise

import numpy as np

from scrapy_boilerplate.label import Label
from scrapy_boilerplate.metadata.about import section
from scrapy_boilerplate.metadata.facts import Facts, letters
from scrapy_boilerplate.metadata.titles import parts_of, without_end, without_names

WEIGHTS: Mapping[str, float] = {
    # who gives it
    "h1": 0.17,
    "h1 part": -0.91,
    "headline block": 0.73,
    "json-ld": 0.54,
    "json-ld, not h1": 0.75,
    "json-ld page": 0.44,
    "og:title": 0.61,
    "og:title cut": 0.60,
    "og:title cut, no article": -0.61,
    "microdata": 0.48,
    "title": -1.29,
    "title, no article": 1.39,
    "title cut": -1.26,
    "title cut, no article": 0.35,
    "title part": -0.30,
    "title part, no article": 0.71,
    # how it looks, and how it fits what the others say
    "heading": 0.93,
    "visible": 0.55,
    "in titles": 0.62,
    "starts title": 0.88,
    "shared words": 1.97,
    "length": 0.71,
    "site name": -2.50,
    "uncut": -1.50,
    "one word": -0.58,
    "bar": -1.79,
    "dash": -0.62,
    "section cut": 0.03,
}
"""What speaks for a candidate, in log odds, as ``python -m benchmarks.headline_weights`` prints
it, `CHOSEN` apart: conditional logistic regression on the titles of fundus, trafilatura,
article-extraction and wcxb, on the sites with ``splits.position(site, "metadata") < .5``.
"no article": the page declares no article (JSON-LD, article:published_time, microdata)."""
CHOSEN: Mapping[str, float] = {"site name": -2.5, "uncut": -1.5}
"""Weights that are our choice ("uncut": a name of site or section stands at an end). Fitted, they
leave names of sites where little else is declared; "uncut" of -.5 does at times, of -2.5 cuts too
much (tests of titles; on the development pages it is .816, .812 and .804 right on wcxb)."""
HEADINGS = frozenset("h1 h2 h3 h4 h5 h6".split())
LIMIT = 500
"""Characters of a text that can be a headline; the longest title of the development
pages has 257."""
MANY = 10
"""Elements h1, and parts of a title, that are looked at."""

_dash = re.compile(r"\s[-–—]\s").search
_without_soft_hyphens = partial(re.compile("[\u00ad\u200b]").sub, "")


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
    names = facts.own_names
    told = section(facts)
    sections = frozenset({letters(told[0])} if told else ())
    found: dict[str, Candidate] = {}

    def add(source: str, text: str | None) -> None:
        key = letters(text) if text and len(text) <= LIMIT else ""
        if text and key:
            candidate = found.get(key)
            if candidate is None:
                candidate = found[key] = Candidate(_without_soft_hyphens(text).strip())
            if source not in candidate.sources:
                candidate.sources.append(source)

    cuts: dict[str, str] = {}

    def add_cut(source: str, text: str | None) -> None:
        add(source, text)
        if text and len(text) <= LIMIT:
            cut = cuts[text] if text in cuts else cuts.setdefault(text, without_names(text, names))
            add(f"{source} cut", cut)
            if cut != text.strip():
                add("uncut", text)
            if shorter := without_end(cut, sections):
                add("section cut", shorter)
                add("uncut", cut)

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
    for element in islice(_tops(page.elements.tags), MANY):
        inside = facts.blocks_in(element)
        add_cut("h1", " ".join(page.texts[block] for block in inside))
        for block in inside if 1 < len(inside) <= MANY else ():
            add("h1 part", page.texts[block])
    for block in np.flatnonzero(facts.labeling.labels == Label.HEADLINE).tolist():
        add("headline block", page.texts[block])


def _tops(tags: list[str]) -> Iterator[int]:
    found = -1
    for _ in range(tags.count("h1")):
        found = tags.index("h1", found + 1)
        yield found


def _add_parts(title: str, add: Add) -> None:
    spans = parts_of(title)[:MANY] if len(title) <= LIMIT else []
    for (_, end), (start, _) in pairwise(spans):
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
        self._names = facts.own_names
        declared = (facts.meta("og:title"), facts.meta("twitter:title"), page.title)
        titles = [text for text in (facts.text(facts.article, "headline"), *declared) if text]
        self._titles = [letters(title) for title in titles]
        self._title = letters(page.title)
        self._tokens = _tokens(
            found.text for found in candidates.values() if _CUT.intersection(found.sources)
        )
        wanted = {found.text for found in candidates.values()}
        seen = [block for block, text in enumerate(page.texts) if text in wanted]
        self._visible = {page.texts[block] for block in seen}
        tags, elements = page.elements.tags, page.blocks.elements
        self._headings = {page.texts[block] for block in seen if tags[elements[block]] in HEADINGS}
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
        values["heading"] = found.text in self._headings
        values["visible"] = found.text in self._visible
        values["site name"] = key in self._names
        values["one word"] = words == 1 and len(key) < 15
        values["bar"] = "|" in found.text
        values["dash"] = _dash(found.text) is not None
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
