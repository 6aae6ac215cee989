"""A whole job: parts, resuming after a kill, formats, and the command line."""

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
from scrapy_boilerplate.batch.output import JOB, UNFINISHED, OutputError, OutputFolder
from scrapy_boilerplate.batch.pool import RowPool, WorkerStartError
from scrapy_boilerplate.cli import main
from scrapy_boilerplate.extractors import Options
from tests.batch.stored import json_lines, page, rows_in

PAGES = 23
PART = 5
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
    try:
        parts: int = json.loads((out / JOB).read_text("ascii"))["parts"]
    except FileNotFoundError:
        return 0
    return parts


def test_killed_and_called_again_every_page_is_there_once(stored: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    arguments = command(stored, out, "--workers", "2")
    process = subprocess.Popen([sys.executable, "-m", "scrapy_boilerplate.cli", *arguments])
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


def test_a_folder_goes_on_with_its_own_job_only(stored: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run_job(create_job(stored), out)
    before = {path.name: path.read_bytes() for path in out.glob("part-*")}
    (out / "part-000001.jsonl").unlink()
    assert run_job(create_job(stored), out).skipped == PART
    assert {path.name: path.read_bytes() for path in out.glob("part-*")} == before
    other = RowPool(Options(extractor="num-words"))
    with pytest.raises(OutputError, match="a job with different extractor:"):
        run_job(create_job(stored, pool=other), out)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("keep me", encoding="ascii")
    with pytest.raises(OutputError, match="contains other files"):
        run_job(create_job(stored), tmp_path / "mine")


def test_limits_may_change_before_there_are_rows(stored: Path, tmp_path: Path) -> None:
    small = replace(POOL, memory=20)
    sentence = r"before its first page.*raise --memory from 20 to \d+ or more"
    with pytest.raises(WorkerStartError, match=sentence):
        run_job(create_job(stored, pool=small), tmp_path / "out")
    run_job(create_job(stored), tmp_path / "out")
    assert len(rows_in(tmp_path / "out")) == PAGES


@pytest.mark.parametrize("change", ["model", "page", "name"])
def test_a_job_with_another_model_or_input_is_another(change: str, tmp_path: Path) -> None:
    model, folder = tmp_path / "mine", tmp_path / "pages"
    for path in (model / "weights", folder / "a.html", folder / "b.html"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(page(1), encoding="utf-8")
    job = create_job(folder, pool=RowPool(Options(extractor=str(model))))
    before = job.describe()
    if change == "model":
        (model / "weights").write_bytes(b"12")
    elif change == "name":
        (folder / "b.html").rename(folder / "0.html")
    else:
        (folder / "b.html").write_text(page(2), encoding="utf-8")
        os.utime(folder / "b.html", ns=(1, 1))
    after = replace(job, inputs=find_inputs([folder])).describe()
    changed = {name for name, fact in after.items() if fact != before[name]}
    assert changed == {"trained model" if change == "model" else "inputs"}


def test_two_at_once_are_refused(stored: Path, tmp_path: Path) -> None:
    job = create_job(stored)
    with (
        OutputFolder(tmp_path / "out", job.describe()).lock(),
        pytest.raises(OutputError, match="another process is writing"),
    ):
        run_job(job, tmp_path / "out")


def test_command(stored: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with stored.open("a", encoding="utf-8") as file:
        file.write("no JSON\n")
    assert main(command(stored, tmp_path / "out", "--by-site")) == 0
    summary = capsys.readouterr().err
    assert f"labelled {PAGES + 1} pages in" in summary
    rows = rows_in(tmp_path / "out")
    assert {row["id"] for row in rows} == {*range(PAGES), f"stored.jsonl:{PAGES + 1}"}
    folders = {path.name for path in (tmp_path / "out").glob("site=*")}
    assert folders == {"site=example.com", "site=example.org", "site=10.0.0.1", "site=unknown"}
    assert f"1 failed (for example stored.jsonl:{PAGES + 1}: " in summary
    assert "1 page without a URL, so without a site (--site, --by-site)" in summary
    assert main(command(stored, tmp_path / "out", "--by-site")) == 0
    assert f"{PAGES + 1} done by an earlier run" in capsys.readouterr().err


WITHOUT_TQDM = """
import sys

sys.modules["tqdm"] = None
from scrapy_boilerplate.cli import main

sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.posix("a pseudo-terminal")
def test_a_bar_without_its_package_is_an_error_message(tmp_path: Path) -> None:
    pages = json_lines(tmp_path / "pages.jsonl", [{"id": 1, "html": page(1)}])
    terminal, error = os.openpty()
    command = [sys.executable, "-c", WITHOUT_TQDM, "batch", str(pages), "-o", str(tmp_path / "out")]
    subprocess.run(command, stderr=error, check=True)
    first, last = os.read(terminal, 10_000).decode().splitlines()
    assert "the progress bar needs tqdm" in first
    assert last.startswith("labelled 1 page in "), "without --by-site no word about sites"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.warc", "-o", "out"], "no such file or folder: none.warc"),
        (["--extractor", "nonsense", "tests", "-o", "out"], "nonsense"),
        (["tests", "-o", "tests/out"], "is inside the input tests"),
        (["a", "-o", "out", "--engine", "spark", "--workers", "2"], "do not apply to Spark"),
        (["a", "-o", "out", "--engine", "spark", "--part-pages", "2"], "do not apply to Spark"),
        (["tests", "-o", "out.csv", "--format", "jsonl"], "out.csv is a csv file: omit --format"),
        (["tests", "-o", "rows.xlsx"], "end the name of a file with .jsonl, .csv or .parquet;"),
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


def test_formats_have_the_same_values(stored: Path, tmp_path: Path) -> None:
    with stored.open("a", encoding="utf-8") as file:
        file.write(json.dumps({"id": {"odd": 1}}) + "\n")
    run_job(create_job(stored), tmp_path / "lines")
    expected = [simplify(row) for row in rows_in(tmp_path / "lines")]
    assert expected[-1][0] == '{"odd": 1}'
    for name, more in (("a.jsonl", ()), ("a.csv", ()), ("out", ("--format", "parquet"))):
        out = tmp_path / name
        assert main(command(stored, out, *more)) == 0
        rows = [row for path in [out, *sorted(out.glob("part-*"))] for row in read_rows(path)]
        assert list(map(simplify, rows)) == expected, name
    assert [path for path in tmp_path.rglob("*") if UNFINISHED in path.name] == []


def simplify(row: dict[str, Any]) -> tuple[str, ...]:
    """Some values of a row, as CSV writes them."""
    values = (row.get(name) for name in ("id", "headline", "text", "blocks", "error"))
    return tuple(
        "" if v is None else v if isinstance(v, str) else json.dumps(v, ensure_ascii=False)
        for v in values
    )


def read_rows(path: Path) -> list[dict[str, Any]]:
    if path.is_dir():
        return []
    if path.suffix == ".parquet":
        table = pytest.importorskip("pyarrow.parquet").read_table(path)
        return [*table.to_pylist()]
    with path.open(encoding="utf-8", newline="") as opened:
        return [*csv.DictReader(opened)] if path.suffix == ".csv" else [*map(json.loads, opened)]


def test_pages_that_are_empty_or_binary_are_errors(tmp_path: Path) -> None:
    pages = ["%PDF-1.7", " " * 3_000, "\0\1\2", "\n" * 3_000 + page(2)]
    stored = json_lines(tmp_path / "pages.jsonl", [{"html": each} for each in pages])
    assert main(["batch", str(stored), "-o", str(tmp_path / "out.jsonl")]) == 0
    errors = [row["error"] for row in read_rows(tmp_path / "out.jsonl")]
    kinds = ["a PDF", "empty", "a binary file"]
    assert errors == [*(f"the page is {kind}" for kind in kinds), None]


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


@pytest.mark.parametrize(
    ("written", "key"), [('content = "div["', "content"), ('extractor = "nmu-words"', "extractor")]
)
def test_wrong_rules_are_reported_before_the_first_page(
    written: str, key: str, stored: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "sites.toml").write_text(f'["example.org"]\n{written}', encoding="utf-8")
    rules = ["--rules", str(tmp_path / "sites.toml")]
    assert main(command(stored, tmp_path / "out", *rules)) == 1
    assert f"sites.toml: ['example.org']['{key}']" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
