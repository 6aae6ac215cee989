"""One crawl, four feeds: JSON lines, JSON, CSV and XML have the same values."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import pytest

from tests.crawl.conftest import CrawlPages, items_of
from tests.crawl.crawling import ADDON
from tests.crawl.names import NAMES
from tests.crawl.pages import COMMENT, HEADLINE, PARAGRAPHS, Answer, article, page, text_of
from tests.crawl.project import crawl as crawl_project
from tests.crawl.project import write_project
from tests.crawl.site import serving

COLUMNS = ["page", "url", *NAMES]
JAPANESE = (
    "塩浜の小学生が月曜日の朝、高台までの避難訓練に参加し、十二分で全員が坂の上の公園に着いた。",
    "校長先生は「去年より二分も早かった」と話し、子どもたちは帰り道で海をながめながら歌を歌った。",
)
ARABIC = (
    "عادت العبارة إلى الجزيرة صباح يوم الاثنين بعد أحد عشر شهرا من الإصلاح في الحوض الجاف البعيد",
    "وقالت القبطان إنها وصلت قبل الموعد بست دقائق لأن المد كان ألطف مما توقعت هي وطاقمها جميعا",
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
    "/ar": page(article("عادت العبارة إلى الجزيرة", ARABIC, [], "ar")),
    "/trouble": page(article("Trouble, &quot;more&quot; &amp; more", ESCAPED, SAID, "")),
    "/half": page(f'<script type="application/ld+json">{HALF}</script>{article()}'),
    "/nothing": page("<html><body></body></html>"),
    "/pdf": Answer(b"%PDF-1.7", headers={"Content-Type": "application/pdf"}),
}
FORMATS = ("jsonl", "json", "csv", "xml")

Item = dict[str, Any]


@pytest.fixture(scope="module")
def feeds(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The four feeds of one crawl."""
    folder = tmp_path_factory.mktemp("feeds")
    files = {name: folder / f"items.{name}" for name in FORMATS}
    named = {str(file): {"format": name} for name, file in files.items()}
    project = write_project(folder / "project", **ADDON, FEEDS=named, CONCURRENT_REQUESTS=1)
    with serving() as site:
        site.pages = dict(PAGES)
        run = crawl_project(project, [site.url(path) for path in PAGES])
    assert (run.code, run.troubles) == (0, [])
    return files


def from_jsonl(file: Path) -> list[Item]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def from_json(file: Path) -> list[Item]:
    items: list[Item] = json.loads(file.read_text(encoding="utf-8"))
    return items


def from_csv(file: Path) -> list[Item]:
    with file.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, strict=True))


def from_xml(file: Path) -> list[Item]:
    return [{field.tag: field for field in item} for item in Xml.parse(file).getroot()]  # noqa: S314


def named(items: list[Item], of: Callable[[Any], Any] = str) -> dict[str, Item]:
    """Items by the path of their page."""
    return {"/" + of(item["page"]).rpartition("/")[2]: item for item in items}


@pytest.fixture(scope="module")
def items(feeds: dict[str, Path]) -> dict[str, Item]:
    """The items of the JSON lines, which the other feeds have to repeat."""
    return named(from_jsonl(feeds["jsonl"]))


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


@pytest.mark.parametrize(("path", "paragraphs"), [("/ja", JAPANESE), ("/ar", ARABIC)])
def test_other_scripts(path: str, paragraphs: tuple[str, ...], items: dict[str, Item]) -> None:
    assert items[path]["text"] == text_of(paragraphs)
    assert items[path]["language"] == path[1:]


def test_raw_text_is_readable(feeds: dict[str, Path]) -> None:
    for name in FORMATS:
        assert JAPANESE[0] in feeds[name].read_text(encoding="utf-8"), name


def test_pages_without_text_have_every_field(items: dict[str, Item]) -> None:
    assert list(items["/nothing"]) == COLUMNS
    assert items["/nothing"]["blocks"] == items["/nothing"]["comments"] == []


def test_what_is_no_page_has_none(items: dict[str, Item]) -> None:
    assert list(items["/pdf"]) == ["page", "url"]


