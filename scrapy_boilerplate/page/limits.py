"""Limits on bytes, elements, attributes and time of a page, against extreme pages."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from math import inf
from time import thread_time
from typing import Self

# names of the budgets; `Document.partial` is the one that the page exceeds
BYTES, ELEMENTS, MILLISECONDS = "bytes", "elements", "milliseconds"

# value of `Document.partial` if pages of the article were not read
PAGES = "pages"
# value of `Document.partial` where the parser has cut the page
DEPTH = "depth"

# maximum ancestors of an element, from XML_MAX_HUGE_DEPTH of libxml2, which ignores the rest of an
# HTML page after a deeper element
PARSER_DEPTH = 2_047


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The budgets of one page; None is no limit.

    bytes         of the page as downloaded (characters if it is a str)
    elements      of its tree, in document order
    milliseconds  CPU time of the thread that reads it (`Clock`)
    """

    bytes: int | None = None
    elements: int | None = None
    milliseconds: float | None = None


NO_LIMITS = Limits()


class OutOfTimeError(Exception):
    """The CPU time of a page is used up."""


class Clock:
    """The CPU time that is left for a page.

    One rule: ``with clock`` is around the work for a page, which begins no stage, and computes no
    field, without `check`; so does each turn of a loop that can take long. A page then ends within
    twice its time, as long as no stage alone takes longer.

    Only the CPU time of the current thread inside of ``with`` counts: a busy machine does not make
    documents partial. `with` can be nested; another thread may continue.
    """

    # steps of a loop between two checks: some milliseconds
    INTERVAL = 1_024

    def __init__(self, milliseconds: float | None = None) -> None:
        self._left = inf if milliseconds is None else milliseconds / 1000
        self._end = inf
        self._depth = 0

    def __enter__(self) -> Self:
        if not self._depth and self._left < inf:  # reading the clock is a system call
            self._end = thread_time() + self._left
        self._depth += 1
        return self

    def __exit__(self, *_: object) -> None:
        self._depth -= 1
        if not self._depth and self._left < inf:
            self._left = self._end - thread_time()

    @property
    def is_over(self) -> bool:
        """Whether the time is used up."""
        if self._left == inf:
            return False
        return thread_time() >= self._end if self._depth else self._left <= 0

    def check(self) -> None:
        """Raise OutOfTimeError if the time is used up."""
        if self.is_over:
            raise OutOfTimeError


NO_CLOCK = Clock()


# --- attributes ---
#
# libxml2 compares each attribute of an element with all before it: 25,000 of them take .8 s,
# 50,000 over 4 s, and no budget of time can end the parse in between.

# number of attributes of an element at which its page ends; they take .1 s to parse
MAX_ATTRIBUTES = 10_000

# pieces of markup in a match, which remembers the end of each
PIECES = 1_000

# elements whose content is text up to their end tag; the content of a title is checked when it is
# parsed again
_RAW = rb"title|textarea|style|xmp|iframe|noembed|noframes"

_SPACE, _NAME_ENDS = rb"[\t\n\f\r ]", rb"(?=[\t\n\f\r />])"

# No two alternatives of these patterns match the same text, so they are linear.
_ATTRIBUTE = (
    rb"[\t\n\f\r /]*[^\t\n\f\r />][^\t\n\f\r />=]*(?=[\t\n\f\r />=])"
    rb"(?:S*=S*(?:\"[^\"]*\"|'[^']*'|[^\t\n\f\r >\"'][^\t\n\f\r >]*(?=[\t\n\f\r >])|(?=>))|(?!S*=))"
).replace(b"S", _SPACE)


