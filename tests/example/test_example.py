"""The example project: the items that its spiders scrape from the embedded site."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from scrapy_boilerplate import Label, extract
from scrapy_boilerplate.training.tokens import score_tokens, tokenize
from tests.crawl.project import REPO, environment, scrapy

EXAMPLE = REPO / "example_project"
EXPECTED: dict[str, dict[str, Any]] = json.loads(
    (Path(__file__).parent / "expected.json").read_text(encoding="utf-8")
)
MARKED = [path for path in EXPECTED if not path.startswith("/record/")]
"""Pages whose template marks its comments."""

Items = dict[str, dict[str, Any]]


class Crawled:
    """The feeds of one spider."""

    def __init__(self, folder: Path, spider: str, *arguments: str) -> None:
        self.feed = folder / "articles.jsonl"
        self.table = folder / "articles.csv"
        outputs = ["-O", f"{self.feed}:jsonlines", "-O", f"{self.table}:csv"]
        fast = ["-s", "AUTOTHROTTLE_ENABLED=0", "-s", "LOG_LEVEL=INFO"]
        self.run = scrapy(EXAMPLE, "crawl", spider, *outputs, *fast, *arguments)
        with self.feed.open(encoding="utf-8") as lines:
            items = [json.loads(line) for line in lines]
        self.paths = [urlsplit(item["url"]).path for item in items]
        self.items: Items = dict(zip(self.paths, items, strict=True))


@pytest.fixture(scope="module")
def articles(tmp_path_factory: pytest.TempPathFactory) -> Crawled:
    """The feeds of the spider that follows links."""
    return Crawled(tmp_path_factory.mktemp("articles"), "links")


MIN_F1, MIN_MEAN_F1 = 0.78, 0.93
"""Minimum token F1 of a page, and of the mean. Conventions differ on what belongs to an article (a
standfirst, a fact box)."""


def compute_f1(text: str, wanted: str) -> float:
    return float(score_tokens(Counter(tokenize(text)), Counter(tokenize(wanted)))[2])


def paragraphs(text: str) -> list[str]:
    return [" ".join(paragraph.split()) for paragraph in re.split(r"\n+", text) if paragraph]


def test_each_article_once_and_nothing_else(articles: Crawled) -> None:
    assert sorted(articles.paths) == sorted(EXPECTED)
    assert (articles.run.code, articles.run.troubles) == (0, [])
    headlines = {path: item["headline"] for path, item in articles.items.items()}
    assert headlines == {path: page["headline"] for path, page in EXPECTED.items()}


@pytest.mark.parametrize("start", ["/sitemap.xml", "/rss.xml"])
def test_feeds_lead_to_the_same_articles(start: str, articles: Crawled, tmp_path: Path) -> None:
    crawled = Crawled(tmp_path, "feed", "-a", f"start={start}")
    assert (crawled.run.code, crawled.run.troubles) == (0, [])
    texts = {path: item["text"] for path, item in crawled.items.items()}
    assert texts == {path: item["text"] for path, item in articles.items.items()}


def test_texts_are_close_to_the_expected(articles: Crawled) -> None:
    scores = {
        path: compute_f1(articles.items[path]["text"], " ".join(page["paragraphs"]))
        for path, page in EXPECTED.items()
    }
    assert min(scores.values()) >= MIN_F1, scores
    assert sum(scores.values()) / len(scores) >= MIN_MEAN_F1


@pytest.mark.parametrize("path", EXPECTED)
def test_rules_give_the_expected_paragraphs(path: str) -> None:
    document = extract((EXAMPLE / "site" / path[1:]).read_bytes(), extractor="container")
    assert paragraphs(document.text) == EXPECTED[path]["paragraphs"]


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


@pytest.mark.parametrize(("path", "language"), [("/courier/ja/", "ja"), ("/gazette/ru/", "ru")])
def test_pages_in_other_languages_say_theirs(path: str, language: str, articles: Crawled) -> None:
    [item] = [item for where, item in articles.items.items() if where.startswith(path)]
    assert item["language"] == language


def test_the_csv_feed_equals_the_json_feed(articles: Crawled) -> None:
    with articles.table.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert [urlsplit(row["url"]).path for row in rows] == articles.paths
    for row, item in zip(rows, articles.items.values(), strict=True):
        assert (row["headline"], row["text"]) == (item["headline"], item["text"])


def test_the_summary_prints_a_row_for_each_article(articles: Crawled) -> None:
    printed = subprocess.run(
        [sys.executable, "-m", "newsroom.summary", str(articles.feed)],
        cwd=EXAMPLE,
        env={**environment(), "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        encoding="utf-8",
        check=True,
    ).stdout
    table, text, summary = (part.splitlines() for part in printed.split("\n\n"))
    header, rule, *rows, end, total = table
    assert set(rule) == set(end) == {"-"}
    assert len(rule) <= 100
    assert header.split() == ["headline", "words", "blocks", "language", "confidence"]
    assert len(rows) == len(EXPECTED)
    first = next(iter(articles.items.values()))
    for row, item in zip(rows, articles.items.values(), strict=True):
        assert row.startswith(item["headline"][:18])
        assert re.search(r" (0\.\d\d|1\.00)$", row)
    assert total.startswith(f"{len(EXPECTED)} articles")
    assert text[0] == first["headline"]
    assert first["text"].startswith(text[1].strip(" …"))
    assert all(f" {label.text}" in summary[0] for label in Label)
    assert summary[1].endswith(str(articles.feed))
