"""Write clean HTML as Markdown (CommonMark with tables), in one pass over its tree."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

from lxml import etree

from scrapy_boilerplate.markup.outline import HEADINGS
from scrapy_boilerplate.page.limits import NO_CLOCK, Clock

# Blocks: white space at their borders is none of the text.
BLOCKS = HEADINGS | frozenset(
    "p blockquote ol ul li dl dt dd table thead tbody tfoot tr td th".split()
)
BORDERS = BLOCKS | {"pre"}
CELLS = frozenset(("td", "th"))
# Elements without content.
EMPTY = frozenset(("br", "img"))
# Elements whose content is on one line.
ONE_LINE = HEADINGS | CELLS
# Elements whose text is not escaped.
VERBATIM = frozenset(("pre", "code", "kbd", "samp"))
# Columns that a cell spans at most (our choice): each is written, and a page can declare 999.
MAX_COLSPAN = 50
LINE_BREAK = "\\\n"

_encode_marks = re.compile(r"""[()<>\[\]\\`*|"'\s]""").sub
# an "&" that CommonMark would read as the start of an entity
_escape_entity = re.compile(r"&(?=[#\w]+;)").sub
_escape_alt = re.compile(r"([]\\&<`[>~=+|*_!])").sub
_find_backticks = re.compile("`+").findall

# --- escapes of text: marks, lines of dashes, headings, entries of a list ---
_has_marks = re.compile(r"[]\\&<`[>~=+|*_#.)-]").search
_has_inline_marks = re.compile(r"[]\\&<`[>~=+|*_]").search
_escape_marks = re.compile(r"([]\\&<`[>~=+|*_])").sub
_escape_dashes = re.compile(r"(\s|^)(-+(?:\s|$))").sub
_escape_hashes = re.compile(r"(\s|^)(#{1,6}(?:\s|$))").sub
_escape_numbers = re.compile(r"((?:\s|^)[0-9]{1,9})([.)](?:\s|$))").sub


def write_markdown(html: str, clock: Clock = NO_CLOCK) -> str:
    """Return the HTML of `clean_html.write_html` as Markdown, its text escaped; "" for "".

    Linear time. Raises OutOfTimeError once `clock` is over.
    """
    root = etree.fromstring(f"<div>{html}</div>", etree.HTMLParser(huge_tree=True))
    top = None if root is None else root.find("body/div")
    if top is None:
        return ""
    writer = _Writer(_Place(top, None))
    walker = etree.iterwalk(top, events=("start", "end"))
    next(walker)
    writer.add_text(top.text, None, next(iter(top), None))
    for number, (event, element) in enumerate(walker):
        if number % clock.INTERVAL == 0:
            clock.check()
        is_empty = element.tag in EMPTY
        if event == "start":
            if is_empty:
                writer.add_empty(element)
                continue
            writer.open(element)
            if element.text:
                writer.add_text(element.text, None, next(iter(element), None))
        elif element is not top:
            if not is_empty:
                writer.close()
            if element.tail:
                writer.add_text(element.tail, element, element.getnext())
    return writer.place.join().strip()


class _Place:
    """An open element: where it stands, and its content so far.

    parts      pieces of Markdown; without the line ends at the end of the last one
    line_ends  their number
    entries    the number of the next entry of a list
    rows       of a table: whether there was one
    columns    of a row
    headers    of a row: whether all its cells are headers
    """

    __slots__ = (
        *("tag", "element", "parts", "line_ends", "entries", "rows", "columns", "headers"),
        *("in_line", "in_cell", "in_entry", "is_verbatim", "is_preformatted"),
    )

    def __init__(self, element: etree._Element, parent: _Place | None) -> None:
        tag = self.tag = str(element.tag)
        self.element = element
        self.parts: list[str] = []
        self.line_ends = self.entries = self.columns = 0
        self.rows, self.headers = False, True
        above = parent or self
        if parent is None:
            self.in_line = self.in_cell = self.in_entry = False
            self.is_verbatim = self.is_preformatted = False
        self.in_line = above.in_line or tag in ONE_LINE
        self.in_cell = above.in_cell or tag in CELLS
        self.in_entry = above.in_entry or tag == "li"
        self.is_verbatim = above.is_verbatim or tag in VERBATIM
        self.is_preformatted = above.is_preformatted or tag == "pre"

    def add(self, text: str) -> None:
        """Add a piece; of the line ends between two pieces the most count, two at most."""
        if self.is_preformatted:
            self.parts.append(text)
            return
        if "\n" not in text and not self.line_ends and text[0] != "[":
            self.parts.append(text)
            return
        content = text.lstrip("\n")
        first = len(text) - len(content)
        if first and self.line_ends:
            self.line_ends = min(2, max(first, self.line_ends))
        else:
            self.line_ends += first
        if not content:
            return
        parts = self.parts
        if self.line_ends:
            parts.append("\n" * self.line_ends)
        elif content[0] == "[" and parts and parts[-1][-1] == "!":
            parts[-1] = f"{parts[-1][:-1]}\\!"  # a link after it is no image
        written = content.rstrip("\n")
        parts.append(written)
        self.line_ends = len(content) - len(written)

    def join(self) -> str:
        """Return the content."""
        if self.parts and self.parts[-1] == LINE_BREAK[0]:  # nothing follows
            self.parts.pop()
            self.line_ends = 0
        return "".join(self.parts) + "\n" * self.line_ends


