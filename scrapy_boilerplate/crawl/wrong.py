"""What a wrong setting raises, and the words to say it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class SettingError(ValueError):
    """A setting that cannot be meant; the message says what to write instead."""


def nearest(name: str, known: Iterable[str]) -> str:
    """The known name that is most like `name`."""
    return difflib.get_close_matches(name, sorted(known), n=1, cutoff=0)[0]


def either(choices: tuple[str, ...]) -> str:
    """The choices as a sentence lists them."""
    return f"{', '.join(map(repr, choices[:-1]))} or {choices[-1]!r}"
