"""The headline: every text that might be it (`candidates`), weighed by who says so, how they agree,
how it looks, and whether the address of the page spells it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from scrapy_boilerplate.metadata.candidates import Candidate, candidates_of
from scrapy_boilerplate.metadata.facts import Facts, letters
from scrapy_boilerplate.metadata.slug import Slug

WEIGHTS: Mapping[str, float] = {
    # who gives it
    "h1": 0.21,
    "h1 part": -1.08,
    "h1 bare": 1.00,
    "h1 with another line": -1.50,
    "headline block": 0.65,
    "json-ld": 0.49,
    "json-ld, not h1": 0.29,
    "json-ld page": 0.50,
    "og:title": 0.59,
    "og:title cut": 0.58,
    "og:title cut, no article": -0.64,
    "microdata": 0.44,
    "title": -1.38,
    "title, no article": 1.41,
    "title cut": -1.18,
    "title cut, no article": 0.42,
    "title part": -0.39,
    "title part, no article": 0.78,
    # how it looks, and how it fits what the others say
    "heading": 0.79,
    "visible": 0.63,
    "in titles": 0.52,
    "starts title": 0.80,
    "shared words": 1.73,
    "length": 0.68,
    "site name": -2.50,
    "uncut": -1.50,
    "one word": -0.40,
    "bar": -1.76,
    "dash": -0.54,
    "section cut": 0.07,
    "sentence": -1.12,
    "in address": 0.55,
    "of address": 1.11,
}
"""What speaks for a candidate, in log odds, as ``python -m benchmarks.headline_weights`` prints
it, `CHOSEN` apart: conditional logistic regression on the titles of fundus, trafilatura,
article-extraction and wcxb, on the sites with ``splits.position(site, "metadata") < .5``.
"no article": the page declares no article (JSON-LD, article:published_time, microdata)."""
CHOSEN: Mapping[str, float] = {
    "site name": -2.50,
    "uncut": -1.50,
    "h1 bare": 1.00,
    "h1 with another line": -1.50,
}
"""Weights that are our choice ("uncut": a name of site or section stands at an end). Fitted, they
leave names of sites where little else is declared; "uncut" of -.5 does at times, of -2.5 cuts too
much (tests of titles; on the development pages it is .816, .812 and .804 right on wcxb). Fitted
on the few pages with another line in their h1, such lines stay ("h1 bare" .26); chosen as here, as
many pages are right by folds of sites."""
HEADINGS = frozenset("h1 h2 h3 h4 h5 h6".split())
_dash = re.compile(r"\s[-–—]\s").search


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
        self._slug = Slug(page.url or facts.canonical_link)
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
        values["sentence"] = found.text.endswith(".")
        values["in address"], values["of address"] = self._slug.shares(found.text)
        values["shared words"] = len(tokens & self._tokens) / max(1, len(tokens | self._tokens))
        return values


_CUT = frozenset({"json-ld cut", "og:title cut", "title cut"})


def _tokens(texts: Iterable[str]) -> set[str]:
    return {word for text in texts for word in text.casefold().split()}
