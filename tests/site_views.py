"""Site knowledge from the view of one page, for tests of single steps."""

from collections.abc import Sequence

import numpy as np

from scrapy_boilerplate import Labeling, Page
from scrapy_boilerplate.site.page_records import (
    Knowledge,
    SiteView,
    build_page_record,
    compute_signatures,
)
from tests.builders import document, page_of

# Blocks in an element of this class were content on the pages of the site.
CONTENT_CLASS = "text"


def box(name: str, *texts: str) -> str:
    return f'<div class="{name}">' + "".join(f"<p>{text}</p>" for text in texts) + "</div>"


def body_of(*boxes: str) -> Page:
    return page_of(document("".join(boxes)))


def view_from(page: Page, others: Sequence[Page]) -> SiteView:
    """The site of `page` and `others`, as `page` sees it."""
    pages = (*others, page)
    records = [
        build_page_record(page, compute_signatures(page), content_of(page), n)
        for n, page in enumerate(pages)
    ]
    return Knowledge().with_pages(records).view(records[-1], compute_signatures(page))


def block_classes(page: Page) -> list[str]:
    """The class of the element around each block."""
    elements = page.elements
    return [elements.classes[elements.parents[owner]] for owner in page.blocks.elements.tolist()]


def content_of(page: Page) -> Labeling:
    """The labeling in which the blocks in a box of CONTENT_CLASS are content."""
    mask = np.array([name == CONTENT_CLASS for name in block_classes(page)], dtype=np.bool_)
    return Labeling.blank(len(page)).classify(mask, "test")
