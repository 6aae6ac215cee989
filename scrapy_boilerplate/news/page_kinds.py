"""What kind a page is, by what it declares: of today, and news."""

from __future__ import annotations

import re

from scrapy_boilerplate.page.page import Page

_is_html5 = re.compile(
    r"<!doctype\s+html\s*(?:system\s+[\"']about:legacy-compat[\"']\s*)?>", re.IGNORECASE
).match
NEWS_ARTICLE = "NewsArticle"
"""The type of schema.org, and the end of the names of its subtypes."""


def is_declared(page: Page) -> bool:
    """Return whether a page has Open Graph or JSON-LD, as those of today's systems have."""
    return bool(page.declared.json_ld) or any(
        name.startswith("og:") for name, _ in page.declared.metas
    )


def is_modern(page: Page) -> bool:
    """Return whether a page is declared, or has the doctype of HTML5."""
    return _is_html5(page.doctype) is not None or is_declared(page)


def is_news(page: Page) -> bool:
    """Return whether JSON-LD or microdata of a page names a news article, its own or another."""
    declared = page.declared
    return any(NEWS_ARTICLE in script for script in declared.json_ld) or any(
        NEWS_ARTICLE in scope for _, _, scope in declared.microdata
    )
