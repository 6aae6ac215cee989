"""Whether a page is an article: a logistic regression over one row of features per page.

Boosted trees over the same columns are no better (models/article/CARD.md).
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

import numpy as np

from scrapy_boilerplate.native.features import GOOD_LINK_DENSITY, GOOD_WORDS, NEVER_CONTAINERS
from scrapy_boilerplate.native.steps import WordSearch
from scrapy_boilerplate.page.blocks import AtomicBlocks
from scrapy_boilerplate.page.labels import FloatArray
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.text import count_words
from scrapy_boilerplate.steps.class_names import COUNTED_NAMES
from scrapy_boilerplate.steps.model_store import Arrays, StoredModel, load_shipped, read_array

NAME = "article"
MODELS = Path(__file__).parent / "models"
ARTICLE_THRESHOLD = 0.5

# Words of paths and host names by the kind of site or section that they name (from common content
# systems and habits; English).
SECTION_WORDS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        kind: frozenset(words.split())
        for kind, words in {
            "journal": "article articles blog blogs news story stories post posts magazine journal "
            "pulse opinion insights tips review reviews learn",
            "forum": "forum forums thread threads topic t discussion discussions community "
            "viewtopic showthread questions comments board boards r users",
            "manual": "docs doc documentation manual reference help support wiki kb guide guides "
            "api tutorial tutorials developer readthedocs handbook",
            "service": "service services solutions pricing about contact features programs program "
            "plans academics training company business",
        }.items()
    }
)

PUBLISHED_METAS = frozenset(
    "article:published_time og:article:published_time datepublished dc.date dc.date.issued date "
    "publishdate pubdate parsely-pub-date sailthru.date dcterms.created article.published "
    "publish_date".split()
)
AUTHOR_METAS = frozenset(
    "author article:author dc.creator parsely-author sailthru.author byl".split()
)
# Ends of the JSON strings that name a type of article.
JSON_LD_ARTICLES = ('Article"', 'BlogPosting"')
CODE_TAGS = ("pre", "code")
URL_COLUMNS = {
    "home": "whether the path is empty: the front page of a site",
    "list_path": "whether the end of the path names a list, or a page about the site",
    "date_in_path": "whether the path holds a year and a month",
    "number_in_path": "whether the path holds a number of five digits or more",
    "slug_hyphens": "number of hyphens and underscores in the last part of the path",
    "slug_length": "log of 1 + the number of characters of the last part of the path",
    **{
        f"{kind}_words": f"different words of {kind} sections in host and path"
        for kind in SECTION_WORDS
    },
}
DECLARED_COLUMNS = {
    "og_article": "whether og:type is an article",
    "og_product": "whether og:type is a product",
    "meta_published": "whether a meta tag says when it was published",
    "meta_author": "whether a meta tag names an author",
    "ld_article": "log of 1 + the number of names of article types in JSON-LD",
    "ld_breadcrumb": "whether JSON-LD holds a path of sections",
    "ld_author": "whether JSON-LD names an author",
    "ld_price": "whether JSON-LD has a price",
    "ld_rating": "whether JSON-LD has a rating",
    "item_comment": "whether microdata are about contributions to a discussion",
    "title_words": "log of 1 + the number of words of the title",
    "title_parts": "number of bars, dashes and colons in the title",
}
ELEMENT_COLUMNS = {
    "elements": "log of 1 + the number of elements",
    "code": f"log of 1 + the number of elements {', '.join(CODE_TAGS)}",
    **{
        f"named_{name}": f"log of 1 + the number of {', '.join(parts)} in the different classes"
        for name, parts in COUNTED_NAMES.items()
    },
}
TEXT_COLUMNS = {
    "good_words": "log of 1 + the words in good blocks: many words, few of them in links",
    "good_share": "share of the words that is in good blocks",
    "link_share": "share of the words that is in links",
    "best_words": "log of 1 + the good words in the container with the most of them",
    "best_share": "share of the good words that is in the best container",
    "containers": "log of 1 + the number of containers with good words",
    "paragraphs": "share of the good words that is in p elements",
}
CONFIDENCE_COLUMN = {"confidence": "log odds of the confidence of `news` in the text"}
# Name of each column to its meaning, in the order of the row.
COLUMNS: Mapping[str, str] = MappingProxyType(
    URL_COLUMNS | DECLARED_COLUMNS | ELEMENT_COLUMNS | TEXT_COLUMNS | CONFIDENCE_COLUMN
)

# URL_COLUMNS of a page without a usable URL: the means over the pages of wcxb with one, clipped
# like the columns of the model.
UNKNOWN_URL = (0.048, 0.013, 0.038, 0.111, 3.212, 3.006, 0.293, 0.12, 0.053, 0.048)
# Log odds of the mean confidence on wcxb, for other extractors, and minimum and maximum.
UNKNOWN_CONFIDENCE, MAX_CONFIDENCE = 3.1, 4.6
# Top-level domains of local hosts (RFC 6761, RFC 6762, ICANN 2024 for ``internal``).
LOCAL_DOMAINS = frozenset(("test", "local", "internal", "localhost", "example", "invalid"))
# Columns of pages that declare to be an article.
ARTICLE_MARKS = ("og_article", "meta_published", "ld_article")

_host_and_path = re.compile(r"\w+://(?:[^/?#@]*@)?([^/?#:]+)[^/?#]*([^?#]*)").match
# words of lists and pages about the site at the end of a path, in some languages
_names_list = re.compile(
    r"(?:/(?:tags?|categor(?:y|ies|ia|ias|ie)|kategorien?|rubri(?:k|ken|que|c)|authors?|autor(?:en|es)?"
    r"|auteurs?|archives?|archiv|topics?|themen|thema|temas?|labels?|schlagwort|search|suche)(?:/[^/]+)?"
    r"|/(?:page|seite)/?\d+|/index\d+|/(?:about(?:-us)?|contact(?:-us)?|impressum|imprint|terms|"
    r"privacy(?:-policy)?|kontakt|a-propos|contacto|datenschutz))(?:\.\w+)?$"
).search
_date = re.compile(r"/(?:19|20)\d\d[/-](?:0?[1-9]|1[0-2])(?!\d)").search
_number = re.compile(r"\d{5}").search
_words = re.compile(r"[a-z]+").findall
_select_names = WordSearch(list(COUNTED_NAMES.values())).select_names
_is_comment = re.compile(r"DiscussionForumPosting|QAPage|SocialMedia|^(?:Answer|Comment)$").search
_separators = re.compile("\\s[|\u2013\u2014:\u00b7-]\\s|\\|").findall
_atomic = AtomicBlocks()


@dataclass(frozen=True, eq=False)
class ArticleModel:
    """`low`, `high`, `means`, `weights` float[columns], `bias` in log odds.

    Values are clipped to `low` and `high`, so that a page unlike the training pages gets no extreme
    probability. `means` are those of the training pages.
    """

    low: FloatArray
    high: FloatArray
    means: FloatArray
    weights: FloatArray
    bias: float

    def __call__(self, row: FloatArray) -> float:
        """Return the probability that a page with float[columns] is an article."""
        # np.clip takes longer for one row
        cut = np.minimum(np.maximum(row, self.low), self.high)
        return 1 / (1 + math.exp(-float(cut @ self.weights) - self.bias))

    def arrays(self) -> Arrays:
        """Return the stored model."""
        names = ("low", "high", "means", "weights")
        return {**{name: getattr(self, name) for name in names}, "bias": np.array([self.bias])}

    def weigh(self, row: FloatArray) -> FloatArray:
        """Return float[columns]: the log odds by which each column differs from the mean page."""
        weighed: FloatArray = (np.clip(row, self.low, self.high) - self.means) * self.weights
        return weighed


def read_article_model(model: StoredModel) -> ArticleModel:
    """Return the regression of a stored model. Raises ModelError if it does not fit."""
    model.check_columns(tuple(COLUMNS))
    low, high, means, weights = (
        read_array(model, name, (len(COLUMNS),)).astype(np.float64)
        for name in ("low", "high", "means", "weights")
    )
    return ArticleModel(low, high, means, weights, float(read_array(model, "bias", (1,))[0]))


@cache
def _load_model() -> ArticleModel:
    return read_article_model(load_shipped(MODELS / NAME))


def compute_article_probability(page: Page, confidence: float | None = None) -> float:
    """Return how likely the page is an article, 0 to 1, by the shipped model.

    `confidence` is that of `news`, None if unknown. Otherwise the probability does not depend on
    the blocks of the page. Raises ModelError if the model is broken.
    """
    return _load_model()(build_row(page, confidence))


def explain_article_probability(
    page: Page, confidence: float | None = None
) -> list[tuple[str, float, float]]:
    """Return (column, value, log odds) of all columns, first the strongest against an article.

    The log odds are compared with the mean of the training pages.
    """
    row = build_row(page, confidence)
    weighed = zip(COLUMNS, row.tolist(), _load_model().weigh(row).tolist(), strict=True)
    return sorted(weighed, key=lambda column: column[2])


def build_row(page: Page, confidence: float | None = None) -> FloatArray:
    """Return float[len(COLUMNS)]; linear in the page size."""
    # the words of atomic blocks are counted once
    breaks = page.leaves.break_column
    is_atomic = np.count_nonzero(breaks) == len(page) and breaks[page.blocks.first_leaf].all()
    declared = dict(zip(DECLARED_COLUMNS, _describe_declared(page), strict=True))
    row = [
        *_describe_address(page, any(map(declared.__getitem__, ARTICLE_MARKS))),
        *declared.values(),
        *_describe_elements(page),
        *_describe_text(page if is_atomic else _atomic(page)),
        _describe_confidence(confidence),
    ]
    return np.array(row, dtype=np.float64)


def _describe_confidence(confidence: float | None) -> float:
    if confidence is None:
        return UNKNOWN_CONFIDENCE
    odds = confidence / max(1 - confidence, 1e-9)
    return min(MAX_CONFIDENCE, max(-MAX_CONFIDENCE, math.log(max(odds, 1e-9))))


def _describe_address(page: Page, is_marked: bool) -> Sequence[float]:
    """Return URL_COLUMNS of the page's URL, else of a declared one, else UNKNOWN_URL.

    URLs of local servers do not count. The URL of a home page only counts if there is no other URL
    and the page does not declare that it is an article (`is_marked`).
    """
    declared = page.declared
    canonical = declared.find_link("canonical") or ""
    open_graph = (content for name, content in declared.metas if name == "og:url")
    home = ""
    for url in (page.url or "", canonical, next(open_graph, "")):
        match = _host_and_path(url.lower())
        if match is None or _is_local(match[1]):
            continue
        path = match[2].rstrip("/")
        if path:
            return _describe_public_url(match[1], path)
        home = home or match[1]
    return _describe_public_url(home, "") if home and not is_marked else UNKNOWN_URL


def _is_local(host: str) -> bool:
    name, _, top = host.rstrip(".").rpartition(".")
    return not name or top.isdecimal() or top in LOCAL_DOMAINS


def _describe_public_url(host: str, path: str) -> list[float]:
    slug = path.rpartition("/")[2]
    # the slug has words of the title; a last part of one word can be a section
    sections = path[: len(path) - len(slug)] if "-" in slug else path
    words = set(_words(f"{host.rpartition('.')[0]} {sections}"))
    return [
        float(not path),
        float(bool(_names_list(path))),
        float(bool(_date(path))),
        float(bool(_number(path))),
        float(slug.count("-") + slug.count("_")),
        math.log1p(len(slug)),
        *(float(len(known & words)) for known in SECTION_WORDS.values()),
    ]


def _describe_declared(page: Page) -> list[float]:
    metas = dict(page.declared.metas)
    kind = metas.get("og:type", "").lower()
    article = "article" in kind or "blog" in kind
    # JSON-LD is not decoded: that takes longer than all other columns, and it can be invalid
    json_ld = "\n".join(page.declared.json_ld)
    return [
        float(article),
        float("product" in kind and not article),
        float(not PUBLISHED_METAS.isdisjoint(metas)),
        float(not AUTHOR_METAS.isdisjoint(metas)),
        math.log1p(sum(map(json_ld.count, JSON_LD_ARTICLES))),
        float('BreadcrumbList"' in json_ld),
        float('"author"' in json_ld),
        float('"price' in json_ld),
        float('"ratingValue"' in json_ld),
        float(any(_is_comment(scope) for _, _, scope in page.declared.microdata)),
        math.log1p(count_words(page.title)),
        float(len(_separators(page.title))),
    ]


def _describe_elements(page: Page) -> list[float]:
    elements, names = page.elements, page.elements.names
    different = names.list_used(names.classes)
    classes = " ".join([different[number] for number, _ in _select_names(different)]).lower()
    return [
        math.log1p(len(elements)),
        math.log1p(sum(map(elements.tags.count, filter(names.numbers.__contains__, CODE_TAGS)))),
        *(math.log1p(sum(map(classes.count, parts))) for parts in COUNTED_NAMES.values()),
    ]


def _describe_text(page: Page) -> list[float]:
    total = int(page.words.sum()) if len(page) else 0
    if not total:
        return [0.0] * len(TEXT_COLUMNS)
    good = (page.words >= GOOD_WORDS) & (page.link_density <= GOOD_LINK_DENSITY)
    words: list[int] = page.words[good].tolist()
    good_words, link_share = sum(words), int(page.link_words.sum()) / total
    if not words:
        return [0.0, 0.0, link_share, 0.0, 0.0, 0.0, 0.0]
    tags, parents = page.elements.tags, page.elements.parents
    by_container: dict[int, int] = {}
    in_paragraphs = 0
    for element, count in zip(page.blocks.elements[good].tolist(), words, strict=True):
        in_paragraphs += count * (tags[element] == "p")
        container = element
        for _ in range(2):  # an item, then its list
            if tags[container] in NEVER_CONTAINERS and parents[container] >= 0:
                container = parents[container]
        by_container[container] = by_container.get(container, 0) + count
    best = max(by_container.values())
    return [
        math.log1p(good_words),
        good_words / total,
        link_share,
        math.log1p(best),
        best / good_words,
        math.log1p(len(by_container)),
        in_paragraphs / good_words,
    ]
