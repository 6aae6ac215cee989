"""Page records: packed for stores, and unpacked again."""

from __future__ import annotations

import pytest

from scrapy_boilerplate.site.page_records import PageRecord, PageRecordError
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
