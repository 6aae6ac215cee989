"""The example project: the items that its spiders scrape from the embedded site."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from scrapy_boilerplate import Label, extract
from scrapy_boilerplate.training.tokens import score_tokens, tokenize
from tests.crawl.project import REPO, module, scrapy

EXAMPLE = REPO / "example_project"
EXPECTED: dict[str, dict[str, Any]] = json.loads(
    (Path(__file__).parent / "expected.json").read_text(encoding="utf-8")
)
# Pages whose template marks its comments.
MARKED = [path for path in EXPECTED if not path.startswith("/record/")]


class Crawled:
    def __init__(self, folder: Path, spider: str, *arguments: str) -> None:
        self.feed = folder / "articles.jsonl"
        output = ["-O", f"{self.feed}:jsonlines"]
        fast = ["-s", "AUTOTHROTTLE_ENABLED=0", "-s", "LOG_LEVEL=INFO"]
        self.run = scrapy(EXAMPLE, "crawl", spider, *output, *fast, *arguments)
        assert (self.run.code, self.run.troubles) == (0, []), self.run.output
        items = [json.loads(line) for line in self.feed.read_text("utf-8").splitlines()]
        self.paths = [urlsplit(item["url"]).path for item in items]
        self.items: dict[str, dict[str, Any]] = dict(zip(self.paths, items, strict=True))


def print_module(name: str, *arguments: str) -> list[str]:
    """The lines that a program prints, run in the folder of the project."""
    run = module(EXAMPLE, name, *arguments)
    assert run.code == 0, run.output
    return run.output.splitlines()


@pytest.fixture(autouse=True)
def utf_8(monkeypatch: pytest.MonkeyPatch) -> None:
    """What programs print is UTF-8 on Windows too."""
    monkeypatch.setenv("PYTHONIOENCODING", "utf-8")


@pytest.fixture(scope="module")
def articles(tmp_path_factory: pytest.TempPathFactory) -> Crawled:
    return Crawled(tmp_path_factory.mktemp("articles"), "links")


# Token F1 of a page, and of the mean. Conventions differ on what belongs to an article (a
# standfirst, a fact box).
MIN_F1, MIN_MEAN_F1 = 0.78, 0.93


def compute_f1(text: str, wanted: str) -> float:
    return float(score_tokens(Counter(tokenize(text)), Counter(tokenize(wanted)))[2])


def paragraphs(text: str) -> list[str]:
    return [" ".join(paragraph.split()) for paragraph in re.split(r"\n+", text) if paragraph]


def test_each_article_once_and_nothing_else(articles: Crawled) -> None:
    assert sorted(articles.paths) == sorted(EXPECTED)
    headlines = {path: item["headline"] for path, item in articles.items.items()}
    assert headlines == {path: page["headline"] for path, page in EXPECTED.items()}
    languages = {path.split("/")[2]: item["language"] for path, item in articles.items.items()}
    assert (languages["ja"], languages["ru"]) == ("ja", "ru")


@pytest.mark.parametrize("start", ["/sitemap.xml", "/rss.xml"])
def test_feeds_lead_to_the_same_articles(start: str, articles: Crawled, tmp_path: Path) -> None:
    crawled = Crawled(tmp_path, "feed", "-a", f"start={start}")
    texts = {path: item["text"] for path, item in crawled.items.items()}
    assert texts == {path: item["text"] for path, item in articles.items.items()}


def test_texts_are_close_to_the_expected(articles: Crawled) -> None:
    scores = {
        path: compute_f1(articles.items[path]["text"], " ".join(page["paragraphs"]))
        for path, page in EXPECTED.items()
    }
    assert min(scores.values()) >= MIN_F1, scores
    assert sum(scores.values()) / len(scores) >= MIN_MEAN_F1


def test_rules_give_the_expected_paragraphs() -> None:
    for path, page in EXPECTED.items():
        document = extract((EXAMPLE / "site" / path[1:]).read_bytes(), extractor="container")
        assert paragraphs(document.text) == page["paragraphs"], path


def test_comments_have_their_own_field(articles: Crawled) -> None:
    for path in MARKED:
        item, expected = articles.items[path], EXPECTED[path]["comments"]
        text, comments = " ".join(item["text"].split()), "\n".join(item["comments"])
        assert [comment for comment in expected if comment in text] == [], path
        assert [comment for comment in expected if comment not in comments] == [], path


def test_blocks_hold_the_text_and_all_six_labels_occur(articles: Crawled) -> None:
    labels: set[str] = set()
    for path, item in articles.items.items():
        full_text = [block["text"] for block in item["blocks"] if block["label"] == "full_text"]
        assert full_text == paragraphs(item["text"]), path
        labels.update(block["label"] for block in item["blocks"])
    assert labels == {label.text for label in Label}


def test_the_summary_prints_a_row_for_each_article(articles: Crawled) -> None:
    printed = "\n".join(print_module("newsroom.summary", str(articles.feed)))
    table, text, summary = (part.splitlines() for part in printed.split("\n\n"))
    assert table[0].split() == ["headline", "words", "blocks", "language", "confidence"]
    first, rows = next(iter(articles.items.values())), table[2:-2]
    for row, item in zip(rows, articles.items.values(), strict=True):
        assert row.startswith(item["headline"][:18])
        assert re.search(r" (0\.\d\d|1\.00)$", row)
    assert table[-1].startswith(f"{len(EXPECTED)} articles")
    assert text[0] == first["headline"]
    assert first["text"].startswith(text[1].strip(" …"))
    assert all(f" {label.text}" in summary[0] for label in Label)


def test_pages_entries_and_walls(tmp_path: Path) -> None:
    """An article over three pages, a live blog and a wall."""
    crawled = Crawled(tmp_path, "dispatch")
    items = {path.rpartition("/")[2]: item for path, item in crawled.items.items()}
    assert sorted(items) == ["lighthouse.html", "sand.html", "storm-live.html"]
    lighthouse, sand, storm = (items[name] for name in sorted(items))
    names = [urlsplit(url).path.rpartition("/")[2] for url in lighthouse["pages"]]
    assert names == ["lighthouse.html", "lighthouse-2.html", "lighthouse-3.html"]
    starts = ("The first to notice", "A pair of jackdaws", "Mr Sallow has been back once")
    assert [lighthouse["text"].count(start) for start in starts] == [1, 1, 1]
    assert lighthouse["text"].count("For nineteen nights") == 1
    assert [item["stub"] for item in (lighthouse, sand, storm)] == [None, "paywall", None]
    assert [len(item["entries"]) for item in (lighthouse, sand, storm)] == [0, 0, 6]
    assert storm["entries"][-1]["time"] == "2024-11-19T09:00:00+00:00"
    printed = print_module("newsroom.kinds", str(crawled.feed))
    assert printed[0].split() == ["headline", "words", "pages", "entries", "stub"]
    assert sorted(line.split()[-3:] for line in printed[1:]) == [
        ["1", "-", "paywall"],
        ["1", "6", "-"],
        ["3", "-", "-"],
    ]


REDESIGN, PAGES = 61, 70


def test_the_alarm_of_a_redesign(tmp_path: Path) -> None:
    """A paper gets a new design."""
    store = tmp_path / "log.sqlite"
    crawled = Crawled(tmp_path, "log", "-s", f"BOILERPLATE_SITE_STORE={store}")
    [warning] = [line for line in crawled.run.output.splitlines() if "WARNING: " in line]
    assert "has changed after 64 pages: " in warning
    assert "no authors, no date_published" in warning
    assert "text at other places" in warning
    examples = [number for number in range(PAGES) if f"/log/{number}.html" in warning]
    assert examples == [62, 63, 64]
    items = list(crawled.items.values())
    assert all(item["text"].count("\n\n") >= 3 for item in items), "in both designs"
    assert [bool(item["authors"]) for item in items] == [n < REDESIGN for n in range(1, PAGES + 1)]
    printed = print_module("scrapy_boilerplate.cli", "site", "status", str(store))
    head, row = (line.split() for line in printed if line)
    assert head[:2] == ["site", "pages"]
    assert row[1:3] == [str(PAGES - 64), "0%"]
    assert row[5] == "1", "changes"
