"""Write clean HTML as Markdown (CommonMark with tables) with the package html-to-markdown.

The input is rewritten first where the package would change the meaning, need quadratic time, or
write needless backslashes. Characters that no text has stand for some marks on the way.
"""

import re
from collections.abc import Sequence
from dataclasses import fields, replace
from functools import cache
from typing import Any

from scrapy_boilerplate import import_optional
from scrapy_boilerplate.markup.clean_html import CONVERTER
from scrapy_boilerplate.markup.structure import prepare_structure, restore_structure
from scrapy_boilerplate.page.limits import NO_CLOCK, Clock

# Maximum columns and rows of a cell, and maximum cells of a row: each is written in every row.
MAX_SPAN = 50
# Maximum characters of text and inline elements that are converted together with their block: for
# each text, the package looks back to the start of the paragraph.
LONG_RUN = 10_000

# Stand-ins (noncharacters of Unicode): of nothing, and of marks that are written afterwards.
_NOTHING, _BANG, _ESCAPE = "\ufdd0", "\ufdd1", "\ufdd2"
_OPENING, _CLOSING, _LINE = "\ufdd3", "\ufdd4", "\ufdd5"
_RESTORED = (
    (f'"{_NOTHING}', ""),
    (f'{_NOTHING}"', ""),
    (f"{_NOTHING} ", ""),
    (_NOTHING, ""),
    (f"{_BANG}[", "\\!["),
    (_BANG, "!"),
    (_ESCAPE, "\\"),
    (_OPENING, "\\["),
    (_CLOSING, "\\]"),
)
_STAND_INS = "".join(map(chr, range(0xFDD0, 0xFDD6)))
_drop_stand_ins = re.compile(f"[{_STAND_INS}]").sub

