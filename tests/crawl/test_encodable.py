"""Every string of every field can be encoded, whatever a page declares."""

import csv
import json
from collections.abc import Iterator
from importlib.util import find_spec
from io import BytesIO, StringIO
from typing import Any
from xml.etree import ElementTree as Xml

import pytest
from hypothesis import given
from hypothesis import strategies as st
from itemadapter import ItemAdapter
from scrapy.exporters import JsonItemExporter, JsonLinesItemExporter

from scrapy_boilerplate import (
    BoilerplateCsvItemExporter,
    BoilerplateXmlItemExporter,
    Document,
    extract,
    extract_pages,
)
from tests.crawl.conftest import CrawlPages, items_of
from tests.crawl.pages import HEADLINE, PARAGRAPHS, Answer, article
from tests.reference import ITEM_FIELDS

MISSING = set() if find_spec("html_to_markdown") else {"markdown"}
FIELDS = [n for n in ITEM_FIELDS if hasattr(Document(), n) and n not in {"url", *MISSING}]
# halves of pairs, controls, and what ends a string, a tag, an attribute or a host
PARTS = "\ud83d \udf27 \ud800\udfff \0 \x01 \x7f \ufffe a é 🌧 / ? # & ; \\ \" ' < > @ :".split(" ")
WORDS = st.lists(st.sampled_from(PARTS), min_size=1, max_size=3).map("".join)


def build_page(word: str, *, is_live: bool = False, is_hidden: bool = False) -> str:
    """Return a page with `word` in every source of its fields, escaped only in JSON."""
    url, text = f"http://a.example/{word}", f"{PARAGRAPHS[0]} {word}"
    entries = [
        {
            "@type": "BlogPosting",
            "headline": f"Entry {word} {n}",
            "articleBody": f"Entry {n} says {word}. {PARAGRAPHS[n]}",
            "datePublished": f"2024-05-01T08:3{n}:00{word}",
            "author": {"name": f"Ada {word} Lovelace"},
        }
        for n in range(3)
    ]
    declared = {
        "@type": ["LiveBlogPosting" if is_live else f"News{word}Article", "NewsArticle"],
        "headline": f"{HEADLINE} {word}",
        "description": f"The ferry came back {word} after eleven months.",
        "image": {"url": f"{url}.jpg"},
        "author": [{"@type": "Person", "name": f"Ada {word} Lovelace"}],
        "datePublished": f"2024-05-01T08:30:00{word}",
        "dateModified": f"2024-05-02{word}",
        "inLanguage": f"en{word}",
        "articleSection": [f"Islands {word}"],
        "keywords": [f"ferry {word}", f"{word} goats"],
        "publisher": {"name": f"The {word} Courier"},
        "isAccessibleForFree": word,
        "articleBody": "\n".join(f"{each} {word}" for each in PARAGRAPHS),
        "liveBlogUpdate": entries if is_live else [],
    }
    metas = {"og:url": url, "og:image": url, "og:type": word, "og:site_name": f"The {word}"}
    head = "".join(f'<meta property="{name}" content="{each}">' for name, each in metas.items())
    head += f'<link rel="canonical" href="{word}">' + (f'<base href="{url}/">' if is_live else "")
    head += f'<script type="application/ld+json">{json.dumps(declared)}</script>'
    head += f'<script type="application/json">{json.dumps({"body": text * 20})}</script>'
    body = article(
        f"{HEADLINE} {word}",
        [text, *PARAGRAPHS[1:]],
        [f"{word} as I say, the ferry was late again"],
    )
    body = body.replace("<h1>", f'<p class="kicker">Islands {word}</p><h1>')
    body = body.replace("<p>", f'<p class="{word}"><a href="{word}">{word}</a><img src="{word}">')
    body = body.replace("<h1>", f'<p class="kicker">Harbour {word}</p><h1>')
    body = body.replace("</article>", '<a rel="next" href="?page=2">2</a></article>')
    return body.partition("<nav>")[0].replace("<head>", f"<head>{head}") + (
        "" if is_hidden else body.partition("</head><body>")[2]
    )


def list_strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from list_strings(list(value.items()))
    elif isinstance(value, list | tuple):
        for each in value:
            yield from list_strings(each)


def check_document(document: Document) -> None:
    record = document.to_dict(FIELDS)
    assert "\n".join(list_strings([record, document.next_page, document.url])).encode()


EXPORTERS: dict[str, Any] = {
    "jsonlines": JsonLinesItemExporter,
    "json": JsonItemExporter,
    "csv": BoilerplateCsvItemExporter,
    "xml": BoilerplateXmlItemExporter,
}


def export(item: dict[str, Any], kind: str) -> bytes:
    file = BytesIO()
    exporter = EXPORTERS[kind](file, encoding="utf-8")
    exporter.our_fields = frozenset(item)
    exporter.start_exporting()
    exporter.export_item(item)
    exporter.finish_exporting()
    return file.getvalue()


def check_feeds(document: Document) -> None:
    """Every feed has the values of the item."""
    item = document.to_dict(FIELDS)
    assert json.loads(export(item, "jsonlines")) == item
    assert json.loads(export(item, "json")) == [item]
    [row] = csv.DictReader(StringIO(export(item, "csv").decode(), newline=""), strict=True)
    assert (row["text"], row["main_image"]) == (item["text"], item["main_image"] or "")
    [[*fields]] = Xml.fromstring(export(item, "xml"))  # noqa: S314
    assert [field.tag for field in fields] == list(item)


@given(WORDS, st.booleans(), st.booleans(), st.sampled_from(["", "\udfff/"]))
def test_any_word_in_any_source(word: str, is_live: bool, is_hidden: bool, path: str) -> None:
    html, url = build_page(word, is_live=is_live, is_hidden=is_hidden), f"http://a.example/{path}x"
    document = extract(html, url)
    check_document(document)
    check_feeds(document)


@given(WORDS)
def test_the_pages_of_an_article(word: str) -> None:
    urls = [f"http://a.example/{word}", f"http://a.example/{word}?page=2"]
    check_document(extract_pages([build_page(word), build_page(f"{word} two")], urls))


def test_documents_that_others_build() -> None:
    document = Document(url="\ud800", text="a\udfff", tags=("\ud83d",), evidence={"text": "\ud800"})
    assert (document.url, document.text, document.tags) == ("\ufffd", "a\ufffd", ("\ufffd",))
    assert document.evidence == {"text": "\ufffd"}


def test_articles_of_zyte(crawl: CrawlPages) -> None:
    article_class = pytest.importorskip("zyte_common_items").Article
    pages = {"/x": Answer(build_page("\ud83d").encode("utf-8", "surrogatepass"))}
    [item] = crawl(items_of(article_class), pages=pages).items
    assert "\n".join(list_strings(ItemAdapter(item).asdict())).encode()
