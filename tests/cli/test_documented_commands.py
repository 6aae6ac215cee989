"""The commands of README.md and docs/, each run unchanged in a folder of its own.

A synopsis is run with all its options, and with `VALUES` for its placeholders.
"""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.request import ProxyHandler, build_opener

import pytest

from scrapy_boilerplate import Label, extract
from scrapy_boilerplate.cli import main
from scrapy_boilerplate.extractors import find_model_folder, get_extractor
from scrapy_boilerplate.report.annotator import Annotator, sort_by_confidence
from scrapy_boilerplate.report.label_store import LabelStore
from tests.batch.stored import json_lines, pages_warc, serve_folder
from tests.builders import document, filler
from tests.conftest import REPO
from tests.documented import BLOCKS, read_commands
from tests.training.builders import write_corpus
from tests.training.labelled_pages import record

RUN_BY_BASH = pytest.mark.posix("bash runs the commands, a script is the browser")
SITE = "https://news.example"
# Placeholder of a synopsis to the text that replaces it.
VALUES = {
    "--corpus PATH": "--corpus my-pages.jsonl",
    "--extractor NAME": "--extractor container",
    "--held-out SHARE": "--held-out .5",
    "--jobs N": "--jobs 2",
    "--labels DIR": "--labels mine",
    "--limit N": "--limit 30",
    "--metric METRIC": "--metric tokens",
    "--metric NAME": "--metric tokens",
    "--out DIR": "--out my-model",
    "--plot DIR": "--plot plots",
    "--plot FILE.png": "--plot curves.png",
    "--seed N": "--seed 1",
    "-o FILE.html": "-o report.html",
    "CORPUS": "my-pages.jsonl",
    "PAGES": "pages/",
    "SOURCE": "page.html",
    "own|final": "final",
    "table|json|csv": "table",
    "train NAME": "train c48",
}


def fill_in(command: str) -> str:
    for place, value in VALUES.items():
        command = command.replace(place, value)
    command = re.sub(r"\[|\]|\.\.\.", "", command)
    assert not re.search(r"\b[A-Z]{3,}\b|\|", command), f"add the placeholder to VALUES: {command}"
    return command


DOCUMENTED = [
    pytest.param(
        fill_in(command),
        id=f"{block.page}: {command}",
        marks=pytest.mark.torch("trains nets") if " train news " in command else (),
    )
    for block in BLOCKS
    for command in read_commands(block)
    if command.startswith("scrapy-boilerplate ")
]


def started_with(*names: str) -> list[Any]:
    starts = tuple(f"scrapy-boilerplate {name} " for name in names)
    return [row for row in DOCUMENTED if str(row.values[0]).startswith(starts)]


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
    with serve_folder(folder) as url:
        yield url.rstrip("/")


