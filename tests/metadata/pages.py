"""Small pages that declare things."""

import json
from typing import Any

from scrapy_boilerplate import Document, extract
from tests.builders import filler

URL = "https://www.harbour-news.example/sea/ferry.html"


def write_json_ld(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return f'<script type="application/ld+json">{text}</script>'


def write_article(**properties: Any) -> str:
    return write_json_ld({"@type": "NewsArticle", **properties})


def write_metas(**contents: str) -> str:
    """`meta` elements; "__" means ":" in a name."""
    return "".join(
        f'<meta property="{name.replace("__", ":")}" content="{content}">'
        for name, content in contents.items()
    )


def read_document(head: str = "", body: str = "", *, lang: str = "en", url: str = URL) -> Document:
    """The document of an article page with `head` and, before its text, `body`."""
    paragraphs = f"<p>{filler(60)}</p><p>{filler(60)}</p>"
    return extract(
        f"<html lang={lang}><head>{head}</head><body>{body}{paragraphs}</body></html>", url
    )
