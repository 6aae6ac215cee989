"""The text that a page without any visible text declares."""

from __future__ import annotations

from scrapy_boilerplate.metadata.json_ld import nodes_of
from scrapy_boilerplate.page import Page
from scrapy_boilerplate.text import collapse

BODY = "articleBody"


def declared_body(page: Page) -> str:
    """The longest `articleBody` of the page's JSON-LD, lines as paragraphs; "" without one.

    Only for pages that show nothing: a quarter of modern pages have it, and one in four of those is
    cut or wrong (LEARNING.md, what did not help).
    """
    bodies = [node.get(BODY) for node in nodes_of(page.declared.json_ld)]
    longest = max((body for body in bodies if isinstance(body, str)), key=len, default="")
    lines = (collapse(line) for line in longest.splitlines())
    return "\n\n".join(line for line in lines if line)
