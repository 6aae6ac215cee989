"""`PostgresPipeline` on a server of its own."""

from collections.abc import Iterator
from functools import partial
from threading import Timer
from typing import Any

import pytest

from scrapy_boilerplate import ArticleItem, SettingError
from tests.crawl.conftest import CrawlPages, items_of
from tests.crawl.crawling import Crawl
from tests.crawl.pages import COMMENT, HEADLINE, text_of
from tests.crawl.postgres import Server, running_server

pytest.importorskip("psycopg")

ENABLED = {"scrapy_boilerplate.PostgresPipeline": 800}


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running_server() as running:
        yield running


def write(crawl: CrawlPages, url: str, table: str, callback: Any, **settings: Any) -> Crawl:
    written = {"BOILERPLATE_POSTGRES": url, "BOILERPLATE_POSTGRES_TABLE": table}
    return crawl(callback, {"ITEM_PIPELINES": ENABLED, **written, **settings})


def test_one_row_for_each_url(server: Server, crawl: CrawlPages) -> None:
    for _ in range(2):
        crawled = write(crawl, server.url, "articles", items_of(partial(ArticleItem, found_in="f")))
    [row] = server.fetch(
        "SELECT headline, text, comments->>0, confidence > 0, is_article, found_in, "
        "blocks->0->'score' FROM articles"
    )
    assert row[:6] == (HEADLINE, text_of(), COMMENT, True, True, "f")
    assert isinstance(row[6], float)
    assert crawled.counts["postgres/rows"] == 1


def test_own_columns(server: Server, crawl: CrawlPages) -> None:
    """A table that exists keeps its columns; a field without a column is reported once."""
    server.execute("CREATE SCHEMA own")
    server.execute(
        "CREATE TABLE own.pages (id bigserial PRIMARY KEY, link text UNIQUE, "
        "seen timestamptz DEFAULT now(), authors text[] DEFAULT '{}', \"price %\" real, shop json)"
    )
    item = {"authors": ["A", "B"], "price %": 2, "shop": {"at": [{"x"}]}, "more": 1}
    crawled = write(
        crawl,
        server.url,
        "own.pages",
        lambda response: [{"link": f"{response.url}{n}", **item} for n in range(250)],
        BOILERPLATE_ITEM_URL="link",
    )
    rows = server.fetch('SELECT link, authors, "price %", shop FROM own.pages WHERE seen < now()')
    assert len({link for link, *_ in rows}) == 250
    assert rows[0][1:] == (["A", "B"], 2.0, {"at": [["x"]]})
    [message] = [text for text in crawled.messages(30) if "'more'" in text]
    assert message.endswith("the table has no column of this name")


def test_what_the_server_refuses_costs_one_row(server: Server, crawl: CrawlPages) -> None:
    texts = ["good", "NUL \0", "half \ud800", None]
    items = [{"url": f"u{n}", "headline": text} for n, text in enumerate(texts)]
    crawled = write(crawl, server.url, "refused", lambda _: [*items, {"headline": "no URL"}])
    assert server.fetch("SELECT headline FROM refused ORDER BY url") == [("good",), (None,)]
    assert crawled.counts["postgres/failed"] == len(crawled.messages(40)) == 3
    assert len(crawled.items) == 5


def test_the_server_is_away_for_a_moment(server: Server, crawl: CrawlPages) -> None:
    """A full batch waits for the server, which comes back while the crawl waits."""
    back = Timer(2, server.start)

    def parse(response: Any) -> Iterator[Any]:
        server.stop()
        back.start()
        for number in range(150):
            yield {"url": f"{response.url}{number}"}

    crawled = write(crawl, server.url, "away", parse)
    back.join()
    assert server.fetch("SELECT count(*) FROM away") == [(150,)]
    assert any(text.startswith("PostgreSQL is away") for text in crawled.messages(30))


@pytest.mark.parametrize(
    ("url", "table", "message"),
    [
        ("nonsense", "articles", 'missing "=".*; write .*\'postgresql://'),
        ("postgresql://127.0.0.1:1/x", "articles", "refused.*; write .*'postgresql://"),
        (None, "without_index", "unique index of its column 'url'"),
        (None, "without_url", "unique index of its column 'url'"),
    ],
)
def test_errors_at_the_start(
    url: str | None, table: str, message: str, server: Server, crawl: CrawlPages
) -> None:
    server.execute("CREATE TABLE IF NOT EXISTS without_index (url text)")
    server.execute("CREATE TABLE IF NOT EXISTS without_url (headline text)")
    with pytest.raises(SettingError, match=f"(?s){message}"):
        write(crawl, server.url if url is None else url, table, items_of(dict))
