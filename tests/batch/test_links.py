"""Links in input folders are followed within the folder, and out of it only on request."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scrapy_boilerplate.batch.http_cache import BODY, HEADERS, META
from scrapy_boilerplate.batch.inputs import find_inputs
from scrapy_boilerplate.batch.pages import LINK_ERROR, ReadOptions, StoredPage
from scrapy_boilerplate.cli import main
from tests.batch.stored import json_lines, page, pages_warc, rows_in

pytestmark = pytest.mark.posix("links need a right of their own on Windows")

ENTRY = repr({"url": "u", "response_url": "u", "status": 200, "timestamp": 1.0}).encode()


def write_entry(folder: Path) -> Path:
    entry = folder / "news" / "ab" / "abcd"
    entry.mkdir(parents=True)
    for name, content in ((META, ENTRY), (HEADERS, b""), (BODY, page(1).encode())):
        (entry / name).write_bytes(content)
    return entry


def read(folder: Path, *, follow_links: bool) -> list[StoredPage]:
    inputs = find_inputs([folder], follow_links=follow_links)
    options = ReadOptions(follow_links=follow_links)
    return [stored for source in inputs for stored in source.read_pages(options)]


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
    (inside / "gone.html").symlink_to("nowhere")
    (inside / "loop.html").symlink_to("loop.html")
    (inside / "folder").symlink_to(outside / "below")
    return inside


def test_a_link_to_the_input_itself_is_no_link_out(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(folder)
    assert [stored.error for stored in read(tmp_path / "link", follow_links=False)].count(None) == 2


@pytest.mark.parametrize("name", ["meta", "response_body", "response_headers", "", ".."])
def test_links_out_of_a_cache(name: str, tmp_path: Path) -> None:
    """A file of an entry, the entry and the folder above it."""
    entry = write_entry(tmp_path / "cache")
    linked = (entry / name).resolve()
    linked.rename(tmp_path / "moved")
    linked.symlink_to(tmp_path / "moved")
    for follow_links, error in ((False, LINK_ERROR), (True, None)):
        (stored,) = read(tmp_path / "cache", follow_links=follow_links)
        assert stored.error == error


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
