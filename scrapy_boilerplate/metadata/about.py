"""What else a page declares of its article: each field a table of sources in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any
from urllib.parse import urljoin, urlsplit

from scrapy_boilerplate.metadata.facts import Facts, letters
from scrapy_boilerplate.metadata.json_ld import types_of

Source = tuple[str, Callable[[Facts], Iterable[str | None]]]
Found = tuple[str, str] | None
"""(value, source)"""

MOST_TAGS = 100
"""Tags of a page that are kept."""
MAX_TAG, MAX_TAGS = 100, 5_000
"""Characters of a tag, longer is a text; and of a list of tags."""
SECTION_SEPARATORS = (">", "/", ";", ",", "|", "::")


def description(facts: Facts) -> Found:
    """The standfirst or summary that the page declares."""
    return _first(facts, DESCRIPTION)


def main_image(facts: Facts) -> Found:
    """The absolute address of the picture that stands for the article."""
    for source, values in IMAGE:
        for value in values(facts):
            address = absolute(facts, value)
            if address:
                return address, source
    return None


def site_name(facts: Facts) -> Found:
    """The name of the site or of its publisher; not its host."""
    found = _first(facts, SITE)
    return (found[0].lstrip("@"), found[1]) if found else None


def section(facts: Facts) -> Found:
    """The section the article stands in: the last of a path."""
    found = _first(facts, SECTION)
    if not found:
        return None
    name = found[0]
    for separator in SECTION_SEPARATORS:
        name = name.rpartition(separator)[2].strip() or name
    return name, found[1]


def tags(facts: Facts) -> tuple[tuple[str, ...], str] | None:
    """Keywords and topics, each once."""
    for source, values in TAGS:
        found: dict[str, str] = {}
        for value in values(facts):
            if len(found) >= MOST_TAGS:
                break
            for tag in _split_tags((value or "")[:MAX_TAGS]):
                found.setdefault(tag.casefold(), tag)
        if found:
            return tuple(found.values())[:MOST_TAGS], source
    return None


def canonical_url(facts: Facts) -> Found:
    """The page's own absolute address."""
    for source, value in (
        ("link canonical", facts.canonical_link),
        ("og:url", facts.meta("og:url")),
    ):
        address = absolute(facts, value)
        if address:
            return address, source
    return None


def is_accessible_for_free(facts: Facts) -> tuple[bool, str] | None:
    """Whether everybody can read the article; parts of it that cannot be read count as not."""
    for node in (facts.article, facts.web_page):
        for value in facts.values(node, "isAccessibleForFree"):
            told = _truth(value)
            if told is not None:
                return told, "json-ld"
    for value, _ in facts.items("isaccessibleforfree"):
        told = _truth(value)
        if told is not None:
            return told, "microdata"
    tier = (facts.meta("article:content_tier") or "").lower()
    return (TIERS[tier], "article:content_tier") if tier in TIERS else None


TIERS = {"free": True, "metered": False, "locked": False}
"""og's article:content_tier (Facebook's instant articles)."""


def article_type(facts: Facts) -> Found:
    """The schema.org type of the article, else its og:type."""
    types = types_of(facts.article)
    if types and types[0]:
        return types[0][:MAX_TAG], "json-ld"
    declared = facts.meta("og:type")
    return (declared[:MAX_TAG], "og:type") if declared else None


def absolute(facts: Facts, address: str | None) -> str | None:
    """`address` as an absolute http address, seen from the page; None for anything else."""
    if not address:
        return None
    try:
        found = address.strip()
        if not found.startswith(("http://", "https://")):
            found = urljoin(facts.page.url or "", found)
        scheme, host = urlsplit(found)[:2]
    except ValueError:
        return None
    if scheme in ("http", "https") and host and not any(map(str.isspace, found)):
        return found
    return None


def _first(facts: Facts, sources: tuple[Source, ...]) -> Found:
    for source, values in sources:
        for value in values(facts):
            if value:
                return value, source
    return None


