"""Corpora: records, typed pages, errors that name file and line, sites, splits."""

import socket
from pathlib import Path

import pytest

from scrapy_boilerplate.training.corpora import (
    CorpusError,
    LabelledPage,
    find_site,
    load_suffix_list,
    read_pages,
    read_records,
    site_position,
    split_by_site,
)
from tests.training.builders import HTML, write_corpus


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
    }
    (page,) = read_pages(write_corpus(tmp_path / name, record))
    assert (page.id, page.dataset, page.site) == ("1", "d", "example.co.uk")
    assert page.text == "gold \ud800"
    assert (page.text_with, page.text_without, page.comments) == (("a",), ("b",), ("c",))
    assert page.authors == ("Ann", "Bob", "Cy")
    assert (page.language, page.title) == ("el", None)


def test_what_a_record_does_not_say_is_empty(tmp_path: Path) -> None:
    (page,) = read_pages(write_corpus(tmp_path / "mine.jsonl", "", {"html": HTML}))
    assert (page.id, page.dataset, page.text) == ("2", "mine", None)
    assert page.site == "mine:2"


def test_a_directory_is_all_its_corpora_by_name_and_the_limit_is_of_each(tmp_path: Path) -> None:
    for name in ("b.jsonl", "a.jsonl.xz"):
        write_corpus(tmp_path / name, *({"html": HTML, "id": f"{name}{i}"} for i in range(3)))
    (tmp_path / "README.md").write_text("no corpus")
    ids = [page.id for page in read_pages(tmp_path, limit=2)]
    assert ids == ["a.jsonl.xz0", "a.jsonl.xz1", "b.jsonl0", "b.jsonl1"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "not JSON"),
        ("[]", "not a JSON object with a text 'html'"),
        ('{"html": 1}', "not a JSON object with a text 'html'"),
        ('{"html": "", "url": 7}', "'url' is not text"),
        ('{"html": "", "with": [7]}', "'with' is not a list of texts"),
        ('{"html": "", "leaves": 7}', "'leaves' is not a list"),
        ('{"html": "", "leaves": [7]}', "7 in 'leaves' has no path and label"),
    ],
)
def test_a_broken_line_is_named(tmp_path: Path, line: str, message: str) -> None:
    path = write_corpus(tmp_path / "c.jsonl", {"html": HTML}, line)
    pages = read_pages(path)
    assert next(pages).html == HTML
    with pytest.raises(CorpusError, match=message) as error:
        next(pages)
    assert f"{path}, line 2: " in str(error.value)


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"no corpus at .*missing\.jsonl"):
        list(read_records(tmp_path / "missing.jsonl"))
    with pytest.raises(CorpusError, match=r"no \.jsonl or \.jsonl\.xz file"):
        list(read_pages(tmp_path))
    path = write_corpus(tmp_path / "c.jsonl.xz", *({"html": HTML + str(i)} for i in range(99)))
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(CorpusError, match=r"c\.jsonl\.xz, line \d+: cannot be read"):
        list(read_records(path))


def test_the_site_is_the_registered_domain() -> None:
    for url, html, site in [
        ("http://www.bbc.co.uk/news", "", "bbc.co.uk"),
        ("http://192.0.2.7/a", "", "192.0.2.7"),
        ("http://[::1]:80/a", "", "[::1]"),
        ("http://www.courier.example:80/a", "", "courier.example"),
        ("http://co.uk/a", "", None),
        (None, '<link rel="canonical" href="https://m.orf.at/1">', "orf.at"),
        (None, "<meta property='og:url' content='http://a.example.com/'>", "example.com"),
        (None, '<link href="http://a.example.com/x" rel=canonical>', "example.com"),
        (None, '<link rel="canonical" href="http://fakehost/x">', None),
    ]:
        assert find_site(url, html) == site


def test_the_suffix_list_is_not_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("the network was touched")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    load_suffix_list.cache_clear()
    assert find_site("http://a.example.com.au") == "example.com.au"


def test_the_position_of_a_site_never_changes() -> None:
    positions = [round(site_position(site), 6) for site in ("bbc.co.uk", "BBC.co.uk", "lemonde.fr")]
    assert positions == [0.563035, 0.563035, 0.879288]
    assert site_position("bbc.co.uk", "again") != site_position("bbc.co.uk")


def test_no_site_is_on_both_sides_and_no_page_is_lost() -> None:
    pages = [
        LabelledPage(id=f"{site}-{page}", dataset="d", html="", url=f"http://site{site}.com/{page}")
        for site in range(200)
        for page in range(3)
    ]
    rest, held = split_by_site(pages, 0.25)
    assert not {page.site for page in rest} & {page.site for page in held}
    assert len(rest) + len(held) == len(pages)
    assert len(held) == pytest.approx(0.25 * len(pages), rel=0.3)
