"""Commands run without the packages that they do not use."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.training.builders import ARTICLE, HTML, write_corpus

PACKAGES = frozenset(
    "nh3 html_to_markdown markdownify tldextract tqdm matplotlib sklearn scipy torch pycrfsuite "
    "pyarrow brotli zstandard pyspark redis htmldate py3langid".split()
)


WITHOUT = """
import sys

sys.modules.update(dict.fromkeys(sys.argv[1].split()))
from scrapy_boilerplate.cli import main

sys.exit(main(sys.argv[2:]))
"""


@pytest.mark.parametrize(
    ("command", "needed"),
    [
        ("extract {page}", ""),
        ("extract --format json {page}", ""),
        ("extract --format jsonl {corpus}", ""),
        ("extract --format html {page}", ""),
        ("extract --format markdown --with-metadata {page}", "html_to_markdown"),
        ("inspect {page} --out {folder}/inspect.html", "nh3"),
        ("analyse {corpus}", "scipy"),
        ("evaluate {corpus}", "tldextract"),
        ("train ncleaner --corpus {corpus} --out {folder}/model", "tldextract"),
    ],
)
def test_a_command_needs_these_packages_alone(command: str, needed: str, tmp_path: Path) -> None:
    for package in needed.split():
        pytest.importorskip(package)
    page = tmp_path / "page.html"
    page.write_text(HTML, encoding="utf-8")
    records = [
        {"id": str(i), "url": f"http://s{i}.com/", "html": HTML, "text": ARTICLE} for i in range(6)
    ]
    corpus = write_corpus(tmp_path / "mine.jsonl", *records)
    missing = " ".join(PACKAGES.difference(needed.split()))
    arguments = command.format(page=page, corpus=corpus, folder=tmp_path).split()
    python = [sys.executable, "-c", WITHOUT, missing, *arguments]
    done = subprocess.run(python, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
