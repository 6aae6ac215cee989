"""Write what Markdown has no element for, before and after the HTML is converted."""

import re
from collections.abc import Iterator

# between two lists that Markdown would read as one (CommonMark, 5.3)
_PARTING, PARTING = "\ufdd8", "<!-- -->"
# around the name of a note: a reference, and the start of the note
_REFERENCE, _NOTE, _END = "\ufdd9", "\ufdda", "\ufddb"
# before the language of a listing, which is on its first line until it is on its fence
_LANGUAGE = "\ufddc"
_find_languages = re.compile('<pre><code class="language-([^"]*)">').sub
_restore_languages = re.compile(rf"(?<!`)(`{{3,}})\n[> ]*{_LANGUAGE}([^\n{_END}]*){_END}(?=\n)").sub
_drop_languages = re.compile(rf"{_LANGUAGE}[^{_END}]*{_END}\s?").sub
_MARKS = (_PARTING, _REFERENCE, _NOTE, _END, _LANGUAGE)
_drop_marks = re.compile(f"[{_PARTING}-{_LANGUAGE}]").sub
_restore_marks = re.compile(rf"([{_REFERENCE}{_NOTE}])([\w-]+){_END}").sub
_find_references = re.compile(
    r'(?:<sup>\s*)?<a href="#note-([\w-]+)">(?:[^<]|<(?!/a>))*</a>(?:\s*</sup>)?'
).sub
# the number of a note at the start of its text
_NUMBER = r"(?:\[?(?:\d{1,3}|[a-z*])(?:[.)]\s|\][.)]?)\s*)?"
_find_paragraphs = re.compile(rf'<p id="note-([\w-]+)">{_NUMBER}').sub
_find_entries = re.compile(rf'(<li [^>]*\bid="note-[\w-]+"[^>]*>){_NUMBER}').sub
_find_captions = re.compile(r"<(figcaption|caption)>(.*?)</\1>", re.DOTALL).sub
_find_lines = re.compile(r"(<p>)(.*?)(</p>)|^(.+)$", re.DOTALL).sub
_drop_emphasis = re.compile("</?em>").sub

_raise_numbers = re.compile(
    r"(?<=\d)((?:</(?:strong|em|var)>)?)<sup>([-+\u2212\u2013]?\d{1,4})</sup>"
).sub
_split_lists = re.compile(r"(</?[ou]l\b[^>]*>|<li\b[^>]*>|</li>)").split
_read_start = re.compile(r' start="(\d+)"').search
_read_note = re.compile(r' id="note-([\w-]+)"').search
_read_value = re.compile(r' value="(\d+)"').search


def prepare_structure(html: str) -> str:
    """Return the HTML of an article with elements that Markdown has. Linear time."""
    if any(map(html.__contains__, _MARKS)):
        html = _drop_marks("", html)
    if ' id="note-' in html:
        html = "".join(_write_notes(_find_references(rf"{_REFERENCE}\1{_END}", html)))
    if "caption>" in html:
        html = _find_captions(_emphasise, html)
    html = _find_languages(rf"<pre>{_LANGUAGE}\1{_END}\n", html)
    if "<sup>" in html:
        html = _raise_numbers(r"\1^\2", html)
    if "<ol" in html and (" reversed" in html or "<li value" in html):
        html = "".join(_number_lists(html))
    return html


def restore_structure(markdown: str) -> str:
    """Return the Markdown of the result of `prepare_structure` with its marks restored."""
    markdown = markdown.replace(_PARTING, PARTING)
    if _LANGUAGE in markdown:
        markdown = _drop_languages("", _restore_languages(r"\1\2", markdown))
    return _restore_marks(_restore_note, markdown) if _END in markdown else markdown


def _restore_note(match: re.Match[str]) -> str:
    return f"[^{match[2]}]" if match[1] == _REFERENCE else f"[^{match[2]}]: "


def _emphasise(match: re.Match[str]) -> str:
    tag, text = match[1], _drop_emphasis("", match[2])

    def write(line: re.Match[str]) -> str:
        start, inner, end, whole = line.groups()
        words = (inner if whole is None else whole).strip()
        return f"{start or ''}<em>{words}</em>{end or ''}" if words else ""

    return f"<{tag}>{_find_lines(write, text)}</{tag}>"


def _write_notes(html: str) -> Iterator[str]:
    html = _find_entries(r"\1", _find_paragraphs(rf"<p>{_NOTE}\1{_END}", html))
    pieces = _split_lists(html)
    lists: list[bool] = []  # of notes
    for at, piece in enumerate(pieces):
        written = piece
        if piece.startswith(("<ol", "<ul")):
            following = "".join(pieces[at + 1 : at + 3])
            lists.append(' id="note-' in following)
            written = "" if lists[-1] else piece
        elif piece.startswith(("</ol", "</ul")):
            written = "" if lists and lists.pop() else piece
        elif lists and lists[-1]:
            name = _read_note(piece)
            if name:
                written = f"<p>{_NOTE}{name[1]}{_END}"
            elif piece == "</li>":
                written = "</p>"
            elif piece.startswith("<li"):
                written = "<p>"
        yield written


def _number_lists(html: str) -> Iterator[str]:
    pieces = _split_lists(html)
    sizes = _count_entries(pieces)
    # of each open list: the next number and the step, None in a list without numbers
    lists: list[tuple[int, int] | None] = []
    is_first = False
    for at, piece in enumerate(pieces):
        written = piece
        if piece.startswith("<ol"):
            start, is_reversed = _read_start(piece), " reversed" in piece
            number = int(start[1]) if start else sizes[at] if is_reversed else 1
            lists.append((number, -1 if is_reversed else 1))
            is_first, written = True, ""
        elif piece.startswith("<ul"):
            lists.append(None)
        elif piece.startswith("</") and piece[2:4] in ("ol", "ul"):
            written = f"<ol>{piece}" if is_first else piece
            is_first = False
            if lists:
                lists.pop()
        elif piece.startswith("<li") and lists and (numbers := lists[-1]):
            value = _read_value(piece)
            number, step = int(value[1]) if value else numbers[0], numbers[1]
            if is_first:
                written = f'<ol start="{number}"><li>'
            elif step < 0 or number != numbers[0]:
                written = f'</ol><p>{_PARTING}</p><ol start="{number}"><li>'
            else:
                written = "<li>"
            lists[-1], is_first = (number + step, step), False
        yield written


def _count_entries(pieces: list[str]) -> dict[int, int]:
    counts: dict[int, int] = {}
    open_lists: list[int] = []
    for at, piece in enumerate(pieces):
        if piece.startswith(("<ol", "<ul")):
            open_lists.append(at)
            counts[at] = 0
        elif piece.startswith(("</ol", "</ul")) and open_lists:
            open_lists.pop()
        elif piece.startswith("<li") and open_lists:
            counts[open_lists[-1]] += 1
    return counts
