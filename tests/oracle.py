"""The visible text of a page, computed by XPath, independently of the package."""

import re
from itertools import pairwise
from typing import cast

from lxml import etree

from scrapy_boilerplate import Page

HIDDEN = (
    "title style script link meta base param svg canvas audio video object applet "
    "iframe meter progress select option optgroup datalist annotation annotation-xml rt rp"
).split()

ZERO_WIDTH = "\x7f\xad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"

# white space, and marks of raised numbers
_drop_marks = re.compile(r"[\s\^\[\]]+").sub

_visible_texts = etree.XPath(
    f"//text()[not(ancestor::*[{' or '.join(f'self::{tag}' for tag in HIDDEN)}])]"
)


def visible_texts(root: etree._Element) -> list[str]:
    """Every text node outside hidden elements that is not blank, in document order."""
    texts = cast("list[str]", _visible_texts(root))
    return [str(text) for text in texts if shows(text)]


def shows(text: str) -> bool:
    """Whether a character of `text` can be seen: no space, control or zero-width character."""
    return any(not c.isspace() and ord(c) > 31 and c not in ZERO_WIDTH for c in text)


def check_blocks(root: etree._Element, page: Page) -> None:
    """The text of the blocks is visible text in document order; each leaf is in one block.

    Hidden words of a line and marks of links are left out, raised numbers get marks.
    """
    first, end = page.blocks.first_leaf.tolist(), page.blocks.end_leaf.tolist()
    shown = [text for text in page.leaves.texts if shows(text)]
    visible = iter(_drop_marks("", "".join(visible_texts(root))))
    assert all(character in visible for character in _drop_marks("", "".join(shown)))
    assert [first[:1], end[-1:]] == ([[0], [len(page.leaves)]] if first else [[], []])
    assert all(before == after for before, after in zip(end, first[1:], strict=False))
    assert all(before < after for before, after in pairwise([*first, len(page.leaves)]))
