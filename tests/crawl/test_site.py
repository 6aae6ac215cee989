"""Site knowledge in real crawls: streaming, settings, duplicates."""

from collections.abc import Sequence
from logging import INFO, WARNING
from pathlib import Path
from typing import Any

import pytest
from scrapy import Field, Item

from scrapy_boilerplate import ArticleItem, SettingError
from scrapy_boilerplate.site import fingerprints
from scrapy_boilerplate.site.page_records import PageRecord
from scrapy_boilerplate.site.registry import SiteRegistry
from scrapy_boilerplate.site.stores import Collection, SqliteStore, StoreRecord
from tests.crawl.conftest import CrawlPages, items_of
from tests.crawl.crawling import ADDON, Reactor
from tests.crawl.pages import Answer
from tests.crawl.site import Site
from tests.site_pages import article_text, page_around, site_page

SITE = {"BOILERPLATE_SITE": True, "BOILERPLATE_EXTRACTOR": "num-words"}
PAGES = {f"/{number}": Answer(site_page(number).encode()) for number in range(6)}
DUPLICATES = {
    "ITEM_PIPELINES": {"scrapy_boilerplate.BoilerplateDuplicatesPipeline": 60},
    "BOILERPLATE_EXTRACTOR": "container",
}
NOTICE = "We use small notes"


def test_streaming_uses_what_is_known_so_far(crawl: CrawlPages) -> None:
    crawled = crawl(items_of(dict), SITE, pages=PAGES)
    assert [item["site_pages"] for item in crawled.items] == [0, 1, 2, 3, 4, 5]
    assert [NOTICE in item["text"] for item in crawled.items] == [True] + 5 * [False]
    labels = {b["label"] for b in crawled.items[-1]["blocks"] if b["text"].startswith(NOTICE)}
    assert labels == {"boilerplate"}
    assert [item["headline"] for item in crawled.items][-1] == " ".join(
        article_text(5)[0].split()[:6]
    )
    assert crawled.counts["site/pages"] == 6
    assert crawled.counts["site/sites"] == 1


def test_knowledge_is_kept_in_the_job_directory(crawl: CrawlPages, tmp_path: Path) -> None:
    settings = {**SITE, "BOILERPLATE_SITE_STORE": str(tmp_path / "sites.sqlite")}
    crawl(items_of(dict), settings, pages=PAGES)
    crawled = crawl(
        items_of(dict), settings, pages={"/7": Answer(site_page(7).encode())}, ask=["/7"]
    )
    assert crawled.items[0]["site_pages"] == 6
    job = {**SITE, "JOBDIR": str(tmp_path / "job")}
    crawl(items_of(dict), job, pages=PAGES)
    assert (tmp_path / "job" / "site-knowledge.sqlite").exists()


def test_records_that_cannot_be_read_are_counted(
    crawl: CrawlPages, site: Site, tmp_path: Path
) -> None:
    file = tmp_path / "sites.sqlite"
    store = SqliteStore(file)
    collection = Collection(PageRecord, SiteRegistry().find_site(site.url()))
    store.put(collection, [StoreRecord(b"k" * 16, 1, b"no page")])
    store.close()
    crawled = crawl(items_of(dict), {**SITE, "BOILERPLATE_SITE_STORE": str(file)}, pages=PAGES)
    assert crawled.counts["site/bad_records"] == 1


ALONE = {
    "BOILERPLATE_SITE_STORE": (
        "memory",
        "BOILERPLATE_SITE, BOILERPLATE_SITE_ALARM or BoilerplateDuplicatesPipeline",
    ),
    "BOILERPLATE_WORKERS": (2, "BOILERPLATE_EXECUTOR"),
    "BOILERPLATE_INSPECT_PAGES": (9, "BOILERPLATE_INSPECT_DIR"),
    "BOILERPLATE_PAGES_SECONDS": (9, "BOILERPLATE_PAGES"),
}
"""Settings, and the setting without which they have no effect."""


