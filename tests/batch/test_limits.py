"""What a row and a line may hold, and how rows are grouped."""

from __future__ import annotations

import json

import pytest

from scrapy_boilerplate.batch.pages import StoredPage
from scrapy_boilerplate.batch.rows import create_row, split_by_size
from scrapy_boilerplate.extraction import extract
from tests.batch.stored import page


def test_a_row_that_is_too_large_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scrapy_boilerplate.batch.rows.MAX_ROW_BYTES", 1_000)
    line = create_row(StoredPage(id=1, html=page(1)), lambda p: extract(p.html, p.url, "container"))
    assert json.loads(line)["error"] == "the row has more than 1,000 bytes"


def test_lists_of_bounded_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scrapy_boilerplate.batch.rows.COLUMN_BYTES", 4)
    monkeypatch.setattr("scrapy_boilerplate.batch.rows.COLUMN_ROWS", 3)
    lines = [b"a" * size for size in (1, 2, 9, 1, 1, 1, 1)]
    sizes = [list(map(len, chunk)) for chunk in split_by_size(lines)]
    assert sizes == [[1, 2], [9], [1, 1, 1], [1]]
    assert list(split_by_size([])) == []
