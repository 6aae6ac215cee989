"""Types and checks of options of several commands."""

import argparse
from collections.abc import Iterable
from typing import TypeAlias

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