def test_settings_without_effect(crawl: CrawlPages) -> None:
    crawled = crawl(items_of(dict), {name: value for name, (value, _) in ALONE.items()})
    assert {line for line in crawled.messages(WARNING) if "no effect without" in line} == {
        f"{name} has no effect without {partner}: write it, or remove {name}"
        for name, (_, partner) in ALONE.items()
    }
    for used in (SITE, {"BOILERPLATE_SITE_ALARM": True}, DUPLICATES):
        crawled = crawl(items_of(dict), {"BOILERPLATE_SITE_STORE": "memory", **used})
        assert crawled.messages(WARNING) == []


@pytest.mark.parametrize(
    ("store", "sentence"), [("reddis://x", "redis://host"), (f"{__file__}/x", "give another")]
)
def test_a_wrong_store_stops_the_crawl_at_start(
    store: str, sentence: str, crawl: CrawlPages
) -> None:
    with pytest.raises(SettingError, match=f"SITE_STORE = .*{sentence}"):
        crawl(items_of(dict), {**SITE, "BOILERPLATE_SITE_STORE": store})


COPIES = {f"/{seed}": Answer(page_around(article_text(1), seed).encode()) for seed in range(3)} | {
    "/other": Answer(site_page(2).encode())
}


def test_or_marked(crawl: CrawlPages, tmp_path: Path) -> None:
    settings = {
        **DUPLICATES,
        "BOILERPLATE_DUPLICATES": "mark",
        "BOILERPLATE_SITE_STORE": str(tmp_path / "seen.sqlite"),
    }
    crawled = crawl(items_of(ArticleItem), settings, pages=COPIES, components=ADDON)
    assert [item.duplicate for item in crawled.items] == [None, "exact", "exact", None]
    again = crawl(items_of(ArticleItem), settings, ask=["/other"])
    assert [item.duplicate for item in again.items] == ["exact"]


@pytest.mark.parametrize(
    ("budget", "most", "n_known"),
    [("BYTES", 900, range(6)), ("ELEMENTS", 15, range(6)), ("MILLISECONDS", 0.001, [None] * 6)],
)
def test_pages_over_a_budget_are_learned_as_far_as_they_are_read(
    crawl: CrawlPages, budget: str, most: float, n_known: Sequence[int | None]
) -> None:
    crawled = crawl(items_of(dict), {**SITE, f"BOILERPLATE_MAX_{budget}": most}, pages=PAGES)
    assert crawled.counts[f"partial/{budget.lower()}"] == 6
    assert crawled.counts.get("site/pages", 0) == (0 if budget == "MILLISECONDS" else 6)
    assert [item["site_pages"] for item in crawled.items] == list(n_known)


def test_news_of_a_request_does_without_the_site(crawl: CrawlPages) -> None:
    crawled = crawl(items_of(dict), SITE, pages=PAGES, meta={"boilerplate": "news"})
    assert "errors/page" not in crawled.counts
    assert "site/pages" not in crawled.counts
    assert [item["site_pages"] for item in crawled.items] == 6 * [None]
    assert not any(NOTICE in item["text"] for item in crawled.items)


def test_copies_among_articles_of_zyte_are_found(crawl: CrawlPages) -> None:
    kind = pytest.importorskip("zyte_common_items").Article
    crawled = crawl(items_of(kind), DUPLICATES, pages=COPIES)
    assert crawled.counts["duplicates/exact"] == 2


STORY = article_text(3)
VERSIONS = {
    "/story": page_around(STORY, 1),
    "/story?utm_source=feed": page_around([*STORY, "An update of the story came in at noon."], 1),
    "/other": page_around([*STORY, "The other page has one line more than the story."], 1),
    "/copy": page_around(STORY, 2),
}


@pytest.mark.parametrize(
    ("written", "copies"), [("drop", []), ("drop-near", []), ("mark", ["exact"])]
)
def test_how_articles_are_duplicates(written: str, copies: list[str], crawl: CrawlPages) -> None:
    pages = {path: Answer(html.encode()) for path, html in VERSIONS.items()}
    settings = {**DUPLICATES, "BOILERPLATE_DUPLICATES": written}
    crawled = crawl(items_of(dict), settings, pages=pages)
    assert [item["duplicate"] for item in crawled.items] == [None, "updated", "template", *copies]
    urls = [crawled.items[0]["url"].replace("/story", path) for path in ("/copy", "/story")]
    dropped = [line for line in crawled.messages(INFO) if line.startswith("Dropped: ")]
    assert dropped == ([] if copies else ["Dropped: {}: exact duplicate of {}".format(*urls)])


