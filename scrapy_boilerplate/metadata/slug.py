"""The words in the address of a page: most systems spell the headline there, as it was first."""

from __future__ import annotations

import re
from unicodedata import combining, normalize
from urllib.parse import unquote, urlsplit

MIN_WORDS = 3
"""Words of the part of a path that can spell a headline; fewer name a section or a topic."""
SPELT_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
"""German vowels, which addresses write both ways; other marks are dropped alone."""
SINGLE = str.maketrans({"ß": "ss", "ø": "o", "æ": "ae", "å": "a", "ł": "l", "đ": "d", "ı": "i"})
"""Letters that are no mark on another one."""
SMALL_WORDS = frozenset(
    "a an the of in on to and for is at by with der die das den dem und von zu im in am mit le la "
    "les de du des et en el los las y un una il lo e o os as".split()
)
"""Words that addresses leave out at times, and that are in any headline."""

_words = re.compile(r"[^\W_]+").findall
_ending = re.compile(r"\.\w{2,5}$")


class Slug:
    """The words of the part of a path that has most of them; none where it has fewer than three."""

    def __init__(self, url: str | None) -> None:
        try:
            path = unquote(urlsplit(url or "").path)
        except ValueError:
            path = ""
        parts = [_words(_plain(_ending.sub("", part))) for part in path.split("/")]
        longest = max(parts, key=len)
        told = frozenset(filter(_tells, longest))
        self.words = told if len(longest) >= MIN_WORDS else frozenset()

    def shares(self, text: str) -> tuple[float, float]:
        """(share of the words of `text` that the address has, share of the address's that it has),
        0 to 1; small words and numbers do not count."""
        if not self.words:
            return 0.0, 0.0
        words = _words(_plain(text))
        others = words if text.isascii() else _words(_plain(text.casefold().translate(SPELT_OUT)))
        pairs = [pair for pair in zip(words, others, strict=False) if _tells(pair[0])]
        found = [pair[0] in self.words or pair[1] in self.words for pair in pairs]
        held = self.words.intersection(words if others is words else words + others)
        return sum(found) / max(1, len(found)), len(held) / len(self.words)


def _plain(text: str) -> str:
    folded = text.casefold().translate(SINGLE)
    return folded if folded.isascii() else _without_marks(folded)


def _without_marks(text: str) -> str:
    return "".join(one for one in normalize("NFKD", text) if not combining(one))


def _tells(word: str) -> bool:
    return len(word) > 1 and not word.isdigit() and word not in SMALL_WORDS
