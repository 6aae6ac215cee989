"""Write clean HTML as Markdown (CommonMark with tables), in one pass over its tags."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from html import unescape
from types import MappingProxyType
from typing import NamedTuple

from scrapy_boilerplate.markup.outline import HEADINGS
from scrapy_boilerplate.markup.structure import prepare_structure, restore_structure
from scrapy_boilerplate.page.limits import NO_CLOCK, Clock

# Blocks: white space at their borders is dropped.
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
# Tag to the marks around its text.
MARKS = MappingProxyType({"strong": "**", "em": "*", "s": "~~", "del": "~~"})
# Maximum columns and rows of a cell, and maximum columns to which short rows are filled up. Each is
# written, and a page can declare 999.
MAX_SPAN = 50
# At the end of a line: a line break.
BREAK_MARK = "\\"

# texts and, between two of them, "/" or "", the name and the attributes of a tag
_split_tags = re.compile(r"""<(/?)([a-z][a-z0-9]*)([^<>"]*(?:"[^"]*"[^<>"]*)*)>""").split
_find_attributes = re.compile(r"""\s([a-z]+)="([^"]*)\"""").findall
_encode_marks = re.compile(r"""[()<>\[\]\\`*|"'\s]""").sub
# an "&" that CommonMark would read as the start of an entity
_escape_entity = re.compile(r"&(?=[#\w]+;)").sub
_find_backticks = re.compile("`+").findall

# --- escapes of text: marks, lines of dashes, headings, entries of a list ---
_has_marks = re.compile(r"[]\\&<`[>~=+|*_#.)-]").search
_escape_marks = re.compile(r"([]\\&<`[>~=+|*_])").sub
_escape_hashes = re.compile(r"(\s|^)(#{1,6})(?=\s|$)").sub
# a list or a line of dashes starts at the start of a line only
_LINE_START = r"(?:^\s*|[\r\n][^\S\r\n]*)"
_escape_dashes = re.compile(rf"({_LINE_START})(-+)(?=\s|$)").sub
_escape_numbers = re.compile(rf"({_LINE_START}[0-9]{{1,9}})([.)])(?=\s|$)").sub


def write_markdown(html: str, clock: Clock = NO_CLOCK) -> str:
    """Return the HTML of `clean_html.write_html` as Markdown, its text escaped; "" for "".

    Linear time. Raises OutOfTimeError once `clock` is over.
    """
    writer = _Writer(_split_tags(prepare_structure(html)))
    writer.write_content(clock)
    return restore_structure(writer.finish()).strip()


class _Cell(NamedTuple):
    """A cell of a table: its Markdown, the columns and rows it spans, and whether it is `th`."""

    text: str
    columns: int
    rows: int
    is_header: bool


class _Row(NamedTuple):
    """The cells of a row, and whether it is in `thead`."""

    cells: list[_Cell]
    in_head: bool

    @property
    def is_head(self) -> bool:
        """Whether the row is the head if it is the first one."""
        filled = [cell.is_header for cell in self.cells if cell.text]
        return self.in_head or (all(filled) and any(filled))


class _Kind:
    """The rules for elements of one tag inside the same tags.

    write   the method that writes their content, or None
    inner   tag to the kind of an element inside
    """

    __slots__ = (
        *("tag", "write", "inner", "is_block"),
        *("in_line", "in_cell", "in_entry", "is_verbatim", "is_preformatted"),
    )

    def __init__(self, tag: str, above: _Kind | None) -> None:
        self.tag = tag
        self.write = _WRITERS.get(tag)
        self.inner: dict[str, _Kind] = {}
        self.is_block = tag in BLOCKS
        self.in_line: bool = tag in ONE_LINE or (above is not None and above.in_line)
        self.in_cell: bool = tag in CELLS or (above is not None and above.in_cell)
        self.in_entry: bool = tag == "li" or (above is not None and above.in_entry)
        self.is_verbatim: bool = tag in VERBATIM or (above is not None and above.is_verbatim)
        self.is_preformatted: bool = tag == "pre" or (above is not None and above.is_preformatted)

    def add_inner(self, tag: str) -> _Kind:
        """Return the new kind of an element inside."""
        kind = self.inner[tag] = _Kind(tag, self)
        return kind


class _Place:
    """An open element, and its content so far.

    attributes  as they are written in its tag
    parts       pieces of Markdown; without the line ends at the end of the last one
    line_ends   their number
    entries     the number of the next entry of a list
    rows        of a table
    cells       of a row
    """

    __slots__ = (
        *("kind", "attributes", "parts", "line_ends"),
        *("entries", "rows", "cells"),
    )

    def __init__(self, kind: _Kind, attributes: str = "") -> None:
        self.kind = kind
        self.attributes = attributes
        self.parts: list[str] = []
        self.line_ends = self.entries = 0
        self.rows: list[_Row] = []
        self.cells: list[_Cell] = []

    def add(self, text: str) -> None:
        """Add a piece. Between two pieces, the larger number of line ends counts, at most two."""
        parts = self.parts
        if self.kind.is_preformatted:
            parts.append(text)
            return
        content = text.lstrip("\n")
        first = len(text) - len(content)
        if first and self.line_ends:
            self.line_ends = min(2, max(first, self.line_ends))
        else:
            self.line_ends += first
        if content:
            written = content.rstrip("\n")
            self.line_ends, last = 0, self.line_ends
            if last:
                parts.append("\n" * last)
            elif written[0] == "[" and parts and parts[-1][-1] == "!":
                parts[-1] = f"{parts[-1][:-1]}\\!"  # otherwise a link after it is an image
            parts.append(written)
            self.line_ends = len(content) - len(written)

    def add_break(self) -> None:
        """Add a line break."""
        if self.line_ends:
            self.parts.append("\n" * self.line_ends)
        self.parts.append(BREAK_MARK)
        self.line_ends = 1

    def join(self) -> str:
        """Return the content."""
        if self.line_ends and self.parts and self.parts[-1] == BREAK_MARK:  # nothing follows
            self.parts.pop()
            self.line_ends = 0
        return "".join(self.parts) + "\n" * self.line_ends


class _Writer:
    """The open elements, from the root on; `place` is the innermost.

    `pieces` are texts and, between two of them, a tag: "/" or "", its name, its attributes.
    """

    def __init__(self, pieces: list[str]) -> None:
        self.place = _Place(_Kind("div", None))
        self._above: list[_Place] = []
        self._texts, self._ends = pieces[::4], pieces[1::4]
        self._tags, self._attributes = pieces[2::4], pieces[3::4]

    def write_content(self, clock: Clock) -> None:
        """Write all texts and elements."""
        texts, ends, tags = self._texts, self._ends, self._tags
        for number, tag in enumerate(tags):
            if number % clock.INTERVAL == 0:
                clock.check()
            place, text = self.place, texts[number]
            if text and (text != "\n" or place.kind.is_preformatted):
                self._add_text(number)
            if ends[number]:
                self._close()
            elif tag in EMPTY:
                self._add_empty(tag, self._attributes[number])
            else:
                kind = place.kind.inner.get(tag) or place.kind.add_inner(tag)
                self._above.append(place)
                self.place = _Place(kind, self._attributes[number])
        if texts[-1]:
            self._add_text(len(tags))

    def finish(self) -> str:
        """Close all elements; return the Markdown."""
        while self._above:
            self._close()
        return self.place.join()

    def _close(self) -> None:
        """Close the innermost element, and add it to the one around it."""
        place, text = self.place, self.place.join()
        self.place = self._above.pop()
        if place.kind.write is not None:
            text = place.kind.write(self, place, self.place, text)
        if text:
            self.place.add(text)

    def _add_empty(self, tag: str, attributes: str) -> None:
        place = self.place
        if tag == "img":
            image = _read_attributes(attributes)
            words = _escape_marks(r"\\\1", " ".join(image.get("alt", "").split()))
            place.add(f"![{words}]({_encode_url(image.get('src', ''))})")
        elif place.kind.in_line or place.kind.is_verbatim:
            place.add(" ")
        else:
            place.add_break()

    def _add_text(self, number: int) -> None:
        """Add the text before the tag of that number, or the last one, to the innermost element."""
        kind, tags, ends = self.place.kind, self._tags, self._ends
        starts = is_last = kind.is_block
        if number and (ends[number - 1] or tags[number - 1] in EMPTY):
            starts = tags[number - 1] in BORDERS
        if number < len(tags) and not ends[number]:
            is_last = tags[number] in BORDERS
        text = _write_text(kind, self._texts[number], starts, is_last)
        if text:
            self.place.add(text)

    # --- a method for each element, from its content to its Markdown ---

    def paragraph(self, place: _Place, _parent: _Place, text: str) -> str:
        text = text.strip(" \t\r\n")
        if place.kind.in_line:
            return f" {text} "
        return f"\n\n{text}\n\n" if text else ""

    def heading(self, place: _Place, parent: _Place, text: str) -> str:
        if parent.kind.in_line:
            return text
        words = " ".join(text.split())
        return f"\n\n{'#' * int(place.kind.tag[1])} {words}\n\n" if words else ""

    def preformatted(self, place: _Place, _parent: _Place, text: str) -> str:
        runs = map(len, _find_backticks(text))
        if place.kind.in_line:
            words, fence = " ".join(text.split()), "`" * (max(runs, default=0) + 1)
            return f" {fence} {_escape_columns(words)} {fence} " if words else ""
        fence, lines = "`" * max(3, max(runs, default=0) + 1), text.strip("\n")
        language = _read_attributes(place.attributes).get("class", "").removeprefix("language-")
        return f"\n\n{fence}{language}\n{lines}\n{fence}\n\n" if lines.strip() else ""

    def code(self, place: _Place, parent: _Place, text: str) -> str:
        if parent.kind.tag == "pre" and place.attributes:
            parent.attributes = place.attributes
        if parent.kind.is_verbatim:
            return text
        before, words, after = _split_spaces(text)
        if not words:
            return ""
        words = " ".join(words.split())
        longest = max(map(len, _find_backticks(words)), default=0)
        fence, space = "`" * (longest + 1), " " if longest else ""
        if parent.kind.in_cell:
            words = _escape_columns(words)
        return f"{before}{fence}{space}{words}{space}{fence}{after}"

    def link(self, place: _Place, parent: _Place, text: str) -> str:
        href = _read_attributes(place.attributes).get("href")
        if parent.kind.is_verbatim or not href:
            return text
        before, words, after = _split_spaces(text)
        return f"{before}[{words}]({_encode_url(href)}){after}" if words else ""

    def marked(self, place: _Place, parent: _Place, text: str) -> str:
        if parent.kind.is_verbatim:
            return text
        (before, words, after), mark = _split_spaces(text), MARKS[place.kind.tag]
        return f"{before}{mark}{words}{mark}{after}" if words else ""

    def quotation(self, _place: _Place, _parent: _Place, text: str) -> str:
        return f'"{text}"'

    def quote(self, place: _Place, _parent: _Place, text: str) -> str:
        text = text.strip(" \t\r\n")
        if place.kind.in_line:
            return f" {text} "
        lines = [f"> {line}" if line else ">" for line in text.split("\n")]
        return "\n{}\n\n".format("\n".join(lines)) if text else "\n"

    def list(self, _place: _Place, parent: _Place, text: str) -> str:
        if parent.kind.in_entry:
            return "\n" + text.rstrip()
        return f"\n\n{text}\n"

    def entry(self, _place: _Place, parent: _Place, text: str) -> str:
        mark, text = "- ", text.strip()
        if parent.kind.tag == "ol":
            number = parent.entries or int(_read_attributes(parent.attributes).get("start") or 1)
            parent.entries = number + 1
            mark = f"{number}. "
        return f"{mark}{_indent(text, len(mark))}\n" if text else "\n"

    def cell(self, place: _Place, parent: _Place, text: str) -> str:
        spans = _read_attributes(place.attributes) if place.attributes else {}
        columns, rows = (_read_span(spans.get(name, "")) for name in ("colspan", "rowspan"))
        words = text.strip().replace("\n", " ")
        parent.cells.append(_Cell(words, columns, rows, place.kind.tag == "th"))
        return ""

    def row(self, place: _Place, parent: _Place, _text: str) -> str:
        table = parent if parent.kind.tag == "table" or not self._above else self._above[-1]
        if place.cells:
            table.rows.append(_Row(place.cells, parent.kind.tag == "thead"))
        return ""

    def table(self, place: _Place, parent: _Place, text: str) -> str:
        return self.paragraph(place, parent, f"{text.strip()}\n\n{_write_table(place.rows)}")


_WRITERS: Mapping[str, Callable[[_Writer, _Place, _Place, str], str]] = MappingProxyType(
    {
        **dict.fromkeys(HEADINGS, _Writer.heading),
        **dict.fromkeys(CELLS, _Writer.cell),
        **dict.fromkeys(("code", "kbd", "samp"), _Writer.code),
        **dict.fromkeys(MARKS, _Writer.marked),
        **dict.fromkeys(("ul", "ol"), _Writer.list),
        **dict.fromkeys("p dl dt dd figure figcaption caption".split(), _Writer.paragraph),
        "pre": _Writer.preformatted,
        "a": _Writer.link,
        "q": _Writer.quotation,
        "blockquote": _Writer.quote,
        "li": _Writer.entry,
        "tr": _Writer.row,
        "table": _Writer.table,
    }
)


def _write_table(rows: list[_Row]) -> str:
    """Return the rows of a table; without headers the head is empty.

    A cell that spans several columns or rows is written in the first.
    """
    grid = _lay_out(rows)
    width = max(map(len, grid), default=0)
    if not width:
        return ""
    head = grid.pop(0) if rows[0].is_head else []
    lines = [_write_row(head, width), _write_row(["---"] * width, width)]
    lines += [_write_row(cells, min(width, MAX_SPAN)) for cells in grid]
    return "\n".join(lines)


def _lay_out(rows: list[_Row]) -> list[list[str]]:
    """Return the cells of each row by column."""
    grid: list[list[str]] = []
    spanned = [0] * MAX_SPAN  # rows below that a cell of the column spans
    for row in rows:
        line: list[str] = []
        cells = iter(row.cells)
        while True:
            column = len(line)
            if column < MAX_SPAN and spanned[column]:
                spanned[column] -= 1
                line.append("")
                continue
            cell = next(cells, None)
            if cell is None:
                break
            for below in range(column, min(column + cell.columns, MAX_SPAN)):
                spanned[below] = cell.rows - 1
            line += [cell.text, *[""] * (cell.columns - 1)]
        for column in range(len(line), MAX_SPAN):
            spanned[column] = max(0, spanned[column] - 1)
        grid.append(line)
    return grid


def _write_row(cells: list[str], width: int) -> str:
    """Return a row of at least `width` cells."""
    return f"| {' | '.join(cells + [''] * (width - len(cells)))} |"


def _read_span(written: str) -> int:
    """Return the columns or rows that a cell spans."""
    return min(MAX_SPAN, int(written) or 1) if written.isdecimal() else 1


def _write_text(kind: _Kind, text: str, starts: bool, ends: bool) -> str:
    """Return a text of the HTML as Markdown, given whether it starts and ends a block."""
    if "&" in text:
        text = unescape(text)
    is_plain = not kind.is_preformatted
    if text.isspace() and (starts or ends or ("\n" in text and is_plain)):
        return ""
    if is_plain and ("\n" in text or "  " in text or "\t" in text):
        lines = (" ".join(line.split()) for line in text.split("\n"))
        first, last = text[0].isspace(), text[-1].isspace()
        inner = "\n".join(filter(None, lines))
        text = f"{' ' * first}{inner}{' ' * last}"
    if not kind.is_verbatim and _has_marks(text):
        text = _escape_text(text)
    if starts:
        text = text.lstrip(" \t\r\n")
    return text.rstrip() if ends else text


def _read_attributes(written: str) -> dict[str, str]:
    """Return the attributes of a tag."""
    return {name: unescape(value) for name, value in _find_attributes(written)}


def _escape_text(text: str) -> str:
    """Return a text with a backslash before each mark."""
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


def _indent(text: str, width: int) -> str:
    """Return a text with all its lines but the first indented."""
    if "\n" not in text:
        return text
    first, *lines = text.split("\n")
    return "\n".join([first, *(f"{' ' * width}{line}" if line else "" for line in lines)])


def _escape_columns(code: str) -> str:
    """Return code of a table's cell, where a bar ends the cell even in code."""
    return code.replace("|", "\\|")
