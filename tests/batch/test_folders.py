"""Folders of pages: Scrapy's HTTP cache, whose pickles are never opened, and links.

Links are followed within the folder; out of it only if that is asked for.
"""

import json
from pathlib import Path

import pytest
from scrapy.http import HtmlResponse, Response

from scrapy_boilerplate.cli import main
from tests.batch.stored import (
    HTML,
    json_lines,
    page,
    pages_warc,
    read_pages,
    rows_in,
    store_in_cache,
)


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


@pytest.mark.parametrize("packed", [False, True])
def test_pages(packed: bool, tmp_path: Path) -> None:
    fill_cache(tmp_path, HTTPCACHE_GZIP=packed)
    (stored_page,) = read_pages(tmp_path)
    assert (stored_page.url, stored_page.html) == ("https://a.example/1", page(1))
    assert str(stored_page.id).startswith("news/")


def test_mirror_of_a_site_with_a_folder_named_meta(tmp_path: Path) -> None:
    for name in ("site/en/news/meta/index.html", "site/en/index.html"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(page(1), encoding="utf-8")
    (tmp_path / "site/en/about").mkdir()
    (tmp_path / "site/en/about/meta").write_text("{}", encoding="ascii")
    ids = [stored_page.id for stored_page in read_pages(tmp_path)]
    assert ids == ["site/en/index.html", "site/en/news/meta/index.html"]


@pytest.mark.parametrize(
    "meta",
    [
        b"__import__('os').abort()",
        b"{'url': ''}",
        b"[",
        b"\xff",
        b"-" * 9_999 + b"1",
    ],
)
def test_broken_entry_costs_itself_alone(cache: Path, meta: bytes) -> None:
    next(cache.glob("news/??/*/meta")).write_bytes(meta)
    errors = [stored_page.error for stored_page in read_pages(cache) if stored_page.error]
    assert errors == ["not an entry of FilesystemCacheStorage"]


LINKS = pytest.mark.posix("links need a right of their own on Windows")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a link inside of it, and links to files, an archive and lines outside."""
    outside, inside = tmp_path / "outside", tmp_path / "inside"
    (outside / "below").mkdir(parents=True)
    (inside / "below").mkdir(parents=True)
    (outside / "secret.html").write_text(page(7), encoding="utf-8")
    (outside / "below" / "other.html").write_text(page(8), encoding="utf-8")
    (inside / "own.html").write_text(page(1), encoding="utf-8")
    (inside / "below" / "again.html").symlink_to("../own.html")
    (inside / "leak.html").symlink_to(outside / "secret.html")
    (inside / "a.warc.gz").symlink_to(pages_warc(outside / "a.warc.gz", 1))
    (inside / "b.jsonl").symlink_to(json_lines(outside / "b.jsonl", [{"id": 3, "html": page(3)}]))
    (inside / "loop.html").symlink_to("loop.html")
    (inside / "folder").symlink_to(outside / "below")
    return inside


@LINKS
def test_a_link_to_the_input_itself_is_no_link_out(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(folder)
    assert [stored.error for stored in read_pages(tmp_path / "link")].count(None) == 2


@LINKS
@pytest.mark.parametrize("name", ["meta", "response_body", "", ".."])
def test_links_out_of_a_cache(name: str, tmp_path: Path) -> None:
    """A file of an entry, the entry and the folder above it."""
    cache = tmp_path / "cache"
    answer = HtmlResponse("https://a.example/", headers={"Content-Type": HTML}, body=b"<p>")
    store_in_cache(cache, answer)
    [entry] = cache.glob("news/??/*")
    linked = (entry / name).resolve()
    linked.rename(tmp_path / "moved")
    linked.symlink_to(tmp_path / "moved")
    [stored] = read_pages(cache)
    assert "a link that leads out of the folder" in str(stored.error)
    [stored] = read_pages(cache, follow_links=True)
    assert stored.error is None


@LINKS
def test_the_option(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["batch", str(folder), "--extractor", "container", "-o"]
    assert main([*command, str(tmp_path / "out")]) == 0
    assert "3 failed" in capsys.readouterr().err
    texts = json.dumps(rows_in(tmp_path / "out"))
    assert "Page 1" in texts
    assert "Page 7" not in texts
    assert main([*command, str(tmp_path / "out"), "--follow-links"]) == 1
    assert "different inputs, follow links: repeat the command" in capsys.readouterr().err
    assert main([*command, str(tmp_path / "all"), "--follow-links"]) == 0
    assert "Page 7" in json.dumps(rows_in(tmp_path / "all"))
