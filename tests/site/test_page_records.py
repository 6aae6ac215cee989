"""Page records: packed for stores, and unpacked again."""

from __future__ import annotations

import tracemalloc

import pytest

from scrapy_boilerplate.site.page_records import PageRecord, PageRecordError, compute_signatures
from tests.builders import page_of
from tests.site.test_knowledge import pool


def test_a_page_survives_packing() -> None:
    for record in pool():
        unpacked = PageRecord.unpack(record.pack())
        assert unpacked.key == record.key
        assert unpacked.pack() == record.pack()


@pytest.mark.parametrize(
    "data", [b"", b"SP2", b"xx" * 40, pool()[0].pack()[:-1], pool()[0].pack()[:-1] + b"\xff"]
)
def test_foreign_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(PageRecordError):
        PageRecord.unpack(data)


def test_class_paths_of_many_boxes_take_little_memory() -> None:
    """Each box had its own copy of the names around it: 30 MB."""
    page = page_of("".join(f"<div class={letter * 1_000}>" for letter in "abc")
                   + "<section><p>x</p></section>" * 5_000)  # fmt: skip
    tracemalloc.start()
    try:
        compute_signatures(page)
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()
