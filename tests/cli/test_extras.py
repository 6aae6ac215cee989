"""Commands run without the packages that they do not use."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from scrapy_boilerplate.cli import main
from scrapy_boilerplate.metadata.dates import load_htmldate
from scrapy_boilerplate.metadata.language import load_detector
from scrapy_boilerplate.training.corpora import load_suffix_list
from tests.training.builders import ARTICLE, HTML, write_corpus

PACKAGES = frozenset(
    "nh3 html_to_markdown markdownify tldextract tqdm matplotlib sklearn scipy torch pycrfsuite "
    "pyarrow brotli zstandard pyspark redis htmldate py3langid".split()
)


@pytest.fixture(autouse=True)
def forget_packages() -> Iterator[None]:
    """What was loaded with packages is not used without them, nor the other way round."""
    loaders = (load_detector, load_htmldate, load_suffix_list)
    for load in loaders:
        load.cache_clear()
    yield
    for load in loaders:
        load.cache_clear()


@pytest.mark.parametrize(
    ("command", "needed"),
    [
        ("extract {page}", ""),
        ("extract --format json {page}", ""),
        ("extract --format jsonl {corpus}", ""),
        ("extract --format html {page}", "nh3"),
        ("extract --format markdown --with-metadata {page}", "nh3 html_to_markdown"),
        ("inspect {page} --out {folder}/inspect.html", "nh3"),
        ("analyse {corpus}", "scipy"),
        ("evaluate {corpus}", "tldextract"),
        ("train ncleaner --corpus {corpus} --out {folder}/model", "tldextract"),
    ],
)
def test_a_command_needs_these_packages_alone(
    command: str,
    needed: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for package in needed.split():
        pytest.importorskip(package)
    page = tmp_path / "page.html"
    page.write_text(HTML, encoding="utf-8")
    records = [
        {"id": str(i), "url": f"http://s{i}.com/", "html": HTML, "text": ARTICLE} for i in range(6)
    ]
    corpus = write_corpus(tmp_path / "mine.jsonl", *records)
    for package in PACKAGES.difference(needed.split()):
        for module in [name for name in sys.modules if name.startswith(f"{package}.")]:
            monkeypatch.delitem(sys.modules, module)
        monkeypatch.setitem(sys.modules, package, None)
    arguments = command.format(page=page, corpus=corpus, folder=tmp_path).split()
    status = main(arguments)
    assert (status, capsys.readouterr().err) == (0, "")
