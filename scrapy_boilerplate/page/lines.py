"""What a reader sees in a line: hidden words, controls, marks of links, raised numbers, styles."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from enum import IntFlag
from functools import lru_cache
from itertools import compress

import numpy as np

from scrapy_boilerplate.page.columns import (
    BLOCK_LEVEL,
    CONTROLS,
    LEAF_COLUMNS,
    Break,
    Elements,
    Leaves,
)

# classes that hide words from the eye: Bootstrap, WordPress, Foundation, Drupal, Bulma, jQuery UI,
# GOV.UK, NHS, USWDS, Angular, Elementor, Salesforce, Carbon, KaTeX, MathJax and others
HIDDEN_CLASSES = frozenset(
    (
        "sr-only visually-hidden visuallyhidden u-visually-hidden is-visually-hidden is-sr-only "
        "visually-hidden-focusable sr-only-focusable screen-reader-text screen-reader-only "
        "screenreader-only show-for-sr element-invisible a11y-hidden hidden-accessible "
        "ui-helper-hidden-accessible assistive-text offscreen off-screen "
        "hidden-visually u-hidden-visually visually_hidden u-sr-only tw-sr-only usa-sr-only "
        "govuk-visually-hidden nhsuk-u-visually-hidden cdk-visually-hidden cds--visually-hidden "
        "elementor-screen-only slds-assistive-text td-visual-hidden wt-cli-sr-only "
        "katex-mathml MJX_Assistive_MathML "
        # the name of a language after its code
        "shcb-language"
    ).split()
)
# texts of links to another place of the page that are no words: back from a note, to a heading
_MARKS = "\u21a9\u21b5\u21a5\u2191\u2934\u2912\u21e7\u2b06^\xb6#\xa7\U0001f517\u2693"
LINK_MARKS = frozenset(f"{mark}{form}" for mark in _MARKS for form in ("", "\ufe0e", "\ufe0f"))
# maximum characters of a text that can be one of LINK_MARKS, with white space
MAX_MARK = 40

# parts of MathML whose sign is drawn, not written
FRACTION = "mfrac"
FORMULAS = frozenset((FRACTION, "msqrt", "mroot"))
LOWERED, SLASHES = frozenset(("sub",)), ("/", "\u2044")

_is_raised = re.compile(r"[-+\u2212\u2013]?\d{1,4}").fullmatch
_is_fraction = re.compile(r"\d{1,3}[/\u2044]\d{1,3}|[\xbc-\xbe\u2150-\u215e]").fullmatch
_is_reference = re.compile(r"\d{1,3}|[a-z*\u2020\u2021]", re.IGNORECASE).fullmatch


class Style(IntFlag):
    """What the attribute `style` of an element says about its lines."""

    BLOCK = 1
    """It has lines of its own."""
    HIDDEN = 2
    LINES = 4
    """Line ends in its text are shown."""


_find_display = re.compile(r"(?:^|[;\s])display\s*:\s*([a-z-]+)").findall
_has_lines = re.compile(r"(?:^|[;\s])white-space\s*:\s*(?:pre|break-spaces)").search
_PIXEL = r"[01](?:px|em|%)?"
_hides = re.compile(
    r"(?:^|[;\s])(?:visibility\s*:\s*hidden|clip-path\s*:\s*inset\(\s*(?:50|100)%"
    rf"|clip\s*:\s*rect\(\s*{_PIXEL}(?:[\s,]+{_PIXEL}){{3}}\s*\)"
    r"|(?:left|top|text-indent)\s*:\s*-\d{3,5}(?:px|em|rem|%))"
).search
_is_far = re.compile(r"-\d{3}").search
BLOCK_DISPLAYS = frozenset("block flex grid table list-item flow-root".split())
# characters of a style that are read, and number of styles that are kept
MAX_STYLE, KEPT_STYLES = 1_000, 1_024


@lru_cache(maxsize=KEPT_STYLES)
def _read_style(written: str) -> int:
    style, flags = written.lower(), 0
    # most styles have none of these words, which are found faster than the patterns
    if "display" in style:
        for display in _find_display(style)[-1:]:
            if display == "none":
                flags |= Style.HIDDEN
            elif display in BLOCK_DISPLAYS:
                flags |= Style.BLOCK
    if "white-space" in style and _has_lines(style):
        flags |= Style.LINES
    if ("clip" in style or "hidden" in style or _is_far(style)) and _hides(style):
        flags |= Style.HIDDEN
    return int(flags)


def read_style(written: str) -> int:
    """Return the flags of `Style` in a value of the attribute `style`."""
    return _read_style(written[:MAX_STYLE])


def is_link_mark(text: str) -> bool:
    """Return whether the text of a link to a place in the page has no words."""
    return len(text) <= MAX_MARK and text.strip() in LINK_MARKS


def write_raised(text: str, before: str, is_linked: bool) -> str:
    """Return a raised text as it is written in a line, after the text `before` in the same line.

    A number that links to a place in the page is a reference to a note: ``[1]``. A number after a
    number is an exponent: ``10^6``. A fraction after a number is apart: ``3 1/2``.
    """
    number = text.strip()
    if is_linked:
        return f"[{number}]" if _is_reference(number) and before[-1:] != "[" else text
    if before[-1:].isdecimal():
        if _is_raised(number):
            return f"^{number}"
        if _is_fraction(number):
            return f" {number}"
    return text


def settle_lines(
    elements: Elements, leaves: Leaves, hidden: Sequence[int], hiding: Iterable[str]
) -> None:
    """Leave out hidden words of a line, and cut controls off its start and its end.

    Words that fill a line of their own stay, since pages hide whole articles until a script runs.
    `hidden` are elements of HIDDEN_TAGS and inline elements with an attribute that hides them, in
    order; `hiding` are classes, with all that have one of HIDDEN_CLASSES. Changes `leaves`. Linear
    time.
    """
    classes = [name for name in hiding if not HIDDEN_CLASSES.isdisjoint(name.split())]
    if classes:
        hidden = _add_hidden(elements, hidden, classes)
    if hidden and (left_out := _find_hidden(elements, leaves, hidden)):
        _drop(leaves, left_out)
    _cut_controls(elements, leaves)
    if elements.has_any(FORMULAS):
        for element in elements.tagged(FORMULAS).nonzero()[0].tolist():
            _write_formula(elements, leaves, element)
    if elements.has_any(LOWERED):
        _part_fractions(elements, leaves)


def _add_hidden(elements: Elements, hidden: Sequence[int], classes: list[str]) -> Sequence[int]:
    """Return the `hidden` elements and the inline elements with one of `classes`, in order."""
    names = elements.names
    is_hidden = np.zeros(len(names.strings), np.bool_)
    is_hidden[[names.numbers[name] for name in classes]] = True
    is_hidden = is_hidden[names.classes] & ~elements.tagged(BLOCK_LEVEL)
    is_hidden[list(hidden)] = True
    return is_hidden.nonzero()[0].tolist()


def _find_hidden(elements: Elements, leaves: Leaves, hidden: Iterable[int]) -> set[int]:
    """Return the hidden leaves that have words to be seen in their line."""
    inside = {
        leaf
        for element in elements.outermost(hidden)
        for leaf in leaves.find_inside(element, elements.ends[element])
    }
    left_out: set[int] = set()
    end, breaks, texts = 0, leaves.breaks, leaves.texts
    for leaf in sorted(inside):
        if leaf < end:
            continue
        start, end = leaf, leaf + 1
        while start and not breaks[start]:
            start -= 1
        while end < len(texts) and not breaks[end]:
            end += 1
        line = set(range(start, end))
        if any(any(map(str.isalnum, texts[other])) for other in line - inside):
            left_out |= line & inside
    return left_out


def _drop(leaves: Leaves, left_out: set[int]) -> None:
    """Drop leaves; the break before one is then before the next leaf of its line."""
    breaks, is_kept = leaves.breaks, np.ones(len(leaves), np.bool_)
    for leaf in sorted(left_out):
        is_kept[leaf] = False
        if breaks[leaf] and leaf + 1 < len(breaks) and not breaks[leaf + 1]:
            leaves.break_column[leaf + 1] = breaks[leaf + 1] = breaks[leaf]
    for name in LEAF_COLUMNS:
        vars(leaves)[name] = getattr(leaves, name)[is_kept]
    mask = is_kept.tolist()
    for column in (
        *(leaves.texts, leaves.elements, leaves.owners, leaves.opened, leaves.in_link, breaks),
    ):
        values: list[object] = column  # type: ignore[assignment]
        values[:] = compress(values, mask)


def _cut_controls(elements: Elements, leaves: Leaves) -> None:
    """Make a line of each control at an end of a line."""
    if not elements.has_any(CONTROLS):
        return
    tagged = elements.tagged(CONTROLS).nonzero()[0].tolist()
    ranges = [
        (element, inside)
        for element in elements.outermost(tagged)
        if (inside := leaves.find_inside(element, elements.ends[element]))
    ]
    breaks, cut = leaves.breaks, []
    for element, inside in ranges:
        if breaks[inside.start]:
            cut.append((element, inside))
            after = _skip_blank(leaves, inside.stop)
            if after < len(leaves):
                _start_line(leaves, after)
    for element, inside in reversed(ranges):
        after = _skip_blank(leaves, inside.stop)
        if not breaks[inside.start] and (after == len(leaves) or breaks[after]):
            _start_line(leaves, inside.start)
            cut.append((element, inside))
    owners = leaves.owners
    for element, inside in cut:
        for leaf in inside:
            owners[leaf] = leaves.owner_column[leaf] = max(owners[leaf], element)


def _write_formula(elements: Elements, leaves: Leaves, element: int) -> None:
    """Write the line of a fraction, or the sign of a root, and brackets around several letters."""
    ends, child = elements.ends, element + 1
    parts = [("\u221a", element)]
    if elements.tags[element] == FRACTION:
        parts = [("", child), ("/", ends[child])] if child < ends[element] else []
    for mark, part in parts:
        inside = leaves.find_inside(part, ends[part]) if part < ends[element] else range(0)
        first = next((leaf for leaf in inside if not leaves.texts[leaf].isspace()), None)
        if first is None:
            continue
        last = next(leaf for leaf in reversed(inside) if not leaves.texts[leaf].isspace())
        if last > first:
            mark, leaves.texts[last] = f"{mark}(", f"{leaves.texts[last].rstrip()})"  # noqa: PLW2901
        leaves.texts[first] = mark + leaves.texts[first].lstrip()


def _part_fractions(elements: Elements, leaves: Leaves) -> None:
    """Write a raised number before a slash and a lowered number apart: it is no exponent."""
    texts = leaves.texts
    for element in elements.tagged(LOWERED).nonzero()[0].tolist():
        leaf = bisect_left(leaves.opened, element + 1)
        if not 1 < leaf < len(texts) or texts[leaf - 1].strip() not in SLASHES:
            continue
        if texts[leaf].strip().isdecimal() and texts[leaf - 2].startswith("^"):
            texts[leaf - 2] = f" {texts[leaf - 2][1:]}"


def _start_line(leaves: Leaves, leaf: int) -> None:
    leaves.breaks[leaf] = leaves.breaks[leaf] or Break.PARAGRAPH
    leaves.break_column[leaf] = leaves.breaks[leaf]


def _skip_blank(leaves: Leaves, leaf: int) -> int:
    while leaf < len(leaves) and not leaves.breaks[leaf] and leaves.texts[leaf].isspace():
        leaf += 1
    return leaf
