"""One crawl, three feeds: JSON lines, CSV and XML say the same, each in its way."""

import csv
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from logging import ERROR, WARNING
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import pytest

from tests.crawl.conftest import CrawlPages, items_of
from tests.crawl.crawling import ADDON, Reactor
from tests.crawl.kinds import NAMES
from tests.crawl.pages import COMMENT, HEADLINE, PARAGRAPHS, Answer, article, page, text_of
from tests.crawl.site import serving

COLUMNS = ["url", *NAMES]
JAPANESE = (
    "塩浜の小学生が月曜日の朝、高台までの避難訓練に参加し、十二分で全員が坂の上の公園に着いた。",
    "校長先生は「去年より二分も早かった」と話し、子どもたちは帰り道で海をながめながら歌を歌った。",
)
TROUBLE = (
    'A "quoted" text, with commas; semicolons & <angle brackets> in it, ' * 3,
    "Line one of the story is here for all of you to read today.\x0b\x1b\x00 And\x08 more of it. "
    * 2,
    "=1+1 is how a spreadsheet formula starts, and so is this paragraph of a long story. " * 2,
)
ESCAPED = [text.strip().replace("&", "&amp;").replace("<", "&lt;") for text in TROUBLE]
SAID = [f"{COMMENT} One,\ntwo.", f"\x1b{COMMENT}"]
HALF = '{"@type": "NewsArticle", "image": "http://a.example/\\ud800.jpg"}'
PAGES: dict[str, Answer] = {
    "/ferry": page(),
    "/ja": page(article("高台まで十二分、避難訓練", JAPANESE, ["とても感動しました。"], "ja")),
    "/trouble": page(article("Trouble, &quot;more&quot; &amp; more", ESCAPED, SAID, "")),
    "/half": page(f'<script type="application/ld+json">{HALF}</script>{article()}'),
    "/nothing": page("<html><body></body></html>"),
    "/pdf": Answer(b"%PDF-1.7", headers={"Content-Type": "application/pdf"}),
}
FORMATS = ("jsonl", "csv", "xml")

Item = dict[str, Any]


@pytest.fixture(scope="module")
def feeds(reactor: Reactor, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("feeds")
    files = {name: folder / f"items.{name}" for name in FORMATS}
    named = {str(file): {"format": name} for name, file in files.items()}
    settings = {**ADDON, "FEEDS": named, "FEED_EXPORT_ENCODING": "utf-8", "CONCURRENT_REQUESTS": 1}
    with serving() as site:
        site.pages = dict(PAGES)
        wanted = [site.request(path) for path in PAGES]
        crawled = reactor.crawl(wanted, items_of(dict), settings)
    assert crawled.messages(WARNING) == crawled.messages(ERROR) == []
    return files


def from_csv(file: Path) -> list[Item]:
    with file.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, strict=True))


def from_xml(file: Path) -> list[Item]:
    return [{field.tag: field for field in item} for item in Xml.parse(file).getroot()]  # noqa: S314


def named(items: list[Item], of: Callable[[Any], Any] = str) -> dict[str, Item]:
    return {"/" + of(item["url"]).rpartition("/")[2]: item for item in items}


@pytest.fixture(scope="module")
def items(feeds: dict[str, Path]) -> dict[str, Item]:
    """The items of the JSON lines, which the other feeds have to repeat."""
    lines = feeds["jsonl"].read_text(encoding="utf-8").splitlines()
    return named([json.loads(line) for line in lines])


def test_json_lines(items: dict[str, Item]) -> None:
    assert list(items) == list(PAGES)
    ferry = items["/ferry"]
    assert list(ferry) == COLUMNS
    assert (ferry["headline"], ferry["text"]) == (HEADLINE, text_of())
    assert ferry["comments"] == [COMMENT]
    assert isinstance(ferry["confidence"], float)
    full_text = [block["text"] for block in ferry["blocks"] if block["label"] == "full_text"]
    assert full_text == list(PARAGRAPHS)
    assert {frozenset(block) for block in ferry["blocks"]} == {
        frozenset(("text", "label", "score"))
    }
    assert (items["/ja"]["text"], items["/ja"]["language"]) == (text_of(JAPANESE), "ja")
    assert list(items["/nothing"]) == COLUMNS
    assert items["/nothing"]["blocks"] == items["/nothing"]["comments"] == []
    assert list(items["/pdf"]) == ["url"]


def test_characters(feeds: dict[str, Path], items: dict[str, Item]) -> None:
    """Text is readable, and control characters are gone."""
    for name in FORMATS:
        raw = feeds[name].read_bytes()
        assert JAPANESE[0].encode() in raw, name
        assert not [byte for byte in raw if byte < 32 and byte not in b"\t\n\r"], name
    assert "And more of it." in items["/trouble"]["text"]
    assert items["/trouble"]["comments"] == [f"{COMMENT} One, two.", COMMENT]


def test_csv(feeds: dict[str, Path], items: dict[str, Item]) -> None:
    rows = named(from_csv(feeds["csv"]))
    assert list(rows) == list(items)
    assert {tuple(row) for row in rows.values()} == {tuple(COLUMNS)}
    for path in items.keys() - {"/pdf"}:
        row, item = rows[path], items[path]
        for name in ("url", "headline", "text", "language", "extractor"):
            assert row[name] == (item[name] or ""), (path, name)
        assert float(row["confidence"]) == item["confidence"]
        for name in ("blocks", "authors", "tags", "comments"):
            assert json.loads(row[name]) == item[name], (path, name)
    assert [rows["/pdf"][name] for name in NAMES] == [""] * len(NAMES)
    assert rows["/ja"]["comments"] == '["とても感動しました。"]'


