"""Clean the HTML of the article, and change it where several pages are joined."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Sequence
from html import escape

from lxml import etree

from scrapy_boilerplate import import_optional, is_installed
from scrapy_boilerplate.markup.outline import ALLOWED_PARENTS, HEADINGS, INLINE_TAGS
from scrapy_boilerplate.markup.urls import LINK_SCHEMES
from scrapy_boilerplate.page.text import compose
from scrapy_boilerplate.steps.titles import fold_letters

SANITISER, CONVERTER = "nh3", "html_to_markdown"
# Field to the packages of the extra [html] that it needs.
REQUIRED_PACKAGES = {"html": (SANITISER,), "markdown": (SANITISER, CONVERTER)}
LISTS = ("ul", "ol", "blockquote")
TAGS = frozenset({*ALLOWED_PARENTS, *HEADINGS, *INLINE_TAGS.values(), "p", "pre", "br", "img"})
ATTRIBUTES = {
    "a": {"href"},
    "img": {"src", "alt"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan"},
    "ol": {"start", "reversed"},
    "li": {"value", "id"},
    "p": {"id"},
    "code": {"class"},
}


# Entities that nh3 writes in quadratic time, what they are read from, and stand-ins for both
# (noncharacters of Unicode).
_SLOW = (("&amp;", "&amp;", "\uffff"), ("&nbsp;", "\xa0", "\ufffe"))


def has_packages(field: str) -> bool:
    """Return whether the packages that compute a field are installed."""
    return all(map(is_installed, REQUIRED_PACKAGES.get(field, ())))


def import_packages(field: str, purpose: str) -> None:
    """Import the packages that compute a field, for `purpose`. Raises MissingExtraError."""
    for package in REQUIRED_PACKAGES.get(field, ()):
        import_optional(package, purpose, "html")


def sanitise_content(html: str) -> str:
    """Return the HTML of `write_content` with only TAGS, ATTRIBUTES and LINK_SCHEMES.

    nh3 (ammonia), which parses as browsers do, sanitises it. Linear time. Raises MissingExtraError
    without the package nh3.
    """
    return sanitise(html, "document.html", TAGS, ATTRIBUTES, LINK_SCHEMES).strip()


def sanitise(
    html: str,
    purpose: str,
    tags: frozenset[str],
    attributes: dict[str, set[str]],
    schemes: frozenset[str],
) -> str:
    """Return HTML with only these tags, attributes and schemes of URLs. Linear time.

    Raises MissingExtraError, with the `purpose`, without the package nh3.
    """
    nh3 = import_optional(SANITISER, purpose, "html")
    for _, read, stand_in in _SLOW:
        html = html.replace(stand_in, "").replace(read, stand_in)
    written: str = nh3.clean(
        *(html, set(tags)), attributes=attributes, url_schemes=set(schemes), link_rel=None
    )
    for entity, _, stand_in in _SLOW:
        written = written.replace(stand_in, entity)
    return written


def write_paragraphs(text: str) -> str:
    """Return a plain text as HTML, its paragraphs separated by blank lines; "" for an empty one."""
    paragraphs = filter(None, text.split("\n\n"))
    return "\n".join(f"<p>{escape(paragraph, quote=False)}</p>" for paragraph in paragraphs)


def drop_from_html(html: str, is_repeated: Callable[[str], bool], images: Collection[str]) -> str:
    """Return the HTML of `sanitise_content` without repeated paragraphs and without `images`.

    `is_repeated` takes the letters of a text (`fold_letters`). A list is removed if all its entries
    are, and a figure if its picture is.
    """
    body = _parse(html)
    parts = [body.text or ""]
    for element in body:
        if _is_repeated(element, is_repeated, images):
            parts.append(element.tail or "")
        else:
            parts.append(etree.tostring(element, method="html", encoding="unicode"))
    return "".join(parts).strip()


def insert_into_html(
    html: str, paragraphs: Sequence[str], placed: Sequence[tuple[int, str]]
) -> str:
    """Return the HTML of `sanitise_content` with further paragraphs.

    `paragraphs` are the paragraphs of the HTML. `placed` has each further paragraph with the
    paragraph before which it is inserted. Inside a list or a table it is inserted after the list.
    """
    body, folded = _parse(html), [fold_letters(paragraph) for paragraph in paragraphs]
    number, waiting = 0, deque(placed)
    parts = [body.text or ""]
    for element in body:
        while waiting and waiting[0][0] <= number:
            parts.append(write_paragraphs(waiting.popleft()[1]) + "\n")
        parts.append(etree.tostring(element, method="html", encoding="unicode"))
        letters = _read_letters(element)
        end = 0
        while number < len(folded) and (at := letters.find(folded[number], end)) >= 0:
            number, end = number + 1, at + len(folded[number])
    parts += ["\n" + write_paragraphs(text) for _, text in waiting]
    return "".join(parts).strip()


def _parse(html: str) -> etree._Element:
    root = etree.fromstring(f"<body>{html}</body>", etree.HTMLParser(huge_tree=True))
    return root if (body := root.find("body")) is None else body


def _read_letters(element: etree._Element) -> str:
    # `itertext(with_tail=False)` also leaves out the tails of the elements inside
    text: str = etree.tostring(element, method="text", encoding="unicode", with_tail=False)
    return fold_letters(compose(text))


def _is_repeated(
    element: etree._Element, is_repeated: Callable[[str], bool], images: Collection[str]
) -> bool:
    text = _read_letters(element)
    sources = [image.get("src", "") for image in element.iter("img")]
    if sources:
        is_known = all(source in images for source in sources)
        return is_known and (element.tag == "figure" or not text or is_repeated(text))
    if text and element.tag in LISTS:
        return all(map(is_repeated, map(_read_letters, element)))
    return bool(text) and is_repeated(text)