class _Writer:
    """The open elements, from the root on; `place` is the innermost."""

    def __init__(self, place: _Place) -> None:
        self.place = place
        self._above: list[_Place] = []

    def open(self, element: etree._Element) -> None:
        self._above.append(self.place)
        self.place = _Place(element, self.place)

    def close(self) -> None:
        place, parent = self.place, self._above.pop()
        self.place = parent
        text = place.join()
        write = _WRITERS.get(place.tag)
        if write is not None:
            text = write(self, place, parent, text)
        if text:
            parent.add(text)

    def add_empty(self, element: etree._Element) -> None:
        place = self.place
        if element.tag == "img":
            place.add(_write_image(element))
        else:
            place.add(" " if place.in_line or place.is_verbatim else LINE_BREAK)

    def add_text(
        self, text: str | None, before: etree._Element | None, after: etree._Element | None
    ) -> None:
        """Add the text between two elements of the innermost one."""
        place = self.place
        if not text:
            return
        is_block = place.tag in BLOCKS
        starts = is_block if before is None else before.tag in BORDERS
        ends = is_block if after is None else after.tag in BORDERS
        if text.isspace() and (starts or ends or ("\n" in text and not place.is_preformatted)):
            return
        if not place.is_preformatted and ("\n" in text or "  " in text or "\t" in text):
            lines = (" ".join(line.split()) for line in text.split("\n"))
            first, last = text[0].isspace(), text[-1].isspace()
            inner = "\n".join(filter(None, lines))
            text = f"{' ' * first}{inner}{' ' * last}"
        if not place.is_verbatim and _has_marks(text):
            text = _escape_text(text)
        if starts:
            text = text.lstrip(" \t\r\n")
        if ends:
            text = text.rstrip()
        if text:
            place.add(text)

    # --- one method an element: its content in, its Markdown out ---

    def paragraph(self, place: _Place, _parent: _Place, text: str) -> str:
        text = text.strip(" \t\r\n")
        if place.in_line:
            return f" {text} "
        return f"\n\n{text}\n\n" if text else ""

    def heading(self, place: _Place, parent: _Place, text: str) -> str:
        if parent.in_line:
            return text
        words = " ".join(text.split())
        return f"\n\n{'#' * int(place.tag[1])} {words}\n\n" if words else ""

    def preformatted(self, place: _Place, _parent: _Place, text: str) -> str:
        runs = map(len, _find_backticks(text))
        if place.in_line:
            words, fence = " ".join(text.split()), "`" * (max(runs, default=0) + 1)
            return f" {fence} {_escape_columns(words)} {fence} " if words else ""
        fence, lines = "`" * max(3, max(runs, default=0) + 1), text.strip("\n")
        return f"\n\n{fence}\n{lines}\n{fence}\n\n" if lines.strip() else ""

    def code(self, _place: _Place, parent: _Place, text: str) -> str:
        if parent.is_verbatim:
            return text
        before, words, after = _split_spaces(text)
        if not words:
            return ""
        words = " ".join(words.split())
        longest = max(map(len, _find_backticks(words)), default=0)
        fence, space = "`" * (longest + 1), " " if longest else ""
        if parent.in_cell:
            words = _escape_columns(words)
        return f"{before}{fence}{space}{words}{space}{fence}{after}"

    def link(self, place: _Place, parent: _Place, text: str) -> str:
        href = place.element.get("href")
        if parent.is_verbatim or not href:
            return text
        before, words, after = _split_spaces(text)
        return f"{before}[{words}]({_encode_url(href)}){after}" if words else ""

    def strong(self, _place: _Place, parent: _Place, text: str) -> str:
        return _mark("**", parent, text)

    def emphasis(self, _place: _Place, parent: _Place, text: str) -> str:
        return _mark("*", parent, text)

    def deleted(self, _place: _Place, parent: _Place, text: str) -> str:
        return _mark("~~", parent, text)

    def quotation(self, _place: _Place, _parent: _Place, text: str) -> str:
        return f'"{text}"'

    def quote(self, place: _Place, _parent: _Place, text: str) -> str:
        text = text.strip(" \t\r\n")
        if place.in_line:
            return f" {text} "
        lines = [f"> {line}" if line else ">" for line in text.split("\n")]
        return "\n{}\n\n".format("\n".join(lines)) if text else "\n"

    def division(self, place: _Place, _parent: _Place, text: str) -> str:
        text = text.strip()
        if place.in_line:
            return f" {text} "
        return f"\n\n{text}\n\n" if text else ""

    def list(self, place: _Place, parent: _Place, text: str) -> str:
        if parent.in_entry:
            return "\n" + text.rstrip()
        after = place.element.getnext()
        is_last = after is None or after.tag in ("ul", "ol")
        return f"\n\n{text}" if is_last else f"\n\n{text}\n"

    def entry(self, _place: _Place, parent: _Place, text: str) -> str:
        mark, text = "- ", text.strip()
        if parent.tag == "ol":
            number = parent.entries or int(parent.element.get("start") or 1)
            parent.entries = number + 1
            mark = f"{number}. "
        return f"{mark}{_indent(text, len(mark))}\n" if text else "\n"

    def term(self, place: _Place, _parent: _Place, text: str) -> str:
        words = " ".join(text.split())
        if place.in_line:
            return f" {words} "
        return f"\n\n{words}\n" if words else "\n"

    def definition(self, place: _Place, _parent: _Place, text: str) -> str:
        text = text.strip()
        if place.in_line:
            return f" {text} "
        return f":   {_indent(text, 4)}\n" if text else "\n"

    def caption(self, _place: _Place, _parent: _Place, text: str) -> str:
        return f"\n\n{text.strip()}\n\n"

    def cell(self, place: _Place, parent: _Place, text: str) -> str:
        span = place.element.get("colspan", "")
        columns = min(MAX_COLSPAN, int(span) or 1) if span.isdecimal() else 1
        parent.columns += columns
        parent.headers &= place.tag == "th"
        return f" {text.strip()}".replace("\n", " ") + " |" * columns

    def row(self, place: _Place, parent: _Place, text: str) -> str:
        """Write a row; a table starts with its headers, empty ones where it has none."""
        table = parent if parent.tag == "table" or not self._above else self._above[-1]
        line, columns = f"|{text}\n", place.columns
        if table.rows or not columns:
            return line
        table.rows = True
        under = f"| {' | '.join(['---'] * columns)} |\n"
        if place.headers or (parent.tag == "thead" and len(parent.element) == 1):
            return line + under
        return f"| {' | '.join([''] * columns)} |\n{under}{line}"


