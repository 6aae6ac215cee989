"""Readers of labelled pages, and the score of a text."""

from __future__ import annotations

import json
import lzma
from pathlib import Path

import pytest

from scrapy_boilerplate.page.labels import Label
from scrapy_boilerplate.training.corpora import CorpusError, read_records
from scrapy_boilerplate.training.l3s import labelled_texts
from scrapy_boilerplate.training.metrics import token_f1, tokens
from tests.builders import page_of


def selected(number: int, text: str, more: str = "") -> str:
    return f"<span class='{more}x-nc-sel{number}'>{text}</span>"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param("one", [("one", 0)], id="outside all spans"),
        *(pytest.param(selected(n, "one"), [("one", n)], id=f"class {n}") for n in range(6)),
        pytest.param(selected(2, "one") + "two", [("one", 2), ("two", 0)], id="tail"),
        pytest.param(
            selected(2, "one" + selected(5, "two") + "three"),
            [("one", 2), ("two", 5), ("three", 2)],
            id="the innermost span decides",
        ),
        pytest.param(
            selected(2, "one<b>two<i>three</i></b>four"),
            [("one", 2), ("two", 2), ("three", 2), ("four", 2)],
            id="tags in a span",
        ),
        pytest.param(selected(2, "one", "wide "), [("one", 2)], id="another class before"),
        pytest.param(selected(6, "one"), [("one", 0)], id="no such class"),
        pytest.param("<span class=x-nc-sel22>one</span>", [("one", 0)], id="a longer name"),
        pytest.param(selected(2, "one<!-- x -->two"), [("one", 2), ("two", 2)], id="comment"),
        pytest.param(
            selected(2, "one<script>x</script>two"), [("one", 2), ("two", 2)], id="script"
        ),
    ],
)
def test_labelled_texts(body: str, expected: list[tuple[str, int]]) -> None:
    found = list(labelled_texts(f"<html><body>{body}</body></html>"))
    assert found == [(text, Label(number)) for text, number in expected]


def test_labelled_texts_are_the_leaves_of_the_page() -> None:
    html = f"<title>x</title><p>one</p>{selected(2, '<p>two</p> <p>3<br>4</p>')}<svg>x</svg>five"
    texts = [text for text, _ in labelled_texts(html) if not text.isspace()]
    assert texts == [text for text in page_of(html).leaves.texts if not text.isspace()]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One, two!", ["one", "two"]),
        ("汉字 abc", ["汉", "字", "abc"]),
        ("한국", ["한", "국"]),
        ("ไทย", ["ไ", "ท", "ย"]),
        ("3.5 don't", ["3", "5", "don", "t"]),
        ("", []),
    ],
)
def test_tokens(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected


@pytest.mark.parametrize(
    ("text", "gold", "f1"),
    [
        pytest.param("one two", "One, two.", 1.0, id="same words"),
        pytest.param("two one", "one two", 1.0, id="order does not count"),
        pytest.param("", "", 1.0, id="both empty"),
        pytest.param("", "one", 0.0, id="nothing found"),
        pytest.param("one", "", 0.0, id="nothing wanted"),
        pytest.param("one", "two", 0.0, id="nothing shared"),
        pytest.param("one two three", "one", 0.5, id="precision a third, recall 1"),
        pytest.param("one", "one one one", 0.5, id="repetitions count"),
        pytest.param("汉字", "汉", 2 / 3, id="characters"),
    ],
)
def test_token_f1(text: str, gold: str, f1: float) -> None:
    assert token_f1(text, gold) == pytest.approx(f1)
    assert token_f1(gold, text) == pytest.approx(f1)


RECORDS = [{"id": "1", "html": "<p>naïve"}, {"id": "2", "html": "", "text": "\ud800"}]


def test_plain_and_compressed_files(tmp_path: Path) -> None:
    lines = "".join(json.dumps(record) + "\n" for record in RECORDS)
    plain, packed = tmp_path / "a.jsonl", tmp_path / "a.jsonl.xz"
    plain.write_text(lines, encoding="utf-8")
    packed.write_bytes(lzma.compress(lines.encode()))
    assert list(read_records(plain)) == list(read_records(packed)) == RECORDS


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        pytest.param("{", "no JSON", id="broken JSON"),
        pytest.param("[]", "'html'", id="a list"),
        pytest.param('{"id": "1"}', "'html'", id="no html"),
        pytest.param('{"html": null}', "'html'", id="html is null"),
    ],
)
def test_errors_name_file_and_line(tmp_path: Path, line: str, problem: str) -> None:
    path = tmp_path / "corpus.jsonl"
    path.write_text(f'{{"html": ""}}\n{line}\n', encoding="utf-8")
    records = read_records(path)
    assert next(records) == {"html": ""}
    with pytest.raises(CorpusError, match=r"corpus\.jsonl, line 2: ") as raised:
        next(records)
    assert problem in str(raised.value)


def test_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"no corpus at .*nothing\.jsonl"):
        next(read_records(tmp_path / "nothing.jsonl"))
