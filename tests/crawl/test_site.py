"""Site knowledge in real crawls: streaming, settings, duplicates."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from scrapy import Field, Item

from scrapy_boilerplate import SettingError
from scrapy_boilerplate.items import ArticleItem
from scrapy_boilerplate.site.page_records import PageRecord
from scrapy_boilerplate.site.registry import SiteRegistry
from scrapy_boilerplate.site.stores import Collection, SqliteStore, StoreRecord
from tests.crawl.conftest import CrawlPages, items_of
from tests.crawl.crawling import ADDON, PagesSpider
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


def article(**values: Any) -> dict[str, Any]:
    return dict(values)


def test_streaming_uses_what_is_known_so_far(crawl: CrawlPages) -> None:
    crawled = crawl(items_of(article), SITE, pages=PAGES)
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
    crawl(items_of(article), settings, pages=PAGES)
    crawled = crawl(
        items_of(article), settings, pages={"/7": Answer(site_page(7).encode())}, ask=["/7"]
    )
    assert crawled.items[0]["site_pages"] == 6
    job = {**SITE, "JOBDIR": str(tmp_path / "job")}
    crawl(items_of(article), job, pages=PAGES)
    assert (tmp_path / "job" / "site-knowledge.sqlite").exists()


def test_without_redis_the_crawl_goes_on_with_one_warning(crawl: CrawlPages) -> None:
    pytest.importorskip("redis")
    settings = {**SITE, "BOILERPLATE_SITE_STORE": "redis://127.0.0.1:1/0"}
    crawled = crawl(
        items_of(article), {**settings, "BOILERPLATE_SITE_SYNC_SECONDS": 0.05}, pages=PAGES
    )
    assert [item["site_pages"] for item in crawled.items] == [0, 1, 2, 3, 4, 5]
    assert crawled.counts["site/store_errors"] >= 1
    assert crawled.counts["site/unsent"] == 6
    assert sum("Redis does not answer" in line for line in crawled.messages(30)) == 1


def test_records_that_cannot_be_read_are_counted(
    crawl: CrawlPages, site: Site, tmp_path: Path
) -> None:
    file = tmp_path / "sites.sqlite"
    store = SqliteStore(file)
    collection = Collection(PageRecord, SiteRegistry().find_site(site.url()))
    store.put(collection, [StoreRecord(b"k" * 16, 1, b"no page")])
    store.close()
    crawled = crawl(items_of(article), {**SITE, "BOILERPLATE_SITE_STORE": str(file)}, pages=PAGES)
    assert crawled.counts["site/bad_records"] == 1


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"BOILERPLATE_SITE_STORE": "memory"}, "BOILERPLATE_SITE_STORE has no effect"),
        (
            {"BOILERPLATE_SITE_ALARM": True},
            "BOILERPLATE_SITE_ALARM has no effect without BOILERPLATE_SITE: write it, or remove",
        ),
        ({"BOILERPLATE_SITE_ALARM": False}, None),
        ({"BOILERPLATE_WORKERS": 2}, "has no effect without BOILERPLATE_EXECUTOR"),
        ({"BOILERPLATE_INSPECT_PAGES": 9}, "has no effect without BOILERPLATE_INSPECT_DIR"),
        ({"BOILERPLATE_PAGES_SECONDS": 9}, "has no effect without BOILERPLATE_PAGES:"),
        ({"BOILERPLATE_SITE_STORE": "memory"} | SITE, None),
        ({"BOILERPLATE_SITE_STORE": "memory"} | DUPLICATES, None),
    ],
)
def test_settings_without_effect(
    crawl: CrawlPages, settings: dict[str, Any], sentence: str | None
) -> None:
    crawled = crawl(items_of(article), settings)
    warnings = [line for line in crawled.messages(30) if "no effect without" in line]
    assert len(warnings) == (sentence is not None)
    assert sentence is None or sentence in warnings[0]


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"BOILERPLATE_SITE": "goldmine"}, "write True, False, or a list of steps"),
        ({"BOILERPLATE_SITE": ["site-correction"]}, "does not suit the extractor 'container'"),
        ({"BOILERPLATE_SITE_PAGES": 0}, "write a whole number of 1 or more"),
        ({"BOILERPLATE_EXECUTOR": "process", "BOILERPLATE_SITE": True}, "remove BOILERPLATE_SITE"),
        ({"BOILERPLATE_SITE_STORE": ""}, "write 'memory', the path of a file"),
        (
            {"BOILERPLATE_SITE_STORE": "reddis://x", "BOILERPLATE_SITE": True},
            "SITE_STORE = .*redis://host",
        ),
        (
            {"BOILERPLATE_SITE_STORE": f"{__file__}/x", "BOILERPLATE_SITE": True},
            "SITE_STORE = .*give another",
        ),
        ({"BOILERPLATE_DUPLICATES": "keep"}, "write 'drop', 'drop-near' or 'mark'"),
        ({"BOILERPLATE_SITEZ": True}, "there is no setting BOILERPLATE_SITEZ"),
    ],
)
def test_a_wrong_setting_stops_the_crawl_at_start(
    crawl: CrawlPages, settings: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(SettingError, match=sentence):
        crawl(items_of(article), settings)


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


@pytest.mark.parametrize(("budget", "most"), [("BYTES", 900), ("ELEMENTS", 15)])
def test_pages_over_a_budget_are_learned_as_far_as_they_are_read(
    crawl: CrawlPages, budget: str, most: int
) -> None:
    settings = {**SITE, f"BOILERPLATE_MAX_{budget}": most}
    crawled = crawl(items_of(article), settings, pages=PAGES)
    assert crawled.counts[f"partial/{budget.lower()}"] == 6
    assert [item["site_pages"] for item in crawled.items] == [0, 1, 2, 3, 4, 5]


def test_pages_past_their_time_are_learned_and_labelled_alone(crawl: CrawlPages) -> None:
    settings = {**SITE, "BOILERPLATE_MAX_MILLISECONDS": 0.001}
    crawled = crawl(items_of(article), settings, pages=PAGES)
    assert (crawled.counts["partial/milliseconds"], crawled.counts["site/pages"]) == (6, 6)
    assert all(NOTICE in item["text"] and item["site_pages"] is None for item in crawled.items)


def test_an_extractor_of_another_kind_gets_the_steps_that_suit_it(crawl: CrawlPages) -> None:
    settings = {"BOILERPLATE_SITE": ["site-correction"], "BOILERPLATE_EXTRACTOR": "news"}
    crawled = crawl(items_of(article), settings, pages=PAGES, meta={"boilerplate": "num-words"})
    assert "errors/page" not in crawled.counts
    assert [NOTICE in item["text"] for item in crawled.items] == [True] + 5 * [False]


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
    ("written", "kept"),
    [
        ("drop", {"story": [None, "updated"], "other": ["template"]}),
        ("drop-near", {"story": [None, "updated"], "other": ["template"]}),
        ("mark", {"story": [None, "updated"], "other": ["template"], "copy": ["exact"]}),
    ],
)
def test_how_articles_are_duplicates(
    written: str, kept: dict[str, list[str | None]], crawl: CrawlPages
) -> None:
    pages = {path: Answer(html.encode()) for path, html in VERSIONS.items()}
    settings = {**DUPLICATES, "BOILERPLATE_DUPLICATES": written}
    items: dict[str, list[str | None]] = {}
    for item in crawl(items_of(dict), settings, pages=pages).items:
        name = item["url"].rpartition("/")[2].partition("?")[0]
        items.setdefault(name, []).append(item["duplicate"])
    assert items == kept


class Unaddressed(Item):
    text = Field()
    duplicate = Field()


@pytest.mark.parametrize(
    "build",
    [
        pytest.param(lambda response: {"url": [response.url]}, id="of an item loader"),
        pytest.param(lambda response: {"url": f"/{response.url.split('/', 3)[3]}"}, id="relative"),
        pytest.param(lambda _: {"url": "https://[no"}, id="no address"),
        pytest.param(lambda _: Unaddressed(), id="without a field"),
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
        lambda _: [Unaddressed(text=next(texts))],
        settings,
        pages=pages,
        meta={"dont_boilerplate": True},
    )
    assert [item["duplicate"] for item in crawled.items] == [None, "updated"]


class StartItemsSpider(PagesSpider):
    """Yields two articles that come from no page."""

    async def start(self) -> AsyncIterator[Any]:
        """Yield an article, and it with one line more."""
        yield {"text": "\n".join(STORY)}
        yield {"text": "\n".join(LONGER)}


def test_an_article_whose_place_is_unknown_is_not_dropped_as_near(crawl: CrawlPages) -> None:
    settings = {**DUPLICATES, "BOILERPLATE_DUPLICATES": "drop-near"}
    crawled = crawl(items_of(article), settings, spider=StartItemsSpider)
    assert [item["duplicate"] for item in crawled.items] == [None, "near"]
    assert crawled.counts["duplicates/near"] == 1


VALUES = {
    f"/{name}": page_around([STORY[0], *(f"{day}: {day * n % 29} C" for day in range(20))], 1)
    for name, n in (("oslo", 7), ("rome", 11))
}


def test_pages_of_a_template_are_not_dropped(crawl: CrawlPages) -> None:
    pages = {path: Answer(html.encode()) for path, html in VALUES.items()}
    settings = {**DUPLICATES, "BOILERPLATE_FIELDS": ["text", "fingerprint"]}
    first, second = crawl(items_of(article), settings, pages=pages).items
    assert first["fingerprint"] == second["fingerprint"]
    assert (first["duplicate"], second["duplicate"]) == (None, "template")


class Bare(Item):
    url = Field()


@pytest.mark.parametrize(
    ("kind", "fields", "warnings"),
    [(article, None, 0), (Bare, None, 1), (article, ["headline"], 1)],
)
def test_items_without_a_text_field_are_told(
    crawl: CrawlPages, kind: Any, fields: list[str] | None, warnings: int
) -> None:
    more = {} if fields is None else {"BOILERPLATE_FIELDS": fields}
    crawled = crawl(items_of(kind), {**DUPLICATES, **more}, pages=COPIES)
    assert sum("have no text in 'text'" in line for line in crawled.messages(30)) == warnings
