"""Fields that a page declares and does not show; each has a table of sources in order."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urljoin, urlsplit

from scrapy_boilerplate.metadata.json_ld import read_types
from scrapy_boilerplate.metadata.sources import (
    MetadataSources,
    Source,
    Values,
    clean_text,
    read_json_ld,
    read_metas,
    read_microdata,
)
from scrapy_boilerplate.steps.titles import fold_letters

# Tags of a page at most, characters of a tag or type, characters of a list of tags (our choice).
MAX_TAGS, MAX_TAG_LENGTH, MAX_LIST_LENGTH = 100, 100, 5_000
SECTION_SEPARATORS = (">", "/", ";", ",", "|", "::")
_split_list = re.compile("[,;|、]").split


def read_json_ld_names(*names: str) -> Callable[[MetadataSources], Values]:
    """Return a source: properties of the JSON-LD article, of an object its URL or name."""

    def read(sources: MetadataSources) -> Values:
        for name in names:
            for value in sources.values(sources.article, name):
                text = value
                if isinstance(value, dict):
                    given = map(value.get, ("url", "contentUrl", "name", "@id"))
                    text = next(filter(None, given), None)
                if isinstance(text, list) and text:
                    text = text[0]
                if isinstance(text, str) and text.strip():
                    yield " ".join(text.split())

    return read


def read_json_ld_words(*names: str) -> Callable[[MetadataSources], Values]:
    """Return a source: as `read_json_ld_names`, with entities resolved, whose ";" ends no word."""
    read = read_json_ld_names(*names)
    return lambda sources: (clean_text(text) for text in read(sources) if text)


def read_breadcrumbs(sources: MetadataSources) -> Values:
    """Yield the last name of each JSON-LD breadcrumb list that is not in the page's title."""
    for node in sources.json_ld:
        if "BreadcrumbList" not in read_types(node):
            continue
        names, title = [], fold_letters(sources.page.title)
        for crumb in sources.values(node, "itemListElement"):
            item = crumb if isinstance(crumb, dict) else {}
            inner = item.get("item")
            name = sources.text(item, "name")
            if not name and isinstance(inner, dict):
                name = sources.text(inner, "name")
            names.append(name)
        path = [name for name in names if name and fold_letters(name) not in title]
        if len(names) > 1 and len(path) > 1:
            yield path[-1]


DESCRIPTION: tuple[Source, ...] = (
    ("og:description", read_metas("og:description")),
    ("json-ld", read_json_ld("description")),
    ("meta description", read_metas("description", "twitter:description", "dc.description")),
    ("microdata", read_microdata("description")),
)
IMAGE: tuple[Source, ...] = (
    ("og:image", read_metas("og:image", "og:image:secure_url", "og:image:url")),
    ("json-ld", read_json_ld_names("image", "thumbnailUrl")),
    ("twitter:image", read_metas("twitter:image", "twitter:image:src")),
    ("microdata", read_microdata("image", "image.url", "thumbnailurl")),
    (
        "link image_src",
        lambda sources: [href for rel, href in sources.page.declared.links if rel == "image_src"],
    ),
)
SITE: tuple[Source, ...] = (
    ("og:site_name", read_metas("og:site_name")),
    ("json-ld or application", lambda sources: sources.site_names),
)
SECTION: tuple[Source, ...] = (
    ("article:section", read_metas("article:section", "og:article:section", "article.section")),
    ("json-ld", read_json_ld_words("articleSection")),
    ("meta", read_metas("section", "parsely-section", "cxenseparse:section", "dc.subject.section")),
    ("microdata", read_microdata("articlesection")),
    ("breadcrumbs", read_breadcrumbs),
)
TAGS: tuple[Source, ...] = (
    ("article:tag", read_metas("article:tag", "og:article:tag")),
    ("json-ld", read_json_ld_words("keywords", "about")),
    ("meta", read_metas("news_keywords", "keywords", "parsely-tags", "sailthru.tags")),
    ("microdata", read_microdata("keywords")),
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
    """Return (standfirst or summary, source)."""
    return next(read_values(sources, DESCRIPTION), None)


def find_site_name(sources: MetadataSources) -> tuple[str, str] | None:
    """Return (name of the site or of its publisher, source)."""
    for name, source in read_values(sources, SITE):
        return name.lstrip("@"), source
    return None


def find_section(sources: MetadataSources) -> tuple[str, str] | None:
    """Return (section, the last of a path; source)."""
    for section, source in read_values(sources, SECTION):
        name = section
        for separator in SECTION_SEPARATORS:
            name = name.rpartition(separator)[2].strip() or name
        return name, source
    return None


def find_tags(sources: MetadataSources) -> tuple[tuple[str, ...], str] | None:
    """Return (keywords and topics, each once; source)."""
    for source, read in TAGS:
        tags: dict[str, str] = {}
        for value in read(sources):
            if len(tags) >= MAX_TAGS:
                break
            for part in _split_list((value or "")[:MAX_LIST_LENGTH]):
                tag = part.strip(" #\"'")
                if tag and len(tag) <= MAX_TAG_LENGTH:
                    tags.setdefault(tag.casefold(), tag)
        if tags:
            return tuple(tags.values())[:MAX_TAGS], source
    return None


def find_main_image(sources: MetadataSources) -> tuple[str, str] | None:
    """Return (absolute URL of the image that represents the article, source)."""
    return _find_url(sources, IMAGE)


def find_canonical_url(sources: MetadataSources) -> tuple[str, str] | None:
    """Return (the page's own absolute URL, source)."""
    return _find_url(sources, CANONICAL_URL)


def _find_url(sources: MetadataSources, table: tuple[Source, ...]) -> tuple[str, str] | None:
    """Return the first value that is an HTTP URL, absolute by the page's URL."""
    for value, source in read_values(sources, table):
        try:
            url = value.strip()
            if not url.startswith(("http://", "https://")):
                url = urljoin(sources.page.url or "", url)
            scheme, host = urlsplit(url)[:2]
        except ValueError:
            continue
        if scheme in ("http", "https") and host and not any(map(str.isspace, url)):
            return url, source
    return None


def find_is_accessible_for_free(sources: MetadataSources) -> tuple[bool, str] | None:
    """Return (False for an article behind a paywall, source).

    JSON-LD comes before microdata, and both before ``article:content_tier``.
    """
    values: list[tuple[Any, str]] = []
    for node in (sources.article, sources.web_page):
        values += [(value, "json-ld") for value in sources.values(node, "isAccessibleForFree")]
    values += [(value, "microdata") for value, _ in sources.microdata("isaccessibleforfree")]
    for value, source in values:
        word = value.strip().lower().rpartition("/")[2] if isinstance(value, str) else ""
        truth = value if isinstance(value, bool) else BOOLEANS.get(word)
        if truth is not None:
            return truth, source
    tier = (sources.meta("article:content_tier") or "").lower()
    return (CONTENT_TIERS[tier], "article:content_tier") if tier in CONTENT_TIERS else None


def find_article_type(sources: MetadataSources) -> tuple[str, str] | None:
    """Return (schema.org type of the article, else its og:type; source)."""
    types = read_types(sources.article)
    if types and types[0]:
        return types[0][:MAX_TAG_LENGTH], "json-ld"
    declared = sources.meta("og:type")
    return (declared[:MAX_TAG_LENGTH], "og:type") if declared else None