def _split_tags(text: str) -> Iterator[str]:
    for part in text.replace(";", ",").replace("|", ",").replace("、", ",").split(","):
        tag = part.strip(" #\"'")
        if tag and len(tag) <= MAX_TAG:
            yield tag


def _truth(value: Any) -> bool | None:
    if isinstance(value, bool):
        return value
    word = value.strip().lower().rpartition("/")[2] if isinstance(value, str) else ""
    return {"true": True, "yes": True, "false": False, "no": False}.get(word)


def _meta(*names: str) -> Callable[[Facts], Iterable[str | None]]:
    return lambda facts: (value for name in names for value in facts.metas.get(name, ()))


def _json_ld(*names: str) -> Callable[[Facts], Iterable[str | None]]:
    return lambda facts: (
        text for name in names for text in _texts(facts.values(facts.article, name))
    )


def _texts(values: Iterable[Any]) -> Iterator[str]:
    """Strings, and the addresses or names of objects."""
    for value in values:
        one = value
        if isinstance(value, dict):
            one = next(filter(None, map(value.get, ("url", "contentUrl", "name", "@id"))), None)
        if isinstance(one, list) and one:
            one = one[0]
        if isinstance(one, str) and one.strip():
            yield " ".join(one.split())


def _microdata(*names: str) -> Callable[[Facts], Iterable[str | None]]:
    return lambda facts: (value for value, _ in facts.items(*names))


def _breadcrumb(facts: Facts) -> Iterator[str | None]:
    """The last but one name of a path of breadcrumbs in JSON-LD: the last is the page."""
    for node in facts.nodes:
        if "BreadcrumbList" in types_of(node):
            names = [_name_of(facts, one) for one in facts.values(node, "itemListElement")]
            headline = letters(facts.page.title)
            path = [name for name in names if name and letters(name) not in headline]
            yield path[-1] if len(names) > 1 and path[1:] else None


def _name_of(facts: Facts, item: Any) -> str | None:
    if not isinstance(item, dict):
        return None
    inner = item.get("item")
    return facts.text(item, "name") or (
        facts.text(inner, "name") if isinstance(inner, dict) else None
    )


DESCRIPTION: tuple[Source, ...] = (
    ("og:description", _meta("og:description")),
    ("json-ld", lambda facts: (facts.text(facts.article, "description"),)),
    ("meta description", _meta("description", "twitter:description", "dc.description")),
    ("microdata", _microdata("description")),
)
IMAGE: tuple[Source, ...] = (
    ("og:image", _meta("og:image", "og:image:secure_url", "og:image:url")),
    ("json-ld", _json_ld("image", "thumbnailUrl")),
    ("twitter:image", _meta("twitter:image", "twitter:image:src")),
    ("microdata", _microdata("image", "image.url", "thumbnailurl")),
    ("link image_src", lambda facts: (href for rel, href in facts.page.declared.links
                                      if rel == "image_src")),
)  # fmt: skip
SITE: tuple[Source, ...] = (
    ("og:site_name", _meta("og:site_name")),
    ("json-ld or application", lambda facts: facts.site_names),
)
SECTION: tuple[Source, ...] = (
    ("article:section", _meta("article:section", "og:article:section", "article.section")),
    ("json-ld", _json_ld("articleSection")),
    ("meta", _meta("section", "parsely-section", "cxenseparse:section", "dc.subject.section")),
    ("microdata", _microdata("articlesection")),
    ("breadcrumbs", _breadcrumb),
)
TAGS: tuple[Source, ...] = (
    ("article:tag", _meta("article:tag", "og:article:tag")),
    ("json-ld", _json_ld("keywords", "about")),
    ("meta", _meta("news_keywords", "keywords", "parsely-tags", "sailthru.tags")),
    ("microdata", _microdata("keywords")),
)