class Unplaced(Item):
    text = Field()
    duplicate = Field()


@pytest.mark.parametrize(
    "build",
    [
        pytest.param(lambda response: {"url": [response.url]}, id="of an item loader"),
        pytest.param(lambda response: {"url": f"/{response.url.split('/', 3)[3]}"}, id="relative"),
        pytest.param(lambda _: {"url": "https://[no"}, id="no URL"),
        pytest.param(lambda _: Unplaced(), id="without a field"),
    ],
)
def test_the_place_of_an_item(build: Any, crawl: CrawlPages) -> None:
    pages = {path: Answer(VERSIONS[path].encode()) for path in list(VERSIONS)[:3]}
    settings = {**DUPLICATES, "BOILERPLATE_DUPLICATES": "drop-near"}
    items = crawl(lambda response: [build(response)], settings, pages=pages).items
    assert [item["duplicate"] for item in items] == [None, "updated", "template"]


LONGER = [*STORY, "One line more than the story that was met before."]


def test_items_that_are_not_filled_have_the_place_of_their_response(crawl: CrawlPages) -> None:
    pages = {path: Answer(VERSIONS[path].encode()) for path in list(VERSIONS)[:2]}
    settings = {**DUPLICATES, "BOILERPLATE_DUPLICATES": "drop-near"}
    texts = iter(("\n".join(STORY), "\n".join(LONGER)))
    crawled = crawl(
        lambda _: [Unplaced(text=next(texts))],
        settings,
        pages=pages,
        meta={"dont_boilerplate": True},
    )
    assert [item["duplicate"] for item in crawled.items] == [None, "updated"]


def test_an_article_whose_place_is_unknown_is_not_dropped_as_near(reactor: Reactor) -> None:
    settings = {**ADDON, **DUPLICATES, "BOILERPLATE_DUPLICATES": "drop-near"}
    wanted = [{"text": "\n".join(STORY)}, {"text": "\n".join(LONGER)}]
    crawled = reactor.crawl(wanted, items_of(dict), settings)
    assert [item["duplicate"] for item in crawled.items] == [None, "near"]
    assert crawled.counts["duplicates/near"] == 1


N_PAGES = 6


@pytest.mark.parametrize(
    ("written", "url", "n_items"),
    [
        ("drop-near", "/{}", N_PAGES),
        ("drop", "http://site{}.example/a", N_PAGES),
        ("drop-near", "http://site{}.example/a", 1),
    ],
)
def test_different_articles_whose_simhashes_are_equal(
    written: str, url: str, n_items: int, crawl: CrawlPages, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As somebody can make them: none is dropped unless that is asked for."""
    digest = fingerprints.digest_text
    monkeypatch.setattr(fingerprints, "digest_text", lambda text: (digest(text)[0], "35" * 16))
    pages = {url.format(n): Answer(site_page(n).encode()) for n in range(N_PAGES)}
    crawled = crawl(items_of(dict), {**DUPLICATES, "BOILERPLATE_DUPLICATES": written}, pages=pages)
    found = [item["duplicate"] for item in crawled.items]
    kind = "template" if url == "/{}" else "near"
    assert found == [None] + (n_items - 1) * [kind]
    assert crawled.counts[f"duplicates/{kind}"] == N_PAGES - 1


class Bare(Item):
    url = Field()


@pytest.mark.parametrize(
    ("kind", "fields", "warnings"),
    [(dict, None, 0), (Bare, None, 1), (dict, ["headline"], 1)],
)
def test_items_without_a_text_field_are_told(
    crawl: CrawlPages, kind: Any, fields: list[str] | None, warnings: int
) -> None:
    more = {} if fields is None else {"BOILERPLATE_FIELDS": fields}
    crawled = crawl(items_of(kind), {**DUPLICATES, **more}, pages=COPIES)
    assert sum("have no text in 'text'" in line for line in crawled.messages(WARNING)) == warnings
