"""Change the HTML of the article where several pages are joined; what its Markdown needs."""

from collections import deque
from collections.abc import Callable, Collection, Sequence
from html import escape

from lxml import etree

from scrapy_boilerplate import import_optional, is_installed
from scrapy_boilerplate.page.text import compose
from scrapy_boilerplate.steps.titles import fold_letters

# The field that needs a package of the extra [html], and the package.
CONVERTED, CONVERTER = "markdown", "html_to_markdown"
LISTS = ("ul", "ol", "blockquote")


def has_packages(field: str) -> bool:
    """Return whether the package that computes a field is installed."""
    return field != CONVERTED or is_installed(CONVERTER)


def import_packages(field: str, purpose: str) -> None:
    """Import the package that computes a field, for `purpose`. Raises MissingExtraError."""
    if field == CONVERTED:
        import_optional(CONVERTER, purpose, "html")


def write_paragraphs(text: str) -> str:
    """Return a plain text as HTML, its paragraphs separated by blank lines; "" for an empty one."""
    paragraphs = filter(None, text.split("\n\n"))
    return "\n".join(f"<p>{escape(paragraph, quote=False)}</p>" for paragraph in paragraphs)


def drop_from_html(html: str, is_repeated: Callable[[str], bool], images: Collection[str]) -> str:
    """Return the HTML of an article without repeated paragraphs and without `images`.

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
    """Return the HTML of an article with further paragraphs.

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
