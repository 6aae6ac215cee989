"""Fields that a page declares and does not show; each has a table of sources in order."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from math import ceil
from urllib.parse import urljoin, urlsplit

from scrapy_boilerplate.metadata.json_ld import read_markup, read_types
from scrapy_boilerplate.metadata.sources import (
    MAX_URL,
    MetadataSources,
    Source,
    Values,
    read_json_ld,
    read_metas,
    read_microdata,
)
from scrapy_boilerplate.page.declared import VALUE_LIMIT
from scrapy_boilerplate.page.text import collapse, has_unspaced, has_words
from scrapy_boilerplate.steps.titles import fold_letters

# Maximum characters of a type, and of an article in which words are searched.
MAX_TYPE_LENGTH, MAX_ARTICLE = 100, 100_000
# Maximum descriptions of a page that are read.
MAX_DESCRIPTIONS = 10
# Match an end tag, a line break or an attribute: texts about HTML have only start tags.
_has_markup = re.compile(r"</[a-z]|<br\b|<[a-z]+\d?\s[^<>]*=", re.I).search
# Letters of a word that are compared; words of a description that can be a slogan, share of them in
# the article above which it is not a slogan, and words of such an article at least (our sweep,
# docs/provenance.md).
WORD_START, MIN_SLOGAN_WORDS, MIN_SHARED_WORDS, MIN_ARTICLE_WORDS = 6, 3, 0.15, 20
# Words in the names of files with the logo of a site or the card of pages without a picture, and
# the other words of such names, besides those of the host.
CARD_WORDS = frozenset("logo logos favicon default fallback placeholder blank spacer dummy".split())
OTHER_CARD_WORDS = CARD_WORDS | frozenset(
    "og opengraph social share sharing facebook fb twitter site website header image images img "
    "card cropped icon thumb thumbnail square large small big main page post article news new "
    "color white black dark light avif gif jpeg jpg png svg webp x w h px".split()
)
_find_words = re.compile("[a-z]+").findall
_find_long_words = re.compile(r"[^\W\d_]{4,}").findall


def read_json_ld_parts(*names: str, parts: tuple[str, ...]) -> Callable[[MetadataSources], Values]:
    """Return a source: properties of the JSON-LD article; of an object, its first of `parts`."""

    def read(sources: MetadataSources) -> Values:
        for name in names:
            for value in sources.values(sources.article, name):
                text = value
                if isinstance(value, dict):
                    text = next(filter(None, map(value.get, parts)), None)
                if isinstance(text, str) and text.strip():
                    yield " ".join(text.split())

    return read


DESCRIPTION: tuple[Source, ...] = (
    ("og:description", read_metas("og:description")),
    ("json-ld", read_json_ld("description")),
    ("meta description", read_metas("description")),
)
IMAGE: tuple[Source, ...] = (
    ("og:image", read_metas("og:image", "og:image:secure_url", "og:image:url")),
    (
        "json-ld",
        read_json_ld_parts("image", "thumbnailUrl", parts=("url", "contentUrl", "name", "@id")),
    ),
    ("twitter:image", read_metas("twitter:image")),
    ("microdata", read_microdata("image", "image.url", "thumbnailurl")),
    (
        "link image_src",
        lambda sources: [href for rel, href in sources.page.declared.links if rel == "image_src"],
    ),
)
CANONICAL_URL: tuple[Source, ...] = (
    ("link canonical", lambda sources: (sources.canonical_link,)),
    ("og:url", lambda sources: (sources.meta("og:url"),)),
)
# Facebook's article:content_tier.
CONTENT_TIERS = {"free": True, "metered": False, "locked": False}
BOOLEANS = {"true": True, "yes": True, "false": False, "no": False}


def read_values(sources: MetadataSources, table: tuple[Source, ...]) -> Iterator[tuple[str, str]]:
    """Yield (value, source) for every value that is not empty, in the order of the table."""
    for name, read in table:
        for value in read(sources):
            if value:
                yield value, name


def find_description(sources: MetadataSources) -> tuple[str, str] | None:
    """Return (standfirst or summary, source); without titles and texts about the site."""
    titles = fold_titles(sources) | sources.own_names
    for value, source in islice(read_values(sources, DESCRIPTION), MAX_DESCRIPTIONS):
        text = collapse(read_markup(value)) if _has_markup(value) else value
        key = fold_letters(text)
        is_title = any(title.startswith(key) for title in titles)
        if key and not (is_title or _is_slogan(sources, text)):
            return text, source
    return None


def fold_titles(sources: MetadataSources) -> frozenset[str]:
    """Return the titles that the page declares, letters folded."""
    return sources.remember(_fold_titles)


def _fold_titles(sources: MetadataSources) -> frozenset[str]:
    declared = (sources.meta("og:title"), sources.text(sources.article, "headline"))
    return frozenset(fold_letters(title) for title in (sources.page.title, *declared) if title)


def _is_slogan(sources: MetadataSources, text: str) -> bool:
    """Return whether a description has almost no word of the article.

    Words are compared by their first letters, because endings differ. Texts in scripts without
    spaces are not compared.
    """
    words = {word[:WORD_START] for word in _find_long_words(text[:VALUE_LIMIT].lower())}
    if len(words) < MIN_SLOGAN_WORDS or has_unspaced(text):
        return False
    article = sources.remember(read_article)
    least = ceil(MIN_SHARED_WORDS * len(words))
    is_shared = len(list(islice(filter(article.__contains__, words), least))) == least
    return not is_shared and has_words(article, MIN_ARTICLE_WORDS)


def read_article(sources: MetadataSources) -> str:
    """Return the start of headline and text, in lower case."""
    blocks, texts = (*sources.headlines, *sources.content), sources.page.texts
    return "\n".join([texts[block] for block in blocks])[:MAX_ARTICLE].lower()


def find_site_name(sources: MetadataSources) -> tuple[str, str] | None:
    """Return (name of the site or of its publisher, source)."""
    names = sources.site_names
    return (names[0].lstrip("@"), "declared") if names else None


def find_url(sources: MetadataSources, table: tuple[Source, ...]) -> tuple[str, str] | None:
    """Return (first HTTP URL, made absolute with the URL of the page; source)."""
    for value, source in read_values(sources, table):
        try:
            url = collapse(value)
            if len(url) > MAX_URL:
                continue
            if not url.startswith(("http://", "https://")):
                url = urljoin(sources.page.url or "", url)
            scheme, host = urlsplit(url)[:2]
        except ValueError:
            continue
        if scheme in ("http", "https") and host and url.split() == [url]:
            return url, source
    return None


def find_image(sources: MetadataSources) -> tuple[str, str] | None:
    """Return (URL of the main picture, source); no logos, icons and default cards."""
    table = ((name, partial(_read_pictures, read)) for name, read in IMAGE)
    return find_url(sources, tuple(table))


def _read_pictures(read: Callable[[MetadataSources], Values], sources: MetadataSources) -> Values:
    return (url for url in read(sources) if url and not _is_card(url, sources.page.url or url))


def _is_card(url: str, page_url: str) -> bool:
    """Return whether a URL names a logo of its site or a default card, and nothing else."""
    words = _find_words(url.partition("?")[0].rpartition("/")[2].lower())
    host = page_url.lower().partition("://")[2].partition("/")[0]
    is_named = not CARD_WORDS.isdisjoint(words)
    return is_named and all(word in OTHER_CARD_WORDS or word in host for word in words)


def find_is_accessible_for_free(sources: MetadataSources) -> tuple[bool, str] | None:
    """Return (False for an article behind a paywall, source)."""
    for value in sources.values(sources.article, "isAccessibleForFree"):
        word = value.strip().lower().rpartition("/")[2] if isinstance(value, str) else ""
        truth = value if isinstance(value, bool) else BOOLEANS.get(word)
        if truth is not None:
            return truth, "json-ld"
    tier = (sources.meta("article:content_tier") or "").lower()
    return (CONTENT_TIERS[tier], "article:content_tier") if tier in CONTENT_TIERS else None


def find_article_type(sources: MetadataSources) -> tuple[str, str] | None:
    """Return (schema.org type of the article, else its og:type; source)."""
    types = read_types(sources.article)
    if types and (name := collapse(types[0])):
        return name[:MAX_TYPE_LENGTH], "json-ld"
    declared = sources.meta("og:type")
    return (declared[:MAX_TYPE_LENGTH], "og:type") if declared else None