@contextmanager
def start_command(command: str, folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Start a documented command in a folder; its browser writes the URL to a file."""
    browser = folder / "browser"
    browser.write_text('#!/bin/sh\necho "$1" > opened\n', encoding="ascii")
    browser.chmod(0o755)
    program = (
        f'scrapy-boilerplate() {{ {shlex.quote(sys.executable)} -m scrapy_boilerplate.cli "$@"; }}'
    )
    with subprocess.Popen(
        ["bash", "-c", f"{program}\n{command}"],
        cwd=folder,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(REPO), "no_proxy": "*",
             "BROWSER": str(browser)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # in the background of a script Ctrl-C would be ignored
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    ) as process:  # fmt: skip
        yield process


def run_command(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    with start_command(command, folder) as process:
        stdout, stderr = process.communicate()
    return subprocess.CompletedProcess(command, process.returncode, stdout, stderr)


@RUN_BY_BASH
@pytest.mark.parametrize("command", started_with("extract", "inspect"))
def test_a_documented_command_of_one_page_runs(command: str, site: str, folder: Path) -> None:
    pytest.importorskip("nh3")
    fetched = f"{SITE}/rain" in command and "--url" not in command
    shutil.copytree(find_model_folder("news"), folder / "my-news")
    given = set(folder.iterdir())
    done = run_command(command.replace(SITE, site) if fetched else command, folder)
    assert (done.returncode, done.stderr) == (0, "")
    written = (path.read_text("utf-8") for path in set(folder.iterdir()) - given)
    assert filler(20) in done.stdout + "".join(written)
    assert (folder / "opened").exists() == ("--open" in command)


@RUN_BY_BASH
@pytest.mark.parametrize("command", started_with("batch"))
def test_a_documented_command_of_stored_pages_runs(command: str, folder: Path) -> None:
    pytest.importorskip("pyarrow")
    pages_warc(folder / "pages.warc.gz", 2)
    json_lines(folder / "pages.jsonl", [{"html": filler(20)}])
    (folder / "more").mkdir()
    (folder / "page.html").rename(folder / "more" / "page.html")
    done = run_command(command.replace("--workers 8", "--workers 2"), folder)
    assert done.returncode == 0, done.stderr
    if "-o pages.csv" in command:
        assert (folder / "pages.csv").exists()
        return
    assert (folder / "out" / "_SUCCESS").exists()
    assert [*folder.glob("out/*.parquet" if "parquet" in command else "out/*.jsonl")]


@RUN_BY_BASH
@pytest.mark.parametrize("command", started_with("crawl"))
def test_a_documented_crawl_runs(command: str, site: str, folder: Path) -> None:
    pytest.importorskip("feedparser")
    html = (folder / "page.html").read_text("utf-8")
    link = '<a href="/rain-in-may-2026-12345.html">It rained for all of May</a>'
    (folder / "index.html").write_text(f"<html><body><h3>{link}</h3></body></html>", "utf-8")
    (folder / "rain-in-may-2026-12345.html").write_text(html, "utf-8")
    done = run_command(f"{command} -s AUTOTHROTTLE_ENABLED=0".replace(SITE, site), folder)
    assert done.returncode == 0, done.stderr
    [line] = (folder / "articles.jsonl").read_text("utf-8").splitlines()
    item = json.loads(line)
    assert (item["found_in"], item["headline"]) == (f"{site}/", "Rain in May")
    assert {"reservations", "is_article"} < item.keys()
    assert "html" not in item
    assert (folder / "news-job" / "site-knowledge.sqlite").exists() == ("--jobdir" in command)


# Labelled pages, each of a site of its own.
N_PAGES = 20


@pytest.fixture
def labelled(folder: Path) -> Path:
    """The same folder with labelled pages: a corpus, a folder of corpora, an annotated folder."""
    write_corpus(folder / "my-pages.jsonl", *map(record, range(N_PAGES)))
    (folder / "corpora").mkdir()
    shutil.copy(folder / "my-pages.jsonl", folder / "corpora" / "made-up.jsonl")
    (folder / "corpora" / "more").mkdir()
    shutil.copy(folder / "my-pages.jsonl", folder / "corpora" / "more" / "made-up.jsonl")
    extractor = get_extractor("container")
    pages = [(page["id"], page["html"], page["url"]) for page in map(record, range(N_PAGES))]
    annotator = Annotator(
        pages=sort_by_confidence(pages, extractor),
        extractor=extractor,
        store=LabelStore(folder / "mine"),
        name="ada",
    )
    actions = [[0, 11, Label.BOILERPLATE], [4, 5, Label.HEADLINE], [5, 7, Label.FULL_TEXT]]
    for number in range(N_PAGES):
        annotator.save(number, [[int(part) for part in action] for action in actions])
    return folder


@RUN_BY_BASH
@pytest.mark.parametrize("command", started_with("evaluate", "analyse"))
def test_a_documented_evaluation_runs(command: str, labelled: Path) -> None:
    """With the shipped model for one of the user's own."""
    pytest.importorskip("matplotlib")
    for model in ("my-news", "my-model"):
        shutil.copytree(find_model_folder("news"), labelled / model)
    done = run_command(command, labelled)
    assert done.returncode == 0, done.stderr
    for extractor in re.findall(r"--extractor (\S+)", command):
        assert re.search(rf"^{re.escape(extractor)} ", done.stdout, re.MULTILINE)
    assert (labelled / "curves.png").exists() == ("curves.png" in command)
    if " analyse " in command:
        assert "information gain" in done.stdout
        assert [path.suffix for path in (labelled / "plots").iterdir()] == [".png"] * 4


@pytest.mark.parametrize("command", started_with("train"))
def test_a_documented_training_runs(
    command: str,
    labelled: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """As many epochs as ever, but few pages. In this process: the import of torch takes longer."""
    for package in ("sklearn", "tldextract"):
        pytest.importorskip(package)
    monkeypatch.chdir(labelled)
    assert main(shlex.split(command)[1:]) == 0
    printed = capsys.readouterr().out
    [out] = re.findall(r"--out (\S+)", command)
    assert printed.endswith(f"wrote {out}; use it with --extractor ./{out}\n")
    assert ("0 pages of 0 sites held out" in printed) == ("--held-out 0" in command)
    text = extract(record(N_PAGES + 3)["html"], extractor=f"./{out}").text
    assert text.startswith("The bakery went on")
    assert "rights reserved" not in text


@RUN_BY_BASH
@pytest.mark.parametrize("command", started_with("annotate"))
def test_a_documented_annotator_serves_its_pages_until_ctrl_c(command: str, folder: Path) -> None:
    pytest.importorskip("nh3")
    (folder / "pages").mkdir()
    (folder / "page.html").rename(folder / "pages" / "page.html")
    open_url = build_opener(ProxyHandler({})).open
    with start_command(command, folder) as process:
        try:
            assert process.stdout is not None
            first_line = process.stdout.readline()
            count, _, url = first_line.partition(" at ")
            assert count == "1 page", first_line
            with open_url(url.strip(), timeout=60) as response:
                assert b"page.html" in response.read()
            with open_url(f"{url.strip()}page/0", timeout=60) as response:
                assert filler(20) in json.load(response)["frame"]
            os.killpg(process.pid, signal.SIGINT)
            process.communicate(timeout=60)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == 0
    assert (folder / "mine").is_dir()
    assert (folder / "opened").exists() == ("--open" in command)
