"""``scrapy-boilerplate evaluate``: tables, records, plots and error messages."""

import csv
import io
import json
from pathlib import Path

import pytest

from scrapy_boilerplate.cli import main
from tests.training.builders import ARTICLE, HTML, write_corpus


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    records = [
        {"id": str(i), "url": f"http://s{i}.com/", "html": HTML, "text": ARTICLE} for i in range(6)
    ]
    return write_corpus(tmp_path / "mine.jsonl", *records)


BOTH = ("--extractor", "keep-everything", "--extractor", "min-10-words")


def test_a_table_sorted_by_score_and_a_picture(
    corpus: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture = corpus.with_name("curves.png")
    assert main(["evaluate", str(corpus), *BOTH, "--limit", "4", "--plot", str(picture)]) == 0
    assert picture.stat().st_size > 1000
    heading, columns, best, second, *_ = capsys.readouterr().out.splitlines()
    assert heading.startswith("mine: 4 of 4 pages, 4 sites; tokens (")
    assert heading.endswith("text: final")
    assert columns.split()[:3] == ["extractor", "f1", "95"]
    assert best.split()[:5] == ["min-10-words", "1.0000", "1.0000", "to", "1.0000"]
    assert second.split()[0] == "keep-everything"
    assert "-0." in second


def test_a_picture_of_a_corpus_that_its_metric_cannot_judge(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = write_corpus(tmp_path / "mine.jsonl", {"html": HTML, "with": ["rain"]})
    metrics = ["--metric", "tokens", "--metric", "segments"]
    assert main(["evaluate", str(corpus), *metrics, "--plot", str(tmp_path / "curves.png")]) == 1
    error = capsys.readouterr().err
    assert "nothing to score: no page of mine has the labels that tokens needs" in error


@pytest.mark.parametrize("form", ["json", "csv"])
def test_records(corpus: Path, capsys: pytest.CaptureFixture[str], form: str) -> None:
    arguments = ["evaluate", str(corpus), *BOTH, "--format", form, "--metric", "shingles"]
    assert main([*arguments, "--jobs", "2"]) == 0
    out = capsys.readouterr().out
    records = json.loads(out) if form == "json" else list(csv.DictReader(io.StringIO(out)))
    assert len(records) == 2 * 4  # extractors, figures
    first = records[0]
    assert (first["corpus"], first["extractor"], first["figure"]) == ("mine", "min-10-words", "f1")
    assert float(first["low"]) <= float(first["value"]) <= float(first["high"])
    assert {record["best"] for record in records} == {"min-10-words"}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["missing.jsonl"], "no corpus at missing.jsonl"),
        (["{corpus}", "--extractor", "nix"], "no extractor is called 'nix'"),
        (["{corpus}", "--metric", "nix"], "unknown metric 'nix'; the metrics are: tokens, "),
        (["{corpus}", "--metric", "segments"], "nothing to score: no page of "),
        (["{corpus}", "--metric", "blocks", "--plot", "p.png"], "--plot needs a metric"),
        (["{corpus}", "--plot", "p.xyz"], "--plot p.xyz: the name must end in .png"),
        (["{corpus}", "--plot", "nowhere/p.png"], "no such folder: nowhere"),
        (["{corpus}", "{corpus}"], "two corpora are named"),
        (["{broken}"], "broken.jsonl, line 2: not JSON"),
    ],
)
def test_a_sentence_for_what_is_wrong(
    corpus: Path, arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = write_corpus(corpus.parent / "broken.jsonl", {"html": HTML, "text": ""}, "{")
    filled = [argument.format(corpus=corpus, broken=broken) for argument in arguments]
    assert main(["evaluate", *filled]) == 1
    out, err = capsys.readouterr()
    assert sentence in err
    assert "Traceback" not in err
    assert not out
