"""htmldate is the last source of dates: called only if no other source has one."""

import logging
import socket

import pytest
from lxml import etree

from scrapy_boilerplate import Document, extract
from tests.metadata.pages import read_document, write_metas

pytest.importorskip("htmldate", reason="htmldate is not installed")

HIDDEN = '<abbr class="published" title="2024-05-01"></abbr>'
"""A date that only htmldate reads."""


def read_date(document: Document) -> tuple[str | None, str | None]:
    return document.date_published, document.evidence.get("date")


def test_it_is_asked_where_nothing_else_is() -> None:
    assert read_date(read_document(body=HIDDEN)) == ("2024-05-01", "htmldate")
    head = write_metas(date="2023-01-02")
    assert read_date(read_document(head, HIDDEN)) == ("2023-01-02", "meta")


@pytest.mark.parametrize(
    "day",
    [
        "2024 10 02",
        "2024, October 2",
        "2024-Oct-02",
        "2024. 10. 2.",
        "2024 / 10 / 02",
        "20241002T101010Z",
    ],
)
def test_days_of_many_forms_reach_it(day: str) -> None:
    body = f'<abbr class="published" title="{day}"></abbr>'
    assert read_date(read_document(body=body)) == ("2024-10-02", "htmldate")


def test_numbers_of_drawings_are_no_days(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "scrapy_boilerplate.metadata.dates.load_htmldate", lambda: lambda *_, **__: "2024-05-01"
    )
    path = "<svg><path d='M10.10.24 2024-05-01'></svg>"
    assert read_date(read_document(body=path)) == (None, None)
    assert read_date(read_document(body=path + HIDDEN + path)) == ("2024-05-01", "htmldate")


@pytest.mark.parametrize("text", ["31.02.2024", "2024-02-30", "99 May 2024", "32 Mai 2024"])
def test_half_a_date_is_none(text: str) -> None:
    assert read_date(read_document(body=f"<i class=published>{text}</i>")) == (None, None)
    whole = f"<p class=published>{text}<abbr class=published title='3 mai 2024'></abbr>"
    assert read_date(read_document(body=whole)) in ((None, None), ("2024-05-03", "htmldate"))


def test_the_tree_stays_as_it_is(caplog: pytest.LogCaptureFixture) -> None:
    """htmldate moves the text after a script; lxml refuses control characters in it."""
    tree = etree.HTML(f"<html><body>{HIDDEN}<script>1</script><p>one</p></body></html>")
    before = etree.tostring(tree)
    assert read_date(extract(tree)) == ("2024-05-01", "htmldate")
    assert etree.tostring(tree) == before
    assert read_date(read_document(body="<script>1</script>one\x01")) == (None, None)
    assert not caplog.records


def test_nothing_is_fetched() -> None:
    """htmldate downloads what looks like a URL."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        with pytest.warns(UserWarning, match="got a path or a URL"):
            document = extract(f"http://127.0.0.1:{server.getsockname()[1]}/")
        with pytest.raises(BlockingIOError):
            server.accept()
    assert read_date(document) == (None, None)


def test_it_is_not_asked_about_large_pages() -> None:
    assert read_date(read_document(body=HIDDEN + f"<i>{'x ' * 500_000}</i>")) == (None, None)


def test_a_failure_costs_the_guess_alone(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object, **__: object) -> str:
        raise RuntimeError("out of dates")

    monkeypatch.setattr("scrapy_boilerplate.metadata.dates.load_htmldate", lambda: fail)
    with caplog.at_level(logging.WARNING):
        document = read_document(body=HIDDEN)
    assert (document.error, read_date(document)) == (None, (None, None))
    (message,) = caplog.messages
    assert message.startswith("htmldate failed on")
    assert message.endswith("RuntimeError: out of dates")