def test_csv_that_starts_with_no_page(crawl: CrawlPages, tmp_path: Path) -> None:
    """Scrapy takes the columns from the first item; the fields must be there for the others."""
    feed = tmp_path / "items.csv"
    pages = {"/pdf": PAGES["/pdf"], "/ferry": PAGES["/ferry"]}
    settings = {"FEEDS": {str(feed): {"format": "csv"}}, "BOILERPLATE_ARTICLES_ONLY": "mark"}
    crawl(items_of(dict), settings, pages=pages)
    pdf, ferry = from_csv(feed)
    assert list(ferry) == list(pdf) == ["url", *NAMES, "is_article"]
    assert ferry["text"] == text_of()
    assert (ferry["is_article"], pdf["is_article"]) == ("True", "")


def value_of(field: Xml.Element) -> Any:
    """An XML field as the value it was made from; numbers stay text."""
    if len(field) == 0:
        return field.text or ""
    if all(child.tag == "value" for child in field):
        return [value_of(child) for child in field]
    return {child.tag: value_of(child) for child in field}


def test_xml(feeds: dict[str, Path], items: dict[str, Item]) -> None:
    values = named(from_xml(feeds["xml"]), of=lambda field: str(field.text))
    assert list(values) == list(items)
    for path, item in items.items():
        assert list(values[path]) == list(item)
        for name, value in item.items():
            assert value_of(values[path][name]) == _as_text(value), (path, name)
    raw = feeds["xml"].read_text(encoding="utf-8")
    assert not [python for python in ("None", "{'", "['") if python in raw]


def test_xml_stays_well_formed(crawl: CrawlPages, tmp_path: Path) -> None:
    """One page with a character that XML forbids would make the whole feed unreadable."""
    bad = "&#x1; \x7f \ufffe &#xffff; &#xd800;"
    text = [f"{paragraph} And{bad} more." for paragraph in PARAGRAPHS]
    pages = {"/1": page(article(f"Fer{bad}ry", text, [COMMENT + bad])), "/2": page()}
    feed = tmp_path / "items.xml"
    crawl(items_of(dict), {"FEEDS": {str(feed): {"format": "xml"}}}, pages=pages)
    assert [item["text"].text for item in from_xml(feed)][1] == text_of()


def _as_text(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _as_text(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_as_text(inner) for inner in value] or ""
    return "" if value is None else str(value)


@dataclass
class Person:
    name: str
    mail: str | None = None


OWN = {
    # value of the spider: cell of CSV, element of XML
    "items": (
        [Person("Ada")],
        '[{"name": "Ada", "mail": null}]',
        "<value><name>Ada</name></value>",
    ),
    "item": (Person("Ada"), '{"name": "Ada", "mail": null}', "<name>Ada</name>"),
    "set": ({"Ada"}, '["Ada"]', "<value>Ada</value>"),
    "dates": ([date(2026, 5, 1)], '["2026-05-01"]', "<value>2026-05-01</value>"),
}


def test_what_a_spider_puts_into_a_field_of_ours(crawl: CrawlPages, tmp_path: Path) -> None:
    """Values that JSON has no form for cost no row."""
    feeds = {str(tmp_path / f"items.{name}"): {"format": name} for name in ("csv", "xml")}
    crawl(lambda _: [{"authors": own} for own, *_ in OWN.values()], {"FEEDS": feeds})
    rows = from_csv(tmp_path / "items.csv")
    assert [row["authors"] for row in rows] == [cell for _, cell, _ in OWN.values()]
    raw = (tmp_path / "items.xml").read_text(encoding="utf-8")
    found = re.findall("<authors>(.*?)</authors>", raw)
    assert [element.replace("<mail></mail>", "") for element in found] == [
        element for *_, element in OWN.values()
    ]


FORMULAS = ["=A1", "+A1", "-A1", "@A1", "\uff1dA1", "\n=A1", "\tA1", " =A1", "\ufeff=A1"]
FORMULAS.append("\u200b\xa0\0+A1")
OTHER_CELLS = [(-5, "-5"), (["x", "=A1"], "x,=A1"), (b"x", "x"), ("\ufeffx =A1", "\ufeffx =A1")]


@pytest.mark.parametrize("quote", ["", "'"])
def test_cells_that_a_spreadsheet_runs(quote: str, crawl: CrawlPages, tmp_path: Path) -> None:
    feed = tmp_path / "items.csv"
    settings = {
        "FEEDS": {str(feed): {"format": "csv"}},
        "BOILERPLATE_CSV_QUOTE_FORMULAS": bool(quote),
        "BOILERPLATE_FIELDS": ["headline"],
    }
    cells: list[tuple[Any, str]] = [(own, f"{quote}{own}") for own in FORMULAS]
    cells += [(["=A1", "x"], f"{quote}=A1,x"), (("+A1",), f"{quote}+A1"), (b"@A1", f"{quote}@A1")]
    cells += OTHER_CELLS
    crawl(
        lambda response: [{"url": response.url, "own": own} for own, _ in cells],
        settings,
        pages={"/x": page(article("=HYPERLINK(1)"))},
    )
    rows = from_csv(feed)
    assert [row["own"] for row in rows] == [cell for _, cell in cells]
    assert {row["headline"] for row in rows} == {f"{quote}=HYPERLINK(1)"}
