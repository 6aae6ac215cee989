"""Section and tags: declared ones, else breadcrumbs and links to topics.

Declared values are checked against the visible text: systems declare identifiers and settings,
sites the same keywords on every page.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from urllib.parse import urlsplit

import numpy as np

from scrapy_boilerplate.metadata.date_parsing import parse_date
from scrapy_boilerplate.metadata.declared_fields import (
    WORD_START,
    fold_titles,
    read_article,
    read_json_ld_parts,
    read_values,
)
from scrapy_boilerplate.metadata.headline import find_headline
from scrapy_boilerplate.metadata.sources import (
    EMPTY_NAMES,
    OTHER_LABELS,
    MetadataSources,
    Source,
    Values,
    clean_text,
    names_category,
    read_metas,
    read_microdata,
)
from scrapy_boilerplate.page.text import compose
from scrapy_boilerplate.steps.class_names import BREADCRUMB, TOPICS
from scrapy_boilerplate.steps.titles import fold_letters, fold_texts

# Maximum tags of a page, characters of a tag and characters of a list of tags.
MAX_TAGS, MAX_TAG_LENGTH, MAX_LIST_LENGTH = 100, 100, 5_000
# Maximum names of a page that are read as its section.
MAX_SECTIONS = 20
# Maximum links to categories in a line, and to tags in a list; blocks in which they are searched.
MAX_CATEGORIES, MAX_LISTED, BLOCKS_AROUND = 3, 15, 12
MENU_TAGS = frozenset({"nav", "aside"})
# Maximum words of a section and of a link to a topic.
MAX_SECTION_WORDS, MAX_TOPIC_WORDS = 6, 4
# Maximum texts of breadcrumbs; elements with more are named after the layout.
MAX_CRUMBS = 20
# Signs between the names of a path.
PATH_SIGNS = frozenset("»›>→/")
# Maximum folders of a URL that are compared with the links of the page.
MAX_FOLDERS = 20
# Minimum words of an article that is compared with keywords. Minimum keywords of a list that can
# belong to the site, and the maximum share of such a list in the article (read by eye:
# docs/evaluation.md).
MIN_KEYED_WORDS, MIN_KEYWORDS, MAX_SITE_SHARE = 150, 5, 0.25
# Maximum elements from a link up to its text block.
LEVELS = 6
SECTION_SEPARATORS = ("/", "|")
# Names of sections that contain every article, letters folded. Other names have precedence.
GENERAL_SECTIONS = frozenset(
    "news blog blogs aktuelles aktuell nachrichten nyheter noticias noticia ニュース 新闻 新聞 "
    "новости meldung meldungen magazin magazine resources themen thema service nieuws actualités "
    "actualité aktuality zprávy wiadomości artykuły artículos insights fréttir uutiset hírek știri "
    "haberler vijesti ειδήσεις 뉴스 أخبار berita".split()
)

_split_sections = re.compile(r"[,;](?!\d)").split
_split_list = re.compile("[,;|、]").split
# Match names that readers rarely see: with digits or signs, slugs, long words in lower case.
_is_of_system = re.compile(r".*[\d:_/=<>@]|[a-z]+(?:-[a-z]+)+$|[a-z]{16,}$").match
# Match numbers, URLs and the like, which are not sections.
_is_identifier = re.compile(r"\d|.*(?:\d{3}|[:_/=<>@])").match
_find_key_words = re.compile(r"[\uac00-\ud7af]{2,}|[^\W\d_]{4,}").findall
_word_joints = re.compile("[-_]+").sub


def read_breadcrumbs(sources: MetadataSources) -> Values:
    """Yield the last name of each JSON-LD breadcrumb list that is not in the page's title."""
    for node, types in sources.typed:
        if "BreadcrumbList" not in types:
            continue
        names = []
        for crumb in sources.values(node, "itemListElement"):
            item = crumb if isinstance(crumb, dict) else {}
            inner = item.get("item")
            name = sources.text(item, "name")
            if not name and isinstance(inner, dict):
                name = sources.text(inner, "name")
            names.append(name or "")
        yield from _read_path(sources, names)


def read_shown_breadcrumbs(sources: MetadataSources) -> Values:
    """Yield the last name of a path that is not in the page's title.

    The path is in an element named "breadcrumb", else in the links of the line above the headline.
    """
    is_named, names = sources.mark_names(BREADCRUMB), sources.page.elements.names
    if is_named is None:
        yield from _read_path(sources, _read_linked_path(sources, sources.headline_block - 1))
        return
    for element in np.flatnonzero(is_named[names.classes] | is_named[names.ids]).tolist():
        leaves = sources.page.leaves_in(element)
        if len(leaves) <= MAX_CRUMBS:
            crumbs = map(sources.page.leaves.texts.__getitem__, leaves)
            yield from _read_path(sources, list(filter(fold_letters, crumbs)))
            return


