"""Metadata as a whole: any page gives a record, also an empty, large or hostile one."""

from __future__ import annotations

import dataclasses
from functools import partial
from time import process_time
from typing import Any

import pytest

from scrapy_boilerplate.extraction import extract
from scrapy_boilerplate.metadata.fields import FINDERS, Metadata
from tests.builders import filler
from tests.markup.safety import check_html
from tests.metadata.pages import read_document, write_article, write_metas

FERRY = "Ferry returns to the harbour"


@pytest.mark.parametrize("html", ["", "<html></html>", "<h1></h1>", "<p>one", "<time>", "<meta>"])
def test_pages_without_anything(html: str) -> None:
    document = extract(html)
    assert (document.date_published, document.authors, document.tags) == (None, (), ())


def test_fields_are_computed_on_first_use(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    for name, find in FINDERS.items():
        monkeypatch.setitem(FINDERS, name, partial(record, asked, name, find))
    document = read_document(write_metas(author="Jane Doe"), f"<h1>{FERRY}</h1>")
    assert asked == []
    assert (document.headline, document.headline) == (FERRY, FERRY)
    assert asked == ["headline"]
    assert document.evidence["authors"] == "meta"
    assert sorted(asked) == sorted(FINDERS)


def record(asked: list[str], name: str, find: Any, sources: Any) -> Any:
    asked.append(name)
    return find(sources)


def test_deep_and_wide_pages_end() -> None:
    deep = "<div itemprop=author class=author>" * 1500 + filler(5)
    wide = "<meta property=article:author content='Jane Doe'><time datetime=x>" * 5_000
    assert extract(deep).error is None
    assert extract(wide).authors == ("Jane Doe",)


@pytest.mark.parametrize("word", ["a" * 100_000, "1/" * 50_000, "ab-" * 30_000, "a1" * 50_000])
def test_words_without_end(word: str) -> None:
    """As long as a picture inside the text; a quadratic search takes minutes."""
    start = process_time()
    read_document(f"<p>{word}<p class=byline>By Ida Falk")
    assert process_time() - start < 10


RUN = "alert(document.domain)"


@pytest.mark.parametrize(
    "hostile",
    [
        f"<script>{RUN}</script>",
        f"\"><iframe srcdoc='<script>{RUN}</script>'>",
        f"jav\tascript:{RUN}",
        f"&#106;avascript:{RUN}",
        f"data:text/html,<script>{RUN}</script>",
        f"</title><script>{RUN}</script>",
    ],
)
def test_hostile_text_in_every_field(hostile: str) -> None:
    """Fields are plain text, addresses are of the web, and nothing that runs gets into `html`."""
    pytest.importorskip("nh3", reason="nh3 is not installed")
    attribute = hostile.replace("&", "&amp;").replace('"', "&quot;")
    names = (
        "headline description datePublished dateModified author keywords articleSection image "
        "inLanguage publisher isAccessibleForFree"
    )
    head = write_article(**dict.fromkeys(names.split(), hostile.replace("</", "<\\/")))
    head += "".join(
        f'<meta property="{name}" content="{attribute}">'
        for name in ("og:title", "og:url", "og:image", "og:site_name", "author", "article:tag")
    )
    document = read_document(
        f'<title>{hostile}</title>{head}<link rel=canonical href="{attribute}">'
    )
    assert document.error is None
    check_html(document.html or "")
    assert (document.date_published, document.date_modified) == (None, None)
    for url in (document.main_image, document.canonical_url):
        assert (url or "https://").startswith(("http://", "https://"))
    values = [getattr(document, field.name) for field in dataclasses.fields(Metadata)]
    assert all(isinstance(value, str | tuple | bool | dict | None) for value in values)