# Patterns begin with a character where they can: the search for it is fast.
_find_alts = re.compile('(<img src="[^"]*" alt=")([^"]+)').sub
_escape_marks = re.compile(r"&[a-z]+;|[&<>`*_~!]").sub
# URLs with characters that can end a link or open a code span
_find_urls = re.compile(r"""<(?:a href|img src)="[^"()\[\]\\`*|']*[()\[\]\\`*|'][^"]*""").sub
_find_unsafe = re.compile(r"[()\[\]\\`*|']").sub
# a character after a backslash; code, where the search takes longer
_find_escapes = re.compile(r"\\(?P<mark>.)").sub
_find_escapes_and_code = re.compile(r"(?<!`)(`++)(?:[^`]++|(?!\1(?!`))`++)*+\1|\\(?P<mark>.)").sub
# marks that only have a meaning at the start of a line, and a start of a line before them
_STARTS = frozenset("-+.)#=>")
MAX_START = 200
_starts_line = re.compile(r"[ >]*(?:(?:[-+*]|\d{1,9}[.)]|\[\^[\w-]+\]:) +)*\d{0,9}").fullmatch
# a link after it would be an image
_find_bangs = re.compile(r"!(?=(?:</?[a-z]+>)*<a )").sub
# emphasis without letters
_find_bare_marks = re.compile(r"<(strong|em|s|del)>([^\w<>]*)</\1>").sub
# CommonMark reads no end of emphasis between a mark and a letter, and no start between them
_MARKS = "(?:strong|em|s|del)"
_has_last_marks = re.compile(rf"<(?<=[^\w\s<>&;]<)/{_MARKS}>(?:</{_MARKS}>)*(?=\w)").search
_move_last_marks = re.compile(
    rf"([^\w\s<>&;](?<![^\w\s<>&;]{{2}})[^\w\s<>&;]*)((?:</{_MARKS}>)+)(?=\w)"
).sub
_move_first_marks = re.compile(rf"(<(?<=\w<){_MARKS}>(?:<{_MARKS}>)*)([^\w\s<>&;]+)").sub
# marks in preformatted text would be shown
_find_preformatted = re.compile("<pre>.*?</pre>", re.DOTALL).sub
_drop_inline_tags = re.compile("<(?!/?pre>|img )[^<>]*>").sub
# captions are emphasised otherwise, and quotations joined to what is before them
_find_captions = re.compile(r"<(/?)fig(?:ure|caption)>").sub
_part_quotations = re.compile(r"(</\w+>)\s*(?=<blockquote>)").sub
_drop_parting = re.compile(rf"\n[> ]*{_NOTHING}(?:\n[> ]*)?(?=\n)").sub
# a table up to its first row, followed by three rows
_ROW = r"\s*(?:<tr>(.*?)</tr>)?"
_find_tables = re.compile(
    rf"<table>\s*(?:<caption>(.*?)</caption>\s*)?(?=(<thead>)?(?:<tbody>)?{_ROW}{_ROW}{_ROW})",
    re.DOTALL,
).sub
_has_filled_cell = re.compile(r"<td\b[^>]*>(?!\s*</td>)").search
_find_rows = re.compile(r"<tr>.*?</tr>", re.DOTALL).sub
# an entry or paragraph of a cell that is not the first
_find_lines = re.compile(
    r"<br>|((?:</li>|(?:</p>\s*|(?<=[^>\s]))<[uo]l\b[^>]*>)\s*<li\b[^>]*>|</p>\s*<p>)"
).sub
_join_lines = re.compile(rf" ?{_LINE}(?: ?{_LINE})* ?").sub
_is_bold = re.compile(r"(?:<t[dh]\b[^>]*>\s*<strong>[^<]*</strong>\s*</t[dh]>\s*)+").fullmatch
_find_cells = re.compile(r"<t[dh]\b[^>]*>(.*?)</t[dh]>", re.DOTALL).findall
_has_digit = re.compile(r"\d(?![^<]*>)").search
_split_cells = re.compile(r"(</t[dh]>\s*<t[dh]\b[^>]*>)").split
_find_spans = re.compile(r"<t[dh] [^>]*>").sub
_find_numbers = re.compile("[0-9]+").sub
_split_blocks = re.compile(
    "(</?(?:p|h[1-6]|pre|blockquote|[uo]l|li|d[ldt]|div|table|caption|t(?:head|body|foot|r|d|h))\\b"
    "[^>]*>)"
).split


def write_markdown(html: str, clock: Clock = NO_CLOCK) -> str:
    """Return the HTML of `content_tree.drop_marks` as Markdown, its text escaped; "" for "".

    Linear time. The package stops at some depth, which such HTML does not reach. Raises
    MissingExtraError without the package html-to-markdown, OutOfTimeError once `clock` is over.
    """
    package = import_optional(CONVERTER, "document.markdown", "html")
    clock.check()
    prepared = _prepare(prepare_structure(html))
    clock.check()
    markdown: str = package.convert(prepared, _build_options(package)).content or ""
    markdown = _drop_parting("", markdown)
    if _LINE in markdown:
        markdown = _join_lines("<br>", markdown)
    if any(map(markdown.__contains__, _STAND_INS)):
        for stand_in, written in _RESTORED:
            markdown = markdown.replace(stand_in, written)
    find_escapes = _find_escapes_and_code if "`" in markdown else _find_escapes
    return find_escapes(_drop_escape, restore_structure(markdown).strip())


@cache
def _build_options(package: Any) -> Any:
    options = package.ConversionOptions(
        autolinks=False,
        bullets="-",
        compact_tables=True,
        escape_asterisks=True,
        escape_misc=True,
        escape_underscores=True,
        extract_metadata=False,
        highlight_style="none",
        keep_inline_images_in="h1 h2 h3 h4 h5 h6 td th".split(),
        newline_style="backslash",
        tier_strategy="tier2",
    )
    # the package looks up each name that is no member yet on every call
    kinds = {row.name: getattr(package, str(row.type).split()[0], None) for row in fields(options)}
    names = {name: value for name in kinds if isinstance(value := getattr(options, name), str)}
    members = {name: getattr(kinds[name], value.upper(), value) for name, value in names.items()}
    return replace(options, **members)