@cache
def _compile_markup(n_attributes: int) -> tuple[re.Pattern[bytes], re.Pattern[bytes]]:
    """Return patterns of markup without an oversized tag, and of the start of an oversized tag.

    They read tags, comments, scripts and raw text as the tokenizer of the HTML standard and of
    libxml2 2.14 does.
    """
    end, name = _NAME_ENDS, rb"[a-z][^\t\n\f\r />]*" + _NAME_ENDS
    attributes = rb"(?:%b){0,%d}" % (_ATTRIBUTE, n_attributes)
    tag, open_tag = attributes + rb"[\t\n\f\r /]*>", attributes + rb"(?:[\t\n\f\r /]*[\t\n\f\r ])?>"
    # a script in a comment in a script: the end tag is its own
    inner = rb"<script%b(?:[^<-]+|-(?!->)|<(?!/script%b))*(?:</script%b|(?=-->)|\Z)" % ((end,) * 3)
    escaped = rb"(?:[^<-]+|-(?!->)|<(?!/?script%b)|%b)*(?:-->|(?=</script%b)|\Z)"
    script = rb"(?:[^<]+|<(?!!--|/script%b)|<!--(?:-?>|%b))*" % (end, escaped % (end, inner, end))
    pieces = (
        rb"[^<]+|<(?![a-z!?/])|</(?=\Z)",
        rb"<(?!(?:script|plaintext|%b)%b)%b%b" % (_RAW, end, name, tag),
        rb"</%b(?:%b)*[\t\n\f\r /]*>" % (name, _ATTRIBUTE),
        rb"<!--(?:-?>|(?:[^-]+|-(?!-!?>))*(?:--!?>|\Z))",
        rb"<(?:!(?!--)|\?|/[^a-z>])[^>]*>?|</>",
        # libxml2 closes these at "/>", unlike browsers
        rb"<(?:script|plaintext|%b)%b%b[\t\n\f\r /]*/>" % (_RAW, end, attributes),
        rb"<script%b%b%b" % (end, open_tag, script),
        rb"<(%b)%b%b(?:[^<]+|<(?!/\1%b))*" % (_RAW, end, open_tag, end),
        rb"<plaintext%b%b.*" % (end, open_tag),
    )
    skipped = rb"(?:%b){1,%d}" % (b"|".join(pieces), PIECES)
    oversized = rb"<%b(?:%b){%d}" % (name, _ATTRIBUTE, n_attributes + 1)
    return re.compile(skipped, re.IGNORECASE | re.DOTALL), re.compile(oversized, re.IGNORECASE)


def find_oversized_tag(html: bytes, n_attributes: int = MAX_ATTRIBUTES) -> int | None:
    """Return the offset of the first tag with more than `n_attributes` in UTF-8, or None.

    Linear time. Most pages are cleared by `_is_cleared`, in a hundredth of the time of the parser;
    the tokenizer takes half of it.
    """
    if _is_cleared(html, n_attributes):
        return None
    skip, oversized = _compile_markup(n_attributes)
    at = 0
    while (skipped := skip.match(html, at)) is not None:
        at = skipped.end()
    return None if oversized.match(html, at) is None else at


# ">" that are checked until one ends a tag, and characters before a quotation mark in which an
# equals sign is searched
TRIES, MAX_SPACES = 200, 20

SPACES = b"\t\n\f\r "
SEPARATORS = SPACES + b"/"

_find_start_tag = re.compile(rb"<[A-Za-z]").search


def _is_cleared(html: bytes, n_attributes: int) -> bool:
    """Return whether no tag can have more than `n_attributes`; False if that is uncertain.

    An attribute takes two bytes, so an oversized tag is at least twice as long, and no ">" in it
    ends a tag. The function goes through the page in steps of that length, from one certain end of
    a tag to the last one within reach. Without one, it searches the next certain end and
    counts the attributes in between.
    """
    reach, at = 2 * n_attributes, 0
    while len(html) - at > reach:
        step = at + reach
        end = html.rfind(b">", at, step)
        for _ in range(TRIES):
            if end < 0 or _ends_tag(html, at, end):
                break
            end = html.rfind(b">", at, end)
        else:
            return False
        if end < 0:
            end = html.find(b">", step)
            for _ in range(TRIES):
                if end < 0 or _ends_tag(html, at, end):
                    break
                end = html.find(b">", end + 1)
            else:
                return False
            end = end if end >= 0 else len(html)
            if _count_attributes(html[at:end]) > n_attributes:
                return False
        at = end + 1
    return True


def _ends_tag(html: bytes, start: int, end: int) -> bool:
    """Return whether a tag that is open after `start` ends at the ">" at `end`, or before.

    The tag only continues if the ">" is inside a quoted value: then there is an equals sign before
    the last quotation mark of a kind, with or without spaces between.
    """
    for quote in (b'"', b"'"):
        at = html.rfind(quote, start, end)
        if at > start:
            before = html[max(start, at - MAX_SPACES) : at].rstrip(SPACES)
            if not before or before.endswith(b"="):
                return False
    return True


def _count_attributes(markup: bytes) -> int:
    """Return an upper bound of the number of attributes of a tag in `markup`.

    Each follows a separator, or the quoted value of another attribute, which has an equals sign and
    a separator or a quotation mark.
    """
    tag = _find_start_tag(markup)
    if tag is None:
        return 0
    rest = markup[tag.start() :]
    separators = len(rest) - len(rest.translate(None, SEPARATORS))
    return separators + rest.count(b'="') + rest.count(b"='")
