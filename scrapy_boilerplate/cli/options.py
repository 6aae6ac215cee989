"""What several commands share: types and checks of options, errors, progress, tables, JSON."""

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from io import TextIOWrapper
from typing import Any, TypeAlias

# The type of the result of `add_subparsers`; argparse has no public name for it.
Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


TIMEOUT = 30  # seconds


class OptionError(ValueError):
    """Options that are wrong or contradict each other."""


def parse_positive(text: str) -> int:
    """Return the number in `text`, which is 1 or more: the `type` of an option."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive integer")
    return int(text)


def add_limit(parser: argparse.ArgumentParser, text: str = "maximum pages of each file") -> None:
    """Declare ``--limit``."""
    parser.add_argument("--limit", type=parse_positive, metavar="N", help=text)


def add_timeout(parser: argparse.ArgumentParser) -> None:
    """Declare ``--timeout``."""
    text = "maximum time to fetch a URL (default: %(default)s)"
    parser.add_argument(
        "--timeout", type=parse_positive, default=TIMEOUT, metavar="SECONDS", help=text
    )


def check_markup_packages(fields: Iterable[str]) -> None:
    """Raise MissingExtraError if a package for one of these fields is missing."""
    from scrapy_boilerplate.markup.clean_html import import_packages

    for field in fields:
        import_packages(field, field)


# Print errors, progress, tables and lines of JSON

# Exit status after a closed pipe: 128 + SIGPIPE, as in a shell.
PIPE_CLOSED = 141
# Other characters that end a line for some readers, and their escapes.
_LINE_ENDS = {ord(end): f"\\u{ord(end):04x}" for end in "\x85\u2028\u2029"}
_has_surrogate = re.compile("[\ud800-\udfff]").search


def print_error(error: Exception | str) -> int:
    """Print an error; return the exit status 1."""
    print(f"scrapy-boilerplate: {error}", file=sys.stderr)
    return 1


def format_count(number: int, noun: str = "page") -> str:
    """Return "1 page", "2,000 pages" and so on."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def create_progress_bar(name: str) -> Callable[[Any], Any]:
    """Return a function that wraps an iterable in a progress bar if this is a terminal.

    Prints an error if tqdm is missing.
    """
    from scrapy_boilerplate import MissingExtraError, import_optional

    if not sys.stderr.isatty():
        return iter
    try:
        tqdm = import_optional("tqdm", "the progress bar", "evaluate").tqdm
    except MissingExtraError as error:
        print_error(error)
        return iter
    return lambda iterable: tqdm(iterable, desc=name, unit=" pages", file=sys.stderr)


def print_table(rows: Iterable[Sequence[str]]) -> None:
    """Print a table: the first column to the left, the others to the right."""
    rows = list(rows)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for name, *cells in rows:
        padded = [cell.rjust(width) for cell, width in zip(cells, widths[1:], strict=True)]
        print("  ".join([name.ljust(widths[0]), *padded]).rstrip())
    print()


def dump_json_line(value: Any, encoding: str | None) -> str:
    """Return `value` as one line of JSON for an output in `encoding`.

    Encodings other than UTF-8 get ASCII with escapes, and so does a value with a lone surrogate.
    """
    return dump_json(value, encoding).translate(_LINE_ENDS)


def dump_json(value: Any, encoding: str | None, indent: int | None = None) -> str:
    """Return `value` as JSON for an output in `encoding`, with the escapes of `dump_json_line`."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    is_utf8 = (encoding or "").lower().replace("-", "") == "utf8"
    return text if is_utf8 and not _has_surrogate(text) else json.dumps(value, indent=indent)


def escape_unencodable() -> None:
    """Escape characters that standard output cannot encode, for example in a pipe on Windows."""
    if isinstance(sys.stdout, TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="backslashreplace")
