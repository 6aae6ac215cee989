"""Readers: typed pages from every layout, and errors that name file and line."""

from __future__ import annotations

from pathlib import Path

import pytest

from scrapy_boilerplate.training.corpora import CorpusError, read_pages, read_records
from tests.training.builders import HTML, write_corpus

PAGES = {
    # pages and labelled texts of each corpus file, as its README says
    "article-extraction": 150,
    "cleaneval-dev": 58,
    "cleaneval-final": 681,
    "cleanportaleval": 71,
    "dragnet": 1381,
    "fundus": 90,
    "l3s-gn1": 621,
    "readability": 116,
    "trafilatura": 429,
    "waddle": 652,
    "wcxb": 1190,
}


@pytest.mark.parametrize("name", ["c.jsonl", "c.jsonl.xz"])
def test_a_page_has_what_the_record_says(tmp_path: Path, name: str) -> None:
    record = {
        "id": "1",
        "dataset": "d",
        "url": "https://news.example.co.uk/a",
        "html": HTML,
        "text": "gold \ud800",  # a lone surrogate, as crawled pages have them
        "with": ["a"],
        "without": ["b", ""],
        "comments_text": "c",
        "author": "Ann, Bob; Cy",
        "lang": "Greek",
        "summary": ["one", "two"],
    }
    (page,) = read_pages(write_corpus(tmp_path / name, record))
    assert (page.id, page.dataset, page.site) == ("1", "d", "example.co.uk")
    assert page.text == "gold \ud800"
    assert (page.text_with, page.text_without, page.comments) == (("a",), ("b",), ("c",))
    assert page.authors == ("Ann", "Bob", "Cy")
    assert (page.language, page.summary, page.title) == ("el", "one two", None)


def test_what_a_record_does_not_say_is_empty(tmp_path: Path) -> None:
    (page,) = read_pages(write_corpus(tmp_path / "mine.jsonl", "", {"html": HTML}))
    assert (page.id, page.dataset, page.text) == ("2", "mine", None)
    assert page.site == "mine:2"


def test_a_directory_is_all_its_corpora_by_name_and_the_limit_is_of_each(tmp_path: Path) -> None:
    for name in ("b.jsonl", "a.jsonl.xz"):
        write_corpus(tmp_path / name, *({"html": HTML, "id": f"{name}{i}"} for i in range(3)))
    (tmp_path / "README.md").write_text("no corpus")
    found = [page.id for page in read_pages(tmp_path, limit=2)]
    assert found == ["a.jsonl.xz0", "a.jsonl.xz1", "b.jsonl0", "b.jsonl1"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 2: no JSON"),
        ("[]", "line 2: no JSON object with a text under 'html'"),
        ('{"html": 1}', "line 2: no JSON object with a text under 'html'"),
        ('{"html": "", "url": 7}', "line 2: 'url' is no text"),
        ('{"html": "", "with": [7]}', "line 2: 'with' is no list of texts"),
    ],
)
def test_a_broken_line_is_named(tmp_path: Path, line: str, message: str) -> None:
    path = write_corpus(tmp_path / "c.jsonl", {"html": HTML}, line)
    with pytest.raises(CorpusError, match=message) as error:
        list(read_pages(path))
    assert str(path) in str(error.value)


def test_a_truncated_archive_is_named(tmp_path: Path) -> None:
    path = write_corpus(tmp_path / "c.jsonl.xz", *({"html": HTML + str(i)} for i in range(99)))
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(CorpusError, match=r"c\.jsonl\.xz, line \d+: cannot be read"):
        list(read_records(path))


def test_nothing_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"no corpus at .*missing\.jsonl"):
        list(read_records(tmp_path / "missing.jsonl"))
    with pytest.raises(CorpusError, match=r"holds no \.jsonl or \.jsonl\.xz file"):
        list(read_pages(tmp_path))


@pytest.mark.parametrize("name", PAGES)
def test_every_corpus_can_be_read(corpora: Path, name: str) -> None:
    first = list(read_pages(corpora / f"{name}.jsonl.xz", limit=5))
    assert {page.dataset for page in first} == {name}
    assert all(page.html and page.site for page in first)
