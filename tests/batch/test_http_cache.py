"""Scrapy's HTTP cache as a real crawl leaves it; its pickles are never opened."""

from __future__ import annotations

from pathlib import Path

import pytest
from scrapy.http import HtmlResponse, Response

from scrapy_boilerplate.batch.inputs import find_inputs
from scrapy_boilerplate.batch.pages import StoredPage
from tests.batch.stored import HTML, page, store_in_cache


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """A cache with a page, a page that is not there, a picture."""
    fill_cache(tmp_path)
    return tmp_path


def fill_cache(folder: Path, **settings: bool) -> None:
    headers = {"Content-Type": HTML}
    store_in_cache(
        folder,
        HtmlResponse("https://a.example/1", headers=headers, body=page(1).encode()),
        HtmlResponse("https://a.example/2", headers=headers, body=b"gone", status=404),
        Response("https://a.example/3", headers={"Content-Type": "image/png"}, body=b"png"),
        **settings,
    )
    for pickled in (*folder.rglob("pickled_meta"), *folder.rglob("response_data")):
        pickled.write_bytes(b"whoever opens this fails")


def pages_of(folder: Path) -> list[StoredPage]:
    (cache,) = find_inputs([folder])
    return list(cache.read_pages())


@pytest.mark.parametrize("packed", [False, True])
def test_pages(packed: bool, tmp_path: Path) -> None:
    fill_cache(tmp_path, HTTPCACHE_GZIP=packed)
    (stored_page,) = pages_of(tmp_path)
    assert (stored_page.url, stored_page.html) == ("https://a.example/1", page(1))
    assert str(stored_page.id).startswith("news/")


def test_mirror_of_a_site_with_a_folder_named_meta(tmp_path: Path) -> None:
    for name in ("site/en/news/meta/index.html", "site/en/index.html"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(page(1), encoding="utf-8")
    (tmp_path / "site/en/about").mkdir()
    (tmp_path / "site/en/about/meta").write_text("{}", encoding="ascii")
    assert [stored_page.id for stored_page in pages_of(tmp_path)] == sorted(
        ("site/en/index.html", "site/en/news/meta/index.html")
    )


def test_answer_that_declares_no_encoding_of_text(cache: Path) -> None:
    for headers in cache.glob("news/??/*/response_headers"):
        headers.write_bytes(b"Content-Type: text/html; charset=hex\r\n")
    assert page(1).encode() in [stored_page.html for stored_page in pages_of(cache)]


@pytest.mark.parametrize("meta", [b"__import__('os').abort()", b"{'url': ''}", b"[", b"\xff"])
def test_broken_entry_costs_itself_alone(cache: Path, meta: bytes) -> None:
    next(cache.glob("news/??/*/meta")).write_bytes(meta)
    errors = [stored_page.error for stored_page in pages_of(cache) if stored_page.error]
    assert errors == ["not an entry of FilesystemCacheStorage"]
