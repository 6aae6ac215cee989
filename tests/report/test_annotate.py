"""The annotator: three pages end to end in a real browser, a killed server, a trained model."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from selenium.webdriver.common.keys import Keys

from scrapy_boilerplate import Label, extract
from scrapy_boilerplate.cli import main
from scrapy_boilerplate.cli.annotate import find_user_name
from scrapy_boilerplate.report.label_store import Draft, LabelStore
from scrapy_boilerplate.training.corpora import read_pages
from scrapy_boilerplate.training.gold import find_gold_text, read_gold
from tests.builders import document, filler, sentences
from tests.conftest import REPO
from tests.report.browser import Browser

TIDES = 12


def tide_page(port: str) -> str:
    """The article is a list of short lines, the long paragraphs are advertising: rules for news
    are wrong about it."""
    lines = "".join(f"<li>High water {port} {hour}</li>" for hour in range(TIDES))
    offers = "".join(f"<p>{sentences(70, f'{port} bargain {n}')}</p>" for n in range(3))
    return document(f"<div>{offers}</div><ul id='tides'>{lines}</ul>", f"Tides at {port}")


# Leaves of the list, and the first of them, after three paragraphs.
LINES, FIRST_LINE = TIDES, 3


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    folder = tmp_path / "pages"
    folder.mkdir()
    for port in ("ayr", "bude", "cobh"):
        (folder / f"{port}.html").write_text(tide_page(port), encoding="utf-8")
    return folder


@contextmanager
def run_annotator(pages: Path, labels: Path) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The command `annotate`, running: its URL and its process."""
    command = [sys.executable, "-m", "scrapy_boilerplate.cli", "annotate", str(pages)]
    options = ["--labels", str(labels), "--extractor", "container", "--annotator", "Ada"]
    with subprocess.Popen(
        [*command, *options], cwd=REPO, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            match = re.search(r"http://127\.0\.0\.1:\d+/\S+/", line)
            assert match, line
            yield match[0], process
        finally:
            process.kill()


def label_the_list(browser: Browser) -> None:
    """Drop the offers with the brush, take the list as a whole with the keys."""
    browser.press("b", Keys.ARROW_DOWN, "b", Keys.ARROW_DOWN, "b", Keys.ARROW_DOWN, "b")
    browser.press(Keys.ARROW_DOWN, "p")
    assert "ul#tides" in browser.text("#chosen")
    browser.press("t")


def wait_until_kept(browser: Browser) -> None:
    browser.wait("document.getElementById('state').textContent === 'kept'")


def read_labels(browser: Browser) -> list[int]:
    labels: list[int] = browser.run("return work.labels")
    return labels


def read_last_saved(labels: Path) -> list[str]:
    lines = (labels / "labels.jsonl").read_text(encoding="utf-8").splitlines()
    return [leaf["label"] for leaf in json.loads(lines[-1])["leaves"]]


def test_three_pages_a_kill_and_a_trained_model(
    browser: Browser, pages: Path, tmp_path: Path
) -> None:
    labels, model = tmp_path / "labels", tmp_path / "model"
    wanted = [Label.BOILERPLATE] * FIRST_LINE + [Label.FULL_TEXT] * LINES
    assert "High water" not in extract(tide_page("ayr"), extractor="container").text
    with run_annotator(pages, labels) as (url, process):
        browser.open(url)
        label_the_list(browser)
        assert read_labels(browser) == wanted
        browser.press(Keys.ENTER)
        browser.wait("work.page.number === 1 && document.documentElement.dataset.ready === 'yes'")
        assert "1 of 3" in browser.text("#progress")
        label_the_list(browser)
        wait_until_kept(browser)
        process.kill()  # as a crash does: it cannot write anything
        process.wait()
    with run_annotator(pages, labels) as (url, _):
        browser.open(url)
        assert "1 of 3" in browser.text("#progress")
        assert read_labels(browser) == wanted, "what was not saved is as it was left"
        browser.press("u")
        assert read_labels(browser) != wanted, "and can still be undone"
        browser.press("t")
        browser.press(Keys.ENTER)
        browser.wait("work.page.number === 2 && document.documentElement.dataset.ready === 'yes'")
        label_the_list(browser)
        browser.press(Keys.ENTER)
        all_saved = "document.getElementById('state').textContent === 'All pages are saved.'"
        browser.wait(all_saved)
        assert "3 of 3" in browser.text("#progress")
        saved = read_last_saved(labels)
        browser.press("u")
        assert read_labels(browser) == wanted, "what was saved cannot be undone"
        browser.run("document.getElementById('state').textContent = ''")
        browser.press(Keys.ENTER)
        browser.wait(all_saved)
        assert read_last_saved(labels) == saved
        assert all(url.startswith("http://127.0.0.1:") for url in browser.read_requests())
    for line in (labels / "labels.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        assert record["annotator"] == "Ada"
        assert record["leaves"][FIRST_LINE] == {
            "path": "/html[1]/body[1]/ul[1]/li[1]/text()[1]",
            "label": "full_text",
        }
    arguments = ["train", "c48", "--corpus", str(labels), "--held-out", "0", "--out", str(model)]
    assert main(arguments) == 0
    corrected = extract(tide_page("deal"), extractor=f"{model}/")
    assert "High water deal 3" in corrected.text
    assert "bargain" not in corrected.text
    assert main(["evaluate", str(labels), "--extractor", f"{model}/"]) == 0


SLOW_SAVING = """
const send = window.fetch;
window.fetch = async (...asked) => {
  if (asked[0].endsWith("save")) await new Promise((done) => { window.release = done; });
  return send(...asked);
};
"""


def test_clicks_drags_undo_and_a_page_that_is_being_saved(
    browser: Browser, pages: Path, tmp_path: Path
) -> None:
    with run_annotator(pages, tmp_path / "labels") as (url, _):
        browser.open(url)
        before = read_labels(browser)
        browser.press("r")
        browser.click_at(0)
        assert read_labels(browser)[:2] == [Label.RELATED, before[1]]
        browser.find("[data-label=comments]").click()
        browser.click_at(0)
        assert read_labels(browser)[:2] == [Label.COMMENTS, before[1]]
        browser.drag(FIRST_LINE, FIRST_LINE + 2)
        dragged = [*[Label.COMMENTS] * 3, before[FIRST_LINE + 3]]
        assert read_labels(browser)[FIRST_LINE : FIRST_LINE + 4] == dragged
        browser.click_at(FIRST_LINE + 5, shift=True)
        shown = read_labels(browser)
        assert shown[FIRST_LINE:] == [Label.COMMENTS] * LINES
        assert browser.find_violations() == []
        wait_until_kept(browser)
        browser.run(SLOW_SAVING)
        browser.press(Keys.ENTER)
        browser.wait("window.release !== undefined")
        browser.press("c", "u", "n")
        browser.find("#undo").click()
        browser.click_at(1)
        assert read_labels(browser) == shown, "nothing is done to a page while it is saved"
        browser.run("window.release()")
        browser.wait("work.page.number === 1 && document.documentElement.dataset.ready === 'yes'")
        assert "1 of 3" in browser.text("#progress")


RECORD = {"digest": "d", "html": "<p>one</p>", "leaves": []}


def test_a_torn_line_is_cut_off_and_its_page_stays_unsaved(tmp_path: Path) -> None:
    store = LabelStore(tmp_path)
    store.save({**RECORD, "digest": "first"})
    store.save_draft("second", Draft([0], [(0, 1, 2)]))
    file = tmp_path / "labels.jsonl"
    file.write_bytes(file.read_bytes() + b'{"digest": "second", "html": "<p>')
    assert [page.html for page in read_pages(file)] == ["<p>one</p>"], "a reader survives it too"
    again = LabelStore(tmp_path)
    assert again.is_saved("first")
    assert not again.is_saved("second")
    assert again.load_draft("second") == Draft([0], [(0, 1, 2)])
    again.save({**RECORD, "digest": "second"})
    assert len(list(read_pages(file))) == 2


def test_a_line_that_is_no_json_is_named(
    pages: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "labels.jsonl"
    for wrong in (b"{wrong", b"[]", b'"\xff"'):
        file.write_bytes(b'{"digest": "d"}\n' + wrong + b"\n")
        assert main(["annotate", str(pages), "--labels", str(tmp_path)]) == 1
        assert f"{file}, line 2" in capsys.readouterr().err


def test_without_a_user_name_the_annotator_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody() -> str:
        raise KeyError("getpwuid(): uid not found: 1234")

    monkeypatch.setattr("getpass.getuser", nobody)
    assert find_user_name() == "unknown"


def test_the_last_line_of_a_page_counts(tmp_path: Path) -> None:
    store = LabelStore(tmp_path)
    html = document(f"<p>{filler(5, 'first')}</p><p>deep <b>er</b> text</p>")
    paths = ["/html[1]/body[1]/p[1]/text()[1]", "/html[1]/body[1]/p[2]/text()[1]"]
    paths += ["/html[1]/body[1]/p[2]/b[1]/text()[1]", "/html[1]/body[1]/p[2]/text()[2]"]
    for label in ("full_text", "comments"):
        leaves = [{"path": path, "label": label} for path in paths[:1]]
        leaves += [{"path": path, "label": "full_text"} for path in paths[1:]]
        store.save({"digest": "d", "id": "a", "html": html, "leaves": leaves})
    [page] = read_pages(tmp_path)
    gold = read_gold(page)
    assert gold.leaf_labels.tolist() == [Label.COMMENTS, *[Label.FULL_TEXT] * 3]
    assert find_gold_text(page) == "deep er text"
    assert store.load_saved("d") is not None
