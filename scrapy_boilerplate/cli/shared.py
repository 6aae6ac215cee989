"""What several commands share."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

PIPE_CLOSED = 141
"""Exit status of a program whose output nobody reads any more: 128 and SIGPIPE, as in a shell."""
LINES_ONLY = '--format jsonl reads lines {"id", "url", "html"}; for HTML files use --format json'


def complain(error: Exception | str) -> int:
    """Say what went wrong; the exit status of it."""
    print(f"scrapy-boilerplate: {error}", file=sys.stderr)
    return 1


def not_read(name: str, form: str) -> str | None:
    """What to do instead where `name` is no file that `extract --format FORM` reads; or None."""
    if name.startswith(("http://", "https://")):
        return f"{name} is an address: give a file, or use: scrapy-boilerplate inspect {name}"
    if Path(name).is_dir():
        return f"{name} is a folder: give files, or use: scrapy-boilerplate batch {name} -o OUT"
    if form == "jsonl" and name.lower().endswith((".html", ".htm", ".xhtml")):
        return f"{name}: {LINES_ONLY}"
    return None


def natural(text: str) -> int:
    """The type of options that are numbers from 1 up."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 up")
    return int(text)


def progress_over(name: str) -> Callable[[Any], Any]:
    """A progress bar on a terminal; a word if the package for it is missing."""
    from scrapy_boilerplate.extras import MissingExtraError, optional

    if not sys.stderr.isatty():
        return iter
    try:
        tqdm = optional("tqdm", "the progress bar", "evaluate").tqdm
    except MissingExtraError as error:
        complain(error)
        return iter
    return lambda things: tqdm(things, desc=name, unit=" pages", file=sys.stderr)


def print_columns(rows: Iterable[Sequence[str]]) -> None:
    """Print a table: the first column to the left, the others to the right."""
    rows = list(rows)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for name, *cells in rows:
        padded = [cell.rjust(width) for cell, width in zip(cells, widths[1:], strict=True)]
        print("  ".join([name.ljust(widths[0]), *padded]).rstrip())
    print()


_LINE_ENDS = {ord(end): f"\\u{ord(end):04x}" for end in "\x85\u2028\u2029"}
"""What some readers take for the end of a line."""
_has_half_a_pair = re.compile("[\ud800-\udfff]").search


def json_line(value: Any, encoding: str | None) -> str:
    """`value` as one line of JSON that people can read, for an output in `encoding`.

    All in ASCII where that is not UTF-8, which readers of JSON expect, or where the value holds
    half of a surrogate pair, which UTF-8 cannot write.
    """
    line = json.dumps(value, ensure_ascii=False).translate(_LINE_ENDS)
    is_utf8 = (encoding or "").lower().replace("-", "") == "utf8"
    return line if is_utf8 and not _has_half_a_pair(line) else json.dumps(value)
