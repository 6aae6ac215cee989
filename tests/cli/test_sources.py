"""Where pages to inspect come from: files, and what Scrapy's HTTP cache has really written."""

import argparse
import gzip
from pathlib import Path
from typing import Any

import pytest
from scrapy.http import HtmlResponse

from scrapy_boilerplate.cli import main
from scrapy_boilerplate.cli.annotate import list_pages
from tests.batch.stored import store_in_cache

URL = "http://example.com/a?b=1"
HTML = "<p>Grüße aus dem Hafen</p>"
CACHE = ".scrapy/httpcache"
LATIN_1 = "text/html; charset=iso-8859-1"


def store(folder: Path, body: bytes, content_type: str = "text/html", **settings: Any) -> None:
    headers = {"Content-Type": content_type}
    if body.startswith(b"\x1f\x8b"):
        headers["Content-Encoding"] = "gzip"
    store_in_cache(folder, HtmlResponse(URL, body=body, headers=headers), **settings)


def inspect_cached(folder: Path) -> str:
    report = folder / "report.html"
    assert main(["inspect", "--cache", str(folder), URL, "-o", str(report)]) == 0
    return report.read_text(encoding="utf-8")


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "HTTPCACHE_GZIP"])
def test_a_url_of_the_cache(tmp_path: Path, packed: bool) -> None:
    store(tmp_path, HTML.encode("latin-1"), LATIN_1, HTTPCACHE_GZIP=packed)
    [pickled] = tmp_path.rglob("pickled_meta")
    pickled.write_bytes(b"cos\nabort\n(tR.")  # would end the process
    assert "Gr\\u00fc\\u00dfe aus dem Hafen" in inspect_cached(tmp_path)
    store(tmp_path, gzip.compress(HTML.encode()), HTTPCACHE_GZIP=packed)
    assert "Gr\\u00fc\\u00dfe aus dem Hafen" in inspect_cached(tmp_path)


@pytest.mark.parametrize(
    ("named", "cache", "says"),
    [
        ("missing.html", None, "cannot be read"),
        ("http://example.com/other", "here", "is not in the HTTP cache"),
        ("http://example.com/other", "nowhere", "HTTPCACHE_ENABLED = True"),
        ("http://127.0.0.1:9/", None, "cannot be fetched"),
    ],
)
def test_what_cannot_be_had(
    tmp_path: Path, named: str, cache: str | None, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    store(tmp_path / "here", HTML.encode())
    options = [] if cache is None else ["--cache", str(tmp_path / cache)]
    assert main(["inspect", named, *options]) == 1
    assert says in capsys.readouterr().err


@pytest.mark.parametrize(
    ("folder", "arguments"),
    [(CACHE, ["--cache", URL]), ("cache", ["--cache", "cache", URL]), (CACHE, [URL, "--cache"])],
)
def test_inspect_looks_a_url_up_in_the_cache(
    folder: str, arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("nh3")
    monkeypatch.chdir(tmp_path)
    store(tmp_path / folder, HTML.encode())
    assert main(["inspect", *arguments, "-o", "a.html"]) == 0
    assert "aus dem Hafen" in Path("a.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "no SOURCE: give an HTML file or a URL"),
        (["--cache"], "no SOURCE: give an HTML file or a URL"),
        (["--cache", "here"], "here cannot be read ("),
        (["--cache", URL], "no HTTP cache at .scrapy/httpcache"),
        (["a.pdf"], "a.pdf is a PDF: give an HTML page"),
    ],
)
def test_inspect_says_what_is_missing(
    arguments: list[str],
    says: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("here").mkdir()
    Path("a.pdf").write_bytes(b"%PDF-1.7")
    assert main(["inspect", *arguments]) == 1
    output = capsys.readouterr()
    assert (output.out, output.err.count("\n")) == ("", 1)
    assert says in output.err


def test_the_annotator_reads_the_cache(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store(tmp_path, b"{}", "application/json")
    options = argparse.Namespace(pages=[tmp_path], limit=None)
    assert list(list_pages(options)) == []
    store(tmp_path, HTML.encode("latin-1"), LATIN_1)
    assert list(list_pages(options)) == [(URL, HTML, URL)]
    [meta] = tmp_path.rglob("meta")
    meta.write_text("?")
    assert list(list_pages(options)) == []
    assert "not an entry of FilesystemCacheStorage" in capsys.readouterr().err
