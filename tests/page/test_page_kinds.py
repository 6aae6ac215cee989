"""Pages that are modern, and that declare news."""

from __future__ import annotations

import pytest

from tests.builders import page_of

BODY = "<p>one two"
HTML5, LEGACY = "<!doctype html>", '<!DOCTYPE html SYSTEM "about:legacy-compat">'
XHTML = (
    '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" '
    '"http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">'
)
GRAPH = '<meta property="og:type" content="article">'


def json_ld(kind: str) -> str:
    """A script that declares a thing of this type."""
    return f'<script type="application/ld+json">{{"@type": "{kind}"}}</script>'


def microdata(kind: str) -> str:
    """An item of this type with a property."""
    return (
        f'<div itemscope itemtype="https://schema.org/{kind}"><p itemprop="headline">Rain</p></div>'
    )


PAGES = {
    # HTML, is declared, is modern, names news
    "HTML5": (HTML5 + BODY, (False, True, False)),
    "HTML5 as XSLT writes it": (LEGACY + BODY, (False, True, False)),
    "no doctype": (BODY, (False, False, False)),
    "XHTML with Open Graph": (XHTML + GRAPH + BODY, (True, True, False)),
    "another meta": (XHTML + '<meta name="author" content="Ann Lee">' + BODY, (False,) * 3),
    "a thing in JSON-LD": (XHTML + json_ld("BlogPosting") + BODY, (True, True, False)),
    "news in JSON-LD": (HTML5 + json_ld("NewsArticle") + BODY, (True, True, True)),
    "a report in JSON-LD": (HTML5 + json_ld("ReportageNewsArticle") + BODY, (True, True, True)),
    "an article in microdata": (HTML5 + microdata("Article"), (False, True, False)),
    "news in microdata": (XHTML + microdata("NewsArticle"), (False, False, True)),
}


@pytest.mark.parametrize(("html", "kinds"), PAGES.values(), ids=PAGES.keys())
def test_kinds(html: str, kinds: tuple[bool, bool, bool]) -> None:
    page = page_of(html)
    assert (page.is_declared, page.is_modern, page.names_news) == kinds
