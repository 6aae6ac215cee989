"""The images, videos, links and tables in the HTML of `content_tree.write_content`."""

import re
from copy import deepcopy

from lxml import etree

from scrapy_boilerplate.items import Image, Table, TextLink, Video
from scrapy_boilerplate.markup.content_tree import EMBED
from scrapy_boilerplate.markup.outline import CREDIT
from scrapy_boilerplate.page.text import collapse, compose

# Positions that the cells of a table cover besides their own; further cells cover none.
MAX_SPANNED = 10_000
# Words before the credit of a picture, at the end of its caption or in an element of its own.
_LABEL = (
    r"(?:©|\(c\)|(?:photo(?:graph)?s?|pictures?|images?|credits?|fotos?|bild(?:er)?|quelle|source|"
    r"fotograf(?:[ií]a|ie)?|fuente|crédits?|kuva|foto(?:graf)?|фото|写真|사진)"
    r"(?: (?:credits?|courtesy|by|of|von|de|di|av|par|por|door)){0,2} ?[:©/]|"
    r"(?:photo(?:graph)?|picture|image)s? (?:by|courtesy of))"
)
_find_label = re.compile(rf"(?:^|[\s(\[|/.,–—-])[(\[]?({_LABEL})", re.IGNORECASE).search
_drop_label = re.compile(rf"[\s(\[|/–—-]*(?:{_LABEL}\s*)*", re.IGNORECASE).match
_has_sentence = re.compile(r"\w{3}[.!?] |。").search
# Characters of a credit in a caption.
MAX_CREDIT = 100


def parse_content(html: str) -> etree._Element:
    """Return the tree of the HTML, with white space instead of line breaks."""
    body = etree.fromstring(f"<body>{html}</body>", etree.HTMLParser(huge_tree=True))
    for line_break in body.iter("br"):
        line_break.tail = f" {line_break.tail or ''}"
    return body


def list_images(body: etree._Element) -> tuple[Image, ...]:
    """Return the images, each with the caption of its figure."""
    captions: dict[etree._Element, tuple[str | None, str | None]] = {}
    images: list[Image] = []
    for image in body.iter("img"):
        caption = credit = None
        figure = next(image.iterancestors("figure"), None)
        if figure is not None:
            if figure not in captions:
                captions[figure] = _read_caption(figure)
            caption, credit = captions[figure]
        alt = compose(image.get("alt", "")) or None
        images.append(
            {"url": image.get("src", ""), "caption": caption, "credit": credit, "alt": alt}
        )
    return tuple(images)


def list_videos(body: etree._Element) -> tuple[Video, ...]:
    """Return the embedded videos."""
    return tuple(
        {
            "url": (url := embed.get("href", "")),
            "provider": embed.get(EMBED, ""),
            "title": title if (title := _read_text(embed)) != url else None,
        }
        for embed in body.iter("a")
        if embed.get(EMBED)
    )


def list_links(body: etree._Element) -> tuple[TextLink, ...]:
    """Return the links in the text, each pair of URL and text once; not those to notes."""
    pairs: list[list[str]] = []
    for link in body.iter("a"):
        url, text = link.get("href", ""), _read_text(link)
        if link.get(EMBED) is not None or url.startswith("#") or not text:
            continue
        if _continues_link(link):
            pairs[-1][1] = f"{pairs[-1][1]} {text}"
        else:
            pairs.append([url, text])
    return tuple({"url": url, "text": text} for url, text in dict.fromkeys(map(tuple, pairs)))


def _continues_link(link: etree._Element) -> bool:
    line_break = link.getprevious()
    if line_break is None or line_break.tag != "br" or (line_break.tail or "").strip():
        return False
    before = line_break.getprevious()
    return before is not None and not before.tail and before.get("href") == link.get("href")


def list_tables(body: etree._Element) -> tuple[Table, ...]:
    """Return the tables, which contain no other tables."""
    tables: list[Table] = []
    for table in body.iter("table"):
        caption = table.find("caption")
        text = None if caption is None else _read_text(caption) or None
        tables.append({"caption": text, "rows": _read_rows(table)})
    return tuple(tables)


def _read_text(element: etree._Element) -> str:
    text = etree.tostring(element, method="text", encoding="unicode", with_tail=False)
    return compose(collapse(text))


def _read_caption(figure: etree._Element) -> tuple[str | None, str | None]:
    caption = figure.find("figcaption")
    if caption is None:
        return None, None
    named = [text for each in caption.iter(CREDIT) if (text := _read_text(each))]
    if named:
        caption = deepcopy(caption)
        etree.strip_elements(caption, CREDIT, with_tail=False)
        text, credit = _read_text(caption), " ".join(dict.fromkeys(named))
    else:
        text, credit = _split_credit(_read_text(caption))
    label = _drop_label(credit)
    credit = credit[label.end() if label else 0 :].strip(" .()[]|")
    return text.rstrip(" |([–—-/") or None, credit or None


def _split_credit(text: str) -> tuple[str, str]:
    """Split a caption before the label of a credit at its end."""
    label = _find_label(text, max(0, len(text) - MAX_CREDIT))
    if label is None or _has_sentence(text, label.end()):
        return text, ""
    return text[: label.start(1)], text[label.start(1) :]


def _read_rows(table: etree._Element) -> list[list[str]]:
    rows: list[list[str]] = []
    covered: dict[int, int] = {}  # column to rows that are still covered
    room = MAX_SPANNED
    for row in table.iter("tr"):
        cells: list[str] = []
        below = {column: left - 1 for column, left in covered.items() if left > 1}
        for cell in row.iterchildren("td", "th"):
            while len(cells) in covered:
                cells.append("")
            width, height = (max(1, int(cell.get(name, "1"))) for name in ("colspan", "rowspan"))
            room -= width * height - 1
            if room < 0:
                width = height = 1
            if height > 1:
                below.update(dict.fromkeys(range(len(cells), len(cells) + width), height - 1))
            cells += [_read_text(cell), *[""] * (width - 1)]
        while len(cells) in covered:
            cells.append("")
        covered = below
        rows.append(cells)
    return rows
