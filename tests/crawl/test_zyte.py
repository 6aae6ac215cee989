"""`zyte_common_items.Article`, filled under its own names."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path
from typing import Any

import attrs
import pytest
from scrapy.http import Response

from scrapy_boilerplate import Document, extract, is_installed
from scrapy_boilerplate.crawl.items import ItemPlanner, adapt, find_kind
from scrapy_boilerplate.crawl.settings import CrawlSettings
from scrapy_boilerplate.crawl.zyte import build_article_values
from tests.crawl.conftest import CrawlPages
from tests.crawl.pages import HEADLINE, PARAGRAPHS, page, text_of

zyte = pytest.importorskip("zyte_common_items")
pytest.importorskip("nh3")

HTML = "\n".join(f"<p>{paragraph}</p>" for paragraph in PARAGRAPHS)
URL = "https://news.example/1"


def values(document: Document, **own: Any) -> dict[str, Any]:
    return build_article_values(document, zyte.Article(url=URL, **own))


def with_probability(probability: float, document: Document | None = None) -> Document:
    """A document of no page, as if a model had judged it."""
    return (document or Document()).replace(article_probability=probability)


def test_is_filled_in_a_crawl(crawl: CrawlPages) -> None:
    """Under its own names; what the spider set stays."""

    own_class: Any = attrs.make_class("Own", ["desk"], (zyte.Article,), kw_only=True)

    def parse(response: Response) -> list[Any]:
        return [
            zyte.Article(url=response.url),
            own_class(url=response.url, headline="Mine", desk=""),
        ]

    pages = {"/article": page(), "/empty": page("<html><body></body></html>")}
    crawled = crawl(parse, {"BOILERPLATE_FIELDS": {"text": "body"}}, pages=pages)
    item, own, empty, _ = crawled.items
    assert isinstance(item, zyte.Article)
    assert item.headline == HEADLINE
    assert item.articleBody == text_of()
    assert item.articleBodyHtml == HTML
    assert item.inLanguage == "en"
    assert 0.5 < item.metadata.probability < 1
    assert (own.headline, own.articleBody) == ("Mine", text_of())
    assert empty == zyte.Article(url=empty.url, metadata=empty.metadata)
    assert 0 < empty.metadata.probability < 0.5
    assert not [name for name in crawled.counts if name.startswith(("unsupported", "errors"))]
    assert crawled.counts["items/filled"] == 4


def test_metadata_of_a_document() -> None:
    document = Document(
        headline="Rain",
        description="Wet",
        date_published="2026-05-01",
        date_modified="2026-05-02T08:30:00+02:00",
        authors=("Ada Moss", "Ben Hill"),
        main_image="https://news.example/x.jpg",
        canonical_url=URL,
    )
    filled = values(with_probability(0.25, document))
    assert (filled["headline"], filled["description"]) == ("Rain", "Wet")
    assert filled["datePublished"] == "2026-05-01T00:00:00"
    assert filled["dateModified"] == "2026-05-02T08:30:00+02:00"
    assert filled["authors"] == [zyte.Author(name="Ada Moss"), zyte.Author(name="Ben Hill")]
    assert filled["mainImage"] == zyte.Image(url="https://news.example/x.jpg")
    assert filled["images"] == [filled["mainImage"]]
    assert filled["canonicalUrl"] == URL
    assert filled["metadata"] == zyte.ArticleMetadata(probability=0.25)
    filled = values(Document(date_modified="2026-05-02"))
    assert filled["datePublished"] == filled["dateModified"] == "2026-05-02T00:00:00"


def test_feeds_that_cannot_nest_have_no_python_in_them(crawl: CrawlPages, tmp_path: Path) -> None:
    def parse(response: Response) -> list[Any]:
        return [zyte.Article(url=response.url, authors=[zyte.Author(name="Ada Moss")])]

    feeds = {form: tmp_path / form for form in ("csv", "xml")}
    crawl(parse, {"FEEDS": {str(file): {"format": form} for form, file in feeds.items()}})
    raw = {form: file.read_text(encoding="utf-8") for form, file in feeds.items()}
    for form in feeds:
        assert "Author(" not in raw[form]
        assert "None" not in raw[form]
    [row] = csv.DictReader(raw["csv"].splitlines())
    assert json.loads(row["authors"])[0]["name"] == "Ada Moss"
    assert json.loads(row["metadata"])["probability"] > 0.5
    assert "<authors><value><name>Ada Moss</name></value></authors>" in raw["xml"]


@pytest.mark.parametrize(("own", "kept"), [(1.0, 1.0), (0.5, 0.5), (None, 0.25)])
def test_metadata_of_the_item_stays_but_for_what_it_lacks(own: float | None, kept: float) -> None:
    article = zyte.Article(url=URL, metadata=zyte.ArticleMetadata(probability=own))
    assert "metadata" not in build_article_values(with_probability(0.25), article)
    assert article.metadata.probability == kept


def test_images_are_those_of_the_text_after_the_main_one() -> None:
    words = " ".join(PARAGRAPHS)
    html = f"<article><p>{words}</p><img src=/b.jpg><img src=/a.jpg><p>{words}</p></article>"
    document = extract(html, URL).replace(main_image="https://news.example/a.jpg")
    urls = [image.url for image in values(document)["images"]]
    assert urls == ["https://news.example/a.jpg", "https://news.example/b.jpg"]


def test_without_the_sanitiser_the_rest_is_filled_and_it_is_told_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(sys.modules, "nh3", None)
    planner, document = ItemPlanner(CrawlSettings()), extract(f"<p>{' '.join(PARAGRAPHS)}</p>", URL)
    for _ in range(2):
        article = adapt(zyte.Article(url=URL))
        filled = article.build_values(document, planner.plan(article).fields, "all")
        assert filled["articleBody"] == " ".join(PARAGRAPHS)
        assert "articleBodyHtml" not in filled
    (record,) = [line for line in caplog.records if "articleBodyHtml" in line.getMessage()]
    assert "pip install 'scrapy-boilerplate-removal[html]'" in record.getMessage()


def test_recognising_does_not_import(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "zyte_common_items")
    find_kind.cache_clear()
    assert not adapt({}).fills_every_field
    assert "zyte_common_items" not in sys.modules
    assert is_installed("zyte_common_items")
