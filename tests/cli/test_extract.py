"""The command line, in this process and in one of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from scrapy_boilerplate import EXTRACTORS
from scrapy_boilerplate.cli import main
from scrapy_boilerplate.cli.options import dump_json_line
from tests.batch.stored import NO_HTML, json_lines
from tests.builders import document, filler
from tests.conftest import REPO

COMMAND = (sys.executable, "-m", "scrapy_boilerplate.cli")
HTML = document(
    f"<h1>Rain in May</h1><p>{filler(120)}</p><footer>naïve</footer>", title="Rain in May"
)


@dataclass(frozen=True)
class Ran:
    status: int
    out: str
    err: str

    @property
    def record(self) -> Any:
        return json.loads(self.out)

    @property
    def records(self) -> list[Any]:
        return [json.loads(line) for line in self.out.splitlines()]


Run = Callable[..., Ran]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def run_extract(*arguments: object) -> Ran:
        status = main(["extract", *map(str, arguments)])
        return Ran(status, *capsys.readouterr())

    return run_extract


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "page.html"
    path.write_text(HTML, encoding="utf-8")
    return path


def test_a_page_without_text_is_reported(page: Path, run: Run) -> None:
    page.write_text("<body><script>load()</script></body>", encoding="utf-8")
    ran = run(page)
    assert (ran.status, ran.out) == (0, "\n")
    assert ran.err.startswith(f"scrapy-boilerplate: no text found in {page}")


def test_budgets(page: Path, run: Run) -> None:
    record = run("--format", "json", "--max-bytes", "50", page).record
    assert (record["partial"], record.get("error")) == ("bytes", None)
    with pytest.raises(SystemExit):
        run("--max-elements", "0", page)


def test_markup(page: Path, run: Run) -> None:
    pytest.importorskip("html_to_markdown")
    assert run("--format", "html", page).out == f"<p>{filler(120)}</p>\n"
    assert run("--format", "markdown", page, page).out == f"==> {page} <==\n{filler(120)}\n" * 2


def pipe(content: bytes, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    command = [*COMMAND, "extract", *arguments]
    return subprocess.run(command, input=content, capture_output=True, check=False)


def test_the_url_of_a_file_makes_its_links_absolute(page: Path, run: Run) -> None:
    pytest.importorskip("html_to_markdown")
    html = document(f"<p>{filler(60)} <a href=tide>tide</a></p>").encode()
    page.write_bytes(html)
    url = "https://news.example/sea/rain"
    arguments = ["--url", url, "--format", "json", "--add", "html"]
    for record in (run(*arguments, page).record, json.loads(pipe(html, *arguments).stdout)):
        assert record["url"] == url
        assert 'href="https://news.example/sea/tide"' in record["html"]


def test_fields_are_these_alone_in_this_order(page: Path, tmp_path: Path, run: Run) -> None:
    pytest.importorskip("html_to_markdown")
    record = run("--format", "json", "--fields", "text, headline,html,id", page).record
    assert list(record) == ["text", "headline", "html", "id"]
    assert (record["text"], record["html"]) == (filler(120), f"<p>{filler(120)}</p>")
    lines = json_lines(tmp_path / "pages.jsonl", [{"id": 3, "html": HTML}, "{"])
    first, bad = run("--format", "jsonl", "--fields", "headline", lines).records
    assert first == {"headline": "Rain in May"}
    assert set(bad) == {"id", "error"}


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_front_matter_is_yaml_with_what_the_record_has(page: Path, form: str, run: Run) -> None:
    yaml = pytest.importorskip("yaml")
    pytest.importorskip("html_to_markdown")
    article = {
        "@type": "NewsArticle",
        "headline": "Rain: #1 'in' \"May\"",
        "datePublished": "2024-05-01T08:30:00+02:00",
        "author": [{"@type": "Person", "name": name} for name in ("Ada O'Brien", "Bo Li")],
    }
    declared = f"<script type=application/ld+json>{json.dumps(article)}</script>"
    page.write_text(f"{declared}<p>{filler(120)}</p>", encoding="utf-8")
    options = ("--url", "https://news.example/a?b=1&c=2#d", page)
    record = run("--format", "json", *options).record
    start, matter, body = run("--format", form, "--with-metadata", *options).out.split("---\n", 2)
    assert start == ""
    assert yaml.safe_load(matter) == {
        "title": record["headline"],
        "date": "2024-05-01T08:30:00+02:00",
        "authors": ["Ada O'Brien", "Bo Li"],
        "url": "https://news.example/a?b=1&c=2#d",
    }
    assert body.startswith("\n# " if form == "markdown" else f"\n{filler(120)}")
    assert body.endswith(f"\n\n{filler(120)}\n" if form == "markdown" else f"\n{filler(120)}\n")


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"\n%PDF-1.7", "a PDF"),
        (b"\xef\xbb\xbf%PDF-1.7", None),
        (b"RIFF\0\n\0\0WEBPVP8 ", "an image"),
        (b"WARC/1.0\r\n", "a WARC file, which the command batch reads"),
        (b"\0" * 100, "a binary file"),
        (b" \n" * 5_000, "empty"),
        (b" \n" * 5_000 + b"<p>x", None),
        ("\u65e5\u672c".encode("iso-2022-jp"), None),
        ("<p>wide".encode("utf-16-be"), None),
        (b"<p>one\0two", None),
    ],
)
def test_files_of_other_kinds_are_refused(
    content: bytes, kind: str | None, page: Path, run: Run
) -> None:
    page.write_bytes(content)
    ran = run("--extractor", "keep-everything", page)
    error = "" if kind is None else f"scrapy-boilerplate: {page} is {kind}: give an HTML page\n"
    assert (ran.status, ran.err) == (int(kind is not None), error)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"https://news.example/a\r\n\r\nhttp://news.example/b?c=1\r\n", "is a list of URLs"),
        (b"\xef\xbb\xbf# to read\n" + b"  'https://news.example/a',\n" * 99, "is a list of URLs"),
        ("https://news.example/日本\n".encode("utf-16"), "is a list of URLs"),
        (b"./pages/a b.html\n../b\nC:\\pages\\c.htm\n/var/d\n- e.html\n", "is a list of URLs"),
        (b"https://news.example/a is down\n/now\n", None),
        (b"<p>https://news.example/a", None),
        (b"Harbour.html is gone\n", None),
    ],
)
def test_lists_are_refused(content: bytes, says: str | None, page: Path, run: Run) -> None:
    page.write_bytes(content)
    ran = run("--extractor", "keep-everything", page)
    assert (ran.status, (says or "") in ran.err) == (int(says is not None), True), ran.err
    assert bool(ran.out) == (says is None)


def test_markup_without_its_package(page: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "html_to_markdown", None)
    ran = run("--format", "jsonl", "--add", "markdown", page)
    assert (ran.status, ran.out) == (1, "")
    assert "needs html_to_markdown: pip install 'scrapy-boilerplate-removal[" in ran.err


def test_letters_that_the_output_lacks_are_escapes(page: Path) -> None:
    """As on Windows, where the output is no terminal."""
    page.write_text(document(f"<p>Žluťoučký ï {filler(40)}</p>"), encoding="utf-8")
    done = subprocess.run(
        [*COMMAND, "extract", str(page)],
        env={**os.environ, "PYTHONIOENCODING": "cp1252", "PYTHONPATH": str(REPO)},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode("cp1252").startswith("Žlu\\u0165ou\\u010dký ï")


@pytest.mark.parametrize(
    ("value", "encoding", "line"),
    [
        ("naïve 北京", "UTF8", '"naïve 北京"'),
        ("naïve", "latin-1", '"na\\u00efve"'),
        ("naïve", None, '"na\\u00efve"'),
        ("ï\ud800", "utf-8", '"\\u00ef\\ud800"'),
        ("a\u2028ï\x85\n", "utf-8", '"a\\u2028ï\\u0085\\n"'),
    ],
)
def test_a_line_of_json_is_readable_where_it_can_be(
    value: str, encoding: str | None, line: str
) -> None:
    assert dump_json_line(value, encoding) == line
    assert json.loads(line) == value


BAD_LINES: list[tuple[str, object, str]] = [
    ("[" * 200_000, None, "not JSON: maximum recursion"),
    ("[1]", None, "not a JSON object"),
    ('{"id": NaN, "html": ""}', None, "not JSON"),
    ('{"id": 1e999, "html": ""}', None, "not JSON: Out of range"),
    ("<p>one", None, "for HTML use --format json"),
    ('{"id": 7, "html": null}', 7, NO_HTML),
    ('{"id": 7, "html": 1}', 7, '"html" is not text'),
    ('{"id": 7, "html": "", "url": 5}', 7, '"url" is not text'),
]


def test_jsonl_with_bad_lines(tmp_path: Path, run: Run) -> None:
    good = ({"id": 8, "url": "https://news.example/", "html": HTML}, "", {"html": "<p>naïve"})
    lines = json_lines(tmp_path / "pages.jsonl", [*(line for line, _, _ in BAD_LINES), *good])
    ran = run("--format", "jsonl", "--extractor", "keep-everything", lines)
    assert ran.status == 0
    *bad, first, second = ran.records
    for record, (_, identifier, error) in zip(bad, BAD_LINES, strict=True):
        assert (record["id"], set(record)) == (identifier, {"id", "error"})
        assert error in record["error"]
    assert (first["id"], first["url"]) == (8, "https://news.example/")
    assert (second["id"], second["url"], second["text"]) == (None, None, "naïve")
    assert "naïve" in ran.out


@pytest.mark.parametrize(
    ("arguments", "advice"),
    [
        (["."], "run: scrapy-boilerplate batch . -o OUT"),
        (["--format", "jsonl", "a1.html"], "for HTML use --format json"),
        (["--format", "json", "a1.jsonl"], "has JSON lines: add --format jsonl, or run"),
        (["--add", "html", "a1.html"], "--add html needs --format json or jsonl"),
        (["--fields", "text", "a1.html"], "--fields needs --format json or jsonl"),
        (["--no-blocks", "a1.html"], "--no-blocks needs --format json or jsonl"),
        (["--format", "json", "--fields", "text,txet", "a1.html"], "did you mean 'text'? The"),
        (["--format", "html", "--with-metadata", "a1.html"], "needs --format text or markdown"),
        (["--url", "https://a.example/", "a1.html", "a2.html"], "--url is the URL of one page"),
        (["--url", "page", "a1.html"], "--url page does not start with http://"),
        (["--format", "jsonl", "--url", "https://a.example/"], 'own "url"'),
        (["--favor", "x", "a1.html"], "'balanced', 'precision' or 'recall'"),
    ],
)
def test_mistakes_are_answered_with_what_to_write(
    arguments: list[str], advice: str, run: Run
) -> None:
    ran = run(*arguments)
    assert (ran.status, ran.out, ran.err.count("\n")) == (1, "", 1)
    assert advice in ran.err


def test_output_that_nobody_reads_ends_quietly(tmp_path: Path) -> None:
    path = json_lines(tmp_path / "pages.jsonl", [{"html": f"<p>{filler(20_000)}"}] * 3)
    command = (*COMMAND, "extract", "--format", "jsonl", "--extractor", "keep-everything", path)
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=REPO
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(1)
        process.stdout.close()
        assert (process.stderr.read(), process.wait()) == ("", 141)


@pytest.mark.parametrize(("form", "start"), [("text", "==> "), ("json", "[\n"), ("jsonl", "{")])
def test_missing_file_does_not_stop_the_others(
    tmp_path: Path, page: Path, form: str, start: str, run: Run
) -> None:
    lines = json_lines(tmp_path / "pages.jsonl", [{"html": "<p>one"}])
    ran = run("--format", form, tmp_path / "missing.html", lines if form == "jsonl" else page)
    assert ran.status == 1
    assert "missing.html" in ran.err
    assert ran.out.startswith(start)


def test_extractors_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["extractors"]) == 0
    lines = capsys.readouterr().out.splitlines()
    listed = {line[2:].split()[0]: line for line in lines[: len(EXTRACTORS)]}
    assert list(listed) == list(EXTRACTORS)
    assert all(EXTRACTORS[name].summary in line for name, line in listed.items())
    assert [name for name, line in listed.items() if line.startswith("*")] == ["news"]


def test_each_line_is_answered_before_the_next_is_sent() -> None:
    command = (*COMMAND, "extract", "--format", "jsonl", "--extractor", "keep-everything")
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=REPO
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for number in range(3):
            record = {"id": number, "html": f"<p>{number}"}
            process.stdin.write(json.dumps(record) + "\n")
            process.stdin.flush()
            answer = json.loads(process.stdout.readline())
            assert (answer["id"], answer["text"]) == (number, str(number))
        process.stdin.close()
        assert process.stdout.read() == ""
        assert process.wait() == 0
