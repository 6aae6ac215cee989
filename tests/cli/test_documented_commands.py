"""The commands of README.md and docs/: all are understood, and run but for some.

`annotate` serves until it is ended (tests/report), `train` learns for minutes (tests/training).
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

import scrapy_boilerplate
from scrapy_boilerplate.cli import build_parser
from scrapy_boilerplate.extractors import find_model_folder, get_extractor
from scrapy_boilerplate.report.annotator import Annotator, sort_by_confidence
from scrapy_boilerplate.report.label_store import LabelStore
from tests.batch.stored import pages_warc
from tests.builders import document, filler

ROOT = Path(scrapy_boilerplate.__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
COMMAND = re.compile(r"^(?: {4})?(scrapy-boilerplate .+)$", re.MULTILINE)
# What stands in the place of a value in a synopsis.
PLACEHOLDER = re.compile(r"\[|\.\.\.|\b[A-Z]{3,}\b")
SITE = "https://news.example"


def commands(page: Path) -> list[str]:
    lines = COMMAND.findall(page.read_text(encoding="utf-8"))
    return [line for line in lines if not PLACEHOLDER.search(line)]


DOCUMENTED = [
    pytest.param(command, id=f"{page.name}: {command}")
    for page in PAGES
    for command in commands(page)
]
RUN = ("scrapy-boilerplate extract ", "scrapy-boilerplate inspect ")


@pytest.mark.parametrize("command", DOCUMENTED)
def test_a_documented_command_is_understood(command: str) -> None:
    words = shlex.split(re.split(r" [<>|] ", command)[0])
    build_parser().parse_args(words[1:])


class Handler(SimpleHTTPRequestHandler):
    def log_message(self, *_arguments: object) -> None:
        pass


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files that the commands name."""
    html = document(f"<h1>Rain in May</h1><p>{filler(120)}</p>", title="Rain in May")
    for name in ("page.html", "other.html", "rain"):
        (tmp_path / name).write_text(html, encoding="utf-8")
    line = {"id": 1, "url": f"{SITE}/rain", "html": html}
    (tmp_path / "pages.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    monkeypatch.setenv("no_proxy", "*")
    return tmp_path


@pytest.fixture
def site(folder: Path) -> Iterator[str]:
    def handle(*arguments: object) -> Handler:
        return Handler(*arguments, directory=str(folder))  # type: ignore[arg-type]

    with ThreadingHTTPServer(("127.0.0.1", 0), handle) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def run_command(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command as it is written, in a folder."""
    program = (
        f'scrapy-boilerplate() {{ {shlex.quote(sys.executable)} -m scrapy_boilerplate "$@"; }}'
    )
    return subprocess.run(
        ["bash", "-c", f"{program}\n{command}"],
        cwd=folder,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT), "no_proxy": "*"},
        capture_output=True,
        text=True,
        check=False,
    )


def started_with(*starts: str) -> list[Any]:
    return [row for row in DOCUMENTED if str(row.values[0]).startswith(starts)]


@pytest.mark.parametrize("command", started_with(*RUN))
def test_a_documented_command_of_one_page_runs(command: str, site: str, folder: Path) -> None:
    for package in ("nh3", "tinycss2"):
        pytest.importorskip(package)
    fetched = f"{SITE}/rain" in command and "--url" not in command
    given = set(folder.iterdir())
    done = run_command(command.replace(SITE, site) if fetched else command, folder)
    assert (done.returncode, done.stderr) == (0, "")
    written = (path.read_text("utf-8") for path in set(folder.iterdir()) - given)
    assert filler(20) in done.stdout + "".join(written)


@pytest.mark.parametrize("command", started_with("scrapy-boilerplate batch"))
def test_a_documented_command_of_stored_pages_runs(command: str, folder: Path) -> None:
    pytest.importorskip("pyarrow")
    pages_warc(folder / "pages.warc.gz", 2)
    (folder / "more").mkdir()
    (folder / "page.html").rename(folder / "more" / "page.html")
    done = run_command(command.replace("--workers 8", "--workers 2"), folder)
    assert done.returncode == 0, done.stderr
    assert (folder / "out" / "_SUCCESS").exists()
    assert [*folder.glob("out/*.parquet" if "parquet" in command else "out/*.jsonl")]


@pytest.mark.parametrize("command", started_with("scrapy-boilerplate evaluate"))
def test_a_documented_evaluation_runs(command: str, folder: Path) -> None:
    """On a page that was annotated, with the shipped model for one of the user's own."""
    pytest.importorskip("matplotlib")
    extractor = get_extractor("container")
    html = (folder / "page.html").read_text(encoding="utf-8")
    queue = sort_by_confidence([("page.html", html, f"{SITE}/rain")], extractor)
    store = LabelStore(folder / "mine")
    Annotator(pages=queue, extractor=extractor, store=store, name="ada").save(0, [])
    shutil.copytree(find_model_folder("news"), folder / "my-news")
    done = run_command(command, folder)
    assert done.returncode == 0, done.stderr
    assert "./my-news" in done.stdout
    assert (folder / "curves.png").stat().st_size > 0
