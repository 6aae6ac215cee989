"""The headline: every text that might be it (`candidates`), weighed by who says so, how they agree,
how it looks, and whether the address of the page spells it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import islice, pairwise
from unicodedata import combining, normalize
from urllib.parse import unquote, urlsplit

import numpy as np

from scrapy_boilerplate.metadata.about import section
from scrapy_boilerplate.metadata.facts import Facts, letters
from scrapy_boilerplate.page.labels import Label

# ---- metadata/slug: The words in the address of a page: most systems spell the headline there,
# as it was first.

MIN_WORDS = 3
"""Words of the part of a path that can spell a headline; fewer name a section or a topic."""
SPELT_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
"""German vowels, which addresses write both ways; other marks are dropped alone."""
SINGLE = str.maketrans({"ß": "ss", "ø": "o", "æ": "ae", "å": "a", "ł": "l", "đ": "d", "ı": "i"})
"""Letters that are no mark on another one."""
SMALL_WORDS = frozenset(
    "a an the of in on to and for is at by with der die das den dem und von zu im in am mit le la "
    "les de du des et en el los las y un una il lo e o os as".split()
)
"""Words that addresses leave out at times, and that are in any headline."""

_words = re.compile(r"[^\W_]+").findall
_ending = re.compile(r"\.\w{2,5}$")


class Slug:
    """The words of the part of a path that has most of them; none where it has fewer than three."""

    def __init__(self, url: str | None) -> None:
        try:
            path = unquote(urlsplit(url or "").path)
        except ValueError:
            path = ""
        parts = [_words(_plain(_ending.sub("", part))) for part in path.split("/")]
        longest = max(parts, key=len)
        told = frozenset(filter(_tells, longest))
        self.words = told if len(longest) >= MIN_WORDS else frozenset()

    def shares(self, text: str) -> tuple[float, float]:
        """(share of the words of `text` that the address has, share of the address's that it has),
        0 to 1; small words and numbers do not count."""
        if not self.words:
            return 0.0, 0.0
        words = _words(_plain(text))
        others = words if text.isascii() else _words(_plain(text.casefold().translate(SPELT_OUT)))
        pairs = [pair for pair in zip(words, others, strict=False) if _tells(pair[0])]
        found = [pair[0] in self.words or pair[1] in self.words for pair in pairs]
        held = self.words.intersection(words if others is words else words + others)
        return sum(found) / max(1, len(found)), len(held) / len(self.words)


def _plain(text: str) -> str:
    folded = text.casefold().translate(SINGLE)
    return folded if folded.isascii() else _without_marks(folded)


def _without_marks(text: str) -> str:
    return "".join(one for one in normalize("NFKD", text) if not combining(one))


def _tells(word: str) -> bool:
    return len(word) > 1 and not word.isdigit() and word not in SMALL_WORDS


# ---- metadata/titles: The names of site and section at the ends of titles, and how to cut them
# off.

MAX_NAME_EXCESS = 2.5
"""Part of a title that holds a known name is a name itself up to this many times its length (our
choice: "The Daily" and "The Daily Online")."""
MIN_NAME_LETTERS = 3
"""Shorter names (of a host, "x.de") would be found by chance."""

_separator = re.compile(r"\s(?:[·•«›‹—–/~>*♥-]|::?|--)\s|[|ㅣ｜│»]+|:\s")
_any_separator = re.compile(r"[|·•»«›‹—–:/~>*♥ㅣ｜│-]").search


def parts_of(title: str) -> list[tuple[int, int]]:
    """Where the parts between separators start and end; at least one."""
    bounds = [0]
    for match in _separator.finditer(title):
        bounds += [match.start(), match.end()]
    bounds.append(len(title))
    return list(zip(bounds[::2], bounds[1::2], strict=True))


def without_names(title: str, names: frozenset[str]) -> str:
    """`title` without the parts at either end that are one of `names` (as `letters`).

    A title that is nothing but names stays as it is.
    """
    if not _any_separator(title):
        return title
    spans = parts_of(title)
    first, end = 0, len(spans)
    while end - first > 1 and is_name(title[slice(*spans[end - 1])], names):
        end -= 1
    while end - first > 1 and is_name(title[slice(*spans[first])], names):
        first += 1
    cut = title[spans[first][0] : spans[end - 1][1]].strip()
    return without_end(cut, names) or cut


def without_end(title: str, names: frozenset[str]) -> str | None:
    """`title` without exactly one of `names` after its last separator; None without such an end."""
    at = max(map(title.rfind, "-–—:·/|"))
    return title[:at].rstrip(" -–—:·/|") if at > 0 and letters(title[at:]) in names else None


def is_name(part: str, names: frozenset[str]) -> bool:
    """Whether a part of a title is one of `names`, or holds or begins one."""
    key = letters(part)
    if not key:
        return True
    return any(
        key == name
        or (
            len(name) >= MIN_NAME_LETTERS
            and name in key
            and len(key) <= MAX_NAME_EXCESS * len(name)
        )
        or (len(key) >= MIN_NAME_LETTERS and key in name)
        for name in names
    )


# ---- metadata/candidates: Every text of a page that might be its headline, and who gives it.
#
# The h1 elements, the labelled headline block, JSON-LD, og:title, microdata and `<title>`, each as
# written and without the names of the site at its ends. Texts with the same letters and digits are
# one candidate, so that sources agree in spite of other quotes and dashes.

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
