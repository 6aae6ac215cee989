"""Fields that a page declares and does not show; each has a table of sources in order."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from typing import Any
from urllib.parse import urljoin, urlsplit

import numpy as np

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
from scrapy_boilerplate.page.text import HAN_KANA, SOUTH_EAST_ASIAN, collapse
from scrapy_boilerplate.steps.titles import fold_letters

# Tags of a page at most, characters of a tag or type, characters of a list of tags.
MAX_TAGS, MAX_TAG_LENGTH, MAX_LIST_LENGTH = 100, 100, 5_000
SECTION_SEPARATORS = (">", "/", "|", "::")
_goes_on = re.compile(r"\s*&\s").match
# Match the end of a list inside a name: "Business, Finance & Economics".
_ends_list = re.compile(r".*\w\s(?:&|and|und|et|y|og|och|en)\s\w").match
_split_sections = re.compile(r"[,;](?!\d)").split
_split_list = re.compile("[,;|、]").split
# Words of a section at most, and characters of a number that is a tag, such as a year.
MAX_SECTION_WORDS, MAX_NUMBER = 6, 4
# Names of home pages, of types of content and of places on a page, letters folded: neither sections
# nor topics.
EMPTY_NAMES = frozenset(
    "home homepage startseite start inicio portada accueil início forside etusivu stronagłówna "
    "uncategorized unkategorisiert allgemein sincategoría nonclassé senzacategoria general "
    "tag tags category categories article articles artikel post posts story feature featured "
    "frontpage topstory topstories topnews detail details slider popular null none".split()
)
# Labels before a tag that are dropped; tags with other labels come from systems.
TAG_LABELS = frozenset("category tag topic keyword kategorie thema schlagwort categoría".split())
_names_key = re.compile(r"[a-z]+(?:[A-Z][a-z]+|-[a-z]+)+|[a-z]{2,12}").fullmatch
# Match addresses, identifiers and what systems call types, channels and settings.
_names_system = re.compile(
    r"https?:|www\.|[\da-f]{8}-[\da-f]{4}-|[\da-f]{24,}$|_|"
    r"(?:type|channel|length|site|van|exclude|stats|content|layout|template)[-_ ][\w >-]+$"
).match
_word_joints = re.compile("[-_]+").sub
# Match an end tag, a line break or an attribute: texts on HTML name start tags alone.
_has_markup = re.compile(r"</[a-z]|<br\b|<[a-z]+\d?\s[^<>]*=", re.I).search
# Drop tags inside lines, and others of texts; those of documents on HTML are words.
_drop_inline_tags = partial(
    re.compile(r"</?(?:b|i|u|em|strong|a|span|font|sup|sub|small)\b[^<>]*>", re.I).sub, ""
)
_drop_tags = partial(
    re.compile(r"</?(?:p|br|div|ul|ol|li|h[1-6]|img|blockquote|center|section)\b[^<>]*>", re.I).sub,
    " ",
)
# Values of a source from which each is a tag, and commas of such a tag at most.
MIN_VALUES, MAX_COMMAS = 4, 2
# Tags with a label from which labels are a system's, and letters of a long word.
MIN_LABELLED, MIN_LONG_WORD = 2, 20
# Match the label of a field of a system: "Page", "NLP Category".
_names_field = re.compile(r"(?:.*\s)?(?:page|category|type|channel|format)", re.I).fullmatch
_is_slug = re.compile("[a-z]{3,}(?:-(?:[a-z]{3,}|a|an|at|by|in|of|on|to|us|vs))+").fullmatch
# Keywords from which a list can be that of the site, share of them in the article up to which it
# is, and words of such an article at least (read by eye: docs/evaluation.md).
MIN_KEYWORDS, MAX_SITE_SHARE, MIN_KEYED_WORDS = 5, 0.25, 150
_find_key_words = re.compile(r"[\uac00-\ud7af]{2,}|[^\W\d_]{4,}").findall
# Words of a description at most that is of the site if it has its name; characters of a tag without
# spaces from which it can be the headline.
MAX_SITE_WORDS, MAX_UNSPACED_TAG = 5, 12
# Letters of a word that are compared; words of a description that can be a slogan, share of them in
# the article from which it is none, and words of such an article at least (our sweep,
# docs/provenance.md).
WORD_START, MIN_SLOGAN_WORDS, MIN_SHARED_WORDS, MIN_ARTICLE_WORDS = 6, 3, 0.15, 20
_find_long_words = re.compile(r"[^\W\d_]{4,}").findall
_has_unspaced = re.compile(f"[{HAN_KANA}{SOUTH_EAST_ASIAN}]").search
SITE_NODE_TYPES = frozenset({"WebSite", "Organization", "NewsMediaOrganization", "Corporation"})


def read_json_ld_names(*names: str) -> Callable[[MetadataSources], Values]:
    """Return a source: properties of the JSON-LD article, of an object its URL or name."""
    return _read_json_ld_parts(names, ("url", "contentUrl", "name", "@id"))


def _read_json_ld_parts(
    names: tuple[str, ...], parts: tuple[str, ...]
) -> Callable[[MetadataSources], Values]:
    """Return a source: properties of the JSON-LD article, of an object the first of `parts`."""

    def read(sources: MetadataSources) -> Values:
        for name in names:
            for value in sources.values(sources.article, name):
                text = value
                if isinstance(value, dict):
                    given = map(value.get, parts)
                    text = next(filter(None, given), None)
                if isinstance(text, list) and text:
                    text = text[0]
                if isinstance(text, str) and text.strip():
                    yield " ".join(text.split())

    return read


def read_json_ld_words(*names: str) -> Callable[[MetadataSources], Values]:
    """Return a source: properties of the JSON-LD article, of an object its name.

    Entities are resolved, since their ";" ends no word.
    """
    read = _read_json_ld_parts(names, ("name", "termCode"))
    return lambda sources: (clean_text(text) for text in read(sources) if text)


def read_breadcrumbs(sources: MetadataSources) -> Values:
    """Yield the last name of each JSON-LD breadcrumb list that is not in the page's title."""
    for node, types in sources.typed:
        if "BreadcrumbList" not in types:
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
    """Return (standfirst or summary, source); without titles and texts about the site."""
    about_site = {
        fold_letters(sources.text(node, "description") or "")
        for node, types in sources.typed
        if node is not sources.article and not SITE_NODE_TYPES.isdisjoint(types)
    }
    titles = {fold_letters(title) for title in (sources.page.title, sources.meta("og:title") or "")}
    for value, source in read_values(sources, DESCRIPTION):
        text = collapse(_drop_tags(_drop_inline_tags(value))) if _has_markup(value) else value
        text = text.rstrip(" |")
        key = fold_letters(text)
        is_of_site = key in about_site or key in sources.own_names or _names_site(sources, text)
        is_title = any(title.startswith(key) for title in titles)
        if key and not (is_of_site or is_title or _is_slogan(sources, text)):
            return text, source
    return None


