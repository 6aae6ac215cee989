"""Records as bytes: they are read as they were written, and broken bytes are rejected."""

import json
import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrapy_boilerplate.site.fingerprints import EXACT, Article, Version
from scrapy_boilerplate.site.monitors import SiteMonitor
from scrapy_boilerplate.site.page_records import PageRecord
from scrapy_boilerplate.site.stores import VERSION, RecordError
from tests.site.test_knowledge import pool
from tests.site.test_monitors import NO_TEXT, SITE, vary, watch
from tests.site_pages import article_text

TEXT = "\n\n".join(article_text(1))
VERSION_RECORD = Version("0f" * 16, "a0" * 16)


def used_monitor() -> SiteMonitor:
    monitor = SiteMonitor(SITE)
    watch(monitor, [*vary(9, 60), NO_TEXT])
    return monitor


RECORDS: dict[str, Callable[[], Any]] = {
    "page": lambda: pool()[0],
    "page without words": lambda: PageRecord.from_values(
        {**pool()[0].to_values(), "at": 1, "simhash": ""}
    ),
    "article": lambda: Article.from_text(TEXT, "example.com/a", "example.com"),
    "short article": lambda: Article.from_text("one two"),
    "version": lambda: VERSION_RECORD,
    "version with paragraphs": lambda: Version(
        "0f" * 16, "", EXACT, tuple((n, "😀" * 60) for n in range(200))
    ),
    "monitor": used_monitor,
    "new monitor": lambda: SiteMonitor(SITE),
}


@pytest.mark.parametrize("name", RECORDS)
def test_a_record_is_read_as_it_was_written(name: str) -> None:
    record = RECORDS[name]()
    data = record.encode(7)
    at, read = type(record).decode(data)
    assert at == 7
    assert read.to_values() == record.to_values()
    assert read.encode(7) == data


@pytest.mark.parametrize("data", [None, 5, "é", b"", b"{}", b"[]", b"\xff", b"[" * 9_999])
def test_other_bytes_are_rejected(data: Any) -> None:
    with pytest.raises(RecordError):
        PageRecord.decode(data)


@pytest.mark.parametrize(
    "change", [{"version": VERSION - 1}, {"at": -1}, {"at": 1 << 48}, {"at": "7"}]
)
def test_another_version_or_time_is_rejected(change: dict[str, Any]) -> None:
    values = json.loads(VERSION_RECORD.encode(7))
    with pytest.raises(RecordError):
        Version.decode(json.dumps({**values, **change}))


ODD: list[Any] = [
    [[1, "\ud800"]],
    None,
    True,
    -1,
    5,
    1e300,
    math.inf,
    math.nan,
    "",
    "x",
    "é",
    [],
    [[]],
    {},
    [None],
]


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_whatever_is_decoded_can_be_used(data: st.DataObject) -> None:
    """Any value of a record is replaced by another one."""
    record = RECORDS[data.draw(st.sampled_from(sorted(RECORDS)))]()
    values = json.loads(record.encode(7))
    name = data.draw(st.sampled_from(sorted(values)))
    values[name] = data.draw(st.sampled_from(ODD))
    try:
        _, read = type(record).decode(json.dumps(values))
    except RecordError:
        return
    assert type(record).decode(read.encode(7))[1].to_values() == read.to_values()
    if isinstance(read, SiteMonitor):
        watch(read, [*vary(8, 40), *[NO_TEXT] * 20])
        assert read.words >= 0
    if isinstance(read, Version):
        assert read.is_same(read)
        VERSION_RECORD.is_near(read)
        assert all(excerpt.encode() or True for _, excerpt in read.paragraphs or ())
