"""A whole job: parts, resuming after a kill, formats, and the command line."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scrapy_boilerplate.batch.inputs import find_inputs
from scrapy_boilerplate.batch.job import Job, run_job
from scrapy_boilerplate.batch.output import JOB, UNFINISHED, OutputError
from scrapy_boilerplate.batch.pool import RowPool, WorkerStartError
from scrapy_boilerplate.cli import main
from scrapy_boilerplate.extractors import Options
from scrapy_boilerplate.site.domains import Domains, create_folder_name
from scrapy_boilerplate.site.overrides import SiteRules
from tests.batch.stored import http, json_lines, page, record, rows_in

PAGES = 23
PART = 5
SITES = SiteRules.from_mapping({"a.example": {"favor": "recall"}})
POOL = RowPool(Options(extractor="container"))


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    sites = ("www.example.com", "example.org", "10.0.0.1")
    return json_lines(
        tmp_path / "stored.jsonl",
        [
            {"id": number, "url": f"https://{sites[number % 3]}/{number}", "html": page(number)}
            for number in range(PAGES)
        ],
    )


def create_job(stored: Path, **changes: Any) -> Job:
    return Job(**{"inputs": find_inputs([stored]), "pool": POOL, "part_pages": PART,
                   **changes})  # fmt: skip


def command(stored: Path, out: Path, *more: str) -> list[str]:
    fixed = ("--extractor", "container", "--part-pages", str(PART))
    return ["batch", str(stored), "-o", str(out), *fixed, *more]


def count_parts(out: Path) -> int:
    """Parts that are complete."""
    try:
        parts: int = json.loads((out / JOB).read_text("ascii"))["parts"]
    except FileNotFoundError:
        return 0
    return parts


def test_killed_and_called_again_every_page_is_there_once(stored: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    called = [
        sys.executable,
        "-m",
        "scrapy_boilerplate.cli",
        *command(stored, out, "--workers", "2"),
    ]
    process = subprocess.Popen(called)
    until = time.monotonic() + 240
    while time.monotonic() < until and not count_parts(out):
        time.sleep(0.001)
    process.kill()
    process.wait()
    done = count_parts(out)
    assert 0 < done < 5, "killed in the middle"
    assert not (out / "_SUCCESS").exists()
    # A part that was written, but not yet counted, when the process was killed is written again.
    before = {path: path.stat().st_mtime_ns for path in sorted(out.glob("part-*"))[:done]}
    (out / f".part-000004.jsonl{UNFINISHED}").write_bytes(b'{"id": 2')
    assert run_job(create_job(stored), out).skipped == done * PART
    assert {path: path.stat().st_mtime_ns for path in before} == before
    assert [row["id"] for row in rows_in(out)] == list(range(PAGES))
    assert not list(out.rglob("*" + UNFINISHED))
    assert (out / "_SUCCESS").exists()


@pytest.mark.parametrize("gone", [1, 4])
def test_part_whose_file_is_gone_is_written_again(gone: int, stored: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run_job(create_job(stored), out)
    before = {path.name: path.read_bytes() for path in out.glob("part-*")}
    (out / f"part-{gone:06}.jsonl").unlink()
    assert run_job(create_job(stored), out).skipped == gone * PART
    assert {path.name: path.read_bytes() for path in out.glob("part-*")} == before


def test_pages_of_200_megabytes_cost_their_own_rows(tmp_path: Path) -> None:
    """With the limit of the command, as a file, a line of JSON and a WARC record."""
    size = 200_000_000
    with (tmp_path / "large.html").open("wb") as file:
        file.truncate(size)
    with (tmp_path / "b.jsonl").open("wb") as file:
        file.write(b'{"id": "line", "html": "')
        file.writelines(b"x" * 1_000_000 for _ in range(size // 1_000_000))
        file.write(b'"}\n' + json.dumps({"id": "next line", "html": page(1)}).encode() + b"\n")
    answer = http(b"").replace(b"\r\n\r\n", f"\r\nContent-Length: {size}\r\n\r\n".encode())
    head = record("https://a.example/", answer, 0)[:-4].replace(
        f"Content-Length: {len(answer)}".encode(), f"Content-Length: {len(answer) + size}".encode()
    )
    with (tmp_path / "c.warc").open("wb") as file:
        file.write(head)
        file.truncate(len(head) + size)
        file.seek(0, 2)
        file.write(b"\r\n\r\n" + record("https://a.example/", http(page(2).encode()), 1))
    run_job(Job(inputs=find_inputs([tmp_path]), pool=POOL), tmp_path / "out")
    rows = {str(row["id"]): row["error"] for row in rows_in(tmp_path / "out")}
    too_large = "the page has more than 50,000,000 bytes"
    assert rows == {
        "line": too_large,
        "next line": None,
        "<urn:uuid:00000000>": too_large,
        "<urn:uuid:00000001>": None,
        "large.html": too_large,
    }


def test_folder_of_another_job_is_refused(stored: Path, tmp_path: Path) -> None:
    run_job(create_job(stored), tmp_path / "out")
    other = RowPool(Options(extractor="num-words"))
    with pytest.raises(OutputError, match="a job with different extractor:"):
        run_job(create_job(stored, pool=other), tmp_path / "out")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("keep me", encoding="ascii")
    with pytest.raises(OutputError, match="contains other files"):
        run_job(create_job(stored), tmp_path / "mine")


def test_limits_may_change_before_there_are_rows(stored: Path, tmp_path: Path) -> None:
    small = replace(POOL, memory=20)
    with pytest.raises(WorkerStartError, match="raise --memory"):
        run_job(create_job(stored, pool=small), tmp_path / "out")
    run_job(create_job(stored), tmp_path / "out")
    assert len(rows_in(tmp_path / "out")) == PAGES


def test_model_that_was_trained_again_is_another(stored: Path, tmp_path: Path) -> None:
    model = tmp_path / "mine"
    model.mkdir()
    (model / "weights").write_bytes(b"1")
    job = create_job(stored, pool=RowPool(Options(extractor=str(model))))
    before = job.describe()
    (model / "weights").write_bytes(b"12")
    changed = {name for name, fact in job.describe().items() if fact != before[name]}
    assert changed == {"trained model"}


@pytest.mark.parametrize("change", ["edited", "renamed"])
def test_folder_in_which_a_file_was_changed_is_another_input(change: str, tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    for name in ("a.html", "b.html"):
        (folder / name).write_text(page(1), encoding="utf-8")
    before = create_job(folder).describe()
    assert create_job(folder).describe() == before
    if change == "renamed":
        (folder / "b.html").rename(folder / "0.html")
    else:
        (folder / "b.html").write_text(page(2), encoding="utf-8")
        os.utime(folder / "b.html", ns=(1, 1))
    assert create_job(folder).describe()["inputs"] != before["inputs"]


def test_two_at_once_are_refused(stored: Path, tmp_path: Path) -> None:
    job = create_job(stored)
    with (
        job.create_output(tmp_path / "out").lock(),
        pytest.raises(OutputError, match="another process is writing"),
    ):
        run_job(job, tmp_path / "out")


def test_command(stored: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with stored.open("a", encoding="utf-8") as file:
        file.write("no JSON\n")
    assert main(command(stored, tmp_path / "out", "--by-site")) == 0
    assert f"labelled {PAGES + 1} pages in" in capsys.readouterr().err
    rows = rows_in(tmp_path / "out")
    assert {row["id"] for row in rows} == {*range(PAGES), f"stored.jsonl:{PAGES + 1}"}
    folders = {path.name for path in (tmp_path / "out").glob("site=*")}
    assert folders == {"site=example.com", "site=example.org", "site=10.0.0.1", "site=unknown"}
    assert main(command(stored, tmp_path / "out", "--by-site")) == 0
    assert f"{PAGES + 1} done by an earlier run" in capsys.readouterr().err


def test_the_summary_names_an_error_and_pages_without_a_site(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = ['{"id": 1', {"id": "a/b", "html": page(1)}]
    pages = json_lines(tmp_path / "pages.jsonl", lines)
    message = "2 pages without a URL, so without a site (--site, --by-site)"
    assert main(["batch", str(pages), "-o", str(tmp_path / "out"), "--by-site"]) == 0
    output = capsys.readouterr().err
    assert "1 failed (for example pages.jsonl:1: " in output
    assert message in output
    assert main(["batch", str(pages), "-o", str(tmp_path / "plain")]) == 0
    assert message not in capsys.readouterr().err


def test_a_bar_without_its_package_is_an_error_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setitem(sys.modules, "tqdm", None)
    pages = json_lines(tmp_path / "pages.jsonl", [{"id": 1, "html": page(1)}])
    assert main(["batch", str(pages), "-o", str(tmp_path / "out")]) == 0
    first, last = capsys.readouterr().err.splitlines()
    assert "the progress bar needs tqdm" in first
    assert last.startswith("labelled 1 page in ")


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("https://news.Blog.co.uk/a", "blog.co.uk"),
        ("http://intranet:80/", "intranet%3A80"),
        ("http://[::1]/", "%5B%3A%3A1%5D"),
        ("http://[broken", "unknown"),
        ("http://../..%2F", "%2E%2E"),
        (None, "unknown"),
    ],
)
def test_folders_of_sites(url: str | None, site: str) -> None:
    pytest.importorskip("tldextract")
    assert create_folder_name(Domains()(url)) == site


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.warc", "-o", "out"], "no such file or folder: none.warc"),
        (["--extractor", "nonsense", "tests", "-o", "out"], "nonsense"),
        (["tests", "-o", "tests/out"], "is inside the input tests"),
        (["a", "-o", "out", "--engine", "spark", "--workers", "2"], "do not apply to Spark"),
        (["a", "-o", "out", "--engine", "spark", "--part-pages", "2"], "do not apply to Spark"),
        (["tests", "-o", "out.csv", "--format", "jsonl"], "out.csv is a csv file: omit --format"),
        (["tests", "-o", "out.csv", "--by-site"], "--by-site needs an output folder"),
        (["tests", "-o", "setup.csv"], "setup.csv exists already: give a new file"),
    ],
)
def test_mistakes(
    arguments: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "a.html").write_text(page(1), encoding="utf-8")
    (tmp_path / "setup.csv").touch()
    monkeypatch.chdir(tmp_path)
    assert main(["batch", *arguments]) == 1
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("form", ["jsonl", "parquet", "csv"])
@pytest.mark.parametrize("single", [True, False], ids=["file", "folder"])
def test_formats_have_the_same_values(
    form: str, single: bool, stored: Path, tmp_path: Path
) -> None:
    with stored.open("a", encoding="utf-8") as file:
        file.write(json.dumps({"id": {"odd": 1}}) + "\n")
    run_job(create_job(stored), tmp_path / "lines")
    out = tmp_path / (f"out.{form}" if single else "out")
    assert main(command(stored, out, *(() if single else ("--format", form)))) == 0
    assert [path for path in tmp_path.rglob("*") if UNFINISHED in path.name] == []
    rows = [row for path in [out, *sorted(out.glob("part-*"))] for row in read_rows(path)]
    expected = [simplify(row) for row in rows_in(tmp_path / "lines")]
    assert list(map(simplify, rows)) == expected
    assert expected[-1][0] == '{"odd": 1}'


def simplify(row: dict[str, Any]) -> tuple[str, ...]:
    """Some values of a row, as CSV writes them."""
    values = (row.get(name) for name in ("id", "headline", "text", "blocks", "error"))
    return tuple(
        "" if v is None else v if isinstance(v, str) else json.dumps(v, ensure_ascii=False)
        for v in values
    )


def read_rows(path: Path) -> list[dict[str, Any]]:
    """Rows of a file; none of a folder."""
    if path.is_dir():
        return []
    if path.suffix == ".parquet":
        table = pytest.importorskip("pyarrow.parquet").read_table(path)
        return [*table.to_pylist()]
    with path.open(encoding="utf-8", newline="") as opened:
        return [*csv.DictReader(opened)] if path.suffix == ".csv" else [*map(json.loads, opened)]


def test_pages_that_are_empty_or_binary_are_errors(tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    for name, content in {
        "a.html": b"%PDF-1.7", "b.html": b" ", "c.html": b"\0\1\2", "d.html": page(1).encode(),
    }.items():  # fmt: skip
        (tmp_path / "pages" / name).write_bytes(content)
    lines: list[Any] = [
        {"id": "text", "html": " " * 3_000},
        {"id": "late", "html": "\n" * 3_000 + page(2)},
    ]
    json_lines(tmp_path / "pages" / "e.jsonl", lines)
    assert (
        main(["batch", str(tmp_path / "pages"), "-o", str(tmp_path / "out.jsonl"), "--site"]) == 0
    )
    rows = {row["id"]: row["error"] for row in read_rows(tmp_path / "out.jsonl")}
    assert rows == {
        "text": "the page is empty", "late": None, "a.html": "the page is a PDF",
        "b.html": "the page is empty", "c.html": "the page is a binary file", "d.html": None,
    }  # fmt: skip


RULES = """
["example.org"]
content = "footer"
["example.com"]
extractor = "num-words"
"""


@pytest.mark.parametrize("more", [[], ["--site"]])
def test_rules_for_some_sites(stored: Path, tmp_path: Path, more: list[str]) -> None:
    (tmp_path / "sites.toml").write_text(RULES, encoding="utf-8")
    rules = ["--rules", str(tmp_path / "sites.toml"), *more]
    assert main(command(stored, tmp_path / "out", *rules)) == 0
    rows = rows_in(tmp_path / "out")
    assert {row["extractor"] for row in rows[::3]} == {"num-words"}
    assert {row["text"] for row in rows[1::3]} == {"naïve"}
    assert {row["evidence"].get("text") for row in rows} == {None, "override"}
    assert {row["extractor"] for row in rows[2::3]} == {"container"}
    assert "naïve" not in "".join(row["text"] for row in rows[2::3])


WRONG_RULES = {
    '["example.org"]\ncontent = "div["': "content",
    '["example.org"]\nextractor = "nmu-words"': "extractor",
    '["example.org"]\nfavour = "recall"': "favour",
}


@pytest.mark.parametrize("written", WRONG_RULES)
def test_wrong_rules_are_told_before_the_first_page(
    written: str, stored: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "sites.toml").write_text(written, encoding="utf-8")
    rules = ["--rules", str(tmp_path / "sites.toml")]
    assert main(command(stored, tmp_path / "out", *rules)) == 1
    place = f"sites.toml: ['example.org']['{WRONG_RULES[written]}']"
    assert place in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