def _read_linked_path(sources: MetadataSources, block: int) -> list[str]:
    """Return the links of a line with only PATH_SIGNS between them: "Home » Sea"."""
    page = sources.page
    if block < 0 or page.link_words[block] < 2:
        return []
    texts, in_link = page.leaves.texts, page.leaves.in_link
    leaves = range(page.blocks.first_leaf[block], page.blocks.end_leaf[block])
    linked = [leaf for leaf in leaves if in_link[leaf] and fold_letters(texts[leaf])]
    if not 1 < len(linked) <= MAX_CRUMBS:
        return []
    between = [texts[leaf] for leaf in range(linked[0], linked[-1]) if not in_link[leaf]]
    marks = "".join("".join(between).split())
    if not marks or not PATH_SIGNS.issuperset(marks):
        return []
    return [texts[leaf] for leaf in linked if not parse_date(texts[leaf], sources.date_language)]


def _read_path(sources: MetadataSources, names: list[str]) -> Values:
    path = [name for name in names if name and fold_letters(name) not in sources.folded_title]
    # icon fonts write "navigate_next"
    return [name for name in path if "_" not in name][-1:] if len(path) > 1 else []


def read_parent_links(sources: MetadataSources) -> Values:
    """Yield the text of the first link to a folder of the page's URL, the deepest folder first.

    The text must be the name of the folder, with at most one other word, and not the name of the
    site at the end of the page's title.
    """
    folders, title = _split_path(sources.page.url)[:-1], sources.folded_title
    for depth in range(min(len(folders), MAX_FOLDERS), 0, -1):
        folder, path = folders[depth - 1], f"/{'/'.join(folders[:depth])}"
        key = fold_letters(folder)
        for element, url in sources.find_links(path):
            if _split_path(url) == folders[:depth]:
                text = sources.read_line(element)
                # one word more than the folder: "The Coast", not "Back to the coast"
                letters, is_short = fold_letters(text), text.count(" ") <= folder.count("-") + 1
                plain = fold_letters(compose(text, "NFD"))  # without accents, like folders
                is_named = letters.isalpha() and (key in plain or plain in key) and is_short
                if is_named and not title.endswith(letters):
                    yield text
                    break


def _split_path(url: str | None) -> list[str]:
    try:
        return [part for part in urlsplit(url or "").path.lower().split("/") if part]
    except ValueError:
        return []


def read_category_links(sources: MetadataSources) -> Values:
    """Yield the texts of links to categories, in the lines around headline and text."""
    links = [link for link in sources.topic_links if names_category(sources.urls[link])]
    for group in _group_links(sources, links or sources.find_rel("category")):
        if len(group) <= MAX_CATEGORIES:
            yield from filter(None, (_read_label(sources, link) for link in group))


def read_topic_above(sources: MetadataSources) -> Values:
    """Yield the text of a link to a topic that is the whole line above the headline."""
    page, above = sources.page, sources.headline_block - 1
    for group in _group_links(sources, sources.topic_links):
        is_above = len(group) == 1 and _find_block(sources, group[0]) == above >= 0
        if is_above and page.words[above] == page.link_words[above]:
            yield _read_label(sources, group[0])


def read_topics(sources: MetadataSources) -> Values:
    """Yield the texts of the first links to topics around the text; half are in the article."""
    page, elements = sources.page, sources.page.elements
    first = int(page.blocks.elements[sources.headline_block]) if len(page) else 0
    named = set[int]()
    for element in elements.outermost(_find_topic_elements(sources)):
        inside = range(max(element, first + 1), elements.ends[element])
        named.update(link for link in inside if elements.tags[link] == "a")
    links = named.union(link for link in sources.topic_links if link > first)
    links -= {link for link in links if names_category(sources.urls.get(link, ""))}
    if not links:
        return
    mixed = (page.link_words < page.words).tolist()
    in_text = {int(page.blocks.elements[block]) for block in sources.content if mixed[block]}
    # links in sentences do not count
    shown = (
        link
        for link in sorted(links)
        if link in named or in_text.isdisjoint(islice(elements.ancestors(link), LEVELS))
    )
    groups = [_read_short(sources, group) for group in _group_links(sources, shown)]
    article = _read_titled_article(sources) if groups else ""
    for texts in filter(None, groups):
        if 2 * sum([_is_in(article, text.lower()) for text in texts]) >= len(texts):
            yield from texts
            return


