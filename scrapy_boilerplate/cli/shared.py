"""What several commands share."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import Any


def complain(error: Exception | str) -> int:
    """Say what went wrong; the exit status of it."""
    print(f"scrapy-boilerplate: {error}", file=sys.stderr)
    return 1


def natural(text: str) -> int:
    """The type of options that are numbers from 1 up."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 up")
    return int(text)


def progress_over(name: str) -> Callable[[Any], Any]:
    """A progress bar on a terminal; a word if the package for it is missing."""
    from scrapy_boilerplate.training.extras import MissingExtraError, optional

    if not sys.stderr.isatty():
        return iter
    try:
        tqdm = optional("tqdm", "the progress bar").tqdm
    except MissingExtraError as error:
        complain(error)
        return iter
    return lambda things: tqdm(things, desc=name, unit=" pages", file=sys.stderr)