def _names_site(sources: MetadataSources, text: str) -> bool:
    """Return whether a few words have a name of the site among them."""
    words = text.split()
    if len(words) > MAX_SITE_WORDS:
        return False
    return not sources.own_names.isdisjoint(map(fold_letters, words))


def _fold_titles(sources: MetadataSources) -> frozenset[str]:
    """Return the titles that the page declares, letters folded."""
    declared = (sources.meta("og:title"), sources.text(sources.article, "headline"))
    return frozenset(fold_letters(title) for title in (sources.page.title, *declared) if title)


def _is_slogan(sources: MetadataSources, text: str) -> bool:
    """Return whether a description has next to no word of the article.

    Words are compared by their first letters, since endings differ; scripts without spaces have
    none to compare.
    """
    words = {word[:WORD_START] for word in _find_long_words(text.lower())}
    content = [*sources.headlines, *sources.content]
    if len(words) < MIN_SLOGAN_WORDS or (not text.isascii() and _has_unspaced(text)):
        return False
    most_missing = len(words) - math.ceil(MIN_SHARED_WORDS * len(words))
    for block in content:
        block_text = sources.page.texts[block].lower()
        words = {word for word in words if word not in block_text}
        if len(words) <= most_missing:
            return False
    is_article: bool = sources.page.words[content].sum() >= MIN_ARTICLE_WORDS
    return is_article


def find_site_name(sources: MetadataSources) -> tuple[str, str] | None:
    """Return (name of the site or of its publisher, source)."""
    for name, source in read_values(sources, SITE):
        return name.lstrip("@"), source
    return None