def read_tag_list(sources: MetadataSources) -> Values:
    """Yield the texts of a short list of tags beside headline or text: links, or other elements."""
    links = [link for link in sources.topic_links if not names_category(sources.urls[link])]
    for group in _group_links(sources, links or sources.find_rel("tag")):
        if len(group) <= MAX_LISTED and (tags := [_read_label(sources, link) for link in group]):
            yield from filter(None, tags)
            return
    elements = sources.page.elements
    for element in elements.outermost(_find_topic_elements(sources)):
        children = [
            n for n in range(element + 1, elements.ends[element]) if elements.parents[n] == element
        ]
        if "cloud" in elements.classes[element] or len(children) > MAX_LISTED:
            continue
        if texts := [text for child in children if (text := _read_label(sources, child))]:
            yield from texts
            return


def _find_topic_elements(sources: MetadataSources) -> list[int]:
    is_named = sources.mark_names(TOPICS)
    if is_named is None:
        return []
    found: list[int] = np.flatnonzero(is_named[sources.page.elements.names.classes]).tolist()
    return found


def _group_links(sources: MetadataSources, links: Iterable[int]) -> list[list[int]]:
    """Return the links in the elements of lists, which are two levels up."""
    elements, groups = sources.page.elements, dict[int, list[int]]()
    for link in islice(links, MAX_TAGS):
        if elements.tags[link] == "a":
            groups.setdefault(elements.parents[elements.parents[link]], []).append(link)
    return list(groups.values())


def _read_short(sources: MetadataSources, links: list[int]) -> list[str]:
    texts = map(sources.read_line, links)
    return [text for text in texts if 0 < len(text.split()) <= MAX_TOPIC_WORDS]


def _read_label(sources: MetadataSources, element: int) -> str:
    """Return the text of an element in a line around headline and text, "" for one in a menu.

    A line in a menu has a word beside its links: "in Politics".
    """
    page, elements = sources.page, sources.page.elements
    block = _find_block(sources, element)
    beside = int(page.words[block] - page.link_words[block])
    if block not in sources.remember(_find_topic_blocks) or beside > MAX_TOPIC_WORDS:
        return ""
    in_menu = not beside and any(elements.tags[n] in MENU_TAGS for n in elements.ancestors(element))
    text = sources.read_line(element)
    return text if not in_menu and 0 < len(text.split()) <= MAX_TOPIC_WORDS else ""


def _find_block(sources: MetadataSources, element: int) -> int:
    return sources.find_block(sources.find_line(element))


def _find_topic_blocks(sources: MetadataSources) -> frozenset[int]:
    blocks = (*sources.find_near(BLOCKS_AROUND, BLOCKS_AROUND), *sources.find_after(BLOCKS_AROUND))
    return frozenset(block for block in blocks if sources.labels[block] not in OTHER_LABELS)


SECTION: tuple[Source, ...] = (
    ("article:section", read_metas("article:section", "og:article:section")),
    ("json-ld", read_json_ld_parts("articleSection", parts=("name",))),
    ("meta", read_metas("section", "parsely-section")),
    ("microdata", read_microdata("articlesection")),
    ("breadcrumbs", read_breadcrumbs),
    ("shown breadcrumbs", read_shown_breadcrumbs),
    ("category link", read_category_links),
    ("url", read_parent_links),
    ("topic above", read_topic_above),
)
TAGS: tuple[Source, ...] = (
    ("article:tag", read_metas("article:tag")),
    ("json-ld", read_json_ld_parts("keywords", "about", parts=("name",))),
    ("meta", read_metas("news_keywords", "keywords", "parsely-tags", "sailthru.tags")),
    ("links", read_topics),
    ("list", read_tag_list),
    ("meta tags", read_metas("tags")),
)


def find_section(sources: MetadataSources) -> tuple[str, str] | None:
    """Return (section as readers see it, source), never the headline or the name of the site."""
    return sources.remember(_choose_section)


def _choose_section(sources: MetadataSources) -> tuple[str, str] | None:
    titles = fold_titles(sources)
    of_host, general = fold_letters(sources.host[1]), None
    for name, source in islice(_read_sections(sources), MAX_SECTIONS):
        key, n_words = fold_letters(name), name.count(" ") + 1
        is_title = key in titles or (n_words > 2 and any(key in title for title in titles))
        is_site = key == of_host and key in map(fold_letters, sources.site_names)
        is_word = (len(key) > 1 or not name.isascii()) and key not in EMPTY_NAMES
        if is_word and n_words <= MAX_SECTION_WORDS and not is_title and not is_site:
            is_lower = name == name.lower()
            is_identifier = _is_identifier(_word_joints(" ", name) if is_lower else name)
            # names with capitals stay
            shown = _find_shown(sources, name) if is_lower or is_identifier else name
            if shown or not is_identifier:
                section = shown or _word_joints(" ", name), source
                if key not in GENERAL_SECTIONS:
                    return section
                general = general or section
    return general