def _prepare(html: str) -> str:
    if any(map(html.__contains__, _STAND_INS)):
        html = _drop_stand_ins("", html)
    html = _find_alts(_prepare_alt, _find_urls(_prepare_url, html))
    html = _find_bangs(_BANG, html)
    html = _find_bare_marks(r"\2", html)
    html = _move_first_marks(r"\2\1", html)
    if _has_last_marks(html):
        html = _move_last_marks(r"\2\1", html)
    html = _find_captions(r"<\1div>", html)
    if "<blockquote>" in html:
        html = _part_quotations(rf"\1<p>{_NOTHING}</p>", html)
    html = _find_preformatted(lambda match: _drop_inline_tags("", match[0]), html)
    if "<table>" in html:
        html = _find_spans(_limit_spans, _find_rows(_limit_cells, html))
        html = _find_tables(_prepare_table, html)
    if len(html) > LONG_RUN and max(map(len, html.split("</p>"))) > LONG_RUN:
        html = "".join(map(_wrap_run, _split_blocks(html)))
    return html


def _prepare_alt(match: re.Match[str]) -> str:
    alt = _escape_marks(rf"{_ESCAPE}\g<0>", match[2])
    return match[1] + alt.replace("[", _OPENING).replace("]", _CLOSING)


def _prepare_url(match: re.Match[str]) -> str:
    return _find_unsafe(lambda mark: f"%{ord(mark[0]):02X}", match[0])


def _drop_escape(match: re.Match[str]) -> str:
    """Return a mark without its backslash unless it would start a list, heading or quotation."""
    mark, text = match["mark"], match.string
    if mark not in _STARTS:
        return match[0]
    following = text[match.end() : match.end() + 1]
    ends_word = following in ("", "\\", mark) or following.isspace()
    if mark == "#" and following in ("", "\n", "\\"):  # the end of a heading
        return match[0]
    if ends_word or mark == ">":
        before = text[max(0, match.start() - MAX_START) : match.start()]
        if _starts_line(before.rpartition("\n")[2]):
            return match[0]
    return mark


def _prepare_table(match: re.Match[str]) -> str:
    caption, head, *rows = match.groups()
    start = f"<div>{caption}</div><table>" if caption else "<table>"
    return start if head or _has_header(rows) else f"{start}<thead><tr><th></th></tr></thead>"


def _has_header(rows: Sequence[str | None]) -> bool:
    """Whether the first of three rows has header cells, is bold or the only one without numbers."""
    first, *others = rows
    if not first or ("<th" in first and not _has_filled_cell(first)) or _is_bold(first):
        return True
    if not all(others) or _has_digit(first):
        return False
    columns = zip(*(_find_cells(row or "") for row in rows), strict=False)
    return any(all(map(_has_digit, below)) for above, *below in columns if above)


def _limit_cells(match: re.Match[str]) -> str:
    row = match[0]
    if "<li" in row or "<p>" in row or "<br>" in row:
        row = _find_lines(lambda line: f"{line[1] or ''}{_LINE}", row)
    pieces = _split_cells(row)
    kept, joined = pieces[: 2 * MAX_SPAN - 1], pieces[2 * MAX_SPAN :: 2]
    return " ".join(("".join(kept), *joined))


def _limit_spans(match: re.Match[str]) -> str:
    return _find_numbers(lambda number: str(min(int(number[0]), MAX_SPAN)), match[0])


def _wrap_run(run: str) -> str:
    """Return a long run in a quotation: its content is converted separately."""
    return f"<q>{_NOTHING}{run}{_NOTHING}</q>" if len(run) > LONG_RUN and "<" in run else run