def find_declared_section(sources: MetadataSources) -> tuple[str, str] | None:
    """Return (section as declared, the last of a path; source)."""
    return next(_read_sections(sources), None)


def _read_sections(sources: MetadataSources) -> Iterator[tuple[str, str]]:
    """Yield the sections of a list in order, of a path the last."""
    shown: set[str] = set()
    for section, source in read_values(sources, SECTION):
        parts = _split_sections(section)
        if any(map(_goes_on, parts)):  # "Food, Wine, & Spirits"
            parts = [section]
        elif len(parts) > 1 and ", " in section and _ends_list(parts[-1]):
            # one name, unless the page shows each of several
            shown = shown or set(map(fold_letters, sources.page.texts))
            if not shown.issuperset(map(fold_letters, parts)):
                parts = [section, *parts]
        for part in parts:
            name = part.strip() or section
            for separator in SECTION_SEPARATORS:
                name = name.rpartition(separator)[2].strip() or name
            yield name, source


def find_section(sources: MetadataSources) -> tuple[str, str] | None:
    """Return (section as readers see it; source); never the headline or the name of the site."""
    titles = _fold_titles(sources)
    of_host = fold_letters(sources.host[1])
    for name, source in _read_sections(sources):
        key, words = fold_letters(name), len(name.split())
        is_title = key in titles or (words > 2 and any(key in title for title in titles))
        is_site = key == of_host and key in map(fold_letters, sources.site_names)
        is_word = (len(key) > 1 or not name.isascii()) and key not in EMPTY_NAMES
        is_name = is_word and not is_title and not is_site
        if is_name and words <= MAX_SECTION_WORDS and not _is_internal(name):
            return _spell_section(sources, name), source
    return None


def _spell_section(sources: MetadataSources, name: str) -> str:
    """Return the name that readers see of a section that is declared in lower case, as a slug.

    That is a short text of the page with the same letters, else that of a link to the section.
    """
    if name != name.lower() or name == name.upper():
        return name
    page, key = sources.page, fold_letters(name)
    shown: dict[str, int] = {}
    for block in np.flatnonzero(page.words <= MAX_SECTION_WORDS).tolist():
        text = page.texts[block]
        if len(text) <= 2 * len(name) and text != text.lower() and fold_letters(text) == key:
            shown[text] = shown.get(text, 0) + 1
    if not shown:
        path = f"/{name.replace(' ', '-')}"
        for element, url in page.elements.targets.items():
            if url.rstrip("/").endswith(path):
                text = sources.join_leaves(sources.leaves_in(element))
                if 0 < len(text.split()) <= MAX_SECTION_WORDS and text != text.lower():
                    shown[text] = shown.get(text, 0) + 1
    if shown:
        return max(shown, key=shown.__getitem__)
    spelled = _word_joints(" ", name)
    return spelled[:1].upper() + spelled[1:] if spelled != name else name


def _is_internal(text: str) -> bool:
    """Return whether a name is one of a system: an address, an identifier, a number."""
    return bool(_names_system(text)) or (text.isdigit() and len(text) > MAX_NUMBER)


def find_tags(sources: MetadataSources) -> tuple[tuple[str, ...], str] | None:
    """Return (keywords and topics, each once; source).

    Sections, headline and names of the site are left out, and lists of keywords of the site.
    """
    is_topic = None
    for source, read in TAGS:
        tags: dict[str, str] = {}
        for tag in map(_clean_tag, _read_tags(read(sources))):
            if tag and len(tag) <= MAX_TAG_LENGTH:
                tags.setdefault(_fold_tag(tag), tag)
            if len(tags) == MAX_TAGS:
                break
        if tags:
            is_topic = is_topic or _build_topic_filter(sources)
            topics = list(filter(is_topic, tags.values()))
            topics = _spell_slugs(_drop_system_tags(sources, topics))
            if topics and not (source == "meta" and _are_of_site(sources, topics)):
                return tuple(topics), source
    return None


def _read_tags(values: Values) -> Iterator[str]:
    """Yield the tags in the values of a source, of which one can hold a list."""
    given = [clean_text(clean_text(value or "")) for value in islice(values, MAX_TAGS)]
    several = len(given) >= MIN_VALUES
    for value in given:
        parts = _split_list(value[:MAX_LIST_LENGTH])
        is_whole = several and len(parts) <= MAX_COMMAS + 1 and ", " in value
        # "Business, Finance & Economics", "Business, Finance, & Economics"
        if is_whole or any(map(_goes_on, parts)):
            parts = [value]
        yield from parts


