"""`zyte_common_items.Article`, filled under its own names."""

import csv
import json
from pathlib import Path
from typing import Any

import attrs
import pytest
from scrapy.http import Response

from tests.crawl.conftest import CrawlPages, items_of
from tests.crawl.pages import HEADLINE, PARAGRAPHS, article, page, text_of

zyte = pytest.importorskip("zyte_common_items")

HTML = "\n".join(f"<p>{paragraph}</p>" for paragraph in PARAGRAPHS)
URL = "https://news.example/1"


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


def test_metadata(crawl: CrawlPages) -> None:
    declared = {
        "@type": "NewsArticle",
        "description": "It was wet on the island.",
        "datePublished": "2026-05-01",
        "dateModified": "2026-05-02T08:30:00+02:00",
        "author": [{"name": "Ada Moss"}, {"name": "Ben Hill"}],
        "image": "https://news.example/a.jpg",
    }
    script = f"<script type='application/ld+json'>{json.dumps(declared)}</script>"
    head = f"<link rel=canonical href={URL}>{script}"
    body = article().replace("<head>", f"<head>{head}").replace("</p>", "</p><img src=/b.jpg>", 1)
    dated = article().replace("<head>", "<head><meta name=last-modified content=2026-05-02>")
    pages = {"/1": page(body), "/2": page(dated)}
    item, other = crawl(items_of(zyte.Article), pages=pages).items
    assert item.description == "It was wet on the island."
    assert item.datePublished == "2026-05-01T00:00:00"
    assert item.dateModified == "2026-05-02T08:30:00+02:00"
    assert item.authors == [zyte.Author(name="Ada Moss"), zyte.Author(name="Ben Hill")]
    assert item.mainImage == zyte.Image(url="https://news.example/a.jpg")
    assert item.images[0] == item.mainImage
    assert item.images[1].url.endswith("/b.jpg")
    assert item.canonicalUrl == URL
    assert other.datePublished == other.dateModified == "2026-05-02T00:00:00"


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


@pytest.mark.parametrize("own", [1.0, 0.25, None])
def test_metadata_of_the_item_stays_but_for_what_it_lacks(
    own: float | None, crawl: CrawlPages
) -> None:
    def parse(response: Response) -> list[Any]:
        metadata = zyte.ArticleMetadata(probability=own)
        return [zyte.Article(url=response.url, metadata=metadata)]

    [item] = crawl(parse).items
    if own is None:
        assert 0.5 < item.metadata.probability < 1
    else:
        assert item.metadata.probability == own