def _read_sections(sources: MetadataSources) -> Iterator[tuple[str, str]]:
    """Yield (section, source): each name of a list, the last name of a path."""
    for value, source in read_values(sources, SECTION):
        section = clean_text(value)
        for part in _split_sections(section):
            name = part.strip(" #")
            for separator in SECTION_SEPARATORS:
                name = name.rpartition(separator)[2].strip() or name
            yield name, source


def _find_shown(sources: MetadataSources, name: str) -> str | None:
    """Return a section as readers see it, on a line or in links to it, or None.

    Capitals of the declaration stay.
    """
    initial, longest, key = name[:1].casefold(), 2 * len(name), fold_letters(name)
    lines = (t for t in sources.page.texts if len(t) <= longest and t[:1].casefold() == initial)
    shown = [line for line in lines if fold_letters(line) == key]
    if shown and name != name.lower():
        return name
    path = f"/{name.replace(' ', '-')}"
    if not shown and name == name.lower():
        links = [link for link, url in sources.find_links(path) if url.rstrip("/").endswith(path)]
        texts = map(sources.read_line, links[:MAX_TAGS])
        shown = [text for text in texts if 0 < len(text.split()) <= MAX_SECTION_WORDS]
    spelled = [text for text in shown if text != text.lower()]
    return Counter(spelled or shown).most_common(1)[0][0] if shown else None


def find_tags(sources: MetadataSources) -> tuple[tuple[str, ...], str] | None:
    """Return (keywords and topics, each once; source).

    Sections, headline and names of the site are left out, and lists of keywords of the site.
    """
    for source, read in TAGS:
        names = [tag for tag in _read_tags(read(sources)) if 0 < len(tag) <= MAX_TAG_LENGTH]
        if not names:
            continue
        fields = filter(None, (find_section(sources), find_headline(sources)))
        others = {fold_letters(name) for name, _ in fields}.union(
            sources.own_names, fold_titles(sources), EMPTY_NAMES, ("",)
        )
        tags: dict[str, str] = {}
        for key, tag in zip(fold_texts(names)[:MAX_TAGS], names, strict=False):
            if key not in others:
                tags.setdefault(key, tag)
        if topics := _drop_unseen(sources, tags, is_list=source == "meta"):
            return tuple(topics), source
    return None


def _read_tags(values: Values) -> Iterator[str]:
    for value in islice(values, MAX_TAGS):
        parts = _split_list(clean_text(value or "")[:MAX_LIST_LENGTH])
        yield from (part.strip(" #&•·\"'") for part in parts)


def _drop_unseen(sources: MetadataSources, tags: dict[str, str], *, is_list: bool) -> list[str]:
    """Return the tags that a reader of the article would understand; `tags` by `fold_letters`.

    The page must show tags that look like identifiers, and half of the words of tags in lower case.
    Three tags in a row that are neighbours in a title are its words. None if the tags are a list of
    keywords and the article has almost none of them.
    """
    page, titles = sources.page, fold_titles(sources)
    if is_list and len(tags) >= MIN_KEYWORDS:
        is_long = page.words[[*sources.headlines, *sources.content]].sum() >= MIN_KEYED_WORDS
        article = _read_titled_article(sources) if is_long else ""
        most = int(MAX_SITE_SHARE * len(tags))
        shown_tags = (tag for tag in tags.values() if _is_in(article, tag.lower()))
        if is_long and len(list(islice(shown_tags, most + 1))) <= most:
            return []
    keys, words = list(tags), set()
    for at in range(len(keys) - 2):
        row = keys[at : at + 3]
        if any("".join(row) in title for title in titles):
            words.update(row)
    kept, shown = [], ""
    for key, tag in tags.items():
        spelled, is_seen = _word_joints(" ", tag.lower()), key not in words
        is_of_system = _is_of_system(tag.replace("_", " "))
        if is_seen and (tag.islower() or is_of_system):
            if not shown:
                shown = "\n".join((page.title, *page.texts)).lower()
                shown = shown.replace("-", " ").replace("_", " ")
            is_seen = spelled in shown if is_of_system else _is_in(shown, spelled)
        if is_seen:
            kept.append(tag.replace("_", " "))
    is_slugs = all(tag.islower() and tag.replace("-", "").isalpha() for tag in kept)
    return [tag.replace("-", " ") for tag in kept] if is_slugs else kept


def _read_titled_article(sources: MetadataSources) -> str:
    return f"{sources.page.title.lower()}\n{sources.remember(read_article)}"


def _is_in(article: str, tag: str) -> bool:
    """Return whether an article has a tag, or at least half of its words, both in lower case."""
    if tag in article:
        return True
    words = _find_key_words(tag)
    return 0 < len(words) <= 2 * sum([word[:WORD_START] in article for word in words])