_WRITERS: Mapping[str, Callable[[_Writer, _Place, _Place, str], str]] = MappingProxyType(
    {
        **dict.fromkeys(HEADINGS, _Writer.heading),
        **dict.fromkeys(CELLS, _Writer.cell),
        **dict.fromkeys(("code", "kbd", "samp"), _Writer.code),
        **dict.fromkeys(("s", "del"), _Writer.deleted),
        **dict.fromkeys(("ul", "ol"), _Writer.list),
        **dict.fromkeys(("figure", "dl", "table"), _Writer.division),
        **dict.fromkeys(("figcaption", "caption"), _Writer.caption),
        "p": _Writer.paragraph,
        "pre": _Writer.preformatted,
        "a": _Writer.link,
        "strong": _Writer.strong,
        "em": _Writer.emphasis,
        "q": _Writer.quotation,
        "blockquote": _Writer.quote,
        "li": _Writer.entry,
        "dt": _Writer.term,
        "dd": _Writer.definition,
        "tr": _Writer.row,
    }
)


def _escape_text(text: str) -> str:
    """Return a text with a backslash before each mark."""
    if _has_inline_marks(text):
        text = _escape_marks(r"\\\1", text)
    if "-" in text:
        text = _escape_dashes(_insert_backslash, text)
    if "#" in text:
        text = _escape_hashes(_insert_backslash, text)
    if "." in text or ")" in text:
        text = _escape_numbers(_insert_backslash, text)
    return text


def _insert_backslash(match: re.Match[str]) -> str:
    return f"{match[1]}\\{match[2]}"


def _write_image(image: etree._Element) -> str:
    words = _escape_alt(r"\\\1", " ".join((image.get("alt") or "").split()))
    return f"![{words}]({_encode_url(image.get('src') or '')})"


def _encode_url(url: str) -> str:
    """Return a URL without characters that end a link or open a code span.

    Its "&" stay as they are, except those that start an entity.
    """

    def encode(match: re.Match[str]) -> str:
        return "".join(f"%{byte:02X}" for byte in match[0].encode())

    return _escape_entity("&amp;", _encode_marks(encode, url))


def _split_spaces(text: str) -> tuple[str, str, str]:
    """Return the space before a text, its words, and the space after it; marks touch words."""
    return " " * text.startswith(" "), text.strip(), " " * text.endswith(" ")


def _mark(mark: str, parent: _Place, text: str) -> str:
    if parent.is_verbatim:
        return text
    before, words, after = _split_spaces(text)
    return f"{before}{mark}{words}{mark}{after}" if words else ""


def _indent(text: str, width: int) -> str:
    """Return a text with all its lines but the first indented."""
    if "\n" not in text:
        return text
    first, *lines = text.split("\n")
    return "\n".join([first, *(f"{' ' * width}{line}" if line else "" for line in lines)])


def _escape_columns(code: str) -> str:
    """Return code of a table's cell, where a bar ends the cell even in code."""
    return code.replace("|", "\\|")
