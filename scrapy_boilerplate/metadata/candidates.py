"""Every text of a page that might be its headline, and who gives it.

The h1 elements, the labelled headline block, JSON-LD, og:title, microdata and `<title>`, each as
written and without the names of the site at its ends. Texts with the same letters and digits are
one candidate, so that sources agree in spite of other quotes and dashes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import islice, pairwise

import numpy as np

from scrapy_boilerplate.label import Label
from scrapy_boilerplate.metadata.about import section
from scrapy_boilerplate.metadata.facts import Facts, letters
from scrapy_boilerplate.metadata.titles import parts_of, without_end, without_names

LIMIT = 500
"""Characters of a text that can be a headline; the longest title of the development
pages has 257."""
MANY = 10
"""Elements h1, and parts of a title, that are looked at."""
MOST_LEAVES = 50
"""Text nodes of an h1 that are looked at, for lines in it that are no part of the headline."""


_aside = re.compile(
    r"kicker|over-?line|top-?line|roof-?line|top-?title|pre-?title|super-?title|eyebrow|overtitle|"
    r"sub-?title|sub-?line|sub-?head|section|category|rubri|topic|label|badge|\btag\b|author|byline|"
    r"\bdate|hidden|sr-only|screen-reader|permalink|header-?link|anchor|autonumber|superscript|sku",
    re.IGNORECASE,
).search
"""Names of elements in an h1 that hold another line (development sites)."""
_without_soft_hyphens = partial(re.compile("[\u00ad\u200b]").sub, "")


@dataclass
class Candidate:
    """A text that might be the headline, as the first source spells it, and who gave it."""

    text: str
    sources: list[str] = field(default_factory=list)


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
        whole = " ".join(page.texts[block] for block in inside)
        bare = _bare(facts, element)
        add("h1 bare", bare)
        add_cut("h1", whole)
        add("h1 with another line", whole if bare and letters(bare) != letters(whole) else None)
        for block in inside if 1 < len(inside) <= MANY else ():
            add("h1 part", page.texts[block])
    for block in np.flatnonzero(facts.labeling.labels == Label.HEADLINE).tolist():
        add("headline block", page.texts[block])


def _bare(facts: Facts, heading: int) -> str | None:
    """The text of a heading but for what is named for another line in it; None without any."""
    leaves = list(islice(facts.leaves_in(heading), MOST_LEAVES))
    elements = facts.page.leaves.elements
    other = {one for one in {elements[leaf] for leaf in leaves} if _is_aside(facts, one, heading)}
    kept = [leaf for leaf in leaves if elements[leaf] not in other]
    return facts.text_of(kept) if other and kept else None


def _is_aside(facts: Facts, element: int, heading: int) -> bool:
    elements = facts.page.elements
    while element > heading:
        if _aside(elements.classes[element]):
            return True
        element = elements.parents[element]
    return False


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
