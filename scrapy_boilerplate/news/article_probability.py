"""Article page or not: a logistic regression over one row of features a page.

Boosted trees over the same columns were no better (models/data/article/CARD.md).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

import numpy as np

from scrapy_boilerplate.news.features.facts import (
    GOOD_LINK_DENSITY,
    GOOD_WORDS,
    NEVER_CONTAINERS,
)
from scrapy_boilerplate.page.blocks import AtomicBlocks
from scrapy_boilerplate.page.columns import Break
from scrapy_boilerplate.page.labels import FloatArray
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.text import count_words
from scrapy_boilerplate.steps.classifier import checked_array
from scrapy_boilerplate.steps.model_store import Arrays, StoredModel, shipped

# ---- features/article/address: What the address of a page looks like.

_WORDS_OF_KINDS: Mapping[str, str] = {
    "journal": "article articles blog blogs news story stories post posts magazine journal pulse "
    "opinion insights tips review reviews learn",
    "forum": "forum forums thread threads topic t discussion discussions community viewtopic "
    "showthread questions comments board boards r users",
    "manual": "docs doc documentation manual reference help support wiki kb guide guides api "
    "tutorial tutorials developer readthedocs handbook",
    "service": "service services solutions pricing about contact features programs program plans "
    "academics training company business",
}
WORDS = MappingProxyType(
    {kind: frozenset(words.split()) for kind, words in _WORDS_OF_KINDS.items()}
)
"""Words of paths and host names by the kind of site or section they stand for (our choice, from
common content systems and habits; English)."""

ADDRESS_COLUMNS = {
    "home": "whether the path is empty: the front page of a site",
    "date_in_path": "whether the path holds a year and a month",
    "number_in_path": "whether the path holds a number of five digits or more",
    "slug_hyphens": "number of hyphens and underscores in the last part of the path",
    "slug_length": "log of 1 + the number of characters of the last part of the path",
    **{f"{kind}_words": f"different words of {kind} sections in host and path" for kind in WORDS},
}
"""Name to what it is, in the order of `address_row`."""

_host_and_path = re.compile(r"\w+://([^/?#:]+)[^/?#]*([^?#]*)").match
_date = re.compile(r"/(?:19|20)\d\d[/-](?:0?[1-9]|1[0-2])(?!\d)").search
_number = re.compile(r"\d{5}").search
_words = re.compile(r"[a-z]+").findall


def address_row(page: Page) -> list[float]:
    """Return a number for each of ADDRESS_COLUMNS, of the caller's address or the declared one.

    Without any all are 0.
    """
    found = _host_and_path((page.url or _declared_address(page)).lower())
    if found is None or not any(map(str.isalnum, found[1])):
        return [0.0] * len(ADDRESS_COLUMNS)
    host, path = found[1], found[2].rstrip("/")
    slug = path.rpartition("/")[2]
    # the words of a slug are the title's; a path's last part of one word can be a section
    sections = path[: len(path) - len(slug)] if "-" in slug else path
    words = set(_words(f"{host.rpartition('.')[0]} {sections}"))
    return [
        float(not path),
        float(bool(_date(path))),
        float(bool(_number(path))),
        float(slug.count("-") + slug.count("_")),
        math.log1p(len(slug)),
        *(float(len(known & words)) for known in WORDS.values()),
    ]


def _declared_address(page: Page) -> str:
    declared = page.declared
    canonical = (href for rel, href in declared.links if rel == "canonical")
    opened = (content for name, content in declared.metas if name == "og:url")
    return next(canonical, "") or next(opened, "")


# ---- features/article/declared: What a page declares about its kind: meta tags, JSON-LD,
# microdata, title.

PUBLISHED = frozenset(
    "article:published_time og:article:published_time datepublished dc.date dc.date.issued date "
    "publishdate pubdate parsely-pub-date sailthru.date dcterms.created article.published "
    "publish_date".split()
)
"""Names of the meta tags that date an article."""
AUTHOR = frozenset("author article:author dc.creator parsely-author sailthru.author byl".split())
"""Names of the meta tags that name an author."""

DECLARED_COLUMNS = {
    "og_article": "whether og:type is an article",
    "og_product": "whether og:type is a product",
    "meta_published": "whether a meta tag says when it was published",
    "meta_author": "whether a meta tag names an author",
    "ld_article": "log of 1 + the number of names of article types in JSON-LD",
    "ld_breadcrumb": "whether JSON-LD holds a path of sections",
    "ld_author": "whether JSON-LD names an author",
    "ld_price": "whether JSON-LD tells a price",
    "ld_rating": "whether JSON-LD tells a rating",
    "item_comment": "whether microdata are about contributions to a discussion",
    "title_words": "log of 1 + the number of words of the title",
    "title_parts": "number of bars, dashes and colons in the title",
}
"""Name to what it is, in the order of `declared_row`."""

LD_ARTICLES = ('Article"', 'BlogPosting"')
"""Ends of the JSON strings that name a type of article."""

_is_comment = re.compile(r"DiscussionForumPosting|QAPage|SocialMedia|^(?:Answer|Comment)$").search
_separators = re.compile("\\s[|\u2013\u2014:\u00b7-]\\s|\\|").findall


def declared_row(page: Page) -> list[float]:
    """A number for each of DECLARED_COLUMNS; linear in what is declared."""
    return [
        *_of_metas(page),
        *_of_json_ld("\n".join(page.declared.json_ld)),
        float(any(_is_comment(scope) for _, _, scope in page.declared.items)),
        math.log1p(count_words(page.title)),
        float(len(_separators(page.title))),
    ]


def _of_metas(page: Page) -> list[float]:
    metas = dict(page.declared.metas)
    kind = metas.get("og:type", "").lower()
    article = "article" in kind or "blog" in kind
    return [
        float(article),
        float("product" in kind and not article),
        float(not PUBLISHED.isdisjoint(metas)),
        float(not AUTHOR.isdisjoint(metas)),
    ]


def _of_json_ld(text: str) -> list[float]:
    """By strings alone: decoding takes longer than all the rest, and JSON-LD can be broken."""
    return [
        math.log1p(sum(map(text.count, LD_ARTICLES))),
        float('BreadcrumbList"' in text),
        float('"author"' in text),
        float('"price' in text),
        float('"ratingValue"' in text),
    ]


# ---- features/article/elements: Which elements a page is made of, and what their classes are
# called.

CODE = ("pre", "code")
"""Tags of program text."""

NAMES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "price": ("price", "pricing"),
        "author": ("author", "byline"),
        "body": ("entry-content", "article-body", "post-content"),
        "filter": ("filter", "facet", "pagination"),
    }
)
"""Name of a column to the parts of class names that it counts (our choice: what many sites and
content systems use)."""

ELEMENT_COLUMNS = {
    "elements": "log of 1 + the number of elements",
    "code": f"log of 1 + the number of elements {', '.join(CODE)}",
    **{
        f"named_{name}": f"log of 1 + the number of {', '.join(parts)} in the different classes"
        for name, parts in NAMES.items()
    },
}
"""Name to what it is, in the order of `element_row`."""


def element_row(page: Page) -> list[float]:
    """A number for each of ELEMENT_COLUMNS; linear in the elements."""
    elements = page.elements
    classes = " ".join(set(elements.classes)).lower()
    return [
        math.log1p(len(elements)),
        math.log1p(sum(map(elements.tags.count, CODE))),
        *(math.log1p(sum(map(classes.count, parts))) for parts in NAMES.values()),
    ]


# ---- features/article/text: How the text of a page is spread over its blocks and their containers.

TEXT_COLUMNS = {
    "good_words": "log of 1 + the words in good blocks: those of many words, few of them in links",
    "good_share": "share of the words that is in good blocks",
    "link_share": "share of the words that is in links",
    "best_words": "log of 1 + the good words in the container with the most of them",
    "best_share": "share of the good words that is in the best container",
    "containers": "log of 1 + the number of containers with good words",
    "paragraphs": "share of the good words that is in p elements",
}
"""Name to what it is, in the order of `text_row`."""


def text_row(page: Page) -> list[float]:
    """A number for each of TEXT_COLUMNS; `page` is in atomic blocks. Without words all are 0."""
    total = int(page.words.sum()) if len(page) else 0
    if not total:
        return [0.0] * len(TEXT_COLUMNS)
    good = (page.words >= GOOD_WORDS) & (page.link_density <= GOOD_LINK_DENSITY)
    words: list[int] = page.words[good].tolist()
    held = sum(words)
    return [
        math.log1p(held),
        held / total,
        int(page.link_words.sum()) / total,
        *_of_containers(page, page.blocks.elements[good].tolist(), words),
    ]


def _of_containers(page: Page, elements: list[int], words: list[int]) -> list[float]:
    """The columns from `best_words` on, of the elements and the words of the good blocks."""
    if not words:
        return [0.0] * 4
    tags, parents = page.elements.tags, page.elements.parents
    held: dict[int, int] = {}
    in_paragraphs = 0
    for element, count in zip(elements, words, strict=True):
        in_paragraphs += count * (tags[element] == "p")
        container = element
        for _ in range(2):  # an item, then its list
            if tags[container] in NEVER_CONTAINERS and parents[container] >= 0:
                container = parents[container]
        held[container] = held.get(container, 0) + count
    best, whole = max(held.values()), sum(words)
    return [math.log1p(best), best / whole, math.log1p(len(held)), in_paragraphs / whole]


# ---- features/article/table: All features of a page in one row.

COLUMNS: Mapping[str, str] = MappingProxyType(
    ADDRESS_COLUMNS | DECLARED_COLUMNS | ELEMENT_COLUMNS | TEXT_COLUMNS
)
"""Name to what it is, in the order of the row."""

_atomic = AtomicBlocks()


def article_row(page: Page) -> FloatArray:
    """float[len(COLUMNS)]: the same whatever blocks the page is in; linear in its size."""
    return np.array(
        [
            *address_row(page),
            *declared_row(page),
            *element_row(page),
            *text_row(page if _is_atomic(page) else _atomic(page)),
        ],
        dtype=np.float64,
    )


def _is_atomic(page: Page) -> bool:
    """Whether the blocks are atomic already: then their words are counted, or will be of use."""
    breaks = page.leaves.breaks
    if len(breaks) - breaks.count(Break.NONE) != len(page):
        return False
    return all(map(breaks.__getitem__, page.blocks.first_leaf.tolist()))


NAME = "article"
"""Name and kind of the model."""
MODELS = Path(__file__).parent / "models"
"""The models of this room."""
ARTICLE = 0.5
"""Probability from which a page counts as an article."""


@dataclass(frozen=True, eq=False)
class ArticleModel:
    """`low`, `high`, `weights` float[columns], `bias` in log odds.

    A value beyond `low` or `high` counts as these: a page unlike all that were trained on is judged
    by what it shares with them.
    """

    low: FloatArray
    high: FloatArray
    weights: FloatArray
    bias: float

    def __call__(self, row: FloatArray) -> float:
        """The probability that a page with float[columns] is an article."""
        # numpy's clip takes longer for one row than all the rest
        cut = np.minimum(np.maximum(row, self.low), self.high)
        return 1 / (1 + math.exp(-float(cut @ self.weights) - self.bias))

    def arrays(self) -> Arrays:
        """What the store keeps."""
        numbers = {"low": self.low, "high": self.high, "weights": self.weights}
        return {**numbers, "bias": np.array([self.bias])}


def article_model_of(model: StoredModel) -> ArticleModel:
    """The regression of a stored model. Raises ModelError if it is none."""
    model.check_columns(tuple(COLUMNS))
    low, high, weights = (
        checked_array(model, name, (len(COLUMNS),)).astype(np.float64)
        for name in ("low", "high", "weights")
    )
    return ArticleModel(low, high, weights, float(checked_array(model, "bias", (1,))[0]))


def article_probability(page: Page) -> float:
    """0 to 1: how likely the page is an article, says the shipped model; the same whatever blocks
    the page is in. Raises ModelError if the model is broken."""
    return _shipped()(article_row(page))


@cache
def _shipped() -> ArticleModel:
    return article_model_of(shipped(MODELS / NAME))
