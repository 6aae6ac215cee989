"""The feed in Parquet: the values of the JSON lines, in columns with types, whatever the items."""

import json
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from scrapy import Field, Item

from scrapy_boilerplate import ArticleItem, SettingError
from tests.crawl.conftest import CrawlPages, items_of
from tests.crawl.pages import Answer, page

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

FORMAT = {"format": "parquet"}
OTHER = "other_fields"
Rows = list[dict[str, Any]]
Export = Callable[..., Any]


@pytest.fixture
def export(crawl: CrawlPages, tmp_path: Path) -> Export:
    """The table of a feed with these items."""

    def run(items: Iterable[Any], options: Any = (), **settings: Any) -> Any:
        feed = tmp_path / "items.parquet"
        crawled = crawl(
            lambda _: list(items), {"FEEDS": {str(feed): {**FORMAT, **dict(options)}}, **settings}
        )
        assert not [record for record in crawled.log if record.levelname == "ERROR"]
        return pq.read_table(feed)

    return run


def test_the_values_of_the_json_lines(crawl: CrawlPages, tmp_path: Path) -> None:
    """No column without a type, though the first pages have no tags, authors or dates."""
    feeds = {str(tmp_path / name): {"format": name} for name in ("parquet", "jsonlines")}
    pdf = Answer(b"%PDF-1.7", headers={"Content-Type": "application/pdf"})
    pages = {"/empty": page("<p>"), "/ferry": page(), "/pdf": pdf}
    fields = {"evidence": True, "entries": True, "date_published": "published"}
    crawl(items_of(dict), {"FEEDS": feeds, "BOILERPLATE_FIELDS": fields}, pages=pages)
    table = pq.read_table(tmp_path / "parquet")
    lines = (tmp_path / "jsonlines").read_text(encoding="utf-8").splitlines()
    rows = table.to_pylist()
    for row in rows:
        if row["evidence"] is not None:
            row["evidence"] = dict(row["evidence"])
        for block in row["blocks"] or ():
            assert block.pop("xpath") is None
    for row, line in zip(rows, lines, strict=True):
        assert {**dict.fromkeys(row), **json.loads(line)} == row
    types = {column.name: str(column.type) for column in table.schema}
    assert types["tags"] == types["authors"] == "list<element: string>"
    assert types["published"] == "string"
    assert types["evidence"].startswith("map<string, string")
    assert types["entries"].startswith("list<element: struct<time: string")


class Price(Item):
    url = Field()
    price = Field(serializer=float)
    sold = Field()


@dataclass
class Story:
    url: str
    text: str | None = None
    words: int | None = None
    tags: str = ""
    when: date | None = None
    links: list[str] = field(default_factory=list)
    shop: Any = None


VALUES: dict[str, tuple[list[Any], str, Any]] = {
    # values of the spider: type, values in the file
    "numbers": ([1, None, 2], "int64", [1, None, 2]),
    "mixed numbers": ([1, 2.5], "double", [1.0, 2.5]),
    "large": ([2**70, 1], "string", [str(2**70), "1"]),
    "Booleans": ([None, True], "bool", [None, True]),
    "texts": (["007", None], "string", ["007", None]),
    "nothing": ([None, None], "string", [None, None]),
    "lists": ([[], ["a"]], "list<element: string>", [[], ["a"]]),
    "empty lists": ([[], []], "list<element: string>", [[], []]),
    "lists of lists": ([[[1], []]], "list<element: list<element: int64>>", [[[1], []]]),
    "dicts": ([{"a": [1]}, None], "string", ['{"a": [1]}', None]),
    "different": ([1, "x", True], "string", ["1", '"x"', "true"]),
    "dates": ([date(2026, 5, 1), Decimal("1.50")], "string", ["2026-05-01", "1.50"]),
    "bytes": ([b"caf\xc3\xa9", "\ud800", object], "string", ["café", "?", "<class 'object'>"]),
    "items": ([Story("u"), {1, 2}], "string", None),
}


@pytest.mark.parametrize("name", VALUES)
def test_own_values(name: str, export: Export) -> None:
    values, kind, expected = VALUES[name]
    table = export([{"own": value} for value in values])
    assert str(table.schema.field("own").type) == kind
    found = table["own"].to_pylist()
    assert found == expected or (expected is None and [*map(json.loads, found)][1] == [1, 2])
    assert table[OTHER].null_count == len(values)


def test_item_classes(export: Export) -> None:
    """Every declared field is a column; a field with the name of ours may have its own type."""
    story = Story("https://a.example/", words=5, tags="a,b", when=date(2026, 5, 1))
    table = export([story, Price(url="https://b.example/", price="2.5"), ArticleItem(url="c")])
    first, second, third = table.to_pylist()
    assert (first["words"], first["tags"], first["when"]) == (5, "a,b", "2026-05-01")
    assert (first["links"], first["shop"], second["price"]) == ([], None, 2.5)
    assert "sold" in table.column_names
    assert third["url"] == "c"


def test_what_comes_after_the_columns_are_decided(export: Export, tmp_path: Path) -> None:
    """Values without a column that holds them are JSON in one more column."""
    early: Rows = [{"url": str(number), "n": number, "tags": []} for number in range(1_000)]
    late: Rows = [
        {"url": "late", "n": "many", "more": {"x": 1}, "tags": "t"},
        {"url": "last", "n": 7, OTHER: "mine"},
    ]
    table = export([*early, *late], BOILERPLATE_FIELDS=["tags"])
    assert table["url"].to_pylist() == [item["url"] for item in early + late]
    assert table["n"].to_pylist()[-2:] == [None, 7]
    assert pq.ParquetFile(tmp_path / "items.parquet").num_row_groups == 3
    others = [json.loads(text) for text in table[OTHER].to_pylist() if text]
    assert others == [{"n": "many", "more": {"x": 1}, "tags": "t"}, {OTHER: "mine"}]


def test_fields_of_the_feed(export: Export) -> None:
    """Columns are the wanted ones, in their order and under their names."""
    item = {"url": "u", "headline": "h", "tags": ["t"]}
    table = export([item], {"fields": {"tags": "topics", "url": "link", "gone": "gone"}})
    assert table.to_pylist() == [{"topics": ["t"], "link": "u", "gone": None, OTHER: None}]
    table = export([item], {"fields": ["url"], "overwrite": True})
    assert table.column_names == ["url", OTHER]


def test_a_crawl_without_items_has_columns(export: Export) -> None:
    table = export([])
    assert table.num_rows == 0
    assert {"url", "headline", "tags"} <= set(table.column_names)


@pytest.mark.parametrize("name", ["items.parquet", "%(name)s-%(batch_id)d.parquet"])
def test_a_file_with_rows_is_kept(name: str, crawl: CrawlPages, tmp_path: Path) -> None:
    settings = {"FEEDS": {str(tmp_path / name): FORMAT}}
    crawl(items_of(dict), settings)
    with pytest.raises(SettingError, match="cannot be appended to: write -O"):
        crawl(items_of(dict), settings)
    [file] = tmp_path.glob("*.parquet")
    assert pq.read_table(file).num_rows == 1
    crawl(items_of(dict), {"FEEDS": {str(file): {**FORMAT, "overwrite": True}}})
    assert pq.read_table(file).num_rows == 1


def test_without_pyarrow(
    crawl: CrawlPages, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [*sys.modules]:
        if name.partition(".")[0] == "pyarrow":
            monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(SettingError, match=r"needs pyarrow: pip install '.*\[batch\]'"):
        crawl(items_of(dict), {"FEEDS": {str(tmp_path / "a.parquet"): FORMAT}})