def test_control_characters_are_gone(feeds: dict[str, Path], items: dict[str, Item]) -> None:
    for name in FORMATS:
        raw = feeds[name].read_bytes()
        assert not [byte for byte in raw if byte < 32 and byte not in b"\t\n\r"], name
    assert "And more of it." in items["/trouble"]["text"]
    assert items["/trouble"]["comments"] == [f"{COMMENT} One, two.", COMMENT]


def test_json(feeds: dict[str, Path], items: dict[str, Item]) -> None:
    assert named(from_json(feeds["json"])) == items


def test_csv_columns(feeds: dict[str, Path]) -> None:
    with feeds["csv"].open(encoding="utf-8", newline="") as lines:
        assert next(csv.reader(lines)) == COLUMNS


def test_csv(feeds: dict[str, Path], items: dict[str, Item]) -> None:
    rows = named(from_csv(feeds["csv"]))
    assert list(rows) == list(items)
    for path in items.keys() - {"/pdf"}:
        row, item = rows[path], items[path]
        for name in ("page", "url", "headline", "text", "language", "extractor"):
            assert row[name] == (item[name] or ""), (path, name)
        assert float(row["confidence"]) == item["confidence"]
        for name in ("blocks", "authors", "tags", "comments"):
            assert json.loads(row[name]) == item[name], (path, name)


def test_csv_cells_of_what_is_no_page_are_empty(feeds: dict[str, Path]) -> None:
    row = named(from_csv(feeds["csv"]))["/pdf"]
    assert [row[name] for name in NAMES] == [""] * len(NAMES)


def test_csv_cells_keep_the_script(feeds: dict[str, Path]) -> None:
    row = named(from_csv(feeds["csv"]))["/ja"]
    assert "\\u" not in row["blocks"]
    assert row["comments"] == '["とても感動しました。"]'


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


def test_xml_has_no_python_in_it(feeds: dict[str, Path]) -> None:
    raw = feeds["xml"].read_text(encoding="utf-8")
    assert "None" not in raw
    assert "{'" not in raw
    assert "['" not in raw


@pytest.mark.parametrize("character", ["&#x1;", "\x7f", "\ufffe", "&#xffff;", "&#xd800;"])
def test_xml_stays_well_formed(character: str, crawl: CrawlPages, tmp_path: Path) -> None:
    """One page with a character that XML forbids would make the whole feed unreadable."""
    text = [f"{paragraph} And{character} more." for paragraph in PARAGRAPHS]
    pages = {"/1": page(article(f"Fer{character}ry", text, [COMMENT + character])), "/2": page()}
    feed = tmp_path / "items.xml"
    crawl(items_of(dict), {"FEEDS": {str(feed): {"format": "xml"}}}, pages=pages)
    assert [item["text"].text for item in from_xml(feed)][1] == text_of()


def _as_text(value: Any) -> Any:
    """A value as XML holds it."""
    if isinstance(value, dict):
        return {name: _as_text(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_as_text(inner) for inner in value] or ""
    return "" if value is None else str(value)


@dataclass
class Person:
    name: str
    mail: str | None = None


@pytest.mark.parametrize(
    ("own", "cell", "element"),
    [
        ([Person("Ada")], '[{"name": "Ada", "mail": null}]', "<value><name>Ada</name></value>"),
        (Person("Ada"), '{"name": "Ada", "mail": null}', "<name>Ada</name>"),
        ({"Ada"}, '["Ada"]', "<value>Ada</value>"),
        ([date(2026, 5, 1)], '["2026-05-01"]', "<value>2026-05-01</value>"),
    ],
)
def test_what_a_spider_puts_into_a_field_of_ours(
    own: Any, cell: str, element: str, crawl: CrawlPages, tmp_path: Path
) -> None:
    """Values that JSON has no form for cost no row."""
    feeds = {str(tmp_path / f"items.{name}"): {"format": name} for name in ("csv", "xml")}
    crawl(lambda response: [{"url": response.url, "authors": own}], {"FEEDS": feeds})
    [row] = from_csv(tmp_path / "items.csv")
    assert row["authors"] == cell
    raw = (tmp_path / "items.xml").read_text(encoding="utf-8")
    assert f"<authors>{element}</authors>" in raw


FORMULAS = [
    *(
        "=A1",
        "+A1",
        "-A1",
        "@A1",
        "\uff1dA1",
        "\n=A1",
        "\tA1",
        " =A1",
        "\ufeff=A1",
        "\u200b\xa0\0+A1",
    ),
]
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