def _clean_tag(text: str) -> str:
    """Return a tag without "#", quotes and "Category:", "" for a name of a system."""
    tag = text.strip(" #\"'")
    label, colon, name = tag.partition(":")
    if colon and (label.lower() in TAG_LABELS or _names_key(label)):
        tag = name.strip() if label.lower() in TAG_LABELS else ""
    if "_" in tag:
        tag = "" if tag.isupper() else tag.replace("_", " ").strip()
    return "" if _is_internal(tag) else tag


def _fold_tag(tag: str) -> str:
    """Return a tag as it is compared with others: slugs and names of one topic are equal."""
    return tag.casefold().replace("-", " ").replace("&", "and")


def _drop_system_tags(sources: MetadataSources, tags: list[str]) -> list[str]:
    """Return tags without tags of a system that the text does not have.

    They have a label, as several do ("Page: article", "NLP Category: Business"), or are one long
    word ("textbelowcentergridwidth").
    """
    labels = {tag: tag.partition(": ")[0] for tag in tags if ": " in tag}
    counts = Counter(labels.values())
    labelled = [tag for tag, label in labels.items() if counts[label] > 1 or _names_field(label)]
    doubtful = {
        tag for tag in tags if len(tag) >= MIN_LONG_WORD and tag.isalpha() and tag.islower()
    }
    if len(labelled) >= MIN_LABELLED:
        doubtful.update(labelled)
    if not doubtful:
        return tags
    text = "\n".join(sources.page.texts).casefold()
    return [tag for tag in tags if tag not in doubtful or tag.casefold() in text]


def _spell_slugs(tags: list[str]) -> list[str]:
    """Return tags with spaces for hyphens if all are spelled as in addresses."""
    if any(tag != tag.lower() or not (tag.isalpha() or _is_slug(tag)) for tag in tags):
        return tags
    return [tag.replace("-", " ") for tag in tags]


def _build_topic_filter(sources: MetadataSources) -> Callable[[str], bool]:
    """Return what tells whether a tag is a topic."""
    titles = _fold_titles(sources)
    sections = (find_declared_section(sources), find_section(sources))
    paths = (section for section, _ in read_values(sources, SECTION))
    names = [*(section[0] for section in sections if section), *islice(paths, 1)]
    others = sources.own_names.union(map(fold_letters, names))

    def is_topic(tag: str) -> bool:
        key = fold_letters(tag)
        is_long = len(tag.split()) > MAX_SECTION_WORDS or (
            len(tag) > MAX_UNSPACED_TAG and not tag.isascii() and bool(_has_unspaced(tag))
        )
        is_title = key in titles or (is_long and any(key in title for title in titles))
        return key not in others and key not in EMPTY_NAMES and not is_title

    return is_topic


def _are_of_site(sources: MetadataSources, tags: list[str]) -> bool:
    """Return whether keywords are those of the site: next to none is in the article.

    A word is compared by its first letters, since endings differ.
    """
    blocks = [*sources.headlines, *sources.content]
    if len(tags) < MIN_KEYWORDS or sources.page.words[blocks].sum() < MIN_KEYED_WORDS:
        return False
    text = "\n".join([sources.page.title, *(sources.page.texts[block] for block in blocks)]).lower()
    n_shown = 0
    for tag in map(str.lower, tags):
        words = (word[:WORD_START] for word in _find_key_words(tag))
        n_shown += tag in text or any(map(text.__contains__, words))
        if n_shown > MAX_SITE_SHARE * len(tags):
            return False
    return True


def find_url(sources: MetadataSources, table: tuple[Source, ...]) -> tuple[str, str] | None:
    """Return (first value that is an HTTP URL, absolute by the page's URL; source)."""
    for value, source in read_values(sources, table):
        try:
            url = collapse(value)
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
    if types and (name := collapse(types[0])):
        return name[:MAX_TAG_LENGTH], "json-ld"
    declared = sources.meta("og:type")
    return (declared[:MAX_TAG_LENGTH], "og:type") if declared else None
